//! Windows that are planned: taken over from a plan, and reserved when they start soon.

use super::draft::Draft;
use super::reserve::{Terms, reserve, stands};
use crate::model::allocation::Allocation;
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

/// So often a plan is taken over with more who stay where they are; then all do.
const TRIES_MAX: usize = 16;

/// Takes over what still holds of a plan; gives those of the batch that it says something of.
///
/// Everybody who moves first leaves its place, so that one may take the place of another. Who cannot have the new one stays where
/// it was, before anybody else comes there: else a plan would break a promise because of another's move.
pub(super) fn take_in(
    draft: &mut Draft<'_>,
    batch: &BTreeSet<JobNumber>,
    planned: &[PlannedJob],
) -> BTreeSet<JobNumber> {
    let mut seen = BTreeSet::new();
    let mut moves: Vec<Move<'_>> = Vec::new();
    for planned in planned {
        let job = draft.before.jobs.get(&planned.job).filter(|job| match job.phase {
            Phase::Planning => batch.contains(&job.number),
            Phase::Planned => true,
            Phase::Waiting => draft.before.goes_ahead(job),
            Phase::Queued | Phase::Reserved(_) => false,
        });
        if let Some(job) = job.filter(|job| seen.insert(job.number)) {
            moves.push(Move { job, planned });
        }
    }
    place_all(draft, &moves);
    hold(draft, Aheads::hold_at);
    seen
}

/// Gives everybody the place of the plan, or lets it stay. Who cannot go is in the way of whoever was to come there: then all is tried once
/// more, and who stays is there first; in the end nobody goes.
fn place_all(draft: &mut Draft<'_>, moves: &[Move<'_>]) {
    let begun = draft.events();
    let mut stays: BTreeSet<JobNumber> = BTreeSet::new();
    for tries in 1.. {
        if tries == TRIES_MAX {
            stays = moves.iter().filter(|it| it.has_place()).map(|it| it.job.number).collect();
        }
        moves.iter().for_each(|it| draft.release(it.job));
        let known = stays.len();
        let (first, others): (Vec<&Move<'_>>, Vec<&Move<'_>>) =
            moves.iter().partition(|it| stays.contains(&it.job.number));
        first.into_iter().for_each(|it| it.stay(draft));
        for it in others {
            if let Some(place) = it.place(draft) {
                it.adopt(draft, &place);
                continue;
            }
            it.stay(draft);
            // Who was nowhere is in nobody's way.
            if it.has_place() {
                stays.insert(it.job.number);
            }
        }
        if stays.len() == known {
            return;
        }
        draft.take_back(begun);
    }
}

/// What a plan says of a job that may follow it.
#[derive(Clone, Copy)]
struct Move<'a> {
    job: &'a Job,
    planned: &'a PlannedJob,
}

impl Move<'_> {
    /// Whether there is a place that the job has now.
    fn has_place(&self) -> bool {
        self.job.phase == Phase::Planned
    }

    /// The place that the plan gives, where the job may have it.
    fn place(&self, draft: &mut Draft<'_>) -> Option<Allocation> {
        let Move { job, planned } = *self;
        let state = draft.before;
        let allocation = state.allocation_of(&job.spec.request, &planned.plan)?;
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
            return None;
        }
        Some(allocation)
    }

    fn adopt(&self, draft: &mut Draft<'_>, place: &Allocation) {
        let PlannedJob { job, plan, promise, renewed } = self.planned;
        draft.hold(place);
        draft.push(JobEvent::Planned {
            job: *job,
            plan: Arc::new(plan.clone()),
            promise: *promise,
            renewed: *renewed,
        });
    }

    /// The job stays where it was, or goes back where it was nowhere.
    fn stay(&self, draft: &mut Draft<'_>) {
        match draft.before.planned_allocation(self.job) {
            Some(stays) => draft.hold(&stays),
            None if self.job.phase == Phase::Planning => {
                draft.push(JobEvent::Returned { job: self.job.number, why: Why::LeftOut });
            }
            None => {}
        }
    }
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
