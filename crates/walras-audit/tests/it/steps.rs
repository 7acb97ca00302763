//! The order in which things happen to a reservation.

use crate::corrupt::check;
use crate::edit::{allocation, change, drop_first, repeat_first};
use crate::promises::workflow;
use crate::world::{span, time};
use walras_audit::FindingKind;
use walras_broker::Event;
use walras_broker::event::{ReservationEvent, SiteEvent};
use walras_model::Time;

#[test]
fn steps() {
    check(&[
        (
            "reason",
            |it| drop_first(it, |event| matches!(event, Event::Site(SiteEvent::NodeTaken { .. }))),
            |it| matches!(it, FindingKind::WrongReason { .. }),
        ),
        (
            "left prepared",
            |it| {
                drop_first(it, |event| {
                    matches!(event, Event::Reservation(ReservationEvent::Confirming { .. }))
                })
            },
            |it| matches!(it, FindingKind::ReservationStep { step: "left prepared", .. }),
        ),
        (
            "prepared by some",
            |it| {
                drop_first(it, |event| {
                    matches!(event, Event::Reservation(ReservationEvent::LegPrepared { .. }))
                })
            },
            |it| matches!(it, FindingKind::ReservationStep { step: "asked to confirm", .. }),
        ),
        (
            "confirmed by some",
            |it| {
                drop_first(it, |event| {
                    matches!(event, Event::Reservation(ReservationEvent::LegConfirmed { .. }))
                })
            },
            |it| matches!(it, FindingKind::ReservationStep { step: "held", .. }),
        ),
        (
            "closed twice",
            |it| {
                repeat_first(it, |event| matches!(event, Event::Reservation(ReservationEvent::Closed { .. })))
            },
            |it| matches!(it, FindingKind::ReservationStep { step: "closed", .. }),
        ),
        (
            "prepared twice",
            |it| {
                repeat_first(it, |event| {
                    matches!(event, Event::Reservation(ReservationEvent::LegPrepared { .. }))
                })
            },
            |it| matches!(it, FindingKind::LegStep { step: "prepared", .. }),
        ),
        (
            "released while held",
            |it| drop_first(it, |event| matches!(event, Event::Reservation(ReservationEvent::Closed { .. }))),
            |it| matches!(it, FindingKind::LegStep { step: "released", .. }),
        ),
        (
            "running twice",
            |it| {
                repeat_first(it, |event| {
                    matches!(event, Event::Reservation(ReservationEvent::PartStarted { .. }))
                })
            },
            |it| matches!(it, FindingKind::PartStep { step: "running", .. }),
        ),
        (
            "started before it was held",
            |it| drop_first(it, |event| matches!(event, Event::Reservation(ReservationEvent::Held(_)))),
            |it| matches!(it, FindingKind::PartStep { step: "started", .. }),
        ),
        (
            "too soon",
            |it| {
                allocation(it, |allocation, _| {
                    allocation.parts[0].start = time(9_000_000);
                    true
                })
            },
            |it| matches!(it, FindingKind::TooSoon { part: 0, .. }),
        ),
        (
            "before others",
            |it| {
                workflow(it, |allocation| {
                    for part in &mut allocation.parts {
                        part.after.iter_mut().for_each(|(_, lag)| *lag = span(999_999));
                    }
                })
            },
            |it| matches!(it, FindingKind::BeforeOthers { .. }),
        ),
        (
            "started in the future",
            |it| change!(it, Event::Reservation(ReservationEvent::PartStarted { at, .. }) => { *at = Time::MAX; true }),
            |it| matches!(it, FindingKind::WrongTime { .. }),
        ),
        (
            "ended before it started",
            |it| change!(it, Event::Reservation(ReservationEvent::PartEnded { at, .. }) => { *at = Time::MIN; true }),
            |it| matches!(it, FindingKind::WrongTime { .. }),
        ),
    ]);
}
