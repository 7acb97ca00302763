//! A simulated site: nodes that their owner uses too, holds, running parts, failures.
//!
//! It keeps the contract that the broker counts on: what has a number is done once; what it has released it never holds
//! again; a hold that was only prepared expires; nothing runs outside what is held.

mod mishap;
mod run;

pub use mishap::{OUTAGE, owner_needs};

use crate::chance::span;
use crate::owner::Load;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::Effect;
use walras_broker::allocation::Hold;
use walras_broker::id::{CycleNumber, JobNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_broker::job::{PartEnd, SiteRefusal};
use walras_broker::site::{Free, FreeTime};
use walras_model::interval::complement;
use walras_model::{Interval, NodeId, SiteId, Time};
use walras_random::Stream;

/// How the site sells its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Free intervals.
    Slots,
    /// Free processors.
    Capacity,
    /// A queue with so many nodes.
    Queue(u32),
}

/// How what runs behaves, and what a queue is like; chances in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// The share of its time that a part takes, at least and at most, in thousandths.
    pub takes: (i64, i64),
    /// How likely a part takes three tenths more than all of its time.
    pub overruns: i64,
    /// How likely a part fails when it ends.
    pub fails: i64,
    /// How long the queue is said to be, at least and at most, in milliseconds.
    pub expected_wait: (i64, i64),
    /// How long it is.
    pub wait: (i64, i64),
}

impl Behaviour {
    /// Of a world in which everything happens now and then.
    pub const LIVELY: Behaviour = Behaviour {
        takes: (300, 1_000),
        overruns: 60,
        fails: 30,
        expected_wait: (1_000, 600_000),
        wait: (0, 300_000),
    };
}

/// A node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SimNode {
    /// Its number.
    pub id: NodeId,
    /// Whether it has failed.
    pub lost: bool,
    /// Since when it stands or does not.
    pub since: Time,
    /// When its owner uses it.
    pub owner: Vec<Interval>,
}

/// What the site keeps under a number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Booking {
    /// What is held.
    pub holds: Vec<Hold>,
    /// When it expires, while it is only prepared.
    pub expiry: Option<Time>,
    /// Whose it is, once something was started.
    pub job: Option<JobNumber>,
    /// What was started.
    pub parts: BTreeMap<u32, SimPart>,
}

/// A part that was started. What was told is not written down: whoever reads it tells it again.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SimPart {
    /// Its hold.
    pub hold: u32,
    /// When it begins.
    pub begins: Time,
    /// When it ends.
    pub ends: Time,
    /// How.
    pub end: PartEnd,
    /// Whether its start was told.
    #[serde(skip)]
    pub start_told: bool,
    /// Whether its end was told.
    #[serde(skip)]
    pub end_told: bool,
}

/// A simulated site.
#[derive(Clone, Debug)]
pub struct SimSite {
    /// Its number.
    pub id: SiteId,
    /// How it sells its time.
    pub kind: Kind,
    /// Its nodes.
    pub nodes: Vec<SimNode>,
    /// What it keeps.
    pub bookings: BTreeMap<ReservationNumber, Booking>,
    /// What it has released.
    pub released: BTreeSet<ReservationNumber>,
    /// Whether it has failed.
    pub lost: bool,
    /// Since when it stands or does not.
    pub since: Time,
    /// Until when nothing reaches it, and nothing that it says arrives; what runs goes on.
    pub cut_until: Time,
    /// How likely it refuses for no reason, in thousandths.
    pub unwilling: i64,
    /// How what runs behaves.
    pub behaviour: Behaviour,
    /// What the owner runs there, beside what each node says.
    pub load: Option<Load>,
    /// What it saw that no honest broker asks for.
    pub wrong: Vec<String>,
}

impl SimSite {
    /// What the site answers to an effect that reaches it.
    pub fn hear(&mut self, now: Time, effect: &Effect, chance: &mut Stream) -> Vec<SiteMessage> {
        if self.lost {
            return Vec::new();
        }
        self.expire(now);
        match effect {
            Effect::AskOffers { cycle, horizon, .. } => self.offers(now, *cycle, *horizon, chance),
            Effect::Prepare { reservation, holds, expiry, .. } => {
                vec![self.prepare(now, *reservation, holds, *expiry, chance)]
            }
            Effect::Confirm { reservation, .. } => vec![self.confirm(*reservation, chance)],
            Effect::Start { reservation, job, parts, .. } => {
                self.start(now, *reservation, *job, parts, chance)
            }
            Effect::Observe { reservation, .. } => self.observe(now, *reservation),
            Effect::Release { reservation, .. } | Effect::Cancel { reservation, .. } => {
                self.bookings.remove(reservation);
                self.released.insert(*reservation);
                vec![SiteMessage::Released(*reservation)]
            }
            Effect::Plan(_) | Effect::Notify { .. } => Vec::new(),
        }
    }

