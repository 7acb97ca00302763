//! What users are told when something happens to a job of theirs.

use crate::model::id::JobNumber;
use crate::model::job::{JobEnd, JobSpec, Why};
use crate::model::limits::NOTICES_MAX;
use crate::model::notice::{Letter, News, Notice};
use crate::model::notify::{Notify, Occasion};
use crate::model::reservation::Reservation;
use crate::model::state::State;
use std::sync::Arc;
use walras_core::agenda::Promise;
use walras_model::Time;

fn write(state: &mut State, user: String, job: JobNumber, news: News) {
    // Of an array one is told as a whole.
    if state.jobs.get(&job).is_some_and(|job| job.element.is_some()) {
        return;
    }
    let letter = letter(state, job, &news).map(Box::new);
    state.last.notice = state.last.notice.next();
    state.notices.insert(state.last.notice, Notice { user, job, news, letter });
    if state.notices.len() > NOTICES_MAX {
        state.notices.remove_first();
    }
}

/// What is sent, where a job's user wants somebody told of these news.
fn letter(state: &State, number: JobNumber, news: &News) -> Option<Letter> {
    let spec = spec_of(state, number)?;
    let notify = spec.notify.as_deref().filter(|notify| notify.is_for_somebody())?;
    let occasion = occasion(notify, news)?;
    let (mail, webhook) = (notify.mail.clone(), notify.webhook.clone());
    Some(Letter { at: state.clock, name: spec.request.name.clone(), occasion, mail, webhook })
}

/// What a job or an array is; `None` of one that has ended.
fn spec_of(state: &State, number: JobNumber) -> Option<&Arc<JobSpec>> {
    let of_array = || state.arrays.get(&number).map(|array| &array.spec);
    state.jobs.get(&number).map(|job| &job.spec).or_else(of_array)
}

/// The occasion that news are, where it is one that somebody wants to be told of.
fn occasion(notify: &Notify, news: &News) -> Option<Occasion> {
    let of: &[Occasion] = match news {
        News::Promised { .. } | News::Held { .. } | News::Rescheduled(_) => &[Occasion::Plan],
        News::Begun => &[Occasion::Begin],
        News::ReservationLost(_) => &[Occasion::Requeue],
        News::Ended(JobEnd::Failed(_) | JobEnd::GivenUp(_)) => &[Occasion::Fail, Occasion::End],
        News::Ended(JobEnd::Done | JobEnd::Cancelled) => &[Occasion::End],
    };
    of.iter().copied().find(|occasion| notify.on.contains(occasion))
}

/// A job has begun, or the first element of an array. Nobody is told who does not want to be: journals of before know no such notice.
pub(super) fn of_begin(state: &mut State, job: JobNumber) {
    let user = spec_of(state, job).map(|spec| spec.user.clone());
    let told = user.filter(|_| letter(state, job, &News::Begun).is_some());
    if let Some(user) = told {
        write(state, user, job, News::Begun);
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
