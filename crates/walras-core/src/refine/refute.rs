//! Ends that no schedule can have, shown by what would follow from them.
//!
//! **Problem.** A time before which no schedule can end, as late as can be proven with the given fuel.
//!
//! **Method** (destructive bounds; Klein and Scholl 1999). Suppose that everything ends by `T`. Then a task may be on a lane only if its head,
//! its run time and its tail there fit into `T`. With fewer lanes heads and tails grow ([`super::together`]), which takes away more
//! lanes, until nothing changes. `T` is refuted when
//! - a task has no lane left;
//! - tasks that only one node is left for cannot take turns there in time;
//! - *energy*: between two moments there is more to do than the lanes can do. What a task must do there is what it does at least,
//!   whether it runs as early or as late as it may; a weight for every lane makes the sum one number, and any weights prove. The lanes'
//!   speeds are tried first, then weights raised where most would go (the dual of the load on unrelated machines).
//!
//! Where a task with much data goes decides for all that need it, which no sum over single tasks shows. So when nothing is refuted, the
//! lanes of the task with most data to move are supposed one after the other, then those of the next, as long as the fuel lasts: `T`
//! is refuted when it is on every lane.
//!
//! The least `T` that is not refuted is looked for by bisection without suppositions; then the end just before the best one known is
//! tried with them, and when that fails, bisection again.
//!
//! **Complexity.** Of a round: ways and turns as told there, and O(moments² × tasks × lanes) for energy. Suppositions are exponential, and
//! follow ways without turns: O(edges × lanes) each, beside energy.
//!
//! **Example.** Two tasks of 10 and one of 2 that waits for both, on two nodes, data takes 20: by `T` = 21 all three must be on one
//! node, where they take 22.

use super::best::Fuel;
use super::heads::{earliest_starts, some_of};
use super::instance::{Instance, NEVER};
use super::together::{self, Turn, longest_first};

/// So many moments are looked at as begins, and as many as ends.
const MOMENTS: usize = 12;
/// With suppositions, so many.
const MOMENTS_SUPPOSING: usize = 6;
/// So many times weights are changed.
const WEIGHINGS: usize = 6;
/// With less fuel nothing is tried.
const FUEL_LEAST: u64 = 1_000;

/// The latest end from `known` on that everything up to it is refuted, but no later than `upper`; both after the earliest moment.
pub(super) fn raised(instance: &Instance, known: i64, upper: i64, fuel: &mut Fuel) -> i64 {
    if known >= upper || !together::is_small(instance) {
        return known;
    }
    let mut test = Test::new(instance);
    let part = fuel.left / 2;
    let mut plain = Fuel { left: part };
    let first = bisected(known, (known, upper), &mut plain, |length, fuel| test.refutes(length, fuel));
    fuel.left -= part - plain.left;
    bisected(first, (upper - 1, upper), fuel, |length, fuel| {
        let part = fuel.left / 2;
        let mut own = Fuel { left: part };
        let refuted = test.refutes(length, &mut own) || test.supposing(length, &mut own);
        fuel.left -= part - own.left;
        refuted
    })
}

/// What is left when everything ends within some time.
pub(super) struct Left {
    /// By task, then lane: whether it may be there.
    pub(super) may: Vec<bool>,
    /// The least time before and after it there.
    pub(super) heads: Vec<i64>,
    pub(super) tails: Vec<i64>,
}

/// What is left of the lanes when everything ends within so long; nothing when that is refuted.
pub(super) fn left(instance: &Instance, length: i64, fuel: &mut Fuel) -> Option<Left> {
    let mut test = Test::new(instance);
    if test.refutes(length, fuel) {
        return None;
    }
    let Test { may, mut heads, mut tails, .. } = test;
    // Without fuel for a single round nothing is known.
    heads.resize(may.len(), 0);
    tails.resize(may.len(), 0);
    Some(Left { may, heads, tails })
}

