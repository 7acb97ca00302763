//! `walras predict`

use crate::failure::Failure;
use crate::files;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use walras_core::predict::{JobFeatures, LEVEL, Predicted, Prediction, Quantity};
use walras_model::Span;
use walras_sim::trace::evaluate::{Compared, source};
use walras_sim::trace::{Bounds, Chances, Evaluation, Figures, Told, Trace, evaluate, read_swf, train};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// The history: a trace in the Standard Workload Format
    #[arg(required = true)]
    history: Option<PathBuf>,

    /// What is known of the job: user, group, executable, size, queue, partition, memory (numbers as in the history)
    /// and estimate (seconds), as in user=7,size=16,estimate=3600
    #[arg(long, value_name = "KEY=VALUE,…", required = true, value_parser = features)]
    job: Option<JobFeatures>,

    /// Print the predictions as JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Walk a history forward and compare predictions with what happened
    Evaluate {
        /// The history: a trace in the Standard Workload Format
        history: PathBuf,

        /// Take every job that ran past its estimate to have been ended there, as the service ends them
        #[arg(long)]
        end_at_estimates: bool,

        /// Print the figures as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Histories larger than this are refused: 1 GiB.
const HISTORY_BYTES_MAX: usize = 1024 * 1024 * 1024;
/// How many lines that could not be read are shown one by one.
const BAD_LINES_SHOWN: usize = 10;
/// How many templates the table names.
const TEMPLATES_SHOWN: usize = 5;

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match (&args.command, &args.history, &args.job) {
        (Some(Command::Evaluate { history, end_at_estimates, json }), ..) => {
            run_evaluate(history, *end_at_estimates, *json)
        }
        (None, Some(history), Some(job)) => run_predict(history, job, args.json),
        _ => Err(Failure::input("a history and --job are needed")),
    }
}

/// Reads what is known of a job.
fn features(text: &str) -> Result<JobFeatures, String> {
    let mut job = JobFeatures::default();
    for pair in text.split(',') {
        let (key, value) = pair.split_once('=').ok_or_else(|| format!("'{pair}' is not KEY=VALUE"))?;
        let number = value.parse::<i64>().ok().filter(|number| *number >= 0);
        let number = number.ok_or_else(|| format!("{key}: '{value}' is not a whole number of 0 or more"))?;
        let place = match key {
            "user" => &mut job.user,
            "group" => &mut job.group,
            "executable" => &mut job.executable,
            "queue" => &mut job.queue,
            "partition" => &mut job.partition,
            "memory" => &mut job.memory,
            "size" => {
                let size = u32::try_from(number).ok().filter(|size| *size > 0);
                job.size =
                    Some(size.ok_or_else(|| format!("size: '{value}' is not a number of processors"))?);
                continue;
            }
            "estimate" => {
                let span = number.checked_mul(1_000).filter(|millis| *millis > 0).and_then(Span::from_millis);
                job.estimate =
                    Some(span.ok_or_else(|| format!("estimate: '{value}' is not a run time in seconds"))?);
                continue;
            }
            _ => {
                let known = "user, group, executable, size, queue, partition, memory or estimate";
                return Err(format!("'{key}' is not known of a job: expected {known}"));
            }
        };
        *place = Some(number);
    }
    Ok(job)
}

fn read(path: &Path) -> Result<Trace, Failure> {
    let bytes = files::read(path, HISTORY_BYTES_MAX)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(Failure::Input(format!(
            "{}: is compressed: unpack it with gunzip first",
            path.display()
        )));
    }
    let trace = read_swf(&bytes);
    if trace.jobs.is_empty() {
        let first =
            trace.bad_lines.first().map_or("there is no line with a job".to_owned(), ToString::to_string);
        return Err(Failure::Input(format!("{}: no job could be read: {first}", path.display())));
    }
    Ok(trace)
}

fn run_predict(path: &Path, job: &JobFeatures, as_json: bool) -> Result<(), Failure> {
    let trace = read(path)?;
    let predict = |quantity| train(&trace, quantity).predict(job);
    let (run_time, wait) = (predict(Quantity::RunTime), predict(Quantity::Wait));
    if as_json {
        let whole = json!({
            "history": history_json(path, &trace),
            "run_time": run_time.as_ref().map(prediction_json),
            "wait": wait.as_ref().map(prediction_json),
        });
        return print_json(&whole);
    }
    let mut text = history_text(path, &trace);
    text += &prediction_text("run time", run_time.as_ref());
    text += &prediction_text("wait", wait.as_ref());
    files::print(&text)
}

fn run_evaluate(path: &Path, end_at_estimates: bool, as_json: bool) -> Result<(), Failure> {
    let trace = read(path)?;
    let trace = if end_at_estimates { trace.ended_at_estimates() } else { trace };
    let evaluations = [Quantity::RunTime, Quantity::Wait].map(|quantity| evaluate(&trace, quantity));
    if as_json {
        let [run_time, wait] = evaluations.each_ref().map(evaluation_json);
        let history = history_json(path, &trace);
        return print_json(&json!({ "history": history, "run_time": run_time, "wait": wait }));
    }
    let mut text = history_text(path, &trace);
    for evaluation in &evaluations {
        text += &evaluation_text(evaluation);
    }
    files::print(&text)
}

