//! Jobs that are workflows: the job tier sizes their windows, the application tier fills them.

use crate::failure::Failure;
use crate::plan::Example;
use crate::workflow;
use std::path::Path;
use walras_api::{Figures, Plan, PlannedSize, PlannedWorkflow, Scenario};
use walras_core::refine::{RefineEffort, Refined, SizeOption, best_size, refine_window, size_options};
use walras_core::{Alternatives, SearchConfig, Unscheduled};
use walras_model::{Alternative, JobId, Platform, Reason, Workflow};
use walras_model::{Explanation, SmallestChange};
use walras_picture::TaskMark;

/// Units of improvement for the schedule in a chosen window.
const FILL_UNITS: u64 = 2_000_000;

/// By job: its tasks, where it is a workflow.
pub(crate) type Workflows = Vec<Option<Workflow>>;

/// Reads the workflows of a scenario's jobs; their files are relative to the scenario's.
pub(crate) fn read(scenario: &Scenario, beside: Option<&Path>) -> Result<Workflows, Failure> {
    let mut workflows = Vec::with_capacity(scenario.workflows.len());
    for job in &scenario.workflows {
        let workflow = match (job, beside) {
            (None, _) => None,
            (Some(job), Some(directory)) => Some(workflow::read_file(&directory.join(&job.file))?),
            (Some(job), None) => Some(Example::workflow(&job.file)?),
        };
        workflows.push(workflow);
    }
    Ok(workflows)
}

/// By job: the sizes that were looked at. Sets the size of each workflow's request to the best of them.
pub(crate) fn size(
    scenario: &mut Scenario,
    workflows: &Workflows,
    config: &SearchConfig,
) -> Vec<Vec<SizeOption>> {
    let mut all = vec![Vec::new(); workflows.len()];
    for (job, workflow) in workflows.iter().enumerate() {
        let (Some(workflow), Some(of_job)) = (workflow, scenario.workflows[job].clone()) else { continue };
        let request = &scenario.batch.requests()[job];
        let options =
            size_options(workflow, &scenario.offers, scenario.network, request, of_job.strategy, config);
        // Without any that fits, the smallest says why there is no window.
        let best = best_size(&options, of_job.strategy).or(options.first().map(|option| option.size));
        if let Some(best) = best {
            scenario.set_size(job, best);
        }
        all[job] = options;
    }
    all
}

/// Leaves out the windows that do not hold their workflow. Jobs that are left without any are unscheduled.
pub(crate) fn keep_fitting(scenario: &Scenario, workflows: &Workflows, found: &mut Alternatives) {
    if workflows.iter().all(Option::is_none) {
        return;
    }
    let quick = RefineEffort { units_max: 0, ..RefineEffort::default() };
    let mut lost: Vec<JobId> = Vec::new();
    found.found.retain(|alternative| {
        let holds = workflows[alternative.job.index()].is_none()
            || fill(scenario, workflows, alternative, &quick).is_some();
        lost.extend((!holds).then_some(alternative.job));
        holds
    });
    lost.retain(|job| found.found.iter().all(|alternative| alternative.job != *job));
    lost.sort_unstable();
    lost.dedup();
    let why =
        || Explanation { reasons: vec![Reason::TasksDoNotFit], smallest_change: SmallestChange::default() };
    found.unscheduled.extend(lost.into_iter().map(|job| Unscheduled { job, explanation: why() }));
    found.unscheduled.sort_by_key(|unscheduled| unscheduled.job);
}

fn fill(
    scenario: &Scenario,
    workflows: &Workflows,
    found: &Alternative,
    effort: &RefineEffort,
) -> Option<Refined> {
    let job = found.job.index();
    let (workflow, of_job) = (workflows[job].as_ref()?, scenario.workflows[job].as_ref()?);
    let window = &found.window;
    let refined =
        refine_window(workflow, &scenario.offers, scenario.network, window, of_job.strategy, effort)
            .found()?;
    let deadline = scenario.batch.requests()[job].deadline;
    deadline.is_none_or(|deadline| refined.schedule.finish() <= deadline).then_some(refined)
}

/// A workflow in its chosen window.
pub(crate) struct Filled {
    job: usize,
    alternative: usize,
    refined: Refined,
}

/// Places the tasks of every workflow job into the window chosen for it.
pub(crate) fn fill_chosen(
    scenario: &Scenario,
    workflows: &Workflows,
    found: &Alternatives,
    plan: &Plan,
) -> Vec<Filled> {
    let effort = RefineEffort { units_max: FILL_UNITS, ..RefineEffort::default() };
    let jobs = workflows.iter().enumerate().filter(|(_, workflow)| workflow.is_some());
    let filled = jobs.filter_map(|(job, _)| {
        let (alternative, _) = plan.chosen_for(&scenario.batch.requests()[job].name)?;
        let refined = fill(scenario, workflows, &found.found[alternative], &effort)?;
        Some(Filled { job, alternative, refined })
    });
    filled.collect()
}

/// What the plan says of its workflows.
pub(crate) fn planned(
    scenario: &Scenario,
    workflows: &Workflows,
    sizes: &[Vec<SizeOption>],
    filled: &[Filled],
) -> Vec<PlannedWorkflow> {
    let figures = Figures(scenario.unit);
    let platform = Platform::of_offers(&scenario.offers, scenario.network);
    let of_job = |job: usize| {
        let (workflow, entry) = (workflows[job].as_ref()?, scenario.workflows[job].as_ref()?);
        let request = &scenario.batch.requests()[job];
        let filled = filled.iter().find(|filled| filled.job == job);
        let schedule = filled.map(|filled| &filled.refined.schedule);
        Some(PlannedWorkflow {
            job: request.name.clone(),
            strategy: entry.strategy.name().to_owned(),
            nodes: request.tasks,
            work: figures.work(request.work),
            sizes: sizes[job].iter().map(|option| PlannedSize::new(option, scenario.unit)).collect(),
            alternative: filled.map(|filled| filled.alternative),
            cost: figures.money(schedule.map_or(walras_model::Money::ZERO, |schedule| schedule.cost())),
            collisions: filled.map_or_else(Default::default, |filled| filled.refined.collisions).into(),
            tasks: schedule.map_or(Vec::new(), |schedule| figures.tasks(schedule, workflow, &platform)),
        })
    };
    (0..workflows.len()).filter_map(of_job).collect()
}

/// The tasks in chosen windows, for the picture.
pub(crate) fn marks<'a>(workflows: &'a Workflows, filled: &[Filled]) -> Vec<TaskMark<'a>> {
    let of_job = |filled: &Filled| {
        let workflow = workflows[filled.job].as_ref()?;
        Some(crate::picture::marks(workflow, &filled.refined.schedule, |task| filled.job + 1 + task % 2))
    };
    filled.iter().filter_map(of_job).flatten().collect()
}
