//! Ways to close a site: sets of jobs that fill it and lose next to nothing.
//!
//! **Problem.** One site's capacity, and jobs with what the site would earn by keeping each. Wanted are many different sets
//! that earn almost as much as the best.
//!
//! **Method.** A table of what the jobs from each on can earn in every room (a knapsack, read from its end) says at every
//! job what keeping it and letting it go would lose against the best. A walk from the first job to the last mostly takes the way
//! that loses nothing, and now and then, by chance, the other, while an allowance lasts: every set within the allowance can be
//! drawn, and none beyond it. Jobs that no such set could keep, or could do without, are set aside first, by the fractional
//! optimum's rate.
//!
//! **Complexity.** O(jobs · room) for the table, after that O(jobs) for each set.

use super::knapsack::Item;
use walras_random::Draws;

/// Tables of more cells than this are not filled.
const CELLS_MAX: usize = 1 << 20;
/// Earnings are counted in parts, so that all together fit in 32 bits.
const EARNED_MAX: i64 = 1 << 30;
/// One choice in so many that could be made otherwise is.
const OTHERWISE: usize = 4;

/// What the jobs that may stay or go can earn.
pub(super) struct Closing {
    /// These stay in every set.
    sure: Vec<u32>,
    items: Vec<Item>,
    /// `table[k · width + room]`: the most that items from k on earn in that room, in parts.
    table: Vec<i32>,
    width: usize,
    /// How often earnings are halved to get parts.
    halved: u32,
}

impl Closing {
    /// Prepares to draw sets that lose at most `most`; none where that takes too much memory. Items earn something.
    pub(super) fn new(mut items: Vec<Item>, capacity: u32, most: i64, dice: &mut Draws) -> Option<Closing> {
        items.retain(|item| item.takes <= capacity);
        let (sure, room) = set_aside(&mut items, capacity, most)?;
        for at in (1..items.len()).rev() {
            items.swap(at, dice.below(at + 1));
        }
        let width = room as usize + 1;
        if width.saturating_mul(items.len() + 1) > CELLS_MAX {
            return None;
        }
        let all = items.iter().map(|item| item.profit).fold(0_i64, i64::saturating_add);
        let halved = (all / EARNED_MAX + 1).ilog2();
        let mut table = vec![0; width * (items.len() + 1)];
        for (at, item) in items.iter().enumerate().rev() {
            let (here, after) = table[at * width..(at + 2) * width].split_at_mut(width);
            let takes = item.takes as usize;
            let profit = parts(item.profit, halved);
            here.copy_from_slice(after);
            for (here, before) in here[takes.min(width)..].iter_mut().zip(&*after) {
                *here = (*here).max(before + profit);
            }
        }
        Some(Closing { sure, items, table, width, halved })
    }

    /// The cells of the table: what preparing it took.
    pub(super) fn cells(&self) -> u64 {
        self.table.len() as u64
    }

    /// A set that loses at most `most`, by chance: the jobs that stay.
    pub(super) fn draw(&self, most: i64, dice: &mut Draws) -> Vec<u32> {
        let mut left = parts(most, self.halved);
        let mut room = self.width - 1;
        let mut stay = self.sure.clone();
        for (at, item) in self.items.iter().enumerate() {
            let (here, after) = self.table[at * self.width..][..2 * self.width].split_at(self.width);
            let takes = item.takes as usize;
            let without = here[room] - after[room];
            let with = room
                .checked_sub(takes)
                .map(|less| here[room] - after[less] - parts(item.profit, self.halved));
            let stays = with.is_some_and(|with| {
                let otherwise = with.max(without) <= left && dice.below(OTHERWISE) == 0;
                (with <= without) != otherwise
            });
            if stays {
                left -= with.unwrap_or(0);
                room -= takes;
                stay.push(item.job);
            } else {
                left -= without;
            }
        }
        stay
    }
}

/// Earnings in parts.
fn parts(earned: i64, halved: u32) -> i32 {
    i32::try_from(earned >> halved).unwrap_or(i32::MAX)
}

