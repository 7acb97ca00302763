//! Ways to corrupt a journal.

use std::sync::Arc;
use walras_broker::Event;
use walras_broker::allocation::Allocation;
use walras_broker::event::{JobEvent, ReservationEvent};
use walras_broker::input::Input;
use walras_broker::job::JobSpec;
use walras_broker::journal::Entry;
use walras_model::Time;

pub(crate) type Journal = Vec<Entry>;

/// Changes the first event of a kind whose change says that it was one.
macro_rules! change {
    ($journal:expr, $event:pat => $change:expr) => {
        $crate::edit::edit($journal, |event, _| match event {
            $event => $change,
            _ => false,
        })
    };
}
pub(crate) use change;

/// Changes the first event that lets itself be changed.
pub(crate) fn edit(journal: &mut Journal, mut change: impl FnMut(&mut Event, Time) -> bool) {
    for entry in journal.iter_mut() {
        for event in &mut entry.events {
            if change(event, entry.at) {
                return;
            }
        }
    }
    panic!("nothing to change");
}

/// Where the first event is that is like this.
pub(crate) fn find(journal: &Journal, like: impl Fn(&Event) -> bool) -> (usize, usize) {
    let mut all = journal.iter().enumerate();
    let found = all.find_map(|(at, entry)| Some((at, entry.events.iter().position(&like)?)));
    found.expect("there is such an event")
}

pub(crate) fn drop_first(journal: &mut Journal, like: impl Fn(&Event) -> bool) {
    let (entry, event) = find(journal, like);
    journal[entry].events.remove(event);
}

pub(crate) fn repeat_first(journal: &mut Journal, like: impl Fn(&Event) -> bool) {
    let (entry, event) = find(journal, like);
    let again = journal[entry].events[event].clone();
    journal[entry].events.insert(event, again);
}

/// Changes the first job that lets itself be changed, as it was submitted.
pub(crate) fn spec(journal: &mut Journal, mut change: impl FnMut(&mut JobSpec) -> bool) {
    change!(journal, Event::Job(JobEvent::Queued { spec, .. }) => change(Arc::make_mut(spec)));
}

/// Changes the first reserved allocation that lets itself be changed.
pub(crate) fn allocation(journal: &mut Journal, mut change: impl FnMut(&mut Allocation, Time) -> bool) {
    edit(journal, |event, at| match event {
        Event::Reservation(ReservationEvent::Asked { allocation, .. }) => {
            change(Arc::make_mut(allocation), at)
        }
        _ => false,
    });
}

/// A site says something just before the first reservation is asked for.
pub(crate) fn before_asked(journal: &mut Journal, input: Input, event: Event) {
    let (at, _) = find(journal, |event| matches!(event, Event::Reservation(ReservationEvent::Asked { .. })));
    let entry = Entry { at: journal[at].at, input, events: vec![event] };
    journal.insert(at, entry);
}
