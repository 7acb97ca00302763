//! A cycle as it was when its planning began, to be planned again.
//!
//! **Problem.** An administrator asks what other rules would have decided, what a choice has cost others, and whether a plan is the one
//! that follows from what was known.
//!
//! **Method.** Planning is a pure function of what the broker knew. Whoever keeps that, which is cheap because state is persistent, plans
//! again: under other rules, without one of the jobs, or just so. What comes out is compared job by job ([`BegunCycle::outlook`]):
//! every job that waited, and where it would run.
//!
//! The batch stays as it was put together: rules about who is in it (`batch_max`, ranks) change later cycles, not this one.
//!
//! **Complexity.** That of a plan.
//!
//! **Example.** A cycle of two jobs planned by price under `min-cost`, and again under `min-makespan`: the outlooks have the same two jobs,
//! the second with earlier ends at a higher cost.

use crate::model::decision::{Decision, PlanBound};
use crate::model::id::{CycleNumber, JobNumber};
use crate::model::policy::Policy;
use crate::model::state::State;
use crate::plan::{PlanningAgenda, PlanningProblem, bound, plan, plan_briefly};
use crate::rules::batch::problem_from;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_core::agenda::Terms;
use walras_model::Time;

/// A cycle when its planning began.
#[derive(Clone, Debug)]
pub struct BegunCycle {
    state: State,
    problem: PlanningProblem,
}

/// Where every job that waited would run; `None` for those without a window.
pub type Outlook = BTreeMap<JobNumber, Option<Terms>>;

impl BegunCycle {
    /// What the broker knew, and the problem that it made of it.
    pub(super) fn new(state: &State, problem: PlanningProblem) -> BegunCycle {
        BegunCycle { state: state.shown(), problem }
    }

    /// The number of the cycle that began.
    pub fn number(&self) -> CycleNumber {
        self.problem.cycle
    }

    /// How many events the broker had folded.
    pub fn basis(&self) -> u64 {
        self.problem.basis
    }

    /// What it knew, but for the history of run times.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What was to be planned.
    pub fn problem(&self) -> &PlanningProblem {
        &self.problem
    }

    /// Whether nobody waited, so that there is nothing to be seen.
    pub fn is_idle(&self) -> bool {
        let followers = self.problem.agenda.as_ref().is_some_and(|agenda| !agenda.followers.is_empty());
        self.problem.jobs.is_empty() && self.state.planned().next().is_none() && !followers
    }

    /// The same cycle under other rules; `None` where these leave nothing to plan with.
    pub fn under(&self, policy: Policy) -> Option<BegunCycle> {
        let state = State { policy: Arc::new(policy), ..self.state.shown() };
        // Where windows may move, offers of before the cycle are planned from too; other rules have no younger ones to plan from.
        let opened = state.cycle.as_deref()?.opened_at;
        let oldest = if self.problem.agenda.is_some() { Time::MIN } else { opened };
        let problem = problem_from(&state, None, oldest)?;
        Some(BegunCycle { state, problem })
    }

    /// The same cycle as if a job were not there.
    #[must_use]
    pub fn without(&self, job: JobNumber) -> BegunCycle {
        let mut state = self.state.shown();
        state.jobs.remove(&job);
        let mut problem = self.problem.clone();
        problem.jobs.retain(|other| other.number != job);
        problem.agenda = problem.agenda.map(|agenda| {
            let mut agenda: PlanningAgenda = (*agenda).clone();
            agenda.planned.retain(|other| other.number != job);
            agenda.followers.retain(|other| other.number != job);
            Arc::new(agenda)
        });
        BegunCycle { state, problem }
    }

    /// The plan, made again.
    pub fn plan(&self) -> Decision {
        plan(&self.problem)
    }

    /// The same without what may take long: workflows are left out, and say so.
    pub fn plan_briefly(&self) -> Decision {
        plan_briefly(&self.problem)
    }

    /// What no plan could beat of the windows that a decision plans and that may move; `None` where there are none, or the policy allows no searches.
    pub fn bound(&self, decision: &Decision) -> Option<PlanBound> {
        bound(&self.problem, decision)
    }

    /// Whether a decision follows from what was known: as a whole plan, or as a brief one.
    pub fn leads_to(&self, decision: &Decision) -> bool {
        self.plan() == *decision || self.plan_briefly() == *decision
    }

    /// Where everybody would run after a plan.
    pub fn outlook(&self, decision: &Decision) -> Outlook {
        let state = &self.state;
        let mut outlook: Outlook = self.problem.jobs.iter().map(|job| (job.number, None)).collect();
        outlook.extend(state.planned().map(|(job, _)| (job.number, state.planned_terms(job))));
        for planned in &decision.planned {
            let request = state.jobs.get(&planned.job).map(|job| &job.spec.request);
            let window = request.and_then(|request| state.window_of(request, &planned.plan));
            outlook.insert(planned.job, window.map(|window| Terms::of(&window)));
        }
        for chosen in &decision.chosen {
            let allocation = &chosen.allocation;
            let terms =
                Terms { start: allocation.start(), finish: allocation.finish(), cost: allocation.cost() };
            outlook.insert(chosen.job, Some(terms));
        }
        outlook
    }
}
