//! One site's part of the relaxed problem: which jobs to take for the greatest profit within its capacity.
//!
//! Of jobs that take the same, only as many as fit can matter, the most profitable ones; what is left after that is
//! small, and a table over the capacity gives the optimum: O(jobs · capacity). Large tables are made smaller first:
//! most jobs are surely in or surely out. Where that would be too much work,
//! the value is the fractional optimum (rounded up) and the choice is the greedy one.

use std::cmp::Reverse;
use walras_model::quantity::rounding;

/// A job that a site could take at a profit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) profit: i64,
    pub(super) takes: u32,
    pub(super) job: u32,
}

impl Item {
    /// Best first among items of one size.
    fn order(&self) -> (Reverse<i64>, u32) {
        (Reverse(self.profit), self.job)
    }
}

/// Items are sorted by size where no site has more than this.
const SIZES_MAX: usize = 1 << 12;
/// Tables of more cells than this are made smaller first.
const CELLS_PLAIN: usize = 1 << 12;
/// Tables of more cells than this are not filled.
const CELLS_MAX: usize = 1 << 22;

/// What a site's capacity is worth to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    /// The greatest profit within every capacity from nothing to all.
    Each(Vec<i64>),
    /// A unit less costs at least so much per unit.
    Rate { profit: i64, takes: u32 },
}

impl Worth {
    /// What a site loses, at least, when it must take a job of this profit, which may be negative.
    pub(super) fn loss(&self, takes: u32, profit: i64) -> i64 {
        let displaced = match self {
            Worth::Each(values) => {
                let all = values.len() - 1;
                values[all] - values[all.saturating_sub(takes as usize)]
            }
            Worth::Rate { profit, takes: unit } => {
                let part = rounding::down(product(*profit, takes), i128::from((*unit).max(1)));
                i64::try_from(part).unwrap_or(i64::MAX / 4)
            }
        };
        (displaced - profit).max(0)
    }
}

/// Working memory, kept between calls.
#[derive(Default)]
pub(super) struct Knapsack {
    best: Vec<i64>,
    taken: Vec<bool>,
    sizes: Vec<Vec<Item>>,
}

impl Knapsack {
    /// No choice of items has a greater profit than the value given; `items` becomes a choice.
    ///
    /// The value is that choice's profit unless the table would be too large.
    pub(super) fn solve(&mut self, items: &mut Vec<Item>, capacity: u32) -> i64 {
        let (total, profit) = sums(items);
        if total <= u64::from(capacity) {
            return profit;
        }
        self.drop_surplus(items, capacity);
        let sure =
            if items.len() * capacity as usize > CELLS_PLAIN { sure(items, capacity) } else { Vec::new() };
        let (held, earned) = sums(&sure);
        let left = capacity - u32::try_from(held).unwrap_or(capacity).min(capacity);
        if !self.fill(items, left) {
            items.extend(sure);
            return greedy(items, capacity);
        }
        let width = left as usize + 1;
        let mut room = left as usize;
        for at in (0..items.len()).rev() {
            if self.taken[at * width + room] {
                room -= items[at].takes as usize;
            } else {
                items.swap_remove(at);
            }
        }
        items.extend(sure);
        self.best[width - 1] + earned
    }

    /// What capacity is worth, up to this much of it.
    pub(super) fn worth(&mut self, items: &mut Vec<Item>, capacity: u32) -> Worth {
        self.drop_surplus(items, capacity);
        if self.fill(items, capacity) {
            return Worth::Each(self.best.clone());
        }
        let (total, _) = sums(items);
        if total <= u64::from(capacity) {
            return Worth::Rate { profit: 0, takes: 1 };
        }
        let mut rest = items.clone();
        greedy(&mut rest, capacity);
        // Items are taken in order of their rate: the first that is not taken breaks the order.
        sort_by_rate(items);
        let broken = items.iter().zip(&rest).find(|(item, taken)| item != taken).map(|(item, _)| item);
        let broken = broken.or(items.get(rest.len()));
        broken.map_or(Worth::Rate { profit: 0, takes: 1 }, |item| Worth::Rate {
            profit: item.profit,
            takes: item.takes,
        })
    }

    /// Leaves out items that better ones of the same size always crowd out; those of one size come best first.
    fn drop_surplus(&mut self, items: &mut Vec<Item>, capacity: u32) {
        if capacity as usize > SIZES_MAX {
            return;
        }
        let sizes = capacity as usize + 1;
        if self.sizes.len() < sizes {
            self.sizes.resize(sizes, Vec::new());
        }
        for item in items.iter().filter(|item| item.takes <= capacity) {
            let most = capacity.checked_div(item.takes).map_or(usize::MAX, |most| most as usize);
            let held = &mut self.sizes[item.takes as usize];
            if held.len() < most {
                held.push(*item);
            } else if held.last().is_none_or(|last| last.order() <= item.order()) {
                continue;
            } else if let Some(last) = held.last_mut() {
                *last = *item;
            }
            let mut at = held.len() - 1;
            while at > 0 && held[at - 1].order() > item.order() {
                held.swap(at - 1, at);
                at -= 1;
            }
        }
        items.clear();
        self.sizes[..sizes].iter_mut().for_each(|held| items.append(held));
    }

