//! What tasks may run on: nodes with free time, and the network between them.

use crate::attribute::{Attributes, Value};
use crate::id::{NodeId, SiteId};
use crate::interval::Interval;
use crate::offer::Offers;
use crate::quantity::{Bandwidth, Data, Fixed, Performance, Rate, Span, Time};
use crate::window::Window;
use std::collections::BTreeMap;

/// The time of one node, or of a part of it, at one price.
///
/// A node whose slots have different prices is several lanes, and so is one of which several parts are held; data stays where it is
/// between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The node whose time it is.
    pub node: NodeId,
    /// Which of the parts of the node that are held side by side, each for one task at a time; 0 where there is but one.
    pub part: u32,
    /// The node's name.
    pub name: String,
    /// Where the node is.
    pub site: SiteId,
    /// The site's name.
    pub site_name: String,
    /// How fast the node is.
    pub performance: Performance,
    /// What its time costs.
    pub rate: Rate,
    /// When it is free, in order and disjoint.
    pub free: Vec<Interval>,
    /// What the node says of itself: `cores` and `memory_gb` are held against a task's width and memory.
    pub attributes: Attributes,
}

/// How long data takes on its way: a fixed part, and one that grows with the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Link {
    /// The fixed part. An edge without data takes this long too.
    pub latency: Span,
    /// How fast the rest moves; `None` when it takes no time.
    pub bandwidth: Option<Bandwidth>,
}

/// The links between nodes. Data that stays on its node takes no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Network {
    /// Between nodes of one site.
    pub within_site: Link,
    /// Between nodes of different sites.
    pub between_sites: Link,
}

/// Nodes with free time, and the network between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The nodes' time.
    pub lanes: Vec<Lane>,
    /// What joins them.
    pub network: Network,
}

impl Link {
    /// A link on which nothing takes time.
    pub const INSTANT: Link = Link { latency: Span::ZERO, bandwidth: None };

    /// How long `data` takes, or `None` beyond the range of time.
    pub fn time_for(&self, data: Data) -> Option<Span> {
        let moving = self.bandwidth.map_or(Some(Span::ZERO), |bandwidth| bandwidth.time_for(data))?;
        Span::from_millis(self.latency.as_millis().checked_add(moving.as_millis())?)
    }
}

impl Network {
    /// A network on which nothing takes time.
    pub const INSTANT: Network = Network { within_site: Link::INSTANT, between_sites: Link::INSTANT };
}

impl Lane {
    /// How many cores the node states.
    pub fn cores(&self) -> Option<u32> {
        cores_of(&self.attributes)
    }

    /// How much memory the node states, in decimal gigabytes as attribute `memory_gb`.
    pub fn memory(&self) -> Option<Data> {
        memory_of(&self.attributes)
    }
}

/// How many cores a node states.
pub fn cores_of(stated: &Attributes) -> Option<u32> {
    u32::try_from(number(stated, "cores")?.whole()).ok()
}

/// How much memory a node states, in decimal gigabytes as attribute `memory_gb`.
pub fn memory_of(stated: &Attributes) -> Option<Data> {
    // A millionth of a gigabyte is a thousand bytes.
    Data::from_bytes(number(stated, "memory_gb")?.as_millionths().saturating_mul(1_000))
}

fn number(stated: &Attributes, attribute: &str) -> Option<Fixed> {
    match stated.get(attribute)? {
        Value::Number(number) => Some(*number),
        Value::Text(_) | Value::Flag(_) => None,
    }
}

impl Platform {
    /// All that is for sale.
    pub fn of_offers(offers: &Offers, network: Network) -> Platform {
        let mut lanes: Vec<Lane> = Vec::new();
        let mut own: Vec<Vec<usize>> = vec![Vec::new(); offers.nodes().len()];
        for slot in offers.slots() {
            let lanes_of_node = &mut own[slot.node().index()];
            let known = lanes_of_node.iter().copied().find(|lane| lanes[*lane].rate == slot.rate());
            let lane = known.unwrap_or_else(|| {
                lanes.push(lane(offers, slot.node(), slot.rate()));
                lanes_of_node.push(lanes.len() - 1);
                lanes.len() - 1
            });
            lanes[lane].free.extend(Interval::new(slot.start(), slot.end()));
        }
        lanes.sort_by_key(|lane| (lane.node, lane.rate));
        Platform { lanes, network }
    }

    /// What a window holds: from its start, each node, or part of one, for as long as its slot lasts. `offers` must be those that the
    /// window was found in.
    pub fn of_window(offers: &Offers, window: &Window, network: Network) -> Platform {
        let mut parts: BTreeMap<NodeId, u32> = BTreeMap::new();
        let lanes = window.placements().iter().map(|placement| {
            let part = next_part(&mut parts, placement.node);
            let free = vec![placement.interval];
            Lane { part, free, ..lane(offers, placement.node, placement.rate) }
        });
        Platform { lanes: lanes.collect(), network }
    }

    /// The same without a node.
    pub fn without(&self, node: NodeId) -> Platform {
        let lanes = self.lanes.iter().filter(|lane| lane.node != node).cloned().collect();
        Platform { lanes, network: self.network }
    }

    /// The same nodes with only that part of their free time which lies within `interval`.
    pub fn within(&self, interval: Interval) -> Platform {
        let cut = |lane: &Lane| Lane {
            free: lane.free.iter().filter_map(|free| free.intersection(interval)).collect(),
            ..lane.clone()
        };
        Platform { lanes: self.lanes.iter().map(cut).collect(), network: self.network }
    }

    /// From the first free moment to the last.
    pub fn span(&self) -> Option<(Time, Time)> {
        let start = self.lanes.iter().filter_map(|lane| lane.free.first()).map(|free| free.start()).min()?;
        let end = self.lanes.iter().filter_map(|lane| lane.free.last()).map(|free| free.end()).max()?;
        Some((start, end))
    }
}

/// Which part of a node comes next, of those that are counted one after the other.
pub fn next_part(parts: &mut BTreeMap<NodeId, u32>, node: NodeId) -> u32 {
    let next = parts.entry(node).or_default();
    let part = *next;
    *next += 1;
    part
}

fn lane(offers: &Offers, node: NodeId, rate: Rate) -> Lane {
    let of_node = offers.node(node);
    Lane {
        node,
        part: 0,
        name: of_node.name.clone(),
        site: of_node.site,
        site_name: offers.site_of(node).name.clone(),
        performance: of_node.performance,
        rate,
        free: Vec::new(),
        attributes: of_node.attributes.clone(),
    }
}
