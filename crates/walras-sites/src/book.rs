//! The book of holds: the protocol of reservations, the same for every site.
//!
//! A number is prepared once, expires unless it is confirmed, and never comes back once it was released. Every change is
//! written down before anybody hears of it; one that cannot be written down has not happened.
//!
//! Looking for room takes time in proportion to what is held; everything else O(log n).

use crate::contract::{
    Hold, Offering, ReservationNumber, SiteError, SiteMessage, SiteRefusal, Start, StartPart,
};
use crate::store::Store;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{NodeId, Time};

/// What the site keeps under a number; `P` is what it knows of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booking<P> {
    /// What is held.
    pub holds: Vec<Hold>,
    /// When it expires, while it is only prepared.
    pub expiry: Option<Time>,
    /// Whether it is being given up; nothing of it is started any more.
    pub leaving: bool,
    /// What was started, by its place among the parts.
    pub parts: BTreeMap<u32, P>,
    /// As whom it runs, by the numbers of user and group; as the service does, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<(u32, u32)>,
}

impl<P> Booking<P> {
    /// The hold of a part; an error where the reservation has none at that place.
    pub fn hold_of(&self, reservation: ReservationNumber, part: &StartPart) -> Result<Hold, SiteError> {
        let hold = usize::try_from(part.hold).ok().and_then(|place| self.holds.get(place)).copied();
        hold.ok_or(SiteError::UnknownHold { reservation, part: part.part, hold: part.hold })
    }

    /// Whether every part that is to be started has its hold.
    pub fn check(&self, start: &Start<'_>) -> Result<(), SiteError> {
        start.parts.iter().try_for_each(|part| self.hold_of(start.reservation, part).map(|_| ()))
    }
}

/// What a site has to give.
#[derive(Clone, Debug)]
pub enum Room {
    /// Time on these nodes, each in so many units; in one, where it is for one at a time.
    Nodes(BTreeMap<NodeId, u32>),
    /// So many nodes behind a queue.
    Queue(u32),
}

impl Room {
    /// What there is on a site that sells its time so.
    pub fn of(offering: Offering, nodes: impl IntoIterator<Item = (NodeId, u32)>) -> Room {
        match offering {
            Offering::Queue(units) => Room::Queue(units),
            Offering::Slots | Offering::Capacity => Room::Nodes(nodes.into_iter().collect()),
        }
    }
}

/// All bookings of a site.
#[derive(Clone, Debug)]
pub struct Book<P, S> {
    store: S,
    room: Room,
    bookings: BTreeMap<ReservationNumber, Booking<P>>,
}

impl<P: Clone + Serialize + DeserializeOwned, S: Store> Book<P, S> {
    /// The book that was written down, over what the site has to give.
    pub fn open(store: S, room: Room) -> Result<Book<P, S>, SiteError> {
        let bookings = store.bookings()?.into_iter().collect();
        Ok(Book { store, room, bookings })
    }

    /// Where it is written down.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// What the site has to give.
    pub fn room(&self) -> &Room {
        &self.room
    }

    /// There is one more node to give, in so many units.
    pub fn grow(&mut self, node: NodeId, units: u32) {
        if let Room::Nodes(nodes) = &mut self.room {
            nodes.entry(node).or_insert(units);
        }
    }

    /// All bookings, by number.
    pub fn iter(&self) -> impl Iterator<Item = (ReservationNumber, &Booking<P>)> {
        self.bookings.iter().map(|(number, booking)| (*number, booking))
    }

    /// The booking of a number, whether it is confirmed or not.
    pub fn get(&self, number: ReservationNumber) -> Option<&Booking<P>> {
        self.bookings.get(&number)
    }

    /// Whether a number was ever heard of.
    pub fn is_known(&self, number: ReservationNumber) -> Result<bool, SiteError> {
        Ok(self.bookings.contains_key(&number) || self.is_released(number)?)
    }

