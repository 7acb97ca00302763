//! Assignments: `walras.assignment/1`, the output of `walras assign --json`.

use crate::number::Num;
use crate::plan::choice::relative;
use crate::sentence::unplaced_text;
use crate::unit::{MONEY_DECIMALS, Unit};
use serde::Serialize;
use walras_assign::method::Method;
use walras_assign::{Unfit, Unplaced};
use walras_model::market::Splitting;
use walras_model::{Span, Time};
use walras_verify::{ClaimedAssignment, ClaimedBound, ClaimedPlacement};

/// What an assignment calls itself: the value of its key `schema`.
const ASSIGNMENT_TAG: &str = "walras.assignment/1";

/// Which job goes where, what that comes to, and how good it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AssignmentReport {
    /// `walras.assignment/1`
    pub schema: &'static str,
    /// How it was found.
    pub method: Method,
    /// What is known of it.
    pub status: AssignmentStatus,
    /// What all that is placed costs; `None` without an assignment.
    pub objective: Option<Num>,
    /// No assignment that serves as much costs less; `None` where that is not known.
    pub bound: Option<Num>,
    /// How far the objective may be from the least, relative to the larger of the two; `None` without a bound.
    pub gap: Option<Num>,
    /// How many jobs there are.
    pub jobs: usize,
    /// How many of them are placed.
    pub scheduled: u64,
    /// What serving those is worth: the sum of their weights.
    pub weight: u64,
    /// No assignment serves more; `None` where that is not known.
    pub weight_bound: Option<u64>,
    /// How many rounds the method took; 0 for methods without any.
    pub iterations: u64,
    /// How long it took.
    pub seconds: Num,
    /// What each job has on each site, in the order of the jobs.
    pub assignment: Vec<PlacedJob>,
    /// The jobs that go back to the queue, and why.
    pub left_out: Vec<LeftOutJob>,
}

/// What is known of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssignmentStatus {
    /// Proven best.
    Optimal,
    /// It keeps all rules; `gap` says how far off it may be, where that is known.
    Feasible,
    /// Every job must be placed, and that cannot be.
    Infeasible,
    /// Every job must be placed, and the method found no way to.
    Unknown,
}

/// What one job has on one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlacedJob {
    /// The job's name.
    pub job: String,
    /// The site's name.
    pub site: String,
    /// How many processors, or how much of the site's capacity.
    pub processors: u32,
    /// How long its longest task takes there, where times are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Num>,
    /// What it costs.
    pub cost: Num,
}

/// A job that is not placed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOutJob {
    /// The job's name.
    pub job: String,
    /// What stood in the way.
    pub reason: UnplacedItem,
}

/// Why a job is not placed; which numbers are there depends on the kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnplacedItem {
    /// What it is.
    pub kind: UnplacedKind,
    /// What the job has: processors, time or money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Num>,
    /// What it would take, of the same kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<Num>,
    /// The same in words.
    pub text: String,
}

/// What stands in the way of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnplacedKind {
    /// It may not start yet.
    NotYet,
    /// It needs more processors than there are where it may go.
    TooWide,
    /// It ends too late everywhere.
    TooLate,
    /// It costs too much everywhere.
    TooDear,
    /// Its numbers are too large everywhere.
    OutOfRange,
    /// It would fit alone, but others have the room.
    NoRoom,
}

/// What jobs and sites are called, and in what their numbers are written.
#[derive(Clone, Debug)]
pub struct AssignmentNames {
    /// The jobs' names, by position.
    pub jobs: Vec<String>,
    /// The sites' names, by position.
    pub sites: Vec<String>,
    /// The unit of time, and money in credits; `None` where costs are whole numbers of no unit.
    pub unit: Option<Unit>,
}

impl AssignmentNames {
    fn money(&self, cost: i128) -> Num {
        Num::from_units(cost, if self.unit.is_some() { MONEY_DECIMALS } else { 0 })
    }

    fn placed(&self, placement: &ClaimedPlacement, runtime: Option<Span>) -> PlacedJob {
        let name = |names: &[String], at: usize| names.get(at).cloned().unwrap_or_default();
        PlacedJob {
            job: name(&self.jobs, placement.job),
            site: name(&self.sites, placement.site),
            processors: placement.processors,
            runtime: self
                .unit
                .zip(runtime)
                .map(|(unit, runtime)| Num::from_units(runtime.as_millis().into(), unit.time_decimals())),
            cost: self.money(placement.cost.into()),
        }
    }
}

