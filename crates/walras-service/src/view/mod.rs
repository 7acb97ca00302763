//! From what the broker knows to what the API says.
//!
//! The broker knows sites and nodes by number and time in milliseconds; people know names and dates. Nothing is decided
//! here.

pub mod event;
pub mod job;
pub mod market;
pub mod money;
pub mod record;

use walras_api::sentence::{Context, MoneyLimit};
use walras_broker::State;
use walras_broker::job::{JobSpec, Why};
use walras_model::{NodeId, SiteId};

/// The name of a site.
pub(crate) fn site_name(state: &State, site: SiteId) -> String {
    state.site(site).map_or_else(|| format!("site {}", site.number()), |site| site.spec.name.clone())
}

/// The name of a node within its site.
pub(crate) fn node_name(state: &State, node: NodeId) -> String {
    state.node_spec(node).map_or_else(|| format!("node {}", node.number()), |node| node.name.clone())
}

/// The name of a node with its site's.
pub(crate) fn place_name(state: &State, node: NodeId) -> String {
    let site = state.node(node).map(|node| site_name(state, node.site)).unwrap_or_default();
    format!("{site}/{}", node_name(state, node))
}

/// For sentences about a job: a limit of its own is told from one of its user's money.
pub(crate) fn context_of<'a>(state: &'a State, spec: &'a JobSpec, why: &Why) -> Context<'a> {
    Context::of_service(state).about(spec).limited(limit_of(state, spec, why))
}

/// What limits the money of a job that fits nowhere.
pub(crate) fn limit_of(state: &State, spec: &JobSpec, why: &Why) -> MoneyLimit {
    match why {
        Why::NoFit(explanation) => MoneyLimit::of(state, spec, explanation),
        _ => MoneyLimit::OfJob,
    }
}
