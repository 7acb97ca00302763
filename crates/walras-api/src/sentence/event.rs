//! What happened, as listeners and a job's history are told: one line an event.

#![deny(
    clippy::wildcard_enum_match_arm,
    reason = "a new event must not compile until it is clear what people are told of it"
)]

use super::assigned::assigned_view;
use super::clearing::bound_view;
use super::files::files_text;
use super::parts::{part_of, tasks_of_parts};
use super::planned::Window;
use super::{Context, best_of_listed_text, counted, credits, part_ended_text};
use crate::number::Num;
use crate::service::{EventKind, ProofKind, ProofView, Stamp};
use std::collections::BTreeMap;
use walras_broker::allocation::Allocation;
use walras_broker::decision::{Proof, Rivals};
use walras_broker::event::{CycleEvent, JobEvent, QuoteEvent, ReservationEvent, SiteEvent, VoEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::{JobEnd, JobSpec, Why};
use walras_broker::ranks::Ranks;
use walras_broker::reservation::Origin;
use walras_broker::{Event, State};
use walras_model::{Interval, NodeId, Time};

/// So many nodes are named in a sentence.
const NAMED_MAX: usize = 5;

/// For sentences about a job that may be known.
pub fn context_of_event<'a>(state: &'a State, job: Option<&JobNumber>, why: &Why) -> Context<'a> {
    let known = job.and_then(|job| state.jobs.get(job));
    known.map_or_else(|| Context::of_service(state), |job| Context::of_job(state, &job.spec, why))
}

/// The same about the job of a reservation.
fn context_of_reservation<'a>(state: &'a State, reservation: &ReservationNumber, why: &Why) -> Context<'a> {
    context_of_event(state, state.reservations.get(reservation).map(|it| &it.job), why)
}

/// Its kind, and a sentence, of what happens at a moment; `None` for what is of no interest to listeners.
pub fn event_text(state: &State, at: Time, event: &Event) -> Option<(EventKind, String)> {
    match event {
        Event::Vo(event) => of_vo(event),
        Event::Site(event) => Some(of_site(state, event)),
        Event::Job(event) => of_job_event(state, at, event),
        Event::Quote(event) => of_quote(state, event),
        Event::Cycle(event) => of_cycle(event),
        Event::Reservation(event) => of_reservation(state, event),
    }
}

fn of_vo(event: &VoEvent) -> Option<(EventKind, String)> {
    match event {
        VoEvent::PolicySet(_) => Some((EventKind::PolicySet, "The VO has new rules.".to_owned())),
        VoEvent::UserSet(_)
        | VoEvent::BudgetSet { .. }
        | VoEvent::WishSet { .. }
        | VoEvent::Deposited { .. }
        | VoEvent::ServiceBack => None,
    }
}

fn of_site(state: &State, event: &SiteEvent) -> (EventKind, String) {
    let context = Context::of_service(state);
    match event {
        SiteEvent::Added(spec) => (EventKind::SiteAdded, format!("Site {} has joined.", spec.name)),
        SiteEvent::PricesSet { site, .. } => {
            (EventKind::PricesSet, format!("Site {} has new prices.", context.site(*site)))
        }
        SiteEvent::TermsSet { site, .. } => {
            (EventKind::SiteChanged, format!("Site {} has new terms.", context.site(*site)))
        }
        SiteEvent::Leaving(site) => {
            (EventKind::SiteLeaving, format!("Site {} leaves: it sells nothing new.", context.site(*site)))
        }
        SiteEvent::Stays(site) => {
            (EventKind::SiteStays, format!("Site {} stays, and sells again.", context.site(*site)))
        }
        SiteEvent::NodeLost { node, .. } => {
            (EventKind::NodeLost, format!("Node {} failed.", context.node(*node)))
        }
        SiteEvent::NodeDown { node, .. } => {
            (EventKind::NodeDown, format!("Node {} does not answer.", context.node(*node)))
        }
        SiteEvent::NodeBack { node, .. } => {
            (EventKind::NodeBack, format!("Node {} is back.", context.node(*node)))
        }
        SiteEvent::NodesAdded { site, nodes, .. } => {
            let names: Vec<&str> = nodes.iter().take(NAMED_MAX).map(|node| node.name.as_str()).collect();
            let more = match nodes.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names = names.join(", ");
            (EventKind::NodesAdded, format!("Site {} has more nodes: {names}{more}.", context.site(*site)))
        }
        SiteEvent::NodeGone { node, .. } => {
            (EventKind::NodeGone, format!("Node {} is gone.", context.node(*node)))
        }
        SiteEvent::NodeTaken { node, interval } => {
            let until = Stamp::from(interval.end());
            (EventKind::NodeTaken, format!("The owner uses node {} until {until}.", context.node(*node)))
        }
        SiteEvent::NodeDrained { node, interval } => {
            (EventKind::NodeDrained, drained(&context, *node, *interval))
        }
        SiteEvent::NodeResumed { node } => {
            (EventKind::NodeResumed, format!("Node {} is sold again.", context.node(*node)))
        }
        SiteEvent::Lost { site, .. } => {
            (EventKind::SiteLost, format!("Site {} failed.", context.site(*site)))
        }
        SiteEvent::Back { site, .. } => {
            (EventKind::SiteBack, format!("Site {} is back.", context.site(*site)))
        }
    }
}

