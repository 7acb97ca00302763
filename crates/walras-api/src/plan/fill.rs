//! Task schedules inside a plan's windows, held against scenario and workflows by the verifier.

use super::violation::{PlanViolation, WorkflowAt, WorkflowViolation};
use super::{Plan, PlannedAlternative, PlannedWorkflow};
use crate::error::{ErrorKind, ReadError, Within, path_text};
use crate::scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::division::price_of_units;
use walras_model::workflow::{Terms, next_part};
use walras_model::{Batch, Interval, Lane, Platform, Workflow};
use walras_verify::tasks::verify_tasks;
use walras_verify::{Claim, ClaimedSlot, verify_plan};

impl Plan {
    /// What is wrong with the plan; `workflows` are those of the scenario's jobs, by job.
    pub fn violations(
        &self,
        claim: &Claim,
        scenario: &Scenario,
        workflows: &[Option<Workflow>],
        source: &str,
    ) -> Result<Vec<PlanViolation>, ReadError> {
        let batch = with_asks(&scenario.batch, workflows);
        let windows = verify_plan(claim, &scenario.offers, &batch, self.rules());
        let tasks = self.workflow_violations(claim, scenario, workflows, source)?;
        let windows = windows.into_iter().map(PlanViolation::Windows);
        Ok(windows.chain(tasks.into_iter().map(PlanViolation::Workflow)).collect())
    }

    /// What is wrong with the tasks of workflows.
    fn workflow_violations(
        &self,
        claim: &Claim,
        scenario: &Scenario,
        workflows: &[Option<Workflow>],
        source: &str,
    ) -> Result<Vec<WorkflowViolation>, ReadError> {
        let mut violations = Vec::new();
        for (index, planned) in self.workflows.iter().enumerate() {
            let wrong = self.violations_of(index, planned, claim, scenario, workflows);
            violations.extend(wrong.map_err(|problem| ReadError {
                kind: ErrorKind::Value,
                source: source.to_owned(),
                position: None,
                path: path_text(&problem.path()),
                problem: format!("{} {}", problem.value, problem.what),
                value: Some(problem.value),
            })?);
        }
        let told: BTreeSet<&str> = self.workflows.iter().map(|planned| planned.job.as_str()).collect();
        let chosen = self.choice.iter().flat_map(|choice| &choice.chosen);
        for chosen in chosen.filter_map(|chosen| self.alternatives.get(chosen.alternative)) {
            let known = scenario.batch.requests().iter().position(|request| request.name == chosen.job);
            let is_workflow = known.is_some_and(|job| workflows.get(job).is_some_and(Option::is_some));
            if is_workflow && !told.contains(chosen.job.as_str()) {
                violations.push(WorkflowViolation::NotPlaced { job: chosen.job.clone() });
            }
        }
        Ok(violations)
    }

    fn violations_of(
        &self,
        index: usize,
        planned: &PlannedWorkflow,
        claim: &Claim,
        scenario: &Scenario,
        workflows: &[Option<Workflow>],
    ) -> Result<Vec<WorkflowViolation>, crate::error::Problem> {
        let at = WorkflowAt { index, job: planned.job.clone() };
        let job = scenario.batch.requests().iter().position(|request| request.name == planned.job);
        let Some((job, Some(workflow))) = job.and_then(|job| Some((job, workflows.get(job)?.as_ref())))
        else {
            return Ok(vec![WorkflowViolation::NotAWorkflow { at }]);
        };
        let Some(position) = planned.alternative else { return Ok(Vec::new()) };
        let chosen = self.choice.iter().flat_map(|choice| &choice.chosen);
        let is_chosen = chosen.into_iter().any(|chosen| chosen.alternative == position);
        let window = claim.alternatives.get(position).filter(|window| window.job == planned.job && is_chosen);
        let Some(window) = window else {
            return Ok(vec![WorkflowViolation::NotChosen { at, alternative: position }]);
        };
        let tasks = planned.claim(self.unit).in_item(index).in_field("workflows")?;
        let request = &scenario.batch.requests()[job];
        let terms = Terms { earliest: request.earliest, deadline: request.deadline, budget: None };
        let mut parts = BTreeMap::new();
        let lanes = window.slots.iter().filter_map(|slot| {
            let lane = lane_of(scenario, slot)?;
            Some(Lane { part: next_part(&mut parts, lane.node), ..lane })
        });
        let platform = Platform { lanes: lanes.collect(), network: scenario.network };
        let wrong = verify_tasks(&tasks, workflow, &platform, &terms);
        let found = |violation| WorkflowViolation::Tasks { at: at.clone(), violation };
        Ok(wrong.into_iter().map(found).collect())
    }

    /// The alternative that was chosen for a job, and its position.
    pub fn chosen_for(&self, job: &str) -> Option<(usize, &PlannedAlternative)> {
        let chosen = self.choice.as_ref()?.chosen.iter().map(|chosen| chosen.alternative);
        chosen
            .filter_map(|index| Some((index, self.alternatives.get(index)?)))
            .find(|(_, found)| found.job == job)
    }
}

/// The batch where workflows ask for what their tasks do: the verifier of windows knows requests only.
fn with_asks(batch: &Batch, workflows: &[Option<Workflow>]) -> Batch {
    let mut requests = batch.requests().to_vec();
    for (request, workflow) in requests.iter_mut().zip(workflows) {
        let Some(workflow) = workflow else { continue };
        workflow.ask_in(&mut request.scope);
    }
    Batch::new(requests)
}

/// The part of a node's time that a slot of a window claims; `None` when it is not for sale. That it is free in so many units all the time
/// is for the verifier of windows to see.
fn lane_of(scenario: &Scenario, slot: &ClaimedSlot) -> Option<Lane> {
    let claimed = Interval::new(slot.start, slot.end)?;
    let all = Platform::of_offers(&scenario.offers, scenario.network);
    let is_named = |lane: &&Lane| lane.site_name == slot.site && lane.name == slot.node;
    let of = |lane: &Lane| scenario.offers.node(lane.node).division.units();
    let holds = |lane: &&Lane| {
        let begins = |free: &Interval| free.start() <= claimed.start() && claimed.start() < free.end();
        lane.free.iter().any(|free| if of(lane) == 1 { free.contains(claimed) } else { begins(free) })
    };
    let lane = all.lanes.iter().filter(is_named).find(holds)?;
    let rate = price_of_units(lane.rate, slot.units, of(lane));
    Some(Lane { free: vec![claimed], rate, ..lane.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::workflow::Task;
    use walras_model::{Request, Work};

    /// A parallel job asks for what its file says, and a workflow for what its tasks need, too.
    #[test]
    fn workflows_ask_for_what_their_tasks_need() {
        let work = Work::from_millis(1_000).unwrap();
        let batch = Batch::new(vec![Request::new("parallel", 1, work), Request::new("workflow", 1, work)]);
        let workflow =
            Workflow::new("w", vec![Task { cores: 3, ..Task::new("a", Some(work)) }], Vec::new()).unwrap();
        let batch = with_asks(&batch, &[None, Some(workflow)]);
        let needs = |request: &Request| request.scope.needs.iter().map(|need| need.cores).collect();
        assert_eq!(batch.requests().iter().map(needs).collect::<Vec<Vec<u32>>>(), [vec![], vec![3]]);
    }
}
