//! The best schedule of a small workflow, by looking at all that could be better.
//!
//! **Problem.** As for all of this module: a lane and a time for every task, the best by the goal within deadline and budget;
//! and the proof that nothing is better, or that nothing keeps the terms.
//!
//! **Method.** Branch and bound. A schedule is made task by task in order of starts, each behind the tasks that are on its lane
//! already, as early as its data and the owners allow. Any schedule, read in order of starts and set again so, until
//! nothing moves, is one of these and no task of it is later; where it runs does not change, so neither cost nor load do. Of two
//! tasks on different lanes that start together only one order is followed, and of several lanes that are alike in everything and
//! idle, only the first. A branch is left when the least that it must come to is no better than the best schedule known:
//! - *end*: the next task of every way on the lane where that would end first, with the longest way after it from there, transfers
//!   and turns on one node included ([`super::together`]);
//! - *cost*: the cheapest lanes for all that is left, also against the budget;
//! - *balance*: for each task left, what it adds at least to the squares of the loads as they are.
//!
//! **Complexity.** Exponential, so only for at most [`TASKS_MAX`] tasks and as long as its share of the effort lasts.
//!
//! **Example.** Two tasks of 3 and one of 4 on two equal lanes: of the 48 orders and lanes three are followed to the end, and none
//! ends before 6.

use super::best::{Best, Fuel};
use super::instance::{Instance, NEVER};
use super::refute;
use super::schedule::{Placed, Score};
use super::strategy::Goal;

/// Workflows of more tasks are not looked at.
const TASKS_MAX: usize = 20;
/// This part of the fuel may be used.
const SHARE: u64 = 4;

/// Whether every schedule was looked at, so that `best` is the best there is, or there is none when it is not complete or too dear.
pub(super) fn search(instance: &Instance, goal: Goal, best: &mut Best, fuel: &mut Fuel) -> bool {
    let part = fuel.left / SHARE;
    if instance.tasks > TASKS_MAX || part == 0 {
        return false;
    }
    let mut own = Fuel { left: part };
    let may = |task: usize, lane: usize| instance.runtime(task, lane) != NEVER;
    let mut search = Search {
        instance,
        goal,
        best,
        fuel: &mut own,
        tail: refute::heads(&instance.mirror(), may),
        alike: instance.alike(),
        placed: Placed::new(instance.tasks),
        lane_end: vec![instance.earliest; instance.lanes],
        in_use: vec![0; instance.lanes],
        load: vec![0; instance.costs.nodes],
        cost: instance.costs.cheapest.iter().fold(0, |sum, cost| sum.saturating_add(*cost)),
    };
    let all = search.extend(instance.tasks, (instance.earliest, usize::MAX), instance.earliest);
    fuel.left -= part - own.left;
    all
}

/// A task on a lane, next.
#[derive(Clone, Copy, Debug)]
struct Branch {
    task: usize,
    lane: usize,
    start: i64,
    end: i64,
}

struct Search<'a> {
    instance: &'a Instance,
    goal: Goal,
    best: &'a mut Best,
    fuel: &'a mut Fuel,
    /// By task and lane: the least time from its end there to the end of everything.
    tail: Vec<i64>,
    /// By lane: the lane before it that is like it in everything.
    alike: Vec<Option<usize>>,
    placed: Placed,
    lane_end: Vec<i64>,
    /// By lane: how many tasks are on it.
    in_use: Vec<u32>,
    /// By node, how long it is busy.
    load: Vec<i64>,
    /// Of the tasks that are placed, and the least of those that are not.
    cost: i64,
}