    /// Fills the table; false when it would be too large.
    fn fill(&mut self, items: &[Item], capacity: u32) -> bool {
        let width = capacity as usize + 1;
        if items.len().max(1).saturating_mul(width) > CELLS_MAX {
            return false;
        }
        self.best.clear();
        self.best.resize(width, 0);
        self.taken.clear();
        self.taken.resize(width * items.len(), false);
        for (item, row) in items.iter().zip(self.taken.chunks_exact_mut(width)) {
            let takes = item.takes as usize;
            for room in (takes..width).rev() {
                let with = self.best[room - takes] + item.profit;
                if with > self.best[room] {
                    self.best[room] = with;
                    row[room] = true;
                }
            }
        }
        true
    }
}

fn sums(items: &[Item]) -> (u64, i64) {
    items.iter().fold((0, 0), |(takes, profit), item| (takes + u64::from(item.takes), profit + item.profit))
}

/// Most profit per unit taken first.
fn sort_by_rate(items: &mut [Item]) {
    items.sort_unstable_by(|a, b| {
        let (a_rate, b_rate) = (product(a.profit, b.takes), product(b.profit, a.takes));
        b_rate.cmp(&a_rate).then(a.job.cmp(&b.job))
    });
}

/// Takes out the items that every best choice has, which are given, and those that none has.
///
/// In order of their rates, items are taken until one does not fit. Against that one's rate, leaving out an item before
/// it or taking one after it loses something; who loses more than the greedy choice does is settled (Dantzig's bound).
fn sure(items: &mut Vec<Item>, capacity: u32) -> Vec<Item> {
    sort_by_rate(items);
    let (mut room, mut whole, mut breaks) = (capacity, 0, None);
    let mut found = 0;
    for (at, item) in items.iter().enumerate() {
        if item.takes <= room {
            room -= item.takes;
            found += item.profit;
        } else if breaks.is_none() {
            breaks = Some((at, *item, room));
            whole = found;
        }
    }
    let Some((first, rate, room)) = breaks else { return Vec::new() };
    let worth = |units: i64| {
        let part = i128::from(units) * i128::from(rate.profit);
        i64::try_from(rounding::down(part, i128::from(rate.takes))).unwrap_or(i64::MAX / 4)
    };
    let mut sure = Vec::new();
    let mut at = 0;
    items.retain(|item| {
        let taken = at < first;
        at += 1;
        let (sign, units) = if taken { (-1, i64::from(item.takes)) } else { (1, -i64::from(item.takes)) };
        let open = whole + sign * item.profit + worth(i64::from(room) + units) >= found;
        if taken && !open {
            sure.push(*item);
        }
        open
    });
    sure
}

/// The fractional optimum, rounded up, and what of it is whole.
fn greedy(items: &mut Vec<Item>, capacity: u32) -> i64 {
    sort_by_rate(items);
    let mut room = capacity;
    let mut value = 0;
    let mut broken = false;
    items.retain(|item| {
        if item.takes <= room {
            room -= item.takes;
            value += if broken { 0 } else { item.profit };
            return true;
        }
        if !broken {
            broken = true;
            let part = rounding::down(product(item.profit, room), i128::from(item.takes)) + 1;
            value += i64::try_from(part).unwrap_or(item.profit).min(item.profit);
        }
        false
    });
    value
}

fn product(profit: i64, takes: u32) -> i128 {
    i128::from(profit) * i128::from(takes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute(items: &[Item], capacity: u32) -> i64 {
        let choices = 0_u32..1 << items.len();
        let value = |choice: u32| {
            let chosen: Vec<Item> = items
                .iter()
                .enumerate()
                .filter(|(at, _)| choice >> at & 1 == 1)
                .map(|(_, item)| *item)
                .collect();
            let (takes, profit) = sums(&chosen);
            if takes <= u64::from(capacity) { profit } else { 0 }
        };
        choices.map(value).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn the_table_is_exact_and_the_fraction_bounds(
            drawn in prop::collection::vec((1_i64..40, 0_u32..7), 0..9),
            capacity in 0_u32..14,
        ) {
            let items: Vec<Item> =
                drawn.iter().zip(0..).map(|(&(profit, takes), job)| Item { profit, takes, job }).collect();
            let best = brute(&items, capacity);
            let mut chosen = items.clone();
            prop_assert_eq!(Knapsack::default().solve(&mut chosen, capacity), best);
            let (takes, profit) = sums(&chosen);
            prop_assert!(takes <= u64::from(capacity));
            prop_assert_eq!(profit, best);
            let mut open = items.clone();
            let sure = sure(&mut open, capacity);
            let (held, earned) = sums(&sure);
            prop_assert!(held <= u64::from(capacity));
            let left = capacity - u32::try_from(held).unwrap();
            prop_assert_eq!(earned + brute(&open, left), best);
            let mut some = items.clone();
            let mut knapsack = Knapsack::default();
            let Worth::Each(values) = knapsack.worth(&mut some, capacity) else { panic!("small") };
            for (room, value) in (0..).zip(values) {
                prop_assert_eq!(value, brute(&items, room));
            }
            let mut rough = items;
            prop_assert!(greedy(&mut rough, capacity) >= best);
            prop_assert!(sums(&rough).0 <= u64::from(capacity));
        }
    }
}
