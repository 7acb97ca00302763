//! The order of the queue, with its reasons.
//!
//! **Problem.** Who is planned first? Who pays more, who is in a hurry, who failed through no fault of their own, who
//! has waited long, who is important, who has used little: all of them have a point.
//!
//! **Method.** A weighted sum. Each aspect is a share in millionths, between 0 and 1; only waiting grows without end,
//! so that for every job a moment comes from which on no other job can be before it but one that has waited longer. A
//! job that has waited longer than the policy's `overdue_after` goes before all that have not.
//!
//! Where the queue is shared ([`SharePolicy`]), that is the order of each user's own jobs, and users take turns ([`super::turns`]):
//! what a job may pay is then what its user has, and a priority only lowers a user's own other jobs.
//!
//! **Complexity.** O(n log n) for n jobs.

use super::means::Means;
use super::turns::{Queue, fill};
use crate::model::id::JobNumber;
use crate::model::job::{Job, Phase};
use crate::model::policy::Policy;
use crate::model::rank::{Aspects, Ranked};
use crate::model::sharing::SharePolicy;
use crate::model::state::{State, UserState};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Money, Share, Time};

/// The queue in order, at most as many as a batch holds.
pub fn ranked(state: &State, now: Time) -> Vec<Ranked> {
    queue(state, now).batch
}

/// The batch that would be planned now, and who is turned away.
pub(crate) fn queue(state: &State, now: Time) -> Queue {
    // A job of which something may still run is not planned again before its site has said that nothing does.
    let free = |job: &&Job| job.phase == Phase::Queued && !state.waits_for_earlier(job);
    let mut queued: Vec<&Job> = state.jobs.values().filter(free).collect();
    let tried = tried_again(state, &queued, now);
    queued.retain(|job| !state.was_left_out(job) || tried == Some(job.number));
    if queued.is_empty() {
        return Queue::default();
    }
    let means = state.policy.sharing.map(|rules| (rules, Means::of(state, now)));
    let scale = Scale::new(state, &queued, means.as_ref().map(|(_, means)| means), now);
    let mut ranked: Vec<Ranked> = queued.iter().map(|job| rank(state, job, &scale, now)).collect();
    ranked.sort_by_key(|it| (Reverse(it.overdue), Reverse(it.score), it.job));
    match &means {
        None => {
            ranked.truncate(state.policy.batch_max as usize);
            Queue { batch: ranked, turned_away: Vec::new() }
        }
        Some((rules, means)) => fill(state, rules, awake(state, rules, ranked, now), means, now),
    }
}

/// Of the workflows without which a brief plan was made, the one that is tried next: one at a time, so that whichever makes plans take long
/// keeps none of the others waiting for more than its own turns.
fn tried_again(state: &State, queued: &[&Job], now: Time) -> Option<JobNumber> {
    let rests = |job: &Job| state.policy.sharing.is_some_and(|rules| state.rests(job, &rules, now));
    let left_out = queued.iter().filter(|job| state.was_left_out(job) && !rests(job));
    let turn = |job: &&&Job| (job.missed.map_or(0, |(times, _)| times), job.number);
    left_out.min_by_key(turn).map(|job| job.number)
}

/// So many overdue jobs of one user are tried in every cycle, although they fitted nowhere before.
const OVERDUE_MAX: u32 = 16;

/// Those that are not left alone for now. Of those of one user that would be although they are overdue, the first few are not.
fn awake(state: &State, rules: &SharePolicy, mut ranked: Vec<Ranked>, now: Time) -> Vec<Ranked> {
    let mut overdue: BTreeMap<&str, u32> = BTreeMap::new();
    ranked.retain(|it| {
        let Some(job) = state.jobs.get(&it.job) else { return false };
        !state.rests(job, rules, now)
            || it.overdue && {
                let count = overdue.entry(&job.spec.user).or_default();
                *count += 1;
                *count <= OVERDUE_MAX
            }
    });
    ranked
}

/// What the aspects are measured against.
struct Scale<'a> {
    price: i64,
    priority: Priorities<'a>,
    usage: i128,
    shares: i128,
    /// What each user can pay, where only that counts.
    payable: Option<BTreeMap<&'a str, Money>>,
}

/// How priorities compare.
enum Priorities<'a> {
    /// All with each other: the least and the greatest.
    Together(i64, i64),
    /// Each with the greatest of its own user, so that who states a priority only lowers their other jobs; and the widest range.
    ByUser(BTreeMap<&'a str, i64>, i128),
}

