//! What there is to tell of a job's window.

use crate::model::job::{JobSpec, Planned};
use crate::model::state::State;
use crate::model::told::{Seen, Told};
use std::sync::Arc;
use walras_core::agenda::Promise;
use walras_model::{Money, SiteId, Span, Time};

impl State {
    /// How long a job runs where it is planned, and what that costs; `None` where a node is not known any more.
    pub fn lasting_and_cost(&self, spec: &JobSpec, plan: &Planned) -> Option<(Span, Money)> {
        let (mut longest, mut sum) = (Span::ZERO, Money::ZERO);
        // Most nodes are like the one before: neither its run time nor its cost is worked out again.
        let mut last = None;
        for (node, rate) in &plan.places {
            let like = (self.known.node(*node)?.performance, *rate);
            let (span, cost) = match last.filter(|(known, _)| *known == like) {
                Some((_, alike)) => alike,
                None => {
                    let span = spec.request.work.runtime_on(like.0)?;
                    (span, rate.cost_of(span)?)
                }
            };
            last = Some((like, (span, cost)));
            longest = longest.max(span);
            sum = sum.checked_add(cost)?;
        }
        Some((longest, sum))
    }

    /// The sites of a window, in order, each once; those of nodes that are not known any more are left out.
    pub fn sites_of(&self, plan: &Planned) -> Arc<[SiteId]> {
        let mut sites: Vec<SiteId> = Vec::new();
        for site in plan.places.iter().filter_map(|(node, _)| Some(self.known.node(*node)?.site)) {
            if sites.last() == Some(&site) {
                continue;
            }
            if let Err(place) = sites.binary_search(&site) {
                sites.insert(place, site);
            }
        }
        sites.into()
    }

    /// What a job's user knows of its window with this plan and promise, who knew that before; the same where these are nothing to tell them.
    pub fn told_of(
        &self,
        now: Time,
        spec: &JobSpec,
        plan: &Planned,
        promise: &Promise,
        known: Option<&Told>,
    ) -> Option<Told> {
        let (lasts, cost) = self.lasting_and_cost(spec, plan)?;
        let finish = plan.start.checked_add(lasts)?;
        let sites = self.sites_of(plan);
        let seen = Seen { start: plan.start, finish, latest: promise.start, cost, sites };
        Some(match known {
            Some(known) => known.followed_by(now, seen).unwrap_or_else(|| known.clone()),
            None => Told::new(seen),
        })
    }
}
