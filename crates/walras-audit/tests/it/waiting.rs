//! Jobs that wait, and arrays: honest brokers are not accused, and others are found out.

use crate::edit::{Journal, change, drop_first, edit, find, repeat_first, spec};
use crate::story::vo;
use crate::world::{audit, credits, job, submit};
use walras_audit::FindingKind;
use walras_broker::Event;
use walras_broker::event::JobEvent;
use walras_broker::gate::{Condition, Dependency, Which};
use walras_broker::input::{Answer, Input};
use walras_broker::job::{JobEnd, JobSpec, Why};
use walras_model::Money;

/// A job is held and let go, another waits for it, an array waits for that one, and a job waits in vain for one of its elements.
fn story() -> Journal {
    let mut world = vo();
    world.run_until(100_000);
    let mut submitted = |spec: JobSpec, key: &str| {
        let Answer::Job(number) = world.say(submit(key, spec)) else { panic!("not taken") };
        number
    };
    let mut first = job("ada", 1, 50);
    first.gate.held = true;
    let first = submitted(first, "first");
    let after = |mut spec: JobSpec, on: Which, condition: Condition| {
        spec.gate.after.insert(Dependency { on, condition });
        spec
    };
    let second = submitted(after(job("ada", 1, 50), Which::whole(first), Condition::Ok), "second");
    let mut many = after(job("ada", 1, 50), Which::whole(second), Condition::Any);
    many.array = Some("1-5%2".parse().unwrap());
    many.request.budget = Some(credits(5_000));
    let many = submitted(many, "many");
    let last = Which { job: many, element: Some(5) };
    submitted(after(job("ada", 1, 50), last, Condition::Ok), "vain");
    world.say(Input::Release { user: "ada".into(), job: first });
    world.run_until(world.now + 10_000);
    let fifth = world.broker.state().number_of(last).unwrap();
    world.say(Input::CancelJob { user: "ada".into(), job: fifth });
    world.run_until(world.now + 3_000_000);
    let state = world.broker.state();
    assert!(state.jobs.is_empty() && state.arrays.is_empty());
    world.journal
}

fn kinds(journal: &Journal) -> Vec<FindingKind> {
    audit(journal).0.into_iter().map(|finding| finding.kind).collect()
}

#[test]
fn an_honest_broker_is_not_accused() {
    let journal = story();
    let ended = |event: &&Event| matches!(event, Event::Job(JobEvent::Ended { end: JobEnd::Done, .. }));
    let all = journal.iter().flat_map(|entry| &entry.events);
    assert_eq!(all.filter(ended).count(), 6, "two jobs and four elements");
    assert_eq!(kinds(&journal), []);
}

#[test]
fn what_is_wrong_with_a_wait_or_an_array_is_found() {
    type Corrupt = fn(&mut Journal);
    type Found = fn(&FindingKind) -> bool;
    let cases: [(&str, Corrupt, Found); 8] = [
        (
            "is freed too soon",
            |it| {
                let queued = |event: &Event| matches!(event, Event::Job(JobEvent::Queued { job, .. }) if job.get() == 2);
                let (entry, _) = find(it, queued);
                let Event::Job(JobEvent::Queued { job, .. }) = it[entry].events[0] else { return };
                it[entry].events.push(Event::Job(JobEvent::Freed(job)));
            },
            |it| matches!(it, FindingKind::FreedWrongly { .. }),
        ),
        (
            "is not freed",
            |it| drop_first(it, |event| matches!(event, Event::Job(JobEvent::Freed(_)))),
            |it| matches!(it, FindingKind::LeftBehind { .. }),
        ),
        (
            "is let go by nobody",
            |it| drop_first(it, |event| matches!(event, Event::Job(JobEvent::Released(_)))),
            |it| matches!(it, FindingKind::FreedWrongly { .. }),
        ),
        (
            "is not given up in vain",
            |it| {
                drop_first(it, |event| {
                    matches!(
                        event,
                        Event::Job(JobEvent::Ended { end: JobEnd::GivenUp(Why::NeverMet(_)), .. })
                    )
                });
            },
            |it| matches!(it, FindingKind::LeftBehind { .. }),
        ),
        (
            "is drawn twice",
            |it| repeat_first(it, |event| matches!(event, Event::Job(JobEvent::Drawn { .. }))),
            |it| matches!(it, FindingKind::ElementTwice { .. }),
        ),
        (
            "has more at once than it may",
            |it| {
                spec(it, |spec| {
                    spec.array.take().is_some_and(|_| {
                        spec.array = "1-5%1".parse().ok();
                        true
                    })
                })
            },
            |it| matches!(it, FindingKind::TooManyAtOnce { .. }),
        ),
        (
            "costs more than its budget",
            |it| {
                let cheap = |spec: &mut JobSpec| {
                    let array = spec.array.is_some();
                    if array {
                        spec.request.budget = Some(Money::from_micros(1));
                    }
                    array
                };
                spec(it, cheap);
            },
            |it| matches!(it, FindingKind::BadAllocation { .. } | FindingKind::BadPlan { .. }),
        ),
        (
            "ends otherwise than its elements",
            |it| {
                edit(it, |event, _| match event {
                    Event::Job(JobEvent::Ended { end, .. }) if *end == JobEnd::Cancelled => {
                        *end = JobEnd::Done;
                        true
                    }
                    _ => false,
                });
            },
            |it| matches!(it, FindingKind::WrongEnd { .. }),
        ),
    ];
    for (name, corrupt, is_it) in cases {
        let mut journal = story();
        corrupt(&mut journal);
        let found = kinds(&journal);
        assert!(found.iter().any(is_it), "{name}: {found:?}");
    }
    // What is named must be there.
    let mut journal = story();
    change!(&mut journal, Event::Job(JobEvent::Queued { spec, .. }) => {
        let spec = std::sync::Arc::make_mut(spec);
        let some = !spec.gate.after.is_empty();
        let on = Which::whole(walras_broker::id::JobNumber::new(77));
        spec.gate.after = [Dependency { on, condition: Condition::Any }].into_iter().filter(|_| some).collect();
        some
    });
    assert!(kinds(&journal).iter().any(|it| matches!(it, FindingKind::NotThere { .. })));
}