/// The least length from `known` on that is not refuted, but no longer than `upper`, beginning with this one.
fn bisected(
    known: i64,
    (begin, upper): (i64, i64),
    fuel: &mut Fuel,
    mut refutes: impl FnMut(i64, &mut Fuel) -> bool,
) -> i64 {
    let (mut refuted, mut open, mut next) = (known - 1, upper, begin.max(known));
    while open - refuted > 1 && fuel.left > FUEL_LEAST {
        if refutes(next, fuel) {
            refuted = next
        } else {
            open = next
        }
        next = i64::midpoint(refuted, open);
    }
    refuted + 1
}

/// The instance both ways, and what is left of its lanes.
struct Test<'a> {
    instance: &'a Instance,
    mirror: Instance,
    may: Vec<bool>,
    heads: Vec<i64>,
    tails: Vec<i64>,
    /// The tasks, those with most data to move first.
    by_data: Vec<usize>,
    alike: Vec<Option<usize>>,
}

impl<'a> Test<'a> {
    fn new(instance: &'a Instance) -> Test<'a> {
        let moved = |task: usize| -> i64 {
            let flows = instance.before.of(task).iter().chain(instance.after.of(task));
            flows.map(|flow| flow.near.max(flow.far)).fold(0, i64::saturating_add)
        };
        let mut by_data: Vec<usize> = (0..instance.tasks).collect();
        by_data.sort_by_key(|task| (-moved(*task), -instance.costs.fastest[*task], *task));
        Test {
            instance,
            mirror: instance.mirror(),
            may: Vec::new(),
            heads: Vec::new(),
            tails: Vec::new(),
            by_data,
            alike: instance.alike(),
        }
    }

    /// Whether no schedule ends within so long.
    fn refutes(&mut self, length: i64, fuel: &mut Fuel) -> bool {
        let lanes = self.instance.lanes;
        self.may = self.instance.costs.runtime.iter().map(|millis| *millis != NEVER).collect();
        loop {
            if !fuel.burn(together::steps(self.instance) / 4) {
                return false;
            }
            let may = |task: usize, lane: usize| self.may[task * lanes + lane];
            self.heads = heads(self.instance, may);
            self.tails = heads(&self.mirror, may);
            let changed = self.strike_out(length);
            if self.is_stuck() || self.is_crowded(length) {
                return true;
            }
            if !changed {
                return self.has_too_much_to_do(length, MOMENTS, fuel);
            }
        }
    }

    /// Takes away the lanes on which tasks do not fit into so long; whether there were any.
    fn strike_out(&mut self, length: i64) -> bool {
        let mut changed = false;
        for (cell, millis) in self.instance.costs.runtime.iter().enumerate() {
            let around = self.heads[cell].saturating_add(self.tails[cell]);
            if self.may[cell] && around.saturating_add(*millis) > length {
                self.may[cell] = false;
                changed = true;
            }
        }
        changed
    }

    /// Whether a task has no lane left.
    fn is_stuck(&self) -> bool {
        self.may.chunks(self.instance.lanes).any(|row| !row.contains(&true))
    }

    /// Whether no schedule ends within so long, wherever the next task with several lanes left goes.
    fn supposing(&mut self, length: i64, fuel: &mut Fuel) -> bool {
        let lanes = self.instance.lanes;
        let row = |may: &[bool], task: usize| may[task * lanes..][..lanes].iter().filter(|may| **may).count();
        let Some(task) = self.by_data.iter().copied().find(|task| row(&self.may, *task) > 1) else {
            return false;
        };
        let kept = (self.may.clone(), self.heads.clone(), self.tails.clone());
        for lane in (0..lanes).filter(|lane| kept.0[task * lanes + lane]) {
            if self.is_double(lane, &kept.0) {
                continue;
            }
            (self.may, self.heads, self.tails) = kept.clone();
            self.may[task * lanes..][..lanes].fill(false);
            self.may[task * lanes + lane] = true;
            if !self.follows(length, fuel) && !self.supposing(length, fuel) {
                return false;
            }
        }
        true
    }

    /// Whether a lane is like another one that no task must be on either, so that it need not be supposed as well.
    fn is_double(&self, lane: usize, may: &[bool]) -> bool {
        let Some(other) = self.alike[lane] else { return false };
        may.chunks(self.instance.lanes)
            .all(|row| row[lane] == row[other] && !(row[lane] && row.iter().filter(|may| **may).count() == 1))
    }

    /// Whether a supposition leads nowhere.
    fn follows(&mut self, length: i64, fuel: &mut Fuel) -> bool {
        let (lanes, cells) = (self.instance.lanes, self.may.len() as u64);
        loop {
            if !fuel.burn(8 * cells) {
                return false;
            }
            let may = |task: usize, lane: usize| self.may[task * lanes + lane];
            let (heads, tails) = (std::mem::take(&mut self.heads), std::mem::take(&mut self.tails));
            (self.heads, self.tails) =
                (earliest_starts(self.instance, &may, heads), earliest_starts(&self.mirror, &may, tails));
            let changed = self.strike_out(length);
            if self.is_stuck() || self.is_crowded(length) {
                return true;
            }
            if !changed {
                return self.has_too_much_to_do(length, MOMENTS_SUPPOSING, fuel);
            }
        }
    }

    /// Whether the tasks that only one node is left for cannot take turns there.
    fn is_crowded(&self, length: i64) -> bool {
        let (lanes, costs) = (self.instance.lanes, &self.instance.costs);
        let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); costs.nodes];
        for task in 0..self.instance.tasks {
            let cells = || (0..lanes).filter(|lane| self.may[task * lanes + lane]);
            let node = cells().next().map(|lane| costs.node[lane]);
            let Some(node) = node.filter(|node| cells().all(|lane| costs.node[lane] == *node)) else {
                continue;
            };
            let least = |of: &dyn Fn(usize) -> i64| cells().map(of).min().unwrap_or(0);
            turns[node as usize].push(Turn {
                head: least(&|lane| self.heads[task * lanes + lane]),
                length: least(&|lane| self.instance.runtime(task, lane)),
                tail: least(&|lane| self.tails[task * lanes + lane]),
            });
        }
        turns.into_iter().any(|turns| longest_first(turns.into_iter()) > length)
    }

    /// Whether the lanes cannot do all that must be done between some two moments.
    fn has_too_much_to_do(&self, length: i64, moments: usize, fuel: &mut Fuel) -> bool {
        let begins = some_of(&self.least(&self.heads), moments);
        let tails = some_of(&self.least(&self.tails), moments);
        let ends: Vec<i64> = tails.into_iter().map(|tail| length - tail).collect();
        let cells = (self.instance.tasks * self.instance.lanes) as u64;
        for begin in &begins {
            for end in ends.iter().filter(|end| *end > begin) {
                if !fuel.burn(cells) {
                    return false;
                }
                if self.is_too_much(*begin, *end, length) {
                    return true;
                }
            }
        }
        false
    }

    /// By task: the least of a table over the lanes that are left.
    fn least(&self, table: &[i64]) -> Vec<i64> {
        let lanes = self.instance.lanes;
        let rows = table.chunks(lanes).zip(self.may.chunks(lanes));
        let least = |(row, may): (&[i64], &[bool])| {
            row.iter().zip(may).filter(|(_, may)| **may).map(|(value, _)| *value).min().unwrap_or(0)
        };
        rows.map(least).collect()
    }

    fn is_too_much(&self, begin: i64, end: i64, length: i64) -> bool {
        let lanes = self.instance.lanes;
        let (mut rows, span) = (Vec::new(), end - begin);
        for task in 0..self.instance.tasks {
            let cells = task * lanes..(task + 1) * lanes;
            let must = |cell: usize| -> i64 {
                let millis = self.instance.costs.runtime[cell];
                let early = self.heads[cell].saturating_add(millis).min(end) - begin.max(self.heads[cell]);
                let last = length - self.tails[cell];
                let late = end.min(last) - begin.max(last - millis);
                early.min(late).clamp(0, span)
            };
            let row: Vec<(usize, i64)> = cells
                .clone()
                .filter(|cell| self.may[*cell])
                .map(|cell| (cell - cells.start, must(cell)))
                .collect();
            if row.iter().all(|(_, must)| *must > 0) {
                rows.push(row);
            }
        }
        let mut weights: Vec<i128> =
            self.instance.costs.performance.iter().map(|speed| i128::from(*speed).max(1)).collect();
        for _ in 0..WEIGHINGS {
            let mut load = vec![0_i128; lanes];
            let mut needed = 0;
            for row in &rows {
                let cheapest =
                    row.iter().min_by_key(|(lane, must)| (weights[*lane] * i128::from(*must), *lane));
                let Some((lane, must)) = cheapest else { continue };
                needed += weights[*lane] * i128::from(*must);
                load[*lane] += i128::from(*must);
            }
            let there: i128 = weights.iter().sum::<i128>() * i128::from(span);
            if needed > there {
                return true;
            }
            if needed * 2 < there {
                return false;
            }
            // Up by at most a quarter where there is too much, down where there is too little.
            for (weight, load) in weights.iter_mut().zip(&load) {
                let share = (load * 8 / i128::from(span)).clamp(4, 10);
                *weight = (*weight * (8 + (share - 8) / 2).max(1) / 8).max(1);
            }
        }
        false
    }
}

