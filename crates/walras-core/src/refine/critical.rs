//! The critical jobs method.
//!
//! **Problem.** Place all tasks of a workflow on lanes with free time, by the strategy's goal, within deadline and
//! budget.
//!
//! **Method** (Toporkov and Tselishchev 2010; seed of this project: Toporkov et al. 2012).
//! 1. The *critical job* is the longest chain of tasks that are not planned yet, by mean run and transfer times.
//! 2. It is planned by dynamic programming ([`super::chain`]), first as if every node were idle.
//! 3. Where that plan meets an owner's task or a task of another chain, there is a *collision*. The chain is planned
//!    again against the time that is really free: its tasks move, or go to another node, possibly a dearer one. When
//!    the chain does not fit between tasks that are planned already, these will have to move: it is planned without
//!    regard to them, and at the end all tasks are set again in order of their planned starts, each on its node.
//!
//! Money: a chain may spend what is left of the budget after the least that all other unplanned tasks can cost.
//!
//! **Complexity.** Chains are found with a heap; a planned chain changes the ranks only of tasks before it. The rest is
//! the dynamic programming, twice a chain at most: O(tasks · lanes · labels · log gaps) in all.
//!
//! **Example.** Of the diamond a → b → d, a → c → d with a long b, the critical jobs are a b d and then c; c collides
//! with b when both want the fastest node, and moves.

use super::chain::{self, Aim, ChainPlan};
use super::instance::Instance;
use super::list::{Board, by_priority};
use super::rank;
use super::schedule::Placed;
use super::strategy::Goal;
use super::timeline::Timeline;
use std::collections::{BTreeSet, BinaryHeap};

/// How often plans met what was there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collisions {
    /// With tasks of the owners.
    pub owners: u32,
    /// With tasks of other chains on the same node.
    pub chains: u32,
    /// Chains that did not fit between tasks planned before them.
    pub order: u32,
    /// Tasks that went to a dearer node because of a collision.
    pub dearer: u32,
}

impl Collisions {
    /// All of them.
    pub fn total(&self) -> u32 {
        self.owners.saturating_add(self.chains).saturating_add(self.order)
    }
}

/// What the method gave.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) placed: Placed,
    pub(super) collisions: Collisions,
    pub(super) limit_hit: bool,
}

impl Planned {
    /// Tasks that were placed by another method, because there is no work to spare for this one.
    pub(super) fn listed(placed: Placed) -> Planned {
        Planned { placed, collisions: Collisions::default(), limit_hit: true }
    }
}

/// Plans everything; tasks may be missing when there is too little free time or money.
pub(super) fn plan(instance: &Instance, goal: Goal, labels_max: usize) -> Planned {
    let mut work = Method::new(instance, goal, labels_max);
    let mut chains = Chains::new(instance);
    while let Some(chain) = chains.next(instance) {
        work.plan_chain(&chain);
    }
    work.finish()
}

/// The chains of unplanned tasks, longest first.
struct Chains {
    /// By task: the longest way on through unplanned tasks.
    rank: Vec<i64>,
    open: Vec<bool>,
    heap: BinaryHeap<(i64, std::cmp::Reverse<u32>)>,
    /// By task: its position in the topological order.
    position: Vec<usize>,
}

impl Chains {
    fn new(instance: &Instance) -> Chains {
        let rank = rank::upward(instance);
        let mut position = vec![0; instance.tasks];
        for (at, task) in instance.order.iter().enumerate() {
            position[*task as usize] = at;
        }
        let heap = (0_u32..).zip(&rank).map(|(task, rank)| (*rank, std::cmp::Reverse(task))).collect();
        Chains { rank, open: vec![true; instance.tasks], heap, position }
    }

    fn next(&mut self, instance: &Instance) -> Option<Vec<usize>> {
        loop {
            let (rank, std::cmp::Reverse(task)) = self.heap.pop()?;
            let task = task as usize;
            // What was put in before its rank fell is out of date.
            if !self.open[task] || rank != self.rank[task] {
                continue;
            }
            let chain = self.follow(instance, task);
            chain.iter().for_each(|task| self.open[*task] = false);
            self.lower(instance, &chain);
            return Some(chain);
        }
    }

    /// Onwards along the longest way.
    fn follow(&self, instance: &Instance, first: usize) -> Vec<usize> {
        let mut chain = vec![first];
        let mut last = first;
        loop {
            let after = instance.after.of(last).iter().filter(|flow| self.open[flow.task as usize]);
            let longest = after
                .max_by_key(|flow| (flow.mean + self.rank[flow.task as usize], std::cmp::Reverse(flow.task)));
            let Some(flow) = longest else { return chain };
            last = flow.task as usize;
            chain.push(last);
        }
    }

    /// Ranks of tasks before the chain fall; latest in the order first, so that each is computed once.
    fn lower(&mut self, instance: &Instance, chain: &[usize]) {
        let before = |task: usize| instance.before.of(task).iter().map(|flow| flow.task as usize);
        let mut changed: BTreeSet<(usize, usize)> = BTreeSet::new();
        for task in chain {
            changed.extend(
                before(*task).filter(|task| self.open[*task]).map(|task| (self.position[task], task)),
            );
        }
        while let Some((_, task)) = changed.pop_last() {
            let after = instance.after.of(task).iter().filter(|flow| self.open[flow.task as usize]);
            let longest = after.map(|flow| flow.mean + self.rank[flow.task as usize]).max();
            let rank = instance.costs.mean[task] + longest.unwrap_or(0);
            if rank != self.rank[task] {
                self.rank[task] = rank;
                self.heap.push((rank, std::cmp::Reverse(u32::try_from(task).unwrap_or(u32::MAX))));
                let open = before(task).filter(|task| self.open[*task]);
                changed.extend(open.map(|task| (self.position[task], task)));
            }
        }
    }
}

