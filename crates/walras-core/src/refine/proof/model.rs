//! A workflow that ends within a given time, as numbers and facts about them.
//!
//! - *on*: whether a task is on a lane, 0 or 1;
//! - *start*: when it starts there, guarded by *on*, so that a task has a time of its own for every lane that it may be on;
//! - *order*: whether the one of two tasks goes before the other if both are on one node;
//! - *end*: when everything has ended.
//!
//! Times are counted from the earliest moment.

use super::super::instance::{Instance, NEVER};
use super::trail::{Contradiction, Fact, NONE, Trail};

/// What is known of the time from the beginning.
pub(super) struct Room<'a> {
    /// By task, then lane: the least time before it.
    pub(super) heads: &'a [i64],
    /// Everything ends no sooner and no later.
    pub(super) least: i64,
    pub(super) most: i64,
}

/// Which number stands for what.
pub(super) struct Model<'a> {
    pub(super) instance: &'a Instance,
    pub(super) tasks: usize,
    pub(super) lanes: usize,
    /// By task, then lane: the least time from its end to the end of everything.
    pub(super) tails: Vec<i64>,
}

impl<'a> Model<'a> {
    pub(super) fn new(instance: &'a Instance, tails: &[i64]) -> Model<'a> {
        Model { instance, tasks: instance.tasks, lanes: instance.lanes, tails: tails.to_vec() }
    }

    fn cells(&self) -> usize {
        self.tasks * self.lanes
    }

    /// Whether the task is on the lane.
    pub(super) fn on(&self, task: usize, lane: usize) -> usize {
        task * self.lanes + lane
    }

    /// When it starts there.
    pub(super) fn start(&self, task: usize, lane: usize) -> usize {
        self.cells() + self.on(task, lane)
    }

    /// When everything has ended.
    pub(super) fn end(&self) -> usize {
        2 * self.cells() + self.tasks * self.tasks
    }

    /// The one task goes before the other if both are on one node.
    pub(super) fn before(&self, one: usize, other: usize) -> Fact {
        let order = |one: usize, other: usize| 2 * self.cells() + one * self.tasks + other;
        if one < other { Fact::at_least(order(one, other), 1) } else { Fact::at_most(order(other, one), 0) }
    }

    /// The task, and its lane where it is about one; nothing for the end.
    pub(super) fn meaning(&self, number: usize) -> Meaning {
        let cells = self.cells();
        if number < cells {
            Meaning::On { task: number / self.lanes, lane: number % self.lanes }
        } else if number < 2 * cells {
            Meaning::Start { task: (number - cells) / self.lanes, lane: number % self.lanes }
        } else if number < self.end() {
            Meaning::Order {
                one: (number - 2 * cells) / self.tasks,
                other: (number - 2 * cells) % self.tasks,
            }
        } else {
            Meaning::End
        }
    }

    /// Whether the task may still be there.
    pub(super) fn may(&self, trail: &Trail, task: usize, lane: usize) -> bool {
        trail.most(self.on(task, lane)) == 1
    }

    /// Whether it must be there.
    pub(super) fn must(&self, trail: &Trail, task: usize, lane: usize) -> bool {
        trail.least(self.on(task, lane)) == 1
    }

    /// All numbers before anything is supposed.
    pub(super) fn trail(&self, room: &Room<'_>) -> Trail {
        let mut numbers = vec![(0, 1, NONE); self.cells()];
        for task in 0..self.tasks {
            for lane in 0..self.lanes {
                let cell = self.on(task, lane);
                let (least, most) = self.starts(room, task, lane);
                if least > most {
                    numbers[cell] = (0, 0, NONE);
                }
                numbers.push((least, most.max(least), cell));
            }
        }
        let waits_for = self.waits_for();
        for one in 0..self.tasks {
            for other in 0..self.tasks {
                let least = i64::from(waits_for[other * self.tasks + one]);
                let most = i64::from(!waits_for[one * self.tasks + other]);
                numbers.push((least, most, NONE));
            }
        }
        numbers.push((room.least, room.most, NONE));
        Trail::new(numbers.into_iter())
    }

    /// The first and the last moment for a start; the last is before the first where it may not run.
    fn starts(&self, room: &Room<'_>, task: usize, lane: usize) -> (i64, i64) {
        let (length, cell) = (self.instance.runtime(task, lane), self.on(task, lane));
        let Some((from, to)) = self.instance.free[lane].first().filter(|_| length != NEVER) else {
            return (0, -1);
        };
        let earliest = self.instance.earliest;
        let after = length.saturating_add(self.tails[cell]);
        let last = room.most.saturating_sub(after).min(to - earliest - length);
        (room.heads[cell].max(from - earliest), last)
    }

    /// By task, then other: whether the task waits for the other, also through others.
    fn waits_for(&self) -> Vec<bool> {
        let mut waits = vec![false; self.tasks * self.tasks];
        for task in self.instance.order.iter().map(|task| *task as usize) {
            for before in self.instance.before.of(task).iter().map(|flow| flow.task as usize) {
                waits[task * self.tasks + before] = true;
                for other in 0..self.tasks {
                    waits[task * self.tasks + other] |= waits[before * self.tasks + other];
                }
            }
        }
        waits
    }

    /// A task is on one lane.
    pub(super) fn one_lane(
        &self,
        trail: &mut Trail,
        task: usize,
        causes: &mut Vec<Fact>,
    ) -> Result<(), Contradiction> {
        let lanes = || 0..self.lanes;
        if let Some(there) = lanes().find(|lane| self.must(trail, task, *lane)) {
            let cause = [Fact::at_least(self.on(task, there), 1)];
            for lane in lanes().filter(|lane| *lane != there) {
                trail.learn(Fact::at_most(self.on(task, lane), 0), &cause)?;
            }
            return Ok(());
        }
        let mut left = lanes().filter(|lane| self.may(trail, task, *lane));
        let (first, second) = (left.next(), left.next());
        if second.is_some() {
            return Ok(());
        }
        causes.clear();
        let others = lanes().filter(|lane| Some(*lane) != first);
        causes.extend(others.map(|lane| Fact::at_most(self.on(task, lane), 0)));
        match first {
            Some(lane) => trail.learn(Fact::at_least(self.on(task, lane), 1), causes),
            None => Err(trail.contradict(causes)),
        }
    }

    /// No start is so late that what comes after it ends after the end.
    pub(super) fn by_the_end(&self, trail: &mut Trail) -> Result<(), Contradiction> {
        let last = trail.most(self.end());
        let cause = [Fact::at_most(self.end(), last)];
        for task in 0..self.tasks {
            for lane in 0..self.lanes {
                if self.may(trail, task, lane) {
                    let after = self.instance.runtime(task, lane) + self.tails[self.on(task, lane)];
                    trail.learn(Fact::at_most(self.start(task, lane), last - after), &cause)?;
                }
            }
        }
        Ok(())
    }
}

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    On { task: usize, lane: usize },
    Start { task: usize, lane: usize },
    Order { one: usize, other: usize },
    End,
}
