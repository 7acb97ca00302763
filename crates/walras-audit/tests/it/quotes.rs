//! Corrupted quotes, and what is found in them.

use crate::corrupt::check;
use crate::edit::{change, drop_first, edit};
use crate::promises::moved;
use crate::world::credits;
use std::sync::Arc;
use walras_audit::FindingKind;
use walras_broker::Event;
use walras_broker::event::{QuoteEvent, ReservationEvent};
use walras_broker::reservation::Origin;
use walras_model::Time;

#[test]
fn quotes() {
    check(&[
        (
            "late",
            |it| {
                edit(it, |event, at| match event {
                    Event::Quote(QuoteEvent::Given { until, .. }) => {
                        *until = at;
                        true
                    }
                    _ => false,
                })
            },
            |it| matches!(it, FindingKind::QuoteTime { .. }),
        ),
        (
            "expired early",
            |it| {
                edit(it, |event, _| match event {
                    Event::Quote(QuoteEvent::Given { quote, until, .. }) if quote.get() == 2 => {
                        *until = Time::MAX;
                        true
                    }
                    _ => false,
                })
            },
            |it| matches!(it, FindingKind::QuoteTime { until: Time::MAX, .. }),
        ),
        (
            "option",
            |it| change!(it, Event::Quote(QuoteEvent::Accepted { option, .. }) => { *option = 99; true }),
            |it| matches!(it, FindingKind::NoSuchOption { option: 99, .. }),
        ),
        (
            "not honoured",
            |it| {
                drop_first(it, |event| {
                    matches!(
                        event,
                        Event::Reservation(ReservationEvent::Asked { origin: Origin::Quote(_), .. })
                    )
                })
            },
            |it| matches!(it, FindingKind::NotAsQuoted { .. }),
        ),
        (
            "honoured otherwise",
            |it| {
                edit(it, |event, _| match event {
                    Event::Reservation(ReservationEvent::Asked {
                        origin: Origin::Quote(_),
                        allocation,
                        ..
                    }) => {
                        let hold = &mut Arc::make_mut(allocation).legs[0].holds[0];
                        hold.interval = moved(hold.interval, 1);
                        true
                    }
                    _ => false,
                })
            },
            |it| matches!(it, FindingKind::NotAsQuoted { .. }),
        ),
        (
            "dominated",
            |it| change!(it, Event::Quote(QuoteEvent::Given { options, .. }) => { *options = options.iter().chain(&options[..1]).cloned().collect(); true }),
            |it| matches!(it, FindingKind::Dominated { option: 0, .. }),
        ),
        (
            "price",
            |it| change!(it, Event::Quote(QuoteEvent::Given { options, .. }) => { Arc::make_mut(options)[0].price = credits(1); true }),
            |it| matches!(it, FindingKind::WrongOption { option: 0, .. }),
        ),
        (
            "reason",
            |it| change!(it, Event::Quote(QuoteEvent::Given { options, why, .. }) => options.is_empty() && why.take().is_some()),
            |it| matches!(it, FindingKind::NoReason { .. }),
        ),
    ]);
}
