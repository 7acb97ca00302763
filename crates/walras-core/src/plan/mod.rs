//! Planning a batch: from what is for sale and who wants it to a combination, and a place for every task.
//!
//! **Problem.** Given offers, a batch, what everybody wants and the VO's policy, find every job's alternatives, choose
//! the best combination, place the tasks of workflows, keep other windows ready for when something fails, and say who is
//! left out and why.
//!
//! **Method.** One pipeline for the command line and the broker:
//!
//! 1. Every job is kept to the sites whose owners may let its user in.
//! 2. Workflows are sized: the window that holds their tasks best by their strategy.
//! 3. Windows are searched for the whole batch, in order of priority; all, or until more cannot change the choice ([`Listing`]).
//! 4. Windows that do not hold their workflow are dropped; a workflow that is left without any and could have one of another size takes
//!    that, and all are searched again.
//! 5. Owners' rules, queues and everybody's preferences make a [`Negotiation`].
//! 6. The policy's objective decides; by [`Objective::Satisfaction`] the stakeholders do.
//! 7. Quotas and the units of queues are no part of a sum: picks that break them are dropped, lowest priority first.
//! 8. What was chosen is improved by search, with windows that nobody listed, unless the scheme is the papers' (`improve`).
//! 9. While an overdue job finds nothing that it would find if nothing were held, only overdue jobs are served.
//! 10. Tasks are placed in the windows that were picked; other windows of a served job become its spares. Alternatives
//!     never overlap, so spares stay free until others take them.
//!
//! Whoever shows the plan may have the changes tried that it names to who has no window ([`confirm_changes`]).
//!
//! The plan is a pure function of the [`BatchProblem`], which borrows all that is large: it may be computed anywhere, and
//! again later, to the same bytes.
//!
//! **Complexity.** That of the search, the choice and the placing; what is done here is linear in the alternatives.
//!
//! ```
//! use walras_core::SearchConfig;
//! use walras_core::choose::VoPolicy;
//! use walras_core::plan::{BatchChoice, BatchProblem, plan_batch};
//! use walras_model::offer::{Node, Site, slots_of_node};
//! use walras_model::{Attributes, Batch, Interval, NodeId, Offers, Performance, Rate, Request, SiteId, Time, Work};
//!
//! let hour = Interval::new(Time::from_millis(0).unwrap(), Time::from_millis(3_600_000).unwrap()).unwrap();
//! let node = Node {
//!     division: Default::default(),
//!     name: "n1".into(),
//!     site: SiteId::new(0),
//!     performance: Performance::ONE,
//!     watts: None,
//!     attributes: Attributes::new(),
//! };
//! let slots = slots_of_node(NodeId::new(0), Rate::from_micros_per_second(1_000).unwrap(), &[hour]).unwrap();
//! let offers = Offers::new(hour, vec![Site { name: "campus".into() }], vec![node], slots).unwrap();
//! let batch = Batch::new(vec![Request::new("job", 1, Work::from_millis(60_000).unwrap())]);
//! let (search, policy) = (SearchConfig::default(), VoPolicy::default());
//! let plan = plan_batch(&BatchProblem::new(&offers, &batch, &search, &policy));
//! let BatchChoice::Made(choice) = &plan.choice else { panic!("the node is free") };
//! assert_eq!((choice.totals.served, plan.served.len(), plan.left_out.len()), (1, 1, 0));
//! ```

mod admission;
mod bound;
mod choice;
mod confirm;
mod enough;
mod explained;
mod front;
mod improve;
mod negotiation;
mod options;
mod queue;
mod served;
mod workflow;

pub use bound::above_any_plan;
pub use choice::{BatchChoice, MadeChoice, NoChoice, Proven};
pub use confirm::{Unconfirmed, confirm_changes};
pub use enough::Listing;
pub use front::trade_off;
pub use improve::{ImproveLimits, Improvement, PlanScheme, Standing, Unimproved};
pub use options::{JobOptions, job_options};
pub use served::{LeftOut, PlacedTasks, Run, Served};

use crate::choose::{ChoiceLimits, Objective, VoPolicy};
use crate::prefer::{Negotiation, Stakeholders, WishError};
use crate::refine::{SizeOption, Strategy};
use crate::search::{Alternatives, Own, SearchConfig, find_alternatives_each};
use walras_model::id::JobId;
use walras_model::offer::Offers;
use walras_model::quantity::Time;
use walras_model::request::Batch;
use walras_model::workflow::{Network, Workflow};

