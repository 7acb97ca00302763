//! Corrupted reservations and parts, and what is found in them.

use crate::corrupt::check;
use crate::edit::{Journal, allocation, change, edit, find, spec};
use crate::world::{credits, time};
use walras_audit::FindingKind;
use walras_audit::finding::AllocationFault;
use walras_broker::Event;
use walras_broker::allocation::Allocation;
use walras_broker::event::ReservationEvent;
use walras_broker::reservation::Origin;
use walras_model::{Interval, Money, NodeId, Performance, Requirement, SiteId, Test, Time, Value, Work};

/// Whether an alternative was found to be bad in just this manner.
fn bad(kind: &FindingKind, like: impl Fn(&AllocationFault) -> bool) -> bool {
    matches!(kind, FindingKind::BadAllocation { fault, .. } if like(fault))
}

pub(crate) fn moved(interval: Interval, by: i64) -> Interval {
    let to = |it: Time| time(it.as_millis() + by);
    Interval::new(to(interval.start()), to(interval.end())).unwrap()
}

fn is_parallel(allocation: &Allocation) -> bool {
    allocation.parts.iter().all(|part| part.task.is_none())
}

#[test]
fn places() {
    check(&[
        (
            "empty",
            |it| {
                allocation(it, |allocation, _| {
                    allocation.parts.clear();
                    true
                })
            },
            |it| bad(it, |it| *it == AllocationFault::Empty),
        ),
        (
            "site twice",
            |it| {
                allocation(it, |allocation, _| {
                    allocation.legs.push(allocation.legs[0].clone());
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::SiteTwice(_))),
        ),
        (
            "no site",
            |it| {
                allocation(it, |allocation, _| {
                    allocation.legs[0].site = SiteId::new(9);
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::NoSite(_))),
        ),
        (
            "not of its site",
            |it| {
                allocation(it, |allocation, _| {
                    allocation.legs[0].holds[0].node = Some(NodeId::new(99));
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::NotOfSite { .. })),
        ),
        (
            "no queue",
            |it| allocation(it, |allocation, _| allocation.legs[0].holds[0].node.take().is_some()),
            |it| bad(it, |it| matches!(it, AllocationFault::NotAQueue(_))),
        ),
        (
            "double booked",
            |it| {
                allocation(it, |allocation, _| {
                    let hold = allocation.legs[0].holds[0];
                    allocation.legs[0].holds.push(hold);
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::DoubleBooked { .. })),
        ),
        (
            "not released",
            |it| {
                // What the first reservation held is reserved again, although nobody has let it go.
                let (entry, event) =
                    find(it, |event| matches!(event, Event::Reservation(ReservationEvent::Asked { .. })));
                let Event::Reservation(ReservationEvent::Asked { allocation: first, .. }) =
                    it[entry].events[event].clone()
                else {
                    return;
                };
                edit(it, |event, _| match event {
                    Event::Reservation(ReservationEvent::Asked { reservation, allocation, .. })
                        if reservation.get() == 2 =>
                    {
                        *allocation = first.clone();
                        true
                    }
                    _ => false,
                });
            },
            |it| bad(it, |it| matches!(it, AllocationFault::DoubleBooked { other, .. } if other.get() == 1)),
        ),
        (
            "past",
            |it| {
                allocation(it, |allocation, at| {
                    let hold = &mut allocation.legs[0].holds[0];
                    hold.interval = moved(hold.interval, at.as_millis() - hold.interval.start().as_millis());
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::Past(_))),
        ),
        (
            "cost",
            |it| {
                allocation(it, |allocation, _| {
                    allocation.legs[0].holds[0].cost = Money::from_micros(1);
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::WrongCost { cost: 1, .. })),
        ),
        (
            "expiry",
            |it| change!(it, Event::Reservation(ReservationEvent::Asked { expiry, .. }) => { *expiry = Time::MAX; true }),
            |it| bad(it, |it| *it == AllocationFault::WrongExpiry),
        ),
        (
            "spare",
            |it| change!(it, Event::Reservation(ReservationEvent::Asked { origin, .. }) => { *origin = Origin::Spare; true }),
            |it| bad(it, |it| *it == AllocationFault::NotASpare),
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
            |it| bad(it, |it| *it == AllocationFault::AfterDeadline),
        ),
        (
            "earliest",
            |it| {
                spec(it, |spec| {
                    spec.request.earliest = Some(time(9_000_000));
                    true
                })
            },
            |it| bad(it, |it| *it == AllocationFault::BeforeEarliest),
        ),
        (
            "budget",
            |it| {
                spec(it, |spec| {
                    spec.request.budget = Some(credits(1));
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::OverBudget { limit: 1_000_000, .. })),
        ),
        (
            "count",
            |it| {
                spec(it, |spec| {
                    spec.request.tasks += 1;
                    true
                })
            },
            |it| bad(it, |it| *it == AllocationFault::WrongCount),
        ),
        (
            "starts",
            |it| {
                allocation(it, |allocation, _| {
                    let mut holds = allocation.legs.iter_mut().flat_map(|leg| &mut leg.holds);
                    let (first, second) = (holds.next(), holds.next());
                    first.zip(second).is_some_and(|(first, _)| {
                        first.interval = moved(first.interval, 1);
                        true
                    })
                })
            },
            |it| bad(it, |it| *it == AllocationFault::StartsApart),
        ),
        (
            "length",
            |it| {
                spec(it, |spec| {
                    spec.request.work = Work::from_millis(7).unwrap();
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::WrongLength { .. })),
        ),
        (
            "slow",
            |it| {
                spec(it, |spec| {
                    spec.request.performance_min = Performance::from_millionths(9_000_000).unwrap();
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::TooSlow(_))),
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
            |it| bad(it, |it| matches!(it, AllocationFault::Unmet(_))),
        ),
        (
            "scope",
            |it| {
                spec(it, |spec| {
                    spec.request.scope.sites = Some(vec![]);
                    true
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::OutOfScope(_))),
        ),
    ]);
}

/// Changes the parts of the first workflow that is reserved.
pub(crate) fn workflow(journal: &mut Journal, change: impl Fn(&mut Allocation)) {
    allocation(journal, |allocation, _| {
        let found = !is_parallel(allocation);
        if found {
            change(allocation);
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
                allocation(it, |allocation, _| {
                    allocation.parts[0].end = Time::MAX;
                    true
                })
            },
            |it| bad(it, |it| *it == AllocationFault::PartOutside(0)),
        ),
        (
            "parts of a parallel job",
            |it| allocation(it, |allocation, _| is_parallel(allocation) && allocation.parts.pop().is_some()),
            |it| bad(it, |it| *it == AllocationFault::WrongTasks),
        ),
        (
            "tasks",
            |it| workflow(it, |allocation| drop(allocation.parts.pop())),
            |it| bad(it, |it| *it == AllocationFault::WrongTasks),
        ),
        (
            "data",
            |it| workflow(it, |allocation| allocation.parts.iter_mut().for_each(|part| part.after.clear())),
            |it| bad(it, |it| matches!(it, AllocationFault::BeforeData(_))),
        ),
        (
            "overlap",
            |it| {
                workflow(it, |allocation| {
                    let first = allocation.parts[0].clone();
                    for part in &mut allocation.parts {
                        (part.site, part.hold, part.start, part.end) =
                            (first.site, first.hold, first.start, first.end);
                    }
                })
            },
            |it| bad(it, |it| matches!(it, AllocationFault::PartsOverlap(_))),
        ),
        (
            "moved",
            |it| change!(it, Event::Reservation(ReservationEvent::Rescheduled { parts, .. }) => { parts[2].start = time(0); true }),
            |it| matches!(it, FindingKind::BadSchedule { part: 2, fault: AllocationFault::Moved, .. }),
        ),
        (
            "moved outside",
            |it| change!(it, Event::Reservation(ReservationEvent::Rescheduled { parts, .. }) => { parts[3].end = Time::MAX; true }),
            |it| {
                matches!(it, FindingKind::BadSchedule { part: 3, fault: AllocationFault::PartOutside(3), .. })
            },
        ),
        (
            "moved onto another",
            |it| {
                change!(it, Event::Reservation(ReservationEvent::Rescheduled { parts, .. }) => {
                    (parts[3].hold, parts[3].start, parts[3].end) = (parts[1].hold, parts[1].start, parts[1].end);
                    true
                })
            },
            |it| matches!(it, FindingKind::BadSchedule { fault: AllocationFault::PartsOverlap(_), .. }),
        ),
    ]);
}
