//! Jobs and quotes as the API shows them.

use super::why::{Purse, changes_of, reason_of, why_of_job};
use super::{node_name, site_name};
use std::collections::BTreeMap;
use walras_api::Num;
use walras_api::service::{JobState, JobView, OptionView, PartView, QuoteView, RankView, Stamp};
use walras_broker::State;
use walras_broker::id::{QuoteNumber, ReservationNumber};
use walras_broker::job::{Job, JobEnd, PartEnd, Phase};
use walras_broker::quote::QuoteOption;
use walras_broker::rank::{Ranked, ranked};
use walras_broker::state::{PartState, Quote, Reservation, ReservationPhase};
use walras_model::{Money, Time};

/// A job that has not ended.
pub fn job_view(state: &State, job: &Job, whole: bool) -> JobView {
    let reservation = match job.phase {
        Phase::Reserved(number) => state.reservations.get(&number),
        _ => None,
    };
    let mut view = plain(job, state_of(job, reservation));
    if let Phase::Reserved(number) = job.phase {
        view.reservation = Some(number.get());
    }
    view.held = Num::of_money(reservation.map_or(Money::ZERO, |it| it.lien));
    view.why =
        job.why.as_ref().filter(|_| reservation.is_none()).map(|why| why_of_job(state, &job.spec, why));
    if let Some(reservation) = reservation {
        place(&mut view, state, job, reservation, whole);
    }
    view
}

/// Where a job is that has not ended.
pub fn state_of_job(state: &State, job: &Job) -> JobState {
    let reservation = match job.phase {
        Phase::Reserved(number) => state.reservations.get(&number),
        _ => None,
    };
    state_of(job, reservation)
}

/// What is known of a job wherever it is.
fn plain(job: &Job, at: JobState) -> JobView {
    let request = &job.spec.request;
    let workflow = job.spec.workflow.as_ref();
    let tasks =
        workflow.map_or(request.tasks, |it| u32::try_from(it.workflow.tasks().len()).unwrap_or(u32::MAX));
    JobView {
        job: job.number.get(),
        name: request.name.clone(),
        user: job.spec.user.clone(),
        state: at,
        tasks,
        workflow: workflow.is_some(),
        queued_at: job.queued_at.into(),
        start: None,
        finish: None,
        deadline: request.deadline.map(Stamp::from),
        budget: request.budget.map(Num::of_money),
        held: Num::of_money(Money::ZERO),
        charged: Num::of_money(job.spent),
        sites: Vec::new(),
        reservation: None,
        attempts: job.attempts,
        why: None,
        parts: Vec::new(),
    }
}

fn state_of(job: &Job, reservation: Option<&Reservation>) -> JobState {
    let Some(reservation) = reservation else {
        return if job.phase == Phase::Planning { JobState::Planning } else { JobState::Queued };
    };
    match reservation.phase {
        ReservationPhase::Preparing(_) | ReservationPhase::Confirming(_) => JobState::Reserving,
        ReservationPhase::Held | ReservationPhase::Closing => {
            let begun =
                reservation.parts.iter().any(|part| !matches!(part, PartState::Waiting | PartState::Due));
            if begun { JobState::Running } else { JobState::Reserved }
        }
    }
}

/// Where and when it runs, from its reservation.
fn place(view: &mut JobView, state: &State, job: &Job, reservation: &Reservation, whole: bool) {
    let way = &reservation.way;
    let times =
        way.parts.iter().zip(&reservation.parts).map(|(part, at)| times_of(part.start, part.end, *at));
    let (starts, ends): (Vec<Time>, Vec<Time>) = times.unzip();
    view.start = starts.into_iter().min().map(Stamp::from);
    view.finish = ends.into_iter().max().map(Stamp::from);
    view.sites = way.legs.iter().map(|leg| site_name(state, leg.site)).collect();
    if whole {
        view.parts = parts(state, job, reservation);
    }
}

fn times_of(start: Time, end: Time, at: PartState) -> (Time, Time) {
    match at {
        PartState::Waiting | PartState::Due => (start, end),
        PartState::Running(since) => (since, end),
        PartState::Ended { since, at, .. } => (since, at),
    }
}