fn print_json(value: &Value) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::fault)?;
    files::print(&format!("{text}\n"))
}

fn history_text(path: &Path, trace: &Trace) -> String {
    let mut text = format!("{}: {} jobs", path.display(), trace.jobs.len());
    for (name, lead) in [("Computer", " of "), ("Acknowledge", "; thanks to ")] {
        if let Some(value) = trace.header(name) {
            let _ = write!(text, "{lead}{value}");
        }
    }
    text.push('\n');
    if !trace.bad_lines.is_empty() {
        let _ = writeln!(text, "{} lines hold no possible job and are left out:", trace.bad_lines.len());
        for bad in trace.bad_lines.iter().take(BAD_LINES_SHOWN) {
            let _ = writeln!(text, "  {bad}");
        }
        if let Some(more @ 1..) = trace.bad_lines.len().checked_sub(BAD_LINES_SHOWN) {
            let _ = writeln!(text, "  and {more} more (--json lists all)");
        }
    }
    let odd: Vec<String> = noted(trace)
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
        .collect();
    if !odd.is_empty() {
        let _ = writeln!(text, "odd but possible: {}", odd.join(", "));
    }
    text
}

fn noted(trace: &Trace) -> [(&'static str, u32); 8] {
    let noted = &trace.noted;
    [
        ("run_unknown", noted.run_unknown),
        ("run_zero", noted.run_zero),
        ("never_started", noted.never_started),
        ("estimate_missing", noted.estimate_missing),
        ("run_past_estimate", noted.run_past_estimate),
        ("allocated_otherwise", noted.allocated_otherwise),
        ("submit_inverted", noted.submit_inverted),
        ("columns_more", noted.columns_more),
    ]
}

fn history_json(path: &Path, trace: &Trace) -> Value {
    let bad_lines: Vec<Value> =
        trace.bad_lines.iter().map(|bad| json!({ "line": bad.line, "problem": bad.problem })).collect();
    json!({
        "file": path.display().to_string(),
        "jobs": trace.jobs.len(),
        "computer": trace.header("Computer"),
        "acknowledge": trace.header("Acknowledge"),
        "bad_lines": bad_lines,
        "noted": noted(trace).into_iter().collect::<std::collections::BTreeMap<_, _>>(),
    })
}

fn prediction_text(what: &str, prediction: Option<&Prediction>) -> String {
    let Some(prediction) = prediction else {
        return format!("{what}: nothing like it has finished\n");
    };
    let mut text = format!("{what}: {} s by {}", prediction.value, source(&prediction.by));
    if prediction.capped {
        text += ", capped at the estimate";
    }
    text.push('\n');
    if let Predicted::Template { summary, .. } = &prediction.by {
        let _ = write!(text, "  {} jobs alike: mean {} s", summary.jobs, summary.mean);
        if let Some(deviation) = summary.deviation {
            let _ = write!(text, ", standard deviation {deviation} s");
        }
        let _ = write!(text, ", longest {} s", summary.max);
        if let Some((low, high)) = summary.confidence {
            let _ = write!(text, "; mean within {low} and {high} s with 95% confidence");
        }
        text.push('\n');
    }
    if let Some(error) = prediction.error {
        let _ = writeln!(text, "  mean error of such predictions so far: {error} s");
    }
    if let Some(bound) = prediction.announcement().nine_in_ten {
        let _ = writeln!(text, "  nine of ten stay within {bound} s");
    }
    text
}

fn seconds(span: Span) -> Value {
    json!(span.as_millis() as f64 / 1_000.0)
}

fn prediction_json(prediction: &Prediction) -> Value {
    let summary = match &prediction.by {
        Predicted::Template { summary, .. } => Some(summary),
        Predicted::Estimate => None,
    };
    json!({
        "seconds": seconds(prediction.value),
        "by": source(&prediction.by),
        "capped": prediction.capped,
        "error": prediction.error.map(seconds),
        "nine_in_ten": prediction.announcement().nine_in_ten.map(seconds),
        "alike": summary.map(|summary| json!({
            "jobs": summary.jobs,
            "mean": seconds(summary.mean),
            "deviation": summary.deviation.map(seconds),
            "max": seconds(summary.max),
            "confidence_95": summary.confidence.map(|(low, high)| [seconds(low), seconds(high)]),
        })),
    })
}

fn title(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::RunTime => "run times",
        Quantity::Wait => "waits",
    }
}

