//! `wait`, and `submit --wait`: until jobs have ended, by what is heard and not by asking again and again.
//!
//! The exit code says how they ended: 0 when all are done, 1 when one failed, 6 when one was given up, 5 when one was cancelled; of several
//! the first of these.

use super::hear::{Heard, hear};
use super::http::Client;
use super::settings::Connect;
use super::show::{pretty, short_time, told};
use super::status_line::StatusLine;
use crate::failure::Failure;
use crate::files;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use walras_api::service::{EventKind, EventView, JobState, JobView, Meant};
use walras_broker::gate::Which;

/// What is heard in so long a time is looked at together.
const TOGETHER: Duration = Duration::from_millis(200);
/// So many elements of an array are waited for one by one.
const ELEMENTS_MAX: u32 = 100;
/// So long nothing is heard before the line is written again.
const PATIENCE: Duration = Duration::from_secs(1);

/// Exit codes: 0 all are done, 1 one failed, 5 one was cancelled, 6 one was given up
#[derive(clap::Args)]
pub(crate) struct WaitArgs {
    /// The jobs' numbers, or elements of arrays: 17, 18_3 or 18_[5-9]
    #[arg(required = true)]
    jobs: Vec<Meant>,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn wait(args: &WaitArgs) -> Result<(), Failure> {
    let mut all = Vec::new();
    for meant in &args.jobs {
        let too_many = || {
            let array = meant.job();
            Failure::Input(format!(
                "{meant} are more than {ELEMENTS_MAX} elements: wait for the array, as {array}"
            ))
        };
        all.extend(meant.each(ELEMENTS_MAX).ok_or_else(too_many)?);
    }
    wait_for(&Arc::new(Client::of(&args.connect)?), &all, args.connect.json)
}

/// A job that has not ended as far as is known.
struct Waited {
    which: Which,
    /// The number under which it is heard of: its array's, of an element.
    heard_as: u64,
    /// Whether something has happened to it since it was looked at.
    stale: bool,
    view: Option<JobView>,
}

impl Waited {
    fn new(which: Which) -> Waited {
        Waited { which, heard_as: which.job.get(), stale: false, view: None }
    }

    /// Whether it may have ended by that, or looks different to whoever watches.
    fn hears(&self, event: &EventView, watched: bool) -> bool {
        let ends = matches!(event.kind, EventKind::JobEnded | EventKind::ElementsCut);
        event.job == Some(self.heard_as) && (ends || watched)
    }
}

/// Waits until all these have ended; says how each did, and fails as the worst of them.
pub(crate) fn wait_for(client: &Arc<Client>, jobs: &[Which], json: bool) -> Result<(), Failure> {
    let heard = hear(client);
    let mut line = StatusLine::new(!json);
    let mut open: Vec<Waited> = jobs.iter().map(|which| Waited::new(*which)).collect();
    let (begun, mut worst, mut last_look) = (Instant::now(), JobState::Done, Instant::now());
    while !open.is_empty() {
        let stale = open.iter().any(|job| job.stale);
        let patience = if stale { TOGETHER.saturating_sub(last_look.elapsed()) } else { PATIENCE };
        match heard.recv_timeout(patience) {
            Ok(Heard::Begun) => open.iter_mut().for_each(|job| job.stale = true),
            Ok(Heard::Event(event)) => {
                let watched = line.is_seen();
                open.iter_mut().filter(|job| job.hears(&event, watched)).for_each(|job| job.stale = true);
            }
            Ok(Heard::Gone(failure)) => return Err(failure),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Unreachable("nothing is heard of the service any more".to_owned()));
            }
        }
        if open.iter().any(|job| job.stale) && last_look.elapsed() >= TOGETHER.min(begun.elapsed()) {
            last_look = Instant::now();
            for view in look(client, &mut open, &mut line, json)? {
                worst = worse(worst, view);
            }
        }
        line.show(&status(&open, jobs.len(), begun.elapsed()));
    }
    line.clear();
    if worst == JobState::Done { Ok(()) } else { Err(Failure::Ended(worst)) }
}

/// Looks at those of which something was heard; says how those are that have ended, and takes them out.
fn look(
    client: &Client,
    open: &mut Vec<Waited>,
    line: &mut StatusLine,
    json: bool,
) -> Result<Vec<JobState>, Failure> {
    let mut ended = Vec::new();
    for job in open.iter_mut().filter(|job| job.stale) {
        let answer = match client.get(&format!("/v1/jobs/{}", job.which)) {
            Ok(answer) => answer,
            // The stream says when it is back.
            Err(Failure::Unreachable(_)) => continue,
            Err(failure) => return Err(failure),
        };
        let view: JobView = answer.view()?;
        job.stale = false;
        if let Ok(named) = view.id.parse::<Which>() {
            job.heard_as = named.job.get();
        }
        if view.state.is_over() {
            let why = view.why.as_deref().map_or_else(String::new, |why| format!(": {}", told(why)));
            line.clear();
            let text = format!("job {} is {}{why}\n", job.which, view.state.text());
            files::print(&if json { pretty(&answer.text) } else { text })?;
            ended.push(view.state);
        }
        job.view = Some(view);
    }
    open.retain(|job| !job.view.as_ref().is_some_and(|view| view.state.is_over()));
    Ok(ended)
}

