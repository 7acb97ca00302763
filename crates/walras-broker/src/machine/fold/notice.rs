//! What users are told: one sentence when something happens to a job of theirs.

use crate::model::id::JobNumber;
use crate::model::job::{JobEnd, Why};
use crate::model::limits::NOTICES_MAX;
use crate::model::notice::Notice;
use crate::model::reservation::Reservation;
use crate::model::state::State;
use walras_model::SiteId;

fn write(state: &mut State, notice: Notice) {
    state.last.notice = state.last.notice.next();
    state.notices.insert(state.last.notice, notice);
    if state.notices.len() > NOTICES_MAX {
        state.notices.remove_first();
    }
}

/// A reservation is held.
pub(super) fn of_held(state: &mut State, reservation: &Reservation) {
    let names: Vec<&str> = reservation.legs.iter().map(|leg| name(state, leg.site)).collect();
    let (start, end, cost) = (reservation.start(), reservation.finish(), reservation.lien);
    let (place, job) = (names.join(", "), reservation.job);
    let text = format!("Job {job} runs from {start} s to {end} s on {place} for at most {cost}.");
    write(state, Notice { user: reservation.user.clone(), job, text });
}

/// A reservation was closed; its own user who cancelled it need not be told.
pub(super) fn of_closed(state: &mut State, user: String, job: JobNumber, why: Option<&Why>) {
    if let Some(why) = why.filter(|why| **why != Why::Cancelled) {
        let text = format!("Job {job} lost its reservation: {why}.");
        write(state, Notice { user, job, text });
    }
}

/// Parts of a reservation run at other times or places.
pub(super) fn of_rescheduled(state: &mut State, user: String, job: JobNumber, why: &Why) {
    let text = format!("Tasks of job {job} were moved: {why}.");
    write(state, Notice { user, job, text });
}

fn name(state: &State, site: SiteId) -> &str {
    let site = state.site(site).expect("a site that holds something is there: none ever leaves");
    &site.spec.name
}

/// The last notice of a job, written before it leaves the state.
pub(super) fn of_end(state: &mut State, user: String, job: JobNumber, end: &JobEnd) {
    let text = match end {
        JobEnd::Done => format!("Job {job} is done."),
        JobEnd::Failed(why) => format!("Job {job} failed: {why}."),
        JobEnd::Cancelled => format!("Job {job} was cancelled."),
        JobEnd::GivenUp(why) => format!("Job {job} was given up: {why}."),
    };
    write(state, Notice { user, job, text });
}
