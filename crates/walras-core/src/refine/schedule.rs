//! Schedules while they are made, and what they are judged by.

use super::instance::Instance;
use super::strategy::Goal;

/// The lane of a task that is not placed.
const NOWHERE: u32 = u32::MAX;

/// Which task is where and when; tasks may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) lane: Vec<u32>,
    pub(super) start: Vec<i64>,
    pub(super) end: Vec<i64>,
}

/// How good a schedule is; less is better, the first difference decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Score {
    /// Tasks that found no place.
    pub(super) missing: usize,
    /// How much it costs beyond the budget.
    pub(super) over_budget: i64,
    pub(super) first: i128,
    pub(super) second: i128,
}

impl Placed {
    pub(super) fn new(tasks: usize) -> Placed {
        Placed { lane: vec![NOWHERE; tasks], start: vec![0; tasks], end: vec![0; tasks] }
    }

    pub(super) fn clear(&mut self) {
        self.lane.fill(NOWHERE);
    }

    pub(super) fn put(&mut self, task: usize, lane: usize, start: i64, end: i64) {
        self.lane[task] = u32::try_from(lane).unwrap_or(NOWHERE);
        self.start[task] = start;
        self.end[task] = end;
    }

    pub(super) fn remove(&mut self, task: usize) {
        self.lane[task] = NOWHERE;
    }

    pub(super) fn is_placed(&self, task: usize) -> bool {
        self.lane[task] != NOWHERE
    }

    /// Where a task is and when it ends.
    pub(super) fn end_of(&self, task: usize) -> Option<(usize, i64)> {
        self.is_placed(task).then(|| (self.lane[task] as usize, self.end[task]))
    }

    pub(super) fn lane_of(&self, task: usize) -> Option<usize> {
        self.is_placed(task).then(|| self.lane[task] as usize)
    }

    pub(super) fn is_complete(&self) -> bool {
        self.lane.iter().all(|lane| *lane != NOWHERE)
    }

    /// When the last task ends.
    pub(super) fn finish(&self) -> i64 {
        finish(&self.lane, &self.end)
    }

    /// What all tasks cost together.
    pub(super) fn cost(&self, instance: &Instance) -> i64 {
        cost(&self.lane, instance)
    }

    pub(super) fn score(&self, instance: &Instance, goal: Goal) -> Score {
        Score::of(&self.lane, &self.start, &self.end, instance, goal)
    }

    /// The same with time running the other way.
    pub(super) fn mirror(&self) -> Placed {
        Placed {
            lane: self.lane.clone(),
            start: self.end.iter().map(|end| -end).collect(),
            end: self.start.iter().map(|start| -start).collect(),
        }
    }
}

impl Score {
    /// The score of tasks on these lanes with these starts and ends.
    pub(super) fn of(lane: &[u32], start: &[i64], end: &[i64], instance: &Instance, goal: Goal) -> Score {
        let missing = lane.iter().filter(|lane| **lane == NOWHERE).count();
        let cost = cost(lane, instance);
        let (finish, money) = (i128::from(finish(lane, end)), i128::from(cost));
        let (first, second) = match goal {
            Goal::Finish => (finish, money),
            Goal::Cost => (money, finish),
            Goal::Balance => (imbalance(lane, start, end, instance), finish),
        };
        Score { missing, over_budget: cost.saturating_sub(instance.budget).max(0), first, second }
    }
}

/// The tasks that are placed, each with its lane.
fn placed(lane: &[u32]) -> impl Iterator<Item = (usize, usize)> {
    lane.iter().enumerate().filter(|(_, lane)| **lane != NOWHERE).map(|(task, lane)| (task, *lane as usize))
}

fn finish(lane: &[u32], end: &[i64]) -> i64 {
    placed(lane).map(|(task, _)| end[task]).max().unwrap_or(0)
}

fn cost(lane: &[u32], instance: &Instance) -> i64 {
    placed(lane).map(|(task, lane)| instance.cost(task, lane)).fold(0, i64::saturating_add)
}

/// The sum of the squares of the nodes' busy times.
fn imbalance(lane: &[u32], start: &[i64], end: &[i64], instance: &Instance) -> i128 {
    let mut busy = vec![0_i64; instance.costs.nodes];
    for (task, lane) in placed(lane) {
        busy[instance.costs.node[lane] as usize] += end[task] - start[task];
    }
    busy.iter().map(|busy| i128::from(*busy) * i128::from(*busy)).sum()
}