fn drained(context: &Context<'_>, node: NodeId, interval: Interval) -> String {
    let (node, from) = (context.node(node), Stamp::from(interval.start()));
    match interval.end() {
        Time::MAX => format!("Nothing new is sold of node {node} from {from} on."),
        until => format!("Nothing new is sold of node {node} from {from} until {}.", Stamp::from(until)),
    }
}

fn of_job_event(state: &State, at: Time, event: &JobEvent) -> Option<(EventKind, String)> {
    match event {
        JobEvent::Queued { job, spec, .. } => {
            let text = format!("Job {job} ({}) was submitted by {}.", spec.request.name, spec.user);
            Some((EventKind::JobQueued, text))
        }
        JobEvent::Returned { job, why } => Some((EventKind::JobReturned, returned(state, *job, why))),
        JobEvent::Planned { job, plan, promise, renewed } => {
            let known = state.jobs.get(job);
            let spec = known.map(|job| &*job.spec);
            let window = Window { job: *job, spec, plan, promise, renewed: *renewed };
            let before = known.and_then(|job| job.told.as_ref());
            window.news(state, at, before).map(|(text, _)| (EventKind::JobPlanned, text))
        }
        JobEvent::Freed(job) => {
            let text = format!("Job {job} is in the queue: all that it waited for has happened.");
            Some((EventKind::JobFreed, text))
        }
        JobEvent::Released(job) => {
            Some((EventKind::JobReleased, format!("Job {job} was let go by its user.")))
        }
        JobEvent::Ended { job, end } => Some((EventKind::JobEnded, ended_text(state, *job, end, &[]))),
        // The quote says what is held for it.
        JobEvent::Offered { .. } | JobEvent::Withdrawn(_) | JobEvent::Noticed(_) => None,
        // Whatever becomes of an element is told of it.
        JobEvent::Drawn { .. } => None,
        JobEvent::Cut { array, elements, end, .. } if !elements.is_empty() => {
            Some((EventKind::ElementsCut, cut(state, *array, elements, end)))
        }
        JobEvent::Cut { .. } => None,
    }
}

/// A job waits for a window again; what it was promised may not be kept then.
fn returned(state: &State, job: JobNumber, why: &Why) -> String {
    let promise = state.jobs.get(&job).and_then(|job| job.promise);
    let why = context_of_event(state, Some(&job), why).why(why);
    let job = state.which(job);
    promise.map_or_else(
        || format!("Job {job} is back in the queue. {why}"),
        |it| {
            format!(
                "Job {job} has no window now, and may not start by {} as promised. {why}",
                Stamp::from(it.start)
            )
        },
    )
}

fn of_quote(state: &State, event: &QuoteEvent) -> Option<(EventKind, String)> {
    match event {
        QuoteEvent::Given { quote, options, holds, .. } => {
            let held = if holds.is_empty() { "" } else { ", which sites are asked to hold" };
            let text = format!("Quote {quote} has {} alternatives{held}.", options.len());
            Some((EventKind::QuoteGiven, text))
        }
        QuoteEvent::ChainGiven { quote, members, .. } => {
            let text = format!("Quote {quote} is for a chain of {} jobs.", members.len());
            Some((EventKind::QuoteGiven, text))
        }
        QuoteEvent::Broken { quote, why, .. } => {
            let why = Context::of_service(state).why(why);
            Some((EventKind::QuoteBroken, format!("Quote {quote} could not be honoured. {why}")))
        }
        QuoteEvent::Accepted { .. } | QuoteEvent::ChainAccepted { .. } | QuoteEvent::Expired(_) => None,
    }
}

