//! A schedule as an order of tasks and a lane for each: cheap to change, cheap to time.
//!
//! Timing a sequence puts every task behind those before it on its lane, as early as its data and the owners allow. A task that
//! takes no time is in nobody's way: it starts when its data is there, and keeps nobody behind it.
//! Any schedule, read in order of starts, gives a sequence that ends no later than it.

use super::instance::{Instance, NEVER};
use super::schedule::Placed;

/// Stands for no task: before the first of a lane and after the last.
pub(super) const NONE: u32 = u32::MAX;

/// Tasks in order, each on a lane, timed.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) order: Vec<u32>,
    pub(super) position: Vec<u32>,
    pub(super) lane: Vec<u32>,
    pub(super) start: Vec<i64>,
    pub(super) end: Vec<i64>,
    /// The task that each one starts right behind: a predecessor, or the one before it on its lane.
    pub(super) because: Vec<u32>,
}

/// By lane, while timing.
#[derive(Clone, Debug, Default)]
pub(super) struct Fronts {
    free_from: Vec<i64>,
    gap: Vec<usize>,
    last: Vec<u32>,
}

/// How timing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timed {
    /// All tasks have times.
    Done,
    /// The end would lie past the limit, or a task did not fit; times from there on mean nothing.
    GivenUp,
}

impl Sequence {
    /// The tasks of a complete schedule in order of their starts.
    pub(super) fn of(instance: &Instance, placed: &Placed) -> Sequence {
        let order: Vec<u32> = instance.order.to_vec();
        let mut sequence = Sequence {
            position: vec![0; order.len()],
            order,
            lane: placed.lane.clone(),
            start: placed.start.clone(),
            end: placed.end.clone(),
            because: vec![NONE; instance.tasks],
        };
        sequence.sort();
        sequence
    }

    /// Puts the tasks in order of their starts; equals stay as they are, so the order stays topological.
    pub(super) fn sort(&mut self) {
        let start = &self.start;
        self.order.sort_by_key(|task| start[*task as usize]);
        self.number(0, self.order.len());
    }

    /// Moves a task to another position.
    pub(super) fn shift(&mut self, from: usize, to: usize) {
        if from < to {
            self.order[from..=to].rotate_left(1);
        } else {
            self.order[to..=from].rotate_right(1);
        }
        self.number(from.min(to), from.max(to) + 1);
    }

    fn number(&mut self, from: usize, to: usize) {
        for (at, task) in (0_u32..).zip(&self.order[..to]).skip(from) {
            self.position[*task as usize] = at;
        }
    }

    pub(super) fn placed(&self) -> Placed {
        Placed { lane: self.lane.clone(), start: self.start.clone(), end: self.end.clone() }
    }

    /// When the last task ends, and which it is.
    pub(super) fn last(&self) -> (i64, usize) {
        (0..self.end.len()).map(|task| (self.end[task], task)).max().unwrap_or((0, 0))
    }

    /// Gives times to the tasks from position `from` on; those before must have theirs. Gives up when a task ends so
    /// late that with `tail` after it the limit is passed. Adds what it did to `units`.
    pub(super) fn time(
        &mut self,
        instance: &Instance,
        from: usize,
        (limit, tail): (i64, &[i64]),
        fronts: &mut Fronts,
        units: &mut u64,
    ) -> Timed {
        fronts.set(instance, self, from);
        *units += (from / 8) as u64;
        for at in from..self.order.len() {
            let task = self.order[at] as usize;
            let lane = self.lane[task] as usize;
            let (mut ready, mut because) = (instance.earliest, NONE);
            let flows = instance.before.of(task);
            *units += 1 + flows.len() as u64;
            for flow in flows {
                let before = flow.task as usize;
                let arrived = self.end[before] + instance.transfer(flow, self.lane[before] as usize, lane);
                if arrived > ready {
                    (ready, because) = (arrived, flow.task);
                }
            }
            let length = instance.runtime(task, lane);
            let Some((start, waited)) = fronts.place(instance, lane, ready, length, self.order[at]) else {
                return Timed::GivenUp;
            };
            self.start[task] = start;
            self.end[task] = start + length;
            self.because[task] = if waited == NONE { because } else { waited };
            if start + length + tail[task] > limit {
                return Timed::GivenUp;
            }
        }
        Timed::Done
    }
}

impl Fronts {
    /// As they are after the tasks before `from`.
    fn set(&mut self, instance: &Instance, sequence: &Sequence, from: usize) {
        self.free_from.clear();
        self.free_from.resize(instance.lanes, i64::MIN);
        self.gap.clear();
        self.gap.resize(instance.lanes, 0);
        self.last.clear();
        self.last.resize(instance.lanes, NONE);
        for task in &sequence.order[..from] {
            let index = *task as usize;
            if sequence.start[index] < sequence.end[index] {
                let lane = sequence.lane[index] as usize;
                self.free_from[lane] = sequence.end[index];
                self.last[lane] = *task;
            }
        }
    }

    /// The start behind all others on the lane, and the task that it had to wait for there.
    fn place(
        &mut self,
        instance: &Instance,
        lane: usize,
        ready: i64,
        length: i64,
        task: u32,
    ) -> Option<(i64, u32)> {
        if length == NEVER {
            return None;
        }
        let free = &instance.free[lane];
        if length == 0 {
            let (from, _) = free.get(free.partition_point(|(_, to)| *to < ready))?;
            return Some((ready.max(*from), NONE));
        }
        let behind = self.free_from[lane];
        let waited = if behind > ready { self.last[lane] } else { NONE };
        let wanted = ready.max(behind);
        let mut gap = self.gap[lane];
        while free.get(gap)?.1 < wanted.max(free[gap].0) + length {
            gap += 1;
        }
        let start = wanted.max(free[gap].0);
        // A short task may fit where a long one did not: only what lies behind is left for good.
        while free[self.gap[lane]].1 < start {
            self.gap[lane] += 1;
        }
        self.free_from[lane] = start + length;
        self.last[lane] = task;
        Some((start, waited))
    }
}
