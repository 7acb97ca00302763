//! What has happened: the facts that the broker's state is made of.
//!
//! Events are written to the journal before anything acts on them. Each carries all that its consequences need, so that
//! folding them never has to decide anything. They are sorted by what they happen to; whoever takes events in says of
//! each kind what it means to them, and a new kind does not compile until everybody has.

mod cycle;
mod job;
mod quote;
mod reservation;
mod site;
mod vo;

pub use cycle::CycleEvent;
pub use job::JobEvent;
pub use quote::QuoteEvent;
pub use reservation::ReservationEvent;
pub use site::SiteEvent;
pub use vo::VoEvent;

use serde::{Deserialize, Serialize};

/// A fact, by what it happened to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The VO: its rules, users, budgets and deposits.
    Vo(VoEvent),
    /// A site or one of its nodes.
    Site(SiteEvent),
    /// A job.
    Job(JobEvent),
    /// A quote.
    Quote(QuoteEvent),
    /// A cycle.
    Cycle(CycleEvent),
    /// A reservation.
    Reservation(ReservationEvent),
}

macro_rules! wrap {
    ($($kind:ident($event:ty)),*) => {$(
        impl From<$event> for Event {
            fn from(event: $event) -> Event {
                Event::$kind(event)
            }
        }
    )*};
}

wrap!(
    Vo(VoEvent),
    Site(SiteEvent),
    Job(JobEvent),
    Quote(QuoteEvent),
    Cycle(CycleEvent),
    Reservation(ReservationEvent)
);
