//! Windows that are planned: taken over from a plan, and reserved when they start soon.

use super::draft::Draft;
use super::reserve::{Terms, reserve, stands};
use crate::model::decision::PlannedJob;
use crate::model::event::JobEvent;
use crate::model::id::JobNumber;
use crate::model::job::{Job, Phase, Planned, Why};
use crate::model::reservation::Origin;
use crate::model::state::State;
use crate::rules::check::Prices;
use crate::rules::holding::Aheads;
use crate::rules::wanted::Wanted;
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_core::agenda::Terms as PlannedTerms;
use walras_model::Time;

/// Takes over what still holds of a plan; gives those of the batch that it says something of.
///
/// Everybody who moves first leaves its place, so that one may take the place of another. Who cannot have the new one stays where
/// it was; if that has gone to another, its next plan finds it displaced.
pub(super) fn take_in(
    draft: &mut Draft<'_>,
    batch: &BTreeSet<JobNumber>,
    planned: &[PlannedJob],
) -> BTreeSet<JobNumber> {
    let mut seen = BTreeSet::new();
    let mut moves: Vec<(&Job, &PlannedJob)> = Vec::new();
    for planned in planned {
        let job = draft.before.jobs.get(&planned.job).filter(|job| match job.phase {
            Phase::Planning => batch.contains(&job.number),
            Phase::Planned => true,
            Phase::Waiting => draft.before.goes_ahead(job),
            Phase::Queued | Phase::Reserved(_) => false,
        });
        if let Some(job) = job.filter(|job| seen.insert(job.number)) {
            moves.push((job, planned));
        }
    }
    for (job, _) in &moves {
        draft.release(job);
    }
    for (job, planned) in moves {
        if !adopt(draft, job, planned) {
            match draft.before.planned_allocation(job) {
                Some(stays) => draft.hold(&stays),
                None if job.phase == Phase::Planning => {
                    draft.push(JobEvent::Returned { job: job.number, why: Why::LeftOut });
                }
                None => {}
            }
        }
    }
    hold(draft, Aheads::hold_at);
    seen
}

/// Whether a job may have the place that a plan gives it; then it has.
fn adopt(draft: &mut Draft<'_>, job: &Job, planned: &PlannedJob) -> bool {
    let state = draft.before;
    let Some(allocation) = state.allocation_of(&job.spec.request, &planned.plan) else { return false };
    let terms =
        PlannedTerms { start: allocation.start(), finish: allocation.finish(), cost: allocation.cost() };
    let late = Some(planned.promise).filter(|_| state.runs_late(job));
    // Those that it waits for may have been promised something by the same plan.
    let known = if job.waits.is_none() { state } else { draft.state() };
    let wanted = Wanted::of(known, job).promised(late);
    // What was promised may be promised more firmly.
    let same = job.promise.is_none_or(|promise| promise.is_kept_by(&planned.promise));
    let bound = same || planned.renewed && !still_stands(draft, job, &wanted);
    if !bound
        || !planned.promise.is_kept_by(&terms)
        || stands(draft, &wanted, &allocation, Prices::AsNow).is_err()
    {
        return false;
    }
    draft.hold(&allocation);
    draft.push(JobEvent::Planned {
        job: job.number,
        plan: Arc::new(planned.plan.clone()),
        promise: planned.promise,
        renewed: planned.renewed,
    });
    true
}

/// Whether a job could have what it was planned for, so that what it was promised stands.
fn still_stands(draft: &mut Draft<'_>, job: &Job, wanted: &Wanted) -> bool {
    let allocation = draft.before.planned_allocation(job);
    allocation.is_some_and(|allocation| stands(draft, wanted, &allocation, Prices::AsHeld).is_ok())
}

/// Reserves what starts so soon that no plan can be waited for.
pub(super) fn hold_late(draft: &mut Draft<'_>) {
    give_back(draft);
    hold(draft, Aheads::hold_by);
}

/// Takes their windows from those that were planned ahead for a time by which what they wait for will not, or may not, have happened.
pub(super) fn give_back(draft: &mut Draft<'_>) {
    loop {
        let now = draft.now;
        let state = draft.state();
        let aheads = state.aheads();
        let lost = state.planned().filter(|(job, plan)| state.loses_window(job, plan, aheads.as_ref(), now));
        let lost: Vec<Job> = lost.map(|(job, _)| job.clone()).collect();
        // Those who wait for these lose theirs next.
        if lost.is_empty() {
            return;
        }
        for job in lost {
            draft.release(&job);
            draft.push(JobEvent::Returned { job: job.number, why: Why::Waits(Box::new(job.waits)) });
        }
    }
}

/// Reserves what is due, by a moment before its start.
fn hold(draft: &mut Draft<'_>, moment: impl Fn(&Aheads, &State, &Planned) -> Time) {
    let now = draft.now;
    let state = draft.state();
    let Some(aheads) = state.aheads() else { return };
    let free = state.planned().filter(|(job, _)| job.waits.is_none());
    let due = free.filter(|(_, plan)| moment(&aheads, state, plan) <= now);
    let due: Vec<Job> = due.map(|(job, _)| job.clone()).collect();
    for job in due {
        let wanted = Wanted::of(draft.state(), &job);
        let Some(allocation) = draft.state().planned_allocation(&job) else { continue };
        draft.release(&job);
        let terms = Terms { origin: Origin::Plan, prices: Prices::AsHeld, spares: Vec::new() };
        if let Err(why) = reserve(draft, &wanted, &allocation, terms, Vec::new()) {
            draft.push(JobEvent::Returned { job: job.number, why });
        }
    }
}
