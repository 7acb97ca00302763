//! Every kind of finding, each from a journal that was corrupted in that allocation.

use crate::edit::{Journal, before_asked, change, drop_first, edit, find, repeat_first, spec};
use crate::story::{NORTH, again, journal};
use crate::world::{audit, interval, time};
use walras_audit::FindingKind;
use walras_audit::finding::{EndFault, Thing};
use walras_broker::Event;
use walras_broker::event::{CycleEvent, JobEvent, ReservationEvent, SiteEvent, VoEvent};
use walras_broker::input::{Input, SiteMessage};
use walras_broker::job::{JobEnd, Why};
use walras_broker::reservation::Origin;
use walras_model::{NodeId, SiteId};

/// What is done to a journal, and what must be found in it then.
pub(crate) type Case = (&'static str, fn(&mut Journal), fn(&FindingKind) -> bool);

/// Corrupts the day's journal in each allocation, and looks for what must be found.
pub(crate) fn check(cases: &[Case]) {
    let day = journal();
    for (name, corrupt, expected) in cases {
        let mut journal = day.clone();
        corrupt(&mut journal);
        assert!(journal != day, "{name}: nothing was corrupted");
        let (found, _) = audit(&journal);
        let all: Vec<String> = found.iter().map(|it| format!("{it:?}")).collect();
        assert!(found.iter().any(|it| expected(&it.kind)), "{name} was not found among {all:?}");
    }
}

#[test]
fn journals() {
    check(&[
        ("no events", |it| it[5].events.clear(), |it| *it == FindingKind::NoEvents),
        ("time", |it| it[99].at = time(-5), |it| matches!(it, FindingKind::TimeWentBack { .. })),
        (
            "number",
            |it| change!(it, Event::Job(JobEvent::Queued { job, .. }) => { *job = job.next(); true }),
            |it| matches!(it, FindingKind::NumberOutOfOrder { thing: Thing::Job, number: 2, expected: 1 }),
        ),
        (
            "gone",
            |it| repeat_first(it, |event| matches!(event, Event::Job(JobEvent::Ended { .. }))),
            |it| matches!(it, FindingKind::NotThere { thing: Thing::Job, .. }),
        ),
        (
            "site",
            |it| change!(it, Event::Site(SiteEvent::PricesSet { site, .. }) => { *site = SiteId::new(9); true }),
            |it| *it == FindingKind::NoSuchSite(SiteId::new(9)),
        ),
        (
            "node",
            |it| change!(it, Event::Site(SiteEvent::NodeLost { node, .. }) => { *node = NodeId::new(99); true }),
            |it| *it == FindingKind::NoSuchNode(NodeId::new(99)),
        ),
        (
            "user",
            |it| {
                spec(it, |spec| {
                    spec.user = "eve".into();
                    true
                })
            },
            |it| *it == FindingKind::NoSuchUser("eve".into()),
        ),
        (
            "request",
            |it| {
                let key = |event: &Event| matches!(event, Event::Job(JobEvent::Queued { key, .. }) if key.key == "a2");
                let (entry, event) = find(it, key);
                let Event::Job(JobEvent::Queued { key, .. }) = &mut it[entry].events[event] else { return };
                key.key = "a1".into();
            },
            |it| matches!(it, FindingKind::RequestTwice { key, .. } if key == "a1"),
        ),
        (
            "unsaid",
            |it| change!(it, Event::Cycle(CycleEvent::OffersReceived { site, .. }) => { *site = SiteId::new(9); true }),
            |it| *it == FindingKind::Unprompted { event: "offers-received" },
        ),
        (
            "node twice",
            |it| repeat_first(it, |event| matches!(event, Event::Site(SiteEvent::NodeLost { .. }))),
            |it| matches!(it, FindingKind::NodeAlready { .. }),
        ),
        (
            "site twice",
            |it| repeat_first(it, |event| matches!(event, Event::Site(SiteEvent::Lost { .. }))),
            |it| matches!(it, FindingKind::SiteAlready { .. }),
        ),
        (
            "left there",
            |it| {
                let (entry, _) = find(it, |event| matches!(event, Event::Site(SiteEvent::NodeLost { .. })));
                it[entry].events.truncate(1);
            },
            |it| matches!(it, FindingKind::LeftThere { .. }),
        ),
        (
            "left on a taken node",
            |it| {
                let (entry, _) = find(it, |event| matches!(event, Event::Site(SiteEvent::NodeTaken { .. })));
                it[entry].events.truncate(1);
            },
            |it| matches!(it, FindingKind::LeftThere { .. }),
        ),
        (
            "left on a site",
            |it| {
                let (entry, _) = find(it, |event| matches!(event, Event::Site(SiteEvent::Lost { .. })));
                it[entry].events.truncate(1);
            },
            |it| matches!(it, FindingKind::LeftThere { .. }),
        ),
    ]);
}

fn ends_as(journal: &mut Journal, from: fn(&JobEnd) -> bool, to: JobEnd) {
    edit(journal, |event, _| match event {
        Event::Job(JobEvent::Ended { end, .. }) if from(end) => {
            *end = to.clone();
            true
        }
        _ => false,
    });
}

fn wrong(kind: &FindingKind, why: EndFault) -> bool {
    matches!(kind, FindingKind::WrongEnd { why: found, .. } if *found == why)
}

#[test]
fn jobs() {
    check(&[
        (
            "not free",
            |it| change!(it, Event::Reservation(ReservationEvent::Asked { origin, .. }) => { *origin = Origin::Spare; true }),
            |it| matches!(it, FindingKind::JobNotFree { .. }),
        ),
        (
            "not returning",
            |it| {
                let (entry, event) = find(it, |event| matches!(event, Event::Job(JobEvent::Queued { .. })));
                let Event::Job(JobEvent::Queued { job, .. }) = it[entry].events[event] else { return };
                it[entry].events.push(Event::Job(JobEvent::Returned { job, why: Why::LeftOut }));
            },
            |it| matches!(it, FindingKind::JobNotReturning { .. }),
        ),
        (
            "forgotten",
            |it| drop_first(it, |event| matches!(event, Event::Job(JobEvent::Returned { .. }))),
            |it| matches!(it, FindingKind::JobForgotten { .. }),
        ),
        (
            "ended while reserved",
            |it| {
                drop_first(it, |event| {
                    matches!(event, Event::Reservation(ReservationEvent::Closed { why: None, .. }))
                })
            },
            |it| wrong(it, EndFault::Reserved),
        ),
        (
            "not done",
            |it| change!(it, Event::Reservation(ReservationEvent::Closed { why: why @ None, .. }) => { *why = Some(Why::Late); true }),
            |it| wrong(it, EndFault::NotDone),
        ),
        (
            "not failed",
            |it| ends_as(it, |end| *end == JobEnd::Done, JobEnd::Failed(Why::Late)),
            |it| wrong(it, EndFault::NotFailed),
        ),
        (
            "not cancelled",
            |it| ends_as(it, |end| *end == JobEnd::Done, JobEnd::Cancelled),
            |it| wrong(it, EndFault::NotCancelled),
        ),
        (
            "in time",
            |it| ends_as(it, |end| *end == JobEnd::Cancelled, JobEnd::GivenUp(Why::DeadlinePassed)),
            |it| wrong(it, EndFault::InTime),
        ),
        (
            "attempts left",
            |it| {
                ends_as(
                    it,
                    |end| matches!(end, JobEnd::GivenUp(Why::DeadlinePassed)),
                    JobEnd::GivenUp(Why::Late),
                )
            },
            |it| wrong(it, EndFault::Attempts),
        ),
        (
            "no attempts left",
            |it| change!(it, Event::Vo(VoEvent::PolicySet(policy)) => { policy.attempts_max = 0; true }),
            |it| wrong(it, EndFault::Attempts),
        ),
        (
            "task twice",
            |it| {
                let mut kept = Vec::new();
                change!(it, Event::Reservation(ReservationEvent::Closed { why: Some(_), kept: first, .. }) => { kept.clone_from(first); !first.is_empty() });
                let from = find(
                    it,
                    |event| matches!(event, Event::Reservation(ReservationEvent::Closed { kept: first, .. }) if *first == kept),
                );
                let mut rest = it.split_off(from.0 + 1);
                change!(&mut rest, Event::Reservation(ReservationEvent::Closed { kept: later, .. }) => { let any = !later.is_empty(); later.extend(&kept); any });
                it.append(&mut rest);
            },
            |it| matches!(it, FindingKind::TaskTwice { .. }),
        ),
    ]);
}

#[test]
fn cycles() {
    check(&[
        (
            "step",
            |it| drop_first(it, |event| matches!(event, Event::Cycle(CycleEvent::Closed { .. }))),
            |it| matches!(it, FindingKind::CycleStep { step: "decided", .. }),
        ),
        (
            "asked",
            |it| change!(it, Event::Cycle(CycleEvent::Opened { asked, .. }) => { asked.push(NORTH); true }),
            |it| matches!(it, FindingKind::AskedWrongly { site: NORTH, .. }),
        ),
        (
            "offer",
            |it| repeat_first(it, |event| matches!(event, Event::Cycle(CycleEvent::OffersReceived { .. }))),
            |it| matches!(it, FindingKind::OfferUnasked { .. }),
        ),
        (
            "stranger",
            |it| change!(it, Event::Cycle(CycleEvent::Opened { batch, .. }) => { batch.extend(batch.first().copied()); !batch.is_empty() }),
            |it| matches!(it, FindingKind::BatchStranger { .. }),
        ),
        (
            "order",
            |it| change!(it, Event::Cycle(CycleEvent::Opened { batch, .. }) => { batch.reverse(); batch.len() > 1 }),
            |it| matches!(it, FindingKind::BatchOrder { .. }),
        ),
        (
            // Where users take turns, some may be left out.
            "size",
            |it| {
                change!(it, Event::Vo(VoEvent::PolicySet(policy)) => policy.sharing.take().is_some());
                change!(it, Event::Cycle(CycleEvent::Opened { batch, .. }) => batch.pop().is_some());
            },
            |it| matches!(it, FindingKind::BatchSize { .. }),
        ),
        (
            "score",
            |it| change!(it, Event::Cycle(CycleEvent::Opened { batch, .. }) => batch.first_mut().is_some_and(|it| { it.score += 1; true })),
            |it| matches!(it, FindingKind::WrongRank { aspect: "score", .. }),
        ),
        (
            "waiting",
            |it| change!(it, Event::Cycle(CycleEvent::Opened { batch, .. }) => batch.first_mut().is_some_and(|it| { it.aspects.waiting += 1; true })),
            |it| matches!(it, FindingKind::WrongRank { aspect: "waiting time", .. }),
        ),
    ]);
}

#[test]
fn a_job_that_may_still_run_is_not_started_again() {
    let mut journal = again().journal;
    assert_eq!(audit(&journal).0, []);
    drop_first(&mut journal, |event| {
        matches!(event, Event::Reservation(ReservationEvent::LegReleased { .. }))
    });
    let (found, _) = audit(&journal);
    assert!(found.iter().any(|it| matches!(it.kind, FindingKind::RunsTwice { .. })), "{found:?}");
}

#[test]
fn what_is_gone_is_not_reserved() {
    let at = time(1);
    let lost = (SiteMessage::Lost(at), Event::Site(SiteEvent::Lost { site: NORTH, at }));
    let node = NodeId::new(0);
    let taken = interval(0, 10_000_000);
    let said = |(message, event)| (Input::Site { site: NORTH, message }, event);
    let drained = Input::Drain { site: NORTH, nodes: vec![node], interval: taken };
    let all = [
        said(lost),
        said((SiteMessage::NodeLost { node, at }, Event::Site(SiteEvent::NodeLost { node, at }))),
        said((SiteMessage::NodeDown { node, at }, Event::Site(SiteEvent::NodeDown { node, at }))),
        said((
            SiteMessage::Nodes { at, nodes: Vec::new(), rates: Default::default() },
            Event::Site(SiteEvent::NodeGone { node, at }),
        )),
        said((
            SiteMessage::Taken { node, interval: taken },
            Event::Site(SiteEvent::NodeTaken { node, interval: taken }),
        )),
        (drained, Event::Site(SiteEvent::NodeDrained { node, interval: taken })),
    ];
    for (input, event) in all {
        let mut journal = journal();
        before_asked(&mut journal, input, event.clone());
        let (found, _) = audit(&journal);
        let bad = found.iter().any(|it| matches!(it.kind, FindingKind::BadAllocation { .. }));
        assert!(bad, "{event:?}: {found:?}");
    }
}
