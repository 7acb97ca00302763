//! What sites say.

use super::id::{CycleNumber, ReservationNumber};
use super::job::{PartEnd, SiteRefusal};
use super::site::{Free, FreeChange, NodeSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{Interval, NodeId, Rate, Time};

/// What a site says. Answers may come late, twice or in any order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteMessage {
    /// What is free, for the cycle that asked.
    Offers {
        /// Which cycle.
        cycle: CycleNumber,
        /// What is free.
        free: Free,
    },
    /// The same, as what has changed since the site last said what is free.
    OffersChanged {
        /// Which cycle.
        cycle: CycleNumber,
        /// What has changed.
        change: FreeChange,
    },
    /// The hold is there, until it expires.
    Prepared(ReservationNumber),
    /// The hold will stay.
    Confirmed(ReservationNumber),
    /// It cannot prepare, confirm or start.
    Refused {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Why.
        refusal: SiteRefusal,
    },
    /// The hold is gone, and nothing of it runs.
    Released(ReservationNumber),
    /// Parts run.
    Started {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which parts.
        parts: Vec<u32>,
        /// Since when.
        at: Time,
    },
    /// A part has ended.
    Ended {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which part.
        part: u32,
        /// When.
        at: Time,
        /// How.
        end: PartEnd,
    },
    /// A part will end later than it should.
    Late {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which part.
        part: u32,
        /// When it will end.
        until: Time,
    },
    /// A node failed; nothing that started before runs on it.
    NodeLost {
        /// Which node.
        node: NodeId,
        /// When; older news than the last of a node is no news.
        at: Time,
    },
    /// A node does not answer: what started there before may still run, and nothing new does.
    NodeDown {
        /// Which node.
        node: NodeId,
        /// When.
        at: Time,
    },
    /// A node is back.
    NodeBack {
        /// Which node.
        node: NodeId,
        /// When.
        at: Time,
    },
    /// Which nodes the site has, all of them. Those that are not named any more are gone for good; others of their names would be others.
    Nodes {
        /// When that was so; older news than the last is no news.
        at: Time,
        /// All nodes.
        nodes: Vec<NodeSpec>,
        /// What new ones cost by the site's own word, by name, where the owner's prices do not name them.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        rates: BTreeMap<String, Rate>,
    },
    /// The owner needs a node; nothing of ours runs there in that time.
    Taken {
        /// Which node.
        node: NodeId,
        /// When.
        interval: Interval,
    },
    /// The site failed; nothing that started before runs there, and it has forgotten what was only prepared.
    Lost(Time),
    /// The site is back, since then.
    Back(Time),
}
