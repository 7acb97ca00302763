//! Several elements of an array in one request: `17_[3-9]`.
//!
//! All of them must be elements, or nothing happens. Those that have not ended are cancelled at once, in one entry of the journal. Whoever
//! asks again, because no answer came, cancels what is left of them.

use super::App;
use super::fault::Fault;
use super::jobs::find;
use crate::engine::Failed;
use crate::token::Caller;
use axum::http::StatusCode;
use std::collections::BTreeSet;
use walras_api::service::{ArrayView, JobState, JobView};
use walras_broker::array::Array;
use walras_broker::id::JobNumber;
use walras_broker::indices::Indices;
use walras_broker::{Input, Refusal, State};

/// What of an array is meant by some of its elements.
struct Asked {
    /// Those that have not ended, by rank.
    open: Vec<u32>,
    /// Whether nothing else of the array has not ended.
    is_rest: bool,
}

/// The array, and what of it is meant; nothing of it where it has ended.
async fn asked(
    app: &App,
    caller: &Caller,
    array: JobNumber,
    indices: &Indices,
) -> Result<(JobView, Asked), Fault> {
    let view = find(app, caller, array.get()).await?;
    let all: Option<Indices> = view.array.as_ref().and_then(|of| of.elements.parse().ok());
    let all = all.ok_or_else(|| Fault::missing(format_args!("array {array}: job {array} is one job")))?;
    let mut ranks = BTreeSet::new();
    for index in (0..indices.count()).filter_map(|place| indices.index_at(place)) {
        let rank = all.rank_of(index);
        ranks.insert(rank.ok_or_else(|| Fault::missing(format_args!("job {array}_{index}")))?);
    }
    let asked = app.handle.ask(move |state: &State, _| {
        let Some(of) = state.arrays.get(&array) else { return Asked { open: Vec::new(), is_rest: false } };
        let is_open = |rank: &u32| of.pending.contains(*rank) || of.live.contains(*rank);
        let open: Vec<u32> = ranks.into_iter().filter(is_open).collect();
        let is_rest = u32::try_from(open.len()) == Ok(Array::left(of));
        Asked { open, is_rest }
    });
    Ok((view, asked.await?))
}

/// Cancels these elements; the array as it is then.
pub(super) async fn cancel(
    app: &App,
    caller: &Caller,
    array: JobNumber,
    indices: &Indices,
) -> Result<JobView, Fault> {
    let (view, Asked { open, is_rest }) = asked(app, caller, array, indices).await?;
    if open.is_empty() {
        let message = format!("all of {array}_[{indices}] have ended already");
        return Err(Fault::new(StatusCode::CONFLICT, "ended", message));
    }
    let input = match is_rest {
        true => Input::CancelJob { user: view.user, job: array },
        false => Input::CancelElements { user: view.user, array, elements: open.iter().copied().collect() },
    };
    match app.handle.send(input).await {
        Ok(_) => changed(app, caller, array, open.len()).await,
        // All of them have ended meanwhile.
        Err(Failed::Refused(refusal)) if matches!(*refusal, Refusal::NoJob(_)) => {
            changed(app, caller, array, 0).await
        }
        Err(failed) => Err(failed.into()),
    }
}

/// Lets these elements go, which must be all that there are: an array is held as a whole.
pub(super) async fn release(
    app: &App,
    caller: &Caller,
    array: JobNumber,
    indices: &Indices,
) -> Result<JobView, Fault> {
    let (view, Asked { open, is_rest }) = asked(app, caller, array, indices).await?;
    if !is_rest {
        let message = format!("an array is held, and released, as a whole: release {array}");
        return Err(Fault::new(StatusCode::CONFLICT, "not-held", message));
    }
    app.handle.send(Input::Release { user: view.user, job: array }).await?;
    changed(app, caller, array, open.len()).await
}

/// A job as it is now; of an array, how many elements had not ended before it was changed as a whole.
pub(super) fn all_changed(mut view: JobView, before: &Option<ArrayView>) -> JobView {
    if let (Some(now), Some(before)) = (&mut view.array, before) {
        let open = JobState::ALL.into_iter().filter(|state| !state.is_over());
        let had = open.filter_map(|state| before.states.get(state.text()));
        now.changed = Some(had.fold(before.pending, |sum, count| sum.saturating_add(*count)));
    }
    view
}

/// The array as it is now, and how many elements were changed.
async fn changed(app: &App, caller: &Caller, array: JobNumber, count: usize) -> Result<JobView, Fault> {
    let mut view = find(app, caller, array.get()).await?;
    if let Some(of) = &mut view.array {
        of.changed = u32::try_from(count).ok();
    }
    Ok(view)
}
