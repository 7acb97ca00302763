//! Making a schedule better, as long as the effort lasts.
//!
//! **Method.** Three steps, all deterministic from the seed and counted in units of work, never in seconds:
//! 1. *Forwards and backwards* (for the goal of an early end): all tasks are set again with time running backwards,
//!    the last first, then forwards in the order that came of it; each pass can use gaps that the one before left.
//! 2. *Shaken lists*: upward ranks with noise, list scheduling, and step 1 on what is good.
//! 3. *Late acceptance* (Burke and Bykov 2008): one task at a time, most often one on the critical path, changes its
//!    lane or its place in the order; the change is kept when it is no worse than the schedule, or than what the
//!    schedule was some steps ago. Timing stops as soon as the end must lie past what would be accepted. A walk that
//!    finds nothing better for long is pushed by a few changes that are kept whatever they do.
//!
//! The best schedule seen is kept, so the result is never worse than what it was given.
//!
//! **Complexity.** Linear in the effort. A list pass takes tasks × lanes + edges units, timing a changed sequence at
//! most tasks + edges.

use super::instance::{Instance, NEVER};
use super::list::{Board, by_priority};
use super::rank;
use super::schedule::{Placed, Score};
use super::sequence::{Fronts, NONE, Sequence, Timed};
use super::strategy::Goal;
use crate::random::Sequence as Draws;

/// How long late acceptance looks back.
const MEMORY: usize = 40;
/// After so many steps, and so many for each task, without a better schedule, the walk is pushed somewhere else.
const STALL: (usize, usize) = (100, 12);

/// Units of work that are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fuel {
    pub(super) left: u64,
}

impl Fuel {
    fn burn(&mut self, units: u64) -> bool {
        self.left = self.left.saturating_sub(units);
        self.left > 0
    }
}

/// The best schedule so far.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) placed: Placed,
    pub(super) score: Score,
}

impl Best {
    pub(super) fn new(instance: &Instance, goal: Goal, placed: Placed) -> Best {
        let score = placed.score(instance, goal);
        Best { placed, score }
    }

    /// Keeps the better one; whether it is the new one.
    pub(super) fn offer(&mut self, instance: &Instance, goal: Goal, placed: &Placed) -> bool {
        let score = placed.score(instance, goal);
        let better = score < self.score;
        if better {
            *self = Best { placed: placed.clone(), score };
        }
        better
    }
}

/// Improves `best`, which must be complete, until the fuel is used up or `bound` is reached.
pub(super) fn improve(
    instance: &Instance,
    goal: Goal,
    best: &mut Best,
    bound: i64,
    seed: u64,
    fuel: &mut Fuel,
) {
    let mut draws = Draws::new(seed);
    if goal == Goal::Finish {
        let mut lists = Lists::new(instance);
        let mut own = fuel.left / 3;
        let mut part = Fuel { left: own };
        let start = best.placed.clone();
        lists.back_and_forth(&start, best, &mut part);
        lists.shake(best, bound, &mut draws, &mut part);
        own -= part.left;
        fuel.left -= own;
    }
    late_acceptance(instance, goal, best, bound, &mut draws, fuel);
}

/// List passes in both directions of time.
struct Lists<'a> {
    instance: &'a Instance,
    mirror: Instance,
    board: Board,
    board_back: Board,
    /// What one pass costs.
    units: u64,
}

