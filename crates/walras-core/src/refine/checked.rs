//! No schedule leaves that the verifier refutes.
//!
//! **Problem.** A search may be wrong. Whoever asked for a schedule should still get one that holds, and be told.
//!
//! **Method.** What was planned is held against `walras-verify`, which shares nothing with the schedulers. Where it does not hold, the
//! critical jobs method's own plan and then the plain list schedules take its place, the first that holds; the result says what
//! was wrong and whose schedule it is ([`Fault`]), and is proven no longer. Where none holds there is no schedule.
//!
//! This is done here, where schedules are made, and not by those who print or reserve them: all of these, the sizes of windows among
//! them, then plan with what holds. They look again all the same.
//!
//! **Complexity.** That of the verifier: O((tasks + edges + free intervals) log tasks) for a schedule that holds.

use super::{
    Baseline, Instance, NoSchedule, Refined, Strategy, TaskSchedule, bound, critical, least, schedule,
};
use std::collections::BTreeMap;
use walras_model::id::NodeId;
use walras_model::outcome::Outcome;
use walras_model::quantity::Span;
use walras_model::workflow::{Lane, Platform, Terms, Workflow};
use walras_verify::tasks::{ClaimedTask, TaskClaim, TaskViolation, verify_tasks};

/// A schedule was planned that does not hold, and another stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The first that was wrong with it.
    pub violation: TaskViolation,
    /// Whose schedule was taken instead.
    pub instead: Instead,
}

/// Whose schedule stands in for one that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// The critical jobs method's, without improvement.
    CriticalJobs,
    /// A published heuristic's.
    List(Baseline),
}

impl Instead {
    /// The name of the method.
    pub fn name(self) -> &'static str {
        match self {
            Instead::CriticalJobs => "critical jobs",
            Instead::List(baseline) => baseline.name(),
        }
    }
}

/// A workflow, where it runs, and within what.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) workflow: &'a Workflow,
    pub(super) platform: &'a Platform,
    pub(super) terms: &'a Terms,
}

impl Question<'_> {
    /// The first that is wrong with a schedule.
    pub(super) fn violation(&self, schedule: &TaskSchedule) -> Option<TaskViolation> {
        let claim = task_claim(schedule, self.workflow, self.platform);
        verify_tasks(&claim, self.workflow, self.platform, self.terms).into_iter().next()
    }

    /// The outcome where its schedule holds; otherwise the first of others that does.
    pub(super) fn checked(
        &self,
        outcome: Outcome<Refined, NoSchedule>,
        instance: &Instance,
        strategy: Strategy,
        labels_max: usize,
    ) -> Outcome<Refined, NoSchedule> {
        let planned = match &outcome {
            Outcome::Optimal(refined) | Outcome::Feasible { best: refined, .. } => refined,
            Outcome::Infeasible(_) => return outcome,
        };
        let Some(violation) = self.violation(&planned.schedule) else { return outcome };
        let ways = std::iter::once(Instead::CriticalJobs).chain(Baseline::ALL.map(Instead::List));
        let made = ways.filter_map(|way| Some((way, self.made(way, instance, strategy, labels_max)?)));
        let holding = { made }.find(|(_, schedule)| self.violation(schedule).is_none());
        let Some((instead, schedule)) = holding else {
            return Outcome::Infeasible(NoSchedule::Refuted(Box::new(violation)));
        };
        self.standing_in(instance, strategy, schedule, Fault { violation, instead })
    }

    /// What another method makes of it.
    fn made(
        &self,
        way: Instead,
        instance: &Instance,
        strategy: Strategy,
        labels_max: usize,
    ) -> Option<TaskSchedule> {
        match way {
            Instead::List(baseline) => instance.baseline(self.platform, baseline),
            Instead::CriticalJobs => {
                let instance = if strategy == Strategy::Alap { &instance.mirror() } else { instance };
                let placed = critical::plan(instance, strategy.goal(), labels_max).placed;
                schedule(instance, self.platform, &placed)
            }
        }
    }

    /// The outcome with a schedule that nothing is proven of.
    fn standing_in(
        &self,
        instance: &Instance,
        strategy: Strategy,
        schedule: TaskSchedule,
        fault: Fault,
    ) -> Outcome<Refined, NoSchedule> {
        let bound = bound::quick(instance);
        let lower_bound = Span::from_millis(bound - instance.earliest).unwrap_or(Span::ZERO);
        let shown = match strategy {
            // Its bound is one of starts, read backwards.
            Strategy::Alap => 0,
            _ => least(instance, strategy.goal(), bound).map_or(0, |(_, shown)| shown),
        };
        let best = Refined {
            lower_bound: lower_bound.min(schedule.makespan()),
            critical_makespan: None,
            schedule,
            collisions: critical::Collisions::default(),
            labels_limit_hit: false,
            fault: Some(fault),
        };
        Outcome::Feasible { best, bound: shown }
    }
}

