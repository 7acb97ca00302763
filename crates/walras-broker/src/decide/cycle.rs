//! The cycle: rank, ask, close, plan, verify, reserve.

use super::reserve::{Wanted, reserve};
use super::{Draft, HEARD};
use crate::check::Prices;
use crate::event::{Event, Origin};
use crate::id::CycleNumber;
use crate::input::{Answer, Refusal};
use crate::job::{Phase, Why};
use crate::plan::{Decision, PlanningJob, PlanningProblem};
use crate::rank::ranked;
use crate::state::{Cycle, State};
use std::collections::{BTreeMap, BTreeSet};
use walras_core::prefer::{Preference, User};
use walras_model::{SiteId, Time};

/// Opens a cycle, unless one is open.
pub(super) fn open(draft: &mut Draft<'_>) -> Answer {
    let (state, now) = (draft.state, draft.now);
    let asked: Vec<SiteId> = standing(state).collect();
    if state.cycle.is_some() || asked.is_empty() {
        return HEARD;
    }
    draft.last.cycle = draft.last.cycle.next();
    let cycle = draft.last.cycle;
    let until = now.checked_add(state.policy.offers_within).unwrap_or(now);
    let demand = state.sites.iter().zip(0..).map(|(site, number)| {
        let taken = state.share_taken(SiteId::new(number));
        site.spec.prices.demand.map_or(site.demand, |demand| demand.moved(site.demand, taken))
    });
    let demand = demand.collect();
    draft.push(Event::CycleOpened { cycle, batch: ranked(state, now), asked, until, demand });
    HEARD
}

fn standing(state: &State) -> impl Iterator<Item = SiteId> {
    let sites = state.sites.iter().enumerate().filter(|(_, site)| !site.lost);
    sites.filter_map(|(index, _)| SiteId::from_index(index))
}

/// No more offers are waited for: planning begins, unless there is nobody to plan for.
pub(super) fn close(draft: &mut Draft<'_>, cycle: &Cycle) {
    if cycle.batch.is_empty() {
        draft.push(Event::CycleEnded(cycle.number));
        return;
    }
    let until = draft.now.checked_add(draft.state.policy.plan_within).unwrap_or(draft.now);
    draft.push(Event::CycleClosed { cycle: cycle.number, until });
}

/// A site has failed while it was asked.
pub(super) fn site_gone(draft: &mut Draft<'_>, site: SiteId) {
    let Some(cycle) = draft.state.cycle.as_ref().filter(|cycle| cycle.closed_at.is_none()) else { return };
    if cycle.unanswered.len() == 1 && cycle.unanswered.contains(&site) {
        close(draft, cycle);
    }
}

/// A plan has come: what still holds of it is reserved.
pub(super) fn decided(
    draft: &mut Draft<'_>,
    number: CycleNumber,
    decision: &Decision,
) -> Result<Answer, Refusal> {
    let state = draft.state;
    let cycle = state.cycle.as_ref().filter(|cycle| cycle.number == number && cycle.closed_at.is_some());
    let cycle = cycle.ok_or(Refusal::NoCycle(number))?;
    let batch: BTreeSet<_> = cycle.batch.iter().map(|ranked| ranked.job).collect();
    let mut verdict = decision.verdict.clone();
    verdict.unserved.retain(|unserved| batch.contains(&unserved.job));
    draft.push(Event::CycleDecided { cycle: number, verdict: Box::new(verdict) });
    let mut seen = BTreeSet::new();
    for chosen in &decision.chosen {
        let job = state.jobs.get(&chosen.job).filter(|job| job.phase == Phase::Planning);
        let Some(job) = job.filter(|_| batch.contains(&chosen.job) && seen.insert(chosen.job)) else {
            continue;
        };
        let wanted = Wanted::of(state, job);
        let origin = Origin::Cycle(number);
        let spares = chosen.spares.clone();
        if let Err(why) = reserve(draft, &wanted, &chosen.way, spares, origin, Prices::AsNow, Vec::new()) {
            draft.push(Event::JobReturned { job: chosen.job, why });
        }
    }
    // A plan that says nothing of a job does not make it disappear.
    seen.extend(decision.verdict.unserved.iter().map(|unserved| unserved.job));
    for forgotten in batch.difference(&seen).filter(|job| state.jobs.contains_key(job)) {
        draft.push(Event::JobReturned { job: *forgotten, why: Why::LeftOut });
    }
    Ok(HEARD)
}

/// What is to be planned in the open cycle; `None` when it is not that far.
pub(crate) fn problem(state: &State) -> Option<PlanningProblem> {
    let cycle = state.cycle.as_ref()?;
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
            let known = state.users.get(&job.spec.user);
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
        policy: state.policy.clone(),
    })
}

/// Until when a phase of the cycle lasts.
pub(super) fn pass(draft: &mut Draft<'_>, now: Time) {
    let state = draft.state;
    match &state.cycle {
        Some(cycle) if now >= cycle.until => match cycle.closed_at {
            None => close(draft, cycle),
            Some(_) => draft.push(Event::CycleEnded(cycle.number)),
        },
        None if now >= state.next_cycle_at => {
            let waiting = state.jobs.values().any(|job| job.phase == Phase::Queued);
            if waiting || now >= state.refresh_at() {
                open(draft);
            }
        }
        _ => {}
    }
}