fn of_cycle(event: &CycleEvent) -> Option<(EventKind, String)> {
    match event {
        CycleEvent::Opened { cycle, batch, .. } => {
            let jobs = counted(batch.len() as u64, "job");
            Some((EventKind::CycleOpened, format!("Cycle {cycle} plans {jobs}.")))
        }
        CycleEvent::Decided { cycle, verdict } => {
            let (served, left) = (verdict.served, verdict.unserved.len());
            let proof = proof_view(verdict.proof, verdict.rivals, served).text;
            let bound = verdict.bound.as_ref();
            let bound = bound.map_or_else(String::new, |bound| format!("; {}", bound_view(bound, None).text));
            let served = counted(served, "job");
            let mut text = format!("Cycle {cycle} serves {served} and leaves out {left}; {proof}{bound}.");
            if let Some(round) = &verdict.assigned {
                text += &format!(" {}.", assigned_view(round).text);
            }
            if let faults @ 1.. = verdict.faults.len() {
                text +=
                    &format!(" Schedules of {faults} workflows did not hold; others stand in their place.");
            }
            Some((EventKind::CycleDecided, text))
        }
        CycleEvent::Ended(cycle) => {
            Some((EventKind::CycleEnded, format!("Cycle {cycle} ended without a plan.")))
        }
        CycleEvent::OffersReceived { .. }
        | CycleEvent::OffersChanged { .. }
        | CycleEvent::Closed { .. }
        | CycleEvent::Bounded { .. } => None,
    }
}

