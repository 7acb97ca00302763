//! What happened, as it is told to listeners and in a job's history: one line each.

use super::{context_of, place_name, site_name};
use std::collections::BTreeSet;
use walras_api::Num;
use walras_api::sentence::{Context, part_end_text};
use walras_api::service::{EventKind, EventView, HappeningView, ProofKind, ProofView, Stamp, WhyView};
use walras_broker::event::Origin;
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::{JobEnd, Why};
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
        kind,
        job: about.job.map(JobNumber::get),
        user: about.user,
        site: about.site.map(|site| site_name(state, site)),
        text,
        reason: reason(state, event),
        jobs: match event {
            Event::CycleOpened { batch, .. } => Some(u32::try_from(batch.len()).unwrap_or(u32::MAX)),
            Event::CycleDecided { verdict, .. } => Some(verdict.served),
            _ => None,
        },
    })
}

/// The reason that an event gives, for programs.
fn reason(state: &State, event: &Event) -> Option<WhyView> {
    let (why, job) = match event {
        Event::JobReturned { job, why } => (why, Some(job)),
        Event::JobEnded { job, end: JobEnd::Failed(why) | JobEnd::GivenUp(why) } => (why, Some(job)),
        Event::Rescheduled { why, .. }
        | Event::ReservationClosed { why: Some(why), .. }
        | Event::QuoteBroken { why, .. } => (why, None),
        _ => return None,
    };
    Some(context(state, job, why).why_view(why))
}

/// For sentences about a job that may be known.
fn context<'a>(state: &'a State, job: Option<&JobNumber>, why: &Why) -> Context<'a> {
    let known = job.and_then(|job| state.jobs.get(job));
    known.map_or_else(|| Context::of_service(state), |job| context_of(state, &job.spec, why))
}

/// The same about the job of a reservation.
fn context_of_reservation<'a>(state: &'a State, reservation: &ReservationNumber, why: &Why) -> Context<'a> {
    context(state, state.reservations.get(reservation).map(|it| &it.job), why)
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
fn told(state: &State, event: &Event) -> Option<(EventKind, String)> {
    Some(match event {
        Event::JobQueued { job, spec, .. } => (
            EventKind::JobQueued,
            format!("Job {job} ({}) was submitted by {}.", spec.request.name, spec.user),
        ),
        Event::JobReturned { job, why } => {
            let why = context(state, Some(job), why).why(why);
            (EventKind::JobReturned, format!("Job {job} is back in the queue. {why}"))
        }
        Event::JobEnded { job, end } => (EventKind::JobEnded, ended(state, *job, end)),
        Event::CycleOpened { cycle, batch, .. } => {
            (EventKind::CycleOpened, format!("Cycle {cycle} plans {} jobs.", batch.len()))
        }
        Event::CycleDecided { cycle, verdict } => {
            let proof = proof_view(verdict.proof).text;
            let left = verdict.unserved.len();
            let served = verdict.served;
            (
                EventKind::CycleDecided,
                format!("Cycle {cycle} serves {served} jobs and leaves out {left}; {proof}."),
            )
        }
        Event::CycleEnded(cycle) => (EventKind::CycleEnded, format!("Cycle {cycle} ended without a plan.")),
        Event::ReservationAsked { job, way, origin, .. } => {
            let sites: Vec<String> = way.legs.iter().map(|leg| site_name(state, leg.site)).collect();
            let from = match origin {
                Origin::Cycle(cycle) => format!("cycle {cycle} chose it"),
                Origin::Quote(quote) => format!("quote {quote} was accepted"),
                Origin::Spare => "a spare alternative takes the place of one that failed".to_owned(),
            };
            let (start, end) = (Stamp::from(way.start()), Stamp::from(way.finish()));
            let (sites, cost) = (sites.join(", "), way.cost());
            let text = format!(
                "Job {job} asks {sites} for a window from {start} to {end} for at most {cost} credits: {from}."
            );
            (EventKind::ReservationAsked, text)
        }
        Event::ReservationHeld(number) => {
            let job = state.reservations.get(number)?.job;
            (EventKind::ReservationHeld, format!("Job {job} has its window: every site has confirmed."))
        }
        Event::PartStarted { reservation, part, .. } => {
            (EventKind::PartStarted, format!("Part {part} of {} runs.", job_of(state, *reservation)))
        }
        Event::PartEnded { reservation, part, end, .. } => (
            EventKind::PartEnded,
            format!("Part {part} of {} {}.", job_of(state, *reservation), part_end_text(*end)),
        ),
        Event::Rescheduled { reservation, why, .. } => {
            let why = context_of_reservation(state, reservation, why).why(why);
            (
                EventKind::Rescheduled,
                format!("Tasks of {} got other times. {why}", job_of(state, *reservation)),
            )
        }
        Event::ReservationClosed { reservation, why: Some(why), .. } => {
            let why = context_of_reservation(state, reservation, why).why(why);
            (
                EventKind::ReservationClosed,
                format!("The window of {} is given up. {why}", job_of(state, *reservation)),
            )
        }
        Event::ReservationClosed { reservation, why: None, .. } => (
            EventKind::ReservationClosed,
            format!("The window of {} is settled.", job_of(state, *reservation)),
        ),
        other => return of_others(state, other),
    })
}

