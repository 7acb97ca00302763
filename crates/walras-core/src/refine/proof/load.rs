//! Between two moments the lanes can do only so much.
//!
//! A task that may be on several lanes and start there within some time does at least a part of its work between two moments, wherever it
//! is and whenever it starts. Lanes have weights, their speeds, so that the parts can be added. When they come to more than
//! the lanes can do, that is a contradiction, and it follows from no more than these parts (energetic reasoning; Baptiste, Le Pape and Nuijten
//! 2001).
//!
//! That takes longer than all else that follows from a supposition, and shows something for some workflows only. So it is looked at less and
//! less often while it shows nothing.
//!
//! **Complexity.** O(tasks × lanes) for a pair of moments; at most [`MOMENTS`]² pairs.

use super::super::heads::some_of;
use super::model::Model;
use super::trail::{Contradiction, Fact, Trail};
use walras_model::quantity::rounding;

/// So many moments are looked at as begins, and as many as ends.
const MOMENTS: usize = 8;
/// After looking in vain, at most so many times it is not looked.
const REST_MAX: u32 = 32;

/// Room for looking.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// By lane.
    weights: Vec<i64>,
    /// The tasks that do a part of their work between the moments, by its weight.
    parts: Vec<(i128, usize)>,
    causes: Vec<Fact>,
    /// So many times it is not looked, and so many from the last time in vain on.
    rests: u32,
    rest: u32,
}

/// Two moments.
#[derive(Clone, Copy, Debug)]
struct Between {
    begin: i64,
    end: i64,
}

impl Between {
    /// How much of a task that starts no sooner and no later lies between, at least.
    fn part(self, (first, last): (i64, i64), length: i64) -> i64 {
        let from = |start: i64| self.end.min(start + length) - self.begin.max(start);
        from(first).min(from(last)).max(0)
    }
}

impl Load {
    pub(super) fn new(model: &Model<'_>) -> Load {
        let weights = model.instance.costs.performance.iter().map(|speed| (*speed).max(1)).collect();
        Load { weights, parts: Vec::new(), causes: Vec::new(), rests: 0, rest: 1 }
    }

    /// Whether there is too much to do somewhere, when it is time to look; how many parts were looked at is added to `looked`.
    pub(super) fn follow(
        &mut self,
        model: &Model<'_>,
        trail: &mut Trail,
        looked: &mut u64,
    ) -> Result<(), Contradiction> {
        if self.rests > 0 {
            self.rests -= 1;
            return Ok(());
        }
        let outcome = self.look(model, trail, looked);
        self.rest = if outcome.is_err() { 1 } else { REST_MAX.min(2 * self.rest) };
        self.rests = self.rest - 1;
        outcome
    }

    fn look(&mut self, model: &Model<'_>, trail: &mut Trail, looked: &mut u64) -> Result<(), Contradiction> {
        let (mut begins, mut ends) = (Vec::new(), Vec::new());
        for task in 0..model.tasks {
            let lanes = || (0..model.lanes).filter(|lane| model.may(trail, task, *lane));
            let first = lanes().map(|lane| trail.least(model.start(task, lane))).min();
            let end = |lane: usize| trail.most(model.start(task, lane)) + model.instance.runtime(task, lane);
            begins.extend(first);
            ends.extend(lanes().map(end).max());
        }
        *looked += (model.tasks * model.lanes) as u64;
        let ends = some_of(&ends, MOMENTS);
        for begin in some_of(&begins, MOMENTS) {
            for end in ends.iter().copied().filter(|end| *end > begin) {
                *looked += (model.tasks * model.lanes) as u64 / 2;
                self.between(model, trail, Between { begin, end })?;
            }
        }
        Ok(())
    }

    fn between(
        &mut self,
        model: &Model<'_>,
        trail: &mut Trail,
        between: Between,
    ) -> Result<(), Contradiction> {
        let sum: i128 = self.weights.iter().map(|weight| i128::from(*weight)).sum();
        let there = sum * i128::from(between.end - between.begin);
        self.parts.clear();
        let mut needed = 0;
        for task in 0..model.tasks {
            let mut least = i128::MAX;
            for lane in (0..model.lanes).filter(|lane| model.may(trail, task, *lane)) {
                let start = model.start(task, lane);
                let window = (trail.least(start), trail.most(start));
                let part = between.part(window, model.instance.runtime(task, lane));
                least = least.min(i128::from(part) * i128::from(self.weights[lane]));
                if least == 0 {
                    break;
                }
            }
            if least > 0 && least < i128::MAX {
                self.parts.push((least, task));
                needed += least;
            }
        }
        if needed <= there {
            return Ok(());
        }
        self.explain(model, trail, between, needed - there)
    }

    /// The parts that are too much, without those that are too much beyond that.
    fn explain(
        &mut self,
        model: &Model<'_>,
        trail: &mut Trail,
        between: Between,
        mut beyond: i128,
    ) -> Result<(), Contradiction> {
        self.parts.sort_unstable();
        self.causes.clear();
        for (part, task) in self.parts.iter().copied() {
            if part < beyond {
                beyond -= part;
                continue;
            }
            for lane in 0..model.lanes {
                if !model.may(trail, task, lane) {
                    self.causes.push(Fact::at_most(model.on(task, lane), 0));
                    continue;
                }
                let weight = i128::from(self.weights[lane]);
                let millis = i64::try_from(rounding::up(part, weight)).unwrap_or(0);
                let (start, length) = (model.start(task, lane), model.instance.runtime(task, lane));
                self.causes.push(Fact::at_least(start, between.begin + millis - length));
                self.causes.push(Fact::at_most(start, between.end - millis));
            }
        }
        Err(trail.contradict(&self.causes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_lies_between_wherever_a_task_starts() {
        let between = Between { begin: 10, end: 20 };
        assert_eq!(between.part((10, 15), 5), 5);
        assert_eq!(between.part((8, 15), 5), 3);
        assert_eq!(between.part((8, 18), 5), 2);
        assert_eq!(between.part((5, 18), 5), 0);
        assert_eq!(between.part((0, 1), 100), 10);
        assert_eq!(between.part((25, 30), 5), 0);
    }
}
