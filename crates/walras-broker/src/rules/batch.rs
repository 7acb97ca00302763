//! What is to be planned: the batch of the open cycle, and what is for sale.

use super::chains::Follower;
use super::predicting::preference;
use super::strategy::{earliest, search_of};
use super::wanted::Wanted;
use super::widths::Widths;
use crate::model::job::{Job, JobSpec, Phase};
use crate::model::policy::{OrderBy, Policy, PromisePolicy};
use crate::model::quote::Confidence;
use crate::model::state::State;
use crate::plan::{
    NewcomerTerms, PlannedFollower, PlannedWindow, PlanningAgenda, PlanningJob, PlanningProblem,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_core::agenda::Worth;
use walras_core::prefer::{Criterion, Preference, User};
use walras_model::quantity::rounding;
use walras_model::{Money, Offers, Span, Time};

/// What is to be planned in the open cycle; `None` when it is not that far.
pub(crate) fn problem(state: &State) -> Option<PlanningProblem> {
    problem_at(state, None)
}

/// The same when it is planned later than the cycle was closed: what would have started meanwhile starts after that. Rounds of assigning
/// have their own times.
pub(crate) fn problem_at(state: &State, late: Option<Time>) -> Option<PlanningProblem> {
    problem_from(state, late, state.cycle.as_deref()?.opened_at)
}

/// The same from offers that are at least so young, where everything is reserved at once.
pub(crate) fn problem_from(state: &State, late: Option<Time>, oldest: Time) -> Option<PlanningProblem> {
    let cycle = state.cycle.as_deref()?;
    let closed = cycle.closed_at?;
    let round = state.capacity_round(closed, cycle.opened_at);
    let late = late.filter(|late| *late > closed && round.is_none());
    let now = late.unwrap_or(closed);
    let promises = state.promises();
    let market = match promises {
        None => state.market(now, oldest)?,
        // Windows that are planned may move; and a site that says nothing new for a while breaks no promise.
        Some(_) => state.movable_market(now, Time::MIN)?,
    };
    let committed = state.committed();
    let mut users: Vec<User> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut jobs = Vec::with_capacity(cycle.batch.len());
    let mut widths = Widths::of(state);
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
        let mut wanted = Wanted::of(state, job).payable(state.unpromised(&job.spec.user, now, &committed));
        let late = earliest(
            state,
            &wanted.request,
            wanted.remaining.as_ref(),
            job.returns > 0 || job.missed.is_some(),
        );
        wanted.request.earliest = late.or(wanted.request.earliest);
        if let (Some(remaining), Some(width)) = (&mut wanted.remaining, widths.take(job)) {
            remaining.within(&mut wanted.request, width);
        }
        jobs.push(PlanningJob {
            number: job.number,
            request: wanted.request,
            workflow: wanted.remaining,
            preference: preference(state, &job.spec, job.expected.as_ref(), job.ready_at()),
            spread: job.expected.as_ref().and_then(Confidence::judged),
            search: search_of(state, &job.spec),
            user,
            overdue: ranked.overdue,
        });
    }
    let rules = state.sites.iter().map(|site| site.spec.access.clone()).collect();
    // With promises room is made by moving windows, and not by stopping everybody.
    let overdue = promises.is_none() && jobs.iter().any(|job| job.overdue);
    let open = if overdue { state.open_market(now, oldest).map(|market| market.offers) } else { None };
    let (offers, queues) = (market.offers, market.queues);
    let funds = || users.iter().map(|user| state.unpromised(&user.name, now, &committed)).collect();
    let agenda = promises.map(|promises| {
        let mut agenda = agenda(state, promises, now, &offers, funds());
        add_followers(state, promises, now, &offers, &mut agenda, places);
        Arc::new(agenda)
    });
    Some(PlanningProblem {
        agenda,
        capacity: round,
        cycle: cycle.number,
        basis: state.version,
        now,
        late,
        offers,
        open,
        queues,
        jobs,
        users,
        rules,
        wishes: Arc::clone(&state.wishes),
        policy: Policy { network: state.network(), ..(*state.policy).clone() },
    })
}

