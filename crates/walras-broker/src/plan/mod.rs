//! Planning a cycle: what the broker knows becomes a problem of the core, and the core's plan what is to be reserved.
//!
//! The planner itself is [`walras_core::plan::plan_batch`]; here are only the conversions. The plan is a pure function of
//! the [`PlanningProblem`]: it may be computed anywhere, and again later, to the same bytes. The broker trusts nothing of
//! it and verifies what it says.

mod agenda;
mod allocation;
mod assigned;
mod bounded;
mod decision;
mod options;
mod own;
mod pools;
mod workflow;

pub(crate) use bounded::bound;
pub(crate) use options::{JobFindings, job_findings};
pub use own::OwnNext;
pub(crate) use own::Width;
pub(crate) use pools::{by_unit, times_of};
pub(crate) use workflow::remaining;

use crate::model::decision::{Decision, Unserved};
use crate::model::id::{CycleNumber, JobNumber};
use crate::model::job::Why;
use crate::model::policy::{Method, Policy};
use crate::model::wish::{Wish, Wisher};
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_core::SearchConfig;
use walras_core::agenda::{AgendaRules, Promise, Worth};
use walras_core::choose::ChoiceLimits;
use walras_core::clearing::{Clearing, ClearingLimits, clear};
use walras_core::plan::{
    BatchJob, BatchPlan, BatchProblem, Listing, PlanLimits, QueueUse, Unstated, plan_batch,
};
use walras_core::prefer::{
    CollectiveWish, JobWish, Preference, QueueOffer, Rules, Spread, Stakeholders, User,
};
use walras_core::refine::Strategy;
use walras_model::{Batch, Money, Offers, Request, SiteId, Span, TaskId, Time, Window, Workflow};

/// All that planning needs to know.
#[derive(Clone, Debug)]
pub struct PlanningProblem {
    /// The number of the cycle that is planned.
    pub cycle: CycleNumber,
    /// How many events the broker had folded when this was what it knew.
    pub basis: u64,
    /// When planning began.
    pub now: Time,
    /// The same, where that is later than the cycle was closed.
    pub late: Option<Time>,
    /// What is for sale.
    pub offers: Offers,
    /// What would be for sale if nothing were held, where a job of the batch is overdue.
    pub open: Option<Offers>,
    /// Queues.
    pub queues: Vec<QueueOffer>,
    /// The batch, highest rank first.
    pub jobs: Vec<PlanningJob>,
    /// The users of its jobs.
    pub users: Vec<User>,
    /// Who may run where, by site.
    pub rules: Vec<Rules>,
    /// What owners and the administrator want.
    pub wishes: Arc<Vec<(Wisher, Wish)>>,
    /// The VO's rules.
    pub policy: Policy,
    /// Windows that are planned and may move, where jobs are promised anything.
    pub agenda: Option<Arc<PlanningAgenda>>,
    /// How jobs are assigned to sites that sell capacity, where they are.
    pub capacity: Option<CapacityRound>,
}

/// What there is to know for assigning jobs to sites that sell capacity.
#[derive(Clone, Debug)]
pub struct CapacityRound {
    /// The method that the VO's rules name.
    pub method: Method,
    /// The sites.
    pub sites: Vec<SiteId>,
    /// When what is assigned starts.
    pub start: Time,
    /// Whether it is time for a round; between two of them, jobs wait.
    pub is_due: bool,
}

/// What there is to know for planning before anything is held.
#[derive(Clone, Debug)]
pub struct PlanningAgenda {
    /// What starts by then is held next: nobody who does goes further ahead.
    pub held: Time,
    /// Who could start by then goes ahead of the others.
    pub soon: Time,
    /// How it is planned.
    pub rules: AgendaRules,
    /// Who has a window.
    pub planned: Vec<PlannedWindow>,
    /// By user of the problem: what they can pay for newcomers.
    pub funds: Vec<Money>,
    /// What there is to know of the jobs of the batch.
    pub newcomers: BTreeMap<JobNumber, NewcomerTerms>,
    /// Who waits for others and is planned ahead, after those they wait for.
    pub followers: Vec<PlannedFollower>,
    /// How long after what they wait for these are planned.
    pub lag: Span,
}

/// A job that waits for others and has no window.
#[derive(Clone, Debug)]
pub struct PlannedFollower {
    /// Its number.
    pub number: JobNumber,
    /// What it needs, from when on what is known of those it waits for allows.
    pub request: Request,
    /// Whom it waits for of those who are planned with it, and whether they must have ended.
    pub behind: Vec<(JobNumber, bool)>,
    /// The group of its user.
    pub group: Option<String>,
    /// The place of its user among the funds.
    pub payer: usize,
    /// What there is to know of it beside.
    pub terms: NewcomerTerms,
}

