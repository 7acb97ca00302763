//! The n least of a few candidates, at every start.
//!
//! **Problem.** A stretch of time that is searched again mostly has few candidates that matter, often none that make a window.
//! Queues of arrivals and expiries ([`super::cheapest`]) take longer to fill than the answer takes to find.
//!
//! **Method.** Candidates that weigh too much even beside the least others are dropped. The rest are put in order of their
//! weight once. At each start they are read in that order until n are found that are alive, or until those missing weigh too
//! much even if all were like the next one.
//!
//! **Complexity.** O(m log m + m²) for m candidates at worst, and about 2nm where half of them are alive at once; hence only
//! for [`FEW`].
//!
//! Example: two of the weights 3 (alive from 0 to 5), 4 (from 2 to 9) and 7 (from 0 to 9): 10 at 0, and 7 at 2.

use walras_model::offer::SlotKey;
use walras_model::quantity::rounding;

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
    let others: i128 = weights[..n].iter().map(|weight| i128::from(*weight)).sum();
    let greatest = i128::from(weights[n - 1]);
    if others > most {
        return all.clear();
    }
    // The greatest of the n least gives way to another.
    let weight_max = most - (others - greatest);
    all.retain(|it| i128::from(it.weight) <= weight_max);
}

/// What each of those missing may weigh when all are alike and no more than `most` together; below all weights when none is.
fn each_at_most(most: i128, missing: usize) -> i64 {
    let Some(missing) = i128::try_from(missing).ok().filter(|missing| *missing > 0) else { return i64::MIN };
    let each = rounding::down(most, missing);
    i64::try_from(each).unwrap_or(if each < 0 { i64::MIN } else { i64::MAX })
}

/// Candidates in order of their weight.
#[derive(Debug)]
pub(super) struct Few<P> {
    n: usize,
    all: Vec<Weighed<P>>,
}

impl<P> Few<P> {
    pub(super) fn new(n: usize, mut all: Vec<Weighed<P>>) -> Few<P> {
        all.sort_unstable_by_key(|it| (it.weight, it.key));
        Few { n, all }
    }

    /// When any of them can first start, in no particular order; none does before `from`, which is named once.
    pub(super) fn starts(&self, from: i64) -> impl Iterator<Item = i64> {
        let at_once = self.all.iter().any(|it| it.start == from).then_some(from);
        at_once.into_iter().chain(self.all.iter().map(|it| it.start).filter(move |start| *start > from))
    }

    /// What the n least that are alive then weigh together, when there are n and they weigh at most so much.
    pub(super) fn least_at(&self, time: i64, most: i128) -> Option<i128> {
        self.least_beside(time, (0, self.n), usize::MAX, most)
    }

    /// At each start, in no particular order, what the n least weigh together of which one starts then; all those that begin
    /// with `from` count as one. Others that are alive then could start before.
    pub(super) fn least_sums(&self, from: i64, most: i128) -> impl Iterator<Item = (i64, i128)> {
        let at_once = self.least_at(from, most).map(|sum| (from, sum));
        let later = self.all.iter().enumerate().filter(move |(_, it)| it.start > from);
        let later = later.filter_map(move |(place, it)| {
            let taken = (i128::from(it.weight), self.n.saturating_sub(1));
            Some((it.start, self.least_beside(it.start, taken, place, most)?))
        });
        at_once.into_iter().chain(later)
    }

    /// The sum of what is taken and of the least others that are alive then, so many as are missing.
    fn least_beside(
        &self,
        time: i64,
        (mut sum, mut missing): (i128, usize),
        taken: usize,
        most: i128,
    ) -> Option<i128> {
        let mut weight_max = each_at_most(most - sum, missing);
        for (place, it) in self.all.iter().enumerate() {
            if it.weight > weight_max {
                break;
            }
            if it.is_alive(time) & (place != taken) {
                sum += i128::from(it.weight);
                missing -= 1;
                weight_max = each_at_most(most - sum, missing);
            }
        }
        (missing == 0 && sum <= most).then_some(sum)
    }

    /// The n least that are alive then, or all if they are fewer.
    pub(super) fn members_at(&self, time: i64) -> impl Iterator<Item = SlotKey> {
        self.all.iter().filter(move |it| it.is_alive(time)).take(self.n).map(|it| it.key)
    }

    /// The candidates.
    pub(super) fn into_all(self) -> Vec<Weighed<P>> {
        self.all
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
            let few = Few::new(n, given.clone());
            let mut starts: Vec<i64> = few.starts(0).collect();
            starts.sort_unstable();
            starts.dedup();
            let expected = given.iter().map(|it| it.start).collect::<std::collections::BTreeSet<_>>();
            prop_assert_eq!(starts, expected.into_iter().collect::<Vec<_>>());
            let mut kept = given.clone();
            keep_within(&mut kept, n, most);
            let kept = Few::new(n, kept);
            // What is dropped makes no window.
            let least = |few: &Few<()>| few.starts(0).filter_map(|start| few.least_at(start, most)).min();
            prop_assert_eq!(least(&kept), least(&few));
            prop_assert_eq!(kept.least_sums(0, most).map(|(_, sum)| sum).min(), least(&few));
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
                let keys: Vec<SlotKey> = alive.into_iter().map(|it| it.1).collect();
                prop_assert_eq!(few.members_at(time).collect::<Vec<_>>(), keys);
            }
        }
    }
}
