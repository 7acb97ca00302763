//! `walras demo`: a whole VO on this machine, to look at and to play with.
//!
//! The [`place`] holds everything: a configuration, job files, tokens, and the service's data; what is there already is left
//! as it is, so a second start carries on. The [`service`] runs inside this process and ends with it. [`people`] are users and
//! owners, [`jobs`] what they submit. On a terminal the live view is shown until somebody quits; elsewhere what happens is
//! printed until the samples have ended. At the end there is a [`summary`], and the auditor reads the journal.

mod jobs;
mod people;
mod place;
mod service;
mod summary;

use crate::client::{event_line, follow};
use crate::failure::Failure;
use crate::{files, watch};
use people::People;
use place::Place;
use service::Service;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use summary::Last;

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
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let place = Place::open(&args.directory)?;
    let service = Service::start(&place)?;
    let shown = show(args, &place, &service);
    let asked = service.is_stopping();
    let said = files::print("stopping the service\n");
    service.stop()?;
    said?;
    match shown {
        Ok(summary) => files::print(&summary)?,
        // Somebody wanted an end: that there was nobody left to ask is no failure.
        Err(Failure::Unreachable(_)) if asked => {}
        Err(failure) => return Err(failure),
    }
    summary::audit(&place.journal())
}

/// The whole course, while the service runs. Returns what came of it.
fn show(args: &Args, place: &Place, service: &Service) -> Result<String, Failure> {
    let people = People::gather(place, service)?;
    files::print(&place.where_to_look(service, people.known))?;
    let on_terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    let limit = args.seconds.map(Duration::from_secs).or((!on_terminal).then_some(WAIT_MAX));
    let until = limit.map(|limit| Instant::now() + limit);
    let over = || service.is_stopping() || until.is_some_and(|until| Instant::now() >= until);
    let told = Arc::new(AtomicBool::new(true));
    if !on_terminal {
        tell(&people, Arc::clone(&told));
    }
    let samples = jobs::submit_samples(place, &people, &over)?;
    files::print(&place.what_to_try(&samples))?;
    let mut last = Last::default();
    if on_terminal {
        std::thread::sleep(LOOK_EVERY);
        jobs::keep_submitting(place, &people)?;
        watch::show(people.administrator.clone(), SPAN_MINUTES, &over)?;
    } else {
        while !over() && !jobs::have_ended(&people, &samples)? && told.load(Ordering::Relaxed) {
            last.look(&people.administrator)?;
            std::thread::sleep(LOOK_EVERY);
        }
    }
    last.look(&people.administrator)?;
    told.store(false, Ordering::Relaxed);
    summary::text(&people, &samples, &last)
}

/// Prints what happens, on a thread of its own, until nobody reads it any more.
fn tell(people: &People, told: Arc<AtomicBool>) {
    let client = people.administrator.clone();
    std::thread::spawn(move || {
        // Parts and settlements are for `walras events`: here they would hide the rest.
        let dull = |kind: &str, text: &str| {
            kind.starts_with("part-")
                || matches!(kind, "cycle-opened" | "reservation-closed")
                || (kind == "cycle-decided" && text.contains("serves 0 jobs"))
        };
        let followed = follow(&client, None, |_, event| {
            let Some(event) = event else { return Ok(true) };
            if told.load(Ordering::Relaxed) && !dull(&event.kind, &event.text) {
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
