//! Jobs that are workflows: their files, and what the plan says of them.

use crate::examples::Example;
use crate::failure::Failure;
use crate::picture::{TaskPicture, drawn};
use crate::workflow;
use std::path::Path;
use walras_api::{Figures, PlannedSize, PlannedWorkflow, Scenario};
use walras_core::plan::{BatchJob, BatchPlan};
use walras_core::prefer::Source;
use walras_core::refine::{Refined, Size};
use walras_model::{JobId, Money, Platform, Workflow};
use walras_picture::TaskColour;

/// By job: its tasks, where it is a workflow.
pub(crate) type Workflows = Vec<Option<Workflow>>;

/// Reads the workflows of a scenario's jobs; their files are relative to the scenario's.
///
/// What had to be assumed of them comes second.
pub(crate) fn read(scenario: &Scenario, beside: Option<&Path>) -> Result<(Workflows, Vec<String>), Failure> {
    let mut workflows = Vec::with_capacity(scenario.workflows.len());
    let mut warnings = Vec::new();
    for job in &scenario.workflows {
        let workflow = match (job, beside) {
            (None, _) => None,
            (Some(job), Some(directory)) => {
                let (workflow, assumed) = workflow::read_file(&directory.join(&job.file))?;
                warnings.extend(assumed);
                Some(workflow)
            }
            (Some(job), None) => Some(Example::workflow(&job.file)?),
        };
        workflows.push(workflow);
    }
    Ok((workflows, warnings))
}

/// By job: what the planner is told beside its request.
pub(crate) fn jobs<'a>(scenario: &Scenario, workflows: &'a Workflows) -> Vec<BatchJob<'a>> {
    let job = |(workflow, entry): (&'a Option<Workflow>, &Option<walras_api::WorkflowJob>)| BatchJob {
        workflow: workflow.as_ref().zip(entry.as_ref().map(|entry| entry.strategy)),
        nodes_max: None,
        overdue: false,
        search: None,
    };
    workflows.iter().zip(&scenario.workflows).map(job).collect()
}

/// Gives the workflows of a scenario the sizes that were planned with.
pub(crate) fn set_sizes(scenario: &mut Scenario, workflows: &Workflows, plan: &BatchPlan) {
    let jobs = workflows.iter().enumerate().filter(|(_, workflow)| workflow.is_some());
    for (job, _) in jobs {
        let planned = &plan.batch.requests()[job];
        scenario.set_size(job, Size { nodes: planned.tasks, work: planned.work });
    }
}

/// A workflow in its chosen window: which job, which alternative, where its tasks are.
fn placed(plan: &BatchPlan) -> impl Iterator<Item = (JobId, usize, &Refined)> {
    plan.served.iter().filter_map(|served| match (served.run.source, &served.run.tasks) {
        (Source::Window(place), Some(tasks)) => Some((served.job, place, &tasks.refined)),
        _ => None,
    })
}

/// What the plan says of its workflows.
pub(crate) fn planned(scenario: &Scenario, workflows: &Workflows, plan: &BatchPlan) -> Vec<PlannedWorkflow> {
    let figures = Figures(scenario.unit);
    let platform = Platform::of_offers(&scenario.offers, scenario.network);
    let of_job = |job: usize| {
        let (workflow, entry) = (workflows[job].as_ref()?, scenario.workflows[job].as_ref()?);
        let request = &scenario.batch.requests()[job];
        let placed = placed(plan).find(|(id, ..)| id.index() == job);
        let schedule = placed.map(|(_, _, refined)| &refined.schedule);
        Some(PlannedWorkflow {
            job: request.name.clone(),
            strategy: entry.strategy.name().to_owned(),
            nodes: request.tasks,
            work: figures.work(request.work),
            sizes: plan.sizes[job].iter().map(|option| PlannedSize::new(option, scenario.unit)).collect(),
            alternative: placed.map(|(_, place, _)| place),
            cost: figures.money(schedule.map_or(Money::ZERO, |schedule| schedule.cost())),
            collisions: placed.map_or_else(Default::default, |(.., refined)| refined.collisions).into(),
            fault: placed.and_then(|(.., refined)| refined.fault.as_ref()).map(walras_api::fault_text),
            tasks: schedule.map_or(Vec::new(), |schedule| figures.tasks(schedule, workflow, &platform)),
        })
    };
    (0..workflows.len()).filter_map(of_job).collect()
}

/// The tasks in chosen windows of the jobs that are shown, for the picture.
pub(crate) fn pictured<'a>(
    scenario: &Scenario,
    workflows: &'a Workflows,
    plan: &BatchPlan,
    shown: impl Fn(usize) -> bool,
) -> TaskPicture<'a> {
    let mut all = TaskPicture::default();
    for (job, place, refined) in placed(plan) {
        let job = job.index();
        let Some(workflow) = workflows[job].as_ref().filter(|_| shown(place)) else { continue };
        let colour = |place| TaskColour::OfJob { job, place };
        let own = drawn(workflow, &scenario.offers, scenario.network, &refined.schedule, colour);
        all.marks.extend(own.marks);
        all.arrows.extend(own.arrows);
    }
    // Each workflow has an end of its own, so that what is critical comes first over all of them.
    all.arrows.sort_by_key(|arrow| !arrow.critical);
    all
}
