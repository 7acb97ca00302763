//! What nodes' time is worth to those who wait for it: for owners, and for users who could wait.
//!
//! It is worked out on a copy, by whoever asks: no plan waits for it, and nothing follows from it by itself.

use super::batch::delay_worth;
use crate::model::job::Job;
use crate::model::state::State;
use walras_core::agenda::Worth;
use walras_core::clearing::{ClearingLimits, TimeWorth, WaitingJob, worth_of_time};
use walras_model::{Offers, Request, Time, Window};

/// So many of those who wait are asked, by when they are planned.
const JOBS_MAX: usize = 200;
/// What may be spent on an answer: well below a second.
const LIMITS: ClearingLimits = ClearingLimits {
    searches_per_job_max: 29,
    searches_least: 1_000,
    searches_max: 6_000,
    looks_max: 20_000_000,
    moves_max: 200_000_000,
};

/// Those who wait, and what they could have: a copy.
pub struct WorthInquiry {
    offers: Offers,
    jobs: Vec<(Request, Window, Worth)>,
    waiting: usize,
}

impl WorthInquiry {
    /// Who waits now with a window that may move; `None` where nothing is for sale, or windows do not move.
    pub fn new(state: &State, now: Time) -> Option<WorthInquiry> {
        let promises = state.promises()?;
        let offers = state.movable_market(now.max(state.clock), Time::MIN)?.offers;
        let worth = delay_worth(*promises, &offers);
        let window = |job: &Job| state.window_of(&job.spec.request, job.plan.as_deref()?);
        let planned = state.planned().filter_map(|(job, _)| Some((job, window(job)?)));
        let mut jobs: Vec<(Request, Window, Worth)> = planned
            .map(|(job, window)| {
                let mut request = job.spec.request.clone();
                // It may move, but only within what it was promised.
                request.deadline = job.promise.map(|promise| promise.finish).or(request.deadline);
                (request, window, worth(job))
            })
            .collect();
        jobs.sort_by_key(|(_, window, _)| window.start());
        let waiting = jobs.len();
        jobs.truncate(JOBS_MAX);
        Some(WorthInquiry { offers, jobs, waiting })
    }

    /// How many wait with a window, asked or not.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Until when it is looked.
    pub fn until(&self) -> Time {
        self.offers.horizon().end()
    }

    /// What time is worth to them; `None` where nobody waits, or there are too many nodes for that.
    pub fn search(&self) -> Option<TimeWorth> {
        let jobs = self.jobs.iter().map(|(request, window, worth)| WaitingJob {
            request,
            start: window.start(),
            cost: window.cost(),
            delay: worth.per_second,
            from: worth.from,
        });
        let jobs: Vec<WaitingJob<'_>> = jobs.collect();
        worth_of_time(&self.offers, &jobs, &LIMITS)
    }
}
