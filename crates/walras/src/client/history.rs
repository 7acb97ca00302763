//! `history`: what jobs took that have ended: waits, run times, cost, exit codes, and how good their estimates were.

use super::filter::{Filter, moment};
use super::http::{Client, with_query};
use super::say::say_json;
use super::settings::Connect;
use super::show::{clean, or_dash, table_within, time};
use super::status_line::table_width;
use crate::failure::Failure;
use crate::files;
use walras_api::Num;
use walras_api::service::{PastJobView, PastJobsView};

#[derive(clap::Args)]
pub(crate) struct HistoryArgs {
    /// Those of everybody, not only one's own; for an administrator
    #[arg(long, conflicts_with = "user")]
    all: bool,
    #[command(flatten)]
    filter: Filter,
    /// Only those submitted before
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The elements of this array
    #[arg(long, value_name = "JOB")]
    array: Option<u64>,
    /// The elements of arrays, instead of one line for each array
    #[arg(long)]
    elements: bool,
    /// At most so many, the newest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Only those before this job, to go on from there
    #[arg(long, value_name = "JOB")]
    before: Option<u64>,
    /// Print values with commas between, for programs that read tables
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn history(args: &HistoryArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    let mut query = args.filter.query(&client, args.all)?;
    query.push(("until", moment(&client, args.until.as_deref(), "--until")?));
    query.push(("array", args.array.map(|job| job.to_string())));
    query.push(("elements", args.elements.then(|| "true".to_owned())));
    query.push(("before", args.before.map(|job| job.to_string())));
    query.push(("limit", Some(args.limit.to_string())));
    let answer = client.get(&with_query("/v1/reports/jobs", &query))?;
    if args.connect.json {
        return say_json(&answer);
    }
    let view: PastJobsView = answer.view()?;
    if args.csv {
        return files::print(&csv(&view.jobs));
    }
    let mut text = history_text(&view.jobs, table_width());
    if let Some(next) = view.next {
        text.push_str(&format!("there are more: --before {next}\n"));
    }
    files::print(&text)
}

/// Seconds as people say them: `1d 02:03:04`, `02:03:04`, `3.5s`.
fn span(seconds: Option<&Num>) -> String {
    let Some(seconds) = seconds else { return "-".to_owned() };
    let text = seconds.to_string();
    let whole = text.split('.').next().and_then(|whole| whole.parse::<u64>().ok());
    let Some(whole) = whole.filter(|whole| *whole >= 60) else { return format!("{text}s") };
    let (days, rest) = (whole / 86_400, whole % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60);
    if days == 0 { clock } else { format!("{days}d {clock}") }
}

/// A share as per cent.
fn percent(share: Option<&Num>) -> String {
    let share = share.and_then(|share| share.to_string().parse::<f64>().ok());
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", share * 100.0))
}

fn history_text(jobs: &[PastJobView], width: Option<usize>) -> String {
    if jobs.is_empty() {
        return "no jobs have ended\n".to_owned();
    }
    let rows = jobs.iter().map(|job| {
        let tasks = match job.elements {
            Some(elements) => format!("{elements}x{}", job.tasks),
            None => job.tasks.to_string(),
        };
        [
            job.id.clone(),
            job.name.clone(),
            job.state.text().to_owned(),
            or_dash(job.exit_code.as_ref()),
            tasks,
            span(job.wait.as_ref()),
            span(job.run.as_ref()),
            percent(job.estimate.as_ref()),
            job.charged.to_string(),
            time(job.finish),
            job.user.clone(),
            job.sites.join(","),
        ]
    });
    let rows: Vec<[String; 12]> = rows.collect();
    let heading = [
        ">job",
        "name",
        "state",
        ">exit",
        ">tasks",
        ">wait",
        ">run",
        ">of estimate",
        ">cost",
        "ended",
        "user",
        "sites",
    ];
    table_within(&heading, &rows, width)
}

/// One value as RFC 4180 has it.
fn quoted(value: &str) -> String {
    // A program that opens the table must not take what somebody called a job for a formula.
    let value = match value.chars().next() {
        Some('=' | '+' | '-' | '@') if value.parse::<f64>().is_err() => format!("'{value}"),
        _ => value.to_owned(),
    };
    match value.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value,
    }
}

