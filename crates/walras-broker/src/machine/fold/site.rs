//! Sites and their nodes.

use crate::model::account::Account;
use crate::model::event::SiteEvent;
use crate::model::known::Known;
use crate::model::place::no_waits;
use crate::model::site::{NodeSpec, SiteSpec};
use crate::model::state::{NodeState, SiteState, State};
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_model::{Money, Multiplier, NodeId, Rate, SiteId, Time};

impl State {
    pub(super) fn fold_site(&mut self, event: &SiteEvent) {
        self.unsettle();
        match event {
            SiteEvent::Added(_)
            | SiteEvent::PricesSet { .. }
            | SiteEvent::TermsSet { .. }
            | SiteEvent::Stays(_)
            | SiteEvent::NodeBack { .. }
            | SiteEvent::NodeResumed { .. }
            | SiteEvent::NodesAdded { .. }
            | SiteEvent::Back { .. } => self.help(),
            SiteEvent::NodeLost { .. }
            | SiteEvent::NodeDown { .. }
            | SiteEvent::NodeGone { .. }
            | SiteEvent::NodeTaken { .. }
            | SiteEvent::NodeDrained { .. }
            | SiteEvent::Leaving(_)
            | SiteEvent::Lost { .. } => {}
        }
        match event {
            SiteEvent::Added(spec) => self.site_added(spec),
            SiteEvent::PricesSet { site, prices } => {
                let state = self.known_site(*site);
                Arc::make_mut(&mut state.spec).prices = (**prices).clone();
                state.demand = prices.demand.map_or(Multiplier::ONE, |it| state.demand.clamp(it.min, it.max));
            }
            SiteEvent::TermsSet { site, access, timing } => {
                let spec = Arc::make_mut(&mut self.known_site(*site).spec);
                (spec.access, spec.timing) = ((**access).clone(), *timing);
            }
            SiteEvent::Leaving(site) => self.known_site(*site).leaving = true,
            SiteEvent::Stays(site) => self.known_site(*site).leaving = false,
            SiteEvent::NodeLost { node, at } => self.node_changed(*node, *at, true, false),
            SiteEvent::NodeDown { node, at } => self.node_changed(*node, *at, true, true),
            SiteEvent::NodeBack { node, at } => self.node_changed(*node, *at, false, false),
            SiteEvent::NodesAdded { site, at, nodes, rates } => self.nodes_added(*site, *at, nodes, rates),
            SiteEvent::NodeGone { node, at } => self.node_gone(*node, *at),
            SiteEvent::NodeTaken { node, interval } => {
                let clock = self.clock;
                let state = self.known_node(*node);
                state.taken.retain(|taken| taken.end() > clock);
                state.taken.push(*interval);
            }
            SiteEvent::NodeDrained { node, interval } => {
                let clock = self.clock;
                let state = self.known_node(*node);
                state.drained.retain(|drained| drained.end() > clock);
                state.drained.push(*interval);
            }
            SiteEvent::NodeResumed { node } => self.known_node(*node).drained.clear(),
            SiteEvent::Lost { site, at } => self.site_changed(*site, *at, true),
            SiteEvent::Back { site, at } => self.site_changed(*site, *at, false),
        }
    }

    pub(super) fn known_site(&mut self, site: SiteId) -> &mut SiteState {
        let state = self.sites.get_mut(site.index());
        state.unwrap_or_else(|| panic!("an event names site {}, which is not there", site.number()))
    }

    fn known_node(&mut self, node: NodeId) -> &mut NodeState {
        let state = self.nodes.get_mut(node.index());
        state.unwrap_or_else(|| panic!("an event names node {}, which is not there", node.number()))
    }

    fn site_added(&mut self, spec: &SiteSpec) {
        let first_node = u32::try_from(self.nodes.len()).expect("there are no more nodes than ids");
        let site = SiteId::from_index(self.sites.len()).expect("there are no more sites than ids");
        for _ in &spec.nodes {
            self.nodes.push(standing(site));
        }
        self.known.add(spec);
        self.books.open(Account::Owner(spec.owner.clone()), Money::ZERO);
        self.sites.push(SiteState {
            spec: Arc::new(spec.clone()),
            first_node,
            later_nodes: Vec::new(),
            nodes_at: Time::MIN,
            free: None,
            demand: Multiplier::ONE,
            answers_in: spec.timing.answers,
            waits: no_waits(),
            lost: false,
            since: Time::MIN,
            leaving: false,
        });
    }

    /// What follows from the sites alone, after they have been read.
    pub(crate) fn know_again(&mut self) {
        self.known = Known::of(self.sites.iter());
    }

    fn nodes_added(&mut self, site: SiteId, at: Time, nodes: &[NodeSpec], rates: &BTreeMap<String, Rate>) {
        let first = self.nodes.len();
        let numbers = (first..first + nodes.len()).map(NodeId::from_index);
        let numbers: Option<Vec<NodeId>> = numbers.collect();
        for _ in nodes {
            self.nodes.push(standing(site));
        }
        self.known.add_nodes(site, nodes);
        let state = self.known_site(site);
        state.later_nodes.extend(numbers.expect("there are no more nodes than ids"));
        let spec = Arc::make_mut(&mut state.spec);
        spec.nodes.extend_from_slice(nodes);
        spec.prices.nodes.extend(rates.iter().map(|(name, rate)| (name.clone(), *rate)));
        state.nodes_at = at;
    }

    /// What was promised of one that failed, that nothing runs there, stays true.
    fn node_gone(&mut self, node: NodeId, at: Time) {
        let state = self.known_node(node);
        state.down |= !state.lost;
        (state.lost, state.gone, state.since) = (true, true, state.since.max(at));
        let site = state.site;
        self.known_site(site).nodes_at = at;
    }

    fn node_changed(&mut self, node: NodeId, at: Time, lost: bool, down: bool) {
        let state = self.known_node(node);
        (state.lost, state.down, state.since) = (lost, down, at);
    }

    fn site_changed(&mut self, site: SiteId, at: Time, lost: bool) {
        let state = self.known_site(site);
        (state.lost, state.since) = (lost, at);
        state.free = None;
        if let Some(cycle) = self.cycle.as_mut().filter(|_| lost) {
            Arc::make_mut(cycle).unanswered.remove(&site);
        }
    }
}

/// A node to which nothing has happened.
fn standing(site: SiteId) -> NodeState {
    NodeState {
        site,
        lost: false,
        down: false,
        gone: false,
        since: Time::MIN,
        taken: Vec::new(),
        drained: Vec::new(),
    }
}
