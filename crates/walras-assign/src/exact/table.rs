//! The problem that the solver works on: every job goes to exactly one site.
//!
//! Staying out is one more site, "nowhere", so that there is only one kind of decision. Its capacity is the weight
//! that may stay out, a job takes its own weight of it, and it costs nothing.
//!
//! Costs are multiplied by a power of two, so that prices of small whole numbers leave the dual values room between
//! them; all arithmetic is exact.

use walras_model::market::{Instance, Pair};

/// Costs are scaled up to about this, so that rounding the duals to whole numbers loses nothing that matters.
const COST_SCALED: i64 = 1 << 32;

/// Pairs by job, cheapest first.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// What each site has; "nowhere" comes last where it is a site.
    pub(super) capacities: Vec<u32>,
    /// Costs here are the instance's times two to the power of this.
    pub(super) shift: u32,
    first: Vec<usize>,
    pairs: Vec<Pair>,
}

/// What staying out means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Nowhere {
    /// Nobody may stay out.
    Closed,
    /// Jobs of at most this weight together may stay out.
    Room(u32),
}

impl Table {
    /// The table of an instance.
    pub(super) fn new(instance: &Instance, nowhere: Nowhere) -> Table {
        let mut capacities = instance.capacities().to_vec();
        let site = u32::try_from(capacities.len()).unwrap_or(u32::MAX);
        match nowhere {
            Nowhere::Closed => {}
            Nowhere::Room(room) => capacities.push(room),
        }
        let shift = shift(instance);
        let mut first = Vec::with_capacity(instance.jobs() + 1);
        first.push(0);
        let mut pairs = Vec::with_capacity(instance.pairs_all() + instance.jobs());
        for job in 0..instance.jobs() {
            let weight = instance.weight(job);
            let begin = pairs.len();
            match nowhere {
                Nowhere::Closed => {}
                Nowhere::Room(room) if weight > room => {}
                Nowhere::Room(_) => pairs.push(Pair { site, takes: weight, cost: 0 }),
            }
            pairs.extend(instance.pairs(job).iter().map(|pair| Pair { cost: pair.cost << shift, ..*pair }));
            pairs[begin..].sort_unstable_by_key(|pair| (pair.cost, pair.site));
            first.push(pairs.len());
        }
        Table { capacities, shift, first, pairs }
    }

    /// A part of a table: these sites with these rooms, and jobs with these pairs (sites by their new positions).
    pub(super) fn part(capacities: Vec<u32>, jobs: Vec<Vec<Pair>>, shift: u32) -> Table {
        let mut first = vec![0];
        let mut pairs = Vec::new();
        for mut job in jobs {
            job.sort_unstable_by_key(|pair| (pair.cost, pair.site));
            pairs.append(&mut job);
            first.push(pairs.len());
        }
        Table { capacities, shift, first, pairs }
    }

    pub(super) fn sites(&self) -> usize {
        self.capacities.len()
    }

    pub(super) fn jobs(&self) -> usize {
        self.first.len() - 1
    }

    /// Where a job may go, cheapest first.
    pub(super) fn pairs(&self, job: usize) -> &[Pair] {
        &self.pairs[self.first[job]..self.first[job + 1]]
    }

    pub(super) fn pairs_all(&self) -> usize {
        self.pairs.len()
    }
}

/// A position as an id. There are never more than 2³² jobs or sites.
#[expect(clippy::cast_possible_truncation, reason = "instances number their sites and jobs with 32 bits")]
pub(super) fn id(index: usize) -> u32 {
    index as u32
}

/// A number of the solver's as a whole one, rounded down.
#[expect(clippy::cast_possible_truncation, reason = "casts saturate, and values stay far inside 64 bits")]
pub(super) fn whole(value: f64) -> i64 {
    value.floor() as i64
}

/// How far costs are shifted to the left: to about [`COST_SCALED`], and never so far that sums overflow.
fn shift(instance: &Instance) -> u32 {
    let dearest = (0..instance.jobs()).flat_map(|job| instance.pairs(job)).map(|pair| pair.cost).max();
    let dearest = dearest.unwrap_or(0).max(1);
    (COST_SCALED / dearest).max(1).ilog2()
}
