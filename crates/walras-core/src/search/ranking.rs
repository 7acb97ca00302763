//! Which slots of a stretch can be part of a window below a value, without reading the others.
//!
//! **Problem.** In every round most stretches are asked whether they have a window better than the best so far, which nearly
//! all of their slots can have no part in.
//!
//! **Method.** What a task adds to a criterion is its work times a number of the slot, but for rounding up: money for work,
//! time for work, energy for work. So one order of the slots, by that number, serves all requests ([`Ranking`]). They are read
//! in that order until even the least that this one and the least of the others come to is too much.
//!
//! Example: three tasks, values up to 20, and slots of 5, 6, 7, 9 and 10: the two least come to 11, so that 10 is not read.

use super::config::Criterion;
use super::criterion::LeastOthers;
use super::scan::Candidate;
use super::view::View;
use crate::slots::{Ranking, Segment};
use walras_model::offer::Offers;

/// The numbers of nodes are in units of 2⁻⁴⁰ of what they say for a millionth of performance.
const NODE_BITS: u32 = 40;
/// See [`Ranking::RateForWork`].
const RATE_BITS: u32 = 16;

/// The order of slots for a criterion; nothing where the order of starts is best.
pub(super) fn ranking(offers: &Offers, criterion: &Criterion, weights: &[i64]) -> Option<Ranking> {
    let performances = || offers.nodes().iter().map(|node| node.performance.as_millionths());
    Some(match criterion {
        Criterion::Cost => Ranking::RateForWork(performances().collect()),
        Criterion::Price => Ranking::Rate,
        Criterion::Runtime | Criterion::NodeTime => {
            Ranking::Node(performances().map(|performance| for_work(1, performance)).collect())
        }
        Criterion::Energy => {
            let nodes = performances().zip(weights);
            Ranking::Node(nodes.map(|(performance, watts)| for_work(*watts, performance)).collect())
        }
        Criterion::Attribute(_) => Ranking::Node(weights.to_vec()),
        Criterion::Start | Criterion::Finish => return None,
    })
}

fn for_work(number: i64, performance: i64) -> i64 {
    let rank =
        walras_model::quantity::rounding::down(i128::from(number) << NODE_BITS, i128::from(performance));
    i64::try_from(rank).unwrap_or(i64::MAX)
}

/// The least that a task on a slot of this rank adds to the criterion.
fn least_value(criterion: &Criterion, work: i64, rank: i64) -> i128 {
    let product = i128::from(work).saturating_mul(i128::from(rank));
    match criterion {
        // Credits are micros, rates are for seconds and work is in milliseconds of a performance of a million.
        Criterion::Cost => product.saturating_mul(1_000) >> RATE_BITS,
        Criterion::Runtime | Criterion::NodeTime | Criterion::Energy => {
            product.saturating_mul(1_000_000) >> NODE_BITS
        }
        Criterion::Price | Criterion::Attribute(_) => i128::from(rank),
        Criterion::Start | Criterion::Finish => 0,
    }
}

/// Whether the criterion is the worst of the tasks and not their sum.
fn takes_worst(criterion: &Criterion) -> bool {
    matches!(criterion, Criterion::Runtime | Criterion::Price)
}

/// The candidates of a stretch that can be part of a window of at most `value_max`, in no particular order, and how many
/// slots were read. None starts before `from`.
pub(super) fn candidates<'a>(
    segment: &'a Segment,
    view: &View,
    criterion: &Criterion,
    from: i64,
    value_max: i128,
) -> (Vec<Candidate<'a>>, usize) {
    let mut others = LeastOthers::new(if takes_worst(criterion) { 1 } else { view.tasks });
    let mut most = value_max;
    let (mut found, mut read) = (Vec::with_capacity(32), 0);
    for (rank, slot) in &segment.ranked {
        let least = least_value(criterion, view.work, *rank);
        if least > most {
            break;
        }
        read += 1;
        let Some(candidate) = Candidate::new(slot, view) else { continue };
        let start = candidate.start.max(from);
        if candidate.expiry >= start {
            // What it really adds may be more, by rounding, and is not in order.
            others.meet(i64::try_from(least).unwrap_or(i64::MAX));
            most = value_max - others.sum();
            found.push(Candidate { start, ..candidate });
        }
    }
    (found, read)
}
