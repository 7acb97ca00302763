//! Proofs that nothing is better, for workflows of a few dozen tasks.
//!
//! **Problem.** Everything ends at some moment in the best schedule known. Does any end sooner? If not, why not; if so, which?
//!
//! **Method.** The question whether everything can end by `T` is put to a search that learns from contradictions ([`search`]), first for
//! the moment before the best end known. A schedule that it finds is better, and the question is put again; a proof that there is none ends it.
//! When the fuel does not suffice for either, ends between the bound and the best one are asked for by bisection: a proof
//! that nothing ends by `T` raises the bound. What was learned serves all questions.
//!
//! Before each search, what a supposed end strikes out by itself ([`super::refute`]) is known from the beginning.
//!
//! **Complexity.** Exponential, so only for at most [`TASKS_MAX`] tasks and [`CELLS_MAX`] tasks × lanes, and as long as the fuel lasts. Lanes
//! must be nodes of their own that are free in one piece, as windows are.
//!
//! **Example.** Three tasks of 10 on two equal nodes, known to take 20: suppose that they end by 19. Then one of them is on a node
//! with another, or all are on one; either way 20 must fit into 19. Nothing else was supposed, so that 20 is proven.

mod clauses;
mod lesson;
mod load;
mod model;
mod paths;
mod pending;
mod search;
#[cfg(test)]
mod tests;
mod trail;
mod turns;

use super::best::{Best, Fuel};
use super::instance::{Instance, NEVER};
use super::refute;
use super::strategy::Goal;
use model::{Model, Room};
use search::{Answer, Search};
use trail::Fact;

/// Workflows of more tasks are not looked at.
const TASKS_MAX: usize = 64;
/// Nor those with more tasks × lanes.
const CELLS_MAX: usize = 4_096;
/// With less fuel nothing is tried.
const FUEL_LEAST: u64 = 10_000;

/// The latest moment from `known` on before which no schedule ends, as far as that can be proven; `best`, which must be complete, becomes
/// better where one is found.
pub(super) fn prove(instance: &Instance, known: i64, best: &mut Best, fuel: &mut Fuel) -> i64 {
    if known >= best.placed.finish() || fuel.left < FUEL_LEAST || !is_small_and_plain(instance) {
        return known;
    }
    let may = |task: usize, lane: usize| instance.runtime(task, lane) != NEVER;
    let (heads, tails) = (refute::heads(instance, may), refute::heads(&instance.mirror(), may));
    let refuted = known - instance.earliest - 1;
    let open = best.placed.finish() - instance.earliest;
    let room = Room { heads: &heads, least: refuted + 1, most: open - 1 };
    let search = Search::new(Model::new(instance, &tails), &room, &best.placed);
    let mut proof = Proof { instance, search, best, refuted, open };
    proof.ask_just_before(fuel);
    proof.bisect(fuel);
    instance.earliest + proof.refuted + 1
}

/// Few tasks, on nodes that are free in one piece.
fn is_small_and_plain(instance: &Instance) -> bool {
    instance.tasks <= TASKS_MAX
        && instance.tasks * instance.lanes <= CELLS_MAX
        && instance.costs.nodes == instance.lanes
        && instance.free.iter().all(|free| free.len() <= 1)
}

/// A search between what is refuted and what is not.
struct Proof<'a, 'b> {
    instance: &'a Instance,
    search: Search<'a>,
    best: &'b mut Best,
    /// Nothing ends within so long.
    refuted: i64,
    /// Something does within so long, or nobody knows.
    open: i64,
}

impl Proof<'_, '_> {
    /// Ends just before the best one, as long as better ones are found; with two thirds of the fuel.
    fn ask_just_before(&mut self, fuel: &mut Fuel) {
        let part = fuel.left / 3 * 2;
        let mut own = Fuel { left: part };
        while self.open - self.refuted > 1 && own.left > 0 && self.ask(self.open - 1, &mut own) {}
        fuel.left -= part - own.left;
    }

    /// Ends between, each with a third of the fuel that is left.
    fn bisect(&mut self, fuel: &mut Fuel) {
        while self.open - self.refuted > 1 && fuel.left > FUEL_LEAST {
            let part = fuel.left / 3;
            let mut own = Fuel { left: part };
            self.ask(i64::midpoint(self.refuted, self.open), &mut own);
            fuel.left -= part - own.left;
        }
    }

    /// Whether the answer is known for an end.
    fn ask(&mut self, length: i64, fuel: &mut Fuel) -> bool {
        let answer = match self.follows(length, fuel) {
            Some(facts) => self.search.ask(length, &facts, fuel),
            None => Answer::Refuted,
        };
        match answer {
            Answer::Refuted => self.refuted = length,
            Answer::Open => self.open = self.open.min(length),
            Answer::Found(placed) => {
                self.open = self.open.min(placed.finish() - self.instance.earliest);
                // Within a budget the one that was found may be too dear, so that the question stays open.
                return self.best.offer(self.instance, Goal::Finish, &placed);
            }
        }
        matches!(answer, Answer::Refuted)
    }

    /// What follows from an end by itself; nothing when it is refuted.
    fn follows(&self, length: i64, fuel: &mut Fuel) -> Option<Vec<Fact>> {
        let left = refute::left(self.instance, length, fuel)?;
        let model = Model::new(self.instance, &left.tails);
        let mut facts = Vec::new();
        for task in 0..model.tasks {
            for lane in 0..model.lanes {
                let cell = model.on(task, lane);
                if !left.may[cell] {
                    facts.push(Fact::at_most(cell, 0));
                    continue;
                }
                let after = self.instance.runtime(task, lane) + left.tails[cell];
                facts.push(Fact::at_least(model.start(task, lane), left.heads[cell]));
                facts.push(Fact::at_most(model.start(task, lane), length - after));
            }
        }
        Some(facts)
    }
}
