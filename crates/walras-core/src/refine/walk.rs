//! A walk from schedule to schedule.
//!
//! **Problem.** Make a complete schedule better by the goal, as long as the effort lasts.
//!
//! **Method.** *Late acceptance* (Burke and Bykov 2008): a change is kept when the schedule then is no worse than it was, or than it
//! was some steps ago. For an early end, money is not looked at on the way: of schedules that end together all are
//! as good to walk through, and only the best one is asked what it costs. Changes, by chance:
//! - a task, most often one on the critical path, goes where it has most room ([`super::insert`]), half of the time; a little noise
//!   keeps the walk from going in circles;
//! - some tasks that follow each other on the critical path go to one lane, so that data between them need not move;
//! - a task goes to another lane, or to another place in the order.
//!
//! Timing stops as soon as the end must lie past what would be accepted. A walk that finds nothing better for long is pushed by a few
//! changes that are kept whatever they do, from where it is or from the best schedule.
//!
//! **Complexity.** Linear in the effort; a step takes at most tasks + edges + lanes units.
//!
//! **Example.** Two tasks wait for the same lane and end at 10; with the second on an idle lane both end at 5, and that is kept.

use super::best::{Best, Fuel};
use super::insert::{Places, Wish};
use super::instance::{Instance, NEVER};
use super::rank;
use super::schedule::Score;
use super::sequence::{Fronts, NONE, Sequence, Timed};
use super::strategy::Goal;
use walras_random::Draws;

/// How long late acceptance looks back.
const MEMORY: usize = 10;
/// After so many steps, and so many for each task, without a better schedule, the walk is pushed somewhere else.
const STALL: (usize, usize) = (100, 1);
/// After so many changes the order is made one of starts again.
const SORTED: usize = 16;
/// Of sixteen changes, so many put a task where it has most room, and so many more move a part of the critical path.
const OF_SIXTEEN: (usize, usize) = (8, 1);
/// The noise of rooms is the span of the schedule over this.
const NOISE: i64 = 50;

