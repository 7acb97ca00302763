//! What the search for one job's window knows before it begins: which nodes fit and how fast each is, and which windows count.

use super::aim::Aim;
use crate::search::{Candidate, NO_FIT, View};
use walras_model::id::NodeId;
use walras_model::interval::Interval;
use walras_model::offer::Slot;

/// The nodes that fit a request, fastest first; where they are sold in units, each of their lanes.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    /// By rank: the node itself.
    pub(super) owners: Vec<usize>,
    /// By rank: the pool of the node.
    pub(super) pools: Vec<usize>,
    /// By rank: how long the node takes.
    pub(super) runtimes: Vec<i64>,
    /// By node or lane: its rank, where it fits.
    pub(super) of_node: Vec<Option<u32>>,
    /// By node: whether it fits.
    fits: Vec<bool>,
    pub(super) runtime_least: i64,
    pub(super) runtime_most: i64,
    /// No window's costs beside those of one of its tasks come to less.
    pub(super) others_least: i128,
}

impl Ranks {
    /// Of lanes, `owners` says the node of each; empty where there are none.
    pub(super) fn new(view: &View, slots: &[Slot], owners: &[NodeId]) -> Ranks {
        let mut nodes: Vec<usize> =
            (0..view.runtimes.len()).filter(|node| view.runtimes[*node] != NO_FIT).collect();
        nodes.sort_by_key(|node| view.runtimes[*node]);
        let mut of_node = vec![None; view.runtimes.len()];
        for (node, rank) in nodes.iter().zip(0..) {
            of_node[*node] = Some(rank);
        }
        let owner = |node: &usize| owners.get(*node).map_or(*node, |owner| owner.index());
        let mut fits = vec![false; (0..view.runtimes.len()).map(|node| owner(&node) + 1).max().unwrap_or(0)];
        for node in &nodes {
            fits[owner(node)] = true;
        }
        // The slowest of N nodes is at least as slow as the N-th fastest.
        let at = |place: usize| nodes.get(place).map_or(0, |node| view.runtimes[*node]);
        Ranks {
            owners: nodes.iter().map(owner).collect(),
            pools: nodes.iter().map(|node| view.pool_of(*node)).collect(),
            runtimes: nodes.iter().map(|node| view.runtimes[*node]).collect(),
            runtime_least: at(view.tasks.saturating_sub(1)),
            runtime_most: at(nodes.len().saturating_sub(1)),
            of_node,
            fits,
            others_least: others_least(view, slots),
        }
    }

    /// Whether a node fits.
    pub(super) fn fits(&self, node: NodeId) -> bool {
        self.fits.get(node.index()) == Some(&true)
    }
}

/// What all tasks of a window but one cost at the least: on that many nodes, wherever each is cheapest.
fn others_least(view: &View, slots: &[Slot]) -> i128 {
    let mut costs = vec![i64::MAX; view.runtimes.len()];
    for slot in slots {
        let node = slot.node().index();
        let (runtime, start) = (view.runtimes[node], slot.start().as_millis());
        if runtime <= slot.span().as_millis() {
            let rate = view.rate_of(slot);
            let cost = Candidate { slot, start, expiry: start, runtime, rate }.cost();
            costs[node] = costs[node].min(cost);
        }
    }
    costs.retain(|cost| *cost < i64::MAX);
    costs.sort_unstable();
    costs.iter().take(view.tasks.saturating_sub(1)).map(|cost| i128::from(*cost)).sum()
}

/// Which windows of a job count.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) view: &'a View,
    pub(super) ranks: &'a Ranks,
    pub(super) aim: &'a Aim,
    pub(super) cost_max: i64,
    pub(super) runtime_max: i64,
    pub(super) earliest: i64,
    pub(super) finish_max: i64,
    /// By node: so many of 1,024 parts are added to its costs while they are compared; empty for none.
    pub(super) noise: &'a [i64],
    /// By node: whether it may not be used; empty for none.
    pub(super) closed: &'a [bool],
    /// Whether a node may be used in an interval; hours of access.
    pub(super) admits: Option<&'a dyn Fn(usize, Interval) -> bool>,
}

impl<'a> Wanted<'a> {
    /// All that the request itself allows.
    pub(super) fn of(view: &'a View, ranks: &'a Ranks, aim: &'a Aim) -> Wanted<'a> {
        Wanted {
            view,
            ranks,
            aim,
            cost_max: i64::MAX,
            runtime_max: i64::MAX,
            earliest: i64::MIN,
            finish_max: i64::MAX,
            noise: &[],
            closed: &[],
            admits: None,
        }
    }
}