/// The worse of two ends.
fn worse(one: JobState, other: JobState) -> JobState {
    let rank = |state: JobState| match state {
        JobState::Failed => 3,
        JobState::GivenUp => 2,
        JobState::Cancelled => 1,
        JobState::Held
        | JobState::Waiting
        | JobState::Queued
        | JobState::Planning
        | JobState::Planned
        | JobState::Reserving
        | JobState::Reserved
        | JobState::Running
        | JobState::Done => 0,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// Where things are: of one job in full, of several how many are where.
fn status(open: &[Waited], all: usize, since: Duration) -> String {
    let seconds = since.as_secs();
    let waited = match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
    };
    if let ([job], 1) = (open, all) {
        let Some(view) = &job.view else { return format!("job {}; {waited}", job.which) };
        return format!("job {} ({}) {}; {waited}", job.which, view.name, place(view));
    }
    let mut counts: Vec<(JobState, usize)> = Vec::new();
    for state in open.iter().filter_map(|job| job.view.as_ref()).map(|view| view.state) {
        match counts.iter_mut().find(|(known, _)| *known == state) {
            Some((_, count)) => *count += 1,
            None => counts.push((state, 1)),
        }
    }
    let counts: String = counts.iter().map(|(state, count)| format!(", {count} {}", state.text())).collect();
    format!("{} of {all} have ended{counts}; {waited}", all - open.len())
}

fn place(view: &JobView) -> String {
    let sites = view.sites.join(", ");
    match (view.state, view.start, view.finish) {
        (JobState::Running, _, Some(finish)) => {
            format!("runs on {sites} until {} at the latest", short_time(finish))
        }
        (JobState::Reserved | JobState::Planned, Some(start), _) => {
            format!("is {}, starts {} on {sites}", view.state.text(), short_time(start))
        }
        (state, ..) => match &view.why {
            Some(why) => format!("is {}: {}", state.text(), told(why)),
            None => format!("is {}", state.text()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::fake::{Fake, Reply};
    use crate::client::settings::Settings;

    fn job(state: &str) -> String {
        format!(
            r#"{{"job":17,"id":"17","name":"fit","user":"ada","state":"{state}","tasks":1,"workflow":false,
            "queued_at":"2026-11-15T12:00:00Z","start":null,"finish":null,"deadline":null,"budget":null,"held":0,
            "charged":0,"sites":["campus"],"reservation":null,"attempts":0,"why":null,"parts":[]}}"#
        )
    }

    fn stream(events: &[(&str, u64)]) -> Reply {
        let event = |(kind, job): &(&str, u64)| {
            format!(
                "event: {kind}\ndata: {{\"position\":4,\"at\":\"2026-11-15T12:00:00Z\",\"kind\":\"{kind}\",\"job\":{job},\"user\":null,\"site\":null,\"text\":\"t\"}}\n\n"
            )
        };
        let text = events.iter().map(event).collect();
        Reply::Answer { status: 200, kind: "text/event-stream", text }
    }

    /// The stream breaks at once, and is taken up again: the job is looked at then, and not between.
    #[test]
    fn a_job_is_looked_at_when_something_was_heard_of_it() {
        let fake = Fake::apart(vec![
            stream(&[]),
            Reply::json(200, &job("queued")),
            stream(&[("part-started", 17), ("job-ended", 18)]),
            Reply::json(200, &job("cancelled")),
        ]);
        let client = Arc::new(Client::new(Settings { url: fake.url(), token: None, ca: None }).unwrap());
        let ended = wait_for(&client, &["17".parse().unwrap()], false).unwrap_err();
        assert!(matches!(ended, Failure::Ended(JobState::Cancelled)), "{ended:?}");
        let asked: Vec<String> =
            fake.requests().iter().map(|it| it.split(' ').nth(1).unwrap_or_default().to_owned()).collect();
        assert_eq!(asked, ["/v1/events", "/v1/jobs/17", "/v1/events", "/v1/jobs/17"]);
    }

    #[test]
    fn the_worst_end_counts() {
        let of = |states: &[JobState]| states.iter().fold(JobState::Done, |one, other| worse(one, *other));
        assert_eq!(of(&[JobState::Done, JobState::Cancelled, JobState::Done]), JobState::Cancelled);
        assert_eq!(of(&[JobState::GivenUp, JobState::Cancelled]), JobState::GivenUp);
        assert_eq!(of(&[JobState::GivenUp, JobState::Failed, JobState::Done]), JobState::Failed);
    }

    #[test]
    fn the_line_says_where_things_are() {
        let view: JobView = serde_json::from_str(&job("queued")).unwrap();
        let one = |view: Option<JobView>| Waited { view, ..Waited::new("17".parse().unwrap()) };
        let after = Duration::from_secs(62);
        assert_eq!(status(&[one(Some(view.clone()))], 1, after), "job 17 (fit) is queued; 1m 02s");
        assert_eq!(status(&[one(Some(view))], 3, after), "2 of 3 have ended, 1 queued; 1m 02s");
    }
}
