//! The search on one table: a bound from above by placing, a bound from below by prices, until they meet.

mod proofs;

use super::dive::Dives;
use super::dual::{Dual, least, tatonnement};
use super::flow::divide;
use super::limits::{ExactLimits, Watch};
use super::neighbourhood::{Neighbourhoods, by_loss};
use super::placing::Placing;
use super::rates::Route;
use super::reduce::{core, promising};
use super::refill::Refills;
use super::repair::{place_missing, repair, round};
use super::shake::shake;
use super::table::{Table, whole};
use crate::program::Solver;
use walras_model::market::Pair;
use walras_random::Draws;

/// How many pairs of each job take part in the local search.
const CORE_WIDTH: usize = 12;
/// Chains that move up to so many jobs beside the first.
const DEPTH: usize = 2;
/// The work of the first dives and shakes for every job; twice as much each time.
const WORK_FIRST: u64 = 50_000;
/// The share of the time left for shaking, and its work beside one local search's.
const SHAKE_SHARE: f64 = 0.3;
const SHAKES_MAX: u64 = 64;
/// The share of the time left for dives, and the bound's part of one in so many that their steps aim at.
const DIVE_SHARE: f64 = 0.3;
const DIVE_FINENESS: i64 = 1_000;
/// The share of the time left for refills, and their work beside that of dives, whose steps take longer.
const REFILL_SHARE: f64 = 0.5;
const REFILL_WORK: u64 = 4;
/// How often the time and work of dives, refills or shakes is halved at most.
const HALVED_MAX: u32 = 4;
/// How much worse shaken placings may be: one part in so many at first, in twice as many each time, and again.
const FINENESS_FIRST: i64 = 2_000;
const FINENESS_MAX: i64 = 50_000;
/// Neighbourhoods that are searched between shakes.
const NEIGHBOURHOODS: usize = 6;
/// Rounds of tâtonnement where no flow gives the relaxation's values.
const ROUNDS: usize = 200;
/// The share of the time for raising the bound.
const ASCENT_SHARE: f64 = 0.4;
/// The first step, and the share of the time left, for raising it again when a better placing is known.
const LENGTH_AGAIN: f64 = 0.3;
const AGAIN_SHARE: f64 = 0.1;
/// Passes without a better bound after which the steps become shorter.
const PATIENCE: usize = 20;
const LENGTH_LEAST: f64 = 1e-3;
/// Every so many passes the relaxed solution is made into a placing.
const REPAIR_EVERY: usize = 25;

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) table: Table,
    /// The best placing so far.
    pub(super) best: Placing,
    /// No placing costs less.
    pub(super) bound: i64,
    /// The bound that follows from `prices` alone: what pairs and sets lose at these prices counts from here.
    floor: i64,
    /// Passes over all sites.
    pub(super) passes: u64,
    /// Whether it is proven that not all jobs can be placed.
    pub(super) impossible: bool,
    prices: Vec<i64>,
    /// What a unit of each site's room is worth in the relaxation.
    values: Vec<i64>,
    dice: Draws,
    out: Option<usize>,
    solver: &'a dyn Solver,
    limits: &'a ExactLimits,
    watch: &'a dyn Watch,
}

