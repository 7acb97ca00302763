//! What is to be planned: the batch of the open cycle, and what is for sale.

use super::wanted::Wanted;
use crate::model::job::Phase;
use crate::model::state::State;
use crate::plan::{PlanningJob, PlanningProblem};
use std::collections::BTreeMap;
use walras_core::prefer::{Preference, User};

/// What is to be planned in the open cycle; `None` when it is not that far.
pub(crate) fn problem(state: &State) -> Option<PlanningProblem> {
    let cycle = state.cycle.as_deref()?;
    let now = cycle.closed_at?;
    let market = state.market(now, cycle.opened_at)?;
    let mut users: Vec<User> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut jobs = Vec::with_capacity(cycle.batch.len());
    for ranked in &cycle.batch {
        let Some(job) = state.jobs.get(&ranked.job).filter(|job| job.phase == Phase::Planning) else {
            continue;
        };
        let user = *places.entry(job.spec.user.clone()).or_insert_with(|| {
            let known = state.users.get(job.spec.user.as_str());
            users.push(User {
                name: job.spec.user.clone(),
                group: known.and_then(|user| user.user.group.clone()),
                weight: known.map_or(1, |user| i64::from(user.user.share)),
            });
            users.len() - 1
        });
        let wanted = Wanted::of(state, job).payable(state, now);
        jobs.push(PlanningJob {
            number: job.number,
            request: wanted.request,
            workflow: wanted.remaining,
            preference: job.spec.preference.clone().unwrap_or_else(Preference::plain),
            user,
            overdue: ranked.overdue,
        });
    }
    let rules = state.sites.iter().map(|site| site.spec.access.clone()).collect();
    let overdue = jobs.iter().any(|job| job.overdue);
    let open =
        if overdue { state.open_market(now, cycle.opened_at).map(|market| market.offers) } else { None };
    let (offers, queues) = (market.offers, market.queues);
    Some(PlanningProblem {
        cycle: cycle.number,
        basis: state.version,
        now,
        offers,
        open,
        queues,
        jobs,
        users,
        rules,
        policy: (*state.policy).clone(),
    })
}
