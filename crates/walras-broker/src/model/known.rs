//! Sites and nodes as planning knows them, made once and shared by all plans.

use super::place::SiteState;
use super::site::{NodeSpec, SiteSpec};
use std::sync::Arc;
use walras_model::{Node, NodeId, Site, SiteId};

/// What all sites and nodes are called and can do, in order of their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    sites: Arc<Vec<Site>>,
    nodes: Arc<Vec<Node>>,
}

impl Known {
    /// The next site has come.
    pub(crate) fn add(&mut self, spec: &SiteSpec) {
        let site = SiteId::from_index(self.sites.len()).expect("there are no more sites than ids");
        Arc::make_mut(&mut self.sites).push(Site { name: spec.name.clone() });
        self.add_nodes(site, &spec.nodes);
    }

    /// A site has more nodes.
    pub(crate) fn add_nodes(&mut self, site: SiteId, nodes: &[NodeSpec]) {
        Arc::make_mut(&mut self.nodes).extend(nodes.iter().map(|node| node_of(site, node)));
    }

    /// Everything again, of sites as they are now.
    pub(crate) fn of<'a>(sites: impl Iterator<Item = &'a SiteState>) -> Known {
        let (mut names, mut nodes) = (Vec::new(), Vec::new());
        for (state, site) in sites.zip((0_u32..).map(SiteId::new)) {
            names.push(Site { name: state.spec.name.clone() });
            nodes.extend(state.nodes().map(|(number, node)| (number, node_of(site, node))));
        }
        // Sites may have got nodes after others joined.
        nodes.sort_by_key(|(number, _)| *number);
        Known { sites: Arc::new(names), nodes: Arc::new(nodes.into_iter().map(|(_, node)| node).collect()) }
    }

    pub(crate) fn sites(&self) -> Arc<Vec<Site>> {
        Arc::clone(&self.sites)
    }

    pub(crate) fn nodes(&self) -> Arc<Vec<Node>> {
        Arc::clone(&self.nodes)
    }

    /// A node, whether or not it is still there.
    pub(crate) fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node.index())
    }
}

fn node_of(site: SiteId, node: &NodeSpec) -> Node {
    Node {
        name: node.name.clone(),
        site,
        performance: node.performance,
        watts: node.watts,
        attributes: node.attributes.clone(),
        division: node.division.clone(),
    }
}