fn of_others(state: &State, event: &Event) -> Option<(EventKind, String)> {
    Some(match event {
        Event::QuoteGiven { quote, options, .. } => {
            (EventKind::QuoteGiven, format!("Quote {quote} has {} alternatives.", options.len()))
        }
        Event::QuoteBroken { quote, why, .. } => (
            EventKind::QuoteBroken,
            format!("Quote {quote} could not be honoured. {}", Context::of_service(state).why(why)),
        ),
        Event::NodeLost { node, .. } => {
            (EventKind::NodeLost, format!("Node {} failed.", place_name(state, *node)))
        }
        Event::NodeBack { node, .. } => {
            (EventKind::NodeBack, format!("Node {} is back.", place_name(state, *node)))
        }
        Event::NodeTaken { node, interval } => {
            let until = Stamp::from(interval.end());
            (EventKind::NodeTaken, format!("The owner uses node {} until {until}.", place_name(state, *node)))
        }
        Event::SiteLost { site, .. } => {
            (EventKind::SiteLost, format!("Site {} failed.", site_name(state, *site)))
        }
        Event::SiteBack { site, .. } => {
            (EventKind::SiteBack, format!("Site {} is back.", site_name(state, *site)))
        }
        Event::SiteAdded(spec) => (EventKind::SiteAdded, format!("Site {} has joined.", spec.name)),
        Event::PricesSet { site, .. } => {
            (EventKind::PricesSet, format!("Site {} has new prices.", site_name(state, *site)))
        }
        Event::PolicySet(_) => (EventKind::PolicySet, "The VO has new rules.".to_owned()),
        _ => return None,
    })
}

fn job_of(state: &State, reservation: ReservationNumber) -> String {
    state.reservations.get(&reservation).map_or_else(|| "a job".to_owned(), |it| format!("job {}", it.job))
}

fn ended(state: &State, job: JobNumber, end: &JobEnd) -> String {
    match end {
        JobEnd::Failed(why) | JobEnd::GivenUp(why) => context(state, Some(&job), why).job_end(job, end),
        JobEnd::Done | JobEnd::Cancelled => Context::of_service(state).job_end(job, end),
    }
}

/// How good a plan is.
pub fn proof_view(proof: Proof) -> ProofView {
    let (kind, gap, text) = match proof {
        Proof::Optimal => (ProofKind::Optimal, None, "proven best".to_owned()),
        Proof::Gap(millionths) => {
            let percent = format!("{}.{:04}", millionths / 10_000, millionths % 10_000);
            let gap = Num::of_millionths(i64::try_from(millionths).unwrap_or(i64::MAX));
            (ProofKind::Gap, Some(gap), format!("at most {percent}% from the best"))
        }
        Proof::Nothing => (ProofKind::Nothing, None, "there was nothing to choose from".to_owned()),
    };
    ProofView { kind, gap, text }
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
                let reason = reason(state, event);
                told.push(HappeningView { at: entry.at.into(), text, reason });
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
            Some(format!("Part {part} {}.", part_end_text(*end)))
        }
        Event::Rescheduled { reservation, why, .. } if own.contains(reservation) => {
            Some(format!("Tasks got other times. {}", context(state, Some(&job), why).why(why)))
        }
        Event::ReservationClosed { reservation, why, .. } if own.contains(reservation) => match why {
            Some(why) => {
                Some(format!("The window is given up. {}", context(state, Some(&job), why).why(why)))
            }
            None => Some("The window is settled.".to_owned()),
        },
        _ => None,
    }
}