impl<'a> Lists<'a> {
    fn new(instance: &'a Instance) -> Lists<'a> {
        let mirror = instance.mirror();
        let edges: usize = (0..instance.tasks).map(|task| instance.before.of(task).len()).sum();
        Lists {
            instance,
            board: Board::new(instance),
            board_back: Board::new(&mirror),
            mirror,
            units: (instance.tasks * instance.lanes + edges) as u64,
        }
    }

    /// Backwards and forwards from a complete schedule until that no longer helps.
    fn back_and_forth(&mut self, placed: &Placed, best: &mut Best, fuel: &mut Fuel) {
        let mut finish = placed.finish();
        let mut placed = placed.clone();
        loop {
            if !fuel.burn(2 * self.units) {
                return;
            }
            pass(&self.mirror, &placed.end, &mut self.board_back);
            if !self.board_back.placed.is_complete() {
                return;
            }
            // Starts of the backward schedule in its own time: the last to start there is the first to start here.
            pass(self.instance, &self.board_back.placed.end, &mut self.board);
            if !self.board.placed.is_complete() {
                return;
            }
            best.offer(self.instance, Goal::Finish, &self.board.placed);
            let now = self.board.placed.finish();
            if now >= finish {
                return;
            }
            finish = now;
            placed = self.board.placed.clone();
        }
    }

    fn shake(&mut self, best: &mut Best, bound: i64, draws: &mut Draws, fuel: &mut Fuel) {
        let rank = rank::upward(self.instance);
        let mut good = best.placed.finish();
        while i128::from(bound) < best.score.first && fuel.burn(self.units) {
            let noisy: Vec<i64> = rank.iter().map(|rank| shaken(*rank, draws)).collect();
            pass(self.instance, &noisy, &mut self.board);
            if !self.board.placed.is_complete() {
                return;
            }
            best.offer(self.instance, Goal::Finish, &self.board.placed);
            let finish = self.board.placed.finish();
            if finish <= good + (good - self.instance.earliest) / 32 {
                good = good.min(finish);
                let placed = self.board.placed.clone();
                self.back_and_forth(&placed, best, fuel);
            }
        }
    }
}

/// A rank with noise of up to a tenth either way.
fn shaken(rank: i64, draws: &mut Draws) -> i64 {
    let share = i64::try_from(draws.below(2_001)).unwrap_or(1_000) - 1_000;
    rank + i64::try_from(i128::from(rank) * i128::from(share) / 10_000).unwrap_or(0)
}

/// One list pass, the highest priority first, each task where it ends first.
fn pass(instance: &Instance, priority: &[i64], board: &mut Board) {
    board.reset(instance);
    for task in by_priority(instance, priority).into_iter().map(|task| task as usize) {
        if !board.place_first(instance, task, |_| 0) {
            return;
        }
    }
}

fn late_acceptance(
    instance: &Instance,
    goal: Goal,
    best: &mut Best,
    bound: i64,
    draws: &mut Draws,
    fuel: &mut Fuel,
) {
    let mut walk = Walk::new(instance, goal, best);
    while fuel.left > 0 && !(goal == Goal::Finish && best.score.first <= i128::from(bound)) {
        let mut units = 4;
        walk.step(best, draws, &mut units);
        fuel.burn(units);
    }
}

/// A walk through sequences.
struct Walk<'a> {
    instance: &'a Instance,
    goal: Goal,
    now: Sequence,
    trial: Sequence,
    score: Score,
    memory: Vec<Score>,
    steps: usize,
    /// Steps since the best schedule was found.
    stalled: usize,
    /// By task: the least time from its end to the end of everything.
    tail: Vec<i64>,
    critical: Vec<u32>,
    fronts: Fronts,
}