/// A schedule as the verifier takes it: by names, trusting nothing.
pub fn task_claim(schedule: &TaskSchedule, workflow: &Workflow, platform: &Platform) -> TaskClaim {
    let lanes: BTreeMap<NodeId, &Lane> = platform.lanes.iter().map(|lane| (lane.node, lane)).collect();
    let task = |placement: &super::TaskPlacement| {
        let lane = lanes.get(&placement.node);
        let others = schedule.others(placement.task).iter().map(|node| lanes.get(node));
        ClaimedTask {
            task: workflow.task(placement.task).name.clone(),
            site: lane.map_or(String::new(), |lane| lane.site_name.clone()),
            node: lane.map_or(String::new(), |lane| lane.name.clone()),
            part: placement.part,
            others: others.map(|lane| lane.map_or(String::new(), |lane| lane.name.clone())).collect(),
            start: placement.start,
            end: placement.end,
            cost: placement.cost,
        }
    };
    TaskClaim { tasks: schedule.placements().iter().map(task).collect(), cost: schedule.cost() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refine::{RefineEffort, refine};
    use walras_model::{
        Attributes, Data, Edge, Interval, Money, Network, Performance, Rate, SiteId, Task, TaskId, Time, Work,
    };

    fn at(millis: i64) -> Time {
        Time::from_millis(millis).unwrap()
    }

    /// Two tasks of 10, one after the other, and a third of its own, on two nodes.
    fn question() -> (Workflow, Platform) {
        let task = |name: &str| Task::new(name, Work::from_millis(10));
        let edge = Edge { from: TaskId::new(0), to: TaskId::new(1), data: Data::ZERO };
        let workflow = Workflow::new("w", vec![task("a"), task("b"), task("c")], vec![edge]).unwrap();
        let lane = |number: u32| Lane {
            part: 0,
            node: NodeId::new(number),
            name: format!("n{number}"),
            site: SiteId::new(0),
            site_name: "s".into(),
            performance: Performance::ONE,
            rate: Rate::from_micros_per_second(1_000).unwrap(),
            free: vec![Interval::new(at(0), at(100)).unwrap()],
            attributes: Attributes::new(),
        };
        let platform = Platform { lanes: vec![lane(0), lane(1)], network: Network::INSTANT };
        (workflow, platform)
    }

    /// An outcome whose second task starts with the first, and what comes of it.
    fn wronged(
        strategy: Strategy,
        terms: &Terms,
        checked_by: &Terms,
    ) -> (Refined, Outcome<Refined, NoSchedule>) {
        let (workflow, platform) = question();
        let outcome = refine(&workflow, &platform, terms, strategy, &RefineEffort::default());
        let right = outcome.found().unwrap();
        let mut wrong = right.clone();
        let length = wrong.schedule.placements[1].end.span_since(wrong.schedule.placements[1].start).unwrap();
        wrong.schedule.placements[1].start = wrong.schedule.placements[0].start;
        wrong.schedule.placements[1].end = wrong.schedule.placements[0].start.checked_add(length).unwrap();
        let question = Question { workflow: &workflow, platform: &platform, terms: checked_by };
        let instance = Instance::new(&workflow, &platform, terms).unwrap();
        (right, question.checked(Outcome::Optimal(wrong), &instance, strategy, 8))
    }

    #[test]
    fn another_schedule_stands_in_for_one_that_does_not_hold() {
        let (workflow, platform) = question();
        let terms = Terms { deadline: Some(at(60)), ..Terms::default() };
        for strategy in Strategy::ALL {
            let (right, outcome) = wronged(strategy, &terms, &terms);
            assert_eq!(right.fault, None);
            let Outcome::Feasible { best, .. } = outcome else { panic!("{outcome:?}") };
            let question = Question { workflow: &workflow, platform: &platform, terms: &terms };
            assert_eq!(question.violation(&best.schedule), None, "{strategy}");
            let fault = best.fault.unwrap();
            assert_eq!(fault.instead, Instead::CriticalJobs);
            assert!(matches!(fault.violation, TaskViolation::BeforeData { .. }), "{:?}", fault.violation);
            assert!(best.lower_bound <= best.schedule.makespan());
        }
    }

    #[test]
    fn what_nothing_can_stand_in_for_is_no_schedule() {
        let dear = Terms { budget: Some(Money::from_micros(1)), ..Terms::default() };
        let (_, outcome) = wronged(Strategy::Asap, &Terms::default(), &dear);
        assert!(matches!(outcome, Outcome::Infeasible(NoSchedule::Refuted(_))), "{outcome:?}");
    }
}
