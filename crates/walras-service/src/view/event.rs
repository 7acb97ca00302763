//! What happened, as it is told to listeners and in a job's history: one line each.

#![deny(
    clippy::wildcard_enum_match_arm,
    reason = "a new event must not compile until it is clear what people are told of it"
)]

use super::{context_of, place_name, site_name};
use std::collections::BTreeSet;
use walras_api::Num;
use walras_api::sentence::{Context, part_end_text};
use walras_api::service::{EventKind, EventView, HappeningView, ProofKind, ProofView, Stamp, WhyView};
use walras_broker::allocation::Allocation;
use walras_broker::decision::Proof;
use walras_broker::event::{CycleEvent, JobEvent, QuoteEvent, ReservationEvent, SiteEvent, VoEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::{JobEnd, Why};
use walras_broker::journal::Entry;
use walras_broker::reservation::Origin;
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
            Event::Cycle(CycleEvent::Opened { batch, .. }) => {
                Some(u32::try_from(batch.len()).unwrap_or(u32::MAX))
            }
            Event::Cycle(CycleEvent::Decided { verdict, .. }) => Some(verdict.served),
            Event::Cycle(_)
            | Event::Vo(_)
            | Event::Site(_)
            | Event::Job(_)
            | Event::Quote(_)
            | Event::Reservation(_) => None,
        },
    })
}

