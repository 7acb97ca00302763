//! What sites say.

use super::id::{CycleNumber, ReservationNumber};
use super::job::{PartEnd, SiteRefusal};
use super::site::{Free, FreeChange, NodeSpec};
use super::used::Used;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{Interval, NodeId, Rate, Time};

/// What a site says. Answers may come late, twice or in any order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteMessage {
    /// What is free, for the cycle that asked.
    Offers {
        /// The cycle that asked.
        cycle: CycleNumber,
        /// What is free.
        free: Free,
    },
    /// The same, as what has changed since the site last said what is free.
    OffersChanged {
        /// The cycle that asked.
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
        /// The reservation that it was asked for.
        reservation: ReservationNumber,
        /// What kept the site from it.
        refusal: SiteRefusal,
    },
    /// The hold is gone, and nothing of it runs.
    Released(ReservationNumber),
    /// Everything is there for the parts that it was asked to start together with those of other sites.
    Ready(ReservationNumber),
    /// Parts run.
    Started {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// The parts that run, by place.
        parts: Vec<u32>,
        /// When they began, by the site's clock.
        at: Time,
    },
    /// A part has ended.
    Ended {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// The part, by its place among the reservation's.
        part: u32,
        /// When it ended, by the site's clock.
        at: Time,
        /// Whether it ended well, and if not, how.
        end: PartEnd,
        /// What it used, where its site counts that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<Used>,
    },
    /// A part will end later than it should.
    Late {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// The part, by its place among the reservation's.
        part: u32,
        /// When it will end.
        until: Time,
    },
    /// A node failed; nothing that started before runs on it.
    NodeLost {
        /// The node that failed.
        node: NodeId,
        /// When; older news than the last of a node is no news.
        at: Time,
    },
    /// A node does not answer: what started there before may still run, and nothing new does.
    NodeDown {
        /// The node that does not answer.
        node: NodeId,
        /// When the site saw it; older news than the last of a node is no news.
        at: Time,
    },
    /// A node is back.
    NodeBack {
        /// The node that is back.
        node: NodeId,
        /// When the site saw it; older news than the last of a node is no news.
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
        /// The node that the owner needs.
        node: NodeId,
        /// From when until when.
        interval: Interval,
    },
    /// The site failed; nothing that started before runs there, and it has forgotten what was only prepared.
    Lost(Time),
    /// The site is back, since then.
    Back(Time),
}