fn of_reservation(state: &State, event: &ReservationEvent) -> Option<(EventKind, String)> {
    let of = |reservation: &ReservationNumber| job_of(state, *reservation);
    match event {
        ReservationEvent::Asked { job, allocation, origin, .. } => {
            Some((EventKind::ReservationAsked, asked(state, *job, allocation, *origin)))
        }
        ReservationEvent::Held(number) => {
            let job = state.which(state.reservations.get(number)?.job);
            let text = format!("Job {job} has its window: every site has confirmed.");
            Some((EventKind::ReservationHeld, text))
        }
        ReservationEvent::PartStarted { reservation, part, .. } => {
            let part = part_of(state, reservation, *part);
            Some((EventKind::PartStarted, format!("{part} of {} runs.", of(reservation))))
        }
        ReservationEvent::PartEnded { reservation, part, end, used, .. } => {
            let (part, how) = (part_of(state, reservation, *part), part_ended_text(*end, *used));
            Some((EventKind::PartEnded, format!("{part} of {} {how}.", of(reservation))))
        }
        ReservationEvent::Files { reservation, task, to, step } => {
            Some((EventKind::Files, files_text(state, None, *reservation, *task, *to, step)))
        }
        ReservationEvent::Rescheduled { reservation, why, .. } => {
            let parts = tasks_of_parts(state, reservation);
            let why = context_of_reservation(state, reservation, why).with_parts(&parts).why(why);
            Some((EventKind::Rescheduled, format!("Tasks of {} got other times. {why}", of(reservation))))
        }
        ReservationEvent::Closed { reservation, why: Some(why), .. } => {
            let parts = tasks_of_parts(state, reservation);
            let why = context_of_reservation(state, reservation, why).with_parts(&parts).why(why);
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
        | ReservationEvent::LegReady { .. }
        | ReservationEvent::PartsDue { .. }
        | ReservationEvent::LegReleased { .. } => None,
    }
}

fn asked(state: &State, job: JobNumber, allocation: &Allocation, origin: Origin) -> String {
    let context = Context::of_service(state);
    let sites: Vec<String> = allocation.legs.iter().map(|leg| context.site(leg.site)).collect();
    let from = match origin {
        Origin::Cycle(cycle) => format!("cycle {cycle} chose it"),
        Origin::Quote(quote) => format!("quote {quote} was accepted"),
        Origin::Offered(quote) => format!("it is held for quote {quote}"),
        Origin::Plan => "it was planned, and starts soon".to_owned(),
        Origin::Spare => "a spare alternative takes the place of one that failed".to_owned(),
    };
    let (start, end) = (Stamp::from(allocation.start()), Stamp::from(allocation.finish()));
    let (sites, cost) = (sites.join(", "), credits(allocation.cost()));
    let job = state.which(job);
    format!("Job {job} asks {sites} for a window from {start} to {end} for at most {cost}: {from}.")
}

fn job_of(state: &State, reservation: ReservationNumber) -> String {
    state
        .reservations
        .get(&reservation)
        .map_or_else(|| "a job".to_owned(), |it| format!("job {}", state.which(it.job)))
}

/// How a job ended of which the parts, by number, are of these tasks.
pub fn ended_text(state: &State, job: JobNumber, end: &JobEnd, parts: &[Option<String>]) -> String {
    match end {
        JobEnd::Failed(why) | JobEnd::GivenUp(why) => {
            let context = context_of_event(state, Some(&job), why);
            context.with_parts(parts).job_end(state.which(job), end)
        }
        JobEnd::Done | JobEnd::Cancelled => Context::of_service(state).job_end(state.which(job), end),
    }
}

/// Elements that end without ever having been jobs.
fn cut(state: &State, array: JobNumber, elements: &Ranks, end: &JobEnd) -> String {
    /// So many ranges are named.
    const NAMED: usize = 6;
    let known = state.arrays.get(&array).map(|it| it.indices.text_of(elements.ranges(), NAMED));
    let which = known.map_or_else(|| array.to_string(), |named| format!("{array}_[{named}]"));
    Context::of_service(state).job_end(which, end)
}

/// How good a plan is that serves so many, and of what.
///
/// ```
/// use walras_api::sentence::proof_view;
/// use walras_broker::decision::Proof;
/// assert_eq!(proof_view(Proof::Nothing, None, 0).text, "there was nothing to choose from");
/// assert_eq!(proof_view(Proof::Nothing, None, 2).text, "each in the best window that was left when its turn came");
/// ```
pub fn proof_view(proof: Proof, rivals: Option<Rivals>, served: u32) -> ProofView {
    let best = match rivals {
        None => best_of_listed_text(None),
        Some(Rivals::Listed(1)) => "best of the 1 alternative that was listed".to_owned(),
        Some(Rivals::Listed(count)) => format!("best of the {count} alternatives that were listed"),
        Some(Rivals::AllWindows) => "best of any plan for these jobs".to_owned(),
    };
    let listed = match rivals {
        Some(Rivals::Listed(count)) => Some(count),
        None | Some(Rivals::AllWindows) => None,
    };
    let (kind, gap, text) = match proof {
        Proof::Optimal => (ProofKind::Optimal, None, best),
        Proof::Gap(millionths) => {
            let percent = format!("{}.{:04}", millionths / 10_000, millionths % 10_000);
            let gap = Num::of_millionths(millionths);
            (ProofKind::Gap, Some(gap), format!("at most {percent}% from the {best}"))
        }
        Proof::Nothing => {
            let text = match served {
                0 => "there was nothing to choose from",
                _ => "each in the best window that was left when its turn came",
            };
            (ProofKind::Nothing, None, text.to_owned())
        }
    };
    ProofView { kind, gap, listed, text }
}

/// The same in the words of one job's history, where it is about one of these reservations, each with the names of its parts' tasks; what opens
/// a reservation is told by [`event_text`].
pub fn own_event_text(
    state: &State,
    event: &ReservationEvent,
    spec: Option<&JobSpec>,
    own: &BTreeMap<ReservationNumber, Vec<Option<String>>>,
) -> Option<String> {
    let part_of = |of: &ReservationNumber, part: u32| {
        Some(Context::of_service(state).with_parts(own.get(of)?).part(part))
    };
    let why_of = |of: &ReservationNumber, why: &Why| {
        Some(context_of_reservation(state, of, why).with_parts(own.get(of)?).why(why))
    };
    let text = match event {
        ReservationEvent::Held(of) => {
            own.contains_key(of).then(|| "Every site has confirmed: it has its window.".to_owned())?
        }
        ReservationEvent::PartStarted { reservation, part, .. } => {
            format!("{} runs.", part_of(reservation, *part)?)
        }
        ReservationEvent::PartEnded { reservation, part, end, used, .. } => {
            format!("{} {}.", part_of(reservation, *part)?, part_ended_text(*end, *used))
        }
        ReservationEvent::Files { reservation, task, to, step } => {
            own.contains_key(reservation).then(|| files_text(state, spec, *reservation, *task, *to, step))?
        }
        ReservationEvent::Rescheduled { reservation, why, .. } => {
            format!("Tasks got other times. {}", why_of(reservation, why)?)
        }
        ReservationEvent::Closed { reservation, why: Some(why), .. } => {
            format!("The window is given up. {}", why_of(reservation, why)?)
        }
        ReservationEvent::Closed { reservation, why: None, .. } => {
            own.contains_key(reservation).then(|| "The window is settled.".to_owned())?
        }
        ReservationEvent::Asked { .. }
        | ReservationEvent::LegPrepared { .. }
        | ReservationEvent::Confirming { .. }
        | ReservationEvent::LegConfirmed { .. }
        | ReservationEvent::LegReady { .. }
        | ReservationEvent::PartsDue { .. }
        | ReservationEvent::LegReleased { .. } => return None,
    };
    Some(text)
}