    /// Whether a number was released, and so is over for ever.
    pub fn is_released(&self, number: ReservationNumber) -> Result<bool, SiteError> {
        self.store.is_released(number)
    }

    /// The answer to a request that needs no look at the time it asks for: the number is known, over, or came too late.
    pub fn settled(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        expiry: Time,
    ) -> Result<Option<SiteMessage>, SiteError> {
        self.expire(now)?;
        let refuse = |refusal| Ok(Some(SiteMessage::Refused { reservation, refusal }));
        if self.store.is_released(reservation)? {
            return refuse(SiteRefusal::Unknown);
        }
        match self.bookings.get(&reservation) {
            Some(booking) if booking.leaving => refuse(SiteRefusal::Unknown),
            Some(_) => Ok(Some(SiteMessage::Prepared(reservation))),
            None if now >= expiry => refuse(SiteRefusal::Expired),
            None => Ok(None),
        }
    }

    /// Holds time, or says why not. `sells` is what the site itself has to say of a hold that is free by the book.
    pub fn prepare(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        holds: &[Hold],
        expiry: Time,
        sells: impl Fn(&Hold) -> bool,
    ) -> Result<SiteMessage, SiteError> {
        if let Some(answer) = self.settled(now, reservation, expiry)? {
            return Ok(answer);
        }
        if !self.has_room(holds) || !holds.iter().all(sells) {
            return Ok(SiteMessage::Refused { reservation, refusal: SiteRefusal::Busy });
        }
        let (holds, expiry) = (holds.to_vec(), Some(expiry));
        let booking = Booking { holds, expiry, leaving: false, parts: BTreeMap::new(), account: None };
        self.put(reservation, booking)?;
        Ok(SiteMessage::Prepared(reservation))
    }

    fn has_room(&self, holds: &[Hold]) -> bool {
        match &self.room {
            Room::Queue(units) => {
                let held: usize = self.bookings.values().map(|booking| booking.holds.len()).sum();
                let units = usize::try_from(*units).unwrap_or(usize::MAX);
                holds.iter().all(|hold| hold.node.is_none()) && held + holds.len() <= units
            }
            Room::Nodes(nodes) => {
                let known = |hold: &Hold| hold.node.is_some_and(|node| nodes.contains_key(&node));
                holds.iter().all(known) && holds.iter().all(|hold| self.has_units_for(hold, holds, nodes))
            }
        }
    }

    /// Whether no more units of a hold's node are held at any moment of it, with all that is asked for, than the node has.
    fn has_units_for(&self, hold: &Hold, asked: &[Hold], nodes: &BTreeMap<NodeId, u32>) -> bool {
        let held = self.bookings.values().flat_map(|booking| &booking.holds);
        let there = |other: &&Hold| other.node == hold.node && other.interval.overlaps(hold.interval);
        let beside: Vec<&Hold> = held.chain(asked).filter(there).collect();
        let units = hold.node.and_then(|node| nodes.get(&node)).map_or(0, |units| u64::from(*units));
        // What is held grows only where something begins.
        let begins = beside.iter().map(|other| other.interval.start().max(hold.interval.start()));
        begins.into_iter().all(|moment| {
            let at = beside.iter().filter(|it| it.interval.start() <= moment && moment < it.interval.end());
            at.map(|it| u64::from(it.units)).sum::<u64>() <= units
        })
    }

    /// Whether nodes have as many units left as is asked for, at every moment of it; a queue has none.
    pub fn has_units(&self, asked: &[Hold]) -> bool {
        match &self.room {
            Room::Queue(_) => false,
            Room::Nodes(nodes) => asked.iter().all(|hold| self.has_units_for(hold, asked, nodes)),
        }
    }