impl<'a> Walk<'a> {
    fn new(instance: &'a Instance, goal: Goal, best: &Best) -> Walk<'a> {
        let now = Sequence::of(instance, &best.placed);
        let ways = rank::longest_without_transfers(instance);
        let tail = ways.iter().zip(&instance.costs.fastest).map(|(way, own)| way - own).collect();
        let mut walk = Walk {
            instance,
            goal,
            trial: now.clone(),
            now,
            score: best.score,
            memory: vec![best.score; MEMORY],
            steps: 0,
            stalled: 0,
            tail,
            critical: Vec::new(),
            fronts: Fronts::default(),
        };
        walk.settle();
        walk
    }

    /// Times the sequence anew and reads it in order of starts, so that positions mean something.
    fn settle(&mut self) {
        let no_limit = (i64::MAX, self.tail.as_slice());
        if self.now.time(self.instance, 0, no_limit, &mut self.fronts, &mut 0) == Timed::Done {
            self.now.sort();
        }
        self.trial.clone_from(&self.now);
        self.find_critical();
    }

    /// The tasks that the end depends on.
    fn find_critical(&mut self) {
        self.critical.clear();
        let mut task = u32::try_from(self.now.last().1).unwrap_or(NONE);
        while task != NONE && self.critical.len() <= self.instance.tasks {
            self.critical.push(task);
            task = self.now.because[task as usize];
        }
    }

    fn step(&mut self, best: &mut Best, draws: &mut Draws, units: &mut u64) {
        let slot = self.steps % MEMORY;
        self.steps += 1;
        self.stalled += 1;
        if self.stalled > STALL.0 + STALL.1 * self.instance.tasks {
            return self.push(best, draws, units);
        }
        let accept = self.memory[slot].max(self.score);
        let Some(from) = self.change(draws) else { return };
        let limit = if self.goal == Goal::Finish {
            i64::try_from(accept.first).unwrap_or(i64::MAX)
        } else {
            i64::MAX
        };
        let timed = self.trial.time(self.instance, from, (limit, &self.tail), &mut self.fronts, units);
        let score = (timed == Timed::Done).then(|| self.judge(units));
        match score.filter(|score| *score <= accept) {
            Some(score) => self.accept(score, from, best),
            None => self.restore(from),
        }
        self.memory[slot] = self.memory[slot].min(self.score);
    }

    fn judge(&self, units: &mut u64) -> Score {
        *units += self.instance.tasks as u64 / 4;
        self.trial.placed().score(self.instance, self.goal)
    }

    fn accept(&mut self, score: Score, from: usize, best: &mut Best) {
        self.score = score;
        if score < best.score {
            self.stalled = 0;
            *best = Best { placed: self.trial.placed(), score };
            self.now.clone_from(&self.trial);
            return self.settle();
        }
        copy_from(&mut self.now, &self.trial, from);
        self.find_critical();
    }

    /// Goes on from the best schedule, or from here, after a few changes of any kind.
    fn push(&mut self, best: &mut Best, draws: &mut Draws, units: &mut u64) {
        self.stalled = 0;
        if draws.below(2) == 0 {
            self.now = Sequence::of(self.instance, &best.placed);
            self.settle();
        }
        for _ in 0..2 + draws.below(5) {
            self.change(draws);
        }
        let no_limit = (i64::MAX, self.tail.as_slice());
        if self.trial.time(self.instance, 0, no_limit, &mut self.fronts, units) == Timed::GivenUp {
            return self.restore(0);
        }
        self.score = self.judge(units);
        self.memory.fill(self.score);
        self.now.clone_from(&self.trial);
        best.offer(self.instance, self.goal, &self.now.placed());
        self.settle();
    }

    fn restore(&mut self, from: usize) {
        copy_from(&mut self.trial, &self.now, from);
    }

    /// Changes the trial somewhere; the first position that may differ, or `None` when nothing came of it.
    fn change(&mut self, draws: &mut Draws) -> Option<usize> {
        let on_path = self.goal == Goal::Finish && draws.below(8) != 0 && !self.critical.is_empty();
        let task = if on_path {
            self.critical[draws.below(self.critical.len())] as usize
        } else {
            draws.below(self.instance.tasks)
        };
        let at = self.trial.position[task] as usize;
        if draws.below(3) == 0 {
            return self.go_ahead(task, at, draws);
        }
        let lane = self.lane_for(task, draws);
        if lane == self.trial.lane[task] as usize || self.instance.runtime(task, lane) == NEVER {
            return None;
        }
        self.trial.lane[task] = u32::try_from(lane).ok()?;
        let to = if draws.below(2) == 0 { at } else { self.somewhere(task, draws) };
        self.trial.shift(at, to);
        Some(at.min(to))
    }

    /// Any lane, or one where a neighbour in the graph is.
    fn lane_for(&self, task: usize, draws: &mut Draws) -> usize {
        let (before, after) = (self.instance.before.of(task), self.instance.after.of(task));
        let neighbours = before.len() + after.len();
        if neighbours == 0 || draws.below(3) != 0 {
            return draws.below(self.instance.lanes);
        }
        let one = draws.below(neighbours);
        let flow = before.get(one).unwrap_or_else(|| &after[one - before.len()]);
        self.trial.lane[flow.task as usize] as usize
    }

    /// Puts a task before one that it waits for on its lane, or somewhere else where the graph allows it.
    fn go_ahead(&mut self, task: usize, at: usize, draws: &mut Draws) -> Option<usize> {
        let blocker = self.now.because[task];
        let to = if blocker != NONE && draws.below(4) != 0 {
            let (first, last) = self.range(task);
            (self.trial.position[blocker as usize] as usize).clamp(first, last)
        } else {
            self.somewhere(task, draws)
        };
        if to == at {
            return None;
        }
        self.trial.shift(at, to);
        Some(at.min(to))
    }

    /// The positions that the graph allows a task, first and last.
    fn range(&self, task: usize) -> (usize, usize) {
        let position = |task: u32| self.trial.position[task as usize] as usize;
        let first =
            self.instance.before.of(task).iter().map(|flow| position(flow.task) + 1).max().unwrap_or(0);
        let last = self.instance.after.of(task).iter().map(|flow| position(flow.task) - 1).min();
        (first, last.unwrap_or(self.instance.tasks - 1))
    }

    fn somewhere(&self, task: usize, draws: &mut Draws) -> usize {
        let (first, last) = self.range(task);
        first + draws.below(last + 1 - first)
    }
}

/// Makes `to` equal to `from`, given that they agree before a position.
fn copy_from(to: &mut Sequence, from: &Sequence, position: usize) {
    to.order[position..].copy_from_slice(&from.order[position..]);
    for (at, task) in (0_u32..).zip(&from.order).skip(position) {
        let index = *task as usize;
        to.position[index] = at;
        to.lane[index] = from.lane[index];
        to.start[index] = from.start[index];
        to.end[index] = from.end[index];
        to.because[index] = from.because[index];
    }
}
