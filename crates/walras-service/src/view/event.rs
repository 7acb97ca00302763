//! What happened, as listeners and a job's history get it: whom it concerns, why, and the line of [`walras_api::sentence`].

use super::site_name;
use walras_api::sentence::{context_of_event, event_text};
use walras_api::service::{EventView, WhyView};
use walras_broker::event::{CycleEvent, JobEvent, QuoteEvent, ReservationEvent, SiteEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::JobEnd;
use walras_broker::{Event, State};
use walras_model::{SiteId, Time};

/// Who is concerned by an event.
struct About {
    job: Option<JobNumber>,
    user: Option<String>,
    site: Option<SiteId>,
}

const NOBODY: About = About { job: None, user: None, site: None };

/// What listeners are told of an event that the state is about to take in; nothing of what is of no interest to them.
pub fn event_view(state: &State, position: u64, at: Time, event: &Event) -> Option<EventView> {
    let (kind, text) = event_text(state, at, event)?;
    let about = about(state, event);
    Some(EventView {
        position,
        at: at.into(),
        kind,
        // Whoever follows an array follows its elements.
        job: about.job.map(|job| state.which(job).job.get()),
        user: about.user,
        site: about.site.map(|site| site_name(state, site)),
        text,
        reason: reason(state, event),
        jobs: match event {
            Event::Cycle(CycleEvent::Opened { batch, .. }) => {
                Some(u32::try_from(batch.len()).unwrap_or(u32::MAX))
            }
            Event::Cycle(CycleEvent::Decided { verdict, .. }) => Some(verdict.served),
            Event::Cycle(_)
            | Event::Vo(_)
            | Event::Site(_)
            | Event::Job(_)
            | Event::Quote(_)
            | Event::Reservation(_) => None,
        },
    })
}

/// The reason that an event gives, for programs.
pub(super) fn reason(state: &State, event: &Event) -> Option<WhyView> {
    let (why, job) = match event {
        Event::Job(JobEvent::Returned { job, why }) => (why, Some(job)),
        Event::Job(JobEvent::Ended { job, end: JobEnd::Failed(why) | JobEnd::GivenUp(why) }) => {
            (why, Some(job))
        }
        Event::Reservation(
            ReservationEvent::Rescheduled { why, .. } | ReservationEvent::Closed { why: Some(why), .. },
        )
        | Event::Quote(QuoteEvent::Broken { why, .. }) => (why, None),
        Event::Job(_)
        | Event::Reservation(_)
        | Event::Quote(_)
        | Event::Vo(_)
        | Event::Site(_)
        | Event::Cycle(_) => return None,
    };
    Some(context_of_event(state, job, why).why_view(why))
}

/// Whose a job or an array is.
fn user_of(state: &State, number: JobNumber) -> Option<String> {
    let array = || state.arrays.get(&number).map(|array| array.spec.user.clone());
    state.jobs.get(&number).map(|job| job.spec.user.clone()).or_else(array)
}

fn about(state: &State, event: &Event) -> About {
    let of_job = |job: &JobNumber| About { job: Some(*job), user: user_of(state, *job), site: None };
    let of_reservation = |number: &ReservationNumber| match state.reservations.get(number) {
        Some(it) => About { job: Some(it.job), user: Some(it.user.clone()), site: None },
        None => NOBODY,
    };
    let at_site = |site: &SiteId| About { site: Some(*site), ..NOBODY };
    let by_user = |user: &str| About { user: Some(user.to_owned()), ..NOBODY };
    match event {
        Event::Job(JobEvent::Queued { job, spec, .. } | JobEvent::Offered { job, spec, .. }) => {
            About { job: Some(*job), user: Some(spec.user.clone()), site: None }
        }
        Event::Job(
            JobEvent::Returned { job, .. }
            | JobEvent::Planned { job, .. }
            | JobEvent::Withdrawn(job)
            | JobEvent::Freed(job)
            | JobEvent::Released(job)
            | JobEvent::Drawn { array: job, .. }
            | JobEvent::Cut { array: job, .. }
            | JobEvent::Ended { job, .. },
        )
        | Event::Reservation(ReservationEvent::Asked { job, .. }) => of_job(job),
        Event::Reservation(
            ReservationEvent::Confirming { reservation, .. }
            | ReservationEvent::PartsDue { reservation, .. }
            | ReservationEvent::PartStarted { reservation, .. }
            | ReservationEvent::PartEnded { reservation, .. }
            | ReservationEvent::Rescheduled { reservation, .. }
            | ReservationEvent::Files { reservation, .. }
            | ReservationEvent::Closed { reservation, .. }
            | ReservationEvent::Held(reservation),
        ) => of_reservation(reservation),
        Event::Reservation(
            ReservationEvent::LegPrepared { reservation, site }
            | ReservationEvent::LegConfirmed { reservation, site }
            | ReservationEvent::LegReady { reservation, site }
            | ReservationEvent::LegReleased { reservation, site },
        ) => About { site: Some(*site), ..of_reservation(reservation) },
        Event::Quote(
            QuoteEvent::Given { key, .. }
            | QuoteEvent::ChainGiven { key, .. }
            | QuoteEvent::ChainAccepted { key, .. }
            | QuoteEvent::Broken { key, .. },
        ) => by_user(&key.by),
        Event::Site(
            SiteEvent::PricesSet { site, .. }
            | SiteEvent::TermsSet { site, .. }
            | SiteEvent::NodesAdded { site, .. }
            | SiteEvent::Leaving(site)
            | SiteEvent::Stays(site)
            | SiteEvent::Lost { site, .. }
            | SiteEvent::Back { site, .. },
        )
        | Event::Cycle(CycleEvent::OffersReceived { site, .. } | CycleEvent::OffersChanged { site, .. }) => {
            at_site(site)
        }
        Event::Site(
            SiteEvent::NodeLost { node, .. }
            | SiteEvent::NodeDown { node, .. }
            | SiteEvent::NodeBack { node, .. }
            | SiteEvent::NodeGone { node, .. }
            | SiteEvent::NodeTaken { node, .. }
            | SiteEvent::NodeDrained { node, .. }
            | SiteEvent::NodeResumed { node },
        ) => About { site: state.node(*node).map(|node| node.site), ..NOBODY },
        Event::Vo(_)
        | Event::Site(SiteEvent::Added(_))
        | Event::Job(JobEvent::Noticed(_))
        | Event::Quote(QuoteEvent::Accepted { .. } | QuoteEvent::Expired(_))
        | Event::Cycle(
            CycleEvent::Opened { .. }
            | CycleEvent::Closed { .. }
            | CycleEvent::Decided { .. }
            | CycleEvent::Bounded { .. }
            | CycleEvent::Ended(_),
        ) => NOBODY,
    }
}
