//! Arrays as the API shows them: one line for all elements, with how many are where.

use super::ended::ends;
use super::job::{plain, state_of_job, waits_why};
use super::site_name;
use std::collections::{BTreeMap, BTreeSet};
use walras_api::Num;
use walras_api::sentence::Context;
use walras_api::service::{ArrayView, JobState, JobView, Stamp};
use walras_broker::State;
use walras_broker::array::{Array, number_at};
use walras_broker::gate::Which;
use walras_broker::id::JobNumber;
use walras_broker::indices::Indices;
use walras_broker::job::{Job, Phase};
use walras_model::{Money, Time};

/// So many ranges of pending elements are named.
const NAMED: usize = 6;

/// Where a whole is by where its elements are: as far as the farthest.
const FARTHEST: [JobState; 6] = [
    JobState::Running,
    JobState::Reserved,
    JobState::Reserving,
    JobState::Planned,
    JobState::Planning,
    JobState::Queued,
];

fn live<'a>(state: &'a State, array: &'a Array) -> impl Iterator<Item = &'a Job> {
    array.live.iter().filter_map(|rank| state.jobs.get(&number_at(array.number, rank)))
}

/// An array that has not ended.
pub fn array_view(state: &State, array: &Array) -> JobView {
    let mut counts: BTreeMap<JobState, u32> = BTreeMap::new();
    let (mut held, mut sites, mut start) = (Money::ZERO, BTreeSet::new(), None::<Time>);
    for job in live(state, array) {
        *counts.entry(state_of_job(state, job)).or_default() += 1;
        if let Phase::Reserved(number) = job.phase
            && let Some(reservation) = state.reservations.get(&number)
        {
            held = held + reservation.lien;
            sites.extend(reservation.legs.iter().map(|leg| leg.site));
            let begins = Some(reservation.start());
            start = start.map_or(begins, |start| Some(start).min(begins));
        }
    }
    let farthest = FARTHEST.into_iter().find(|at| counts.contains_key(at)).unwrap_or(JobState::Queued);
    let at = match array.waiting {
        true if array.waits.held => JobState::Held,
        true => JobState::Waiting,
        false => farthest,
    };
    counts.extend(ends(&array.counts));
    let mut view = plain(array.number, &array.spec, array.queued_at, at);
    let pending = array.indices.text_of(array.pending.ranges(), NAMED);
    view.id = id_of(array.number, &pending);
    view.array = Some(ArrayView {
        pending: array.pending.len(),
        pending_elements: pending,
        ..of(&array.indices, &counts)
    });
    (view.held, view.charged) = (Num::of_money(held), Num::of_money(array.spent));
    view.start = start.map(Stamp::from);
    view.sites = sites.into_iter().map(|site| site_name(state, site)).collect();
    let left_out = || live(state, array).find_map(|job| job.why.clone());
    let why = if array.waiting { Some(waits_why(&array.waits)) } else { left_out() };
    if let Some(why) = why.filter(|_| at != JobState::Running) {
        let context = Context::of_job(state, &array.spec, &why);
        (view.why, view.reason) = (Some(context.why(&why)), Some(context.why_view(&why)));
    }
    view
}

/// `17_[3-9]` while elements are pending, `17` then.
fn id_of(number: JobNumber, pending: &str) -> String {
    if pending.is_empty() { number.to_string() } else { format!("{number}_[{pending}]") }
}

/// What is known of an array wherever its elements are.
pub fn of(indices: &Indices, counts: &BTreeMap<JobState, u32>) -> ArrayView {
    let counted = counts.iter().filter(|(_, count)| **count > 0);
    ArrayView {
        elements: indices.to_string(),
        count: indices.count(),
        limit: indices.limit(),
        pending: 0,
        pending_elements: String::new(),
        states: counted.map(|(state, count)| (state.text().to_owned(), *count)).collect(),
        changed: None,
    }
}

/// An element that is no job yet.
pub fn pending_view(state: &State, number: JobNumber) -> Option<JobView> {
    let (array, rank) = state.array_of(number).filter(|(array, rank)| array.pending.contains(*rank))?;
    let at = match array.waiting {
        true if array.waits.held => JobState::Held,
        true => JobState::Waiting,
        false => JobState::Queued,
    };
    let mut view = plain(number, &array.spec, array.queued_at, at);
    view.id = Which { job: array.number, element: array.indices.index_at(rank) }.to_string();
    Some(view)
}

/// An element that ended before its turn came, by what is known of its array.
pub fn cut_view(array: JobView, number: JobNumber, which: Which) -> JobView {
    let given_up = array.state == JobState::GivenUp;
    JobView {
        job: number.get(),
        id: which.to_string(),
        state: if given_up { JobState::GivenUp } else { JobState::Cancelled },
        why: array.why.filter(|_| given_up),
        reason: array.reason.filter(|_| given_up),
        array: None,
        held: Num::of_money(Money::ZERO),
        charged: Num::of_money(Money::ZERO),
        start: None,
        sites: Vec::new(),
        ..array
    }
}
