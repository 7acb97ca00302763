//! What users are told when something happens to a job of theirs.

use crate::event::Event;
use crate::id::{JobNumber, ReservationNumber};
use crate::job::{JobEnd, Why};
use crate::state::{NOTICES_MAX, News, Notice, State};

/// Writes the notice that an event calls for, if any.
pub(crate) fn take_note(state: &mut State, event: &Event) {
    let told = match event {
        Event::ReservationHeld(number) => held(state, *number).map(|news| (*number, news)),
        Event::ReservationClosed { reservation, why: Some(why), .. } if *why != Why::Cancelled => {
            Some((*reservation, News::ReservationLost(why.clone())))
        }
        Event::Rescheduled { reservation, why, .. } => Some((*reservation, News::Rescheduled(why.clone()))),
        _ => None,
    };
    let notice = told.and_then(|(number, news)| {
        let reservation = state.reservations.get(&number)?;
        Some(Notice { user: reservation.user.clone(), job: reservation.job, news })
    });
    if let Some(notice) = notice {
        write(state, notice);
    }
}

fn held(state: &State, number: ReservationNumber) -> Option<News> {
    let way = &state.reservations.get(&number)?.way;
    Some(News::Held {
        sites: way.legs.iter().map(|leg| leg.site).collect(),
        start: way.start(),
        end: way.finish(),
        cost: way.cost(),
    })
}

fn write(state: &mut State, notice: Notice) {
    state.last.notice = state.last.notice.next();
    state.notices.insert(state.last.notice, notice);
    if state.notices.len() > NOTICES_MAX {
        state.notices.pop_first();
    }
}

/// The last notice of a job, written before it leaves the state.
pub(crate) fn of_end(state: &mut State, job: JobNumber, end: &JobEnd) {
    let Some(user) = state.jobs.get(&job).map(|job| job.spec.user.clone()) else { return };
    write(state, Notice { user, job, news: News::Ended(end.clone()) });
}
