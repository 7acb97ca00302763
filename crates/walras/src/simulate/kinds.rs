//! The sites of a VO that has lived, as kinds of nodes, and when their owners used them.

use std::collections::BTreeMap;
use walras_broker::price::PriceRules;
use walras_broker::site::SiteSpec;
use walras_model::{Interval, NodeId};
use walras_sim::owners::Owners;
use walras_sim::record::Site;

/// A site, and the numbers of its nodes.
pub(super) struct Whole {
    pub(super) spec: SiteSpec,
    pub(super) nodes: Vec<NodeId>,
}

/// When owners used nodes of these kinds, and for how many hours in all; `None` where they did not.
pub(super) fn used(
    kinds: &[(Site, Vec<NodeId>)],
    mut uses: BTreeMap<NodeId, Vec<Interval>>,
) -> Option<(Owners, f64)> {
    let mut of = |node: &NodeId| uses.remove(node).unwrap_or_default();
    let used: Vec<Vec<Vec<Interval>>> =
        kinds.iter().map(|(_, nodes)| nodes.iter().map(&mut of).collect()).collect();
    let millis: i64 = used.iter().flatten().flatten().map(|used| used.span().as_millis()).sum();
    (millis > 0).then(|| (Owners::Recorded(used.into()), millis as f64 / 3.6e6))
}

/// Whether a site does not ask the same at all times.
pub(super) fn changes(prices: &PriceRules) -> bool {
    let PriceRules { hours, weekdays, demand, blackouts, .. } = prices;
    !(hours.is_empty() && weekdays.is_empty() && demand.is_none() && blackouts.is_empty())
}

/// The kinds of nodes of a site, each with the nodes that it has.
pub(super) fn alike(site: &Whole) -> Vec<(Site, Vec<NodeId>)> {
    let Whole { spec, nodes } = site;
    let mut kinds: BTreeMap<_, Vec<NodeId>> = BTreeMap::new();
    for (node, number) in spec.nodes.iter().zip(nodes) {
        let price = spec.prices.base_of(&node.name, node.class.as_deref());
        kinds.entry((node.performance, price, node.watts)).or_default().push(*number);
    }
    let several = kinds.len() > 1;
    let one = |(((speed, price, watts), nodes), place): (_, u32)| {
        let name = if several { format!("{}/{place}", spec.name) } else { spec.name.clone() };
        let count = u32::try_from(Vec::len(&nodes)).unwrap_or(u32::MAX);
        (Site { speed, price, watts, ..Site::plain(&name, count) }, nodes)
    };
    kinds.into_iter().zip(1..).map(one).collect()
}
