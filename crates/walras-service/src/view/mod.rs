//! From what the broker knows to what the API says.
//!
//! The broker knows sites and nodes by number and time in milliseconds; people know names and dates. Nothing is decided
//! here.

#![deny(
    clippy::wildcard_enum_match_arm,
    reason = "a new event or state must not compile until it is clear what people are told of it"
)]

pub mod again;
pub mod apply;
pub mod array;
pub mod chain;
pub mod criteria;
pub mod decision;
pub mod ended;
pub mod event;
pub mod happening;
pub mod history;
pub mod job;
pub mod likely;
pub mod log;
pub mod market;
pub mod money;
pub mod outlook;
pub mod owner;
pub mod past;
pub mod places;
pub mod record;
pub mod report;
pub mod sold;
pub mod timetable;
pub mod unsold;
pub mod vo;
pub mod worth;

use walras_broker::State;
use walras_model::{NodeId, SiteId};

/// Amounts are counted in micro-credits and shown in credits.
pub(crate) const MONEY_DECIMALS: u32 = 6;

/// The name of a site.
pub(crate) fn site_name(state: &State, site: SiteId) -> String {
    state.site(site).map_or_else(|| format!("site {}", site.number()), |site| site.spec.name.clone())
}

/// The name of a node within its site.
pub(crate) fn node_name(state: &State, node: NodeId) -> String {
    state.node_spec(node).map_or_else(|| format!("node {}", node.number()), |node| node.name.clone())
}
