//! The protocol of reservations for sites that run things for real: numbers, holds, and what was started on them.
//!
//! A number is prepared once, expires unless it is confirmed, and never comes back once it was released. Every change is
//! written down before anybody hears of it.

use super::SiteError;
use super::store::Store;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_broker::allocation::Hold;
use walras_broker::id::ReservationNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::SiteRefusal;
use walras_model::{NodeId, Time};

/// What the site keeps under a number; `P` is what it knows of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Booking<P> {
    /// What is held.
    pub holds: Vec<Hold>,
    /// When it expires, while it is only prepared.
    pub expiry: Option<Time>,
    /// Whether it is being given up; nothing of it is started any more.
    pub leaving: bool,
    /// What was started, by its place among the parts.
    pub parts: BTreeMap<u32, P>,
}

/// What a site has to give.
#[derive(Clone, Debug)]
pub enum Room {
    /// Time on these nodes.
    Nodes(Vec<NodeId>),
    /// So many nodes behind a queue.
    Queue(u32),
}

/// All bookings of a site.
#[derive(Debug)]
pub struct Book<P> {
    store: Store,
    bookings: BTreeMap<ReservationNumber, Booking<P>>,
}

impl<P: Serialize + DeserializeOwned> Book<P> {
    /// What was written down.
    pub fn open(store: Store) -> Result<Book<P>, SiteError> {
        let bookings = store.bookings()?.into_iter().collect();
        Ok(Book { store, bookings })
    }

    /// All bookings, by number.
    pub fn iter(&self) -> impl Iterator<Item = (ReservationNumber, &Booking<P>)> {
        self.bookings.iter().map(|(number, booking)| (*number, booking))
    }

    /// One of them.
    pub fn get(&self, number: ReservationNumber) -> Option<&Booking<P>> {
        self.bookings.get(&number)
    }

    /// Holds time, or says why not.
    pub fn prepare(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        holds: &[Hold],
        expiry: Time,
        room: &Room,
    ) -> Result<SiteMessage, SiteError> {
        self.expire(now)?;
        let refuse = |refusal| Ok(SiteMessage::Refused { reservation, refusal });
        if self.store.is_released(reservation)? {
            return refuse(SiteRefusal::Unknown);
        }
        if let Some(booking) = self.bookings.get(&reservation) {
            let leaving = booking.leaving;
            return if leaving {
                refuse(SiteRefusal::Unknown)
            } else {
                Ok(SiteMessage::Prepared(reservation))
            };
        }
        if now >= expiry {
            return refuse(SiteRefusal::Expired);
        }
        if !self.has_room(holds, room) {
            return refuse(SiteRefusal::Busy);
        }
        let booking =
            Booking { holds: holds.to_vec(), expiry: Some(expiry), leaving: false, parts: BTreeMap::new() };
        self.put(reservation, booking)?;
        Ok(SiteMessage::Prepared(reservation))
    }

    fn has_room(&self, holds: &[Hold], room: &Room) -> bool {
        match room {
            Room::Queue(units) => {
                let held: usize = self.bookings.values().map(|booking| booking.holds.len()).sum();
                holds.iter().all(|hold| hold.node.is_none()) && held + holds.len() <= *units as usize
            }
            Room::Nodes(nodes) => {
                let taken = || self.bookings.values().flat_map(|booking| &booking.holds);
                holds.iter().all(|hold| {
                    hold.node.is_some_and(|node| nodes.contains(&node))
                        && !taken().any(|it| it.node == hold.node && it.interval.overlaps(hold.interval))
                })
            }
        }
    }

    /// Keeps what was prepared.
    pub fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> Result<SiteMessage, SiteError> {
        self.expire(now)?;
        let Some(booking) = self.bookings.get_mut(&reservation).filter(|booking| !booking.leaving) else {
            return Ok(SiteMessage::Refused { reservation, refusal: SiteRefusal::Expired });
        };
        if booking.expiry.is_some() {
            let expiry = booking.expiry.take();
            if let Err(error) = self.store.save(reservation, &*booking) {
                booking.expiry = expiry;
                return Err(error);
            }
        }
        Ok(SiteMessage::Confirmed(reservation))
    }

    /// The booking on which parts may be started: confirmed and not being given up.
    pub fn confirmed(&self, reservation: ReservationNumber) -> Option<&Booking<P>> {
        self.bookings.get(&reservation).filter(|booking| booking.expiry.is_none() && !booking.leaving)
    }

    /// Writes a booking down.
    pub fn put(&mut self, reservation: ReservationNumber, booking: Booking<P>) -> Result<(), SiteError> {
        self.store.save(reservation, &booking)?;
        self.bookings.insert(reservation, booking);
        Ok(())
    }

    /// Nothing of it is started any more; what runs is yet to be stopped.
    pub fn leave(&mut self, reservation: ReservationNumber) -> Result<(), SiteError> {
        if let Some(booking) = self.bookings.get_mut(&reservation).filter(|booking| !booking.leaving) {
            booking.leaving = true;
            self.store.save(reservation, &*booking)?;
        }
        Ok(())
    }

    /// The number is over, for ever.
    pub fn release(&mut self, now: Time, reservation: ReservationNumber) -> Result<SiteMessage, SiteError> {
        self.store.release(reservation, now)?;
        self.bookings.remove(&reservation);
        Ok(SiteMessage::Released(reservation))
    }

    /// Drops what was only prepared and has expired.
    fn expire(&mut self, now: Time) -> Result<(), SiteError> {
        let past =
            |booking: &Booking<P>| booking.expiry.is_some_and(|expiry| expiry <= now) && !booking.leaving;
        let expired: Vec<_> =
            self.bookings.iter().filter(|(_, it)| past(it)).map(|(number, _)| *number).collect();
        for number in expired {
            self.store.drop_booking(number)?;
            self.bookings.remove(&number);
        }
        Ok(())
    }
}
