//! The n least of a few candidates, at every start.
//!
//! **Problem.** A stretch of time that is searched again mostly has few candidates that matter, often none that make a window.
//! Queues of arrivals and expiries ([`super::cheapest`]) take longer to fill than the answer takes to find.
//!
//! **Method.** Candidates that weigh too much even beside the least others are dropped, and those left are put in order of their
//! weight once. Starts are gone through in order of time, with a bit for each candidate that has begun, in order of weight; who is found
//! to be dead loses it. Of the n at a start one starts then, or they could start before: for each candidate, the bits are read
//! until n - 1 others are found that are alive when it starts, or until those missing weigh too much even if all were like
//! the next one. Whether it is too heavy is a product of two numbers.
//!
//! **Complexity.** O(m log m + nm + m²/64) for m candidates; hence only for [`FEW`].
//!
//! Example: two of the weights 3 (alive from 0 to 5), 4 (from 2 to 9) and 7 (from 0 to 9): 10 at 0, and 7 at 2.

use walras_model::offer::SlotKey;

/// So many candidates are few.
pub(super) const FEW: usize = if cfg!(test) { 6 } else { FEW_MOST };
const FEW_MOST: usize = 1_024;
/// Of a number that is packed with a place, the place has so many.
const PLACE_BITS: u32 = 32;
/// So many least weights are kept in order by putting each new one in its place: most are passed over by one comparison.
const INSERTED_MAX: usize = if cfg!(test) { 2 } else { 16 };

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
    let weight_max = weight_max(all, n, most);
    all.retain(|it| i128::from(it.weight) <= weight_max);
}

/// What one of n may weigh that weigh at most so much together; below all weights when even the n least weigh more.
pub(super) fn weight_max<P>(all: &[Weighed<P>], n: usize, most: i128) -> i128 {
    if n == 0 || all.len() < n {
        return i128::MIN;
    }
    let least = least_weights(all, n);
    let sum: i128 = least.iter().copied().map(i128::from).sum();
    // The greatest of the n least gives way to another.
    if sum > most { i128::MIN } else { most - (sum - i128::from(least[n - 1])) }
}

/// The n least weights, the greatest of them last.
fn least_weights<P>(all: &[Weighed<P>], n: usize) -> Vec<i64> {
    let weight = |it: &Weighed<P>| it.weight;
    if n > INSERTED_MAX {
        let mut weights: Vec<i64> = all.iter().map(weight).collect();
        weights.select_nth_unstable(n - 1);
        weights.truncate(n);
        return weights;
    }
    let mut least: Vec<i64> = all[..n].iter().map(weight).collect();
    least.sort_unstable();
    for weight in all[n..].iter().map(weight) {
        if weight < least[n - 1] {
            let at = least.partition_point(|other| *other <= weight);
            least[at..].rotate_right(1);
            least[at] = weight;
        }
    }
    least
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
        let weight_max = weight_max(&all, n, most);
        let light = all.iter().enumerate().filter(|(_, it)| i128::from(it.weight) <= weight_max);
        let mut order: Vec<i128> = light.map(|(place, it)| packed(it.weight, place)).collect();
        order.sort_unstable();
        let life = |packed: &i128| {
            let place = place_of(*packed);
            let Weighed { weight, start, expiry, .. } = all[place];
            Life { weight, start, expiry, place }
        };
        let mut lives: Vec<Life> = order.iter().map(life).collect();
        for alike in lives.chunk_by_mut(|one, next| one.weight == next.weight).filter(|it| it.len() > 1) {
            alike.sort_unstable_by_key(|it| all[it.place].key);
        }
        Few { n, all, lives }
    }

    /// At each start, in order, what the n least weigh together of which one starts then; all those that begin
    /// with `from`, before which none does, count as one. Others that are alive then could start before.
    pub(super) fn least_sums(&self, from: i64, most: i128, mut met: impl FnMut(i64, i128)) {
        self.sweep(from, most, |start, sum| {
            met(start, sum);
            most
        });
    }

    /// The least of these sums and, of equal ones, the earliest start.
    pub(super) fn least(&self, from: i64, most: i128) -> Option<(i128, i64)> {
        let mut best = None;
        self.sweep(from, most, |start, sum| {
            best = Some((sum, start));
            sum - 1
        });
        best
    }

    /// Names these starts and sums as long as they are at most `most`, which each that is met may lower.
    fn sweep(&self, from: i64, mut most: i128, mut met: impl FnMut(i64, i128) -> i128) {
        let mut begun = Begun::default();
        let mut later: Vec<i128> = Vec::with_capacity(self.lives.len());
        for (place, it) in self.lives.iter().enumerate() {
            if it.start <= from { begun.add(place) } else { later.push(packed(it.start, place)) }
        }
        if let Some(sum) = self.least_beside(&mut begun, from, (0, self.n), usize::MAX, most) {
            most = met(from, sum);
        }
        later.sort_unstable();
        let start_of = |packed: &i128| self.lives[place_of(*packed)].start;
        for together in later.chunk_by(|one, other| start_of(one) == start_of(other)) {
            together.iter().for_each(|it| begun.add(place_of(*it)));
            let start = start_of(&together[0]);
            for place in together.iter().map(|it| place_of(*it)) {
                let own = (i128::from(self.lives[place].weight), self.n.saturating_sub(1));
                if let Some(sum) = self.least_beside(&mut begun, start, own, place, most) {
                    most = met(start, sum);
                }
            }
        }
    }

    /// The sum of what is taken and of the least others that are alive then, so many as are missing.
    fn least_beside(
        &self,
        begun: &mut Begun,
        time: i64,
        (sum, mut missing): (i128, usize),
        taken: usize,
        most: i128,
    ) -> Option<i128> {
        let mut left = most - sum;
        let mut others = Others::new(missing, left);
        let mut from = 0;
        while missing > 0 {
            let place = begun.next(from)?;
            let it = &self.lives[place];
            if others.are_too_heavy(it.weight) {
                return None;
            }
            from = place + 1;
            if it.expiry < time {
                begun.forget(place);
            } else if place != taken {
                left -= i128::from(it.weight);
                missing -= 1;
                others = Others::new(missing, left);
            }
        }
        (left >= 0).then_some(most - left)
    }

    /// The n least that are alive then, where there are so many.
    pub(super) fn members_at(&self, time: i64) -> impl Iterator<Item = SlotKey> {
        let alive = self.lives.iter().filter(move |it| it.is_at(time));
        alive.take(self.n).map(|it| self.all[it.place].key)
    }

    /// Those that are alive then, in order of weight.
    pub(super) fn alive_at(&self, time: i64) -> impl Iterator<Item = &Weighed<P>> {
        self.lives.iter().filter(move |it| it.is_at(time)).map(|it| &self.all[it.place])
    }

    /// The candidates that are kept.
    pub(super) fn into_kept(self) -> Vec<Weighed<P>> {
        self.lives.iter().map(|it| self.all[it.place]).collect()
    }
}

