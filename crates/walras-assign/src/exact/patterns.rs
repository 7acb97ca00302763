//! The proof by patterns: which sets of jobs a site can still have in a better solution.
//!
//! At given prices, a site that takes a set of jobs earns less than it could by some amount, the set's loss. A solution
//! whose sets lose more than the gap altogether is no better than the one known, so only sets that lose less than
//! the gap by themselves can be in a better one. Where sites are small there are few of them, and choosing one per site so that every
//! job is in exactly one is a programme whose relaxation is as tight as the bound itself.
//!
//! Sets are found by depth-first search; a table of what the remaining jobs can earn in the remaining capacity cuts
//! every branch that leads nowhere, so the work is proportional to the sets found.

use super::table::Table;
use walras_model::market::Pair;

/// Tables of more cells than this are not filled.
const CELLS_MAX: usize = 1 << 20;

/// A job that a site may have.
struct Item {
    job: usize,
    pair: Pair,
    profit: i64,
}

/// All sets of a site that lose at most `most`; `None` when there are more than `limit`.
pub(super) fn of_site(
    table: &Table,
    site: usize,
    offered: &[(usize, Pair)],
    prices: &[i64],
    most: i64,
    limit: usize,
) -> Option<Vec<Vec<(usize, Pair)>>> {
    let items: Vec<Item> = offered
        .iter()
        .map(|(job, pair)| Item { job: *job, pair: *pair, profit: prices[*job] - pair.cost })
        .collect();
    let width = table.capacities[site] as usize + 1;
    if width.saturating_mul(items.len() + 1) > CELLS_MAX {
        return None;
    }
    // rest[k][room]: the most that items from k on earn in that room.
    let mut rest = vec![vec![0_i64; width]; items.len() + 1];
    for (at, item) in items.iter().enumerate().rev() {
        let takes = item.pair.takes as usize;
        for room in 0..width {
            let without = rest[at + 1][room];
            let with = if takes <= room { rest[at + 1][room - takes] + item.profit } else { i64::MIN };
            rest[at][room] = without.max(with);
        }
    }
    let least = rest[0][width - 1] - most;
    let mut walk = Walk { items: &items, rest: &rest, least, limit, chosen: Vec::new(), found: Vec::new() };
    walk.from(0, width - 1, 0).then_some(walk.found)
}

struct Walk<'a> {
    items: &'a [Item],
    rest: &'a [Vec<i64>],
    least: i64,
    limit: usize,
    chosen: Vec<usize>,
    found: Vec<Vec<(usize, Pair)>>,
}

impl Walk<'_> {
    /// Adds all sets that go on from here; false when there are too many.
    fn from(&mut self, at: usize, room: usize, earned: i64) -> bool {
        if earned + self.rest[at][room] < self.least {
            return true;
        }
        let Some(item) = self.items.get(at) else {
            if self.found.len() >= self.limit {
                return false;
            }
            let jobs = self.chosen.iter().map(|at| (self.items[*at].job, self.items[*at].pair)).collect();
            self.found.push(jobs);
            return true;
        };
        let takes = item.pair.takes as usize;
        if takes <= room {
            self.chosen.push(at);
            let within = self.from(at + 1, room - takes, earned + item.profit);
            self.chosen.pop();
            if !within {
                return false;
            }
        }
        self.from(at + 1, room, earned)
    }
}
