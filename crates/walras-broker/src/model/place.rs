//! Sites and nodes as they are at the moment.

use super::site::{Free, NodeSpec, SiteSpec};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use walras_core::predict::{Predictor, Quantity};
use walras_model::{Interval, Multiplier, NodeId, SiteId, Span, Time};

/// A site, and what it said last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteState {
    /// What it is.
    pub spec: Arc<SiteSpec>,
    /// The first of the nodes with which it has joined; they have numbers that follow each other.
    pub first_node: u32,
    /// The numbers of those that it has got since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_nodes: Vec<NodeId>,
    /// When it last said which nodes it has.
    #[serde(default = "never", skip_serializing_if = "is_never")]
    pub nodes_at: Time,
    /// What it said is free, and when.
    pub free: Option<(Time, Arc<Free>)>,
    /// How its price follows demand, in millionths.
    pub demand: Multiplier,
    /// How long it takes to hold what is asked for, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_in: Option<Span>,
    /// What waits were like where it is a queue, from being asked to the start.
    #[serde(default = "no_waits", skip_serializing_if = "is_unlearnt")]
    pub waits: Predictor,
    /// Whether it has failed.
    pub lost: bool,
    /// Since when it stands or does not; older news is no news.
    pub since: Time,
    /// Whether it sells nothing new any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaving: bool,
}

impl SiteState {
    /// Whether it may sell anything.
    pub fn sells(&self) -> bool {
        !self.lost && !self.leaving
    }

    /// How many nodes it has joined with.
    fn joined_with(&self) -> usize {
        self.spec.nodes.len() - self.later_nodes.len()
    }

    /// Its nodes with their numbers, those that are gone among them.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &NodeSpec)> {
        let first = (self.first_node..).take(self.joined_with()).map(NodeId::new);
        first.chain(self.later_nodes.iter().copied()).zip(&self.spec.nodes)
    }

    /// Whether a node is one of its own, gone or not.
    pub fn has_node(&self, node: NodeId) -> bool {
        self.place_of(node).is_some()
    }

    /// The place of a node among its own.
    fn place_of(&self, node: NodeId) -> Option<usize> {
        let first = node.number().checked_sub(self.first_node).and_then(|place| usize::try_from(place).ok());
        let later = || self.later_nodes.binary_search(&node).ok().map(|place| place + self.joined_with());
        first.filter(|place| *place < self.joined_with()).or_else(later)
    }

    /// What one of its nodes is like.
    pub fn node_spec(&self, node: NodeId) -> Option<&NodeSpec> {
        self.spec.nodes.get(self.place_of(node)?)
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeState {
    /// Whose it is.
    pub site: SiteId,
    /// Whether it has failed.
    pub lost: bool,
    /// Whether it only does not answer, so that what started there may still run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub down: bool,
    /// Whether its site does not have it any more; then it is lost too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// Since when it stands or does not; older news is no news.
    pub since: Time,
    /// When its owner uses it.
    pub taken: Vec<Interval>,
    /// When nothing new is sold of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drained: Vec<Interval>,
}

pub(crate) fn no_waits() -> Predictor {
    Predictor::new(Quantity::Wait)
}

pub(crate) fn is_unlearnt(predictor: &Predictor) -> bool {
    predictor.jobs() == 0
}

pub(crate) fn never() -> Time {
    Time::MIN
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
pub(crate) fn is_never(time: &Time) -> bool {
    *time == Time::MIN
}