/// A number and a place as one number, which is sorted faster than the two.
fn packed(number: i64, place: usize) -> i128 {
    (i128::from(number) << PLACE_BITS) | place as i128
}

fn place_of(packed: i128) -> usize {
    usize::try_from(packed & ((1 << PLACE_BITS) - 1)).unwrap_or(usize::MAX)
}

/// A bit for each candidate that has begun, by its place in order of weight.
#[derive(Default)]
struct Begun([u64; FEW_MOST / 64]);

impl Begun {
    fn add(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    fn forget(&mut self, place: usize) {
        self.0[place / 64] &= !(1 << (place % 64));
    }

    /// The first from this place on.
    fn next(&self, from: usize) -> Option<usize> {
        let first = self.0.get(from / 64)? & (u64::MAX << (from % 64));
        if first != 0 {
            return Some((from / 64) * 64 + first.trailing_zeros() as usize);
        }
        let behind = from / 64 + 1;
        let at = self.0[behind..].iter().position(|word| *word != 0)?;
        Some((behind + at) * 64 + self.0[behind + at].trailing_zeros() as usize)
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
            let least_at = |time: i64| {
                let least: Vec<i64> = few.alive_at(time).take(n).map(|it| it.weight).collect();
                let sum = least.iter().map(|weight| i128::from(*weight)).sum::<i128>();
                (least.len() == n && sum <= most).then_some(sum)
            };
            let mut kept = given.clone();
            keep_within(&mut kept, n, most);
            let within = Few::within(n, given.clone(), most);
            let mut same: Vec<usize> = within.lives.iter().map(|it| it.place).collect();
            same.sort_unstable();
            prop_assert_eq!(same.iter().map(|place| given[*place].key).collect::<Vec<_>>(), kept.iter().map(|it| it.key).collect::<Vec<_>>());
            let kept = within;
            // What is dropped makes no window.
            let starts = given.iter().map(|it| it.start);
            let least = starts.filter_map(|start| Some((least_at(start)?, start))).min();
            let mut sums = Vec::new();
            kept.least_sums(0, most, |start, sum| sums.push((start, sum)));
            prop_assert!(sums.is_sorted_by_key(|(start, _)| *start));
            prop_assert_eq!(sums.iter().map(|(start, sum)| (*sum, *start)).min(), least);
            prop_assert_eq!(kept.least(0, most), least);
            for (start, sum) in sums {
                prop_assert!(least_at(start).is_some_and(|least| least <= sum));
            }
            for time in 0..18 {
                let alive = given.iter().filter(|it| it.start <= time && time <= it.expiry);
                let mut alive: Vec<(i64, SlotKey)> = alive.map(|it| (it.weight, it.key)).collect();
                alive.sort_unstable();
                alive.truncate(n);
                let sum = alive.iter().map(|it| i128::from(it.0)).sum::<i128>();
                let expected = (alive.len() == n && sum <= most).then_some(sum);
                prop_assert_eq!(least_at(time), expected);
                if alive.len() == n {
                    let keys: Vec<SlotKey> = alive.into_iter().map(|it| it.1).collect();
                    prop_assert_eq!(few.members_at(time).collect::<Vec<_>>(), keys);
                }
            }
        }
    }
}
