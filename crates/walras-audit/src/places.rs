//! Sites and nodes: which stand, which their owners use, and what is held on them.
//!
//! Holds lie by node in order of start. As long as none overlap, only the last that starts before another's end can
//! overlap it, so that looking takes time O(log holds). On a node that is sold in units holds may overlap: there everything that is held beside
//! a new hold is summed, moment by moment, in time O(holds²) of what is held on that node.

use crate::finding::{AllocationFault, FindingKind, Gone};
use crate::look::Look;
use crate::place::{Node, SharedHold, Site};
use std::collections::BTreeSet;
use walras_broker::allocation::{Leg, Part};
use walras_broker::id::ReservationNumber;
use walras_broker::site::{Access, NodeSpec, QueueSpec, SiteKind, SiteSpec, Timing};
use walras_model::{Attributes, Division, Interval, NodeId, Performance, SiteId, Span, Time};

/// All sites and nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    sites: Vec<Site>,
    names: BTreeSet<String>,
    nodes: Vec<Node>,
}

/// What work meets on a node, or behind a queue.
pub(crate) struct Machine<'a> {
    pub(crate) performance: Performance,
    pub(crate) attributes: &'a Attributes,
    /// What it counts, and in how many units it is sold; nothing behind a queue.
    pub(crate) division: Option<&'a Division>,
    /// The names by which a task may know it: with its site, and alone.
    pub(crate) names: Option<(String, &'a str)>,
}

impl Places {
    /// A site joins; its nodes have the next numbers.
    pub(crate) fn add(&mut self, look: &mut Look<'_>, spec: &SiteSpec) {
        let Some(site) = SiteId::from_index(self.sites.len()) else { return };
        if !self.names.insert(spec.name.clone()) {
            look.report(FindingKind::SiteAlready { site });
        }
        let first_node = self.nodes.len();
        self.nodes.extend(spec.nodes.iter().map(|node| Node::new(site, node)));
        self.sites.push(Site {
            spec: spec.clone(),
            first_node,
            later: Vec::new(),
            nodes_at: Time::MIN,
            lost: false,
            since: Time::MIN,
            changed: 0,
            leaving: false,
        });
    }

    /// How many units all nodes are sold in, those that have failed among them.
    pub(crate) fn units_ever(&self) -> u64 {
        let specs = self
            .nodes
            .iter()
            .zip(0..)
            .map(|(node, number)| self.sites.get(node.site.index())?.node_spec(NodeId::new(number)));
        specs.map(|spec| spec.map_or(1, |spec| u64::from(spec.division.units()))).sum()
    }

    /// What may change of a site does.
    pub(crate) fn terms_set(&mut self, look: &mut Look<'_>, site: SiteId, access: &Access, timing: Timing) {
        match self.sites.get_mut(site.index()) {
            None => look.report(FindingKind::NoSuchSite(site)),
            Some(known) => (known.spec.access, known.spec.timing) = (access.clone(), timing),
        }
        self.changed(site, look.position);
    }

    /// A site sells nothing new, or does again.
    pub(crate) fn leave(&mut self, look: &mut Look<'_>, site: SiteId, leaving: bool) {
        match self.sites.get_mut(site.index()) {
            None => look.report(FindingKind::NoSuchSite(site)),
            Some(known) if known.leaving == leaving => look.report(FindingKind::SiteAlready { site }),
            Some(known) => known.leaving = leaving,
        }
        self.changed(site, look.position);
    }

    /// Whether a site sells nothing new.
    pub(crate) fn is_leaving(&self, site: SiteId) -> bool {
        self.sites.get(site.index()).is_some_and(|site| site.leaving)
    }

    /// Whether jobs are assigned to a site round by round, where the VO assigns at all.
    pub(crate) fn is_assigned_to(&self, site: SiteId) -> bool {
        let sells = |site: &Site| site.spec.kind == SiteKind::Capacity && site.spec.access.quotas.is_empty();
        self.sites.get(site.index()).is_some_and(sells)
    }

