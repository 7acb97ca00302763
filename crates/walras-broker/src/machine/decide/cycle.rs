//! The cycle: rank, ask, close, plan, verify, reserve.

use super::HEARD;
use super::draft::Draft;
use super::reserve::{Terms, reserve};
use super::{agenda, array};
use crate::model::cycle::Cycle;
use crate::model::decision::{Decision, PlanBound};
use crate::model::event::{CycleEvent, JobEvent};
use crate::model::id::CycleNumber;
use crate::model::input::{Answer, Refusal};
use crate::model::job::{Phase, Why};
use crate::model::price::Demand;
use crate::model::reservation::Origin;
use crate::model::site::Free;
use crate::model::state::State;
use crate::rules::check::Prices;
use crate::rules::rank::queue;
use crate::rules::wanted::Wanted;
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_model::{SiteId, Time};

/// Opens a cycle, unless one is open.
pub(super) fn open(draft: &mut Draft<'_>) -> Answer {
    let (state, now) = (draft.before, draft.now);
    let mut asked: Vec<SiteId> = standing(state).collect();
    if state.cycle.is_some() || asked.is_empty() {
        return HEARD;
    }
    asked.retain(|site| is_stale(state, *site, now));
    let cycle = state.last.cycle.next();
    let until = now.checked_add(state.policy.offers_within).unwrap_or(now);
    let demand = state.sites.iter().zip(0..).map(|(site, number)| {
        let after = |demand: Demand| demand.after(site.demand, state.share_taken(SiteId::new(number)));
        site.spec.prices.demand.map_or(site.demand, after)
    });
    let demand = demand.collect();
    let nobody_asked = asked.is_empty();
    agenda::give_back(draft);
    array::draw(draft);
    // Who has just lost its place is among them: those behind it would else move into what is left of it.
    let queue = queue(draft.state(), now);
    for (job, why) in queue.turned_away {
        draft.push(JobEvent::Returned { job, why });
    }
    draft.push(CycleEvent::Opened { cycle, batch: queue.batch, asked, until, demand });
    if nobody_asked {
        let open = draft.state().cycle.clone();
        if let Some(open) = open {
            close(draft, &open);
        }
    }
    HEARD
}

/// Whether a site is asked what is free.
fn is_stale(state: &State, site: SiteId, now: Time) -> bool {
    let Some(site) = state.site(site) else { return true };
    let said = site.free.as_ref().map(|(at, _)| *at);
    // A cluster whose controller does not answer has nothing to sell, and has again when it does.
    let nothing =
        matches!(&site.free, Some((_, free)) if matches!(&**free, Free::Slots(free) if free.is_empty()));
    if nothing && site.spec.timing.is_of_cluster() {
        return true;
    }
    let age = |at: Time| now.as_millis().saturating_sub(at.as_millis());
    let fresh = |at: Time| age(at) < state.offers_age_max();
    state.promises().is_none() || !said.is_some_and(fresh)
}

fn standing(state: &State) -> impl Iterator<Item = SiteId> {
    let sites = state.sites.iter().enumerate().filter(|(_, site)| site.sells());
    sites.filter_map(|(index, _)| SiteId::from_index(index))
}

/// No more offers are waited for: planning begins, unless there is nobody to plan for.
pub(super) fn close(draft: &mut Draft<'_>, cycle: &Cycle) {
    let nobody = |state: &State| state.planned().next().is_none() && !state.has_followers();
    if cycle.batch.is_empty() && nobody(draft.state()) {
        draft.push(CycleEvent::Ended(cycle.number));
        return;
    }
    let until = draft.now.checked_add(draft.before.policy.plan_within).unwrap_or(draft.now);
    draft.push(CycleEvent::Closed { cycle: cycle.number, until });
}

/// A site has failed while it was asked.
pub(super) fn site_gone(draft: &mut Draft<'_>, site: SiteId) {
    let Some(cycle) = draft.before.cycle.as_deref().filter(|cycle| cycle.closed_at.is_none()) else { return };
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
    let state = draft.before;
    let cycle = state.cycle.as_deref().filter(|cycle| cycle.number == number && cycle.closed_at.is_some());
    let cycle = cycle.ok_or(Refusal::NoCycle(number))?;
    let batch: BTreeSet<_> = cycle.batch.iter().map(|ranked| ranked.job).collect();
    let mut verdict = decision.verdict.clone();
    verdict.unserved.retain(|unserved| batch.contains(&unserved.job));
    draft.push(CycleEvent::Decided { cycle: number, verdict: Box::new(verdict) });
    let mut seen = agenda::take_in(draft, &batch, &decision.planned);
    for chosen in &decision.chosen {
        let job = state.jobs.get(&chosen.job).filter(|job| job.phase == Phase::Planning);
        let Some(job) = job.filter(|_| batch.contains(&chosen.job) && seen.insert(chosen.job)) else {
            continue;
        };
        let wanted = Wanted::of(state, job);
        let spares = chosen.spares.iter().cloned().map(Arc::new).collect();
        let terms = Terms { origin: Origin::Cycle(number), prices: Prices::AsNow, spares };
        if let Err(why) = reserve(draft, &wanted, &chosen.allocation, terms, Vec::new()) {
            draft.push(JobEvent::Returned { job: chosen.job, why });
        }
    }
    // A plan that says nothing of a job does not make it disappear.
    seen.extend(decision.verdict.unserved.iter().map(|unserved| unserved.job));
    for forgotten in batch.difference(&seen).filter(|job| state.jobs.contains_key(job)) {
        draft.push(JobEvent::Returned { job: *forgotten, why: Why::LeftOut });
    }
    Ok(HEARD)
}

/// What no plan could beat is said of a cycle that was planned; nothing follows from it.
pub(super) fn bounded(
    draft: &mut Draft<'_>,
    cycle: CycleNumber,
    bound: PlanBound,
) -> Result<Answer, Refusal> {
    let state = draft.before;
    let open = state.cycle.as_deref().is_some_and(|open| open.number == cycle);
    if cycle > state.last.cycle || open || !bound.is_sound() {
        return Err(Refusal::NoCycle(cycle));
    }
    draft.push(CycleEvent::Bounded { cycle, bound });
    Ok(HEARD)
}

/// Until when a phase of the cycle lasts.
pub(super) fn pass(draft: &mut Draft<'_>, now: Time) {
    let state = draft.before;
    match state.cycle.as_deref() {
        Some(cycle) if now >= cycle.until => match cycle.closed_at {
            None => close(draft, cycle),
            Some(_) => draft.push(CycleEvent::Ended(cycle.number)),
        },
        None if state.cycle_due().is_some_and(|due| now >= due) => {
            open(draft);
        }
        _ => {}
    }
}