fn parts(state: &State, job: &Job, reservation: &Reservation) -> Vec<PartView> {
    let workflow = job.spec.workflow.as_ref().map(|it| &it.workflow);
    let all = reservation.way.parts.iter().zip(&reservation.parts).zip(0_u32..);
    all.map(|((part, at), place)| {
        let (start, end) = times_of(part.start, part.end, *at);
        let node = reservation.way.hold_of(part).and_then(|hold| hold.node);
        PartView {
            part: place,
            task: workflow.zip(part.task).map(|(workflow, task)| workflow.task(task).name.clone()),
            site: site_name(state, part.site),
            node: node.map(|node| node_name(state, node)),
            start: start.into(),
            end: end.into(),
            state: part_text(*at),
        }
    })
    .collect()
}

fn part_text(at: PartState) -> String {
    match at {
        PartState::Waiting => "waiting".to_owned(),
        PartState::Due => "due".to_owned(),
        PartState::Running(_) => "running".to_owned(),
        PartState::Ended { end, .. } => match end {
            PartEnd::Done => "done".to_owned(),
            PartEnd::Failed(code) => format!("failed with code {code}"),
            PartEnd::TimedOut => "timed-out".to_owned(),
            PartEnd::Lost => "lost".to_owned(),
            PartEnd::TakenBack => "taken-back".to_owned(),
        },
    }
}

/// A job that ends now. `last` is its reservation as it was before it closed.
pub fn ended_view(
    state: &State,
    job: &Job,
    end: &JobEnd,
    at: Time,
    last: Option<(ReservationNumber, &Reservation)>,
) -> JobView {
    let (how, why) = match end {
        JobEnd::Done => (JobState::Done, None),
        JobEnd::Failed(why) => (JobState::Failed, Some(why)),
        JobEnd::Cancelled => (JobState::Cancelled, None),
        JobEnd::GivenUp(why) => (JobState::GivenUp, Some(why)),
    };
    let mut view = plain(job, how);
    view.why = why.map(|why| why_of_job(state, &job.spec, why));
    if let Some((number, reservation)) = last {
        view.reservation = Some(number.get());
        place(&mut view, state, job, reservation, true);
    }
    let begun = view.parts.iter().any(|part| !matches!(part.state.as_str(), "waiting" | "due"));
    view.start = view.start.filter(|_| begun);
    view.finish = Some(at.into());
    view
}

/// A quote. `why` is there when it has no alternatives.
pub fn quote_view(state: &State, number: QuoteNumber, quote: &Quote) -> QuoteView {
    let why = quote.why.as_deref().map(|why| (why, Purse::of(state, &quote.spec, why)));
    let reasons = why.map(|(why, purse)| why.reasons.iter().map(|it| reason_of(it, purse)).collect());
    QuoteView {
        quote: number.get(),
        name: quote.spec.request.name.clone(),
        until: quote.until.into(),
        options: quote.options.iter().zip(0..).map(|(it, place)| option(state, it, place)).collect(),
        reasons: reasons.unwrap_or_default(),
        changes: why.map(|(why, purse)| changes_of(&why.smallest_change, purse)).unwrap_or_default(),
    }
}

fn option(state: &State, option: &QuoteOption, place: u32) -> OptionView {
    OptionView {
        option: place,
        start: option.start.into(),
        finish: option.finish.into(),
        price: Num::of_money(option.price),
        sites: option.sites.iter().map(|site| site_name(state, *site)).collect(),
        satisfaction: Num::of_millionths(option.satisfaction.as_millionths()),
        confidence: option.confidence.map(|it| Num::of_millionths(it.at_least.as_millionths())),
    }
}

/// A job's place in the queue, while it waits there.
pub fn rank_view(state: &State, job: &Job, now: Time) -> Option<RankView> {
    let order: Vec<Ranked> = match (&state.cycle, job.phase) {
        (Some(cycle), Phase::Planning) => cycle.batch.clone(),
        (_, Phase::Queued) => ranked(state, now),
        _ => return None,
    };
    let place = order.iter().position(|it| it.job == job.number)?;
    let Ranked { score, overdue, aspects, .. } = order.get(place)?;
    let named = [
        ("price", aspects.price),
        ("deadline", aspects.deadline),
        ("attempts", aspects.attempts),
        ("waiting", aspects.waiting),
        ("priority", aspects.priority),
        ("fair_share", aspects.fair_share),
    ];
    Some(RankView {
        place: u32::try_from(place + 1).unwrap_or(u32::MAX),
        of: u32::try_from(order.len()).unwrap_or(u32::MAX),
        score: *score,
        overdue: *overdue,
        aspects: named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<BTreeMap<_, _>>(),
    })
}
