//! What has become of sites and their nodes.

use crate::model::price::PriceRules;
use crate::model::site::{Access, NodeSpec, SiteSpec, Timing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{Interval, NodeId, Rate, SiteId, Time};

/// What has become of sites and their nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteEvent {
    /// A site is there.
    Added(Box<SiteSpec>),
    /// A site's prices are these.
    PricesSet {
        /// The site whose prices they are.
        site: SiteId,
        /// The rules.
        prices: Box<PriceRules>,
    },
    /// Who may run on a site, and what it needs around what it holds, are these.
    TermsSet {
        /// The site whose terms they are.
        site: SiteId,
        /// Who may run there.
        access: Box<Access>,
        /// What it needs of time.
        timing: Timing,
    },
    /// A site sells nothing new any more.
    Leaving(SiteId),
    /// A site that was leaving stays.
    Stays(SiteId),
    /// A node failed.
    NodeLost {
        /// The node that failed.
        node: NodeId,
        /// When the site saw it; what it says of an earlier moment changes nothing any more.
        at: Time,
    },
    /// A node does not answer; what started there before may still run.
    NodeDown {
        /// The node that does not answer.
        node: NodeId,
        /// When the site saw it; what it says of an earlier moment changes nothing any more.
        at: Time,
    },
    /// A node is back.
    NodeBack {
        /// The node that is back.
        node: NodeId,
        /// When the site saw it; what it says of an earlier moment changes nothing any more.
        at: Time,
    },
    /// A site has more nodes, which have the next numbers.
    NodesAdded {
        /// The site that has them.
        site: SiteId,
        /// When it said so.
        at: Time,
        /// The nodes.
        nodes: Vec<NodeSpec>,
        /// What they cost by the site's own word.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        rates: BTreeMap<String, Rate>,
    },
    /// A site does not have a node any more, for good; what started there before may still run.
    NodeGone {
        /// The node that is gone; its number is never given again.
        node: NodeId,
        /// When the site named its nodes without it.
        at: Time,
    },
    /// An owner uses a node.
    NodeTaken {
        /// The node that the owner uses.
        node: NodeId,
        /// The time that the owner needs; nothing of the market's is on the node in it.
        interval: Interval,
    },
    /// Nothing new is sold of a node for a while; what is held stays.
    NodeDrained {
        /// The node that is drained.
        node: NodeId,
        /// The time of which nothing new is sold; up to the end of time, where it lasts until it is resumed.
        interval: Interval,
    },
    /// A node's time is sold again.
    NodeResumed {
        /// The node that is sold again.
        node: NodeId,
    },
    /// A site failed.
    Lost {
        /// The site that failed.
        site: SiteId,
        /// When it failed, by its own word; nothing that started before runs there.
        at: Time,
    },
    /// A site is back.
    Back {
        /// The site that is back.
        site: SiteId,
        /// When it was back, by its own word.
        at: Time,
    },
}
