//! The n least of a few candidates, at every start.
//!
//! **Problem.** A stretch of time that is searched again mostly has few candidates that matter, often none that make a window.
//! Queues of arrivals and expiries ([`super::cheapest`]) take longer to fill than the answer takes to find.
//!
//! **Method.** The candidates are put in order of their weight once, and those that weigh too much even beside the least others
//! are dropped. Of the n at a start one starts then, or they could start before: for each candidate, the others are read in
//! that order until n - 1 are found that are alive when it starts, or until those missing weigh too much even if all were like
//! the next one. What is read of a candidate lies side by side, and whether it is too heavy is a product of two numbers.
//!
//! **Complexity.** O(m log m + m²) for m candidates at worst, and about 2nm where half of them are alive at once; hence only
//! for [`FEW`].
//!
//! Example: two of the weights 3 (alive from 0 to 5), 4 (from 2 to 9) and 7 (from 0 to 9): 10 at 0, and 7 at 2.

use walras_model::offer::SlotKey;

/// So many candidates are few.
pub(super) const FEW: usize = if cfg!(test) { 6 } else { 1_024 };

/// What a candidate weighs, when it can start, and what else there is to know of it. Of equal weights the first key counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighed<P> {
    pub(super) weight: i64,
    pub(super) key: SlotKey,
    pub(super) start: i64,
    pub(super) expiry: i64,
    pub(super) of: P,
}

impl<P> Weighed<P> {
    pub(super) fn is_alive(&self, time: i64) -> bool {
        (self.start <= time) & (time <= self.expiry)
    }
}

/// Drops candidates that are none of any n that weigh at most so much together.
pub(super) fn keep_within<P>(all: &mut Vec<Weighed<P>>, n: usize, most: i128) {
    if all.len() < n || n == 0 {
        return all.clear();
    }
    let mut weights: Vec<i64> = all.iter().map(|it| it.weight).collect();
    weights.select_nth_unstable(n - 1);
    let weight_max = weight_max(weights[..n].iter().copied(), weights[n - 1], most);
    all.retain(|it| i128::from(it.weight) <= weight_max);
}

/// What one of n may weigh that weigh at most so much together, where these are the least and the greatest of them; below all
/// weights when even they weigh more.
fn weight_max(least: impl Iterator<Item = i64>, greatest: i64, most: i128) -> i128 {
    let sum: i128 = least.map(i128::from).sum();
    // The greatest of the n least gives way to another.
    if sum > most { i128::MIN } else { most - (sum - i128::from(greatest)) }
}

/// A candidate as it is looked through, and its place among all.
#[derive(Clone, Copy, Debug)]
struct Life {
    weight: i64,
    start: i64,
    expiry: i64,
    place: usize,
}

impl Life {
    fn is_at(&self, time: i64) -> bool {
        (self.start <= time) & (time <= self.expiry)
    }
}

/// Candidates in order of their weight.
#[derive(Debug)]
pub(super) struct Few<P> {
    n: usize,
    all: Vec<Weighed<P>>,
    /// Those that are kept, in order of weight and key.
    lives: Vec<Life>,
}

impl<P: Copy> Few<P> {
    /// Of these candidates, those that are any of n that weigh at most so much together.
    pub(super) fn within(n: usize, all: Vec<Weighed<P>>, most: i128) -> Few<P> {
        if n == 0 || all.len() < n {
            return Few { n, all, lives: Vec::new() };
        }
        let life = |(place, it): (usize, &Weighed<P>)| {
            let Weighed { weight, start, expiry, .. } = *it;
            Life { weight, start, expiry, place }
        };
        let mut lives: Vec<Life> = all.iter().enumerate().map(life).collect();
        let by_key = |one: &Life, other: &Life| all[one.place].key.cmp(&all[other.place].key);
        lives.sort_unstable_by(|one, other| one.weight.cmp(&other.weight).then_with(|| by_key(one, other)));
        let greatest = lives[n - 1].weight;
        let weight_max = weight_max(lives[..n].iter().map(|it| it.weight), greatest, most);
        lives.truncate(lives.partition_point(|it| i128::from(it.weight) <= weight_max));
        Few { n, all, lives }
    }

    /// What the n least that are alive then weigh together, when there are n and they weigh at most so much.
    pub(super) fn least_at(&self, time: i64, most: i128) -> Option<i128> {
        self.least_beside(time, (0, self.n), usize::MAX, most)
    }

    /// At each start, in no particular order, what the n least weigh together of which one starts then; all those that begin
    /// with `from`, before which none does, count as one. Others that are alive then could start before.
    pub(super) fn least_sums(&self, from: i64, most: i128) -> impl Iterator<Item = (i64, i128)> {
        let at_once = self.least_at(from, most).map(|sum| (from, sum));
        let later = self.lives.iter().enumerate().filter(move |(_, it)| it.start > from);
        let later = later.filter_map(move |(place, it)| Some((it.start, self.least_with(place, most)?)));
        at_once.into_iter().chain(later)
    }