/// The state between chains.
struct Method<'a> {
    instance: &'a Instance,
    goal: Goal,
    labels_max: usize,
    board: Board,
    idle: Timeline,
    /// By lane: how busy its node is.
    load: Vec<i64>,
    /// What is left after the least that unplanned tasks cost.
    spare: i64,
    collisions: Collisions,
    limit_hit: bool,
    /// Whether some chain did not fit between tasks planned before.
    disturbed: bool,
}

impl<'a> Method<'a> {
    fn new(instance: &'a Instance, goal: Goal, labels_max: usize) -> Method<'a> {
        let least = instance.costs.cheapest.iter().fold(0_i64, |sum, cost| sum.saturating_add(*cost));
        let unlimited = instance.budget == i64::MAX;
        Method {
            instance,
            goal,
            labels_max,
            board: Board::new(instance),
            idle: Timeline::idle(instance),
            load: vec![0; instance.lanes],
            spare: if unlimited { i64::MAX } else { instance.budget.saturating_sub(least).max(0) },
            collisions: Collisions::default(),
            limit_hit: false,
            disturbed: false,
        }
    }

    fn plan_chain(&mut self, chain: &[usize]) {
        let ideal = self.dynamic(chain, &self.idle, true);
        let met = ideal.as_ref().map_or(0, |plan| self.count(chain, plan));
        if let Some(plan) = ideal.as_ref().filter(|_| met == 0) {
            return self.accept(chain, plan.clone());
        }
        let planned = self.dynamic(chain, &self.board.line, true).or_else(|| {
            self.collisions.order += 1;
            self.disturbed = true;
            self.dynamic(chain, &self.board.line, false)
        });
        let Some(plan) = planned else { return };
        if let Some(ideal) = ideal {
            let rate = &self.instance.costs.rate;
            let dearer =
                ideal.spots.iter().zip(&plan.spots).filter(|(was, is)| rate[is.lane] > rate[was.lane]);
            self.collisions.dearer += u32::try_from(dearer.count()).unwrap_or(u32::MAX);
        }
        self.accept(chain, plan);
    }

    fn dynamic(&self, chain: &[usize], line: &Timeline, keep_due: bool) -> Option<ChainPlan> {
        let own =
            chain.iter().fold(0_i64, |sum, task| sum.saturating_add(self.instance.costs.cheapest[*task]));
        let allowance = self.spare.saturating_add(own);
        let aim = Aim { goal: self.goal, allowance, load: &self.load, labels_max: self.labels_max };
        chain::plan(self.instance, line, &self.board.placed, chain, &aim, keep_due)
    }

    /// Counts the tasks of a plan that are not on free time.
    fn count(&mut self, chain: &[usize], plan: &ChainPlan) -> usize {
        let mut met = 0;
        for (task, spot) in chain.iter().zip(&plan.spots) {
            let length = self.instance.runtime(*task, spot.lane);
            if self.board.line.is_free(spot.lane, spot.start, length) {
                continue;
            }
            met += 1;
            let end = spot.start + length;
            let of_owner =
                self.instance.free[spot.lane].iter().all(|(from, to)| spot.start < *from || end > *to);
            *(if of_owner { &mut self.collisions.owners } else { &mut self.collisions.chains }) += 1;
        }
        met
    }

    fn accept(&mut self, chain: &[usize], plan: ChainPlan) {
        self.limit_hit |= plan.limit_hit;
        for (task, spot) in chain.iter().zip(plan.spots) {
            self.board.put(*task, spot);
            let costs = &self.instance.costs;
            if self.spare != i64::MAX {
                self.spare -= self.instance.cost(*task, spot.lane) - costs.cheapest[*task];
            }
            if self.goal == Goal::Balance {
                let node = costs.node[spot.lane];
                let lanes = self.load.iter_mut().zip(&costs.node).filter(|(_, of)| **of == node);
                lanes.for_each(|(load, _)| *load += spot.end - spot.start);
            }
        }
    }

    fn finish(mut self) -> Planned {
        if self.disturbed || !self.board.placed.is_complete() {
            let wish = self.board.placed.clone();
            settle(self.instance, &wish, &mut self.board);
        }
        Planned { placed: self.board.placed, collisions: self.collisions, limit_hit: self.limit_hit }
    }
}

/// Sets all tasks again in order of their wished starts, each on its wished lane; where that fails, or there is no
/// wish, where it ends first.
pub(super) fn settle(instance: &Instance, wish: &Placed, board: &mut Board) {
    let late = |task: usize| if wish.is_placed(task) { -wish.start[task] } else { -instance.latest };
    let priority: Vec<i64> = (0..instance.tasks).map(late).collect();
    board.reset(instance);
    for task in by_priority(instance, &priority).into_iter().map(|task| task as usize) {
        board.arrivals.compute(instance, &board.placed, task);
        let spot = wish.lane_of(task).and_then(|lane| board.spot_on(instance, task, lane));
        match spot {
            Some(spot) => board.put(task, spot),
            None if board.place_first(instance, task, |_| 0) => {}
            None => return,
        }
    }
}
