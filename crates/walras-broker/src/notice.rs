//! What users are told: one sentence when something happens to a job of theirs.

use crate::event::Event;
use crate::id::JobNumber;
use crate::job::{JobEnd, Why};
use crate::state::{NOTICES_MAX, Notice, State};
use walras_model::SiteId;

/// Writes the notice that an event calls for, if any.
pub(crate) fn take_note(state: &mut State, event: &Event) {
    if let Some((user, job, text)) = text(state, event) {
        write(state, Notice { user, job, text });
    }
}

fn write(state: &mut State, notice: Notice) {
    state.last.notice = state.last.notice.next();
    state.notices.insert(state.last.notice, notice);
    if state.notices.len() > NOTICES_MAX {
        state.notices.pop_first();
    }
}

fn text(state: &State, event: &Event) -> Option<(String, JobNumber, String)> {
    let of_reservation = |number| {
        let reservation = state.reservations.get(number)?;
        Some((reservation.user.clone(), reservation.job, reservation))
    };
    match event {
        Event::ReservationHeld(number) => {
            let (user, job, reservation) = of_reservation(number)?;
            let names: Vec<&str> = reservation.way.legs.iter().map(|leg| name(state, leg.site)).collect();
            let way = &reservation.way;
            let (start, end, cost) = (way.start(), way.finish(), way.cost());
            let place = names.join(", ");
            Some((
                user,
                job,
                format!("Job {job} runs from {start} s to {end} s on {place} for at most {cost}."),
            ))
        }
        Event::ReservationClosed { reservation, why: Some(why), .. } if *why != Why::Cancelled => {
            let (user, job, _) = of_reservation(reservation)?;
            Some((user, job, format!("Job {job} lost its reservation: {why}.")))
        }
        Event::Rescheduled { reservation, why, .. } => {
            let (user, job, _) = of_reservation(reservation)?;
            Some((user, job, format!("Tasks of job {job} were moved: {why}.")))
        }
        _ => None,
    }
}

fn name(state: &State, site: SiteId) -> &str {
    state.site(site).map_or("", |site| site.spec.name.as_str())
}

/// The last notice of a job, written before it leaves the state.
pub(crate) fn of_end(state: &mut State, job: JobNumber, end: &JobEnd) {
    let Some(user) = state.jobs.get(&job).map(|job| job.spec.user.clone()) else { return };
    let text = match end {
        JobEnd::Done => format!("Job {job} is done."),
        JobEnd::Failed(why) => format!("Job {job} failed: {why}."),
        JobEnd::Cancelled => format!("Job {job} was cancelled."),
        JobEnd::GivenUp(why) => format!("Job {job} was given up: {why}."),
    };
    write(state, Notice { user, job, text });
}
