//! A simulated site: nodes that their owner uses too, holds, running parts, failures.
//!
//! [`SimulatedSite`] is the site itself: time and chances are passed in, so that it does the same whenever it is asked the
//! same. [`SimulatedConnector`] puts it behind the contract, with a memory of its own and things that go wrong on demand. A
//! harness can take the site alone and bring its own chances and its own faults.
//!
//! | file | what it does |
//! | --- | --- |
//! | `mod.rs` | what is for sale, and what the protocol makes of it |
//! | `run.rs` | what runs: when parts begin and end, and what of it was told |
//! | `mishap.rs` | nodes fail, owners need them, all of it fails |
//! | `behaviour.rs` | how long what runs takes, and how it ends |
//! | `owner.rs` | what an owner runs on their own nodes |
//! | `connector.rs` | the connector |

mod behaviour;
mod connector;
mod mishap;
mod owner;
mod run;

pub use behaviour::Behaviour;
pub use connector::{SimulatedConnector, SimulatedOptions};
pub use owner::Load;

use crate::book::{Book, Room};
use crate::contract::{
    CycleNumber, Free, FreeTime, Hold, JobNumber, Offering, PartEnd, ReservationNumber, SiteAnswer,
    SiteError, SiteMessage,
};
use crate::reported::Reported;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use walras_model::interval::complement;
use walras_model::{Interval, NodeId, Span, Time};
use walras_random::Stream;

/// A node of a simulated site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedNode {
    /// The number that the broker knows it by.
    pub id: NodeId,
    /// Whether it has failed.
    pub lost: bool,
    /// Since when it stands or does not; the beginning of time as long as nothing has happened to it.
    pub since: Time,
    /// When its owner uses it.
    pub owner: Vec<Interval>,
    /// How many units it is sold in.
    #[serde(default = "sold_whole")]
    pub units: u32,
}

fn sold_whole() -> u32 {
    1
}

impl SimulatedNode {
    /// A node to which nothing has happened.
    pub fn new(id: NodeId) -> SimulatedNode {
        SimulatedNode { id, lost: false, since: Time::MIN, owner: Vec::new(), units: 1 }
    }

    /// How it is, when something has happened to it.
    fn news(&self) -> Option<SiteMessage> {
        let (node, at) = (self.id, self.since);
        let news =
            if self.lost { SiteMessage::NodeLost { node, at } } else { SiteMessage::NodeBack { node, at } };
        (at > Time::MIN).then_some(news)
    }
}

/// A part that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedPart {
    /// Whose it is.
    pub job: JobNumber,
    /// The place of its hold.
    pub hold: u32,
    /// When it begins.
    pub begins: Time,
    /// When it ends.
    pub ends: Time,
    /// How it ends.
    pub end: PartEnd,
    /// Whether it never begins unless it is told before that all sites of its window are ready.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
}

/// What has happened to a site and its nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Health {
    nodes: Vec<SimulatedNode>,
    lost: bool,
    since: Time,
}

/// A simulated site over a book that is kept in `S`.
#[derive(Clone, Debug)]
pub struct SimulatedSite<S> {
    offering: Offering,
    health: Health,
    book: Book<SimulatedPart, S>,
    reported: Reported,
    behaviour: Behaviour,
    /// What the owner runs there, beside what each node says.
    load: Option<Load>,
}

impl<S: Store> SimulatedSite<S> {
    /// A site with what is in its store.
    pub fn open(
        offering: Offering,
        nodes: Vec<SimulatedNode>,
        behaviour: Behaviour,
        load: Option<Load>,
        store: S,
    ) -> Result<SimulatedSite<S>, SiteError> {
        let room = Room::of(offering, nodes.iter().map(|node| (node.id, node.units)));
        let health = Health { nodes, lost: false, since: Time::MIN };
        let (book, reported) = (Book::open(store, room)?, Reported::default());
        Ok(SimulatedSite { offering, health, book, reported, behaviour, load })
    }

