//! `submit`, `quote` and `accept`: from a file to the service.

use super::http::{Client, fresh_key, with_query};
use super::jobs;
use super::say::say;
use super::settings::Connect;
use super::show::{clean, pretty, table, time};
use crate::failure::Failure;
use crate::{files, workflow};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use walras_api::Syntax;
use walras_api::service::{
    AcceptedView, HeldKind, JOB_BYTES_MAX, JobDraft, NotUnderstood, QuoteView, StatusView, SubmittedView,
    read_script,
};
use walras_model::Time;

/// Exit codes: 1 when, with --wait, a job fails; 2 when a file is wrong
#[derive(clap::Args)]
pub(crate) struct SubmitArgs {
    /// Job files in YAML or JSON, or scripts with #WALRAS or #SBATCH directives
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Arguments for what is run
    #[arg(last = true)]
    arguments: Vec<String>,
    /// Wait until all have ended
    #[arg(long)]
    wait: bool,
    /// Print each job as the service would get it, and send nothing
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// Your own key: however often it is sent, the job is submitted once
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct QuoteArgs {
    /// A job file in YAML or JSON, or a script
    file: PathBuf,
    /// Arguments for what is run
    #[arg(last = true)]
    arguments: Vec<String>,
    /// Let the sites hold all options for so many seconds, so that accepting one cannot fail
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60",
        value_parser = clap::value_parser!(u32).range(1..))]
    hold: Option<u32>,
    /// Your own key: however often it is sent, there is one quote
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    connect: Connect,
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
    if args.key.is_some() && args.files.len() > 1 {
        return Err(Failure::input("--key is for one job: give one file"));
    }
    if args.dry_run {
        return dry_run(args);
    }
    let client = Client::of(&args.connect)?;
    // All files are read before anything is sent.
    let mut jobs = Vec::with_capacity(args.files.len());
    for file in &args.files {
        jobs.push(finished(file, &args.arguments, Some(&client))?.0);
    }
    let mut submitted = Vec::with_capacity(jobs.len());
    for job in &jobs {
        let key = args.key.clone().map_or_else(fresh_key, Ok)?;
        let answer = client.post_once("/v1/jobs", job, &key)?;
        let view: SubmittedView = answer.view()?;
        let text = if args.connect.json { pretty(&answer.text) } else { format!("job {}\n", view.job) };
        files::print(&text)?;
        submitted.push(view.job);
    }
    if args.wait { jobs::wait_for(&client, &submitted, args.connect.json) } else { Ok(()) }
}

fn dry_run(args: &SubmitArgs) -> Result<(), Failure> {
    for file in &args.files {
        let (job, not_understood) = finished(file, &args.arguments, None)?;
        let shown = json!({"job": job, "not_understood": not_understood});
        files::print(&pretty(&shown.to_string()))?;
    }
    Ok(())
}

pub(crate) fn quote(args: &QuoteArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    let (job, _) = finished(&args.file, &args.arguments, Some(&client))?;
    let key = args.key.clone().map_or_else(fresh_key, Ok)?;
    let path = with_query("/v1/quotes", &[("hold", args.hold.map(|seconds| seconds.to_string()))]);
    let answer = client.post_once(&path, &job, &key)?;
    say(&args.connect, &answer, |view: &QuoteView| quote_text(view))?;
    // A quote without options is an answer, not what was hoped for.
    match answer.view::<QuoteView>()?.options.is_empty() {
        true => Err(Failure::Refuted),
        false => Ok(()),
    }
}

fn quote_text(quote: &QuoteView) -> String {
    let mut text = format!("quote {}\n", quote.quote);
    let rows: Vec<[String; 9]> = quote
        .options
        .iter()
        .map(|option| {
            [
                option.option.to_string(),
                time(option.start),
                time(option.finish),
                option.price.to_string(),
                option.satisfaction.to_string(),
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
        text.push_str(&held_text(quote));
        text.push_str(&format!(
            "binding until {}: walras accept {} OPTION\n",
            time(quote.until),
            quote.quote
        ));
    }
    for reason in &quote.reasons {
        text.push_str(&format!("{}\n", clean(&reason.text)));
    }
    for change in &quote.changes {
        text.push_str(&format!("would help: {}\n", clean(&change.text)));
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
    known.map(|(option, likely)| format!("option {option}: {}\n", clean(&likely.text))).collect()
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
    say(&args.connect, &answer, |view: &AcceptedView| format!("job {}\n", view.job))
}

/// The job of a file as the service takes it, and what was left out, which is also said on the terminal. Times from now
/// count from the service's clock, or from this machine's when there is no service to ask.
pub(crate) fn finished(
    file: &Path,
    arguments: &[String],
    client: Option<&Client>,
) -> Result<(Value, Vec<NotUnderstood>), Failure> {
    let mut draft = read_draft(file)?;
    for left_out in draft.not_understood() {
        let NotUnderstood { line, directive } = left_out;
        eprintln!("{}:{line}: {directive} is not understood and was left out", file.display());
    }
    draft.add_arguments(arguments.iter().cloned());
    let now = match client {
        Some(client) if draft.needs_now() => {
            client.get_patiently("/v1/status")?.view::<StatusView>()?.now.time()
        }
        _ => local_now()?,
    };
    let not_understood = draft.not_understood().to_vec();
    Ok((draft.finish(now).map_err(Failure::input)?, not_understood))
}

fn local_now() -> Result<Time, Failure> {
    Time::from_millis(jiff::Timestamp::now().as_millisecond())
        .ok_or_else(|| Failure::fault("this machine's clock is out of range"))
}

/// Reads a script, or a job file with its workflow.
fn read_draft(file: &Path) -> Result<JobDraft, Failure> {
    let source = file.display().to_string();
    let bytes = files::read(file, JOB_BYTES_MAX)?;
    if bytes.starts_with(b"#!") {
        return read_script(&bytes, &source, &TimeZone::system()).map_err(Failure::input);
    }
    let syntax = Syntax::of_path(file).map_err(|_| {
        Failure::Input(format!(
            "{source}: a job file ends in .yaml, .yml or .json, and a script begins with #!"
        ))
    })?;
    let mut draft = JobDraft::read(&bytes, &source, syntax).map_err(Failure::input)?;
    if let Some(named) = draft.workflow_file() {
        let path = file.parent().unwrap_or(Path::new("")).join(named);
        draft.set_workflow(&workflow::read_file(&path)?.0);
    }
    Ok(draft)
}