/// Everybody who has a window that may move, and what those who have none need to get one.
fn agenda(
    state: &State,
    promises: &PromisePolicy,
    now: Time,
    offers: &Offers,
    funds: Vec<Money>,
) -> PlanningAgenda {
    let worth = delay_worth(*promises, offers);
    let crowds = Crowds::of(state);
    let mut planned: Vec<PlannedWindow> = Vec::new();
    for (job, plan) in state.planned() {
        let wanted = Wanted::of(state, job);
        let Some(promise) = job.promise else { continue };
        let window = state.window_of(&job.spec.request, plan).map(Arc::new);
        let user = state.users.get(job.spec.user.as_str());
        planned.push(PlannedWindow {
            number: job.number,
            request: wanted.request,
            window,
            promise,
            came: job.waits_since(now),
            worth: worth(job),
            group: user.and_then(|user| user.user.group.clone()),
            owner: crowds.owner(job),
            crowds: crowds.is_in(job),
            likely: likely(promises, job),
            overdue: now - job.waits_since(now) > state.policy.overdue_after.as_millis(),
        });
    }
    let batch = state.cycle.as_deref().map_or(&[][..], |cycle| cycle.batch.as_slice());
    let known = batch.iter().filter_map(|ranked| state.jobs.get(&ranked.job));
    let terms = |job: &Job| NewcomerTerms {
        came: job.ready_at(),
        promise: job.promise,
        worth: worth(job),
        owner: crowds.owner(job),
        crowds: crowds.is_in(job),
        likely: likely(promises, job),
    };
    let newcomers = known.map(|job| (job.number, terms(job))).collect();
    let soon = now.checked_add(promises.ahead).unwrap_or(Time::MAX);
    let held = state.aheads().map_or(soon, |aheads| aheads.held(now));
    let (rules, followers, lag) = (promises.rules(), Vec::new(), state.chain_lag());
    PlanningAgenda { held, soon, rules, planned, funds, newcomers, followers, lag }
}

/// Adds those who wait for others and are planned ahead; `places` says where users are among the funds.
fn add_followers(
    state: &State,
    promises: &PromisePolicy,
    now: Time,
    offers: &Offers,
    agenda: &mut PlanningAgenda,
    mut places: BTreeMap<String, usize>,
) {
    let followers = state.followers(now);
    if followers.is_empty() {
        return;
    }
    let (worth, crowds, committed) = (delay_worth(*promises, offers), Crowds::of(state), state.committed());
    for Follower { job, behind } in followers {
        let user = job.spec.user.as_str();
        let left = state.unpromised(user, now, &committed);
        let payer = *places.entry(user.to_owned()).or_insert_with(|| {
            agenda.funds.push(left);
            agenda.funds.len() - 1
        });
        let mut wanted = Wanted::of(state, job).payable(left);
        wanted.request.earliest = job.spec.request.earliest.max(state.known_from(job));
        let terms = NewcomerTerms {
            came: now,
            promise: job.promise,
            worth: worth(job),
            owner: crowds.owner(job),
            crowds: crowds.is_in(job),
            likely: likely(promises, job),
        };
        let group = state.users.get(user).and_then(|user| user.user.group.clone());
        let (number, request) = (job.number, wanted.request);
        agenda.followers.push(PlannedFollower { number, request, behind, group, payer, terms });
    }
}

/// How long a job is likely to run, where the order goes by that.
fn likely(promises: &PromisePolicy, job: &Job) -> Option<Span> {
    job.expected.as_ref().filter(|_| promises.order_by == OrderBy::Prediction).map(|it| it.expected)
}

/// Whose jobs are whose, and who has more of them waiting than others should wait for.
struct Crowds<'a> {
    waiting: BTreeMap<&'a str, (usize, u32)>,
    most: u32,
}

