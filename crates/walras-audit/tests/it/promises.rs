//! Corrupted reservations and parts, and what is found in them.

use crate::corrupt::check;
use crate::edit::{Journal, change, drop_first, edit, find, repeat_first, spec, way};
use crate::world::{credits, span, time};
use walras_audit::Kind;
use walras_audit::finding::WayFault;
use walras_broker::Event;
use walras_broker::event::Origin;
use walras_broker::way::Way;
use walras_model::{Interval, Money, NodeId, Performance, Requirement, SiteId, Test, Time, Value, Work};

/// Whether a way was found to be bad in just this manner.
fn bad(kind: &Kind, like: impl Fn(&WayFault) -> bool) -> bool {
    matches!(kind, Kind::BadWay { fault, .. } if like(fault))
}

pub(crate) fn moved(interval: Interval, by: i64) -> Interval {
    let to = |it: Time| time(it.as_millis() + by);
    Interval::new(to(interval.start()), to(interval.end())).unwrap()
}

fn is_parallel(way: &Way) -> bool {
    way.parts.iter().all(|part| part.task.is_none())
}

#[test]
fn places() {
    check(&[
        (
            "empty",
            |it| {
                way(it, |way, _| {
                    way.parts.clear();
                    true
                })
            },
            |it| bad(it, |it| *it == WayFault::Empty),
        ),
        (
            "site twice",
            |it| {
                way(it, |way, _| {
                    way.legs.push(way.legs[0].clone());
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::SiteTwice(_))),
        ),
        (
            "no site",
            |it| {
                way(it, |way, _| {
                    way.legs[0].site = SiteId::new(9);
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::NoSite(_))),
        ),
        (
            "not of its site",
            |it| {
                way(it, |way, _| {
                    way.legs[0].holds[0].node = Some(NodeId::new(99));
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::NotOfSite { .. })),
        ),
        (
            "no queue",
            |it| way(it, |way, _| way.legs[0].holds[0].node.take().is_some()),
            |it| bad(it, |it| matches!(it, WayFault::NotAQueue(_))),
        ),
        (
            "double booked",
            |it| {
                way(it, |way, _| {
                    let hold = way.legs[0].holds[0];
                    way.legs[0].holds.push(hold);
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::DoubleBooked { .. })),
        ),
        (
            "not released",
            |it| {
                // What the first reservation held is reserved again, although nobody has let it go.
                let (entry, event) = find(it, |event| matches!(event, Event::ReservationAsked { .. }));
                let Event::ReservationAsked { way: first, .. } = it[entry].events[event].clone() else {
                    return;
                };
                edit(it, |event, _| match event {
                    Event::ReservationAsked { reservation, way, .. } if reservation.get() == 2 => {
                        *way = first.clone();
                        true
                    }
                    _ => false,
                });
            },
            |it| bad(it, |it| matches!(it, WayFault::DoubleBooked { other, .. } if other.get() == 1)),
        ),
        (
            "past",
            |it| {
                way(it, |way, at| {
                    let hold = &mut way.legs[0].holds[0];
                    hold.interval = moved(hold.interval, at.as_millis() - hold.interval.start().as_millis());
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::Past(_))),
        ),
        (
            "cost",
            |it| {
                way(it, |way, _| {
                    way.legs[0].holds[0].cost = Money::from_micros(1);
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::WrongCost { cost: 1, .. })),
        ),
        (
            "expiry",
            |it| change!(it, Event::ReservationAsked { expiry, .. } => { *expiry = Time::MAX; true }),
            |it| bad(it, |it| *it == WayFault::WrongExpiry),
        ),
        (
            "spare",
            |it| change!(it, Event::ReservationAsked { origin, .. } => { *origin = Origin::Spare; true }),
            |it| bad(it, |it| *it == WayFault::NotASpare),
        ),
    ]);
}

#[test]
fn requests() {
    check(&[
        (
            "deadline",
            |it| {
                spec(it, |spec| {
                    spec.request.deadline = Some(time(100));
                    true
                })
            },
            |it| bad(it, |it| *it == WayFault::AfterDeadline),
        ),
        (
            "earliest",
            |it| {
                spec(it, |spec| {
                    spec.request.earliest = Some(time(9_000_000));
                    true
                })
            },
            |it| bad(it, |it| *it == WayFault::BeforeEarliest),
        ),
        (
            "budget",
            |it| {
                spec(it, |spec| {
                    spec.request.budget = Some(credits(1));
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::OverBudget { limit: 1_000_000, .. })),
        ),
        (
            "count",
            |it| {
                spec(it, |spec| {
                    spec.request.tasks += 1;
                    true
                })
            },
            |it| bad(it, |it| *it == WayFault::WrongCount),
        ),
        (
            "starts",
            |it| {
                way(it, |way, _| {
                    let mut holds = way.legs.iter_mut().flat_map(|leg| &mut leg.holds);
                    let (first, second) = (holds.next(), holds.next());
                    first.zip(second).is_some_and(|(first, _)| {
                        first.interval = moved(first.interval, 1);
                        true
                    })
                })
            },
            |it| bad(it, |it| *it == WayFault::StartsApart),
        ),
        (
            "length",
            |it| {
                spec(it, |spec| {
                    spec.request.work = Work::from_millis(7).unwrap();
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::WrongLength { .. })),
        ),
        (
            "slow",
            |it| {
                spec(it, |spec| {
                    spec.request.performance_min = Performance::from_millionths(9_000_000).unwrap();
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::TooSlow(_))),
        ),
        (
            "unmet",
            |it| {
                spec(it, |spec| {
                    let test = Test::Equals(Value::Flag(true));
                    spec.request.requires.push(Requirement { attribute: "gpu".into(), test });
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::Unmet(_))),
        ),
        (
            "scope",
            |it| {
                spec(it, |spec| {
                    spec.request.scope.sites = Some(vec![]);
                    true
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::OutOfScope(_))),
        ),
    ]);
}

/// Changes the parts of the first workflow that is reserved.
fn workflow(journal: &mut Journal, change: impl Fn(&mut Way)) {
    way(journal, |way, _| {
        let found = !is_parallel(way);
        if found {
            change(way);
        }
        found
    });
}

#[test]
fn planned_parts() {
    check(&[
        (
            "outside",
            |it| {
                way(it, |way, _| {
                    way.parts[0].end = Time::MAX;
                    true
                })
            },
            |it| bad(it, |it| *it == WayFault::PartOutside(0)),
        ),
        (
            "parts of a parallel job",
            |it| way(it, |way, _| is_parallel(way) && way.parts.pop().is_some()),
            |it| bad(it, |it| *it == WayFault::WrongTasks),
        ),
        (
            "tasks",
            |it| workflow(it, |way| drop(way.parts.pop())),
            |it| bad(it, |it| *it == WayFault::WrongTasks),
        ),
        (
            "data",
            |it| workflow(it, |way| way.parts.iter_mut().for_each(|part| part.after.clear())),
            |it| bad(it, |it| matches!(it, WayFault::BeforeData(_))),
        ),
        (
            "overlap",
            |it| {
                workflow(it, |way| {
                    let first = way.parts[0].clone();
                    for part in &mut way.parts {
                        (part.site, part.hold, part.start, part.end) =
                            (first.site, first.hold, first.start, first.end);
                    }
                })
            },
            |it| bad(it, |it| matches!(it, WayFault::PartsOverlap(_))),
        ),
        (
            "moved",
            |it| change!(it, Event::Rescheduled { parts, .. } => { parts[2].start = time(0); true }),
            |it| matches!(it, Kind::BadSchedule { part: 2, fault: WayFault::Moved, .. }),
        ),
        (
            "moved outside",
            |it| change!(it, Event::Rescheduled { parts, .. } => { parts[3].end = Time::MAX; true }),
            |it| matches!(it, Kind::BadSchedule { part: 3, fault: WayFault::PartOutside(3), .. }),
        ),
        (
            "moved onto another",
            |it| {
                change!(it, Event::Rescheduled { parts, .. } => {
                    (parts[3].hold, parts[3].start, parts[3].end) = (parts[1].hold, parts[1].start, parts[1].end);
                    true
                })
            },
            |it| matches!(it, Kind::BadSchedule { fault: WayFault::PartsOverlap(_), .. }),
        ),
    ]);
}

#[test]
fn steps() {
    check(&[
        (
            "reason",
            |it| drop_first(it, |event| matches!(event, Event::NodeTaken { .. })),
            |it| matches!(it, Kind::WrongReason { .. }),
        ),
        (
            "left prepared",
            |it| drop_first(it, |event| matches!(event, Event::Confirming { .. })),
            |it| matches!(it, Kind::ReservationStep { step: "left prepared", .. }),
        ),
        (
            "prepared by some",
            |it| drop_first(it, |event| matches!(event, Event::LegPrepared { .. })),
            |it| matches!(it, Kind::ReservationStep { step: "asked to confirm", .. }),
        ),
        (
            "confirmed by some",
            |it| drop_first(it, |event| matches!(event, Event::LegConfirmed { .. })),
            |it| matches!(it, Kind::ReservationStep { step: "held", .. }),
        ),
        (
            "closed twice",
            |it| repeat_first(it, |event| matches!(event, Event::ReservationClosed { .. })),
            |it| matches!(it, Kind::ReservationStep { step: "closed", .. }),
        ),
        (
            "prepared twice",
            |it| repeat_first(it, |event| matches!(event, Event::LegPrepared { .. })),
            |it| matches!(it, Kind::LegStep { step: "prepared", .. }),
        ),
        (
            "released while held",
            |it| drop_first(it, |event| matches!(event, Event::ReservationClosed { .. })),
            |it| matches!(it, Kind::LegStep { step: "released", .. }),
        ),
        (
            "running twice",
            |it| repeat_first(it, |event| matches!(event, Event::PartStarted { .. })),
            |it| matches!(it, Kind::PartStep { step: "running", .. }),
        ),
        (
            "started before it was held",
            |it| drop_first(it, |event| matches!(event, Event::ReservationHeld(_))),
            |it| matches!(it, Kind::PartStep { step: "started", .. }),
        ),
        (
            "too soon",
            |it| {
                way(it, |way, _| {
                    way.parts[0].start = time(9_000_000);
                    true
                })
            },
            |it| matches!(it, Kind::TooSoon { part: 0, .. }),
        ),
        (
            "before others",
            |it| {
                workflow(it, |way| {
                    for part in &mut way.parts {
                        part.after.iter_mut().for_each(|(_, lag)| *lag = span(999_999));
                    }
                })
            },
            |it| matches!(it, Kind::BeforeOthers { .. }),
        ),
        (
            "started in the future",
            |it| change!(it, Event::PartStarted { at, .. } => { *at = Time::MAX; true }),
            |it| matches!(it, Kind::WrongTime { .. }),
        ),
        (
            "ended before it started",
            |it| change!(it, Event::PartEnded { at, .. } => { *at = Time::MIN; true }),
            |it| matches!(it, Kind::WrongTime { .. }),
        ),
    ]);
}
