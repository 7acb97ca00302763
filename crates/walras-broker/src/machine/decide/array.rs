//! Arrays: elements become jobs when they may go into the next batch, and are cut when they never will.

use super::draft::Draft;
use super::gate::{end_job, settle};
use crate::model::array::{Array, number_at};
use crate::model::event::JobEvent;
use crate::model::id::JobNumber;
use crate::model::job::{JobEnd, Why};
use crate::model::limits::JOBS_MAX;
use crate::model::ranks::Ranks;
use crate::model::state::State;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Makes jobs of as many elements as a plan can make use of: up to each array's own limit, and to so many of one user.
pub(super) fn draw(draft: &mut Draft<'_>) {
    let state = draft.before;
    let mut arrays: Vec<&Array> = state.arrays.values().filter(|array| state.may_draw(array)).collect();
    if arrays.is_empty() {
        return;
    }
    arrays.sort_by_key(|array| (Reverse(array.spec.request.priority), array.number));
    let mut waiting: BTreeMap<&str, u32> = BTreeMap::new();
    for array in state.arrays.values() {
        *waiting.entry(&array.spec.user).or_default() += state.unreserved(array);
    }
    let mut room = u32::try_from(JOBS_MAX.saturating_sub(state.jobs.len())).unwrap_or(u32::MAX);
    for array in arrays {
        let of_user = waiting.entry(&array.spec.user).or_default();
        let count = State::at_once(array).min(state.window().saturating_sub(*of_user)).min(room);
        if count > 0 {
            *of_user += count;
            room -= count;
            let elements = array.pending.clone().take(count);
            draft.push(JobEvent::Drawn { array: array.number, elements });
        }
    }
}

/// Elements that are no jobs yet never become any.
pub(super) fn cancel_pending(draft: &mut Draft<'_>, array: &Array, elements: Ranks) {
    if elements.is_empty() {
        return;
    }
    let concerned = named(draft, array.number, &elements);
    draft.push(JobEvent::Cut { array: array.number, elements, end: JobEnd::Cancelled, whole: false });
    settle(draft, concerned);
    if let Some(end) = end_of(draft, array.number) {
        end_job(draft, array.number, end);
    }
}

/// No more elements of an array become jobs; if none is one, it has ended.
pub(super) fn give_up(draft: &mut Draft<'_>, array: &Array, why: Why) {
    cut_all(draft, array, JobEnd::GivenUp(why));
    if let Some(end) = end_of(draft, array.number) {
        end_job(draft, array.number, end);
    }
}

/// What is pending of an array that ends as a whole is cut first; gives those who waited for any of it.
pub(super) fn cut_rest(draft: &mut Draft<'_>, number: JobNumber, end: &JobEnd) -> Vec<JobNumber> {
    let open = draft.state().arrays.get(&number).filter(|array| !array.pending.is_empty());
    let Some(elements) = open.map(|array| array.pending.clone()) else { return Vec::new() };
    let concerned = named(draft, number, &elements);
    draft.push(JobEvent::Cut { array: number, elements, end: end.clone(), whole: true });
    concerned
}

/// All that is pending is cut, and with it the whole array.
pub(super) fn cut_all(draft: &mut Draft<'_>, array: &Array, end: JobEnd) {
    let elements = array.pending.clone();
    draft.push(JobEvent::Cut { array: array.number, elements: elements.clone(), end, whole: true });
    let concerned = named(draft, array.number, &elements);
    settle(draft, concerned);
}

/// Those who wait for any of these elements.
fn named(draft: &Draft<'_>, array: JobNumber, elements: &Ranks) -> Vec<JobNumber> {
    let within = |(from, to)| draft.before.dependents_within(number_at(array, from), number_at(array, to));
    elements.ranges().flat_map(within).map(|(_, dependent)| dependent).collect()
}

/// How an array ends of which no element is left.
pub(super) fn end_of(draft: &mut Draft<'_>, number: JobNumber) -> Option<JobEnd> {
    let array = draft.state().arrays.get(&number)?;
    (array.left() == 0).then(|| array.end())
}