/// All that planning needs to know.
#[derive(Clone, Copy, Debug)]
pub struct BatchProblem<'a> {
    /// When it is planned: those who go to a queue begin to wait then.
    pub now: Time,
    /// What is for sale.
    pub offers: &'a Offers,
    /// What would be for sale if nothing were held; overdue jobs are made room for only where it is known.
    pub open: Option<&'a Offers>,
    /// Who wants it.
    pub batch: &'a Batch,
    /// What there is to know of a job beside its request; jobs beyond its end are neither workflows nor overdue.
    pub jobs: &'a [BatchJob<'a>],
    /// What everybody wants, where anybody says so.
    pub stakeholders: Option<&'a Stakeholders>,
    /// What to do about a job that weighs what no alternative of it says anything of.
    pub unstated: Unstated,
    /// How windows are searched.
    pub search: &'a SearchConfig,
    /// What joins nodes and sites.
    pub network: Network,
    /// What the VO wants of the combination.
    pub policy: &'a VoPolicy,
    /// Whether anything is chosen, or only looked for.
    pub choose: bool,
    /// Which alternatives are looked for; what is chosen does not depend on it.
    pub listing: Listing,
    /// Which objectives may send jobs to queues.
    pub queues: QueueUse,
    /// Which plan is made of what is chosen.
    pub scheme: PlanScheme,
    /// How hard it is tried.
    pub limits: PlanLimits,
    /// On how many threads windows are searched; what is found does not depend on it.
    pub threads: usize,
}

/// What there is to know of a job beside its request.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchJob<'a> {
    /// Its tasks, where it is a workflow, and the rule by which they are placed.
    pub workflow: Option<(&'a Workflow, Strategy)>,
    /// How many nodes its workflow may have at the most, where somebody says so.
    pub nodes_max: Option<u32>,
    /// Whether it has waited so long that serving it comes before everything else.
    pub overdue: bool,
    /// The search that it asks for itself; its window is one of those that this one finds.
    pub search: Option<&'a SearchConfig>,
}

/// What to do about a job that weighs a criterion of which none of its alternatives says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstated {
    /// Nothing is chosen: whoever wrote it should know.
    Refuse,
    /// The job is judged by cost and finish: the others should not wait for it.
    JudgePlainly,
    /// It makes no difference to the job: by it all of them are alike. A job that weighs nothing else is judged by cost and finish.
    LeaveOut,
}

/// Which objectives may send jobs to queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueUse {
    /// Satisfaction alone: totals are those of guaranteed windows.
    BySatisfaction,
    /// All: what a queue is expected to cost and take counts like a window.
    Always,
}

/// Bounds of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanLimits {
    /// How many partial combinations are looked at.
    pub choice: ChoiceLimits,
    /// Units of improvement for the tasks in a chosen window.
    pub refine_units_max: u64,
    /// Units for sizing and placing all workflows of a batch; each has the same part of them.
    pub workflow_units_max: u64,
    /// At most so many other windows are kept ready for a job.
    pub spares_max: usize,
    /// Whether schedules for lost nodes are made.
    pub supports: bool,
    /// For so many tasks of a workflow, schedules are made for the case that they are late.
    pub late_tasks_max: usize,
    /// How much work may go into improving what was chosen.
    pub improve: ImproveLimits,
}

impl Default for PlanLimits {
    fn default() -> Self {
        PlanLimits {
            choice: ChoiceLimits::default(),
            refine_units_max: 2_000_000,
            workflow_units_max: u64::MAX,
            spares_max: 0,
            supports: false,
            late_tasks_max: 0,
            improve: ImproveLimits::default(),
        }
    }
}