/// What there is to know of a job that has no window yet.
#[derive(Clone, Copy, Debug)]
pub struct NewcomerTerms {
    /// Since when it waits.
    pub came: Time,
    /// What it was promised before it lost its window.
    pub promise: Option<Promise>,
    /// What a delay is worth to it.
    pub worth: Worth,
    /// Whose it is, as a number.
    pub owner: usize,
    /// Whether its user has more jobs waiting than others should wait for.
    pub crowds: bool,
    /// How long it is likely to run, where the order goes by that.
    pub likely: Option<Span>,
}

impl PlanningAgenda {
    /// What there is to know of a job of the batch.
    fn terms_of(&self, job: JobNumber) -> NewcomerTerms {
        *self.newcomers.get(&job).expect("every job of the batch is known to the agenda")
    }
}

/// A job with a window that may move.
#[derive(Clone, Debug)]
pub struct PlannedWindow {
    /// Its number.
    pub number: JobNumber,
    /// What it needs.
    pub request: Request,
    /// Its window; `None` when one of its nodes is not there any more.
    pub window: Option<Arc<Window>>,
    /// What it was promised.
    pub promise: Promise,
    /// Since when it waits.
    pub came: Time,
    /// What a delay is worth to it.
    pub worth: Worth,
    /// The group of its user.
    pub group: Option<String>,
    /// Whose it is, as a number.
    pub owner: usize,
    /// Whether its user has more jobs waiting than others should wait for.
    pub crowds: bool,
    /// How long it is likely to run, where the order goes by that.
    pub likely: Option<Span>,
    /// Whether it has waited for longer than the policy's `overdue_after`.
    pub overdue: bool,
}

/// A job of the batch.
#[derive(Clone, Debug)]
pub struct PlanningJob {
    /// Its number.
    pub number: JobNumber,
    /// What it needs; its name is unique in the batch, and its budget is what it can pay now.
    pub request: Request,
    /// What is left of its workflow.
    pub workflow: Option<Remaining>,
    /// How it judges alternatives.
    pub preference: Preference,
    /// What history says of its run time.
    pub spread: Option<Spread>,
    /// The search that it asks for itself.
    pub search: Option<SearchConfig>,
    /// The place of its user.
    pub user: usize,
    /// Whether it has waited so long that serving it comes before everything else.
    pub overdue: bool,
}

impl PlanningJob {
    /// A job of parallel tasks, by what it asks for alone.
    pub(crate) fn plain(number: JobNumber, request: Request) -> PlanningJob {
        PlanningJob {
            number,
            request,
            workflow: None,
            preference: Preference::plain(),
            spread: None,
            search: None,
            user: 0,
            overdue: false,
        }
    }
}

/// The tasks of a workflow that have not been done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// The tasks, with the edges among them.
    pub workflow: Workflow,
    /// For each, which task of the whole it is.
    pub tasks: Vec<TaskId>,
    /// How they are placed.
    pub strategy: Strategy,
    /// How many nodes they may have at the most, where the VO says so.
    pub nodes_max: Option<u32>,
    /// When other workflows of its user take nodes, where it is to be done by then: so its request says.
    pub next: Option<OwnNext>,
}

/// The plan for a problem.
pub fn plan(problem: &PlanningProblem) -> Decision {
    let mut decision = match &problem.capacity {
        Some(round) => assigned::plan(problem, round),
        None => by_windows(problem),
    };
    own::told(problem, &mut decision);
    decision
}

/// The same without what may take long: workflows are left out, and say so.
pub fn plan_briefly(problem: &PlanningProblem) -> Decision {
    let mut decision = plan(&problem.without_workflows());
    let left = problem.jobs.iter().filter(|job| job.workflow.is_some());
    decision.verdict.unserved.extend(left.map(|job| Unserved { job: job.number, why: Why::NotPlanned }));
    decision
}

/// The plan of who gets a window, or a place in a queue.
fn by_windows(problem: &PlanningProblem) -> Decision {
    match &problem.agenda {
        Some(agenda) => agenda::plan(problem, agenda),
        None => problem.posed(|batch| {
            let plan = plan_batch(batch);
            decision::decision(problem, &plan, problem.cleared(batch, &plan).as_ref())
        }),
    }
}