fn rows(compared: &Compared) -> [(&'static str, &Figures); 4] {
    [
        ("templates", &compared.templates),
        ("last two jobs", &compared.last_two),
        ("last two, capped", &compared.last_two_capped),
        ("user's estimate", &compared.estimate),
    ]
}

fn evaluation_text(evaluation: &Evaluation) -> String {
    let mut text = format!("\n{}\n", title(evaluation.quantity));
    let (all, with_estimate) = (&evaluation.all, &evaluation.with_estimate);
    let differ = with_estimate.templates.jobs > 0 && with_estimate.templates.jobs < all.templates.jobs;
    let groups = [("all jobs", Some(all)), ("jobs with an estimate", differ.then_some(with_estimate))];
    for (name, compared) in groups {
        let Some(compared) = compared else { continue };
        let _ = writeln!(text, "{name:<22} {:>8}  {:>14}  {:>8}", "jobs", "mean error s", "under");
        for (name, figures) in rows(compared) {
            // On all jobs the estimate is a comparison only where every job has one.
            if figures.jobs < compared.templates.jobs || figures.jobs == 0 {
                continue;
            }
            let error = figures.error_mean().map_or(0, Span::as_millis) as f64 / 1_000.0;
            let under = figures.under_rate().unwrap_or(0.0) * 100.0;
            let _ = writeln!(text, "  {name:<20} {:>8}  {error:>14.1}  {under:>7.1}%", figures.jobs);
        }
    }
    text += &bounds_text(&evaluation.bounds);
    text += &chances_text(&evaluation.chances);
    if evaluation.unpredicted > 0 {
        let _ = writeln!(text, "{} jobs could not be predicted by both", evaluation.unpredicted);
    }
    let _ = writeln!(text, "templates used most:");
    for (name, count) in evaluation.used.iter().take(TEMPLATES_SHOWN) {
        let _ = writeln!(text, "  {count:>8}  {name}");
    }
    text
}

/// Of what nine of ten were said to stay within, how much held.
fn bounds_text(bounds: &Bounds) -> String {
    let Some(held) = bounds.held_rate() else { return String::new() };
    let mut text =
        format!("within what nine of ten stay within: {:.1}% of {} jobs", held * 100.0, bounds.count());
    if let Some((least, most)) = bounds.held_rates_by_tenth() {
        let _ = write!(text, ", {:.1} to {:.1}% by tenths of the trace", least * 100.0, most * 100.0);
    }
    if let Some(width) = bounds.width() {
        let _ = write!(text, "; it is {width:.1} times what happened");
    }
    text.push('\n');
    text
}

/// How likely jobs were said to be to end within what they ask for, and how many did.
fn chances_text(chances: &Chances) -> String {
    let all = chances.all();
    let Some((said, held)) = all.said_rate().zip(all.held_rate()) else { return String::new() };
    let (said, held) = (said * 100.0, held * 100.0);
    format!("within what they ask for: {held:.1}% of {} jobs; {said:.1}% was said\n", all.jobs)
}

fn chances_json(chances: &Chances) -> Value {
    let told = |told: &Told| json!({ "jobs": told.jobs, "said": told.said_rate(), "held": told.held_rate() });
    let by_tenth: Vec<Value> = chances.groups().iter().filter(|group| group.jobs > 0).map(told).collect();
    json!({ "all": told(&chances.all()), "by_what_was_said": by_tenth })
}

fn evaluation_json(evaluation: &Evaluation) -> Value {
    let figures = |figures: &Figures| {
        json!({
            "jobs": figures.jobs,
            "error_mean": figures.error_mean().map(seconds),
            "under_rate": figures.under_rate(),
        })
    };
    let group = |compared: &Compared| {
        json!({
            "templates": figures(&compared.templates),
            "last_two": figures(&compared.last_two),
            "last_two_capped": figures(&compared.last_two_capped),
            "estimate": figures(&compared.estimate),
        })
    };
    let used: Vec<Value> =
        evaluation.used.iter().map(|(name, jobs)| json!({ "template": name, "jobs": jobs })).collect();
    json!({
        "all": group(&evaluation.all),
        "with_estimate": group(&evaluation.with_estimate),
        "bounds": {
            "level": LEVEL as f64 / 1e6,
            "jobs": evaluation.bounds.count(),
            "held_rate": evaluation.bounds.held_rate(),
            "held_rates_by_tenth": evaluation.bounds.held_rates_by_tenth().map(|(least, most)| [least, most]),
            "width": evaluation.bounds.width(),
        },
        "within_estimate": chances_json(&evaluation.chances),
        "unpredicted": evaluation.unpredicted,
        "used": used,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_described_in_pairs() {
        let job = features("user=7,size=16,estimate=3600").unwrap();
        assert_eq!((job.user, job.size), (Some(7), Some(16)));
        assert_eq!(job.estimate, Span::from_millis(3_600_000));
        let wrong = ["", "user", "user=x", "user=-1", "size=0", "estimate=0", "colour=3"];
        let errors: Vec<String> = wrong.iter().map(|text| features(text).unwrap_err()).collect();
        insta::assert_snapshot!(errors.join("\n"), @r"
        '' is not KEY=VALUE
        'user' is not KEY=VALUE
        user: 'x' is not a whole number of 0 or more
        user: '-1' is not a whole number of 0 or more
        size: '0' is not a number of processors
        estimate: '0' is not a run time in seconds
        'colour' is not known of a job: expected user, group, executable, size, queue, partition, memory or estimate
        ");
    }
}
