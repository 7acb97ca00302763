//! The application tier: every task of a workflow gets a node and a time.
//!
//! [`refine`] plans by the critical jobs method (`critical`), takes published heuristics ([`Baseline`]) as further
//! starting points, and improves the best of them as long as the effort lasts (`improve`), so that the result is
//! never worse than the best heuristic's by the strategy's goal. Small workflows are searched to the end (`exact`).
//! [`supporting_schedules`] prepares for a node that is lost and a task that is late.
//!
//! ```text
//! Workflow + Platform + Terms --> Instance --> critical jobs, HEFT, CPOP, PEFT, DBCS --> exact, improve --> TaskSchedule
//! ```
//!
//! ```
//! use walras_core::refine::{RefineEffort, Strategy, refine};
//! use walras_model::workflow::Terms;
//! use walras_core::*;
//! use walras_model::*;
//!
//! let at = |seconds: i64| Time::from_millis(1_000 * seconds).unwrap();
//! let horizon = Interval::new(at(0), at(100)).unwrap();
//! let node = |name: &str, speed: i64| Node {
//!     division: Default::default(),
//!     name: name.into(),
//!     site: SiteId::new(0),
//!     performance: Performance::from_millionths(speed * 1_000_000).unwrap(),
//!     watts: None,
//!     attributes: Attributes::new(),
//! };
//! let rate = Rate::from_micros_per_second(1_000_000).unwrap();
//! let slot = |node| Slot::new(NodeId::new(node), horizon, rate).unwrap();
//! let site = Site { name: "campus".into() };
//! let nodes = vec![node("slow", 1), node("fast", 2)];
//! let offers = Offers::new(horizon, vec![site], nodes, vec![slot(0), slot(1)]).unwrap();
//!
//! // Two tasks of 10 s and 4 s, then one of 6 s that waits for both.
//! let task = |name: &str, seconds: i64| Task::new(name, Work::from_millis(1_000 * seconds));
//! let edge = |from, to| Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO };
//! let tasks = vec![task("a", 10), task("b", 4), task("c", 6)];
//! let workflow = Workflow::new("join", tasks, vec![edge(0, 2), edge(1, 2)]).unwrap();
//!
//! let platform = Platform::of_offers(&offers, Network::INSTANT);
//! let outcome = refine(&workflow, &platform, &Terms::default(), Strategy::Asap, &RefineEffort::default());
//! // a and c on the fast node take 5 s and 3 s, b on the slow one 4 s: nothing can be faster.
//! let Outcome::Optimal(refined) = outcome else { panic!("{outcome:?}") };
//! assert_eq!(refined.schedule.finish(), at(8));
//! ```

mod arrival;
mod baseline;
mod best;
mod bound;
mod care;
mod chain;
mod checked;
mod climb;
mod critical;
mod effort;
mod exact;
mod gangs;
mod heads;
mod improve;
mod insert;
mod instance;
mod kinds;
mod length;
mod list;
mod no_schedule;
mod placement;
mod places;
mod profile;
mod proof;
#[cfg(test)]
mod random;
mod rank;
mod refute;
mod schedule;
mod sequence;
mod sizing;
mod starts;
mod strategy;
mod supporting;
mod timeline;
mod together;
mod transitive;
mod uncut;
mod walk;
mod width;

pub use baseline::Baseline;
pub use care::Care;
pub use checked::{Fault, Instead, task_claim};
pub use critical::Collisions;
pub use effort::RefineEffort;
pub use instance::{CELLS_MAX, Instance};
pub use no_schedule::NoSchedule;
pub use placement::{TaskPlacement, TaskSchedule};
pub(crate) use places::{Places, Unsold};
pub(crate) use sizing::Sizing;
pub use sizing::{Bounded, Size, SizeFit, SizeOption, best_size, refine_window};
pub(crate) use sizing::{fit, sizes};
pub use strategy::Strategy;
pub use supporting::{Disturbance, Support, SupportLimits, supporting_schedules};

use best::{Best, Fuel};
use checked::Question;
use list::Board;
use schedule::Placed;
use std::collections::BTreeMap;
use strategy::Goal;
use walras_model::id::TaskId;
use walras_model::outcome::Outcome;
use walras_model::quantity::{Money, Span, Time};
use walras_model::workflow::{Platform, Terms, Workflow};

/// This part of the fuel may be used to refute ends.
const REFUTE_SHARE: u64 = 4;

/// A schedule, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refined {
    /// The schedule.
    pub schedule: TaskSchedule,
    /// Collisions that the critical jobs method met and resolved.
    pub collisions: Collisions,
    /// The critical jobs method's own makespan, before improvement; `None` when it placed not all tasks.
    pub critical_makespan: Option<Span>,
    /// No schedule that keeps the terms has a shorter makespan.
    pub lower_bound: Span,
    /// Whether a chain had more labels than the limit.
    pub labels_limit_hit: bool,
    /// What was wrong with the schedule that was planned, where another stands in its place.
    pub fault: Option<Fault>,
}