    /// How it sells its time.
    pub fn offering(&self) -> Offering {
        self.offering
    }

    /// Its nodes, in their order.
    pub fn nodes(&self) -> &[SimulatedNode] {
        &self.health.nodes
    }

    /// What it holds.
    pub fn book(&self) -> &Book<SimulatedPart, S> {
        &self.book
    }

    /// The same book, for whoever asks what a request would come to.
    pub fn book_mut(&mut self) -> &mut Book<SimulatedPart, S> {
        &mut self.book
    }

    /// Whether the site has failed: it hears and says nothing.
    pub fn is_lost(&self) -> bool {
        self.health.lost
    }

    /// How the nodes are to which something has happened.
    pub fn node_news(&self) -> impl Iterator<Item = SiteMessage> {
        self.health.nodes.iter().filter_map(SimulatedNode::news)
    }

    /// What is free in the horizon; nothing when none of it lies ahead.
    pub fn offers(
        &self,
        now: Time,
        cycle: CycleNumber,
        horizon: Interval,
        chance: &mut Stream,
    ) -> Option<SiteMessage> {
        if self.health.lost {
            return None;
        }
        let standing = self.health.nodes.iter().filter(|node| !node.lost);
        let free = match self.offering {
            Offering::Slots => {
                let ahead = Interval::new(now.max(horizon.start()), horizon.end())?;
                let times = standing.flat_map(|node| {
                    let free = complement(ahead, &self.owner_use(node, ahead)).into_iter();
                    free.map(|interval| FreeTime::whole(node.id, interval))
                });
                Free::Slots(times.collect())
            }
            Offering::Capacity => Free::Capacity(u32::try_from(standing.count()).unwrap_or(u32::MAX)),
            Offering::Queue(units) => {
                let (least, most) = self.behaviour.expected_wait;
                let wait = Span::from_millis(chance.between(least, most)).unwrap_or(Span::ZERO);
                Free::Queue { wait, units }
            }
        };
        Some(SiteMessage::Offers { cycle, free })
    }

    /// When a node's owner uses it; what lies outside the interval may be left out.
    pub fn owner_use(&self, node: &SimulatedNode, within: Interval) -> Vec<Interval> {
        owner_use(node, self.load.filter(|_| self.offering == Offering::Slots), within)
    }

    /// Holds time, unless the owner, the node's health or another hold is in the way.
    pub fn prepare(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        holds: &[Hold],
        expiry: Time,
    ) -> SiteAnswer {
        if self.health.lost {
            return Ok(Vec::new());
        }
        let (nodes, load) = (&self.health.nodes, self.load.filter(|_| self.offering == Offering::Slots));
        let sells = |hold: &Hold| {
            // In a queue there is no node to ask for.
            let Some(asked) = hold.node else { return true };
            let stands = nodes.iter().find(|node| node.id == asked && !node.lost);
            let used = |node| owner_use(node, load, hold.interval);
            stands.is_some_and(|node| !used(node).iter().any(|used| used.overlaps(hold.interval)))
        };
        Ok(vec![self.book.prepare(now, reservation, holds, expiry, sells)?])
    }

    /// Keeps what was prepared.
    pub fn confirm(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        if self.health.lost { Ok(Vec::new()) } else { Ok(vec![self.book.confirm(now, reservation)?]) }
    }

    /// Stops what runs, and gives up what is held.
    pub fn release(&mut self, now: Time, reservation: ReservationNumber) -> SiteAnswer {
        if self.health.lost {
            return Ok(Vec::new());
        }
        let released = self.book.release(now, reservation)?;
        self.reported.forget(reservation);
        Ok(vec![released])
    }
}

fn owner_use(node: &SimulatedNode, load: Option<Load>, within: Interval) -> Vec<Interval> {
    let mut busy = node.owner.clone();
    busy.extend(load.into_iter().flat_map(|load| load.of(node.id, within)));
    busy
}
