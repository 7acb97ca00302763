//! Sites and nodes as planning knows them, made once and shared by all plans.

use super::site::SiteSpec;
use std::sync::Arc;
use walras_model::{Node, Site, SiteId};

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
        Arc::make_mut(&mut self.nodes).extend(spec.nodes.iter().map(|node| Node {
            name: node.name.clone(),
            site,
            performance: node.performance,
            watts: node.watts,
            attributes: node.attributes.clone(),
            division: node.division.clone(),
        }));
    }

    pub(crate) fn sites(&self) -> Arc<Vec<Site>> {
        Arc::clone(&self.sites)
    }

    pub(crate) fn nodes(&self) -> Arc<Vec<Node>> {
        Arc::clone(&self.nodes)
    }
}
