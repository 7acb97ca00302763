//! Which nodes a site has is the site's to say, when it joins and later.
//!
//! Numbers are never given twice: a node that a site does not name any more is gone for good, and one that comes under its name, or is not
//! what it was, is another with a number of its own. What has not begun on a node that is gone gets another place; what may run there is waited for.
//! Time O(nodes · log nodes), and O(reservations) for every node that is gone.

use super::draft::Draft;
use super::site::leave;
use crate::model::event::SiteEvent;
use crate::model::input::Refusal;
use crate::model::limits::NODES_MAX;
use crate::model::refusal::{BadName, BadSite, Countable};
use crate::model::site::{NodeSpec, SiteKind};
use crate::model::state::{SiteState, State};
use crate::rules::submission::check_name;
use std::collections::BTreeMap;
use walras_model::{NodeId, Rate, SiteId, Time};

/// What a site says of its nodes, all of them.
pub(super) fn said(
    draft: &mut Draft<'_>,
    site: SiteId,
    at: Time,
    nodes: &[NodeSpec],
    rates: &BTreeMap<String, Rate>,
) -> Result<(), Refusal> {
    let state = draft.before;
    let known = state.site(site).ok_or(Refusal::NoSite(site))?;
    let told = named(known, nodes)?;
    if at <= known.nodes_at {
        return Ok(());
    }
    let (stay, gone): (Vec<_>, Vec<_>) =
        state.nodes_of(known).partition(|(_, node)| told.get(node.name.as_str()) == Some(node));
    let kept: BTreeMap<&str, NodeId> =
        stay.iter().map(|(number, node)| (node.name.as_str(), *number)).collect();
    let new: Vec<NodeSpec> =
        nodes.iter().filter(|node| !kept.contains_key(node.name.as_str())).cloned().collect();
    if state.nodes.len() + new.len() > NODES_MAX {
        return Err(Refusal::TooMany { what: Countable::Nodes, most: NODES_MAX });
    }
    // First nothing fits there any more, and then whoever was there goes elsewhere.
    let stood = standing(state, &gone);
    for (node, _) in gone {
        draft.push(SiteEvent::NodeGone { node, at });
    }
    if !new.is_empty() {
        let unpriced = |name: &String| !known.spec.prices.nodes.contains_key(name);
        let is_new = |name: &String| new.iter().any(|node| node.name == *name);
        let rates = rates.iter().filter(|(name, _)| unpriced(name) && is_new(name));
        let rates = rates.map(|(name, rate)| (name.clone(), *rate)).collect();
        draft.push(SiteEvent::NodesAdded { site, at, nodes: new, rates });
    }
    for node in stood {
        leave(draft, node);
    }
    Ok(())
}

/// Those of some nodes that had not failed: whoever was on others has another place already.
fn standing(state: &State, nodes: &[(NodeId, &NodeSpec)]) -> Vec<NodeId> {
    let stands = |node: &NodeId| state.node(*node).is_some_and(|node| !node.lost);
    nodes.iter().map(|(node, _)| *node).filter(stands).collect()
}

/// What is told, by name; an error where no site can have such nodes.
fn named<'a>(site: &SiteState, nodes: &'a [NodeSpec]) -> Result<BTreeMap<&'a str, &'a NodeSpec>, Refusal> {
    match (&site.spec.kind, nodes.len()) {
        (SiteKind::Queue(_), count) => return Err(Refusal::BadSite(BadSite::QueueWithNodes(count))),
        (SiteKind::Slots | SiteKind::Capacity, 0) => return Err(Refusal::BadSite(BadSite::NoNodes)),
        (SiteKind::Slots | SiteKind::Capacity, _) => {}
    }
    let mut told = BTreeMap::new();
    for node in nodes {
        check_name(&node.name)?;
        if told.insert(node.name.as_str(), node).is_some() {
            return Err(Refusal::BadName { name: node.name.clone(), fault: BadName::Taken });
        }
    }
    Ok(told)
}
