//! Chains that are planned ahead, and quoted: honest brokers are not accused, and others are found out.

use crate::edit::{Journal, change, drop_first, find};
use crate::world::{World, audit, job, span, submit, time};
use std::sync::Arc;
use walras_audit::FindingKind;
use walras_broker::Event;
use walras_broker::chain::ChainMember;
use walras_broker::event::{JobEvent, QuoteEvent};
use walras_broker::gate::{Condition, Dependency, Which};
use walras_broker::id::JobNumber;
use walras_broker::input::{Answer, Input};
use walras_broker::job::Why;
use walras_broker::policy::{Deciding, Policy, PromisePolicy};

/// A chain of three is submitted, and another is quoted and taken; both run to their ends.
fn story() -> Journal {
    let mut world = World::default();
    let deciding = Deciding::Promise(PromisePolicy::default());
    world.say(Input::SetPolicy(Box::new(Policy { deciding, lead: span(2_000), ..Policy::default() })));
    world.site("north", "nora", &[1, 1]);
    world.user("ada", None, 100_000);
    world.run_until(100_000);
    let mut before: Option<JobNumber> = None;
    for link in 0..3 {
        let mut spec = job("ada", 1, 100);
        spec.gate.after = before
            .map(|before| Dependency { on: Which::whole(before), condition: Condition::Ok })
            .into_iter()
            .collect();
        let Answer::Job(number) = world.say(submit(&format!("link-{link}"), spec)) else {
            panic!("not taken")
        };
        before = Some(number);
    }
    world.run_until(world.now + 5_000);
    let member = |place: u32| ChainMember {
        job: Arc::new(job("ada", 1, 100)),
        after: place.checked_sub(1).map(|before| (before, Condition::Any)).into_iter().collect(),
    };
    let asked = Input::AskChain { key: "chain".into(), members: vec![member(0), member(1)] };
    let Answer::Quote(quote) = world.say(asked) else { panic!("no quote") };
    let accept = Input::Accept { user: Some("ada".into()), key: "yes".into(), quote, option: 0 };
    let Answer::Chain(jobs) = world.say(accept) else { panic!("not taken") };
    assert_eq!(jobs.len(), 2);
    world.run_until(world.now + 3_000_000);
    assert!(world.broker.state().jobs.is_empty());
    world.journal
}

fn kinds(journal: &Journal) -> Vec<FindingKind> {
    audit(journal).0.into_iter().map(|finding| finding.kind).collect()
}

fn is_second(event: &Event) -> bool {
    matches!(event, Event::Job(JobEvent::Planned { job, .. }) if job.get() == 2)
}

#[test]
fn an_honest_broker_is_not_accused() {
    let journal = story();
    // The second was planned before the first had ended.
    let (planned, _) = find(&journal, is_second);
    let freed = |event: &Event| matches!(event, Event::Job(JobEvent::Freed(job)) if job.get() == 2);
    assert!(planned < find(&journal, freed).0);
    assert_eq!(kinds(&journal), []);
}

#[test]
fn what_is_wrong_with_a_chain_is_found() {
    type Corrupt = fn(&mut Journal);
    type Found = fn(&FindingKind) -> bool;
    let cases: [(&str, Corrupt, Found); 7] = [
        (
            "starts before those it waits for have ended as promised",
            |it| {
                let first = |event: &Event| matches!(event, Event::Job(JobEvent::Planned { job, .. }) if job.get() == 1);
                let (entry, place) = find(it, first);
                if let Event::Job(JobEvent::Planned { promise, .. }) = &mut it[entry].events[place] {
                    promise.finish = time(promise.finish.as_millis() + 3_600_000);
                }
            },
            |it| matches!(it, FindingKind::BadPlan { job, .. } if job.get() == 2),
        ),
        (
            "is reserved before it is freed",
            |it| {
                drop_first(it, |event| matches!(event, Event::Job(JobEvent::Freed(job)) if job.get() == 2));
            },
            |it| matches!(it, FindingKind::JobNotFree { job } if job.get() == 2),
        ),
        (
            "loses its window although nobody is late",
            |it| {
                let (entry, _) = find(it, is_second);
                let why = Why::Waits(Box::default());
                it[entry].events.push(Event::Job(JobEvent::Returned { job: JobNumber::new(2), why }));
            },
            |it| matches!(it, FindingKind::JobNotReturning { job } if job.get() == 2),
        ),
        (
            "is promised anew although nothing is lost",
            |it| {
                let (entry, place) = find(it, is_second);
                let mut again = it[entry].events[place].clone();
                if let Event::Job(JobEvent::Planned { promise, renewed, .. }) = &mut again {
                    *renewed = true;
                    promise.start = time(promise.start.as_millis() + 1_000);
                    promise.finish = time(promise.finish.as_millis() + 1_000);
                }
                it[entry].events.push(again);
            },
            |it| matches!(it, FindingKind::PromiseChanged { job } if job.get() == 2),
        ),
        (
            "is quoted before those it waits for",
            |it| {
                change!(it, Event::Quote(QuoteEvent::ChainGiven { members, .. }) => {
                    let mut all = members.to_vec();
                    all[0].promise.finish = time(all[0].promise.finish.as_millis() + 3_600_000);
                    *members = all.into();
                    true
                });
            },
            |it| matches!(it, FindingKind::WrongOption { option: 1, .. }),
        ),
        (
            "is taken without all of its jobs",
            |it| {
                drop_first(
                    it,
                    |event| matches!(event, Event::Job(JobEvent::Planned { job, .. }) if job.get() == 5),
                );
            },
            |it| matches!(it, FindingKind::NotAsQuoted { .. }),
        ),
        (
            "is promised other than it was quoted",
            |it| {
                change!(it, Event::Job(JobEvent::Planned { job, promise, .. }) => {
                    promise.start = time(promise.start.as_millis() + 1_000);
                    job.get() == 5
                });
            },
            |it| matches!(it, FindingKind::BadPlan { job, .. } if job.get() == 5),
        ),
    ];
    for (name, corrupt, is_it) in cases {
        let mut journal = story();
        corrupt(&mut journal);
        let found = kinds(&journal);
        assert!(found.iter().any(is_it), "{name}: {found:?}");
    }
}
