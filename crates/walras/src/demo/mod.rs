//! `walras demo`: a whole VO on this machine, to look at and to play with.
//!
//! The [`home`] holds everything: a configuration, job files, tokens, and the service's data; what is there already is left
//! as it is, so a second start carries on. The [`service`] runs inside this process and ends with it. [`people`] are users and
//! owners, [`jobs`] what they submit. On a terminal the live view is shown until somebody quits, and [`life`] goes on; elsewhere what happens is
//! printed until the samples have ended. At the end there is a [`summary`], and the auditor reads the journal.

mod advice;
mod home;
mod jobs;
mod life;
mod people;
mod service;
mod summary;

use crate::client::events::{event_line, follow};
use crate::client::show::pretty;
use crate::failure::Failure;
use crate::{files, watch};
use home::DemoHome;
use people::People;
use serde::Serialize;
use service::Service;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use summary::{Audit, Last, Summary};
use walras_api::service::{EventKind, EventView};

/// How long the samples are waited for where there is no terminal.
const WAIT_MAX: Duration = Duration::from_secs(90);
/// How often is looked whether they have ended.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How many minutes the live view shows.
const SPAN_MINUTES: u32 = 4;

/// Everything is kept in one directory, and a second start carries on there; remove it to begin from nothing. On a terminal
/// the live view opens: q ends the demo.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where everything is kept; made when it is not there
    #[arg(default_value = "demo")]
    directory: PathBuf,
    /// End after so many seconds [default: on a terminal never; elsewhere when the samples have ended, at most 90]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,
    /// Print nothing but the summary and the audit at the end, as JSON; without the live view
    #[arg(long)]
    json: bool,
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    /// None when somebody ended the demo before there was anything to sum up.
    summary: Option<Summary>,
    audit: Audit,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let home = DemoHome::open(&args.directory)?;
    let service = Service::start(&home)?;
    let shown = show(args, &home, &service);
    let asked = service.is_stopping();
    let said = args.say("stopping the service\n");
    service.stop()?;
    said?;
    let summary = match shown {
        Ok(summary) => Some(summary),
        // Somebody wanted an end: that there was nobody left to ask is no failure.
        Err(Failure::Unreachable(_)) if asked => None,
        Err(failure) => return Err(failure),
    };
    let journal = home.journal();
    args.say(&summary.as_ref().map_or_else(String::new, Summary::text))?;
    let audit = summary::audit(&journal)?;
    let verdict = audit.verdict();
    if args.json {
        let report = Report { schema: "walras.demo/1", summary, audit };
        files::print(&pretty(&serde_json::to_string(&report).map_err(Failure::fault)?))?;
    } else {
        files::print(&audit.text(&journal))?;
    }
    verdict
}

impl Args {
    /// Prints what is for people only.
    fn say(&self, text: &str) -> Result<(), Failure> {
        if self.json { Ok(()) } else { files::print(text) }
    }
}

/// The whole course, while the service runs. Returns what came of it.
fn show(args: &Args, home: &DemoHome, service: &Service) -> Result<Summary, Failure> {
    let people = People::gather(home, service)?;
    let pages = people.pages()?;
    args.say(&home.where_to_look(service, people.known, &pages))?;
    let live = !args.json && std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    let limit = args.seconds.map(Duration::from_secs).or((!live).then_some(WAIT_MAX));
    let until = limit.map(|limit| Instant::now() + limit);
    let over = || service.is_stopping() || until.is_some_and(|until| Instant::now() >= until);
    let told = Arc::new(AtomicBool::new(true));
    if !live && !args.json {
        tell(&people, Arc::clone(&told));
    }
    let samples = jobs::submit_samples(home, &people, &over)?;
    args.say(&home.what_to_try(&samples))?;
    let mut last = Last::default();
    if live {
        std::thread::sleep(LOOK_EVERY);
        life::begin(home, &people)?;
        let [page, _] = &pages;
        let (note, hints) = (format!("in a browser: {page}"), home.what_to_try(&samples));
        watch::show(people.administrator.clone(), SPAN_MINUTES, (&note, &hints), &over)?;
    } else {
        while !over() && !jobs::have_ended(&people, &samples)? && told.load(Ordering::Relaxed) {
            last.look(&people.administrator)?;
            std::thread::sleep(LOOK_EVERY);
        }
    }
    last.look(&people.administrator)?;
    told.store(false, Ordering::Relaxed);
    Summary::gather(&people, &samples, last)
}

/// Prints what happens, on a thread of its own, until nobody reads it any more.
fn tell(people: &People, told: Arc<AtomicBool>) {
    let client = people.administrator.clone();
    std::thread::spawn(move || {
        // Parts and settlements are for `walras events`: here they would hide the rest.
        let dull = |event: &EventView| match event.kind {
            EventKind::PartStarted
            | EventKind::PartEnded
            | EventKind::CycleOpened
            | EventKind::ReservationClosed => true,
            EventKind::CycleDecided => event.jobs == Some(0),
            _ => false,
        };
        let followed = follow(&client, None, |_, event| {
            let Some(event) = event else { return Ok(true) };
            if told.load(Ordering::Relaxed) && !dull(event) {
                files::print(&format!("{}\n", event_line(event)))?;
            }
            Ok(told.load(Ordering::Relaxed))
        });
        if followed.is_err() {
            // Nobody reads, or the service has gone: both end the demo.
            told.store(false, Ordering::Relaxed);
        }
    });
}
