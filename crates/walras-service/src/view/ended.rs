//! Jobs that have ended: what the register keeps of them, and what is shown of that.

use super::array;
use super::job::{part_records, part_view, tasks_of};
use super::site_name;
use super::unsold::whole_work;
use crate::journal::record::{Record, v1};
use std::collections::BTreeMap;
use walras_api::Num;
use walras_api::sentence::{Context, MoneyLimit};
use walras_api::service::{JobState, JobView, Stamp};
use walras_broker::State;
use walras_broker::array::{Array, ArrayCounts};
use walras_broker::gate::Which;
use walras_broker::id::ReservationNumber;
use walras_broker::job::{Job, JobEnd, Why};
use walras_broker::reservation::{PartState, Reservation};
use walras_model::{Money, Span, Time};

/// What the register keeps of a job that ends now. `last` is its reservation as it was before it closed.
pub fn ended_record(
    state: &State,
    job: &Job,
    end: &JobEnd,
    at: Time,
    last: Option<(ReservationNumber, &Reservation)>,
) -> v1::Ended {
    let request = &job.spec.request;
    let parts = last.map(|(_, it)| part_records(job, it)).unwrap_or_default();
    let begun = parts.iter().any(|part| !matches!(part.stage, v1::Stage::Waiting | v1::Stage::Due));
    v1::Ended {
        number: job.number,
        name: request.name.clone(),
        user: job.spec.user.clone(),
        tasks: tasks_of(&job.spec),
        workflow: job.spec.workflow.is_some(),
        queued_at: job.queued_at,
        start: parts.iter().map(|part| part.start).min().filter(|_| begun),
        ended_at: at,
        deadline: request.deadline,
        budget: request.budget,
        spent: job.spent,
        attempts: job.attempts,
        reservation: last.map(|(number, _)| number),
        sites: last.map(|(_, it)| it.legs.iter().map(|leg| leg.site).collect()).unwrap_or_default(),
        reserved: last.and_then(|(_, it)| reserved(it)),
        parts,
        limit: reason_of(end).map(|why| MoneyLimit::of_why(state, &job.spec, why)).unwrap_or_default(),
        end: end.clone(),
        element: job.element,
        array: None,
        work: whole_work(job.spec.work_millis()),
        outputs: job.spec.particulars.outputs.clone(),
    }
}

/// For how long nodes are reserved for the parts that have begun.
fn reserved(reservation: &Reservation) -> Option<Span> {
    let begun =
        reservation.parts.iter().filter(|part| !matches!(part.state, PartState::Waiting | PartState::Due));
    let spans: Option<Vec<i64>> =
        begun.map(|part| part.plan.end.span_since(part.plan.start).map(Span::as_millis)).collect();
    spans.filter(|spans| !spans.is_empty()).and_then(|spans| Span::from_millis(spans.iter().sum()))
}

/// The same of an array.
pub fn ended_array(array: &Array, end: &JobEnd, at: Time) -> v1::Ended {
    let (request, took) = (&array.spec.request, &array.took);
    v1::Ended {
        number: array.number,
        name: request.name.clone(),
        user: array.spec.user.clone(),
        tasks: tasks_of(&array.spec),
        workflow: array.spec.workflow.is_some(),
        queued_at: array.queued_at,
        start: took.start,
        ended_at: at,
        deadline: request.deadline,
        budget: request.budget,
        spent: array.spent,
        attempts: 0,
        reservation: None,
        sites: took.sites.iter().copied().collect(),
        parts: Vec::new(),
        reserved: took.reserved,
        limit: MoneyLimit::default(),
        end: end.clone(),
        element: None,
        array: Some(v1::Array {
            indices: array.indices.clone(),
            counts: array.counts,
            took: Some(took.clone()),
        }),
        // Elements are jobs of their own.
        work: None,
        outputs: array.spec.particulars.outputs.clone(),
    }
}

fn reason_of(end: &JobEnd) -> Option<&Why> {
    match end {
        JobEnd::Failed(why) | JobEnd::GivenUp(why) => Some(why),
        JobEnd::Done | JobEnd::Cancelled => None,
    }
}

/// How a job has ended, as a state.
pub fn state_of_end(end: &JobEnd) -> JobState {
    match end {
        JobEnd::Done => JobState::Done,
        JobEnd::Failed(_) => JobState::Failed,
        JobEnd::Cancelled => JobState::Cancelled,
        JobEnd::GivenUp(_) => JobState::GivenUp,
    }
}

/// A job that has ended, from what the register keeps of it. Names are those of today.
pub fn ended_view(state: &State, record: &Record, whole: bool) -> JobView {
    let Record::V1(job) = record;
    let named: Vec<Option<String>> = job.parts.iter().map(|part| part.task.clone()).collect();
    let context = Context::of_service(state).limited(job.limit).with_parts(&named);
    let why = reason_of(&job.end);
    let parts = if whole { job.parts.as_slice() } else { &[] };
    let which = job.element.map(|of| Which { job: of.array, element: Some(of.index) });
    JobView {
        job: job.number.get(),
        id: which.unwrap_or(Which::whole(job.number)).to_string(),
        array: job.array.as_ref().map(|array| array::of(&array.indices, &ends(&array.counts))),
        name: job.name.clone(),
        user: job.user.clone(),
        state: state_of_end(&job.end),
        tasks: job.tasks,
        workflow: job.workflow,
        queued_at: job.queued_at.into(),
        start: job.start.map(Stamp::from),
        likely_start: None,
        likely: None,
        finish: Some(job.ended_at.into()),
        deadline: job.deadline.map(Stamp::from),
        budget: job.budget.map(Num::of_money),
        held: Num::of_money(Money::ZERO),
        charged: Num::of_money(job.spent),
        sites: job.sites.iter().map(|site| site_name(state, *site)).collect(),
        outputs: job.outputs.clone(),
        reservation: job.reservation.map(ReservationNumber::get),
        attempts: job.attempts,
        why: why.map(|why| context.why(why)),
        reason: why.map(|why| context.why_view(why)),
        promise: None,
        satisfaction: BTreeMap::new(),
        strategy: None,
        search: None,
        parts: parts.iter().zip(0..).map(|(part, place)| part_view(state, part, place)).collect(),
    }
}

/// How many elements ended in each state.
pub(super) fn ends(counts: &ArrayCounts) -> BTreeMap<JobState, u32> {
    let ArrayCounts { done, failed, cancelled, given_up } = *counts;
    let all = [
        (JobState::Done, done),
        (JobState::Failed, failed),
        (JobState::Cancelled, cancelled),
        (JobState::GivenUp, given_up),
    ];
    all.into_iter().collect()
}
