//! `jobs`, `job`, `explain`, `output`, `cancel`, `wait`: what becomes of jobs.

use super::http::{Client, with_query};
use super::say::say;
use super::settings::Connect;
use super::show::{clean, or_dash, pretty, table, table_or, time, time_or};
use crate::failure::Failure;
use crate::files;
use std::fmt;
use std::time::Duration;
use ureq::http::Method;
use walras_api::service::{
    ArrayView, ExplanationView, JobState, JobView, JobsView, LikelyView, MeView, PartView, Role,
};
use walras_broker::gate::Which;

/// The first pause between two looks at a job, and the longest.
const LOOK_AFTER: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// How often in a row the service may not answer while a job is waited for.
const MISSED_MAX: u32 = 12;

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Those of everybody, not only one's own; for an administrator
    #[arg(long)]
    all: bool,
    /// Only those in this state: held, waiting, queued, planning, reserving, reserved, running, done, failed, cancelled or given-up
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// Only those of this user
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    user: Option<String>,
    /// The elements of this array that run or ran, instead of one line for it
    #[arg(long, value_name = "JOB")]
    array: Option<u64>,
    /// At most so many, the newest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Only those before this job, to go on from there
    #[arg(long, value_name = "JOB")]
    before: Option<u64>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct OneArgs {
    /// The job's number, or an element of an array: 17 or 18_3
    job: Which,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct OutputArgs {
    /// The job's number, or an element of an array: 17 or 18_3
    job: Which,
    /// Which of its parts
    #[arg(long, value_name = "N", default_value_t = 0)]
    part: u32,
    /// Its complaints (standard error), where they have a file of their own
    #[arg(long)]
    error: bool,
    /// Only these bytes: FIRST-LAST counted from 0, FIRST- for all after, -COUNT for the last
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    bytes: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct SeveralArgs {
    /// The jobs' numbers, or elements of arrays: 17 or 18_3
    #[arg(required = true)]
    jobs: Vec<Which>,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn list(args: &ListArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    let user = match &args.user {
        Some(user) => Some(user.clone()),
        None if args.all => None,
        None => own_name(client.get("/v1/me")?.view()?),
    };
    let query = [
        ("state", args.state.clone()),
        ("user", user),
        ("before", args.before.map(|job| job.to_string())),
        ("array", args.array.map(|job| job.to_string())),
        ("limit", Some(args.limit.to_string())),
    ];
    let answer = client.get(&with_query("/v1/jobs", &query))?;
    say(&args.connect, &answer, |view: &JobsView| {
        let mut text = jobs_text(&view.jobs);
        if let Some(next) = view.next {
            text.push_str(&format!("there are more: --before {next}\n"));
        }
        text
    })
}

/// The name of the user who asks; an administrator has no jobs of their own and sees all.
pub(crate) fn own_name(me: MeView) -> Option<String> {
    (me.role == Role::User).then_some(me.name)
}

/// Jobs as a table; with when they are likely to have ended, where that is known of any.
pub(crate) fn jobs_text(jobs: &[JobView]) -> String {
    let row = |job: &JobView| {
        [
            job.id.clone(),
            job.name.clone(),
            job.user.clone(),
            job.state.text().to_owned(),
            tasks(job),
            starts(job),
            time_or(job.finish),
            price(job),
            where_or_why(job),
        ]
    };
    let heading = [">job", "name", "user", "state", ">tasks", "start", "finish", ">price", "where, why"];
    let likely = |job: &JobView| job.likely.as_ref().and_then(|likely| likely.finish);
    if jobs.iter().all(|job| likely(job).is_none()) {
        let rows: Vec<[String; 9]> = jobs.iter().map(row).collect();
        return table_or(heading, &rows, "no jobs");
    }
    let [number, name, user, state, tasks, start, finish, price, place] = heading;
    let heading = [number, name, user, state, tasks, start, "likely", finish, price, place];
    let rows: Vec<[String; 10]> = jobs
        .iter()
        .map(|job| {
            let [number, name, user, state, tasks, start, finish, price, place] = row(job);
            [number, name, user, state, tasks, start, time_or(likely(job)), finish, price, place]
        })
        .collect();
    table_or(heading, &rows, "no jobs")
}

/// How many nodes a job needs; times how many elements.
fn tasks(job: &JobView) -> String {
    match &job.array {
        Some(array) => format!("{}x{}", array.count, job.tasks),
        None => job.tasks.to_string(),
    }
}

/// When a job starts; about when, where it has no window and others were waited for.
fn starts(job: &JobView) -> String {
    match (job.start, job.likely_start) {
        (None, Some(likely)) => format!("~{}", time(likely)),
        (start, _) => time_or(start),
    }
}

/// What it was charged, or what is held for it.
pub(crate) fn price(job: &JobView) -> String {
    if job.state.is_over() { job.charged.to_string() } else { job.held.to_string() }
}

/// Where a job is, or why it is nowhere.
pub(crate) fn where_or_why(job: &JobView) -> String {
    let elements = job.array.as_ref().map(elements_text);
    let place = place_or_why(job);
    match elements {
        Some(elements) if place.is_empty() => elements,
        Some(elements) => format!("{elements}; {place}"),
        None => place,
    }
}

/// How many elements are where.
fn elements_text(array: &ArrayView) -> String {
    let pending = (array.pending > 0).then(|| format!("{} pending", array.pending));
    let others = array.states.iter().map(|(state, count)| format!("{count} {state}"));
    pending.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

fn place_or_why(job: &JobView) -> String {
    match (&job.why, job.sites.is_empty()) {
        (Some(why), true) => why.clone(),
        (Some(why), false) => format!("{}: {why}", job.sites.join(",")),
        (None, _) => job.sites.join(","),
    }
}

pub(crate) fn one(args: &OneArgs) -> Result<(), Failure> {
    let answer = Client::of(&args.connect)?.get(&format!("/v1/jobs/{}", args.job))?;
    say(&args.connect, &answer, job_text)
}

fn job_text(job: &JobView) -> String {
    let kind = if job.workflow { " (workflow)" } else { "" };
    let mut rows: Vec<(&str, String)> = vec![
        ("job", format!("{} {}{kind}", job.id, job.name)),
        ("user", job.user.clone()),
        ("state", job.state.text().to_owned()),
        ("tasks", job.tasks.to_string()),
        ("queued", time(job.queued_at)),
        ("start", starts(job)),
        ("finish", time_or(job.finish)),
        ("deadline", time_or(job.deadline)),
        ("budget", or_dash(job.budget.as_ref())),
        ("held", job.held.to_string()),
        ("charged", job.charged.to_string()),
        ("sites", job.sites.join(", ")),
        ("attempts", job.attempts.to_string()),
    ];
    rows.extend(job.array.as_ref().map(|array| ("array", array.elements.clone())));
    rows.extend(job.array.as_ref().map(|array| ("elements", elements_text(array))));
    rows.extend(job.likely.as_ref().map(|likely| ("runs", likely_text(likely))));
    rows.extend(job.why.clone().map(|why| ("why", why)));
    let lines = rows.iter().map(|(name, value)| format!("{:<9} {}", name, clean(value)));
    let mut text: String = lines.map(|line| format!("{}\n", line.trim_end())).collect();
    if !job.satisfaction.is_empty() {
        let rows = job.satisfaction.iter().map(|(name, share)| [name.clone(), share.to_string()]);
        text.push('\n');
        text.push_str(&table(["stakeholder", ">satisfaction"], &rows.collect::<Vec<_>>()));
    }
    if !job.parts.is_empty() {
        let rows: Vec<[String; 7]> = job
            .parts
            .iter()
            .map(|part| {
                let task = or_dash(part.task.as_ref());
                let node = or_dash(part.node.as_ref());
                let (start, end) = (time(part.start), time(part.end));
                [part.part.to_string(), task, part.site.clone(), node, start, end, part_state(part)]
            })
            .collect();
        text.push('\n');
        text.push_str(&table([">part", "task", "site", "node", "start", "end", "state"], &rows));
    }
    text
}

/// How long it is likely to run, by how many jobs, and when it would then have ended.
fn likely_text(likely: &LikelyView) -> String {
    let ended = likely.finish.map_or_else(String::new, |at| format!("; likely done at {}", time(at)));
    format!("{} (by {} jobs){ended}", likely.text, likely.jobs)
}

fn part_state(part: &PartView) -> String {
    let code = part.exit_code.map_or_else(String::new, |code| format!(" with code {code}"));
    format!("{}{code}", part.state.text())
}

pub(crate) fn explain(args: &OneArgs) -> Result<(), Failure> {
    let answer = Client::of(&args.connect)?.get(&format!("/v1/jobs/{}/explanation", args.job))?;
    say(&args.connect, &answer, explanation_text)
}

fn explanation_text(view: &ExplanationView) -> String {
    let mut text = format!("job {} is {}: {}\n", view.job, view.state.text(), clean(&view.summary));
    for reason in &view.reasons {
        text.push_str(&format!("  because {}\n", clean(&reason.text)));
    }
    for change in &view.changes {
        text.push_str(&format!("  would help: {}\n", clean(&change.text)));
    }
    if let Some(rank) = &view.rank {
        let overdue = if rank.overdue { ", overdue" } else { "" };
        text.push_str(&format!(
            "place {} of {} in the queue, score {}{overdue}\n",
            rank.place, rank.of, rank.score
        ));
        for (aspect, value) in &rank.aspects {
            text.push_str(&format!("  {} {value}\n", clean(aspect)));
        }
    }
    if !view.history.is_empty() {
        text.push_str("what has happened\n");
        for happening in &view.history {
            text.push_str(&format!("  {}  {}\n", time(happening.at), clean(&happening.text)));
        }
    }
    text
}

pub(crate) fn output(args: &OutputArgs) -> Result<(), Failure> {
    let error = if args.error { "&error=true" } else { "" };
    let path = format!("/v1/jobs/{}/output?part={}{error}", args.job, args.part);
    let client = Client::of(&args.connect)?;
    if args.connect.json {
        let answer = client.get(&path)?;
        return files::print(&pretty(&serde_json::json!({"output": answer.text}).to_string()));
    }
    // As it comes, whatever it is and however long.
    files::copy_out(client.read(&path, args.bytes.as_deref())?)
}

pub(crate) fn cancel(args: &SeveralArgs) -> Result<(), Failure> {
    for_each(args, Method::DELETE, "")
}

pub(crate) fn release(args: &SeveralArgs) -> Result<(), Failure> {
    for_each(args, Method::POST, "/release")
}

/// Asks the same of each job, and says where it is then.
fn for_each(args: &SeveralArgs, method: Method, end: &str) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    let mut failed = None;
    for job in &args.jobs {
        // One that refuses must not keep the others from it.
        match client.send(method.clone(), &format!("/v1/jobs/{job}{end}"), None) {
            Ok(answer) => say(&args.connect, &answer, |view: &JobView| {
                format!("job {} is {}\n", view.id, view.state.text())
            })?,
            Err(failure @ Failure::Refused(_)) => failed = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    failed.map_or(Ok(()), Err)
}

pub(crate) fn wait(args: &SeveralArgs) -> Result<(), Failure> {
    wait_for(&Client::of(&args.connect)?, &args.jobs, args.connect.json)
}

/// The job once it has ended. The service may be restarted meanwhile.
fn ended(client: &Client, job: &impl fmt::Display) -> Result<(JobView, String), Failure> {
    let (mut pause, mut missed) = (LOOK_AFTER.0, 0);
    loop {
        match client.get(&format!("/v1/jobs/{job}")) {
            Ok(answer) => {
                let view: JobView = answer.view()?;
                if view.state.is_over() {
                    return Ok((view, answer.text));
                }
                missed = 0;
            }
            Err(Failure::Unreachable(_)) if missed < MISSED_MAX => missed += 1,
            Err(failure) => return Err(failure),
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK_AFTER.1);
    }
}

/// Waits until all these have ended; an error when one did not end well.
pub(crate) fn wait_for(client: &Client, jobs: &[impl fmt::Display], json: bool) -> Result<(), Failure> {
    let mut well = true;
    for job in jobs {
        let (view, text) = ended(client, job)?;
        well &= view.state == JobState::Done;
        let why = view.why.as_deref().map_or_else(String::new, |why| format!(": {}", clean(why)));
        let line = format!("job {job} is {}{why}\n", view.state.text());
        files::print(&if json { pretty(&text) } else { line })?;
    }
    if well { Ok(()) } else { Err(Failure::Refuted) }
}
