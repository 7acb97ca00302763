//! What stays the same while a plan is improved: how every job is searched for, what it counts, and what binds all.

use super::aim::{Aim, Measure};
use super::ranks::Ranks;
use super::sold::Sold;
use crate::choose::{AppliedLimits, LeaveOut, Objective};
use crate::plan::{BatchProblem, choice, workflow};
use crate::prefer::{Gate, Negotiation, Source};
use crate::search::View;
use walras_model::id::{JobId, SiteId};
use walras_model::offer::Offers;
use walras_model::request::Batch;
use walras_model::window::Window;

/// See the module's documentation.
pub(super) struct Basis<'a> {
    pub(super) problem: &'a BatchProblem<'a>,
    pub(super) sold: &'a Sold<'a>,
    pub(super) batch: &'a Batch,
    pub(super) views: Vec<View>,
    pub(super) ranks: Vec<Ranks>,
    /// How much it counts to serve each job.
    pub(super) weights: Vec<u64>,
    pub(super) limits: AppliedLimits,
    pub(super) aim: Aim,
    pub(super) gate: Option<Gate<'a>>,
    /// By job: the quotas that it counts against.
    pub(super) quotas: Vec<Vec<(SiteId, usize)>>,
    /// By job: the queues that it may go to.
    pub(super) queues: Vec<Vec<QueuePlace>>,
}

/// A job in a queue.
#[derive(Clone, Debug)]
pub(super) struct QueuePlace {
    pub(super) queue: usize,
    pub(super) measure: Measure,
    pub(super) takes: Vec<(usize, i64)>,
}

impl<'a> Basis<'a> {
    pub(super) fn new(
        (problem, sold): (&'a BatchProblem<'a>, &'a Sold<'a>),
        batch: &'a Batch,
        options: &[Vec<Source>],
        negotiation: Option<&Negotiation>,
        limits: AppliedLimits,
        aim: Aim,
    ) -> Basis<'a> {
        let view = |(job, request)| {
            let config = problem.search_of(job);
            let offers = sold.seen_by(job).unwrap_or(problem.offers);
            View::new(offers, request, &config.algorithm, config.budget_factor)
        };
        let views: Vec<View> = batch.requests().iter().enumerate().map(view).collect();
        let gate = problem.stakeholders.map(|wishes| Gate::new(wishes, problem.offers, batch));
        let jobs = 0..batch.requests().len();
        let quotas = jobs.clone().map(|job| gate.as_ref().map_or_else(Vec::new, |gate| gate.quotas_of(job)));
        // A negotiation may be bound by the administrator's limits too, which are counted apart here.
        let shared = gate.as_ref().map_or(0, |gate| gate.capacities().len());
        let queues = jobs.map(|job| queue_places(problem, batch, (&options[job], negotiation), job, shared));
        let (quotas, queues) = (quotas.collect(), queues.collect());
        let ranks = views.iter().enumerate().map(|(job, view)| {
            let slots = sold.seen_by(job).map_or(&[][..], Offers::slots);
            Ranks::new(view, slots, sold.owners(job))
        });
        let ranks = ranks.collect();
        let weights = weights(problem, batch, options);
        Basis { problem, sold, batch, views, ranks, weights, limits, aim, gate, quotas, queues }
    }

    pub(super) fn jobs(&self) -> usize {
        self.views.len()
    }

    pub(super) fn by_makespan(&self) -> bool {
        self.problem.policy.objective == Objective::MinMakespan
    }

    pub(super) fn is_workflow(&self, job: usize) -> bool {
        self.problem.job(job).workflow.is_some()
    }

    /// Whether a job stays as it was chosen: a window that nobody listed would not be one by the search that it asks for.
    pub(super) fn stays(&self, job: usize) -> bool {
        self.problem.job(job).search.is_some()
    }

    /// Whether a window holds the job's workflow, where it is one.
    pub(super) fn holds(&self, job: usize, window: &Window) -> bool {
        JobId::from_index(job).is_some_and(|job| workflow::holds(self.problem, self.batch, job, window))
    }

    /// What a window takes of quotas.
    pub(super) fn takes(&self, job: usize, window: &Window) -> Vec<(usize, i64)> {
        let gate = self.gate.as_ref().filter(|_| !self.quotas[job].is_empty());
        gate.map_or_else(Vec::new, |gate| gate.takes(job, window))
    }
}

pub(super) fn measure(window: &Window) -> Measure {
    Measure {
        cost: window.cost().as_micros().into(),
        time: window.runtime().as_millis().into(),
        finish: window.end().as_millis().into(),
    }
}

fn queue_places(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    (options, negotiation): (&[Source], Option<&Negotiation>),
    job: usize,
    shared: usize,
) -> Vec<QueuePlace> {
    let place = |(place, source): (usize, &Source)| {
        let Source::Queue(queue) = *source else { return None };
        let item = choice::queue_item(problem, &batch.requests()[job], queue, place)?;
        let option = negotiation?.problem.jobs().get(job)?.options.get(place)?;
        let measure = Measure {
            cost: item.cost.as_micros().into(),
            time: item.time.as_millis().into(),
            finish: item.finish.as_millis().into(),
        };
        let takes = option.takes.iter().copied().filter(|(capacity, _)| *capacity < shared).collect();
        Some(QueuePlace { queue, measure, takes })
    };
    options.iter().enumerate().filter_map(place).collect()
}

/// How much it counts to serve each job, as the choice weighs them. Where nobody who has an alternative may be left out, those
/// go before all others.
fn weights(problem: &BatchProblem<'_>, batch: &Batch, options: &[Vec<Source>]) -> Vec<u64> {
    let mut weights = choice::weights(problem, batch);
    if problem.policy.leave_out == LeaveOut::Never {
        let others = weights.iter().zip(options).filter(|(_, options)| options.is_empty());
        let sum = others.map(|(weight, _)| *weight).fold(0, u64::saturating_add);
        for (weight, _) in weights.iter_mut().zip(options).filter(|(_, options)| !options.is_empty()) {
            *weight = weight.saturating_add(sum);
        }
    }
    weights
}