    /// How fast the nodes are of the sites to which jobs are assigned.
    pub(crate) fn assigned_machines(&self) -> impl Iterator<Item = Performance> {
        let nodes = self.nodes.iter().enumerate().filter(|(_, node)| self.is_assigned_to(node.site));
        nodes
            .filter_map(|(place, node)| Some(self.machine(node.site, NodeId::from_index(place))?.performance))
    }

    /// How many sites there are.
    pub(crate) fn count(&self) -> usize {
        self.sites.len()
    }

    /// Whether there is such a site.
    pub(crate) fn has(&self, site: SiteId) -> bool {
        self.sites.get(site.index()).is_some()
    }

    /// A site has said something of what it sells.
    pub(crate) fn changed(&mut self, site: SiteId, position: u64) {
        if let Some(site) = self.sites.get_mut(site.index()) {
            site.changed = position;
        }
    }

    /// Something is held on a site. Where holds keep apart, plans that lie too close to it have lost their ground by the next entry.
    pub(crate) fn crowd(&mut self, site: SiteId, position: u64) {
        let needy = self.sites.get_mut(site.index()).filter(|site| site.spec.timing.between() > Span::ZERO);
        if let Some(site) = needy {
            site.changed = site.changed.max(position.saturating_add(1));
        }
    }

    /// The last entry in which a site has said something of what it sells.
    pub(crate) fn last_change(&self, site: SiteId) -> u64 {
        self.sites.get(site.index()).map_or(0, |site| site.changed)
    }

    /// From when on a part may be sent to its site: sites may want it ahead of its start, unless it waits for others.
    pub(crate) fn sent_at(&self, part: &Part) -> Time {
        let ahead = self.sites.get(part.site.index()).map_or(0, |site| site.spec.timing.ahead.as_millis());
        let early = if part.after.is_empty() { ahead } else { 0 };
        Time::from_millis(part.start.as_millis().saturating_sub(early)).unwrap_or(Time::MIN)
    }

    /// Whether a site begins its parts of a window over several sites only with the others.
    pub(crate) fn begins_together(&self, site: SiteId) -> bool {
        self.sites.get(site.index()).is_some_and(|site| site.spec.timing.together)
    }

    /// Who earns what a site sells.
    pub(crate) fn owner(&self, site: SiteId) -> Option<&str> {
        self.sites.get(site.index()).map(|site| site.spec.owner.as_str())
    }

    /// Whose a node is.
    pub(crate) fn site_of(&self, node: NodeId) -> Option<SiteId> {
        self.nodes.get(node.index()).map(|node| node.site)
    }

    /// Whether there is such a site, and it has not failed.
    pub(crate) fn site_stands(&self, site: SiteId) -> bool {
        self.sites.get(site.index()).is_some_and(|site| !site.lost)
    }

    /// Whether there is such a node, and it has not failed.
    pub(crate) fn node_stands(&self, node: NodeId) -> bool {
        self.nodes.get(node.index()).is_some_and(|node| !node.lost)
    }

    /// Whether something may run on a node: it stands, or only does not answer.
    pub(crate) fn node_may_run(&self, node: NodeId) -> bool {
        self.nodes.get(node.index()).is_some_and(|node| !node.lost || node.down)
    }

    /// Whether the owner uses a node between two moments.
    pub(crate) fn is_taken(&self, node: NodeId, from: Time, to: Time) -> bool {
        let taken = self.nodes.get(node.index()).map_or(&[][..], |node| &node.taken);
        taken.iter().any(|taken| crate::sums::meet((taken.start(), taken.end()), (from, to)))
    }

    /// Whether nothing new may be sold of a node between two moments.
    pub(crate) fn is_drained(&self, node: NodeId, from: Time, to: Time) -> bool {
        let drained = self.nodes.get(node.index()).map_or(&[][..], |node| &node.drained);
        drained.iter().any(|drained| crate::sums::meet((drained.start(), drained.end()), (from, to)))
    }

