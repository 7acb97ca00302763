//! How sites and nodes are called.

use walras_broker::event::SiteEvent;
use walras_broker::{Event, State};
use walras_model::{NodeId, SiteId};

/// Who knows how sites and nodes are called.
pub trait Names {
    /// The name of a site, where it is known.
    fn site(&self, site: SiteId) -> Option<&str>;
    /// The name of a node within its site, and the site.
    fn node(&self, node: NodeId) -> Option<(SiteId, &str)>;
}

impl Names for State {
    fn site(&self, site: SiteId) -> Option<&str> {
        State::site(self, site).map(|site| site.spec.name.as_str())
    }

    fn node(&self, node: NodeId) -> Option<(SiteId, &str)> {
        Some((State::node(self, node)?.site, self.node_spec(node)?.name.as_str()))
    }
}

/// Names gathered from a journal, in the order in which sites joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameList {
    sites: Vec<String>,
    nodes: Vec<(SiteId, String)>,
}

impl NameList {
    /// Nothing has a name.
    pub const fn none() -> NameList {
        NameList { sites: Vec::new(), nodes: Vec::new() }
    }

    /// Learns the names that an event brings.
    pub fn take(&mut self, event: &Event) {
        if let Event::Site(SiteEvent::Added(spec)) = event
            && let Some(site) = SiteId::from_index(self.sites.len())
        {
            self.sites.push(spec.name.clone());
            self.nodes.extend(spec.nodes.iter().map(|node| (site, node.name.clone())));
        }
        if let Event::Site(SiteEvent::NodesAdded { site, nodes, .. }) = event {
            self.nodes.extend(nodes.iter().map(|node| (*site, node.name.clone())));
        }
    }
}

impl Names for NameList {
    fn site(&self, site: SiteId) -> Option<&str> {
        self.sites.get(site.index()).map(String::as_str)
    }

    fn node(&self, node: NodeId) -> Option<(SiteId, &str)> {
        self.nodes.get(node.index()).map(|(site, name)| (*site, name.as_str()))
    }
}
