//! What stands in the way of jobs beside each other: owners, failures, and the patience of users.

use super::nodes::Nodes;
use crate::outage::{Failures, Strikes};
use crate::owners::Owners;
use crate::record::{Site, with_firsts};
use walras_model::{Span, Time};

/// What stands in the way of jobs beside each other; nothing by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Troubles<'a> {
    /// What owners use of their own nodes.
    pub owners: Option<&'a Owners>,
    /// How nodes fail.
    pub failures: Option<&'a Failures>,
    /// Users whose job has not started after this give up.
    pub patience: Option<Span>,
    /// What is drawn is drawn from this.
    pub seed: u64,
}

impl Troubles<'_> {
    /// The nodes of every site, and when their owners use them.
    pub(super) fn nodes(&self, sites: &[Site]) -> Vec<Nodes> {
        let nodes = with_firsts(sites).enumerate().map(|(place, (first, site))| {
            let uses = self.owners.and_then(|owners| owners.of_site(self.seed, place, first));
            Nodes::new(site.nodes, first, uses)
        });
        nodes.collect()
    }

    /// What fails from a moment on; nothing where nobody comes.
    pub(super) fn strikes(&self, sites: &[Site], begin: Option<Time>) -> Strikes {
        let failures = self.failures.zip(begin);
        failures.map_or_else(Strikes::none, |(failures, begin)| failures.strikes(sites, self.seed, begin))
    }
}