/// The reason that an event gives, for programs.
fn reason(state: &State, event: &Event) -> Option<WhyView> {
    let (why, job) = match event {
        Event::Job(JobEvent::Returned { job, why }) => (why, Some(job)),
        Event::Job(JobEvent::Ended { job, end: JobEnd::Failed(why) | JobEnd::GivenUp(why) }) => {
            (why, Some(job))
        }
        Event::Reservation(
            ReservationEvent::Rescheduled { why, .. } | ReservationEvent::Closed { why: Some(why), .. },
        )
        | Event::Quote(QuoteEvent::Broken { why, .. }) => (why, None),
        Event::Job(_)
        | Event::Reservation(_)
        | Event::Quote(_)
        | Event::Vo(_)
        | Event::Site(_)
        | Event::Cycle(_) => return None,
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
    let at_site = |site: &SiteId| About { site: Some(*site), ..NOBODY };
    let by_user = |user: &str| About { user: Some(user.to_owned()), ..NOBODY };
    match event {
        Event::Job(JobEvent::Queued { job, spec, .. }) => {
            About { job: Some(*job), user: Some(spec.user.clone()), site: None }
        }
        Event::Job(JobEvent::Returned { job, .. } | JobEvent::Ended { job, .. })
        | Event::Reservation(ReservationEvent::Asked { job, .. }) => of_job(job),
        Event::Reservation(
            ReservationEvent::Confirming { reservation, .. }
            | ReservationEvent::PartsDue { reservation, .. }
            | ReservationEvent::PartStarted { reservation, .. }
            | ReservationEvent::PartEnded { reservation, .. }
            | ReservationEvent::Rescheduled { reservation, .. }
            | ReservationEvent::Closed { reservation, .. }
            | ReservationEvent::Held(reservation),
        ) => of_reservation(reservation),
        Event::Reservation(
            ReservationEvent::LegPrepared { reservation, site }
            | ReservationEvent::LegConfirmed { reservation, site }
            | ReservationEvent::LegReleased { reservation, site },
        ) => About { site: Some(*site), ..of_reservation(reservation) },
        Event::Quote(QuoteEvent::Given { key, .. } | QuoteEvent::Broken { key, .. }) => by_user(&key.by),
        Event::Site(
            SiteEvent::PricesSet { site, .. } | SiteEvent::Lost { site, .. } | SiteEvent::Back { site, .. },
        )
        | Event::Cycle(CycleEvent::OffersReceived { site, .. }) => at_site(site),
        Event::Site(
            SiteEvent::NodeLost { node, .. }
            | SiteEvent::NodeBack { node, .. }
            | SiteEvent::NodeTaken { node, .. },
        ) => About { site: state.node(*node).map(|node| node.site), ..NOBODY },
        Event::Vo(_)
        | Event::Site(SiteEvent::Added(_))
        | Event::Job(JobEvent::Noticed(_))
        | Event::Quote(QuoteEvent::Accepted { .. } | QuoteEvent::Expired(_))
        | Event::Cycle(
            CycleEvent::Opened { .. }
            | CycleEvent::Closed { .. }
            | CycleEvent::Decided { .. }
            | CycleEvent::Ended(_),
        ) => NOBODY,
    }
}

/// Its kind, and a sentence; `None` for what is of no interest to listeners.
fn told(state: &State, event: &Event) -> Option<(EventKind, String)> {
    match event {
        Event::Vo(event) => of_vo(event),
        Event::Site(event) => Some(of_site(state, event)),
        Event::Job(event) => of_job_event(state, event),
        Event::Quote(event) => of_quote(state, event),
        Event::Cycle(event) => of_cycle(event),
        Event::Reservation(event) => of_reservation(state, event),
    }
}

fn of_vo(event: &VoEvent) -> Option<(EventKind, String)> {
    match event {
        VoEvent::PolicySet(_) => Some((EventKind::PolicySet, "The VO has new rules.".to_owned())),
        VoEvent::UserSet(_) | VoEvent::BudgetSet { .. } | VoEvent::Deposited { .. } => None,
    }
}

fn of_site(state: &State, event: &SiteEvent) -> (EventKind, String) {
    match event {
        SiteEvent::Added(spec) => (EventKind::SiteAdded, format!("Site {} has joined.", spec.name)),
        SiteEvent::PricesSet { site, .. } => {
            (EventKind::PricesSet, format!("Site {} has new prices.", site_name(state, *site)))
        }
        SiteEvent::NodeLost { node, .. } => {
            (EventKind::NodeLost, format!("Node {} failed.", place_name(state, *node)))
        }
        SiteEvent::NodeBack { node, .. } => {
            (EventKind::NodeBack, format!("Node {} is back.", place_name(state, *node)))
        }
        SiteEvent::NodeTaken { node, interval } => {
            let until = Stamp::from(interval.end());
            (EventKind::NodeTaken, format!("The owner uses node {} until {until}.", place_name(state, *node)))
        }
        SiteEvent::Lost { site, .. } => {
            (EventKind::SiteLost, format!("Site {} failed.", site_name(state, *site)))
        }
        SiteEvent::Back { site, .. } => {
            (EventKind::SiteBack, format!("Site {} is back.", site_name(state, *site)))
        }
    }
}

fn of_job_event(state: &State, event: &JobEvent) -> Option<(EventKind, String)> {
    match event {
        JobEvent::Queued { job, spec, .. } => {
            let text = format!("Job {job} ({}) was submitted by {}.", spec.request.name, spec.user);
            Some((EventKind::JobQueued, text))
        }
        JobEvent::Returned { job, why } => {
            let why = context(state, Some(job), why).why(why);
            Some((EventKind::JobReturned, format!("Job {job} is back in the queue. {why}")))
        }
        JobEvent::Ended { job, end } => Some((EventKind::JobEnded, ended(state, *job, end))),
        JobEvent::Noticed(_) => None,
    }
}

fn of_quote(state: &State, event: &QuoteEvent) -> Option<(EventKind, String)> {
    match event {
        QuoteEvent::Given { quote, options, .. } => {
            Some((EventKind::QuoteGiven, format!("Quote {quote} has {} alternatives.", options.len())))
        }
        QuoteEvent::Broken { quote, why, .. } => {
            let why = Context::of_service(state).why(why);
            Some((EventKind::QuoteBroken, format!("Quote {quote} could not be honoured. {why}")))
        }
        QuoteEvent::Accepted { .. } | QuoteEvent::Expired(_) => None,
    }
}

fn of_cycle(event: &CycleEvent) -> Option<(EventKind, String)> {
    match event {
        CycleEvent::Opened { cycle, batch, .. } => {
            Some((EventKind::CycleOpened, format!("Cycle {cycle} plans {} jobs.", batch.len())))
        }
        CycleEvent::Decided { cycle, verdict } => {
            let (served, left, proof) =
                (verdict.served, verdict.unserved.len(), proof_view(verdict.proof).text);
            let text = format!("Cycle {cycle} serves {served} jobs and leaves out {left}; {proof}.");
            Some((EventKind::CycleDecided, text))
        }
        CycleEvent::Ended(cycle) => {
            Some((EventKind::CycleEnded, format!("Cycle {cycle} ended without a plan.")))
        }
        CycleEvent::OffersReceived { .. } | CycleEvent::Closed { .. } => None,
    }
}

fn of_reservation(state: &State, event: &ReservationEvent) -> Option<(EventKind, String)> {
    let of = |reservation: &ReservationNumber| job_of(state, *reservation);
    match event {
        ReservationEvent::Asked { job, allocation, origin, .. } => {
            Some((EventKind::ReservationAsked, asked(state, *job, allocation, *origin)))
        }
        ReservationEvent::Held(number) => {
            let job = state.reservations.get(number)?.job;
            let text = format!("Job {job} has its window: every site has confirmed.");
            Some((EventKind::ReservationHeld, text))
        }
        ReservationEvent::PartStarted { reservation, part, .. } => {
            Some((EventKind::PartStarted, format!("Part {part} of {} runs.", of(reservation))))
        }
        ReservationEvent::PartEnded { reservation, part, end, .. } => {
            let text = format!("Part {part} of {} {}.", of(reservation), part_end_text(*end));
            Some((EventKind::PartEnded, text))
        }
        ReservationEvent::Rescheduled { reservation, why, .. } => {
            let why = context_of_reservation(state, reservation, why).why(why);
            Some((EventKind::Rescheduled, format!("Tasks of {} got other times. {why}", of(reservation))))
        }
        ReservationEvent::Closed { reservation, why: Some(why), .. } => {
            let why = context_of_reservation(state, reservation, why).why(why);
            Some((
                EventKind::ReservationClosed,
                format!("The window of {} is given up. {why}", of(reservation)),
            ))
        }
        ReservationEvent::Closed { reservation, why: None, .. } => {
            Some((EventKind::ReservationClosed, format!("The window of {} is settled.", of(reservation))))
        }
        ReservationEvent::LegPrepared { .. }
        | ReservationEvent::Confirming { .. }
        | ReservationEvent::LegConfirmed { .. }
        | ReservationEvent::PartsDue { .. }
        | ReservationEvent::LegReleased { .. } => None,
    }
}

fn asked(state: &State, job: JobNumber, allocation: &Allocation, origin: Origin) -> String {
    let sites: Vec<String> = allocation.legs.iter().map(|leg| site_name(state, leg.site)).collect();
    let from = match origin {
        Origin::Cycle(cycle) => format!("cycle {cycle} chose it"),
        Origin::Quote(quote) => format!("quote {quote} was accepted"),
        Origin::Spare => "a spare alternative takes the place of one that failed".to_owned(),
    };
    let (start, end) = (Stamp::from(allocation.start()), Stamp::from(allocation.finish()));
    let (sites, cost) = (sites.join(", "), allocation.cost());
    format!("Job {job} asks {sites} for a window from {start} to {end} for at most {cost} credits: {from}.")
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
            let gap = Num::of_millionths(millionths);
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
            if let Event::Reservation(ReservationEvent::Asked { reservation, job: of, .. }) = event
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
        Event::Job(
            JobEvent::Queued { job: of, .. }
            | JobEvent::Returned { job: of, .. }
            | JobEvent::Ended { job: of, .. },
        )
        | Event::Reservation(ReservationEvent::Asked { job: of, .. }) => {
            let (_, text) = told(state, event).filter(|_| *of == job)?;
            Some(text)
        }
        Event::Reservation(event) => of_own(state, own, event),
        Event::Job(JobEvent::Noticed(_))
        | Event::Vo(_)
        | Event::Site(_)
        | Event::Quote(_)
        | Event::Cycle(_) => None,
    }
}