/// Places every task, by the strategy's goal and within the terms. What is returned holds under the verifier ([`Fault`]).
///
/// `Optimal` when the schedule reaches the goal's lower bound, or every schedule was looked at; the bound of a feasible
/// one is in milliseconds after the schedule's origin, or in micro-credits for [`Strategy::Cheapest`].
pub fn refine(
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
    strategy: Strategy,
    effort: &RefineEffort,
) -> Outcome<Refined, NoSchedule> {
    if workflow.widest() > 1 {
        return gangs::refine(workflow, platform, terms, strategy, effort);
    }
    let instance = match Instance::new(workflow, platform, terms).and_then(affordable) {
        Ok(instance) => instance,
        Err(reason) => return Outcome::Infeasible(reason),
    };
    let facing = if strategy == Strategy::Alap { &instance.mirror() } else { &instance };
    let solved = |start: Option<&Placed>| solve(facing, platform, strategy, effort, start);
    let outcome = match solved(None) {
        Outcome::Infeasible(NoSchedule::NotFound) => {
            let start = starts::in_time(workflow, platform, terms, effort);
            start.map_or(Outcome::Infeasible(NoSchedule::NotFound), |start| solved(Some(&start)))
        }
        outcome => outcome,
    };
    Question { workflow, platform, terms }.checked(outcome, &instance, strategy, effort.labels_max)
}

/// What the critical jobs method alone makes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPlan {
    /// The schedule; `None` when not all tasks found a place within the terms.
    pub schedule: Option<TaskSchedule>,
    /// Collisions that were met.
    pub collisions: Collisions,
    /// No schedule has a shorter makespan: the longest chain on the fastest nodes, and all work over all free speed.
    pub lower_bound: Span,
}

/// The critical jobs method alone, for workflows of tasks of one node each: no other starting points, no improvement.
pub fn critical_jobs(
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
    strategy: Strategy,
    labels_max: usize,
) -> Result<CriticalPlan, NoSchedule> {
    if workflow.widest() > 1 {
        return Err(NoSchedule::NotFound);
    }
    let forward = Instance::new(workflow, platform, terms)?;
    let bound = bound::quick(&forward);
    let instance = if strategy == Strategy::Alap { &forward.mirror() } else { &forward };
    let planned = critical::plan(instance, strategy.goal(), labels_max);
    let kept = planned.placed.is_complete() && planned.placed.cost(instance) <= instance.budget;
    Ok(CriticalPlan {
        schedule: kept.then(|| schedule(instance, platform, &planned.placed)).flatten(),
        collisions: planned.collisions,
        lower_bound: Span::from_millis(bound - forward.earliest).unwrap_or(Span::ZERO),
    })
}

/// What a published heuristic makes of it; `None` when it does not keep to the terms, or tasks take several nodes, of which none of them
/// speaks.
pub fn baseline(
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
    baseline: Baseline,
) -> Option<TaskSchedule> {
    let instance = Instance::new(workflow, platform, terms).ok().filter(|_| workflow.widest() == 1)?;
    instance.baseline(platform, baseline)
}

impl Instance {
    /// What a published heuristic makes of it on the platform that it was made of.
    pub fn baseline(&self, platform: &Platform, baseline: Baseline) -> Option<TaskSchedule> {
        let placed = baseline.place(self, &mut Board::new(self));
        let kept = placed.is_complete() && placed.cost(self) <= self.budget;
        kept.then(|| schedule(self, platform, &placed)).flatten()
    }
}

/// Refuses what no budget can pay.
fn affordable(instance: Instance) -> Result<Instance, NoSchedule> {
    let least = instance.costs.cheapest.iter().fold(0_i64, |sum, cost| sum.saturating_add(*cost));
    if least > instance.budget {
        return Err(NoSchedule::BudgetTooSmall { needed: Money::from_micros(least) });
    }
    Ok(instance)
}