impl Search<'_> {
    /// Places the tasks that are left, from the last start on; whether all ways were followed.
    fn extend(&mut self, left: usize, last: (i64, usize), finish: i64) -> bool {
        if left == 0 {
            self.best.offer(self.instance, self.goal, &self.placed);
            return true;
        }
        let mut branches = Vec::new();
        let Some(bound) = self.branches(last, finish, &mut branches) else { return true };
        if !self.may_be_better(bound) {
            return true;
        }
        branches.sort_by_key(|branch| (branch.end + self.tail_of(branch.task, branch.lane), branch.start));
        for branch in branches {
            if self.fuel.left == 0 || !self.follow(left, branch, finish) {
                return false;
            }
        }
        true
    }

    fn follow(&mut self, left: usize, Branch { task, lane, start, end }: Branch, finish: i64) -> bool {
        let (instance, node) = (self.instance, self.instance.costs.node[lane] as usize);
        let (cost, lane_end) = (self.cost, self.lane_end[lane]);
        self.cost = cost.saturating_add(instance.cost(task, lane) - instance.costs.cheapest[task]);
        self.lane_end[lane] = if start < end { end } else { lane_end };
        self.load[node] += end - start;
        self.in_use[lane] += 1;
        self.placed.put(task, lane, start, end);
        let finish = finish.max(end + self.tail_of(task, lane));
        let all = self.cost > instance.budget
            || !self.may_be_better(finish)
            || self.extend(left - 1, (start, task), finish);
        self.placed.remove(task);
        self.in_use[lane] -= 1;
        self.load[node] -= end - start;
        self.lane_end[lane] = lane_end;
        self.cost = cost;
        all
    }

    fn tail_of(&self, task: usize, lane: usize) -> i64 {
        self.tail[task * self.instance.lanes + lane]
    }

    /// Whether a schedule with the tasks as they are, that ends no sooner, could be better than the best.
    fn may_be_better(&self, finish: i64) -> bool {
        if finish > self.instance.latest {
            return false;
        }
        let (finish, cost) = (i128::from(finish), i128::from(self.cost));
        let (first, second) = match self.goal {
            Goal::Finish => (finish, cost),
            Goal::Cost => (cost, finish),
            Goal::Balance => (self.balance(), finish),
        };
        Score { missing: 0, over_budget: 0, first, second } < self.best.score
    }

    /// The least sum of squares of loads.
    fn balance(&self) -> i128 {
        let square = |load: i64| i128::from(load) * i128::from(load);
        let is_left = |task: &usize| !self.placed.is_placed(*task);
        let adds = |task: usize| {
            let lanes = self.instance.runtimes(task).iter().zip(&self.instance.costs.node);
            let fit = lanes.filter(|(length, _)| **length != NEVER);
            let added = fit.map(|(length, node)| {
                let load = self.load[*node as usize];
                square(load + length) - square(load)
            });
            added.min().unwrap_or(0)
        };
        let left: i128 = (0..self.instance.tasks).filter(is_left).map(adds).sum();
        self.load.iter().map(|load| square(*load)).sum::<i128>() + left
    }

    /// The tasks that may come next, on all lanes; no schedule ends sooner than what is returned, and there is none when that is
    /// nothing.
    fn branches(&mut self, last: (i64, usize), finish: i64, branches: &mut Vec<Branch>) -> Option<i64> {
        let mut bound = finish;
        for task in 0..self.instance.tasks {
            if self.placed.is_placed(task) || !super::list::can_start(self.instance, &self.placed, task) {
                continue;
            }
            let mut first_end = None;
            for (lane, length) in self.instance.runtimes(task).iter().enumerate() {
                let is_double =
                    self.alike[lane].is_some_and(|other| self.in_use[lane] + self.in_use[other] == 0);
                if *length == NEVER || is_double {
                    continue;
                }
                let Some(start) = self.earliest(task, lane, *length, self.instance.earliest) else {
                    continue;
                };
                let later =
                    if start < last.0 { self.earliest(task, lane, *length, last.0) } else { Some(start) };
                let Some(later) = later else { continue };
                let whole = later + length + self.tail_of(task, lane);
                first_end = Some(first_end.map_or(whole, |end: i64| end.min(whole)));
                let branch = Branch { task, lane, start, end: start + length };
                if start >= last.0 && !self.is_other_order(branch, last) {
                    branches.push(branch);
                }
            }
            bound = bound.max(first_end?);
        }
        Some(bound)
    }

    /// Whether the same comes of placing the two tasks the other way round, which is done too.
    fn is_other_order(&self, branch: Branch, (start, task): (i64, usize)) -> bool {
        let is_after = || self.instance.before.of(branch.task).iter().any(|flow| flow.task as usize == task);
        task != usize::MAX
            && branch.start == start
            && branch.task < task
            && self.placed.lane_of(task) != Some(branch.lane)
            && !is_after()
    }

    /// The earliest start on a lane behind what is there, when the data is there, and not before `from`.
    fn earliest(&mut self, task: usize, lane: usize, length: i64, from: i64) -> Option<i64> {
        // What takes no time is in nobody's way.
        let mut ready = if length == 0 { from } else { from.max(self.lane_end[lane]) };
        let flows = self.instance.before.of(task);
        for flow in flows {
            let (other, end) = self.placed.end_of(flow.task as usize)?;
            ready = ready.max(end + self.instance.transfer(flow, other, lane));
        }
        self.fuel.burn(2 + flows.len() as u64);
        super::timeline::earliest(&self.instance.free[lane], ready, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refine::baseline::Baseline;
    use crate::refine::list::Board;
    use crate::refine::{bound, improve, random};

    /// What is proven best is never worse than what improvement finds, which finds it too.
    #[test]
    fn improvement_finds_what_is_best() {
        for seed in 0..40 {
            let instance = random::instance(8, 3, seed);
            let heft = Baseline::Heft.place(&instance, &mut Board::new(&instance));
            let mut best = Best::new(&instance, Goal::Finish, heft);
            let mut improved = best.clone();
            assert!(search(&instance, Goal::Finish, &mut best, &mut Fuel { left: 40_000_000 }));
            let least = bound::finish(&instance, true);
            assert!(i128::from(least) <= best.score.first);
            improve::improve(
                &instance,
                Goal::Finish,
                &mut improved,
                least,
                seed,
                &mut Fuel { left: 400_000 },
            );
            assert_eq!(improved.score.first, best.score.first, "seed {seed}");
        }
    }

    #[test]
    fn a_limit_is_no_proof() {
        let instance = random::instance(9, 3, 1);
        let heft = Baseline::Heft.place(&instance, &mut Board::new(&instance));
        let mut best = Best::new(&instance, Goal::Balance, heft);
        assert!(!search(&instance, Goal::Balance, &mut best, &mut Fuel { left: 50 }));
    }
}
