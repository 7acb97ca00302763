//! Worlds in which jobs are assigned to sites that sell capacity, and worlds in which tasks are late.

#![allow(clippy::unwrap_used, reason = "a test binary")]

use std::collections::{BTreeMap, BTreeSet};
use walras_broker::Event;
use walras_broker::allocation::Part;
use walras_broker::event::{CycleEvent, ReservationEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::{Unassigned, Why};
use walras_broker::journal::Entry;
use walras_world::{Settings, live};

fn events(journal: &[Entry]) -> impl Iterator<Item = &Event> {
    journal.iter().flat_map(|entry| &entry.events)
}

/// The checks of a world see every promise, every bill and, through the auditor, the whole journal.
#[test]
fn jobs_are_assigned_by_many_methods() {
    let mut methods = BTreeSet::new();
    let (mut served, mut rolled) = (0, 0);
    for seed in 1..=60 {
        let outcome = live(&Settings { seed, ..Settings::default() });
        assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}");
        let mut waited: BTreeSet<JobNumber> = BTreeSet::new();
        for event in events(&outcome.journal) {
            let Event::Cycle(CycleEvent::Decided { verdict, .. }) = event else { continue };
            let rolls = |why: &Why| matches!(why, Why::Unassigned(Unassigned::NoRoom | Unassigned::NotDue));
            let without = verdict.unserved.iter().filter(|unserved| rolls(&unserved.why));
            if let Some(round) = verdict.assigned.as_deref() {
                methods.insert(round.method);
                served += round.served.len();
                rolled += round.served.iter().filter(|job| waited.contains(job)).count();
            }
            waited.extend(without.map(|unserved| unserved.job));
        }
    }
    assert!(served > 20 && rolled > 0, "{served} jobs were assigned, {rolled} of them after another round");
    assert!(methods.len() > 4, "{methods:?}");
}

/// What was prepared for a late task is used: tasks behind it go to another node, in the same window. The checks of a world see that nothing
/// of it breaks a promise.
#[test]
fn schedules_follow_late_tasks() {
    let (mut late, mut elsewhere) = (0, 0);
    for seed in 1..=30 {
        let outcome = live(&Settings { seed, late: true, ..Settings::default() });
        assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}");
        let mut planned: BTreeMap<ReservationNumber, Vec<Part>> = BTreeMap::new();
        for event in events(&outcome.journal) {
            match event {
                Event::Reservation(ReservationEvent::Asked { reservation, allocation, .. }) => {
                    planned.insert(*reservation, allocation.parts.clone());
                }
                Event::Reservation(ReservationEvent::Rescheduled { reservation, parts, why }) => {
                    let before = planned.insert(*reservation, parts.clone()).unwrap_or_default();
                    let place = |part: &Part| (part.site, part.hold);
                    let moved = before.iter().map(place).ne(parts.iter().map(place));
                    late += usize::from(*why == Why::Late);
                    elsewhere += usize::from(*why == Why::Late && moved);
                }
                _ => {}
            }
        }
    }
    assert!(late > 10, "{late} schedules followed a late task");
    assert!(elsewhere > 5, "{elsewhere} of {late} schedules went to other nodes, as was prepared");
}
