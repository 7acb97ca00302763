//! Making a schedule better, as long as the effort lasts.
//!
//! **Method.** Three steps, all deterministic from the seed and counted in units of work, never in seconds:
//! 1. *Forwards and backwards* (for the goal of an early end): all tasks are set again with time running backwards,
//!    the last first, then forwards in the order that came of it; each pass can use gaps that the one before left.
//! 2. *Shaken lists*: upward ranks with noise, list scheduling, and step 1 on what is good; every other list also looks at what comes
//!    after a task (PEFT's optimistic costs), which pays where data moves slowly.
//! 3. *Climbing* ([`super::climb`]), from [`CLIMB_FROM`] tasks on: lists whose priorities change a little from one to the next.
//! 4. *A walk* ([`super::walk`]) from the best of these.
//!
//! The best schedule seen is kept, so the result is never worse than what it was given.
//!
//! **Complexity.** Linear in the effort. A list pass takes tasks × lanes + edges units, timing a changed sequence at
//! most tasks + edges.

use super::best::{Best, Fuel};
use super::instance::Instance;
use super::list::{Board, by_priority};
use super::rank;
use super::schedule::Placed;
use super::strategy::Goal;
use super::{climb, walk};
use walras_random::Draws;

/// Workflows of so many tasks are climbed.
const CLIMB_FROM: usize = 300;

/// Improves `best`, which must be complete, until the fuel is used up or `bound` is reached.
pub(super) fn improve(
    instance: &Instance,
    goal: Goal,
    best: &mut Best,
    bound: i64,
    seed: u64,
    fuel: &mut Fuel,
) {
    if fuel.left == 0 {
        return;
    }
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
        if instance.tasks >= CLIMB_FROM {
            let part = fuel.left / 4 * 3;
            let mut own = Fuel { left: part };
            climb::climb(instance, best, bound, &mut draws, &mut own);
            fuel.left -= part - own.left;
        }
    }
    walk::late_acceptance(instance, goal, best, bound, &mut draws, fuel);
}

/// List passes in both directions of time.
struct Lists<'a> {
    instance: &'a Instance,
    mirror: Instance,
    board: Board,
    board_back: Board,
    /// By task, then lane: PEFT's optimistic cost table.
    ahead: Vec<i64>,
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
            ahead: rank::optimistic(instance),
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
            pass(&self.mirror, &placed.end, &[], &mut self.board_back);
            if !self.board_back.placed.is_complete() {
                return;
            }
            // Starts of the backward schedule in its own time: the last to start there is the first to start here.
            pass(self.instance, &self.board_back.placed.end, &[], &mut self.board);
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
        let instance = self.instance;
        let ranks = [rank::upward(instance), rank::mean_optimistic(instance, &self.ahead)];
        let mut good = best.placed.finish();
        let mut round = 0_usize;
        while i128::from(bound) < best.score.first && fuel.burn(self.units) {
            // Every other list looks ahead, with ranks of one kind and the other in turn.
            let looks_ahead = !round.is_multiple_of(2);
            let rank = &ranks[usize::from(round % 4 == 1)];
            round += 1;
            let noisy: Vec<i64> = rank.iter().map(|rank| shaken(*rank, draws)).collect();
            let ahead: &[i64] = if looks_ahead { &self.ahead } else { &[] };
            pass(instance, &noisy, ahead, &mut self.board);
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

/// One list pass, the highest priority first, each task where it ends first; with a table of what comes after it on each lane, where
/// that would end first.
fn pass(instance: &Instance, priority: &[i64], ahead: &[i64], board: &mut Board) {
    board.reset(instance);
    for task in by_priority(instance, priority).into_iter().map(|task| task as usize) {
        let more = |lane: usize| ahead.get(task * instance.lanes + lane).copied().unwrap_or(0);
        if !board.place_first(instance, task, more) {
            return;
        }
    }
}
