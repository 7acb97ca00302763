//! One cycle: draw, search by both, choose by both, check the laws.

use super::Config;
use crate::experiment::choice::{PaperLimits, best};
use crate::experiment::{CycleError, search};
use walras_core::choose::{Combination, Menu, Objective};
use walras_core::slots::SlotList;
use walras_core::{Algorithm, Alternatives, find_window};
use walras_model::{Batch, JobId, Offers, Time};
use walras_random::Purpose;

/// What is kept of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) jobs: usize,
    pub(super) slots: usize,
    pub(super) alp: Side,
    pub(super) amp: Side,
}

/// What one of the searches gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// Alternatives of all jobs together.
    pub(super) found: usize,
    /// The chosen combinations, in counted cycles.
    pub(super) chosen: Option<Chosen>,
}

/// The two problems' solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) min_time: Sums,
    pub(super) min_cost: Sums,
}

/// Total time in time units and total cost in micro-credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) time: i128,
    pub(super) cost: i128,
}

impl Record {
    /// What was chosen by ALP and by AMP, in a cycle that counts.
    pub(super) fn counted(&self) -> Option<(Chosen, Chosen)> {
        self.alp.chosen.zip(self.amp.chosen)
    }
}

/// Cycle `number` of a seed.
pub(super) fn run(config: &Config, seed: u64, number: u32) -> Result<Record, CycleError> {
    let offers = config.slots.draw(&mut Purpose::Slots.stream(seed, number))?;
    let batch = config.jobs.draw(&mut Purpose::Jobs.stream(seed, number))?;
    let verify = number.is_multiple_of(config.verify_every);
    let found = |algorithm| {
        let search = search::config(algorithm, u32::MAX);
        search::alternatives(&offers, &batch, &search, verify)
    };
    let (alp, amp) = (found(Algorithm::Alp)?, found(Algorithm::Amp)?);
    check_first_job(&alp, &amp)?;
    if verify {
        check_every_job(&offers, &batch)?;
    }
    let counts = alp.unscheduled.is_empty() && amp.unscheduled.is_empty();
    let side = |alternatives: &Alternatives| -> Result<Side, CycleError> {
        let chosen = if counts { Some(choose(&Menu::new(alternatives, &batch))?) } else { None };
        Ok(Side { found: alternatives.found.len(), chosen })
    };
    let (jobs, slots) = (batch.requests().len(), offers.slots().len());
    Ok(Record { jobs, slots, alp: side(&alp)?, amp: side(&amp)? })
}

fn choose(menu: &Menu) -> Result<Chosen, CycleError> {
    let (limits, _) = PaperLimits::of(menu)?;
    let solve = |objective| best(menu, objective, limits).map(|best| Sums::of(&best));
    Ok(Chosen { min_time: solve(Objective::MinTime)?, min_cost: solve(Objective::MinCost)? })
}

impl Sums {
    fn of(combination: &Combination) -> Sums {
        Sums { time: combination.totals.time, cost: combination.totals.cost }
    }
}

/// The first job searches the same untouched list under both.
fn check_first_job(alp: &Alternatives, amp: &Alternatives) -> Result<(), CycleError> {
    let first = |alternatives: &Alternatives| {
        let found = alternatives.found.first()?;
        (found.job == JobId::new(0)).then(|| found.window.start())
    };
    check_starts(JobId::new(0), first(alp), first(amp))
}

/// On the untouched list, for every job.
fn check_every_job(offers: &Offers, batch: &Batch) -> Result<(), CycleError> {
    let list = SlotList::from_offers(offers);
    for (index, request) in batch.requests().iter().enumerate() {
        let Some(job) = JobId::from_index(index) else { break };
        let start = |algorithm| {
            let window = find_window(&list, offers, request, &search::config(algorithm, 1)).found()?;
            Some(window.start())
        };
        check_starts(job, start(Algorithm::Alp), start(Algorithm::Amp))?;
    }
    Ok(())
}

fn check_starts(job: JobId, alp: Option<Time>, amp: Option<Time>) -> Result<(), CycleError> {
    match (alp, amp) {
        (None, _) => Ok(()),
        (Some(alp), Some(amp)) if amp <= alp => Ok(()),
        (Some(alp), amp) => Err(CycleError::law(format!(
            "AMP's first window of job {} starts at {amp:?}, after ALP's at {alp:?}",
            job.number()
        ))),
    }
}