impl<'a> Scale<'a> {
    fn new(state: &'a State, queued: &[&'a Job], means: Option<&Means<'_>>, now: Time) -> Scale<'a> {
        let shares = state.users.values().map(|user| i128::from(user.user.share)).sum();
        let payable = means.map(|means| {
            let users: BTreeSet<&str> = queued.iter().map(|job| job.spec.user.as_str()).collect();
            users.into_iter().map(|user| (user, means.left(user))).collect::<BTreeMap<_, _>>()
        });
        let mut scale = Scale {
            price: 0,
            priority: if means.is_some() {
                Priorities::by_user(queued)
            } else {
                Priorities::together(queued)
            },
            usage: state.users.values().map(|user| used(state, user, now)).sum(),
            shares,
            payable,
        };
        scale.price = queued.iter().filter_map(|job| scale.price_of(job)).max().unwrap_or(0);
        scale
    }

    /// What a job may pay per time and task, in micro-credits per second: what it states, as far as its user has that.
    fn price_of(&self, job: &Job) -> Option<i64> {
        let request = &job.spec.request;
        let seconds = (i128::from(request.work.as_millis()) * i128::from(request.tasks)).max(1);
        let rate = |amount: Money| {
            i64::try_from(rounding::down(i128::from(amount.as_micros()) * 1_000, seconds)).ok()
        };
        // The budget of an array is for all of its elements.
        let elements = job.spec.array.as_ref().map_or(1, |array| i128::from(array.count().max(1)));
        let of_one = |all: Money| i64::try_from(rounding::down(all.as_micros().into(), elements)).ok();
        let budget = request.budget.and_then(of_one).map(Money::from_micros);
        let stated = request.price_max.map(|rate| rate.as_micros_per_second()).or_else(|| rate(budget?))?;
        let funds = self.payable.as_ref().and_then(|all| all.get(job.spec.user.as_str()));
        Some(funds.and_then(|funds| rate(*funds)).map_or(stated, |payable| payable.min(stated)))
    }
}

impl<'a> Priorities<'a> {
    fn together(queued: &[&'a Job]) -> Priorities<'a> {
        let priorities = || queued.iter().map(|job| job.spec.request.priority);
        Priorities::Together(priorities().min().unwrap_or(0), priorities().max().unwrap_or(0))
    }

    fn by_user(queued: &[&'a Job]) -> Priorities<'a> {
        let mut all: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
        for job in queued {
            let priority = job.spec.request.priority;
            let (low, high) = all.entry(&job.spec.user).or_insert((priority, priority));
            (*low, *high) = ((*low).min(priority), (*high).max(priority));
        }
        let range = all.values().map(|(low, high)| i128::from(*high) - i128::from(*low)).max();
        Priorities::ByUser(
            all.into_iter().map(|(user, (_, high))| (user, high)).collect(),
            range.unwrap_or(0),
        )
    }

    fn of(&self, job: &Job) -> i64 {
        let own = i128::from(job.spec.request.priority);
        match self {
            Priorities::Together(low, high) => {
                share(own - i128::from(*low), i128::from(*high) - i128::from(*low))
            }
            Priorities::ByUser(highest, range) => {
                let below = highest.get(job.spec.user.as_str()).map_or(0, |high| i128::from(*high) - own);
                share(range - below, *range)
            }
        }
    }
}

/// What counts as used by a user: time on nodes where the queue is shared by it, charges otherwise.
fn used(state: &State, user: &UserState, now: Time) -> i128 {
    let of_time = |rules: &SharePolicy| user.served.at(now, rules.half_life);
    i128::from(state.policy.sharing.as_ref().map_or(user.usage, of_time))
}

/// `part / whole` in millionths, between 0 and a million.
fn share(part: i128, whole: i128) -> i64 {
    Share::of_whole(part, whole).as_millionths()
}

fn rank(state: &State, job: &Job, scale: &Scale<'_>, now: Time) -> Ranked {
    let policy = &state.policy;
    let horizon = i128::from(policy.horizon.as_millis().max(1));
    let waited = i128::from((now - job.ready_at()).max(0));
    let waiting =
        i64::try_from(rounding::down(waited * i128::from(MILLION), horizon)).unwrap_or(i64::MAX / MILLION);
    let left = job.spec.request.deadline.map(|deadline| horizon - i128::from((deadline - now).max(0)));
    let aspects = Aspects {
        price: share(i128::from(scale.price_of(job).unwrap_or(0)), i128::from(scale.price)),
        deadline: left.map_or(0, |left| share(left, horizon)),
        attempts: share(i128::from(job.attempts), i128::from(policy.attempts_max.max(1))),
        waiting,
        priority: scale.priority.of(job),
        fair_share: fair_share(state, job, scale, now),
    };
    let overdue = waited > i128::from(policy.overdue_after.as_millis());
    Ranked { job: job.number, score: score(policy, &aspects), overdue, aspects }
}

/// One for who has used nothing, zero for who has used twice their share or more.
fn fair_share(state: &State, job: &Job, scale: &Scale<'_>, now: Time) -> i64 {
    let Some(user) = state.users.get(job.spec.user.as_str()) else { return 0 };
    if scale.usage == 0 || scale.shares == 0 {
        return MILLION;
    }
    // usage / all usage against share / all shares, without dividing twice.
    let used = used(state, user, now) * scale.shares;
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