fn solve(
    instance: &Instance,
    platform: &Platform,
    strategy: Strategy,
    effort: &RefineEffort,
    start: Option<&Placed>,
) -> Outcome<Refined, NoSchedule> {
    let goal = strategy.goal();
    let reduced = &instance.transitive_reduction();
    let closely = effort.units_max > 0;
    // Who has no work for labels has none for a better bound: of a large workflow it would take longer than its schedule.
    let soonest = |instance: &Instance| match effort.labels_max {
        0 => bound::quick(instance),
        _ => bound::finish(instance, closely),
    };
    let bound = soonest(reduced);
    let forward_bound = if instance.mirrored { soonest(&reduced.mirror()) } else { bound };
    let (origin, latest) = if instance.mirrored {
        (-instance.latest, -instance.earliest)
    } else {
        (instance.earliest, instance.latest)
    };
    if forward_bound > latest {
        return Outcome::Infeasible(NoSchedule::TooLittleTime { bound: Time::from_millis(forward_bound) });
    }
    let planned = match effort.labels_max {
        0 => critical::Planned::listed(Baseline::Heft.place(instance, &mut Board::new(instance))),
        labels_max => critical::plan(reduced, goal, labels_max),
    };
    let critical_finish = planned.placed.is_complete().then(|| planned.placed.finish());
    let mut best = Best::new(instance, goal, planned.placed);
    starts::offer_others(instance, goal, effort.labels_max, &mut best);
    if let Some(start) = start {
        let start = if instance.mirrored { &start.mirror() } else { start };
        best.offer(instance, goal, start);
    }
    let mut fuel = Fuel { left: effort.units_max };
    let bound = if goal == Goal::Finish { tighter(reduced, &best, bound, &mut fuel) } else { bound };
    if bound > instance.latest {
        let soonest = Time::from_millis(bound).filter(|_| !instance.mirrored);
        return Outcome::Infeasible(NoSchedule::TooLittleTime { bound: soonest });
    }
    let proven = exact::search(reduced, goal, &mut best, &mut fuel);
    if !proven && best.score.missing == 0 {
        improve::improve(reduced, goal, &mut best, bound, effort.seed, &mut fuel);
    }
    let is_found = best.score.missing == 0 && best.score.over_budget == 0;
    let bound = if !proven && is_found && goal == Goal::Finish && closely {
        proof::prove(reduced, bound, &mut best, &mut Fuel { left: effort.proof_units_max })
    } else {
        bound
    };
    let forward_bound = if instance.mirrored { forward_bound } else { bound };
    if best.score.missing > 0 || best.score.over_budget > 0 {
        return Outcome::Infeasible(if proven { NoSchedule::NoneExists } else { NoSchedule::NotFound });
    }
    let span = |millis: i64| Span::from_millis(millis).unwrap_or(Span::ZERO);
    // What is proven to end first ends when nothing can end before.
    let soonest = proven && goal == Goal::Finish && !instance.mirrored;
    let forward_bound = if soonest { best.placed.finish() } else { forward_bound };
    let Some(schedule) = schedule(instance, platform, &best.placed) else {
        return Outcome::Infeasible(NoSchedule::TooLong);
    };
    let refined = Refined {
        critical_makespan: critical_finish.map(|finish| {
            if instance.mirrored { schedule.makespan() } else { span(finish - instance.earliest) }
        }),
        schedule,
        collisions: planned.collisions,
        lower_bound: span(forward_bound - origin),
        labels_limit_hit: planned.limit_hit,
        fault: None,
    };
    match least(instance, goal, bound) {
        _ if proven => Outcome::Optimal(refined),
        Some((value, _)) if best.score.first <= value => Outcome::Optimal(refined),
        least => Outcome::Feasible { best: refined, bound: least.map_or(0, |(_, shown)| shown) },
    }
}

/// What no schedule can beat, looked at more closely with a part of the fuel.
fn tighter(instance: &Instance, best: &Best, bound: i64, fuel: &mut Fuel) -> i64 {
    let upper =
        if best.score.missing == 0 { best.placed.finish() } else { instance.latest.saturating_add(1) };
    let earliest = instance.earliest;
    let part = fuel.left / REFUTE_SHARE;
    let mut own = Fuel { left: part };
    let raised = refute::raised(instance, bound - earliest, upper - earliest, &mut own);
    fuel.left -= part - own.left;
    earliest.saturating_add(raised).max(bound)
}

/// What no schedule can beat by the goal, as it is scored and as it is shown; `None` where nothing is known.
fn least(instance: &Instance, goal: Goal, finish: i64) -> Option<(i128, i128)> {
    match goal {
        Goal::Finish => Some((i128::from(finish), i128::from(finish - instance.earliest))),
        Goal::Cost => {
            let cost = instance.costs.cheapest.iter().map(|cost| i128::from(*cost)).sum();
            Some((cost, cost))
        }
        Goal::Balance => None,
    }
}

/// The placements in the vocabulary of the core; `None` beyond the range of time.
fn schedule(instance: &Instance, platform: &Platform, placed: &Placed) -> Option<TaskSchedule> {
    let forward = if instance.mirrored { &placed.mirror() } else { placed };
    let mut placements = Vec::with_capacity(instance.tasks);
    for task in 0..instance.tasks {
        let lane = forward.lane_of(task)?;
        placements.push(TaskPlacement {
            task: TaskId::from_index(task)?,
            node: platform.lanes[lane].node,
            part: platform.lanes[lane].part,
            start: Time::from_millis(forward.start[task])?,
            end: Time::from_millis(forward.end[task])?,
            cost: Money::from_micros(instance.cost(task, lane)),
            transfer: Span::from_millis(incoming(instance, forward, task, lane))?,
        });
    }
    let origin = if instance.mirrored { -instance.latest } else { instance.earliest };
    Some(TaskSchedule { origin: Time::from_millis(origin)?, placements, others: BTreeMap::new() })
}

/// The longest way of data to a task, seen forwards in time.
fn incoming(instance: &Instance, placed: &Placed, task: usize, lane: usize) -> i64 {
    let flows = if instance.mirrored { instance.after.of(task) } else { instance.before.of(task) };
    let way =
        |flow: &instance::Flow| Some(instance.transfer(flow, placed.lane_of(flow.task as usize)?, lane));
    flows.iter().filter_map(way).max().unwrap_or(0)
}
