//! What happened, as it is told to listeners and in a job's history: one line each.

use super::why::{why_of_job, why_text};
use super::{place_name, site_name};
use std::collections::BTreeSet;
use walras_api::service::{EventView, HappeningView, Stamp};
use walras_broker::event::Origin;
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::JobEnd;
use walras_broker::journal::Entry;
use walras_broker::plan::Proof;
use walras_broker::{Event, State};
use walras_model::{SiteId, Time};

/// Who is concerned by an event.
struct About {
    job: Option<JobNumber>,
    user: Option<String>,
    site: Option<SiteId>,
}

const NOBODY: About = About { job: None, user: None, site: None };

/// What listeners are told of an event that the state is about to take in; nothing of what is of no interest to them.
pub fn event_view(state: &State, position: u64, at: Time, event: &Event) -> Option<EventView> {
    let (kind, text) = told(state, event)?;
    let about = about(state, event);
    Some(EventView {
        position,
        at: at.into(),
        kind: kind.to_owned(),
        job: about.job.map(JobNumber::get),
        user: about.user,
        site: about.site.map(|site| site_name(state, site)),
        text,
    })
}

fn about(state: &State, event: &Event) -> About {
    let of_job = |job: &JobNumber| About {
        job: Some(*job),
        user: state.jobs.get(job).map(|job| job.spec.user.clone()),
        site: None,
    };
    let of_reservation = |number: &ReservationNumber| match state.reservations.get(number) {
        Some(it) => About { job: Some(it.job), user: Some(it.user.clone()), site: None },
        None => NOBODY,
    };
    match event {
        Event::JobQueued { job, spec, .. } => {
            About { job: Some(*job), user: Some(spec.user.clone()), site: None }
        }
        Event::JobReturned { job, .. }
        | Event::JobEnded { job, .. }
        | Event::ReservationAsked { job, .. } => of_job(job),
        Event::Confirming { reservation, .. }
        | Event::PartsDue { reservation, .. }
        | Event::PartStarted { reservation, .. }
        | Event::PartEnded { reservation, .. }
        | Event::Rescheduled { reservation, .. }
        | Event::ReservationClosed { reservation, .. } => of_reservation(reservation),
        Event::ReservationHeld(reservation) => of_reservation(reservation),
        Event::LegPrepared { reservation, site }
        | Event::LegConfirmed { reservation, site }
        | Event::LegReleased { reservation, site } => {
            About { site: Some(*site), ..of_reservation(reservation) }
        }
        Event::QuoteGiven { key, .. } | Event::QuoteBroken { key, .. } => {
            About { user: Some(key.by.clone()), ..NOBODY }
        }
        Event::PricesSet { site, .. }
        | Event::OffersReceived { site, .. }
        | Event::SiteLost { site, .. }
        | Event::SiteBack { site, .. } => About { site: Some(*site), ..NOBODY },
        Event::NodeLost { node, .. } | Event::NodeBack { node, .. } | Event::NodeTaken { node, .. } => {
            About { site: state.node(*node).map(|node| node.site), ..NOBODY }
        }
        _ => NOBODY,
    }
}

/// Its kind, and a sentence.
fn told(state: &State, event: &Event) -> Option<(&'static str, String)> {
    Some(match event {
        Event::JobQueued { job, spec, .. } => {
            ("job-queued", format!("Job {job} ({}) was submitted by {}.", spec.request.name, spec.user))
        }
        Event::JobReturned { job, why } => {
            let why = match state.jobs.get(job) {
                Some(known) => why_of_job(state, &known.spec, why),
                None => why_text(state, why),
            };
            ("job-returned", format!("Job {job} is back in the queue. {why}"))
        }
        Event::JobEnded { job, end } => ("job-ended", ended(state, *job, end)),
        Event::CycleOpened { cycle, batch, .. } => {
            ("cycle-opened", format!("Cycle {cycle} plans {} jobs.", batch.len()))
        }
        Event::CycleDecided { cycle, verdict } => {
            let proof = proof_text(verdict.proof);
            let left = verdict.unserved.len();
            let served = verdict.served;
            ("cycle-decided", format!("Cycle {cycle} serves {served} jobs and leaves out {left}; {proof}."))
        }
        Event::CycleEnded(cycle) => ("cycle-ended", format!("Cycle {cycle} ended without a plan.")),
        Event::ReservationAsked { job, way, origin, .. } => {
            let sites: Vec<String> = way.legs.iter().map(|leg| site_name(state, leg.site)).collect();
            let from = match origin {
                Origin::Cycle(cycle) => format!("cycle {cycle} chose it"),
                Origin::Quote(quote) => format!("quote {quote} was accepted"),
                Origin::Spare => "a spare way takes the place of one that failed".to_owned(),
            };
            let (start, end) = (Stamp::from(way.start()), Stamp::from(way.finish()));
            let (sites, cost) = (sites.join(", "), way.cost());
            let text = format!(
                "Job {job} asks {sites} for a window from {start} to {end} for at most {cost} credits: {from}."
            );
            ("reservation-asked", text)
        }
        Event::ReservationHeld(number) => {
            let job = state.reservations.get(number)?.job;
            ("reservation-held", format!("Job {job} has its window: every site has confirmed."))
        }
        Event::PartStarted { reservation, part, .. } => {
            ("part-started", format!("Part {part} of {} runs.", job_of(state, *reservation)))
        }
        Event::PartEnded { reservation, part, end, .. } => {
            ("part-ended", format!("Part {part} of {} {end}.", job_of(state, *reservation)))
        }
        Event::Rescheduled { reservation, why, .. } => {
            let why = why_text(state, why);
            ("rescheduled", format!("Tasks of {} were moved. {why}", job_of(state, *reservation)))
        }
        Event::ReservationClosed { reservation, why: Some(why), .. } => {
            let why = why_text(state, why);
            (
                "reservation-closed",
                format!("The window of {} is given up. {why}", job_of(state, *reservation)),
            )
        }
        Event::ReservationClosed { reservation, why: None, .. } => {
            ("reservation-closed", format!("The window of {} is settled.", job_of(state, *reservation)))
        }
        other => return of_others(state, other),
    })
}