/// How an assignment was made.
#[derive(Clone, Copy, Debug)]
pub struct AssignmentRun {
    /// How it was found.
    pub method: Method,
    /// How many rounds that took.
    pub iterations: u64,
    /// How long, in milliseconds.
    pub millis: u64,
}

impl AssignmentReport {
    /// An assignment that has been verified, for people. `runtime` says how long a job runs on a site, and `reason` why
    /// a job is left out.
    pub fn new(
        run: AssignmentRun,
        claim: &ClaimedAssignment,
        names: &AssignmentNames,
        runtime: impl Fn(usize, usize) -> Option<Span>,
        reason: impl Fn(usize) -> UnplacedItem,
    ) -> AssignmentReport {
        let placed =
            |placement: &ClaimedPlacement| names.placed(placement, runtime(placement.job, placement.site));
        let left_out = |job: &usize| LeftOutJob {
            job: names.jobs.get(*job).cloned().unwrap_or_default(),
            reason: reason(*job),
        };
        let bound = claim.bound.filter(|bound| bound.weight == claim.weight).map(|bound| bound.cost);
        AssignmentReport {
            status: if claim.optimal { AssignmentStatus::Optimal } else { AssignmentStatus::Feasible },
            objective: Some(names.money(claim.cost)),
            bound: bound.map(|bound| names.money(bound)),
            gap: bound.map(|bound| relative(claim.cost, bound)),
            scheduled: claim.jobs,
            weight: claim.weight,
            weight_bound: claim.bound.map(|bound: ClaimedBound| bound.weight),
            assignment: claim.placements.iter().map(placed).collect(),
            left_out: claim.left_out.iter().map(left_out).collect(),
            ..AssignmentReport::without(run, AssignmentStatus::Unknown, names)
        }
    }

    /// No assignment.
    pub fn without(
        run: AssignmentRun,
        status: AssignmentStatus,
        names: &AssignmentNames,
    ) -> AssignmentReport {
        AssignmentReport {
            schema: ASSIGNMENT_TAG,
            method: run.method,
            status,
            objective: None,
            bound: None,
            gap: None,
            jobs: names.jobs.len(),
            scheduled: 0,
            weight: 0,
            weight_bound: None,
            iterations: run.iterations,
            seconds: Num::from_units(run.millis.into(), 3),
            assignment: Vec::new(),
            left_out: Vec::new(),
        }
    }
}

impl AssignmentReport {
    /// Whether every job is placed.
    pub fn places_all(&self) -> bool {
        matches!(self.status, AssignmentStatus::Optimal | AssignmentStatus::Feasible)
            && self.left_out.is_empty()
    }
}

impl UnplacedItem {
    /// A reason as data, with its sentence; `of` is the kind of the job.
    pub fn new(reason: &Unplaced, of: Splitting, unit: Unit) -> UnplacedItem {
        let count = |count: u64| Num::from_units(count.into(), 0);
        let span = |span: Span| Num::from_units(span.as_millis().into(), unit.time_decimals());
        let time = |time: Time| Num::from_units(time.as_millis().into(), unit.time_decimals());
        let money = |micros: i64| Num::from_units(micros.into(), MONEY_DECIMALS);
        let (kind, allowed, needed) = match *reason {
            Unplaced::NotYet { earliest } => (UnplacedKind::NotYet, None, Some(time(earliest))),
            Unplaced::Unfit(Unfit::TooWide { tasks, most }) => {
                (UnplacedKind::TooWide, Some(count(most)), Some(count(tasks.into())))
            }
            Unplaced::Unfit(Unfit::TooLate { fastest, within }) => {
                (UnplacedKind::TooLate, Some(span(within)), Some(span(fastest)))
            }
            Unplaced::Unfit(Unfit::TooDear { cheapest, budget }) => {
                let (cheapest, budget) = (money(cheapest.as_micros()), money(budget.as_micros()));
                (UnplacedKind::TooDear, Some(budget), Some(cheapest))
            }
            Unplaced::Unfit(Unfit::OutOfRange) => (UnplacedKind::OutOfRange, None, None),
            Unplaced::NoRoom => (UnplacedKind::NoRoom, None, None),
        };
        UnplacedItem { kind, allowed, needed, text: unplaced_text(reason, of, unit) }
    }
}
