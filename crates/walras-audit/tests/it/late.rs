//! Jobs that are promised an end after their deadline.

use crate::story::{NORTH, only_on, vo};
use crate::world::{audit, job, span, submit, time};
use walras_audit::FindingKind;
use walras_audit::finding::AllocationFault;
use walras_broker::Event;
use walras_broker::event::VoEvent;
use walras_broker::input::Input;
use walras_broker::journal::Entry;
use walras_broker::policy::{Deciding, Policy, PromisePolicy};
use walras_core::agenda::Late;

/// Two jobs for all nodes of a site, of which the second cannot end by its deadline.
fn journal() -> Vec<Entry> {
    let mut world = vo();
    let rules = PromisePolicy { late: Late::Run, ..PromisePolicy::default() };
    let policy = Policy { deciding: Deciding::Promise(rules), lead: span(2_000), ..Policy::default() };
    world.say(Input::SetPolicy(Box::new(policy)));
    world.say(submit("b1", only_on(NORTH, job("bob", 2, 900))));
    world.run_until(world.now + 100_000);
    let mut second = only_on(NORTH, job("ada", 2, 300));
    second.request.deadline = Some(time(world.now + 400_000));
    world.say(submit("a1", second));
    world.run_until(world.now + 3_000_000);
    assert_eq!(world.broker.state().totals.done, 2);
    world.journal
}

#[test]
fn who_is_late_is_bound_by_its_promise() {
    let (found, _) = audit(&journal());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn nobody_is_promised_a_late_end_where_the_rules_refuse_it() {
    let mut journal = journal();
    for event in journal.iter_mut().flat_map(|entry| &mut entry.events) {
        if let Event::Vo(VoEvent::PolicySet(policy)) = event
            && let Deciding::Promise(rules) = &mut policy.deciding
        {
            rules.late = Late::Refused;
        }
    }
    let (found, _) = audit(&journal);
    let late = |kind: &FindingKind| {
        matches!(kind, FindingKind::BadPlan { fault: Some(AllocationFault::AfterDeadline), .. })
    };
    assert!(found.iter().any(|it| late(&it.kind)), "{found:?}");
}
