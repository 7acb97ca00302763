//! Published heuristics, for comparison and as starting points.
//!
//! | name | source | order | node |
//! | --- | --- | --- | --- |
//! | HEFT | Topcuoglu, Hariri, Wu 2002 | upward rank | earliest end, gaps are used |
//! | CPOP | the same | upward + downward rank, those that may start | critical path on one node, others earliest end |
//! | PEFT | Arabnejad, Barbosa 2014 | mean optimistic cost, those that may start | earliest end + optimistic cost |
//! | DBCS | after Arabnejad, Barbosa 2014 | upward rank | best mix of early and cheap within the task's share of budget |
//!
//! HEFT and CPOP take O(tasks × lanes + edges) and the search for gaps, PEFT O(edges × lanes).

use super::instance::{Flow, Instance, NEVER};
use super::list::{Board, Spot, by_priority, can_start, in_order};
use super::rank::{self, Exact};
use super::schedule::Placed;

/// A published heuristic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Heterogeneous earliest finish time.
    Heft,
    /// Critical path on a processor.
    Cpop,
    /// Predict earliest finish time.
    Peft,
    /// Deadline- and budget-constrained scheduling.
    Dbcs,
}

impl Baseline {
    /// All of them.
    pub const ALL: [Baseline; 4] = [Baseline::Heft, Baseline::Cpop, Baseline::Peft, Baseline::Dbcs];

    /// The name by which it is called.
    pub fn name(self) -> &'static str {
        match self {
            Baseline::Heft => "heft",
            Baseline::Cpop => "cpop",
            Baseline::Peft => "peft",
            Baseline::Dbcs => "dbcs",
        }
    }

    /// What it makes of the instance; tasks may be missing when there is too little free time.
    pub(super) fn place(self, instance: &Instance, board: &mut Board) -> Placed {
        match self {
            Baseline::Heft => {
                in_order(instance, &rank::by_rank(instance, &Exact::new(instance).upward), board);
            }
            Baseline::Cpop => cpop(instance, board),
            Baseline::Peft => peft(instance, board),
            Baseline::Dbcs => dbcs(instance, board),
        }
        board.placed.clone()
    }
}

fn cpop(instance: &Instance, board: &mut Board) {
    let ranks = Exact::new(instance);
    let priority = ranks.through();
    let critical = critical_path(instance, &ranks, &priority);
    let processor = critical_processor(instance, &critical);
    board.reset(instance);
    for task in by_priority(instance, &priority).into_iter().map(|task| task as usize) {
        let bound = processor.filter(|_| critical[task]);
        let fits = match bound {
            Some(lane) => place_on(instance, board, task, lane) || board.place_first(instance, task, |_| 0),
            None => board.place_first(instance, task, |_| 0),
        };
        if !fits {
            return;
        }
    }
}

/// Places a task on this lane, where it fits.
fn place_on(instance: &Instance, board: &mut Board, task: usize, lane: usize) -> bool {
    board.arrivals.compute(instance, &board.placed, task);
    let spot = board.spot_on(instance, task, lane);
    spot.inspect(|spot| board.put(task, *spot)).is_some()
}

/// One longest way through the workflow: from the first entry of the greatest priority, always to the first successor of the same that
/// waits for nobody longer. (The paper's one entry and one exit may be thought before all entries and behind all exits.)
fn critical_path(instance: &Instance, ranks: &Exact, priority: &[i128]) -> Vec<bool> {
    let mut on_path = vec![false; instance.tasks];
    let longest = priority.iter().copied().max().unwrap_or(0);
    let is_entry = |task: &usize| instance.before.of(*task).is_empty() && priority[*task] == longest;
    let mut next = (0..instance.tasks).find(is_entry);
    while let Some(task) = next {
        on_path[task] = true;
        let mut flows = instance.after.of(task).iter();
        let goes_on = |flow: &&Flow| {
            let to = flow.task as usize;
            priority[to] == longest && ranks.downward[to] == ranks.arrival(task, flow)
        };
        next = flows.find(goes_on).map(|flow| flow.task as usize);
    }
    on_path
}

/// The lane on which the critical path runs fastest as a whole, if one may run all of it.
fn critical_processor(instance: &Instance, critical: &[bool]) -> Option<usize> {
    let tasks: Vec<usize> = (0..instance.tasks).filter(|task| critical[*task]).collect();
    let length = |lane: usize| {
        tasks.iter().try_fold(0_i64, |sum, task| match instance.runtime(*task, lane) {
            NEVER => None,
            millis => Some(sum + millis),
        })
    };
    let lanes = (0..instance.lanes).filter_map(|lane| Some((length(lane)?, lane)));
    lanes.min().map(|(_, lane)| lane)
}

fn peft(instance: &Instance, board: &mut Board) {
    let table = rank::optimistic(instance);
    let lanes = instance.lanes;
    let row = |task: usize| &table[task * lanes..][..lanes];
    let priority = rank::mean_optimistic(instance, &table);
    board.reset(instance);
    for task in by_priority(instance, &priority).into_iter().map(|task| task as usize) {
        if !board.place_first(instance, task, |lane| row(task)[lane]) {
            return;
        }
    }
}

/// Each task may spend what its cheapest node costs and what the budget has to spare; of the nodes within that, the
/// one with the best sum of (how early within its share of the deadline) and (how cheap), both scaled to 0…1.
fn dbcs(instance: &Instance, board: &mut Board) {
    let rank = rank::upward(instance);
    let whole = rank.iter().copied().max().unwrap_or(0).max(1);
    let room = instance.latest - instance.earliest;
    let least: i64 = instance.costs.cheapest.iter().fold(0, |sum, cost| sum.saturating_add(*cost));
    let mut spare = instance.budget.saturating_sub(least).max(0);
    board.reset(instance);
    for task in rank::by_rank(instance, &rank).into_iter().map(|task| task as usize) {
        if !can_start(instance, &board.placed, task) {
            return;
        }
        board.arrivals.compute(instance, &board.placed, task);
        let limit = instance.costs.cheapest[task].saturating_add(spare);
        let after = rank[task] - instance.costs.mean[task];
        let share = i128::from(room) * i128::from(whole - after) / i128::from(whole);
        let due = instance.earliest.saturating_add(i64::try_from(share).unwrap_or(room));
        let Some(spot) = best_mix(instance, board, task, limit, due) else { return };
        spare -= instance.cost(task, spot.lane) - instance.costs.cheapest[task];
        board.put(task, spot);
    }
}

fn best_mix(instance: &Instance, board: &Board, task: usize, limit: i64, due: i64) -> Option<Spot> {
    let cost = |spot: &Spot| instance.cost(task, spot.lane);
    let spots: Vec<Spot> = board.spots(instance, task).filter(|spot| cost(spot) <= limit).collect();
    let (first, last) = (spots.iter().map(|spot| spot.end).min()?, spots.iter().map(|spot| spot.end).max()?);
    let (cheap, dear) = (spots.iter().map(cost).min()?, spots.iter().map(cost).max()?);
    let scaled = |value: i64, from: i64, to: i64| {
        if from == to { 0 } else { i128::from(value - from) * 1_000_000 / i128::from(to - from) }
    };
    // Late ones count only when nothing is in time.
    let bad = |spot: &Spot| scaled(spot.end, first, last) + scaled(cost(spot), cheap, dear);
    spots.iter().min_by_key(|spot| (spot.end > due, bad(spot), spot.end, spot.lane)).copied()
}
