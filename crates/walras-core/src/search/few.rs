//! The n least of a few candidates, at every start.
//!
//! **Problem.** A stretch of time that is searched again mostly has few candidates that matter, often none that make a window.
//! Queues of arrivals and expiries ([`super::cheapest`]) take longer to fill than the answer takes to find.
//!
//! **Method.** The candidates are put in order of their weight once. At each start they are read in that order until n are
//! found that are alive, or until those missing weigh too much even if all were like the next one.
//!
//! **Complexity.** O(m log m + m²) for m candidates at worst, and about 2nm where half of them are alive at once; hence only
//! for [`FEW`].
//!
//! Example: two of the weights 3 (alive from 0 to 5), 4 (from 2 to 9) and 7 (from 0 to 9): 10 at 0, and 7 at 2.

/// So many candidates are few.
pub(super) const FEW: usize = if cfg!(test) { 6 } else { 128 };

/// What a candidate weighs, and when it can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Weighed {
    weight: i64,
    /// Its place among those given.
    place: usize,
    start: i64,
    expiry: i64,
}

/// Candidates in order of their weight.
#[derive(Debug)]
pub(super) struct Few {
    n: usize,
    all: Vec<Weighed>,
}

impl Few {
    /// Of these weights, starts and expiries, given in order of their keys.
    pub(super) fn new(n: usize, given: impl Iterator<Item = (i64, i64, i64)>) -> Few {
        let weighed = |(place, (weight, start, expiry))| Weighed { weight, place, start, expiry };
        let mut all: Vec<Weighed> = given.enumerate().map(weighed).collect();
        all.sort_unstable();
        Few { n, all }
    }

    /// What the n least that are alive then weigh together, when there are n and they weigh at most so much.
    pub(super) fn least_at(&self, time: i64, most: i128) -> Option<i128> {
        let (mut sum, mut missing) = (0, self.n as i128);
        for it in &self.all {
            if missing == 0 || sum + missing * i128::from(it.weight) > most {
                break;
            }
            if it.start <= time && time <= it.expiry {
                sum += i128::from(it.weight);
                missing -= 1;
            }
        }
        (missing == 0).then_some(sum)
    }

    /// The places of the n least that are alive then, or of all if they are fewer.
    pub(super) fn members_at(&self, time: i64) -> impl Iterator<Item = usize> {
        let alive = self.all.iter().filter(move |it| it.start <= time && time <= it.expiry);
        alive.take(self.n).map(|it| it.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_sorting_at_every_start(
            n in 1..4_usize,
            given in prop::collection::vec((0..9_i64, 0..9_i64, 0..9_i64), 1..12),
            most in 0..30_i128,
        ) {
            let given: Vec<_> = given.into_iter().map(|(weight, start, life)| (weight, start, start + life)).collect();
            let few = Few::new(n, given.iter().copied());
            for time in 0..18 {
                let alive = given.iter().enumerate().filter(|(_, it)| it.1 <= time && time <= it.2);
                let mut alive: Vec<(i64, usize)> = alive.map(|(place, it)| (it.0, place)).collect();
                alive.sort_unstable();
                alive.truncate(n);
                let sum = alive.iter().map(|it| i128::from(it.0)).sum::<i128>();
                let expected = (alive.len() == n && sum <= most).then_some(sum);
                prop_assert_eq!(few.least_at(time, most), expected);
                let places: Vec<usize> = alive.into_iter().map(|it| it.1).collect();
                prop_assert_eq!(few.members_at(time).collect::<Vec<_>>(), places);
            }
        }
    }
}
