//! Task schedules as JSON: what `walras workflow --json` prints, and what a plan says of a job's tasks.

use crate::number::Num;
use crate::unit::{MONEY_DECIMALS, Unit};
use serde::{Deserialize, Serialize};
use walras_core::refine::{
    Collisions, Disturbance, Fault, NoSchedule, Refined, Strategy, Support, TaskSchedule,
};
use walras_model::{Lane, Money, Outcome, Platform, Span, Time, Work, Workflow};

/// What a workflow plan calls itself: the value of its key `schema`.
pub const TASK_PLAN_TAG: &str = "walras.tasks/1";

/// A task's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTask {
    /// The task's name.
    pub id: String,
    /// The site's name.
    pub site: String,
    /// The node's name within the site.
    pub node: String,
    /// Which of the parts of the node that are held side by side.
    #[serde(default, skip_serializing_if = "is_first")]
    pub part: u32,
    /// The names of its other nodes, where it takes several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// When it starts.
    pub start: Num,
    /// When it ends.
    pub end: Num,
    /// What it costs, in credits.
    pub cost: Num,
    /// The longest time that data for it is on its way.
    pub transfer: Num,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_first(part: &u32) -> bool {
    *part == 0
}

/// How often the critical jobs method met what was there already, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollisionCounts {
    /// With owners' tasks.
    pub owners: u32,
    /// Between chains, on a node.
    pub chains: u32,
    /// Between chains, in the order of tasks.
    pub order: u32,
    /// Tasks that went to a dearer node.
    pub dearer: u32,
}

/// How a schedule is known to be good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskPlanStatus {
    /// Nothing can be better by the strategy's goal.
    Optimal,
    /// It keeps all terms.
    Feasible,
    /// There is no schedule.
    Infeasible,
    /// None was found; there may be one.
    Unknown,
}

/// One workflow, scheduled or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskPlan {
    /// `walras.tasks/1`
    pub schema: &'static str,
    /// The workflow's name.
    pub workflow: String,
    /// By which rule.
    pub strategy: &'static str,
    /// How good it is.
    pub status: TaskPlanStatus,
    /// The unit of all times.
    pub unit: Unit,
    /// From when the first task might have started to the end of the last.
    pub makespan: Option<Num>,
    /// What all tasks cost.
    pub cost: Option<Num>,
    /// No schedule has a shorter makespan.
    pub lower_bound: Option<Num>,
    /// Values of the workflow's file that cannot be, and what was assumed in their place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// All collisions that were met and resolved.
    pub collisions: Option<u32>,
    /// The same by kind.
    pub collision_kinds: Option<CollisionCounts>,
    /// Why there is no schedule, where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was wrong with the schedule that was planned, where another stands in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// In the order of the workflow.
    pub tasks: Vec<PlannedTask>,
    /// Makespans of published heuristics on the same input, where asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<BaselineResult>,
    /// Prepared schedules, where asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<PlannedSupport>,
}

/// What a published heuristic gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BaselineResult {
    /// `heft`, `cpop`, `peft` or `dbcs`
    pub name: &'static str,
    /// `null` where it finds no schedule within the terms.
    pub makespan: Option<Num>,
    /// What its schedule costs.
    pub cost: Option<Num>,
}

/// A schedule that is ready for an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedSupport {
    /// What it is prepared for.
    pub event: SupportEvent,
    /// Which node or task.
    pub what: String,
    /// When the node is lost, or by how much the task is late.
    pub when: Num,
    /// From when the first task might have started to the end of the last; `null` when there is no way.
    pub makespan: Option<Num>,
    /// What all tasks cost.
    pub cost: Option<Num>,
    /// Where every task then is.
    pub tasks: Vec<PlannedTask>,
}

/// What a schedule is prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SupportEvent {
    /// A node is lost.
    NodeLost,
    /// A task takes longer.
    TaskLate,
}

/// Writes the core's quantities in a unit.
#[derive(Clone, Copy, Debug)]
pub struct Figures(pub Unit);

impl Figures {
    /// A point in time.
    pub fn time(self, time: Time) -> Num {
        Num::from_units(time.as_millis().into(), self.0.time_decimals())
    }

    /// A length of time.
    pub fn span(self, span: Span) -> Num {
        Num::from_units(span.as_millis().into(), self.0.time_decimals())
    }

    /// An amount of work.
    pub fn work(self, work: Work) -> Num {
        Num::from_units(work.as_millis().into(), self.0.time_decimals())
    }

    /// An amount of money.
    pub fn money(self, money: Money) -> Num {
        Num::from_units(money.as_micros().into(), MONEY_DECIMALS)
    }

    /// The tasks of a schedule.
    pub fn tasks(
        self,
        schedule: &TaskSchedule,
        workflow: &Workflow,
        platform: &Platform,
    ) -> Vec<PlannedTask> {
        let task = |placement: &walras_core::refine::TaskPlacement| {
            let lane = lane_of(platform, placement.node);
            let name = |node: &walras_model::NodeId| {
                lane_of(platform, *node).map_or(String::new(), |lane| lane.name.clone())
            };
            PlannedTask {
                id: workflow.task(placement.task).name.clone(),
                site: lane.map_or(String::new(), |lane| lane.site_name.clone()),
                node: lane.map_or(String::new(), |lane| lane.name.clone()),
                part: placement.part,
                others: schedule.others(placement.task).iter().map(name).collect(),
                start: self.time(placement.start),
                end: self.time(placement.end),
                cost: self.money(placement.cost),
                transfer: self.span(placement.transfer),
            }
        };
        schedule.placements().iter().map(task).collect()
    }
}