fn of_others(state: &State, event: &Event) -> Option<(&'static str, String)> {
    Some(match event {
        Event::QuoteGiven { quote, options, .. } => {
            ("quote-given", format!("Quote {quote} has {} alternatives.", options.len()))
        }
        Event::QuoteBroken { quote, why, .. } => {
            ("quote-broken", format!("Quote {quote} could not be honoured. {}", why_text(state, why)))
        }
        Event::NodeLost { node, .. } => ("node-lost", format!("Node {} failed.", place_name(state, *node))),
        Event::NodeBack { node, .. } => ("node-back", format!("Node {} is back.", place_name(state, *node))),
        Event::NodeTaken { node, interval } => {
            let until = Stamp::from(interval.end());
            ("node-taken", format!("The owner uses node {} until {until}.", place_name(state, *node)))
        }
        Event::SiteLost { site, .. } => ("site-lost", format!("Site {} failed.", site_name(state, *site))),
        Event::SiteBack { site, .. } => ("site-back", format!("Site {} is back.", site_name(state, *site))),
        Event::SiteAdded(spec) => ("site-added", format!("Site {} has joined.", spec.name)),
        Event::PricesSet { site, .. } => {
            ("prices-set", format!("Site {} has new prices.", site_name(state, *site)))
        }
        Event::PolicySet(_) => ("policy-set", "The VO has new rules.".to_owned()),
        _ => return None,
    })
}

fn job_of(state: &State, reservation: ReservationNumber) -> String {
    state.reservations.get(&reservation).map_or_else(|| "a job".to_owned(), |it| format!("job {}", it.job))
}

fn ended(state: &State, job: JobNumber, end: &JobEnd) -> String {
    match end {
        JobEnd::Done => format!("Job {job} is done."),
        JobEnd::Failed(why) => format!("Job {job} failed. {}", why_text(state, why)),
        JobEnd::Cancelled => format!("Job {job} was cancelled."),
        JobEnd::GivenUp(why) => format!("Job {job} was given up. {}", why_text(state, why)),
    }
}

/// How good a plan is, in words.
pub fn proof_text(proof: Proof) -> String {
    match proof {
        Proof::Optimal => "proven best".to_owned(),
        Proof::Gap(millionths) => {
            let percent = format!("{}.{:04}", millionths / 10_000, millionths % 10_000);
            format!("at most {percent}% from the best")
        }
        Proof::Nothing => "there was nothing to choose from".to_owned(),
    }
}

/// What has happened to a job, from the entries that are about it. Names are those of today.
pub fn history(state: &State, job: JobNumber, entries: &[Entry]) -> Vec<HappeningView> {
    let mut own: BTreeSet<ReservationNumber> = BTreeSet::new();
    let mut told = Vec::new();
    for entry in entries {
        for event in &entry.events {
            if let Event::ReservationAsked { reservation, job: of, .. } = event
                && *of == job
            {
                own.insert(*reservation);
            }
            if let Some(text) = of_job(state, job, &own, event) {
                told.push(HappeningView { at: entry.at.into(), text });
            }
        }
    }
    told
}

/// An event in the words of one job's history.
fn of_job(state: &State, job: JobNumber, own: &BTreeSet<ReservationNumber>, event: &Event) -> Option<String> {
    match event {
        Event::JobQueued { job: of, .. }
        | Event::JobReturned { job: of, .. }
        | Event::JobEnded { job: of, .. }
        | Event::ReservationAsked { job: of, .. }
            if *of == job =>
        {
            told(state, event).map(|(_, text)| text)
        }
        Event::ReservationHeld(number) if own.contains(number) => {
            Some("Every site has confirmed: it has its window.".to_owned())
        }
        Event::PartStarted { reservation, part, .. } if own.contains(reservation) => {
            Some(format!("Part {part} runs."))
        }
        Event::PartEnded { reservation, part, end, .. } if own.contains(reservation) => {
            Some(format!("Part {part} {end}."))
        }
        Event::Rescheduled { reservation, why, .. } if own.contains(reservation) => {
            Some(format!("Tasks were moved. {}", why_text(state, why)))
        }
        Event::ReservationClosed { reservation, why, .. } if own.contains(reservation) => match why {
            Some(why) => Some(format!("The window is given up. {}", why_text(state, why))),
            None => Some("The window is settled.".to_owned()),
        },
        _ => None,
    }
}