impl<'a> BatchProblem<'a> {
    /// A problem without workflows, wishes and spares, at the start of the horizon.
    pub fn new(
        offers: &'a Offers,
        batch: &'a Batch,
        search: &'a SearchConfig,
        policy: &'a VoPolicy,
    ) -> BatchProblem<'a> {
        BatchProblem {
            now: offers.horizon().start(),
            offers,
            open: None,
            batch,
            jobs: &[],
            stakeholders: None,
            unstated: Unstated::Refuse,
            search,
            network: Network::INSTANT,
            policy,
            choose: true,
            listing: Listing::All,
            queues: QueueUse::BySatisfaction,
            scheme: PlanScheme::default(),
            limits: PlanLimits::default(),
            threads: 1,
        }
    }

    fn job(&self, job: usize) -> BatchJob<'a> {
        self.jobs.get(job).copied().unwrap_or_default()
    }

    /// How a job is searched.
    pub(crate) fn search_of(&self, job: usize) -> &'a SearchConfig {
        self.job(job).search.unwrap_or(self.search)
    }

    fn by_satisfaction(&self) -> bool {
        self.policy.objective == Objective::Satisfaction
    }
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchPlan {
    /// The batch as it was planned: each job only on the sites that may let it in, workflows with their size.
    pub batch: Batch,
    /// By job: the sizes of window that were looked at, where it is a workflow.
    pub sizes: Vec<Vec<SizeOption>>,
    /// All alternatives, and why some jobs have none.
    pub found: Alternatives,
    /// What everybody makes of the alternatives, where anybody was asked, or why their wishes cannot be weighed.
    pub negotiation: Option<Result<Negotiation, WishError>>,
    /// What was chosen.
    pub choice: BatchChoice,
    /// How every job runs that is served, in the order of the batch.
    pub served: Vec<Served>,
    /// Every other job with its reason, in the order of the batch; nobody when nothing was to be chosen.
    pub left_out: Vec<(JobId, LeftOut)>,
    /// Workflows that were too large to be looked at closely: not every size and window, and list schedules alone.
    pub plainly: Vec<JobId>,
}

/// The plan for a problem.
///
/// Of nodes that are sold in units, parallel jobs take what they need, and workflows places that have what the dearest of their tasks needs.
pub fn plan_batch(problem: &BatchProblem<'_>) -> BatchPlan {
    let divided = problem.offers.is_divided();
    let own: Vec<Option<&SearchConfig>> = problem.jobs.iter().map(|job| job.search).collect();
    let own = Own { searches: &own };
    let search = |batch: &Batch| {
        let mut enough = enough::Enough::new(problem, batch).filter(|_| !divided);
        let is_enough = |found: &[walras_model::window::Alternative], active: &[JobId]| {
            enough.as_mut().is_some_and(|enough| enough.is_reached(found, active))
        };
        find_alternatives_each(problem.offers, batch, problem.search, own, problem.threads, is_enough)
    };
    let workflow::Searched { batch, sizes, mut found } =
        workflow::searched(problem, admission::admitted(problem), search);
    let mut negotiation = negotiation::negotiate(problem, &batch, &found);
    let options = negotiation::options(&batch, &found, negotiation.as_ref());
    let mut choice = choice::choose(problem, &batch, &found, negotiation.as_ref(), &options);
    if let (PlanScheme::Improved, BatchChoice::Made(made)) = (problem.scheme, &mut choice) {
        let agreed = negotiation.as_ref().and_then(|negotiation| negotiation.as_ref().ok());
        let sold = improve::Sold::new(problem.offers, &batch);
        made.unimproved = improve::unimproved(&sold, &batch);
        let better = match made.unimproved {
            Some(_) => None,
            None => improve::improve((problem, &sold), &batch, &found, agreed, &options, made),
        };
        if let Some(better) = better {
            drop(options);
            (found, negotiation, **made) = (better.found, better.negotiation, better.made);
        }
    }
    let options = negotiation::options(&batch, &found, negotiation.as_ref());
    let choice = choice::of_all(problem.policy, &options, choice);
    let (served, left_out) = match &choice {
        BatchChoice::Unwanted => (Vec::new(), Vec::new()),
        BatchChoice::Made(made) => {
            served::serve(problem, &batch, &found, &options, &made.picks, &made.over_quota)
        }
        BatchChoice::None(_) => {
            let nothing = vec![None; batch.requests().len()];
            served::serve(problem, &batch, &found, &options, &nothing, &[])
        }
    };
    let jobs = (0..batch.requests().len()).filter_map(JobId::from_index);
    let plainly = jobs.filter(|job| problem.is_plain(*job)).collect();
    BatchPlan { batch, sizes, found, negotiation, choice, served, left_out, plainly }
}
