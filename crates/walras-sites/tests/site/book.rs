//! The book of holds over a store that can fail: what cannot be written down has not happened.

use crate::bench::{FIRST, after, hold, now, number, refused};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::rc::Rc;
use walras_model::{NodeId, Time};
use walras_sites::book::{Book, Room};
use walras_sites::store::{Store, VolatileStore};
use walras_sites::{Hold, ReservationNumber, SiteError, SiteMessage, SiteRefusal};

/// A store that fails as long as it is told to.
struct Failing {
    fails: Rc<Cell<bool>>,
    kept: VolatileStore,
}

fn full() -> SiteError {
    SiteError::Memory("disk full".to_owned())
}

impl Failing {
    fn writable(&mut self) -> Result<&mut VolatileStore, SiteError> {
        if self.fails.get() { Err(full()) } else { Ok(&mut self.kept) }
    }
}

impl Store for Failing {
    fn bookings<B: DeserializeOwned>(&self) -> Result<Vec<(ReservationNumber, B)>, SiteError> {
        self.kept.bookings()
    }

    fn save<B: Serialize>(&mut self, number: ReservationNumber, booking: &B) -> Result<(), SiteError> {
        self.writable()?.save(number, booking)
    }

    fn forget(&mut self, number: ReservationNumber) -> Result<(), SiteError> {
        self.writable()?.forget(number)
    }

    fn release(&mut self, number: ReservationNumber, now: Time) -> Result<(), SiteError> {
        self.writable()?.release(number, now)
    }

    fn is_released(&self, number: ReservationNumber) -> Result<bool, SiteError> {
        self.kept.is_released(number)
    }
}

#[test]
fn what_cannot_be_written_down_has_not_happened() {
    let fails = Rc::new(Cell::new(true));
    let store = Failing { fails: fails.clone(), kept: VolatileStore::default() };
    let mut book: Book<(), Failing> =
        Book::open(store, Room::Nodes([(NodeId::new(FIRST), 1)].into())).unwrap();
    let (at, one) = (now(), number(1));
    let (holds, expiry) = ([hold(0, at, 1_000)], after(at, 100));
    let prepared = SiteMessage::Prepared(one);

    assert_eq!(book.prepare(at, one, &holds, expiry, |_| true), Err(full()));
    assert!(book.get(one).is_none());
    fails.set(false);
    assert_eq!(book.prepare(at, one, &holds, expiry, |_| true), Ok(prepared));

    fails.set(true);
    assert_eq!(book.confirm(at, one), Err(full()));
    assert!(book.confirmed(one).is_none());
    fails.set(false);
    assert_eq!(book.confirm(at, one), Ok(SiteMessage::Confirmed(one)));

    fails.set(true);
    assert_eq!(book.leave(one), Err(full()));
    assert!(book.confirmed(one).is_some());
    assert_eq!(book.release(at, one), Err(full()));
    assert!(book.get(one).is_some());
    fails.set(false);
    assert_eq!(book.leave(one), Ok(()));
    assert!(book.confirmed(one).is_none());
    // What is being given up is still in the way until it is over.
    let answer = book.prepare(at, number(2), &holds, expiry, |_| true).unwrap();
    assert_eq!([answer].as_slice(), refused(number(2), SiteRefusal::Busy));
    assert_eq!(book.release(at, one), Ok(SiteMessage::Released(one)));
    assert_eq!(book.prepare(at, number(2), &holds, expiry, |_| true), Ok(SiteMessage::Prepared(number(2))));
}

#[test]
fn a_node_is_held_in_units_and_never_beyond_them() {
    let mut book: Book<(), VolatileStore> =
        Book::open(VolatileStore::default(), Room::Nodes([(NodeId::new(FIRST), 4)].into())).unwrap();
    let at = now();
    let expiry = after(at, 100_000);
    let on = |units: u32, from: i64| Hold { units, ..hold(0, after(at, from), 1_000) };
    let mut asks = |number_of: u64, holds: &[Hold]| {
        let answer = book.prepare(at, number(number_of), holds, expiry, |_| true).unwrap();
        answer == SiteMessage::Prepared(number(number_of))
    };
    // Two tasks of one job side by side, another's beside them, and no fourth unit twice.
    assert!(asks(1, &[on(1, 0), on(1, 0)]));
    assert!(asks(2, &[on(1, 500)]));
    assert!(!asks(3, &[on(2, 900)]));
    assert!(!asks(4, &[on(1, 0), on(1, 0)]), "together they are one too many from the middle on");
    assert!(asks(5, &[on(3, 1_000)]));
    assert!(!asks(6, &[on(1, 400)]), "it reaches into time in which all are held");
    assert!(asks(7, &[on(1, -100)]));
    assert!(!asks(8, &[on(5, 10_000)]), "no node has five");
    assert!(asks(9, &[on(4, 10_000)]));
}
