//! Jobs that are assigned to sites that sell capacity.

use crate::world::{World, audit, job, span, submit};
use walras_audit::FindingKind;
use walras_broker::Event;
use walras_broker::decision::{AssignedRound, Verdict};
use walras_broker::event::CycleEvent;
use walras_broker::input::Input;
use walras_broker::journal::Entry;
use walras_broker::policy::{Deciding, Method, Policy};

/// Three jobs for two sites of two nodes: one of them has to wait for another round.
fn journal(method: Method) -> Vec<Entry> {
    let mut world = World::default();
    let policy =
        Policy { deciding: Deciding::AtOnce, lead: span(30_000), assign: Some(method), ..Policy::default() };
    world.say(Input::SetPolicy(Box::new(policy)));
    world.capacity("north", "nora", &[1, 1]);
    world.capacity("south", "sol", &[2, 2]);
    world.user("ada", None, 100_000);
    for key in ["a1", "a2", "a3"] {
        world.say(submit(key, job("ada", 2, 300)));
    }
    world.run_until(2_000_000);
    assert_eq!(world.broker.state().totals.done, 3);
    world.journal
}

fn verdicts(journal: &mut [Entry]) -> impl Iterator<Item = &mut Verdict> {
    journal.iter_mut().flat_map(|entry| &mut entry.events).filter_map(|event| match event {
        Event::Cycle(CycleEvent::Decided { verdict, .. }) => Some(&mut **verdict),
        _ => None,
    })
}

/// What is found when every round is changed.
fn found_when(change: impl Fn(&mut AssignedRound)) -> Vec<FindingKind> {
    let mut journal = journal(Method::Exact);
    verdicts(&mut journal).filter_map(|verdict| verdict.assigned.as_deref_mut()).for_each(change);
    audit(&journal).0.into_iter().map(|found| found.kind).collect()
}

#[test]
fn rounds_are_what_they_are_said_to_be() {
    for method in [Method::Greedy, Method::Mmc, Method::Hga, Method::Lpga, Method::Exact, Method::Split] {
        let mut journal = journal(method);
        assert!(verdicts(&mut journal).filter(|it| it.assigned.is_some()).count() >= 2, "{method:?}");
        let (found, _) = audit(&journal);
        assert!(found.is_empty(), "{method:?}: {found:?}");
    }
}

#[test]
fn a_round_by_another_method_is_found() {
    let found = found_when(|round| round.method = Method::Greedy);
    assert!(found.iter().any(|kind| matches!(kind, FindingKind::BadRound { .. })), "{found:?}");
}

#[test]
fn a_round_before_its_time_is_found() {
    let mut journal = journal(Method::Exact);
    for event in journal.iter_mut().flat_map(|entry| &mut entry.events) {
        if let Event::Vo(walras_broker::event::VoEvent::PolicySet(policy)) = event {
            policy.cycle_every = span(100_000_000);
        }
    }
    let (found, _) = audit(&journal);
    assert!(found.iter().any(|it| matches!(it.kind, FindingKind::BadRound { .. })), "{found:?}");
}

#[test]
fn a_job_on_such_a_site_that_no_round_has_assigned_is_found() {
    let out = |kind: &FindingKind| matches!(kind, FindingKind::OutOfRound { .. });
    assert!(found_when(|round| round.served.clear()).iter().any(out));
    let later = found_when(|round| round.start = round.start.checked_add(span(1)).unwrap());
    assert!(later.iter().any(out), "{later:?}");
}
