//! One site and one node, as the journal tells of them.

use std::collections::BTreeMap;
use walras_broker::id::ReservationNumber;
use walras_broker::site::{NodeSpec, SiteSpec};
use walras_model::{Interval, NodeId, SiteId, Span, Time};

/// A site.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) spec: SiteSpec,
    pub(crate) first_node: usize,
    /// The numbers of nodes that it has got since it joined.
    pub(crate) later: Vec<NodeId>,
    /// When it last said which nodes it has.
    pub(crate) nodes_at: Time,
    pub(crate) lost: bool,
    /// Since when it stands or does not.
    pub(crate) since: Time,
    /// The last entry in which it offered anything, or changed.
    pub(crate) changed: u64,
    /// Whether it sells nothing new.
    pub(crate) leaving: bool,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) site: SiteId,
    pub(crate) lost: bool,
    /// Whether it only does not answer: what started there may run.
    pub(crate) down: bool,
    /// Whether its site does not have it any more.
    pub(crate) gone: bool,
    /// Since when it stands or does not.
    pub(crate) since: Time,
    pub(crate) taken: Vec<Interval>,
    /// When nothing new may be sold.
    pub(crate) drained: Vec<Interval>,
    /// How many units it is sold in.
    pub(crate) units: u32,
    /// By start and reservation: the end. Of a node that is sold whole.
    pub(crate) holds: BTreeMap<(Time, ReservationNumber), Time>,
    /// What is held of one that is sold in units.
    pub(crate) shared: Vec<SharedHold>,
}

/// Some units of a node that are held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedHold {
    pub(crate) reservation: ReservationNumber,
    pub(crate) start: Time,
    pub(crate) end: Time,
    pub(crate) units: u32,
}

impl Node {
    pub(crate) fn new(site: SiteId, spec: &NodeSpec) -> Node {
        Node {
            site,
            lost: false,
            down: false,
            gone: false,
            since: Time::MIN,
            taken: Vec::new(),
            drained: Vec::new(),
            units: spec.division.units(),
            holds: BTreeMap::new(),
            shared: Vec::new(),
        }
    }

    /// Whom the last hold shares a moment with at which more units are held than there are. Others' holds reach as far as the site needs between
    /// two.
    pub(crate) fn beyond_units(&self, between: Span) -> Option<ReservationNumber> {
        let (last, others) = self.shared.split_last()?;
        let own = |it: &SharedHold| it.reservation == last.reservation;
        let wide = |it: &SharedHold| {
            let apart = if own(it) { 0 } else { between.as_millis() };
            (it.start.as_millis().saturating_sub(apart), it.end.as_millis().saturating_add(apart))
        };
        let (from, until) = (last.start.as_millis(), last.end.as_millis());
        let beside: Vec<&SharedHold> =
            others.iter().filter(|it| wide(it).0 < until && from < wide(it).1).collect();
        let mut moments = beside.iter().map(|it| wide(it).0.max(from)).chain([from]);
        let full = moments.any(|moment| {
            let there = beside.iter().filter(|it| (wide(it).0..wide(it).1).contains(&moment));
            let held: u64 = there.map(|it| u64::from(it.units)).sum();
            held + u64::from(last.units) > u64::from(self.units)
        });
        full.then(|| beside.first().map_or(last.reservation, |it| it.reservation))
    }
}

impl Site {
    /// Its nodes with their numbers, those that are gone among them.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &NodeSpec)> {
        let first = self.first_node..self.first_node + self.spec.nodes.len() - self.later.len();
        first.chain(self.later.iter().map(|node| node.index())).zip(&self.spec.nodes)
    }

    pub(crate) fn node_spec(&self, node: NodeId) -> Option<&NodeSpec> {
        let joined_with = self.spec.nodes.len() - self.later.len();
        let later = || self.later.binary_search(&node).ok().map(|place| place + joined_with);
        let first = node.index().checked_sub(self.first_node).filter(|place| *place < joined_with);
        self.spec.nodes.get(first.or_else(later)?)
    }
}
