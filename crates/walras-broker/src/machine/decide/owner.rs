//! What owners may say of their nodes while the service runs.
//!
//! *Drained* is what sells nothing new for a while: what is held there stays, and plans that nobody holds yet move elsewhere, within what
//! was promised where that can be. *Reclaimed* is what the owner needs whatever is held there: that is given up, and settled as
//! by the owner's fault. Both are said by people; a site's own messages (`site`) say what has happened already.
//!
//! Draining takes time O(nodes), reclaiming O(nodes · reservations).

use super::HEARD;
use super::draft::Draft;
use super::site::taken;
use crate::model::event::SiteEvent;
use crate::model::input::{Answer, Refusal};
use crate::model::refusal::BadSite;
use crate::model::site::SiteKind;
use crate::model::state::NodeState;
use std::collections::BTreeSet;
use walras_model::{Interval, NodeId, SiteId};

/// A node is drained at so many times to come, at most.
const DRAINED_MAX: usize = 100;

pub(super) fn drain(
    draft: &mut Draft<'_>,
    site: SiteId,
    nodes: &[NodeId],
    interval: Interval,
) -> Result<Answer, Refusal> {
    check(draft, site, nodes, Some(interval))?;
    for node in nodes {
        let to_come =
            |state: &NodeState| state.drained.iter().filter(|drained| drained.end() > draft.now).count();
        if draft.before.node(*node).map_or(0, to_come) >= DRAINED_MAX {
            return Err(Refusal::BadSite(BadSite::DrainedTooOften { node: *node, most: DRAINED_MAX }));
        }
    }
    // Whoever repeats a request, or a name, changes nothing.
    for node in BTreeSet::from_iter(nodes) {
        let known = draft.before.node(*node).is_some_and(|state| state.drained.contains(&interval));
        if !known {
            draft.push(SiteEvent::NodeDrained { node: *node, interval });
        }
    }
    Ok(HEARD)
}

pub(super) fn resume(draft: &mut Draft<'_>, site: SiteId, nodes: &[NodeId]) -> Result<Answer, Refusal> {
    check(draft, site, nodes, None)?;
    for node in BTreeSet::from_iter(nodes) {
        if draft.before.node(*node).is_some_and(|state| !state.drained.is_empty()) {
            draft.push(SiteEvent::NodeResumed { node: *node });
        }
    }
    Ok(HEARD)
}

pub(super) fn reclaim(
    draft: &mut Draft<'_>,
    site: SiteId,
    nodes: &[NodeId],
    interval: Interval,
) -> Result<Answer, Refusal> {
    check(draft, site, nodes, Some(interval))?;
    taken(draft, site, nodes, interval);
    Ok(HEARD)
}

/// The nodes are the site's, there are some, and the time is not over.
fn check(
    draft: &Draft<'_>,
    site: SiteId,
    nodes: &[NodeId],
    interval: Option<Interval>,
) -> Result<(), Refusal> {
    let known = draft.before.site(site).ok_or(Refusal::NoSite(site))?;
    let bad = |why: BadSite| Err(Refusal::BadSite(why));
    if matches!(known.spec.kind, SiteKind::Queue(_)) {
        return bad(BadSite::QueueHasNoNodes);
    }
    if nodes.is_empty() {
        return bad(BadSite::NoNodesNamed);
    }
    if let Some(other) =
        nodes.iter().find(|node| draft.before.node(**node).is_none_or(|state| state.site != site))
    {
        return bad(BadSite::OtherNode(*other));
    }
    match interval.filter(|interval| interval.end() <= draft.now) {
        Some(interval) => bad(BadSite::Over(interval.end())),
        None => Ok(()),
    }
}
