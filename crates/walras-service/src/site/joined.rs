//! What the broker knows of a site's nodes, for its connector.

use walras_broker::State;
use walras_broker::site::NodeSpec;
use walras_broker::state::SiteState;
use walras_model::NodeId;

/// The nodes of a site that has joined, as the broker knows them.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// Those that it has.
    pub nodes: Vec<(NodeId, NodeSpec)>,
    /// Those that it had.
    pub gone: Vec<(NodeId, String)>,
}

impl Joined {
    /// Of a site.
    pub fn of(state: &State, site: &SiteState) -> Joined {
        let is_gone = |node: NodeId| state.node(node).is_some_and(|node| node.gone);
        let gone = site.nodes().filter(|(node, _)| is_gone(*node));
        Joined {
            nodes: state.nodes_of(site).map(|(node, spec)| (node, spec.clone())).collect(),
            gone: gone.map(|(node, spec)| (node, spec.name.clone())).collect(),
        }
    }

    /// The number of the first, and the names of all, where their numbers follow each other.
    pub(super) fn in_a_row(&self) -> (u32, Vec<String>) {
        let first = self.nodes.first().map_or(0, |(node, _)| node.number());
        (first, self.nodes.iter().map(|(_, spec)| spec.name.clone()).collect())
    }
}
