//! What users are told when something happens to a job of theirs.

use crate::model::id::JobNumber;
use crate::model::job::{JobEnd, Why};
use crate::model::limits::NOTICES_MAX;
use crate::model::notice::{News, Notice};
use crate::model::reservation::Reservation;
use crate::model::state::State;
use walras_core::agenda::Promise;
use walras_model::Time;

fn write(state: &mut State, user: String, job: JobNumber, news: News) {
    // Of an array one is told as a whole.
    if state.jobs.get(&job).is_some_and(|job| job.element.is_some()) {
        return;
    }
    state.last.notice = state.last.notice.next();
    state.notices.insert(state.last.notice, Notice { user, job, news });
    if state.notices.len() > NOTICES_MAX {
        state.notices.remove_first();
    }
}

/// A job is promised something.
pub(super) fn of_promise(
    state: &mut State,
    user: String,
    job: JobNumber,
    start: Time,
    promise: Promise,
    renewed: bool,
) {
    write(state, user, job, News::Promised { start, promise, renewed });
}

/// A reservation is held.
pub(super) fn of_held(state: &mut State, reservation: &Reservation) {
    let news = News::Held {
        sites: reservation.legs.iter().map(|leg| leg.site).collect(),
        start: reservation.start(),
        end: reservation.finish(),
        cost: reservation.lien,
    };
    write(state, reservation.user.clone(), reservation.job, news);
}

/// A reservation was closed; its own user who cancelled it need not be told.
pub(super) fn of_closed(state: &mut State, user: String, job: JobNumber, why: Option<&Why>) {
    if let Some(why) = why.filter(|why| **why != Why::Cancelled) {
        write(state, user, job, News::ReservationLost(why.clone()));
    }
}

/// Parts of a reservation run at other times or places.
pub(super) fn of_rescheduled(state: &mut State, user: String, job: JobNumber, why: &Why) {
    write(state, user, job, News::Rescheduled(why.clone()));
}

/// The last notice of a job, written before it leaves the state.
pub(super) fn of_end(state: &mut State, user: String, job: JobNumber, end: &JobEnd) {
    write(state, user, job, News::Ended(end.clone()));
}
