//! What no plan can beat: every job as if it were alone.
//!
//! No job does better among others than on all that is offered, so the sum of what each comes to alone bounds every plan that serves the
//! same jobs, and so does the latest of their earliest ends. The bound is given only where every job that could be served alone
//! is served: otherwise another plan might serve others.

use super::aim::{Aim, Value};
use super::basis::{Basis, measure};
use super::ground::Ground;
use super::ranks::Wanted;
use super::state::Effort;
use crate::choose::{AppliedLimits, Limit};
use crate::prefer::Source;

/// The limits of a plan, where those that were derived from listed windows know nothing of jobs that have none: what such a job takes
/// and costs alone is added, or it could not be served where there is room for it.
pub(super) fn with_unlisted(basis: &Basis<'_>, options: &[Vec<Source>]) -> AppliedLimits {
    let policy = basis.problem.policy;
    let derived = |limit: Option<i128>, is_derived: bool| limit.filter(|_| is_derived);
    let time = derived(basis.limits.time, policy.time_limit == Limit::Derived);
    let budget = derived(basis.limits.budget, policy.budget_limit == Limit::Derived);
    if time.is_none() && budget.is_none() {
        return basis.limits;
    }
    let mut free = Ground::new(basis.sold);
    let unlisted = (0..basis.jobs()).filter(|job| options[*job].is_empty());
    let alone = unlisted.filter_map(|job| {
        let wanted = Wanted::of(&basis.views[job], &basis.ranks[job], &basis.aim);
        free.best(job, wanted, &mut 0).map(|found| measure(&found.window))
    });
    let (more_time, more_cost) = alone.fold((0, 0), |(time, cost), it| (time + it.time, cost + it.cost));
    AppliedLimits {
        time: time.map(|time| time + more_time).or(basis.limits.time),
        budget: budget.map(|budget| budget + more_cost).or(basis.limits.budget),
    }
}

/// What each job comes to alone.
pub(super) struct Alone {
    /// By job: the least value; `None` where it has no place at all.
    values: Vec<Option<Value>>,
}

impl Alone {
    /// `None` where dearer is better, for then a window alone is not proven best, or when the work runs out.
    pub(super) fn new(basis: &Basis<'_>, effort: &mut Effort) -> Option<Alone> {
        let aim = if basis.by_makespan() { Aim::FINISH } else { basis.aim };
        let mut free = Ground::new(basis.sold);
        let mut values = Vec::with_capacity(basis.jobs());
        for job in 0..basis.jobs() {
            if effort.spent() || aim.likes_dear() {
                return None;
            }
            effort.searches += 1;
            let wanted = Wanted::of(&basis.views[job], &basis.ranks[job], &aim);
            let window = free.best(job, wanted, &mut effort.slots_read);
            let window = window.map(|found| aim.value(measure(&found.window)));
            let queues = basis.queues[job].iter();
            values.push(window.into_iter().chain(queues.map(|it| aim.value(it.measure))).min());
        }
        Some(Alone { values })
    }

    /// The least first number of any plan that serves everybody who can be; `None` unless those are the served.
    pub(super) fn bound(&self, basis: &Basis<'_>, is_served: impl Fn(usize) -> bool) -> Option<i128> {
        let all = self.values.iter().enumerate().all(|(job, value)| value.is_none() || is_served(job));
        let firsts = self.values.iter().flatten().map(|value| value[0]);
        all.then(|| if basis.by_makespan() { firsts.max().unwrap_or(0) } else { firsts.sum() })
    }

    /// The weight of those who have no place even alone, and the first sum of all others.
    pub(super) fn floor(&self, basis: &Basis<'_>) -> (u128, i128) {
        let unservable = self.values.iter().zip(&basis.weights).filter(|(value, _)| value.is_none());
        let weight = unservable.map(|(_, weight)| u128::from(*weight)).sum();
        (weight, self.values.iter().flatten().map(|value| value[0]).sum())
    }

    /// The latest of the earliest ends.
    pub(super) fn last_end(&self) -> i64 {
        let ends = self.values.iter().flatten().map(|value| value[0]).max();
        ends.and_then(|end| i64::try_from(end).ok()).unwrap_or(i64::MIN)
    }
}
