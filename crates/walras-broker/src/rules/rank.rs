//! The order of the queue, with its reasons.
//!
//! **Problem.** Who is planned first? Who pays more, who is in a hurry, who failed through no fault of their own, who
//! has waited long, who is important, who has used little: all of them have a point.
//!
//! **Method.** A weighted sum. Each aspect is a share in millionths, between 0 and 1; only waiting grows without end,
//! so that for every job a moment comes from which on no other job can be before it but one that has waited longer. A
//! job that has waited longer than the policy's `overdue_after` goes before all that have not.
//!
//! **Complexity.** O(n log n) for n jobs.

use crate::model::job::{Job, Phase};
use crate::model::policy::Policy;
use crate::model::rank::{Aspects, Ranked};
use crate::model::state::State;
use std::cmp::Reverse;
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Share, Time};

/// The queue in order, at most as many as a batch holds.
pub fn ranked(state: &State, now: Time) -> Vec<Ranked> {
    // A job of which something may still run is not planned again before its site has said that nothing does.
    let free =
        |job: &&Job| job.phase == Phase::Queued && !job.fences.iter().any(|earlier| state.may_run(*earlier));
    let queued: Vec<&Job> = state.jobs.values().filter(free).collect();
    let scale = Scale::new(state, &queued);
    let mut ranked: Vec<Ranked> = queued.iter().map(|job| rank(state, job, &scale, now)).collect();
    ranked.sort_by_key(|it| (Reverse(it.overdue), Reverse(it.score), it.job));
    ranked.truncate(state.policy.batch_max as usize);
    ranked
}

/// What the aspects are measured against.
struct Scale {
    price: i64,
    priority: (i64, i64),
    usage: i128,
    shares: i128,
}

impl Scale {
    fn new(state: &State, queued: &[&Job]) -> Scale {
        let priorities = || queued.iter().map(|job| job.spec.request.priority);
        Scale {
            price: queued.iter().filter_map(|job| price_of(job)).max().unwrap_or(0),
            priority: (priorities().min().unwrap_or(0), priorities().max().unwrap_or(0)),
            usage: state.users.values().map(|user| i128::from(user.usage)).sum(),
            shares: state.users.values().map(|user| i128::from(user.user.share)).sum(),
        }
    }
}

/// What a job may pay per time and task, in micro-credits per second.
fn price_of(job: &Job) -> Option<i64> {
    let request = &job.spec.request;
    request.price_max.map(|rate| rate.as_micros_per_second()).or_else(|| {
        let seconds = i128::from(request.work.as_millis()) * i128::from(request.tasks);
        let per_second = i128::from(request.budget?.as_micros()) * 1_000 / seconds.max(1);
        i64::try_from(per_second).ok()
    })
}

/// `part / whole` in millionths, between 0 and a million.
fn share(part: i128, whole: i128) -> i64 {
    Share::of_whole(part, whole).as_millionths()
}

fn rank(state: &State, job: &Job, scale: &Scale, now: Time) -> Ranked {
    let policy = &state.policy;
    let horizon = i128::from(policy.horizon.as_millis().max(1));
    let waited = i128::from((now - job.queued_at).max(0));
    let waiting =
        i64::try_from(rounding::down(waited * i128::from(MILLION), horizon)).unwrap_or(i64::MAX / MILLION);
    let (low, high) = scale.priority;
    let left = job.spec.request.deadline.map(|deadline| horizon - i128::from((deadline - now).max(0)));
    let aspects = Aspects {
        price: share(i128::from(price_of(job).unwrap_or(0)), i128::from(scale.price)),
        deadline: left.map_or(0, |left| share(left, horizon)),
        attempts: share(i128::from(job.attempts), i128::from(policy.attempts_max.max(1))),
        waiting,
        priority: share(
            i128::from(job.spec.request.priority) - i128::from(low),
            i128::from(high) - i128::from(low),
        ),
        fair_share: fair_share(state, job, scale),
    };
    let overdue = waited > i128::from(policy.overdue_after.as_millis());
    Ranked { job: job.number, score: score(policy, &aspects), overdue, aspects }
}

/// One for who has used nothing, zero for who has used twice their share or more.
fn fair_share(state: &State, job: &Job, scale: &Scale) -> i64 {
    let Some(user) = state.users.get(job.spec.user.as_str()) else { return 0 };
    if scale.usage == 0 || scale.shares == 0 {
        return MILLION;
    }
    // usage / all usage against share / all shares, without dividing twice.
    let used = i128::from(user.usage) * scale.shares;
    let due = 2 * i128::from(user.user.share) * scale.usage;
    share(due - used, due)
}

fn score(policy: &Policy, aspects: &Aspects) -> i64 {
    let weights = &policy.rank;
    let terms = [
        (weights.price, aspects.price),
        (weights.deadline, aspects.deadline),
        (weights.attempts, aspects.attempts),
        (weights.waiting, aspects.waiting),
        (weights.priority, aspects.priority),
        (weights.fair_share, aspects.fair_share),
    ];
    terms.iter().fold(0_i64, |sum, (weight, aspect)| sum.saturating_add(weight.saturating_mul(*aspect)))
}
