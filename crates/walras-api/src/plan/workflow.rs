//! What a plan says of jobs that are workflows.

use crate::error::{Problem, Within};
use crate::number::Num;
use crate::scenario::Scenario;
use crate::task_plan::{CollisionCounts, PlannedTask};
use crate::unit::{MONEY_DECIMALS, Unit};
use serde::{Deserialize, Serialize};
use walras_core::refine::{Size, SizeOption};
use walras_model::{Batch, Money, Request, Time, Work};
use walras_verify::tasks::{ClaimedTask, TaskClaim};

/// A job that is a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedWorkflow {
    /// The job's name.
    pub job: String,
    /// By which rule its tasks are placed.
    pub strategy: String,
    /// How many nodes its windows have.
    pub nodes: u32,
    /// The work that each node of its windows offers.
    pub work: Num,
    /// The sizes that were looked at.
    pub sizes: Vec<PlannedSize>,
    /// Into which of the plan's alternatives the tasks are placed; `null` without a choice.
    pub alternative: Option<usize>,
    /// What the tasks' own time costs; the rest of the window is paid for and idle.
    pub cost: Num,
    /// Collisions that were met and resolved.
    pub collisions: CollisionCounts,
    /// What was wrong with the schedule that was planned, where another stands in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Where every task is.
    pub tasks: Vec<PlannedTask>,
}

/// A size of window that was looked at; the last four are there when a window of that size holds the workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedSize {
    /// How many nodes.
    pub nodes: u32,
    /// The work that each of them offers.
    pub work: Num,
    /// When the first such window starts.
    pub start: Option<Num>,
    /// When its last node is given back.
    pub end: Option<Num>,
    /// When the last task ends in it.
    pub finish: Option<Num>,
    /// What the window costs.
    pub cost: Option<Num>,
}

impl PlannedSize {
    /// What came of a size.
    pub fn new(option: &SizeOption, unit: Unit) -> PlannedSize {
        let time = |time: Time| Num::from_units(time.as_millis().into(), unit.time_decimals());
        PlannedSize {
            nodes: option.size.nodes,
            work: Num::from_units(option.size.work.as_millis().into(), unit.time_decimals()),
            start: option.fit.map(|fit| time(fit.start)),
            end: option.fit.map(|fit| time(fit.end)),
            finish: option.fit.map(|fit| time(fit.finish)),
            cost: option.fit.map(|fit| Num::from_units(fit.cost.as_micros().into(), MONEY_DECIMALS)),
        }
    }
}

impl PlannedWorkflow {
    /// The size that it claims for its windows.
    pub fn size(&self, unit: Unit) -> Option<Size> {
        let work = self.work.units(unit.time_decimals()).and_then(Work::from_millis)?;
        Some(Size { nodes: self.nodes, work })
    }

    /// Its tasks as the verifier takes them; what is no time or money is an error with its field.
    pub(crate) fn claim(&self, unit: Unit) -> Result<TaskClaim, Problem> {
        let mut tasks = Vec::with_capacity(self.tasks.len());
        for (index, task) in self.tasks.iter().enumerate() {
            tasks.push(claimed(task, unit).in_item(index).in_field("tasks")?);
        }
        Ok(TaskClaim { tasks, cost: money(&self.cost).in_field("cost")? })
    }
}

fn claimed(task: &PlannedTask, unit: Unit) -> Result<ClaimedTask, Problem> {
    Ok(ClaimedTask {
        task: task.id.clone(),
        site: task.site.clone(),
        node: task.node.clone(),
        part: task.part,
        others: task.others.clone(),
        start: time(&task.start, unit).in_field("start")?,
        end: time(&task.end, unit).in_field("end")?,
        cost: money(&task.cost).in_field("cost")?,
    })
}

fn time(number: &Num, unit: Unit) -> Result<Time, Problem> {
    let millis = number.units(unit.time_decimals()).and_then(Time::from_millis);
    millis.ok_or_else(|| {
        Problem::new(number.as_str(), "is not a time: it must be a whole number of milliseconds")
    })
}

fn money(number: &Num) -> Result<Money, Problem> {
    let micros = number.units(MONEY_DECIMALS).map(Money::from_micros);
    micros.ok_or_else(|| Problem::new(number.as_str(), "is not an amount: it must be whole micro-credits"))
}

impl Scenario {
    /// Gives the windows of a workflow job a size.
    pub fn set_size(&mut self, job: usize, size: Size) {
        let mut requests: Vec<Request> = self.batch.requests().to_vec();
        if let Some(request) = requests.get_mut(job) {
            request.tasks = size.nodes;
            request.work = size.work;
        }
        self.batch = Batch::new(requests);
    }
}
