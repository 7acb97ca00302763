//! What a job wants now: what it asked for, less what it has spent and what is done.

use super::agenda::is_late;
use crate::model::id::JobNumber;
use crate::model::job::{Job, JobSpec};
use crate::model::state::State;
use crate::plan::{Remaining, remaining};
use std::collections::BTreeSet;
use walras_core::Algorithm;
use walras_core::agenda::Promise;
use walras_model::{Money, Performance, Request, SiteId, TaskId, Time};

/// A site that had no account for somebody is asked again after this time, in milliseconds: its owner may have made one.
const STRANGE: i64 = 3_600_000;

impl State {
    /// The sites that have lately had no account for a user: none of their jobs is tried there for a while.
    pub fn without_account_for(&self, user: &str) -> impl Iterator<Item = SiteId> {
        let strange = self.users.get(user).map(|user| &user.strange);
        let lately = |(site, at): (&SiteId, &Time)| (self.clock - *at < STRANGE).then_some(*site);
        strange.into_iter().flatten().filter_map(lately)
    }
}

/// The sites that a job may use, where some of them have no account for its user, or hold nothing for as long as it takes.
fn open_to(state: &State, user: &str, request: &Request) -> Option<Vec<SiteId>> {
    let strange: BTreeSet<SiteId> = state.without_account_for(user).collect();
    let is_closed = |site: &SiteId| strange.contains(site) || is_too_long(state, *site, request);
    let all = || (0..state.sites.len()).filter_map(SiteId::from_index);
    let some = all().any(|site| is_closed(&site));
    some.then(|| all().filter(|site| request.scope.admits(*site) && !is_closed(site)).collect())
}

/// Whether a site holds nothing for as long as a job takes on the slowest node that it may use there.
fn is_too_long(state: &State, site: SiteId, request: &Request) -> bool {
    let Some(site) = state.site(site).filter(|site| site.spec.timing.longest.is_some()) else { return false };
    let fast = |performance: &Performance| *performance >= request.performance_min;
    let slowest = state.nodes_of(site).map(|(_, node)| node.performance).filter(fast).min();
    let takes = slowest.and_then(|performance| request.work.runtime_on(performance));
    takes.is_some_and(|takes| !site.spec.timing.allows(takes))
}

/// What a job wants now.
pub(crate) struct Wanted {
    pub(crate) job: JobNumber,
    pub(crate) user: String,
    pub(crate) request: Request,
    pub(crate) remaining: Option<Remaining>,
}

impl Wanted {
    /// What is left of a job: its budget less what it has spent, its workflow less what is done.
    pub(crate) fn new(
        state: &State,
        job: JobNumber,
        spec: &JobSpec,
        done: &BTreeSet<TaskId>,
        spent: Money,
    ) -> Wanted {
        let mut request = spec.request.clone();
        request.name = format!("job {job}");
        request.user = Some(spec.user.clone());
        // Who caps what each node costs never pays more than follows from that: until it has paid for something in vain, only a
        // given budget binds, or a higher cap would not help.
        let is_capped = spec.search.as_ref().is_some_and(|search| search.algorithm == Algorithm::Alp);
        let budget = match is_capped && spent == Money::ZERO {
            true => request.budget,
            false => request.budget_limit(state.policy.search.budget_factor),
        };
        // Neither is negative, so that there is a difference.
        let left =
            |budget: Money| budget.checked_sub(spent).map_or(Money::ZERO, |left| left.max(Money::ZERO));
        request.budget = budget.map(left);
        request.scope.sites = open_to(state, &spec.user, &request).or(request.scope.sites);
        Wanted { job, user: spec.user.clone(), request, remaining: remaining(spec, done) }
    }

    /// What is left of a job that is there.
    pub(crate) fn of(state: &State, job: &Job) -> Wanted {
        let mut wanted = Wanted::new(state, job.number, &job.spec, &job.done, job.spent);
        if let Some(share) = state.element_budget(job) {
            wanted.request.budget = Some(share);
        }
        wanted.request.earliest = wanted.request.earliest.max(state.follows_from(job));
        wanted.promised(job.promise)
    }

    /// The same as it is promised: who is promised an end after its deadline is bound by that instead.
    pub(crate) fn promised(mut self, promise: Option<Promise>) -> Wanted {
        if is_late(&self.request, promise) {
            self.request.deadline = None;
        }
        self
    }

    /// The same for planning: no more than its user can pay.
    pub(crate) fn payable(mut self, funds: Money) -> Wanted {
        let budget = self.request.budget.map_or(funds, |budget| budget.min(funds));
        self.request.budget = Some(budget.max(Money::ZERO));
        self
    }
}
