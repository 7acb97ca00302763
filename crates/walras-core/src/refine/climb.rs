//! Lists made better step by step: what pays where schedules are large.
//!
//! **Problem.** Beyond some hundred tasks a step of the walk, which moves one task and times all behind it, costs nearly as much as a whole
//! list schedule; and a list whose ranks are all shaken at once is as good as its sum of luck and bad luck, the same every time.
//!
//! **Method.** A search among priorities. Of the priorities that gave the last schedule a few change, half of them those of tasks on its
//! critical path: a task goes further ahead or further back, or keeps off the lane that it had. A list schedule is made of them,
//! and they are kept when it ends no later. So every step may move everything, but only a little is new in it.
//!
//! **Complexity.** A step takes tasks × lanes + edges units, as a list schedule does.
//!
//! **Example.** A task of 1 whose successor is long waits behind a task of 9 that has the higher rank; once it has gone ahead of it, all
//! end 8 sooner, and it stays there.

use super::best::{Best, Fuel};
use super::instance::Instance;
use super::list::{Board, by_priority};
use super::rank;
use super::schedule::Placed;
use super::strategy::Goal;
use walras_random::Draws;

/// The lane that a task keeps off when it keeps off none.
const NONE: u32 = u32::MAX;

/// What a list schedule is made of.
#[derive(Clone)]
struct Recipe {
    priority: Vec<i64>,
    /// By task: a lane that it does not take.
    avoid: Vec<u32>,
}

/// Climbs until the fuel is used up or `bound` is reached.
pub(super) fn climb(instance: &Instance, best: &mut Best, bound: i64, draws: &mut Draws, fuel: &mut Fuel) {
    let edges: usize = (0..instance.tasks).map(|task| instance.before.of(task).len()).sum();
    let units = (instance.tasks * instance.lanes + edges) as u64;
    let mut board = Board::new(instance);
    let Some((mut now, mut finish)) = first(instance, best, &mut board, units, fuel) else { return };
    let mut placed = board.placed.clone();
    let mut critical = critical_path(instance, &placed);
    let reach = usize::try_from(now.priority.iter().max().copied().unwrap_or(1) / 8).unwrap_or(1).max(1);
    let mut trial = now.clone();
    while i128::from(bound) < best.score.first && fuel.burn(units) {
        let changed = change(&mut trial, &critical, &placed, reach, draws);
        let complete = make(instance, &trial, &mut board);
        let end = board.placed.finish();
        if complete && end <= finish {
            best.offer(instance, Goal::Finish, &board.placed);
            finish = end;
            placed.clone_from(&board.placed);
            critical = critical_path(instance, &placed);
            changed.iter().for_each(|task| now.copy(&trial, *task));
        } else {
            changed.iter().for_each(|task| trial.copy(&now, *task));
        }
    }
}

impl Recipe {
    fn copy(&mut self, from: &Recipe, task: usize) {
        self.priority[task] = from.priority[task];
        self.avoid[task] = from.avoid[task];
    }
}

/// The better of two beginnings: upward ranks, and the order of the best schedule. The board holds its schedule.
fn first(
    instance: &Instance,
    best: &Best,
    board: &mut Board,
    units: u64,
    fuel: &mut Fuel,
) -> Option<(Recipe, i64)> {
    let end = best.placed.finish();
    let as_best = best.placed.start.iter().map(|start| end - start).collect();
    let mut found: Option<(Recipe, i64)> = None;
    for priority in [as_best, rank::upward(instance)] {
        if !fuel.burn(units) {
            return None;
        }
        let recipe = Recipe { priority, avoid: vec![NONE; instance.tasks] };
        let kept = board.placed.clone();
        let complete = make(instance, &recipe, board);
        let finish = board.placed.finish();
        if complete && found.as_ref().is_none_or(|(_, least)| finish < *least) {
            found = Some((recipe, finish));
        } else {
            board.placed = kept;
        }
    }
    found
}

/// Makes the schedule of a recipe; whether all tasks found a place.
fn make(instance: &Instance, recipe: &Recipe, board: &mut Board) -> bool {
    board.reset(instance);
    by_priority(instance, &recipe.priority).into_iter().all(|task| {
        let task = task as usize;
        let avoid = recipe.avoid[task] as usize;
        // A lane that is kept off comes after all others, and serves when there is no other.
        let more = |lane: usize| if lane == avoid { i64::MAX / 4 } else { 0 };
        board.place_first(instance, task, more)
    })
}

/// Changes a few tasks of a recipe; which.
fn change(
    recipe: &mut Recipe,
    critical: &[usize],
    placed: &Placed,
    reach: usize,
    draws: &mut Draws,
) -> Vec<usize> {
    let tasks = recipe.priority.len();
    let count = 1 + draws.below(3 + tasks / 200);
    let mut changed = Vec::with_capacity(count);
    for _ in 0..count {
        let on_path = draws.below(2) == 0 && !critical.is_empty();
        let task = if on_path { critical[draws.below(critical.len())] } else { draws.below(tasks) };
        changed.push(task);
        if draws.below(3) == 0 {
            let lane = placed.lane_of(task).and_then(|lane| u32::try_from(lane).ok());
            recipe.avoid[task] = if recipe.avoid[task] == NONE { lane.unwrap_or(NONE) } else { NONE };
        } else {
            let by = i64::try_from(1 + draws.below(reach)).unwrap_or(1);
            // Those on the critical path go ahead more often than back.
            let ahead = draws.below(4) < if on_path { 3 } else { 2 };
            recipe.priority[task] += if ahead { by } else { -by };
        }
    }
    changed
}

/// The tasks that the end depends on: from the last one back to what each waited for, on its lane or for data.
fn critical_path(instance: &Instance, placed: &Placed) -> Vec<usize> {
    let mut by_end: Vec<(u32, i64, usize)> =
        (0..instance.tasks).map(|task| (placed.lane[task], placed.end[task], task)).collect();
    by_end.sort_unstable();
    let mut path = Vec::new();
    let mut next = (0..instance.tasks).max_by_key(|task| (placed.end[*task], *task));
    while let Some(task) = next.filter(|_| path.len() < instance.tasks) {
        path.push(task);
        let (lane, start) = (placed.lane[task], placed.start[task]);
        let arrived = |flow: &&super::instance::Flow| {
            let before = flow.task as usize;
            let from = placed.lane[before] as usize;
            placed.end[before] + instance.transfer(flow, from, lane as usize) == start
        };
        let data = instance.before.of(task).iter().find(arrived).map(|flow| flow.task as usize);
        let ahead = by_end.binary_search_by_key(&(lane, start), |(lane, end, _)| (*lane, *end)).ok();
        next = data
            .or(ahead.map(|at| by_end[at].2).filter(|other| *other != task && placed.start[*other] < start));
    }
    path
}
