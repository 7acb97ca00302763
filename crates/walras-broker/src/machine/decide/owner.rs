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
    check(draft, site, nodes)?;
    check_time(draft, interval)?;
    for node in nodes {
        let to_come = |state: &crate::model::state::NodeState| {
            state.drained.iter().filter(|drained| drained.end() > draft.now).count()
        };
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
    check(draft, site, nodes)?;
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
    check(draft, site, nodes)?;
    check_time(draft, interval)?;
    taken(draft, site, nodes, interval);
    Ok(HEARD)
}

/// The nodes are the site's, and there are some.
fn check(draft: &Draft<'_>, site: SiteId, nodes: &[NodeId]) -> Result<(), Refusal> {
    draft.before.site(site).ok_or(Refusal::NoSite(site))?;
    if nodes.is_empty() {
        return Err(Refusal::BadSite(BadSite::QueueHasNoNodes));
    }
    let other = nodes.iter().find(|node| draft.before.node(**node).is_none_or(|state| state.site != site));
    other.map_or(Ok(()), |node| Err(Refusal::BadSite(BadSite::OtherNode(*node))))
}

fn check_time(draft: &Draft<'_>, interval: Interval) -> Result<(), Refusal> {
    let over = interval.end() <= draft.now;
    if over { Err(Refusal::BadSite(BadSite::Over(interval.end()))) } else { Ok(()) }
}