/// So many places are looked at for a bound, for every search that the policy allows.
const LOOKS_OF_A_SEARCH: u64 = 2_000;

impl PlanningProblem {
    /// The same for everybody but workflows, and without proofs.
    fn without_workflows(&self) -> PlanningProblem {
        let plain = self.jobs.iter().filter(|job| job.workflow.is_none());
        PlanningProblem {
            jobs: plain.cloned().collect(),
            offers: self.offers.clone(),
            open: self.open.clone(),
            queues: self.queues.clone(),
            users: self.users.clone(),
            rules: self.rules.clone(),
            wishes: self.wishes.clone(),
            policy: Policy { bound_searches_max: 0, ..self.policy.clone() },
            agenda: self.agenda.clone(),
            capacity: self.capacity.clone(),
            ..*self
        }
    }

    /// The problem as the core's planner takes it. Jobs are in order of rank: who comes first has the higher priority.
    fn posed<T>(&self, answer: impl FnOnce(&BatchProblem<'_>) -> T) -> T {
        let count = i64::try_from(self.jobs.len()).unwrap_or(i64::MAX);
        let requests = self.jobs.iter().zip(0_i64..).map(|(job, rank)| {
            let mut request = job.request.clone();
            request.priority = count - rank;
            request
        });
        let batch = Batch::new(requests.collect());
        let job = |job: &PlanningJob| BatchJob { overdue: job.overdue, ..BatchJob::default() };
        let mut jobs: Vec<BatchJob<'_>> = self.jobs.iter().map(job).collect();
        for (job, known) in jobs.iter_mut().zip(&self.jobs) {
            job.search = known.search.as_ref();
            job.nodes_max = known.workflow.as_ref().and_then(|remaining| remaining.nodes_max);
            job.workflow = known.workflow.as_ref().map(|remaining| (&remaining.workflow, remaining.strategy));
        }
        let stakeholders = self.stakeholders();
        answer(&BatchProblem {
            now: self.now,
            offers: &self.offers,
            open: self.open.as_ref(),
            batch: &batch,
            jobs: &jobs,
            stakeholders: Some(&stakeholders),
            unstated: match self.policy.predictions {
                Some(_) => Unstated::LeaveOut,
                None => Unstated::JudgePlainly,
            },
            search: &self.policy.search,
            network: self.policy.network,
            policy: &self.policy.choice,
            choose: true,
            listing: Listing::All,
            queues: QueueUse::Always,
            scheme: self.policy.plan,
            limits: PlanLimits {
                choice: ChoiceLimits { labels_max: self.policy.labels_max },
                refine_units_max: self.policy.refine_units_max,
                workflow_units_max: self.policy.sharing.map_or(u64::MAX, |rules| rules.workflow_units),
                spares_max: self.policy.spares_max as usize,
                supports: true,
                late_tasks_max: self.policy.late_tasks_max as usize,
                ..PlanLimits::default()
            },
            threads: 1,
        })
    }

    /// What prices prove of what a plan costs, whatever it was chosen by, as far as the policy lets anybody look.
    fn cleared(&self, batch: &BatchProblem<'_>, plan: &BatchPlan) -> Option<Clearing> {
        let searches_max = self.policy.bound_searches_max;
        // Nobody waits for a proof: a search of a usual batch looks at fewer places than this.
        let looks_max = searches_max.saturating_mul(LOOKS_OF_A_SEARCH);
        let limits =
            ClearingLimits { searches_max, looks_max, moves_max: looks_max, ..ClearingLimits::default() };
        if searches_max > 0 { clear(batch, plan, &limits) } else { None }
    }

    fn stakeholders(&self) -> Stakeholders {
        let wish = |job: &PlanningJob| JobWish {
            user: job.user,
            preference: job.preference.clone(),
            spread: job.spread,
        };
        let mut stakeholders = Stakeholders::plain(&self.offers, &Batch::default());
        stakeholders.users = self.users.clone();
        stakeholders.jobs = self.jobs.iter().map(wish).collect();
        stakeholders.rules = self.rules.clone();
        for (of, wish) in self.wishes.iter() {
            let wish = CollectiveWish { weight: i64::from(wish.weight), preference: wish.preference.clone() };
            match of {
                Wisher::Administrator => stakeholders.administrator = Some(wish),
                Wisher::Owner(site) => {
                    if let Some(owner) = stakeholders.owners.get_mut(site.index()) {
                        *owner = Some(wish);
                    }
                }
            }
        }
        stakeholders.queues = self.queues.clone();
        stakeholders.calendar = self.policy.calendar;
        stakeholders
    }
}