impl<'a> Crowds<'a> {
    fn of(state: &'a State) -> Crowds<'a> {
        let mut waiting: BTreeMap<&str, (usize, u32)> = BTreeMap::new();
        for job in state.jobs.values().filter(|job| !matches!(job.phase, Phase::Waiting | Phase::Reserved(_)))
        {
            let owner = waiting.len();
            waiting.entry(&job.spec.user).or_insert((owner, 0)).1 += 1;
        }
        Crowds { waiting, most: state.policy.sharing.map_or(u32::MAX, |rules| rules.crowd) }
    }

    fn owner(&self, job: &Job) -> usize {
        self.waiting.get(job.spec.user.as_str()).map_or(0, |(owner, _)| *owner)
    }

    fn is_in(&self, job: &Job) -> bool {
        self.waiting.get(job.spec.user.as_str()).is_some_and(|(_, jobs)| *jobs > self.most)
    }
}

/// What a delay is worth to jobs, where this is for sale.
pub(crate) fn delay_worth(promises: PromisePolicy, offers: &Offers) -> impl Fn(&Job) -> Worth + use<> {
    let price = middle_price(offers);
    move |job| worth(&job.spec, job.ready_at(), &promises, price)
}

/// The same of a job that would come at a moment.
pub(crate) fn worth_of_spec(spec: &JobSpec, now: Time, promises: &PromisePolicy, offers: &Offers) -> Worth {
    worth(spec, now, promises, middle_price(offers))
}

/// What a delay is worth to a job: as it says, or by the VO's rule and how much its user cares for time and for money.
fn worth(spec: &JobSpec, ready: Time, promises: &PromisePolicy, price: i64) -> Worth {
    if let Some(delay) = spec.delay {
        let per_second = rounding::down(i128::from(delay.per_hour.as_micros()), 3_600);
        let per_second = i64::try_from(per_second).expect("a part of an amount is no larger than the amount");
        return Worth { per_second, from: delay.after.unwrap_or(ready) };
    }
    // A weight against costs: what is worth more than can be counted is worth any price.
    let usual = promises.value.of_count(price.saturating_mul(i64::from(spec.request.tasks)));
    let usual = i128::from(usual.unwrap_or(i64::MAX));
    let (time, money) = spec.preference.as_ref().map_or((1, 1), cares);
    let per_second = i64::try_from(rounding::down(usual * time, money)).unwrap_or(i64::MAX);
    Worth { per_second, from: ready }
}

/// How much a user cares for time, and for money; what has nothing to do with either does not count here.
fn cares(preference: &Preference) -> (i128, i128) {
    let (mut time, mut money) = (0, 0);
    for weighted in preference.weighted() {
        let weight = i128::from(weighted.weight);
        match weighted.criterion {
            Criterion::Cost => money += weight,
            Criterion::GuaranteedStart
            | Criterion::Start
            | Criterion::Finish
            | Criterion::LikelyFinish
            | Criterion::FinishMax
            | Criterion::Wait
            | Criterion::SpareTime => time += weight,
            Criterion::FinishDeviation
            | Criterion::FinishError
            | Criterion::Speed
            | Criterion::Memory
            | Criterion::Energy
            | Criterion::Income
            | Criterion::Load
            | Criterion::Attribute(..) => {}
        }
    }
    match (time, money) {
        (0, 0) => (1, 1),
        // Whoever cares for time alone pays a hundred times as much for it.
        (_, 0) => (100, 1),
        both => both,
    }
}

/// What a node costs in the middle of all that are offered, in micro-credits per second.
fn middle_price(offers: &Offers) -> i64 {
    let mut rates: Vec<i64> = offers.slots().iter().map(|slot| slot.rate().as_micros_per_second()).collect();
    if rates.is_empty() {
        return 0;
    }
    let middle = rates.len() / 2;
    *rates.select_nth_unstable(middle).1
}
