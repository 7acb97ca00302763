//! What surrounds the policies of a study.

use crate::baseline::Troubles;
use crate::drive::Wishes;
use crate::outage::Failures;
use crate::owners::Owners;
use crate::workload::Terms;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_broker::price::{Demand, PriceRules};
use walras_model::{Share, Span};

/// What surrounds the policies.
#[derive(Clone, Debug)]
pub struct Around {
    /// Budgets and deadlines for jobs that have none.
    pub terms: Option<Terms>,
    /// How nodes fail.
    pub failures: Option<Failures>,
    /// What owners use of their nodes.
    pub owners: Option<Owners>,
    /// How long messages to and from sites take; only the broker sends some.
    pub latency: Span,
    /// After how long users give up.
    pub patience: Option<Span>,
    /// Whether the broker may give a job nodes of several sites.
    pub across_sites: bool,
    /// The share of the broker's users who ask for a quote first.
    pub quotes: Share,
    /// How the broker's owners let prices follow demand.
    pub demand: Option<Demand>,
    /// What else owners ask for time at the broker's sites, by the name of the site.
    pub prices: Arc<BTreeMap<String, PriceRules>>,
    /// What owners and the administrator want of the broker's plans.
    pub wishes: Arc<Wishes>,
    /// Whether the auditor reads along.
    pub audit: bool,
}

impl Default for Around {
    fn default() -> Around {
        Around {
            terms: None,
            failures: None,
            owners: None,
            latency: Span::ZERO,
            patience: None,
            across_sites: false,
            quotes: Share::NOTHING,
            demand: None,
            prices: Arc::default(),
            wishes: Arc::default(),
            audit: false,
        }
    }
}

impl Around {
    /// What stands in the way of jobs beside each other, drawn from a seed.
    pub(super) fn troubles(&self, seed: u64) -> Troubles<'_> {
        let (owners, failures) = (self.owners.as_ref(), self.failures.as_ref());
        Troubles { owners, failures, patience: self.patience, seed }
    }
}