/// Walks until the fuel is used up or `bound` is reached.
pub(super) fn late_acceptance(
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
    accepted: usize,
    /// Steps since the best schedule was found.
    stalled: usize,
    /// By task: the least time from its end to the end of everything.
    tail: Vec<i64>,
    critical: Vec<u32>,
    fronts: Fronts,
    places: Places,
    /// Whether `places` has read the sequence as it is now.
    is_read: bool,
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
            accepted: 0,
            stalled: 0,
            tail,
            critical: Vec::new(),
            fronts: Fronts::default(),
            places: Places::new(instance),
            is_read: false,
        };
        walk.settle();
        walk
    }

    /// Times the sequence anew and reads it in order of starts, so that positions mean something.
    fn settle(&mut self) {
        let no_limit = (i64::MAX, self.tail.as_slice());
        self.trial.clone_from(&self.now);
        if self.trial.time(self.instance, 0, no_limit, &mut self.fronts, &mut 0) == Timed::Done {
            self.trial.sort();
            self.now.clone_from(&self.trial);
        } else {
            // Times that were given up mean nothing: those from before still do.
            self.trial.clone_from(&self.now);
        }
        self.find_critical();
    }

    /// The tasks that the end depends on.
    fn find_critical(&mut self) {
        self.is_read = false;
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
        let mut accept = self.memory[slot].max(self.score);
        if self.goal == Goal::Finish {
            accept.second = i128::MAX;
        }
        let Some(from) = self.change(draws, units) else { return };
        let limit = if self.goal == Goal::Finish {
            i64::try_from(accept.first).unwrap_or(i64::MAX)
        } else {
            i64::MAX
        };
        let timed = self.trial.time(self.instance, from, (limit, &self.tail), &mut self.fronts, units);
        let score = (timed == Timed::Done).then(|| self.judge(best, units));
        match score.filter(|score| *score <= accept) {
            Some(score) => self.accept(score, from, best),
            None => self.restore(from),
        }
        self.memory[slot] = self.memory[slot].min(self.score);
    }

    fn judge(&self, best: &Best, units: &mut u64) -> Score {
        *units += self.instance.tasks as u64 / 4;
        // Money takes long to count; it matters only beside the best.
        if self.goal == Goal::Finish && self.instance.budget == i64::MAX {
            let first = i128::from(self.trial.last().0);
            if first > best.score.first {
                return Score { missing: 0, over_budget: 0, first, second: i128::MAX };
            }
        }
        Score::of(&self.trial.lane, &self.trial.start, &self.trial.end, self.instance, self.goal)
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
        self.accepted += 1;
        if self.accepted.is_multiple_of(SORTED) {
            self.now.sort();
            self.trial.clone_from(&self.now);
        }
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
            self.any_change(draws);
        }
        let no_limit = (i64::MAX, self.tail.as_slice());
        if self.trial.time(self.instance, 0, no_limit, &mut self.fronts, units) == Timed::GivenUp {
            return self.restore(0);
        }
        self.score = self.judge(best, units);
        self.memory.fill(self.score);
        self.now.clone_from(&self.trial);
        best.offer(self.instance, self.goal, &self.now.placed());
        self.settle();
    }

    fn restore(&mut self, from: usize) {
        copy_from(&mut self.trial, &self.now, from);
    }

    /// Changes the trial somewhere; the first position that may differ, or `None` when nothing came of it.
    fn change(&mut self, draws: &mut Draws, units: &mut u64) -> Option<usize> {
        let kind = draws.below(16);
        if self.goal == Goal::Finish && kind < OF_SIXTEEN.0 {
            return self.reinsert(draws, units);
        }
        if self.goal == Goal::Finish && kind < OF_SIXTEEN.0 + OF_SIXTEEN.1 {
            return self.move_segment(draws);
        }
        self.any_change(draws)
    }

    /// A task on another lane, or elsewhere in the order, by chance.
    fn any_change(&mut self, draws: &mut Draws) -> Option<usize> {
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

    /// Takes a task of the critical path out and puts it where it has most room.
    fn reinsert(&mut self, draws: &mut Draws, units: &mut u64) -> Option<usize> {
        let task = if draws.below(16) != 0 && !self.critical.is_empty() {
            self.critical[draws.below(self.critical.len())] as usize
        } else {
            draws.below(self.instance.tasks)
        };
        if !self.is_read {
            self.places.read(self.instance, &self.now, units);
            self.is_read = true;
        }
        let at = self.trial.position[task] as usize;
        let span = self.score.first - i128::from(self.instance.earliest);
        let noise = if draws.below(4) == 0 { 0 } else { i64::try_from(span).unwrap_or(0) / NOISE };
        let wish = Wish { task, range: self.range(task), allowance: self.allowance(task), noise };
        let insertion = self.places.best(self.instance, &mut self.trial, wish, draws, units);
        let Some(insertion) = insertion else {
            self.restore(at);
            return None;
        };
        self.trial.lane[task] = u32::try_from(insertion.lane).ok()?;
        self.trial.shift(at, insertion.position);
        Some(at.min(insertion.position))
    }

    /// What a task may cost when all others stay where they are.
    fn allowance(&self, task: usize) -> i64 {
        if self.instance.budget == i64::MAX {
            return i64::MAX;
        }
        let others = self.now.lane.iter().enumerate().filter(|(other, _)| *other != task);
        let spent = others.map(|(other, lane)| self.instance.cost(other, *lane as usize));
        self.instance.budget.saturating_sub(spent.fold(0, i64::saturating_add))
    }

    /// Puts some tasks that follow each other on the critical path on one lane.
    fn move_segment(&mut self, draws: &mut Draws) -> Option<usize> {
        let count = self.critical.len();
        if count < 2 {
            return None;
        }
        let length = (2 + draws.below(4)).min(count);
        let from = draws.below(count + 1 - length);
        let pick = self.critical[from + draws.below(length)] as usize;
        let lane =
            if draws.below(2) == 0 { self.trial.lane[pick] as usize } else { self.lane_for(pick, draws) };
        let mut first = usize::MAX;
        for index in from..from + length {
            let task = self.critical[index] as usize;
            if self.trial.lane[task] as usize != lane && self.instance.runtime(task, lane) != NEVER {
                self.trial.lane[task] = u32::try_from(lane).ok()?;
                first = first.min(self.trial.position[task] as usize);
            }
        }
        (first != usize::MAX).then_some(first)
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
