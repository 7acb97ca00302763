//! `submit`, `quote` and `accept`: from a file to the service.

use super::http::{Client, fresh_key, with_query};
use super::say::say;
use super::settings::Connect;
use super::show::{clean, pretty, table, time, told};
use super::wait::wait_for;
use super::worth::calm_text;
use super::written::{Finished, Options, Reading, Written};
use crate::failure::Failure;
use crate::files;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use ureq::http::Method;
use walras_api::service::{AcceptedView, HeldKind, OutlookView, QuoteView, SubmittedView, WorthView};
use walras_broker::gate::Which;
use walras_broker::id::JobNumber;

/// Exit codes: with --wait, 1 when a job failed, 5 when one was cancelled, 6 when one was given up; 2 when a file is wrong
#[derive(clap::Args)]
pub(crate) struct SubmitArgs {
    /// Job files in YAML or JSON, or a script with #WALRAS or #SBATCH directives and its arguments; - is standard input
    #[arg(required_unless_present = "wrap", value_name = "FILE")]
    words: Vec<String>,
    /// Arguments for what is run, also such as begin with a dash
    #[arg(last = true)]
    arguments: Vec<String>,
    /// Run this in a shell, instead of a file
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["words", "arguments"])]
    wrap: Option<String>,
    /// Wait until all have ended
    #[arg(long)]
    wait: bool,
    /// Print each job as the service would get it, and send nothing
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// Ask what the next plan would do with each job, and submit nothing
    #[arg(long, conflicts_with_all = ["wait", "dry_run", "key"])]
    test_only: bool,
    /// Your own key: however often it is sent, the job is submitted once
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct QuoteArgs {
    /// A job file in YAML or JSON, or a script; several are a chain, each after the one before it, with one quote for all
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Arguments for what is run
    #[arg(last = true)]
    pub(super) arguments: Vec<String>,
    /// In a chain: what must have become of the job before
    #[arg(long, value_name = "CONDITION", default_value = "ok", value_parser = ["ok", "any", "started"])]
    pub(super) on: String,
    /// Let the sites hold all options for so many seconds, so that accepting one cannot fail
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) hold: Option<u32>,
    /// Your own key: however often it is sent, there is one quote
    #[arg(long, value_name = "KEY")]
    pub(super) key: Option<String>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct AcceptArgs {
    /// The quote's number
    quote: u64,
    /// Which of its options
    #[arg(default_value_t = 0)]
    option: u32,
    /// Your own key: however often it is sent, it is accepted once
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn submit(args: &SubmitArgs) -> Result<(), Failure> {
    // All files are read before anything is sent.
    let written = match &args.wrap {
        Some(command) => vec![Written::wrapped(command)],
        None => Written::of_words(&args.words, &args.arguments)?,
    };
    if args.key.is_some() && written.len() > 1 {
        return Err(Failure::input("--key is for one job: give one file"));
    }
    if args.dry_run {
        return dry_run(args, &written);
    }
    let client = Arc::new(Client::of(&args.connect)?);
    let mut jobs = Vec::with_capacity(written.len());
    for written in &written {
        jobs.push(written.finished(&args.options.0, &args.reading, Some(&client))?);
    }
    if args.test_only {
        return test_only(&client, &args.connect, &jobs);
    }
    // All or none: what the service would refuse is known before any of them is there.
    if jobs.len() > 1 {
        for job in &jobs {
            let asked = client.send(Method::POST, "/v1/outlooks?check=true", Some(&job.job));
            asked.map_err(|failure| job.placed(failure))?;
        }
    }
    let mut submitted = Vec::with_capacity(jobs.len());
    for job in &jobs {
        let key = args.key.clone().map_or_else(fresh_key, Ok)?;
        let answer = client.post_once("/v1/jobs?outlook=true", &job.job, &key);
        let answer = answer.map_err(|failure| job.placed(failure))?;
        let view: SubmittedView = answer.view()?;
        let text = match args.options.has("parsable") {
            _ if args.connect.json => pretty(&answer.text),
            true => format!("{}\n", view.job),
            false => format!("job {}\n", view.job),
        };
        files::print(&text)?;
        for note in &view.notes {
            eprintln!("walras: {}", told(note));
        }
        // For people; what reads the number is not disturbed.
        if let Some(outlook) = view.outlook.as_ref().filter(|_| !args.connect.json) {
            eprint!("{}", outlook_text(outlook));
        }
        submitted.push(Which::whole(JobNumber::new(view.job)));
    }
    if args.wait { wait_for(&client, &submitted, args.connect.json) } else { Ok(()) }
}

/// Says what would become of jobs; that one would not run is an answer, not what was hoped for.
fn test_only(client: &Client, connect: &Connect, jobs: &[Finished]) -> Result<(), Failure> {
    let mut all_run = true;
    for job in jobs {
        let answer = client.send(Method::POST, "/v1/outlooks", Some(&job.job));
        let answer = answer.map_err(|failure| job.placed(failure))?;
        say(connect, &answer, |view: &OutlookView| outlook_text(view))?;
        all_run &= answer.view::<OutlookView>()?.reasons.is_empty();
    }
    if all_run { Ok(()) } else { Err(Failure::Refuted) }
}

/// What the next plan would do: one line, or the reasons and what would help.
fn outlook_text(outlook: &OutlookView) -> String {
    if let Some(price) = &outlook.price {
        let sites: Vec<String> = outlook.sites.iter().map(|site| clean(site)).collect();
        let (sites, after) = (sites.join(", "), awaited_text(outlook));
        let each = if outlook.elements.is_some() { " each" } else { "" };
        let price = price.credits();
        let starts = if outlook.elements.is_some() { "its first elements start" } else { "starts" };
        let line = match (outlook.start, after.is_empty()) {
            (Some(start), true) => {
                format!("{starts} about {} on {sites}, about {price}{each}\n", time(start))
            }
            (Some(start), false) => {
                format!("{starts} about {} on {sites}, after {after}, about {price}{each}\n", time(start))
            }
            (None, true) => format!("waits; as things are on {sites}, about {price}{each}\n"),
            (None, false) => {
                format!("waits for {after}; as things are on {sites}, about {price}{each}\n")
            }
        };
        return line + &last_text(outlook);
    }
    let after = match outlook.after.is_empty() {
        true => String::new(),
        false => format!("waits for {}; ", awaited_text(outlook)),
    };
    if outlook.reasons.is_empty() {
        return format!("{after}when it starts is not known yet: no site has said what is free\n");
    }
    let mut text = format!("{after}would not start as things are\n");
    for reason in &outlook.reasons {
        text.push_str(&format!("{}\n", told(&reason.text)));
    }
    for change in &outlook.changes {
        text.push_str(&format!("would help: {}\n", told(&change.text)));
    }
    text
}

/// What a job waits for; what has to fail is said to.
fn awaited_text(outlook: &OutlookView) -> String {
    let text =
        |on: &String| if outlook.failing.contains(on) { format!("{on} if it fails") } else { on.clone() };
    outlook.after.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// When the last element of an array would have ended at the earliest, and how many of them the deadline cuts off.
fn last_text(outlook: &OutlookView) -> String {
    let Some(last) = outlook.last_finish else { return String::new() };
    let end = format!("its last element ends about {} at the earliest, by an estimate", time(last));
    match (outlook.elements, outlook.in_time) {
        (Some(all), Some(most)) => {
            format!("{end}: at most {most} of {all} elements can end by the deadline\n")
        }
        (_, _) => format!("{end}\n"),
    }
}

fn dry_run(args: &SubmitArgs, written: &[Written]) -> Result<(), Failure> {
    for written in written {
        let Finished { job, left_out, .. } = written.finished(&args.options.0, &args.reading, None)?;
        let shown = json!({"job": job, "left_out": left_out});
        files::print(&pretty(&shown.to_string()))?;
    }
    Ok(())
}

pub(crate) fn quote(args: &QuoteArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    let [file] = args.files.as_slice() else { return super::chain::quote(args, &client) };
    let written = Written::of_file(file, &args.arguments)?;
    let job = written.finished(&[], &args.reading, Some(&client))?;
    let key = args.key.clone().map_or_else(fresh_key, Ok)?;
    let path = with_query("/v1/quotes", &[("hold", args.hold.map(|seconds| seconds.to_string()))]);
    let answer = client.post_once(&path, &job.job, &key).map_err(|failure| job.placed(failure))?;
    // Who has the choice may want to know when nobody else is in need of it; a quote is one without that.
    let calm = || client.get("/v1/worth").ok()?.view::<WorthView>().ok().and_then(|view| calm_text(&view));
    say(&args.connect, &answer, |view: &QuoteView| match view.options.is_empty() {
        true => quote_text(view),
        false => quote_text(view) + &calm().unwrap_or_default(),
    })?;
    // A quote without options is an answer, not what was hoped for.
    match answer.view::<QuoteView>()?.options.is_empty() {
        true => Err(Failure::Refuted),
        false => Ok(()),
    }
}

fn quote_text(quote: &QuoteView) -> String {
    let mut text = format!("quote {}\n", quote.quote);
    if let Some(strategy) = &quote.strategy {
        text.push_str(&format!("strategy {}\n", told(&strategy.text())));
    }
    // What is the same of all tells nobody which to take.
    let differs = quote.options.windows(2).any(|pair| pair[0].satisfaction != pair[1].satisfaction);
    let rows: Vec<[String; 9]> = quote
        .options
        .iter()
        .map(|option| {
            [
                option.option.to_string(),
                time(option.start),
                time(option.finish),
                option.price.to_string(),
                super::show::or_dash(
                    Some(&option.satisfaction).filter(|_| differs || quote.options.len() == 1),
                ),
                super::show::or_dash(option.confidence.as_ref()),
                time(option.until),
                option.held.text().to_owned(),
                option.sites.join(","),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let heading = [
            ">option",
            "start",
            "finish",
            ">price",
            ">satisfaction",
            ">confidence",
            "until",
            "held",
            "sites",
        ];
        text.push_str(&table(heading, &rows));
        text.push_str(&criteria_text(quote));
        text.push_str(&likely_text(quote));
        text.push_str(&cheaper_text(quote));
        text.push_str(&held_text(quote));
        text.push_str(&format!(
            "to be accepted until {}: walras accept {} OPTION\n",
            time(quote.until),
            quote.quote
        ));
    }
    for reason in &quote.reasons {
        text.push_str(&format!("{}\n", told(&reason.text)));
    }
    for change in &quote.changes {
        text.push_str(&format!("would help: {}\n", told(&change.text)));
    }
    text
}

/// What the options are worth by each criterion that the job weighs.
fn criteria_text(quote: &QuoteView) -> String {
    let all =
        quote.options.iter().flat_map(|option| option.criteria.iter().map(move |it| (option.option, it)));
    let rows = all.map(|(option, it)| {
        let value = super::show::or_dash(it.value.as_ref());
        [option.to_string(), it.criterion.clone(), it.weight.to_string(), value, it.satisfaction.to_string()]
    });
    let rows: Vec<[String; 5]> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    let heading = [">option", "criterion", ">weight", ">value", ">satisfaction"];
    format!("judged by\n{}", table(heading, &rows))
}

/// How long the job is likely to run, option by option.
fn likely_text(quote: &QuoteView) -> String {
    let known = quote.options.iter().filter_map(|it| Some((it.option, it.likely.as_ref()?)));
    known.map(|(option, likely)| format!("option {option}: {}\n", told(&likely.text))).collect()
}

/// Where asking for less would cost less, option by option.
fn cheaper_text(quote: &QuoteView) -> String {
    let all = quote.options.iter().flat_map(|it| it.cheaper.iter().map(move |cheaper| (it.option, cheaper)));
    all.map(|(option, cheaper)| format!("option {option}: {}\n", told(&cheaper.text))).collect()
}

/// What it means that the options are held, or not.
fn held_text(quote: &QuoteView) -> String {
    if quote.options.iter().any(|option| option.held == HeldKind::No) {
        return "not held: until you accept, somebody else may take it; --hold keeps it for you\n".to_owned();
    }
    let fees: Vec<String> =
        quote.options.iter().map(|it| super::show::or_dash(it.hold_fee.as_ref())).collect();
    format!("held for you; an option that you do not take costs, in order: {} credits\n", fees.join(", "))
}

pub(crate) fn accept(args: &AcceptArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    let key = args.key.clone().map_or_else(fresh_key, Ok)?;
    let path = format!("/v1/quotes/{}/accept", args.quote);
    let answer = client.post_once(&path, &json!({"option": args.option}), &key)?;
    say(&args.connect, &answer, |view: &AcceptedView| {
        let jobs = if view.jobs.is_empty() { std::slice::from_ref(&view.job) } else { &view.jobs };
        jobs.iter().map(|job| format!("job {job}\n")).collect()
    })
}
