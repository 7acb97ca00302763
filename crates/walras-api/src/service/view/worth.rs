//! What time is worth to those who wait for it.

use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// What nodes' time is worth to those who wait for it, on top of what it costs: prices at which nothing would be wanted twice. Nothing is
/// charged by them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorthView {
    /// How many jobs wait in windows that may still move.
    pub waiting: usize,
    /// Until when it was looked; without it nothing is for sale, or windows do not move here.
    pub until: Option<Stamp>,
    /// When sites have time that is worth more than it costs, by time.
    pub scarce: Vec<ScarceView>,
    /// What one more node of a kind would bring, those that would bring most first.
    pub nodes: Vec<NodeWorthView>,
    /// From then on no time is scarce, and whoever can wait is in nobody's way; without it none is at all.
    pub calm_from: Option<Stamp>,
    /// Whether a bound on work ended the search, so that prices are rough; or kept it from beginning.
    pub limited: bool,
}

/// A site's time in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScarceView {
    /// The name of the site whose time it is.
    pub site: String,
    /// When the period begins.
    pub start: Stamp,
    /// When the period ends.
    pub end: Stamp,
    /// What a node is worth on top of its price, in credits a second, on average over all that is free.
    pub above_price: Num,
    /// How many nodes have scarce time then.
    pub nodes: usize,
}

/// Nodes of one site, speed and price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeWorthView {
    /// The name of the site that has them.
    pub site: String,
    /// Speed relative to the reference node.
    pub performance: Num,
    /// Credits a second.
    pub price: Num,
    /// How many there are.
    pub nodes: usize,
    /// About what one more would bring until then on top of its price, in credits.
    pub one_more: Num,
}
