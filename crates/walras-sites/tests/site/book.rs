//! The book of holds over a store that can fail: what cannot be written down has not happened.

use crate::bench::{FIRST, after, hold, now, number, refused};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::rc::Rc;
use walras_model::{NodeId, Time};
use walras_sites::book::{Book, Room};
use walras_sites::store::{Store, VolatileStore};
use walras_sites::{ReservationNumber, SiteError, SiteMessage, SiteRefusal};

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
    let mut book: Book<(), Failing> = Book::open(store, Room::Nodes(vec![NodeId::new(FIRST)])).unwrap();
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