    /// Forgets what was only prepared and has expired.
    fn expire(&mut self, now: Time) {
        self.bookings.retain(|_, booking| booking.expiry.is_none_or(|expiry| now < expiry));
    }

    fn offers(
        &self,
        now: Time,
        cycle: CycleNumber,
        horizon: Interval,
        chance: &mut Stream,
    ) -> Vec<SiteMessage> {
        // News may have been lost: with every answer the site says again how its nodes are.
        let mut said: Vec<SiteMessage> =
            self.nodes.iter().filter(|node| node.since > Time::MIN).map(news).collect();
        let standing = self.nodes.iter().filter(|node| !node.lost);
        let free = match self.kind {
            Kind::Slots => {
                let Some(horizon) = Interval::new(now.max(horizon.start()), horizon.end()) else {
                    return said;
                };
                let times = standing.flat_map(|node| {
                    let free = complement(horizon, &self.owner_use(node, horizon)).into_iter();
                    free.map(|interval| FreeTime { node: node.id, interval })
                });
                Free::Slots(times.collect())
            }
            Kind::Capacity => Free::Capacity(u32::try_from(standing.count()).unwrap_or(0)),
            Kind::Queue(units) => {
                let (least, most) = self.behaviour.expected_wait;
                Free::Queue { wait: span(chance, least, most), units }
            }
        };
        said.push(SiteMessage::Offers { cycle, free });
        said
    }

    /// When a node's owner uses it; what lies outside the interval may be left out.
    pub fn owner_use(&self, node: &SimNode, within: Interval) -> Vec<Interval> {
        let mut busy = node.owner.clone();
        if let Some(load) = self.load.filter(|_| self.kind == Kind::Slots) {
            busy.extend(load.of(node.id, within));
        }
        busy
    }

    fn prepare(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        holds: &[Hold],
        expiry: Time,
        chance: &mut Stream,
    ) -> SiteMessage {
        let refuse = |refusal| SiteMessage::Refused { reservation, refusal };
        if self.released.contains(&reservation) {
            return refuse(SiteRefusal::Unknown);
        }
        if self.bookings.contains_key(&reservation) {
            return SiteMessage::Prepared(reservation);
        }
        if now >= expiry {
            return refuse(SiteRefusal::Expired);
        }
        if chance.happens(self.unwilling) {
            let why = [SiteRefusal::Unwilling, SiteRefusal::Busy, SiteRefusal::PriceChanged];
            return refuse(*chance.one_of(&why).unwrap_or(&SiteRefusal::Busy));
        }
        if !holds.iter().all(|hold| self.is_free(reservation, hold)) || !self.has_units(holds.len()) {
            return refuse(SiteRefusal::Busy);
        }
        let booking =
            Booking { holds: holds.to_vec(), expiry: Some(expiry), job: None, parts: BTreeMap::new() };
        self.bookings.insert(reservation, booking);
        SiteMessage::Prepared(reservation)
    }

    fn has_units(&self, more: usize) -> bool {
        let Kind::Queue(units) = self.kind else { return true };
        let held: usize = self.bookings.values().map(|booking| booking.holds.len()).sum();
        held + more <= units as usize
    }

    /// Whether the owner, the node's health and the other holds allow a hold. That another hold is in the way is a
    /// mistake of the broker's.
    fn is_free(&mut self, reservation: ReservationNumber, hold: &Hold) -> bool {
        let Some(node) = hold.node else { return matches!(self.kind, Kind::Queue(_)) };
        let mut clear = true;
        for (other, booking) in &self.bookings {
            if booking.holds.iter().any(|it| it.node == Some(node) && it.interval.overlaps(hold.interval)) {
                let at = self.id.number();
                self.wrong
                    .push(format!("site {at}: reservation {reservation} asks for time that {other} holds"));
                clear = false;
            }
        }
        let own = self.nodes.iter().find(|it| it.id == node);
        let stands = own.filter(|own| !own.lost);
        clear
            && stands.is_some_and(|own| {
                !self.owner_use(own, hold.interval).iter().any(|busy| busy.overlaps(hold.interval))
            })
    }

    fn confirm(&mut self, reservation: ReservationNumber, chance: &mut Stream) -> SiteMessage {
        let unwilling = chance.happens(self.unwilling);
        match self.bookings.get_mut(&reservation) {
            Some(booking) if booking.expiry.is_none() => SiteMessage::Confirmed(reservation),
            Some(booking) if !unwilling => {
                booking.expiry = None;
                SiteMessage::Confirmed(reservation)
            }
            Some(_) => SiteMessage::Refused { reservation, refusal: SiteRefusal::Unwilling },
            None => SiteMessage::Refused { reservation, refusal: SiteRefusal::Expired },
        }
    }
}

fn news(node: &SimNode) -> SiteMessage {
    let (node, at, lost) = (node.id, node.since, node.lost);
    if lost { SiteMessage::NodeLost { node, at } } else { SiteMessage::NodeBack { node, at } }
}