impl<'a> Search<'a> {
    /// A search that has not begun; `out` is the site that stands for staying out, where there is one.
    pub(super) fn new(
        table: Table,
        out: Option<usize>,
        solver: &'a dyn Solver,
        limits: &'a ExactLimits,
        watch: &'a dyn Watch,
    ) -> Search<'a> {
        let best = Placing::new(&table);
        let (prices, values) = (vec![0; table.jobs()], vec![0; table.sites()]);
        Search {
            table,
            best,
            bound: 0,
            floor: 0,
            passes: 0,
            impossible: false,
            prices,
            values,
            dice: Draws::new(limits.seed),
            out,
            solver,
            limits,
            watch,
        }
    }

    /// Begins with a placing that may be incomplete; jobs without a site stay out while there is room there.
    pub(super) fn begin(&mut self, sites: &[Option<u32>]) {
        let out = self.out.and_then(|out| u32::try_from(out).ok());
        let sites: Vec<Option<u32>> = sites.iter().map(|site| site.or(out)).collect();
        let mut work = self.limits.work;
        self.best = round(&self.table, &sites, 1, &mut work);
    }

    /// Searches until the bounds meet, the gap is small enough, or a limit is reached.
    pub(super) fn run(&mut self) {
        if (0..self.table.jobs()).any(|job| self.table.pairs(job).is_empty()) {
            self.impossible = true;
            return;
        }
        self.start();
        self.floor = i64::MIN;
        self.ascend(1.0, ASCENT_SHARE);
        if self.settle() {
            return;
        }
        self.improve();
        if self.best.missing > 0 && self.place_all() {
            return;
        }
        let mut neighbourhoods = Neighbourhoods::default();
        let mut tried = i64::MAX;
        let mut work = self.limits.work.min(self.table.jobs() as u64 * WORK_FIRST);
        let (mut rest, mut pause) = (0, 1);
        // Of dives, refills and shakes.
        let mut halved = [0; 3];
        let mut fineness = FINENESS_FIRST;
        for _ in 0..self.limits.rounds {
            if self.closed() || self.watch.seconds_left() <= 0.0 {
                return;
            }
            let mut costs = [self.best.cost; 4];
            self.dive(work, halved[0]);
            // Sets and proofs are tried again when the gap has become a good deal smaller.
            if !self.closed() && (self.best.missing > 0 || self.gap() < tried) {
                tried = self.gap() / 2;
                self.ascend(LENGTH_AGAIN, AGAIN_SHARE);
                self.combine();
                if self.best.missing == 0 {
                    self.prove();
                }
            }
            costs[1] = self.best.cost;
            self.refill(work, halved[1]);
            costs[2] = self.best.cost;
            self.shake(work, fineness, halved[2]);
            costs[3] = self.best.cost;
            share(&mut halved, &costs);
            fineness = if fineness > FINENESS_MAX { FINENESS_FIRST } else { 2 * fineness };
            work = work.saturating_mul(2).min(self.limits.work.saturating_mul(SHAKES_MAX));
            if rest > 0 {
                rest -= 1;
                continue;
            }
            let before = self.best.cost;
            for _ in 0..NEIGHBOURHOODS {
                if self.closed() || self.watch.seconds_left() <= 0.0 {
                    return;
                }
                if neighbourhoods.is_done() {
                    let (core, promise) = self.core();
                    let order = by_loss(&core, &promise, &self.best);
                    neighbourhoods.begin(core, order);
                }
                neighbourhoods.search(&self.prices, self.out, &mut self.best, self.solver, self.watch);
            }
            // Where neighbourhoods find nothing, they pause, longer each time.
            pause = if self.best.cost < before { 1 } else { 2 * pause };
            rest = pause - 1;
        }
    }

    /// Where sites have one rate for all jobs, the best placing as a shortest path; whether that settled the matter.
    fn settle(&mut self) -> bool {
        if self.closed() || self.watch.seconds_left() <= 0.0 {
            return false;
        }
        let route = Route::new(&self.table, self.out, &self.prices);
        let settled = route.is_some_and(|route| route.settle(&mut self.best, self.watch));
        if settled {
            self.bound = self.best.cost;
        }
        settled
    }

    /// The distance of the bounds.
    fn gap(&self) -> i64 {
        self.best.cost - self.bound
    }

    /// What a better placing can lose at these prices, at most. A solver may have raised the bound above what the prices
    /// give, so this is not the gap.
    fn slack(&self) -> i64 {
        self.best.cost - self.floor
    }

    /// Whether what was found is as good as was asked for.
    pub(super) fn closed(&self) -> bool {
        let unit = 1_i64 << self.table.shift;
        let asked = self.best.cost as f64 * self.limits.gap;
        self.best.missing == 0 && (self.gap() < unit || self.gap() as f64 <= asked)
    }

    /// A first placing, and first prices: the relaxation's, in which jobs may be divided.
    fn start(&mut self) {
        let mut work = self.limits.work;
        place_missing(&self.table, &mut self.best, 1, &mut work);
        if self.watch.seconds_left() <= 0.0 {
            return;
        }
        let (values, sites) = match divide(&self.table, self.out) {
            Some(divided) => {
                (divided.values, Some(divided.sites).filter(|sites| sites.len() == self.table.jobs()))
            }
            None => (tatonnement(&self.table, self.best.cost, ROUNDS), None),
        };
        self.values = values.iter().map(|value| whole(*value)).collect();
        self.prices = (0..self.table.jobs()).map(|job| least(&self.table, job, &values)).collect();
        if let Some(sites) = sites {
            let mut work = self.limits.work;
            let rounded = round(&self.table, &sites, 1, &mut work);
            self.keep(rounded);
        }
    }

    fn keep(&mut self, placing: Placing) {
        if placing.beats(&self.best) {
            self.best = placing;
        }
    }

    /// Raises the bound by moving prices, and makes placings of what the sites want on the way.
    fn ascend(&mut self, mut length: f64, share: f64) {
        let until = self.watch.seconds_left() * (1.0 - share);
        let mut dual = Dual::new(&self.table, self.prices.clone());
        let mut stalled = 0;
        for pass in 0..self.limits.passes.max(1) {
            self.passes += 1;
            let value = dual.evaluate(&self.table);
            stalled += 1;
            if value > self.floor {
                (self.floor, self.bound, stalled) = (value, value.max(self.bound), 0);
                self.prices.copy_from_slice(&dual.prices);
            }
            if pass % REPAIR_EVERY == 0 {
                let mut work = self.limits.work / 10;
                let mut placing = repair(&self.table, &dual.takers, 1, &mut work);
                if placing.missing == 0 {
                    placing.improve(&self.table, 1, &mut work);
                }
                self.keep(placing);
            }
            if self.closed() || length < LENGTH_LEAST || self.watch.seconds_left() < until {
                break;
            }
            if stalled >= PATIENCE {
                (length, stalled) = (length / 2.0, 0);
                dual.restart(&self.prices);
            } else if !dual.step(length, self.step(value)) {
                break;
            }
        }
    }

    /// By how much the bound should rise: to the best placing, but not by more than a fiftieth at once.
    fn step(&self, value: i64) -> f64 {
        (self.best.cost - value).min(self.floor.abs() / 50 + 1) as f64
    }

    /// The pairs that promise most, with what they lose.
    fn core(&self) -> (Table, Vec<Vec<(i64, Pair)>>) {
        let mut dual = Dual::new(&self.table, self.prices.clone());
        // Pairs that lose more than a few jobs cost would never be among the first.
        let most =
            self.slack().min(4 * self.bound.abs() / i64::try_from(self.table.jobs().max(1)).unwrap_or(1));
        let promise = promising(&self.table, &mut dual, most);
        (core(&self.table, &promise, CORE_WIDTH, &self.best.sites), promise)
    }

    /// Local search over the pairs that promise most.
    fn improve(&mut self) {
        if !self.closed() {
            let (core, _) = self.core();
            let mut work = self.limits.work;
            self.best.improve(&core, DEPTH, &mut work);
        }
    }

    /// Dives from the prices to placings.
    fn dive(&mut self, work: u64, halved: u32) {
        if self.closed() || self.watch.seconds_left() <= 0.0 {
            return;
        }
        let (core, _) = self.core();
        let mut work = work >> halved;
        let until = self.watch.seconds_left() * (1.0 - DIVE_SHARE / f64::from(1_u32 << halved));
        let watch = self.watch;
        let late = || until.is_finite() && watch.seconds_left() <= until.max(0.0);
        let missing = self.slack().min(self.bound / DIVE_FINENESS) as f64;
        while work > 0 && !self.closed() && !late() {
            let dives = Dives { table: &self.table, core: &core, prices: &self.prices, missing, late: &late };
            let placing = dives.dive(&self.best, &mut self.dice, &mut work);
            self.keep(placing);
        }
    }

    /// Empties sites and fills them again, the last of them at once.
    fn refill(&mut self, work: u64, halved: u32) {
        let mut work = work.saturating_mul(REFILL_WORK) >> halved;
        let until = self.watch.seconds_left() * (1.0 - REFILL_SHARE / f64::from(1_u32 << halved));
        while work > 0 && self.best.missing == 0 && !self.closed() {
            if until.is_finite() && self.watch.seconds_left() <= until.max(0.0) {
                return;
            }
            let refills = Refills { table: &self.table, values: &self.values };
            if let Some(placing) = refills.refill(&self.best, &mut self.dice, &mut work) {
                self.keep(placing);
            }
        }
    }

    /// Shakes the placing, most where it loses beside the prices.
    fn shake(&mut self, work: u64, fineness: i64, halved: u32) {
        if self.closed() || self.watch.seconds_left() <= 0.0 {
            return;
        }
        let (core, promise) = self.core();
        let sites = &self.best.sites;
        let loses =
            |job: &usize| !promise[*job].iter().any(|(loss, pair)| pair.site == sites[*job] && *loss == 0);
        let hot: Vec<usize> = (0..core.jobs()).filter(loses).collect();
        let mut work = work >> halved;
        let until = self.watch.seconds_left() * (1.0 - SHAKE_SHARE / f64::from(1_u32 << halved));
        let (watch, bound, unit) = (self.watch, self.bound, 1_i64 << self.table.shift);
        let late = || until.is_finite() && watch.seconds_left() <= until.max(0.0);
        let stop = |best: &Placing| (best.missing == 0 && best.cost - bound < unit) || late();
        shake(&core, &hot, fineness, &mut self.best, &mut self.dice, &mut work, &stop);
    }
}

/// Where dives, refills or shakes found nothing in a round and others did, the others have more of the time from now on: how often
/// the share of each is halved follows from what placings cost before the first and after each.
fn share(halved: &mut [u32; 3], costs: &[i64; 4]) {
    if costs[3] == costs[0] {
        return;
    }
    for (halved, ends) in halved.iter_mut().zip(costs.windows(2)) {
        *halved = if ends[1] < ends[0] { 0 } else { (*halved + 1).min(HALVED_MAX) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_nothing_while_others_do_has_less_of_the_time() {
        let mut halved = [0; 3];
        share(&mut halved, &[9, 9, 7, 7]);
        assert_eq!(halved, [1, 0, 1], "refills alone found something");
        share(&mut halved, &[7, 7, 7, 7]);
        assert_eq!(halved, [1, 0, 1], "nobody found anything: as before");
        share(&mut halved, &[7, 6, 6, 6]);
        assert_eq!(halved, [0, 1, 2], "dives have all of theirs again");
        (0..9).for_each(|_| share(&mut halved, &[7, 6, 6, 6]));
        assert_eq!(halved, [0, HALVED_MAX, HALVED_MAX]);
    }
}
