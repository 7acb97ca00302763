//! Like jobs and the sites on their way: what [`super::rates`] counts.

use super::fit::{Fit, product};
use super::table::Table;
use std::collections::BTreeMap;
use walras_model::market::Pair;

/// What a job takes of a site where it may never be.
const NEVER: u32 = u32::MAX;

/// Jobs that take equally much, heaviest first.
pub(super) struct Splitting {
    pub(super) takes: u32,
    /// What they take of "nowhere".
    pub(super) weight: u32,
    pub(super) jobs: Vec<usize>,
    /// Sums of work and of prices over the first so many.
    works: Vec<i64>,
    prices: Vec<i64>,
    scale: u32,
    /// Where its count is in a state.
    pub(super) shift: u32,
}

impl Splitting {
    pub(super) fn count(&self, state: u64) -> usize {
        let bits = bits(self.jobs.len());
        let mask = u64::MAX >> (u64::BITS - bits);
        usize::try_from((state >> self.shift) & mask).expect("a count of jobs fits")
    }

    /// What the jobs from one position to another are worth at a rate: their products less their prices.
    pub(super) fn worth(&self, rate: i64, from: usize, to: usize) -> i64 {
        let works = self.works[to] - self.works[from];
        product(rate, works, self.scale) - (self.prices[to] - self.prices[from])
    }
}

/// How many bits count so many jobs; at least one.
fn bits(count: usize) -> u32 {
    usize::BITS - count.max(1).leading_zeros()
}

/// A site on the way, in the order of rates.
pub(super) struct Stop {
    pub(super) site: usize,
    pub(super) rate: i64,
    pub(super) room: u32,
    pub(super) nowhere: bool,
    /// The least that the kinds from one on can be worth in so much room: `least[kind][room]`.
    pub(super) least: Vec<Vec<i64>>,
}

impl Stop {
    pub(super) fn takes(&self, kind: &Splitting) -> u32 {
        if self.nowhere { kind.weight } else { kind.takes }
    }

    /// The least that any set can be worth here.
    pub(super) fn floor(&self) -> i64 {
        self.least[0][self.room as usize]
    }
}

/// Jobs by what they take, the heaviest first; none where a job takes here more and there less, or counts need too
/// many bits.
pub(super) fn kinds(
    table: &Table,
    out: Option<usize>,
    fitted: &Fit,
    prices: &[i64],
) -> Option<Vec<Splitting>> {
    let mut alike: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for job in 0..table.jobs() {
        let is_out = |pair: &&Pair| out == Some(pair.site as usize);
        let weight = table.pairs(job).iter().find(is_out).map_or(NEVER, |pair| pair.takes);
        let mut takes = table.pairs(job).iter().filter(|pair| !is_out(pair)).map(|pair| pair.takes);
        let first = takes.next().unwrap_or(NEVER);
        if takes.any(|takes| takes != first) {
            return None;
        }
        alike.entry((first, weight)).or_default().push(job);
    }
    let mut shift = 0;
    let mut kinds = Vec::with_capacity(alike.len());
    for ((takes, weight), mut jobs) in alike {
        jobs.sort_by(|a, b| fitted.works[*b].cmp(&fitted.works[*a]).then(a.cmp(b)));
        let sums = |value: &[i64]| {
            let mut sum = 0;
            let add = |job: &usize| {
                sum += value[*job];
                sum
            };
            std::iter::once(0).chain(jobs.iter().map(add)).collect::<Vec<i64>>()
        };
        let (works, prices) = (sums(&fitted.works), sums(prices));
        let width = bits(jobs.len());
        kinds.push(Splitting { takes, weight, works, prices, scale: fitted.scale, shift, jobs });
        shift += width;
    }
    (shift <= u64::BITS && !kinds.is_empty()).then_some(kinds)
}

/// The least that sets of jobs of the kinds from each on can be worth at a stop, in every room.
///
/// Job by job, so that each product is rounded down: what a set is worth, which is rounded once, is never less.
pub(super) fn least(stop: &Stop, kinds: &[Splitting]) -> Vec<Vec<i64>> {
    let rooms = stop.room as usize + 1;
    let mut table = vec![vec![0; rooms]; kinds.len() + 1];
    for (number, kind) in kinds.iter().enumerate().rev() {
        let mut worths: Vec<i64> =
            (0..kind.jobs.len()).map(|job| kind.worth(stop.rate, job, job + 1)).collect();
        worths.sort_unstable();
        let takes = stop.takes(kind) as usize;
        for room in 0..rooms {
            let mut sum = 0;
            let mut best: i64 = table[number + 1][room];
            for (count, worth) in worths.iter().take_while(|worth| **worth < 0).enumerate() {
                let Some(rest) = room.checked_sub(takes.saturating_mul(count + 1)) else { break };
                sum += worth;
                best = best.min(sum + table[number + 1][rest]);
            }
            table[number][room] = best;
        }
    }
    table
}