    /// Whether a site is a queue.
    pub(crate) fn is_queue(&self, site: SiteId) -> bool {
        self.sites.get(site.index()).is_some_and(|site| matches!(site.spec.kind, SiteKind::Queue(_)))
    }

    /// What work meets on a node of a site, or behind its queue.
    pub(crate) fn machine(&self, site: SiteId, node: Option<NodeId>) -> Option<Machine<'_>> {
        let of_site = self.sites.get(site.index())?;
        match (node, &of_site.spec.kind) {
            (None, SiteKind::Queue(QueueSpec { performance, attributes, .. })) => {
                Some(Machine { performance: *performance, attributes, division: None, names: None })
            }
            (Some(node), SiteKind::Slots | SiteKind::Capacity) => {
                let spec = of_site.node_spec(node)?;
                let names = Some((format!("{}/{}", of_site.spec.name, spec.name), spec.name.as_str()));
                Some(Machine {
                    performance: spec.performance,
                    attributes: &spec.attributes,
                    division: Some(&spec.division),
                    names,
                })
            }
            (None, SiteKind::Slots | SiteKind::Capacity) | (Some(_), SiteKind::Queue(_)) => None,
        }
    }

    /// A node has failed, or is back; older news than the last is no news.
    pub(crate) fn node_changed(&mut self, look: &mut Look<'_>, node: NodeId, at: Time, lost: bool) {
        match self.nodes.get_mut(node.index()) {
            None => look.report(FindingKind::NoSuchNode(node)),
            Some(state)
                if (state.lost == lost && !state.down) || at <= state.since || (state.gone && !lost) =>
            {
                look.report(FindingKind::NodeAlready { node });
            }
            Some(state) => (state.lost, state.down, state.since) = (lost, false, at),
        }
        if lost {
            look.gone.push((Gone::Node(node), None));
        }
    }

    /// A node does not answer.
    pub(crate) fn node_down(&mut self, look: &mut Look<'_>, node: NodeId, at: Time) {
        match self.nodes.get_mut(node.index()) {
            None => look.report(FindingKind::NoSuchNode(node)),
            Some(state) if state.lost || at <= state.since => look.report(FindingKind::NodeAlready { node }),
            Some(state) => (state.lost, state.down, state.since) = (true, true, at),
        }
        look.gone.push((Gone::Node(node), None));
    }

    /// A site has more nodes, under names that none of those it has now have; they have the next numbers.
    pub(crate) fn nodes_added(&mut self, look: &mut Look<'_>, site: SiteId, at: Time, nodes: &[NodeSpec]) {
        let (before, all) = (self.nodes.len(), &mut self.nodes);
        let Some(known) = self.sites.get_mut(site.index()) else {
            return look.report(FindingKind::NoSuchSite(site));
        };
        let names: BTreeSet<&str> = known
            .numbered()
            .filter(|(number, _)| !all[*number].gone)
            .map(|(_, it)| it.name.as_str())
            .collect();
        let queue = matches!(known.spec.kind, SiteKind::Queue(_));
        if queue || at < known.nodes_at || nodes.iter().any(|node| names.contains(node.name.as_str())) {
            look.report(FindingKind::SiteAlready { site });
        }
        all.extend(nodes.iter().map(|node| Node::new(site, node)));
        known.later.extend((before..all.len()).filter_map(NodeId::from_index));
        known.spec.nodes.extend_from_slice(nodes);
        known.nodes_at = at;
        known.changed = look.position;
    }

    /// A site does not have a node any more. What was promised of one that failed, that nothing runs there, stays true.
    pub(crate) fn node_gone(&mut self, look: &mut Look<'_>, node: NodeId, at: Time) {
        match self.nodes.get_mut(node.index()) {
            None => look.report(FindingKind::NoSuchNode(node)),
            Some(state) if state.gone => look.report(FindingKind::NodeAlready { node }),
            Some(state) => {
                state.down |= !state.lost;
                (state.lost, state.gone, state.since) = (true, true, state.since.max(at));
                if let Some(site) = self.sites.get_mut(state.site.index()) {
                    site.nodes_at = at;
                }
            }
        }
        look.gone.push((Gone::Node(node), None));
    }

    /// A site has failed, or is back; older news than the last is no news.
    pub(crate) fn site_changed(&mut self, look: &mut Look<'_>, site: SiteId, at: Time, lost: bool) {
        match self.sites.get_mut(site.index()) {
            None => look.report(FindingKind::NoSuchSite(site)),
            Some(state) if state.lost == lost || at <= state.since => {
                look.report(FindingKind::SiteAlready { site });
            }
            Some(state) => (state.lost, state.since) = (lost, at),
        }
        if lost {
            look.gone.push((Gone::Site(site), None));
        }
    }

    /// An owner uses a node.
    pub(crate) fn node_taken(&mut self, look: &mut Look<'_>, node: NodeId, interval: Interval) {
        let now = look.now;
        match self.nodes.get_mut(node.index()) {
            None => look.report(FindingKind::NoSuchNode(node)),
            Some(state) if state.taken.contains(&interval) => look.report(FindingKind::NodeAlready { node }),
            Some(state) => {
                state.taken.retain(|taken| taken.end() > now);
                state.taken.push(interval);
            }
        }
        look.gone.push((Gone::Node(node), Some(interval)));
    }

    /// Nothing new is sold of a node for a while.
    pub(crate) fn node_drained(&mut self, look: &mut Look<'_>, node: NodeId, interval: Interval) {
        match self.nodes.get_mut(node.index()) {
            None => look.report(FindingKind::NoSuchNode(node)),
            Some(state) if state.drained.contains(&interval) => {
                look.report(FindingKind::NodeAlready { node })
            }
            Some(state) => state.drained.push(interval),
        }
    }

    /// A node's time is sold again.
    pub(crate) fn node_resumed(&mut self, look: &mut Look<'_>, node: NodeId) {
        match self.nodes.get_mut(node.index()) {
            None => look.report(FindingKind::NoSuchNode(node)),
            Some(state) if state.drained.is_empty() => look.report(FindingKind::NodeAlready { node }),
            Some(state) => state.drained.clear(),
        }
    }

    /// Books a leg's holds; gives those that overlap others.
    pub(crate) fn hold(&mut self, leg: &Leg, reservation: ReservationNumber) -> Vec<AllocationFault> {
        let mut faults = Vec::new();
        // What the site needs between two holds.
        let between = self.sites.get(leg.site.index()).map_or(Span::ZERO, |site| site.spec.timing.between());
        let apart = |end: Time| end.checked_add(between).unwrap_or(Time::MAX);
        for hold in &leg.holds {
            let Some(node) = hold.node else { continue };
            let Some(state) = self.nodes.get_mut(node.index()) else { continue };
            let (start, end) = (hold.interval.start(), hold.interval.end());
            if state.units > 1 {
                state.shared.push(SharedHold { reservation, start, end, units: hold.units });
                faults.extend(
                    state.beyond_units(between).map(|other| AllocationFault::DoubleBooked { node, other }),
                );
                continue;
            }
            let before = state.holds.range(..(apart(end), ReservationNumber::new(0))).next_back();
            if let Some(((_, other), _)) = before.filter(|(_, other_end)| apart(**other_end) > start) {
                faults.push(AllocationFault::DoubleBooked { node, other: *other });
            }
            state.holds.insert((start, reservation), end);
        }
        faults
    }

    /// A leg's holds are free again.
    pub(crate) fn release(&mut self, leg: &Leg, reservation: ReservationNumber) {
        for hold in &leg.holds {
            if let Some(state) = hold.node.and_then(|node| self.nodes.get_mut(node.index())) {
                state.holds.remove(&(hold.interval.start(), reservation));
                let start = hold.interval.start();
                let held = |it: &SharedHold| it.reservation == reservation && it.start == start;
                if let Some(place) = state.shared.iter().position(held) {
                    state.shared.swap_remove(place);
                }
            }
        }
    }
}
