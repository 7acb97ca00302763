//! Which slots of a stretch can be part of a window below a value, without reading the others.
//!
//! **Problem.** In every round most stretches are asked whether they have a window better than the best so far, which nearly
//! all of their slots can have no part in.
//!
//! **Method.** What a task adds to a criterion is its work times a number of the slot, but for rounding up: money for work,
//! time for work, energy for work. So one order of the slots, by that number, serves all requests ([`Ranking`]). They are read
//! in that order until even the least that this one and the least of the others come to is too much. What the next would come to bounds all
//! windows that were not read, which may be far above what was asked for.
//!
//! Example: three tasks, values up to 20, and slots of 5, 6, 7, 9 and 10: the two least come to 11, so that 10 is not read.

use super::config::Criterion;
use super::scan::Candidate;
use super::view::View;
use crate::slots::{RankBy, Ranking, Segment};
use walras_model::offer::Offers;
use walras_model::quantity::rounding;

/// The numbers of nodes are in units of 2⁻⁴⁰ of what they say for a millionth of performance.
const NODE_BITS: u32 = 40;
/// See [`RankBy::RateForWork`].
const RATE_BITS: u32 = 16;

/// The order of slots for a criterion; nothing where the order of starts is best.
pub(super) fn ranking(offers: &Offers, criterion: &Criterion, weights: &[i64]) -> Option<Ranking> {
    let performances: Vec<i64> = offers.nodes().iter().map(|node| node.performance.as_millionths()).collect();
    let by = match criterion {
        Criterion::Cost => RankBy::RateForWork,
        Criterion::Price => RankBy::Rate,
        Criterion::Runtime | Criterion::NodeTime => {
            RankBy::Node(performances.iter().map(|performance| for_work(1, *performance)).collect())
        }
        Criterion::Energy => {
            let nodes = performances.iter().zip(weights);
            RankBy::Node(nodes.map(|(performance, watts)| for_work(*watts, *performance)).collect())
        }
        Criterion::Attribute(_) => RankBy::Node(weights.to_vec()),
        Criterion::Start | Criterion::Finish => return None,
    };
    Some(Ranking { by, performances })
}

fn for_work(number: i64, performance: i64) -> i64 {
    let rank = rounding::down(i128::from(number) << NODE_BITS, i128::from(performance));
    i64::try_from(rank).unwrap_or(i64::MAX)
}

/// What a task adds to a criterion on a slot of some rank, but for rounding up: `factor` times the rank, by 2^`bits`.
#[derive(Clone, Copy, Debug)]
struct Scale {
    factor: i128,
    bits: u32,
}

impl Scale {
    fn new(criterion: &Criterion, work: i64) -> Scale {
        let work = i128::from(work);
        match criterion {
            // Credits are micros, rates are for seconds and work is in milliseconds of a performance of a million.
            Criterion::Cost => Scale { factor: work * 1_000, bits: RATE_BITS },
            Criterion::Runtime | Criterion::NodeTime | Criterion::Energy => {
                Scale { factor: work * 1_000_000, bits: NODE_BITS }
            }
            Criterion::Price | Criterion::Attribute(_) => Scale { factor: 1, bits: 0 },
            Criterion::Start | Criterion::Finish => Scale { factor: 0, bits: 0 },
        }
    }

    /// The least that a task on a slot of this rank adds.
    fn least(self, rank: i64) -> i128 {
        self.factor.saturating_mul(i128::from(rank)) >> self.bits
    }

    /// The highest rank at which that is no more than `most`; below all ranks when none is.
    fn rank_max(self, most: i128) -> i64 {
        if most < 0 {
            return i64::MIN;
        }
        let beyond = most.checked_add(1).and_then(|next| next.checked_mul(1 << self.bits));
        match beyond.filter(|_| self.factor > 0) {
            Some(beyond) => i64::try_from(rounding::down(beyond - 1, self.factor)).unwrap_or(i64::MAX),
            None => i64::MAX,
        }
    }
}

/// Whether the criterion is the worst of the tasks and not their sum.
fn takes_worst(criterion: &Criterion) -> bool {
    matches!(criterion, Criterion::Runtime | Criterion::Price)
}

/// What was read of a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    /// How many slots.
    pub(super) slots: usize,
    /// A window with a candidate that was not named comes to at least this; there is none where this is nothing.
    pub(super) beyond: Option<i128>,
}

/// Names the candidates of a stretch that can be part of a window of at most `value_max`, in no particular order. None starts
/// before `from`, which is not before the stretch.
pub(super) fn candidates<'a>(
    segment: &'a Segment,
    view: &View,
    criterion: &Criterion,
    from: i64,
    value_max: i128,
    mut met: impl FnMut(Candidate<'a>),
) -> Read {
    let scale = Scale::new(criterion, view.work);
    let worst = takes_worst(criterion);
    // How many of the others of a window have not been met yet: the first ones are the least.
    let mut others = view.tasks.saturating_sub(1);
    // What those come to that have been met.
    let mut least = 0_i128;
    let mut rank_max = scale.rank_max(value_max);
    let ranked = &segment.ranked;
    let (ranks, slots) = (ranked.ranks(), ranked.slots());
    let candidate_on = |place: usize| {
        let candidate = Candidate::new(&slots[place], view)?;
        let start = candidate.start.max(from);
        (candidate.expiry >= start).then_some(Candidate { start, ..candidate })
    };
    let mut read = 0;
    let with_room =
        |place: usize| Some(place).filter(|place| ranked.has_room(*place, view.work)).and_then(candidate_on);
    while others > 0 && ranks.get(read).is_some_and(|rank| *rank <= rank_max) {
        if let Some(candidate) = with_room(read) {
            met(candidate);
            others -= 1;
            if !worst {
                // What it really adds may be more, by rounding, and is not in order.
                least = least.saturating_add(scale.least(ranks[read]));
                rank_max = scale.rank_max(value_max.saturating_sub(least));
            }
        }
        read += 1;
    }
    // What else may be read does not depend on what is met.
    let end = read + ranks[read..].partition_point(|rank| *rank <= rank_max);
    ranked.for_each_with_room(read..end, view.work, |place| {
        candidate_on(place).into_iter().for_each(&mut met);
    });
    // Where there are too few for a window, the least others are looked for, which are not named.
    let mut next = end;
    let beyond = loop {
        let Some(rank) = ranks.get(next) else { break None };
        let adds = scale.least(*rank);
        if others == 0 {
            break Some(least.saturating_add(adds));
        }
        if with_room(next).is_some() {
            others -= 1;
            least = if worst { least } else { least.saturating_add(adds) };
        }
        next += 1;
    };
    Read { slots: next, beyond }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_highest_rank_is_the_last_that_adds_no_more(work in 0..9_i64, rank in 0..9_i64, most in -2..40_i128, units in 0..3_u32) {
            // Ranks around powers of two, where what is shifted out matters.
            let (rank, work) = ((rank << (8 * units)) + rank, work << 4);
            for criterion in [Criterion::Cost, Criterion::NodeTime, Criterion::Price, Criterion::Start] {
                let scale = Scale::new(&criterion, work);
                prop_assert_eq!(rank <= scale.rank_max(most), scale.least(rank) <= most);
            }
        }
    }
}
