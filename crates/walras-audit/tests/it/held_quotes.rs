//! Quotes that sites hold: honest brokers are not accused, and others are found out.

use crate::edit::{Journal, change, drop_first, edit};
use crate::story::{NORTH, SOUTH, only_on, vo};
use crate::world::{World, audit, job, span, time};
use walras_audit::FindingKind;
use walras_broker::event::{JobEvent, QuoteEvent, ReservationEvent};
use walras_broker::id::QuoteNumber;
use walras_broker::input::{Answer, Input, SiteMessage};
use walras_broker::job::{JobSpec, Why};
use walras_broker::{Event, account::Account};
use walras_model::{Money, NodeId};

fn held(world: &mut World, key: &str, spec: JobSpec) -> QuoteNumber {
    let hold = Some(span(120_000));
    let asked = Input::AskQuote { key: key.into(), job: Box::new(spec), findings: None, hold };
    let Answer::Quote(number) = world.say(asked) else { panic!("no quote") };
    world.run_until(world.now + 1_000);
    number
}

/// One quote is taken, one is not, one loses its node and one its site's word, and one is taken after that.
fn story() -> Journal {
    let mut world = vo();
    world.run_until(100_000);
    let taken = held(&mut world, "taken", job("ada", 1, 50));
    world.say(Input::Accept { user: None, key: "yes".into(), quote: taken, option: 0 });
    held(&mut world, "left", job("bob", 1, 50));
    world.run_until(world.now + 400_000);
    let unlucky = held(&mut world, "unlucky", only_on(SOUTH, job("bob", 2, 50)));
    let now = world.now;
    world.hear(SOUTH, SiteMessage::NodeLost { node: NodeId::new(2), at: time(now) });
    world.hear(SOUTH, SiteMessage::NodeBack { node: NodeId::new(2), at: time(now + 1) });
    world.run_until(world.now + 1_000);
    world.say(Input::Accept { user: None, key: "still".into(), quote: unlucky, option: 0 });
    world.refuse.insert(NORTH);
    held(&mut world, "refused", only_on(NORTH, job("ada", 1, 50)));
    world.run_until(world.now + 2_000_000);
    assert!(world.broker.state().jobs.is_empty() && world.broker.state().reservations.is_empty());
    world.journal
}

fn kinds(journal: &Journal) -> Vec<FindingKind> {
    audit(journal).0.into_iter().map(|finding| finding.kind).collect()
}

#[test]
fn an_honest_broker_is_not_accused() {
    let journal = story();
    let events = || journal.iter().flat_map(|entry| &entry.events);
    let offered = |event: &&Event| matches!(event, Event::Job(JobEvent::Offered { .. }));
    let withdrawn = |event: &&Event| matches!(event, Event::Job(JobEvent::Withdrawn(_)));
    assert!(events().filter(offered).count() > events().filter(withdrawn).count());
    let paid = |event: &&Event| {
        let Event::Reservation(ReservationEvent::Closed { why: Some(Why::NotTaken), transaction, .. }) =
            event
        else {
            return false;
        };
        let charge = walras_broker::account::Purpose::Charge;
        transaction.taken(&Account::Held, charge) > Money::ZERO
    };
    assert!(events().any(|event| paid(&event)), "what was held and not taken is paid");
    assert_eq!(kinds(&journal), []);
}

#[test]
fn what_is_wrong_with_a_held_quote_is_found() {
    type Corrupt = fn(&mut Journal);
    type Found = fn(&FindingKind) -> bool;
    let cases: [(&str, Corrupt, Found); 5] = [
        (
            "starts before its quote ends",
            |it| {
                edit(it, |event, at| match event {
                    Event::Quote(QuoteEvent::Given { until, holds, .. }) if !holds.is_empty() => {
                        *until = at.checked_add(span(86_400_000)).unwrap();
                        true
                    }
                    _ => false,
                });
            },
            |it| matches!(it, FindingKind::NotHeld { .. }),
        ),
        (
            "is not what is listed",
            |it| change!(it, Event::Quote(QuoteEvent::Given { holds, .. }) => { let some = !holds.is_empty(); holds.clear(); some }),
            |it| matches!(it, FindingKind::NotHeld { .. }),
        ),
        (
            "is kept although another was taken",
            |it| drop_first(it, |event| matches!(event, Event::Job(JobEvent::Withdrawn(_)))),
            |it| matches!(it, FindingKind::JobForgotten { .. } | FindingKind::NotHeld { .. }),
        ),
        (
            "is paid with more than its share",
            |it| change!(it, Event::Reservation(ReservationEvent::Closed { why: why @ Some(Why::NotTaken), .. }) => { *why = Some(Why::Cancelled); true }),
            |it| matches!(it, FindingKind::WrongReason { .. } | FindingKind::WrongSettlement { .. }),
        ),
        (
            "is another's reservation",
            |it| change!(it, Event::Quote(QuoteEvent::Accepted { reservation, .. }) => { *reservation = walras_broker::id::ReservationNumber::new(99); true }),
            |it| matches!(it, FindingKind::NotAsQuoted { .. }),
        ),
    ];
    for (name, corrupt, is_it) in cases {
        let mut journal = story();
        corrupt(&mut journal);
        let found = kinds(&journal);
        assert!(found.iter().any(is_it), "{name}: {found:?}");
    }
}
