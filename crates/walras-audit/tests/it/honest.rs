//! Journals of an honest broker among honest sites: nothing is found.

use crate::story::day;
use crate::world::audit;
use std::collections::BTreeSet;
use walras_broker::Event;

/// The names of all events of a journal: what they happened to, and what happened.
fn names(journal: &[walras_broker::journal::Entry]) -> BTreeSet<String> {
    let name = |event: &Event| {
        let first = |value: &serde_json::Value| {
            value.as_object().and_then(|it| it.iter().next()).map(|(key, inner)| (key.clone(), inner.clone()))
        };
        let (of, inner) = first(&serde_json::to_value(event).unwrap()).unwrap();
        format!("{of}/{}", first(&inner).unwrap().0)
    };
    journal.iter().flat_map(|entry| &entry.events).map(name).collect()
}

#[test]
fn an_eventful_day_is_clean() {
    let world = day();
    let (found, summary) = audit(&world.journal);
    assert!(found.is_empty(), "{}", found.iter().map(|it| format!("{it:?}\n")).collect::<String>());
    let totals = &world.broker.state().totals;
    assert_eq!((summary.done, summary.failed), (totals.done, totals.failed));
    assert_eq!((summary.cancelled, summary.given_up), (totals.cancelled, totals.given_up));
    assert_eq!(summary.charges, summary.income + summary.fees);
    assert!(summary.charges > 0 && summary.fees > 0 && summary.refunds > 0);
    assert_eq!((summary.total, summary.held), (0, 0));
    assert!(summary.open_jobs.is_empty() && summary.unreleased.is_empty(), "{summary:?}");
    assert_eq!((summary.quotes_accepted, summary.quotes_broken), (1, 1));
    let names = names(&world.journal);
    assert_eq!(names.len(), 36, "every kind of event happens: {names:?}");
}