fn lane_of(platform: &Platform, node: walras_model::NodeId) -> Option<&Lane> {
    platform.lanes.iter().find(|lane| lane.node == node)
}

impl PlannedTask {
    /// Where it is, for people: its node, or the first of its nodes.
    pub fn place(&self) -> String {
        const SHOWN: usize = 3;
        let shown = self.others.iter().take(SHOWN).map(|node| format!(",{node}"));
        let shown: String = shown.collect();
        let more = self.others.len().saturating_sub(SHOWN);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}/{}{shown}{more}", self.site, self.node)
    }
}

impl From<Collisions> for CollisionCounts {
    fn from(collisions: Collisions) -> Self {
        let Collisions { owners, chains, order, dearer } = collisions;
        CollisionCounts { owners, chains, order, dearer }
    }
}

impl TaskPlan {
    /// What came of a workflow.
    pub fn new(
        workflow: &Workflow,
        platform: &Platform,
        strategy: Strategy,
        unit: Unit,
        outcome: &Outcome<Refined, NoSchedule>,
    ) -> TaskPlan {
        let figures = Figures(unit);
        let (status, refined, reason) = match outcome {
            Outcome::Optimal(refined) => (TaskPlanStatus::Optimal, Some(refined), None),
            Outcome::Feasible { best, .. } => (TaskPlanStatus::Feasible, Some(best), None),
            Outcome::Infeasible(reason @ (NoSchedule::NotFound | NoSchedule::Refuted(_))) => {
                (TaskPlanStatus::Unknown, None, Some(reason))
            }
            Outcome::Infeasible(reason) => (TaskPlanStatus::Infeasible, None, Some(reason)),
        };
        let schedule = refined.map(|refined| &refined.schedule);
        TaskPlan {
            schema: TASK_PLAN_TAG,
            workflow: workflow.name().to_owned(),
            strategy: strategy.name(),
            status,
            unit,
            makespan: schedule.map(|schedule| figures.span(schedule.makespan())),
            cost: schedule.map(|schedule| figures.money(schedule.cost())),
            lower_bound: refined.map(|refined| figures.span(refined.lower_bound)),
            warnings: Vec::new(),
            collisions: refined.map(|refined| refined.collisions.total()),
            collision_kinds: refined.map(|refined| refined.collisions.into()),
            reason: reason.map(|reason| no_schedule_text(reason, workflow, unit)),
            fault: refined.and_then(|refined| refined.fault.as_ref()).map(fault_text),
            tasks: schedule.map_or(Vec::new(), |schedule| figures.tasks(schedule, workflow, platform)),
            baselines: Vec::new(),
            supports: Vec::new(),
        }
    }
}

impl PlannedSupport {
    /// A prepared schedule.
    pub fn new(support: &Support, workflow: &Workflow, platform: &Platform, unit: Unit) -> PlannedSupport {
        let figures = Figures(unit);
        let (event, what, when) = match support.event {
            Disturbance::NodeLost { node, at } => {
                let lane = lane_of(platform, node);
                let name = lane.map_or(String::new(), |lane| format!("{}/{}", lane.site_name, lane.name));
                (SupportEvent::NodeLost, name, figures.time(at))
            }
            Disturbance::TaskLate { task, by } => {
                (SupportEvent::TaskLate, workflow.task(task).name.clone(), figures.span(by))
            }
        };
        let schedule = support.schedule.as_ref();
        PlannedSupport {
            event,
            what,
            when,
            makespan: schedule.map(|schedule| figures.span(schedule.makespan())),
            cost: schedule.map(|schedule| figures.money(schedule.cost())),
            tasks: schedule.map_or(Vec::new(), |schedule| figures.tasks(schedule, workflow, platform)),
        }
    }
}

/// What was wrong with a schedule and what stands in its place, as one sentence.
pub fn fault_text(fault: &Fault) -> String {
    let Fault { violation, instead } = fault;
    format!(
        "The schedule that was planned does not hold ({violation}); that of {} stands in its place.",
        instead.name()
    )
}

/// Why there is no schedule, as one sentence.
pub fn no_schedule_text(reason: &NoSchedule, workflow: &Workflow, unit: Unit) -> String {
    let symbol = unit.symbol();
    match reason {
        NoSchedule::NoNode { task } => {
            let name = crate::error::echo(&workflow.task(*task).name);
            format!("No node has the cores, the memory and the attributes that task {name} needs.")
        }
        NoSchedule::NoGang { task, nodes } => {
            let name = crate::error::echo(&workflow.task(*task).name);
            format!(
                "No site has {nodes} nodes with the cores, the memory and the attributes that task {name} needs."
            )
        }
        NoSchedule::Size { tasks, lanes } => {
            format!(
                "{tasks} tasks on {lanes} nodes cannot be planned: there must be a node, and at most 10^8 pairs."
            )
        }
        NoSchedule::TooLong => "The tasks take longer or cost more than is counted.".to_owned(),
        NoSchedule::BudgetTooSmall { needed } => {
            format!("The budget is too small: the cheapest nodes cost {needed} credits.")
        }
        NoSchedule::TooLittleTime { bound: Some(bound) } => {
            format!("There is too little time: no schedule ends before {} {symbol}.", unit.time_text(*bound))
        }
        NoSchedule::TooLittleTime { bound: None } => {
            "There is too little time: the nodes' free time does not hold all tasks.".to_owned()
        }
        NoSchedule::NoneExists => "No schedule keeps deadline and budget: all were looked at.".to_owned(),
        NoSchedule::NotFound => {
            "No schedule was found that keeps deadline and budget; there may be one.".to_owned()
        }
        NoSchedule::Refuted(violation) => {
            format!("The schedule that was planned does not hold ({violation}), and no other was found.")
        }
    }
}