fn csv(jobs: &[PastJobView]) -> String {
    let mut text = "job,name,user,state,exit_code,tasks,elements,queued_at,start,finish,wait_s,run_s,used_s,reserved_s,estimate,charged,attempts,sites,why,processor_s,memory_bytes\n".to_owned();
    fn or_nothing(value: Option<&impl ToString>) -> String {
        value.map_or_else(String::new, ToString::to_string)
    }
    for job in jobs {
        let programs = job.programs.as_ref();
        let cells = [
            job.id.clone(),
            clean(&job.name),
            clean(&job.user),
            job.state.text().to_owned(),
            or_nothing(job.exit_code.as_ref()),
            job.tasks.to_string(),
            or_nothing(job.elements.as_ref()),
            job.queued_at.to_string(),
            or_nothing(job.start.as_ref()),
            job.finish.to_string(),
            or_nothing(job.wait.as_ref()),
            or_nothing(job.run.as_ref()),
            or_nothing(job.used.as_ref()),
            or_nothing(job.reserved.as_ref()),
            or_nothing(job.estimate.as_ref()),
            job.charged.to_string(),
            job.attempts.to_string(),
            clean(&job.sites.join(" ")),
            clean(job.why.as_deref().unwrap_or_default()),
            or_nothing(programs.and_then(|used| used.processor_seconds.as_ref())),
            or_nothing(programs.and_then(|used| used.memory_bytes.as_ref())),
        ];
        text.push_str(&cells.map(|cell| quoted(&cell)).join(","));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> Vec<PastJobView> {
        let job = r#"[{"job":17,"id":"17","name":"=fit, \"x\"","user":"ada","state":"failed","tasks":2,
            "queued_at":"2026-11-15T12:00:00Z","start":"2026-11-15T12:01:30Z","finish":"2026-11-15T13:01:30Z","wait":90,
            "run":3600,"used":7200,"reserved":14400,"estimate":0.5,"charged":12.5,"exit_code":3,"attempts":0,
            "sites":["campus","hall"],"why":"It ended with exit code 3.",
            "programs":{"processor_seconds":1.5,"memory_bytes":4096}},
            {"job":3,"id":"3","name":"sweep","user":"ada","state":"cancelled","tasks":1,"elements":40,
            "queued_at":"2026-11-15T12:00:00Z","start":null,"finish":"2026-11-15T12:00:02.5Z","wait":null,"run":null,
            "used":null,"reserved":null,"estimate":null,"charged":0,"exit_code":null,"attempts":0,"sites":[],"why":null}]"#;
        serde_json::from_str(job).unwrap()
    }

    #[test]
    fn a_table_says_what_jobs_took() {
        let text = history_text(&jobs(), None);
        let first = text.lines().nth(1).unwrap_or_default();
        for part in ["17", "failed", "  3  ", "00:01:30", "01:00:00", "50%", "12.5", "campus,hall"] {
            assert!(first.contains(part), "{part}: {text}");
        }
        assert!(text.contains("40x1"), "{text}");
    }

    #[test]
    fn values_with_commas_are_read_again_and_are_no_formulas() {
        let text = csv(&jobs());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(
            lines[1].starts_with("17,\"'=fit, \"\"x\"\"\",ada,failed,3,2,,2026-11-15T12:00:00"),
            "{text}"
        );
        assert!(lines[1].ends_with(",1.5,4096") && lines[2].ends_with(",,"), "{text}");
        assert_eq!(lines[2].matches(',').count(), lines[0].matches(',').count(), "{text}");
        assert_eq!(
            (span(None), span(Some(&jobs()[0].run.clone().unwrap()))),
            ("-".into(), "01:00:00".into())
        );
    }
}
