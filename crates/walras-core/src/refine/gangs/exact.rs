//! Small workflows with gangs, searched to the end.
//!
//! Tasks are put in order of their starts: each that is ready, on every set of nodes of one site that it could take, as soon as these are
//! free and no sooner than the task before. Whoever moves the tasks of any schedule, one after the other, to where they could start
//! then, comes to one of these, and nothing of it ends later, costs more or keeps a node busy for longer. Ways that cannot be better than the
//! best so far are left, and so is one of two nodes that are alike while nothing is on either.

use super::super::best::Fuel;
use super::super::instance::{Instance, NEVER};
use super::super::rank;
use super::super::strategy::Goal;
use super::board::Board;
use super::{Best, Gang, Wide};

/// Workflows of more tasks are not begun with.
const TASKS_MAX: usize = 12;

struct Search<'a> {
    wide: &'a Wide,
    goal: Goal,
    /// By task: the least time from its start to the end.
    tails: Vec<i64>,
    /// By task: what it costs at the least.
    cheapest: &'a [i64],
    /// By lane: one before it that is like it.
    alike: Vec<Option<usize>>,
}

/// How far a way has come.
#[derive(Clone)]
struct Way {
    board: Board,
    /// By lane: whether a task is on it.
    used: Vec<bool>,
    last: i64,
    finish: i64,
    cost: i64,
}

/// Whether all schedules were looked at, so that the best of them is kept.
pub(super) fn search(wide: &Wide, relaxed: &Instance, goal: Goal, best: &mut Best, fuel: &mut Fuel) -> bool {
    if wide.instance.tasks > TASKS_MAX || fuel.left == 0 {
        return false;
    }
    let tails = rank::longest_without_transfers(relaxed);
    let alike = wide.instance.alike();
    let search = Search { wide, goal, tails, cheapest: &relaxed.costs.cheapest, alike };
    let earliest = wide.instance.earliest;
    let used = vec![false; wide.instance.lanes];
    let way = Way { board: Board::new(wide), used, last: earliest, finish: earliest, cost: 0 };
    search.go(&way, best, fuel)
}

impl Search<'_> {
    fn go(&self, way: &Way, best: &mut Best, fuel: &mut Fuel) -> bool {
        let placed = &way.board.gangs.0;
        let left: Vec<usize> = (0..placed.len()).filter(|task| placed[*task].is_none()).collect();
        if left.is_empty() {
            best.offer(self.wide, self.goal, way.board.gangs.clone());
            return true;
        }
        if !self.may_be_better(way, &left, best) {
            return true;
        }
        let before = &self.wide.instance.before;
        let is_ready =
            |task: &&usize| before.of(**task).iter().all(|flow| placed[flow.task as usize].is_some());
        for task in left.iter().filter(is_ready) {
            for lanes in &self.wide.sites {
                let fits = |lane: &&usize| self.wide.instance.runtime(*task, **lane) != NEVER;
                let lanes: Vec<usize> = lanes.iter().filter(fits).copied().collect();
                if !self.sets(way, *task, &lanes, &mut Vec::new(), best, fuel) {
                    return false;
                }
            }
        }
        true
    }

    /// The same with a task on every set of these lanes, begun with some; false when the fuel is used up.
    fn sets(
        &self,
        way: &Way,
        task: usize,
        lanes: &[usize],
        chosen: &mut Vec<usize>,
        best: &mut Best,
        fuel: &mut Fuel,
    ) -> bool {
        let missing = self.wide.nodes[task] - chosen.len();
        if missing == 0 {
            return fuel.burn(1) && self.with(way, task, chosen, best, fuel);
        }
        let node = |lane: usize| self.wide.instance.costs.node[lane];
        for (place, lane) in lanes.iter().copied().enumerate() {
            if lanes.len() - place < missing {
                break;
            }
            let is_free = |other: usize| !way.used[other] && !chosen.contains(&other);
            let twin = self.alike[lane].is_some_and(|other| !way.used[lane] && is_free(other));
            if twin || chosen.iter().any(|other| node(*other) == node(lane)) {
                continue;
            }
            chosen.push(lane);
            let whole = self.sets(way, task, &lanes[place + 1..], chosen, best, fuel);
            chosen.pop();
            if !whole {
                return false;
            }
        }
        true
    }

    /// The same with a task on these lanes.
    fn with(&self, way: &Way, task: usize, lanes: &[usize], best: &mut Best, fuel: &mut Fuel) -> bool {
        let wide = self.wide;
        let length = wide.runtime(task, lanes);
        let ready = wide.ready(&way.board.gangs, task, lanes).max(way.last);
        let Some(start) = way.board.earliest(wide, lanes, ready, length) else { return true };
        fuel.burn(u64::try_from(wide.instance.tasks + wide.instance.lanes).unwrap_or(u64::MAX));
        let mut next = way.clone();
        let end = start + length;
        next.board.take(task, Gang { lanes: lanes.to_vec(), start, end });
        lanes.iter().for_each(|lane| next.used[*lane] = true);
        next.cost = next.cost.saturating_add(wide.cost(lanes, length));
        (next.last, next.finish) = (start, way.finish.max(end));
        self.go(&next, best, fuel)
    }

    fn may_be_better(&self, way: &Way, left: &[usize], best: &Best) -> bool {
        let more = left.iter().map(|task| self.cheapest[*task]).fold(0, i64::saturating_add);
        let cost = way.cost.saturating_add(more);
        let tail = left.iter().map(|task| self.tails[*task]).max().unwrap_or(0);
        let finish = way.finish.max(way.last.saturating_add(tail));
        if cost > self.wide.instance.budget || finish > self.wide.instance.latest {
            return false;
        }
        let (cost, finish) = (i128::from(cost), i128::from(finish));
        let least = match self.goal {
            Goal::Finish => (finish, cost),
            Goal::Cost => (cost, finish),
            Goal::Balance => (self.wide.score(&way.board.gangs, self.goal).first, finish),
        };
        let known = best.score;
        known.missing > 0 || known.over_budget > 0 || least < (known.first, known.second)
    }
}