    /// The reservations that hold some of a node, all of whose units are taken, at a time that is asked for.
    pub fn overbooked_by<'a>(&'a self, holds: &'a [Hold]) -> impl Iterator<Item = ReservationNumber> + 'a {
        let full = match &self.room {
            Room::Queue(_) => false,
            Room::Nodes(nodes) => holds.iter().any(|hold| !self.has_units_for(hold, holds, nodes)),
        };
        self.in_the_way(holds).filter(move |_| full)
    }

    /// The reservations that hold some of a node at a time that is asked for.
    pub fn in_the_way<'a>(&'a self, holds: &'a [Hold]) -> impl Iterator<Item = ReservationNumber> + 'a {
        let meets = |held: &Hold, asked: &Hold| {
            held.node.is_some() && held.node == asked.node && held.interval.overlaps(asked.interval)
        };
        let meets_any = move |booking: &Booking<P>| {
            booking.holds.iter().any(|it| holds.iter().any(|asked| meets(it, asked)))
        };
        self.bookings.iter().filter(move |(_, booking)| meets_any(booking)).map(|(number, _)| *number)
    }

    /// Keeps what was prepared.
    pub fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> Result<SiteMessage, SiteError> {
        self.expire(now)?;
        let Some(booking) = self.bookings.get(&reservation).filter(|booking| !booking.leaving) else {
            return Ok(SiteMessage::Refused { reservation, refusal: SiteRefusal::Expired });
        };
        if booking.expiry.is_some() {
            let kept = Booking { expiry: None, ..booking.clone() };
            self.put(reservation, kept)?;
        }
        Ok(SiteMessage::Confirmed(reservation))
    }

    /// The booking on which parts may be started: confirmed and not being given up.
    pub fn confirmed(&self, reservation: ReservationNumber) -> Option<&Booking<P>> {
        self.bookings.get(&reservation).filter(|booking| booking.expiry.is_none() && !booking.leaving)
    }

    /// Writes a booking down, in place of an earlier one of that number.
    pub fn put(&mut self, reservation: ReservationNumber, booking: Booking<P>) -> Result<(), SiteError> {
        self.store.save(reservation, &booking)?;
        self.bookings.insert(reservation, booking);
        Ok(())
    }

    /// Writes down as whom it runs.
    pub fn note_account(
        &mut self,
        reservation: ReservationNumber,
        account: (u32, u32),
    ) -> Result<(), SiteError> {
        match self.bookings.get(&reservation).cloned() {
            Some(booking) => self.put(reservation, Booking { account: Some(account), ..booking }),
            None => Ok(()),
        }
    }

    /// Nothing of it is started any more; what runs is yet to be stopped.
    pub fn leave(&mut self, reservation: ReservationNumber) -> Result<(), SiteError> {
        match self.bookings.get(&reservation).filter(|booking| !booking.leaving) {
            Some(booking) => {
                let leaving = Booking { leaving: true, ..booking.clone() };
                self.put(reservation, leaving)
            }
            None => Ok(()),
        }
    }

    /// The number is over, for ever.
    pub fn release(&mut self, now: Time, reservation: ReservationNumber) -> Result<SiteMessage, SiteError> {
        self.store.release(reservation, now)?;
        self.bookings.remove(&reservation);
        Ok(SiteMessage::Released(reservation))
    }

    /// Forgets everything that was only prepared, as a site does that fails.
    pub fn forget_prepared(&mut self) -> Result<(), SiteError> {
        self.forget(|booking| booking.expiry.is_some())
    }

    /// Forgets what was only prepared and has expired.
    pub fn expire(&mut self, now: Time) -> Result<(), SiteError> {
        self.forget(|it| it.expiry.is_some_and(|expiry| expiry <= now) && !it.leaving)
    }

    fn forget(&mut self, which: impl Fn(&Booking<P>) -> bool) -> Result<(), SiteError> {
        let numbers = self.bookings.iter().filter(|(_, booking)| which(booking)).map(|(number, _)| *number);
        for number in numbers.collect::<Vec<_>>() {
            self.store.forget(number)?;
            self.bookings.remove(&number);
        }
        Ok(())
    }
}