/// An event of one of its reservations.
fn of_own(state: &State, own: &BTreeSet<ReservationNumber>, event: &ReservationEvent) -> Option<String> {
    let (of, text) = match event {
        ReservationEvent::Held(of) => (of, "Every site has confirmed: it has its window.".to_owned()),
        ReservationEvent::PartStarted { reservation, part, .. } => {
            (reservation, format!("Part {part} runs."))
        }
        ReservationEvent::PartEnded { reservation, part, end, .. } => {
            (reservation, format!("Part {part} {}.", part_end_text(*end)))
        }
        ReservationEvent::Rescheduled { reservation, why, .. } => {
            let why = context_of_reservation(state, reservation, why).why(why);
            (reservation, format!("Tasks got other times. {why}"))
        }
        ReservationEvent::Closed { reservation, why, .. } => {
            let text = match why {
                Some(why) => {
                    let why = context_of_reservation(state, reservation, why).why(why);
                    format!("The window is given up. {why}")
                }
                None => "The window is settled.".to_owned(),
            };
            (reservation, text)
        }
        ReservationEvent::Asked { .. }
        | ReservationEvent::LegPrepared { .. }
        | ReservationEvent::Confirming { .. }
        | ReservationEvent::LegConfirmed { .. }
        | ReservationEvent::PartsDue { .. }
        | ReservationEvent::LegReleased { .. } => return None,
    };
    own.contains(of).then_some(text)
}