/// Takes out the items that every set within `most` of the best keeps, and drops those that none keeps. Gives the former, and
/// the room they leave; none where they do not fit.
fn set_aside(items: &mut Vec<Item>, capacity: u32, most: i64) -> Option<(Vec<u32>, u32)> {
    items.sort_unstable_by(|a, b| {
        let rate = |one: &Item, other: &Item| i128::from(one.profit) * i128::from(other.takes);
        rate(b, a).cmp(&rate(a, b)).then(a.job.cmp(&b.job))
    });
    let (mut room, mut greedy, mut breaking) = (u64::from(capacity), 0_i128, None);
    let mut fractional = 0;
    for item in items.iter() {
        let takes = u64::from(item.takes);
        if takes <= room {
            room -= takes;
            greedy += i128::from(item.profit);
        } else if breaking.is_none() {
            breaking = Some((i128::from(item.profit), i128::from(item.takes)));
            fractional = greedy + (i128::from(item.profit) * i128::from(room)) / i128::from(item.takes) + 1;
        }
    }
    let Some((profit, takes)) = breaking else { return Some((Vec::new(), capacity)) };
    // Doing otherwise with an item loses at least its distance from the rate at which the room is worth its price.
    let spare = (fractional - greedy + i128::from(most)) * takes;
    let mut sure = Vec::new();
    let mut left = capacity;
    let mut fits = true;
    items.retain(|item| {
        let above = i128::from(item.profit) * takes - profit * i128::from(item.takes);
        if above > spare {
            sure.push(item.job);
            fits &= item.takes <= left;
            left = left.saturating_sub(item.takes);
        }
        above.abs() <= spare
    });
    fits.then_some((sure, left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the sets earn that fit, every set tried.
    fn best(items: &[Item], capacity: u32) -> i64 {
        let Some((item, others)) = items.split_first() else { return 0 };
        let without = best(others, capacity);
        let with = capacity.checked_sub(item.takes).map(|room| item.profit + best(others, room));
        with.map_or(without, |with| with.max(without))
    }

    proptest! {
        /// What is drawn fits, and loses no more than is allowed, but for the parts in which earnings are counted.
        #[test]
        fn sets_fit_and_lose_no_more_than_allowed(
            kinds in prop::collection::vec((1_i64..60, 0_u32..12), 0..10),
            capacity in 0_u32..40,
            most in 0_i64..40,
            large in 0_u32..2,
            seed in any::<u64>(),
        ) {
            let shift = large * 30;
            let items: Vec<Item> = kinds.iter().zip(0..)
                .map(|((profit, takes), job)| Item { profit: profit << shift, takes: *takes, job })
                .collect();
            let (most, mut dice) = (most << shift, Draws::new(seed));
            let least = best(&items, capacity) - most - if large == 0 { 0 } else { 1 << 20 };
            let closing = Closing::new(items.clone(), capacity, most, &mut dice).expect("a small table");
            for allowed in [most, 0, most] {
                let stay = closing.draw(allowed, &mut dice);
                let takes: u32 = stay.iter().map(|job| items[*job as usize].takes).sum();
                let earned: i64 = stay.iter().map(|job| items[*job as usize].profit).sum();
                prop_assert!(takes <= capacity);
                prop_assert!(earned >= least, "{} of at least {}", earned, least);
            }
        }
    }

    #[test]
    fn several_sets_are_drawn_where_several_lose_little() {
        let items: Vec<Item> =
            (0..12).map(|job| Item { profit: 1_000 + i64::from(job), takes: 1 + job % 3, job }).collect();
        let mut dice = Draws::new(1);
        let closing = Closing::new(items, 9, 200, &mut dice).expect("a small table");
        let mut sets: Vec<Vec<u32>> = (0..50).map(|_| closing.draw(200, &mut dice)).collect();
        sets.iter_mut().for_each(|set| set.sort_unstable());
        sets.sort();
        sets.dedup();
        assert!(sets.len() > 5, "{}", sets.len());
    }
}
