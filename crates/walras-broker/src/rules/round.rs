//! When jobs are assigned to sites that sell capacity, and to which (the MetaBroker's Algorithm 2: collect, assign, roll over).

use crate::model::job::JobSpec;
use crate::model::policy::Method;
use crate::model::site::SiteKind;
use crate::model::state::{SiteState, State};
use crate::plan::CapacityRound;
use walras_model::{SiteId, Span, Time};

impl State {
    /// When the next round is due, where there are any: a period after the last.
    pub(crate) fn round_due(&self) -> Option<Time> {
        self.policy.assign?;
        if self.assigned_at == Time::MIN {
            return Some(Time::MIN);
        }
        self.assigned_at.checked_add(self.policy.cycle_every)
    }

    /// How jobs are assigned in a cycle that began at one moment and is planned at another; `None` where they are not.
    ///
    /// All that is assigned starts together, when the slowest of the sites can have answered. A site with quotas takes no part: they bind
    /// what is chosen together, which assigning does not look at.
    pub(crate) fn capacity_round(&self, now: Time, opened_at: Time) -> Option<CapacityRound> {
        let method = self.policy.assign?;
        let sites = self.sites.iter().enumerate().filter(|(_, site)| takes_part(site));
        let sites: Vec<SiteId> = sites.filter_map(|(index, _)| SiteId::from_index(index)).collect();
        let lead = sites.iter().map(|site| self.lead_of(*site)).max().unwrap_or(Span::ZERO);
        let start = now.checked_add(lead.max(self.policy.lead))?;
        let is_due = self.round_due().is_some_and(|due| due <= opened_at);
        Some(CapacityRound { method, sites, start, is_due }).filter(|round| !round.sites.is_empty())
    }

    /// Whether a job can only be assigned, and whole: then no window on several sites is for it, unless somebody takes a quote of one.
    pub fn assigns_whole(&self, spec: &JobSpec) -> bool {
        let sites = (0..).map_while(SiteId::from_index).zip(self.sites.iter());
        let mut admitted = sites.filter(|(id, site)| site.sells() && spec.request.scope.admits(*id));
        self.policy.assign.is_some_and(|method| method != Method::Split)
            && spec.workflow.is_none()
            && spec.search.is_none()
            && admitted.all(|(_, site)| takes_part(site))
    }
}

/// Whether jobs are assigned to a site.
fn takes_part(site: &SiteState) -> bool {
    site.spec.kind == SiteKind::Capacity && site.sells() && site.spec.access.quotas.is_empty()
}
