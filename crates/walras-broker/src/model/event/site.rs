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
        /// Which site.
        site: SiteId,
        /// The rules.
        prices: Box<PriceRules>,
    },
    /// Who may run on a site, and what it needs around what it holds, are these.
    TermsSet {
        /// Which site.
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
        /// Which node.
        node: NodeId,
        /// When.
        at: Time,
    },
    /// A node does not answer; what started there before may still run.
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
    /// A site has more nodes, which have the next numbers.
    NodesAdded {
        /// Which site.
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
        /// Which node.
        node: NodeId,
        /// When.
        at: Time,
    },
    /// An owner uses a node.
    NodeTaken {
        /// Which node.
        node: NodeId,
        /// When.
        interval: Interval,
    },
    /// Nothing new is sold of a node for a while; what is held stays.
    NodeDrained {
        /// Which node.
        node: NodeId,
        /// When.
        interval: Interval,
    },
    /// A node's time is sold again.
    NodeResumed {
        /// Which node.
        node: NodeId,
    },
    /// A site failed.
    Lost {
        /// Which site.
        site: SiteId,
        /// When.
        at: Time,
    },
    /// A site is back.
    Back {
        /// Which site.
        site: SiteId,
        /// When.
        at: Time,
    },
}