    /// The least of these sums and, of equal ones, the earliest start.
    pub(super) fn least(&self, from: i64, most: i128) -> Option<(i128, i64)> {
        let mut best = self.least_at(from, most).map(|sum| (sum, from));
        for (place, it) in self.lives.iter().enumerate().filter(|(_, it)| it.start > from) {
            let most = match best {
                Some((sum, start)) if start <= it.start => sum - 1,
                Some((sum, _)) => sum,
                None => most,
            };
            best = self.least_with(place, most).map(|sum| (sum, it.start)).or(best);
        }
        best
    }

    /// What one and the n - 1 least others that are alive when it starts weigh together.
    fn least_with(&self, place: usize, most: i128) -> Option<i128> {
        let it = &self.lives[place];
        self.least_beside(it.start, (i128::from(it.weight), self.n.saturating_sub(1)), place, most)
    }

    /// The sum of what is taken and of the least others that are alive then, so many as are missing.
    fn least_beside(
        &self,
        time: i64,
        (sum, mut missing): (i128, usize),
        taken: usize,
        most: i128,
    ) -> Option<i128> {
        let mut left = most - sum;
        if missing == 0 {
            return (left >= 0).then_some(sum);
        }
        let mut others = Others::new(missing, left);
        for (place, it) in self.lives.iter().enumerate() {
            if others.are_too_heavy(it.weight) {
                break;
            }
            if it.is_at(time) & (place != taken) {
                left -= i128::from(it.weight);
                missing -= 1;
                if missing == 0 {
                    break;
                }
                others = Others::new(missing, left);
            }
        }
        (missing == 0 && left >= 0).then_some(most - left)
    }

    /// The n least that are alive then, where there are so many.
    pub(super) fn members_at(&self, time: i64) -> impl Iterator<Item = SlotKey> {
        let alive = self.lives.iter().filter(move |it| it.is_at(time));
        alive.take(self.n).map(|it| self.all[it.place].key)
    }

    /// The candidates that are kept.
    pub(super) fn into_kept(self) -> Vec<Weighed<P>> {
        self.lives.iter().map(|it| self.all[it.place]).collect()
    }
}

/// How many are missing and what they may weigh together, as numbers that are quickly compared.
#[derive(Clone, Copy)]
struct Others {
    missing: i64,
    left: i64,
}

impl Others {
    /// Beyond the range of numbers nothing is too heavy.
    fn new(missing: usize, left: i128) -> Others {
        let left = i64::try_from(left).unwrap_or(if left < 0 { -1 } else { i64::MAX });
        Others { missing: i64::try_from(missing).unwrap_or(i64::MAX), left }
    }

    /// Whether all of them would weigh too much if each weighed so much.
    fn are_too_heavy(self, each: i64) -> bool {
        each.saturating_mul(self.missing) > self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use walras_model::id::NodeId;
    use walras_model::quantity::Time;

    proptest! {
        #[test]
        fn agrees_with_sorting_at_every_start(
            n in 1..4_usize,
            given in prop::collection::vec((0..9_i64, 0..9_i64, 0..9_i64), 1..12),
            most in 0..30_i128,
        ) {
            let key = |node: usize| SlotKey { start: Time::MIN, node: NodeId::from_index(node).unwrap() };
            let given: Vec<Weighed<()>> = given
                .into_iter()
                .enumerate()
                .map(|(node, (weight, start, life))| Weighed { weight, key: key(node), start, expiry: start + life, of: () })
                .collect();
            let few = Few::within(n, given.clone(), i128::MAX);
            let mut kept = given.clone();
            keep_within(&mut kept, n, most);
            let within = Few::within(n, given.clone(), most);
            let mut same: Vec<usize> = within.lives.iter().map(|it| it.place).collect();
            same.sort_unstable();
            prop_assert_eq!(same.iter().map(|place| given[*place].key).collect::<Vec<_>>(), kept.iter().map(|it| it.key).collect::<Vec<_>>());
            let kept = within;
            // What is dropped makes no window.
            let starts = given.iter().map(|it| it.start);
            let least = starts.filter_map(|start| Some((few.least_at(start, most)?, start))).min();
            prop_assert_eq!(kept.least_sums(0, most).map(|(start, sum)| (sum, start)).min(), least);
            prop_assert_eq!(kept.least(0, most), least);
            for (start, sum) in kept.least_sums(0, most) {
                prop_assert!(few.least_at(start, most).is_some_and(|least| least <= sum));
            }
            for time in 0..18 {
                let alive = given.iter().filter(|it| it.start <= time && time <= it.expiry);
                let mut alive: Vec<(i64, SlotKey)> = alive.map(|it| (it.weight, it.key)).collect();
                alive.sort_unstable();
                alive.truncate(n);
                let sum = alive.iter().map(|it| i128::from(it.0)).sum::<i128>();
                let expected = (alive.len() == n && sum <= most).then_some(sum);
                prop_assert_eq!(few.least_at(time, most), expected);
                if alive.len() == n {
                    let keys: Vec<SlotKey> = alive.into_iter().map(|it| it.1).collect();
                    prop_assert_eq!(few.members_at(time).collect::<Vec<_>>(), keys);
                }
            }
        }
    }
}