/// Heads by task and lane on the lanes that are left.
pub(super) fn heads(instance: &Instance, may: impl Fn(usize, usize) -> bool) -> Vec<i64> {
    let mut table = earliest_starts(instance, &may, vec![0; instance.tasks * instance.lanes]);
    if !together::is_small(instance) {
        return table;
    }
    together::raise(instance, &mut table, &may);
    earliest_starts(instance, &may, table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refine::baseline::Baseline;
    use crate::refine::best::Best;
    use crate::refine::list::Board;
    use crate::refine::strategy::Goal;
    use crate::refine::{bound, exact, random};

    /// No end is refuted that a schedule has: against the best of all schedules, forwards and backwards.
    #[test]
    fn no_bound_is_above_the_optimum() {
        let (mut reached, mut before) = (0, 0);
        for seed in 0..160_u64 {
            let bytes = [1, 20, 60, 200][usize::try_from(seed % 4).unwrap()];
            let tasks = 4 + u32::try_from(seed % 5 % 4).unwrap();
            let lanes = 1 + u32::try_from(seed / 4 % 3).unwrap();
            let drawn = random::drawn(tasks, lanes, seed, bytes, seed % 3 == 0);
            for instance in [&drawn, &drawn.mirror()] {
                let heft = Baseline::Heft.place(instance, &mut Board::new(instance));
                let mut best = Best::new(instance, Goal::Finish, heft);
                assert!(exact::search(instance, Goal::Finish, &mut best, &mut Fuel { left: 400_000_000 }));
                let optimum = best.placed.finish() - instance.earliest;
                let known = bound::finish(instance, true) - instance.earliest;
                assert!(known <= optimum, "seed {seed}: {known} is above {optimum}");
                for upper in [optimum, optimum + 40] {
                    let raised = raised(instance, known, upper, &mut Fuel { left: 4_000_000 });
                    assert!(known <= raised && raised <= optimum, "seed {seed}: {raised} is above {optimum}");
                    reached += u32::from(raised == optimum);
                }
                before += 2 * u32::from(known == optimum);
            }
        }
        assert!(reached > before, "refuting raises bounds: {reached} of 640 reached, {before} before");
    }

    /// The example of the module: by 21 all three must be on one node.
    #[test]
    fn what_must_be_together_takes_turns() {
        let instance = random::join(&[10, 10], 2, 20);
        assert_eq!(raised(&instance, 12, 100, &mut Fuel { left: 1_000_000 }), 22);
        // With quick data the two run at once: 10, 1 and 2.
        let quick = random::join(&[10, 10], 2, 1);
        assert_eq!(raised(&quick, 12, 100, &mut Fuel { left: 1_000_000 }), 13);
    }

    #[test]
    fn without_fuel_nothing_is_refuted() {
        let instance = random::join(&[10, 10], 2, 20);
        assert_eq!(raised(&instance, 12, 100, &mut Fuel { left: 0 }), 12);
    }
}
