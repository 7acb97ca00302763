//! The search on one table: a bound from above by placing, a bound from below by prices, until they meet.

use super::super::instance::Pair;
use super::dual::{Dual, least, tatonnement};
use super::flow::divide;
use super::neighbourhood::{Ended, Neighbourhoods, by_loss, by_patterns};
use super::placing::Placing;
use super::reduce::{core, promising};
use super::repair::{place_missing, repair, round};
use super::table::Table;
use super::{Limits, Watch};
use crate::program::Solver;

/// How many pairs of each job take part in the local search.
const CORE_WIDTH: usize = 12;
/// Chains that move up to so many jobs beside the first.
const DEPTH: usize = 2;
/// Rounds of tâtonnement where no flow gives the relaxation's values.
const ROUNDS: usize = 200;
/// The share of the time for raising the bound, and for the first attempt at a proof.
const ASCENT_SHARE: f64 = 0.4;
const PROOF_SHARE: f64 = 0.4;
/// The share of the time left for one combination of sets.
const COMBINE_SHARE: f64 = 0.3;
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
    /// Passes over all sites.
    pub(super) passes: u64,
    prices: Vec<i64>,
    out: Option<usize>,
    solver: &'a dyn Solver,
    limits: &'a Limits,
    watch: &'a dyn Watch,
}

impl<'a> Search<'a> {
    /// A search that has not begun; `out` is the site that stands for staying out, where there is one.
    pub(super) fn new(
        table: Table,
        out: Option<usize>,
        solver: &'a dyn Solver,
        limits: &'a Limits,
        watch: &'a dyn Watch,
    ) -> Search<'a> {
        let best = Placing::new(&table);
        let prices = vec![0; table.jobs()];
        Search { table, best, bound: 0, passes: 0, prices, out, solver, limits, watch }
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
            return;
        }
        self.start();
        self.ascend();
        self.improve();
        if self.combine() {
            return;
        }
        let mut neighbourhoods = Neighbourhoods::default();
        let mut settled = self.gap() / 2;
        for turn in 0..self.limits.neighbourhoods {
            if self.closed() || self.watch.seconds_left() <= 0.0 {
                return;
            }
            // The sets are tried again whenever the gap has become a good deal smaller.
            if turn % 8 == 0 && self.gap() < settled {
                settled = self.gap() / 2;
                if self.combine() || self.prove(PROOF_SHARE) {
                    return;
                }
            }
            if neighbourhoods.is_done() {
                let (core, promise) = self.core();
                let order = by_loss(&core, &promise, &self.best);
                neighbourhoods.begin(core, order);
            }
            if !neighbourhoods.search(&self.prices, self.out, &mut self.best, self.solver, self.watch) {
                break;
            }
        }
        self.prove(1.0);
    }

    /// Combines sets of jobs that lose little; whether that settled the matter.
    ///
    /// Sets that lose more join as long as there are not too many and something better was found.
    fn combine(&mut self) -> bool {
        let mut dual = Dual::new(&self.table, self.prices.clone());
        let gap = self.gap();
        let promise = promising(&self.table, &mut dual, gap.min(self.bound / 50));
        let mut most = (self.bound / 4_000).min(gap);
        let mut before = (0, 0);
        loop {
            let all = self.best.missing == 0 && most >= self.gap();
            let cost = self.best.cost;
            let seconds = self.watch.seconds_left() * COMBINE_SHARE;
            let sets = self.limits.sets;
            let prices = &self.prices;
            let ended = by_patterns(&self.table, &promise, prices, &mut self.best, self.out, most, sets, self.solver, seconds);
            match ended {
                Ended::Settled if all => {
                    self.bound = self.best.cost;
                    return true;
                }
                Ended::Settled if before.1 < 0 => return false,
                Ended::Settled => {
                    before.0 = most;
                    most = (most * 3).min(self.gap());
                }
                Ended::TooMany if before.0 == 0 && most > 1 => {
                    before.1 = -1;
                    most /= 3;
                }
                Ended::TooMany | Ended::Open => return false,
            }
            if self.closed() || self.watch.seconds_left() <= 0.0 {
                return true;
            }
            let _ = cost;
        }
    }

    /// The distance of the bounds.
    fn gap(&self) -> i64 {
        self.best.cost - self.bound
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
            Some(divided) => (divided.values, Some(divided.sites).filter(|sites| sites.len() == self.table.jobs())),
            None => (tatonnement(&self.table, self.best.cost, ROUNDS), None),
        };
        self.prices = (0..self.table.jobs()).map(|job| least(&self.table, job, &values)).collect();
        if let Some(sites) = sites {
            let mut work = self.limits.work;
            let rounded = round(&self.table, &sites, 1, &mut work);
            self.keep(rounded);
        }
    }

    fn keep(&mut self, placing: Placing) {
        if placing.cost < self.best.cost {
            self.best = placing;
        }
    }

    /// Raises the bound by moving prices, and makes placings of what the sites want on the way.
    fn ascend(&mut self) {
        let until = self.watch.seconds_left() * (1.0 - ASCENT_SHARE);
        let mut dual = Dual::new(&self.table, self.prices.clone());
        self.bound = i64::MIN;
        let (mut length, mut stalled) = (1.0, 0);
        for pass in 0..self.limits.passes {
            self.passes += 1;
            let value = dual.evaluate(&self.table);
            stalled += 1;
            if value > self.bound {
                (self.bound, stalled) = (value, 0);
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
        (self.best.cost - value).min(self.bound.abs() / 50 + 1) as f64
    }

    /// The pairs that promise most, with what they lose.
    fn core(&self) -> (Table, Vec<Vec<(i64, Pair)>>) {
        let mut dual = Dual::new(&self.table, self.prices.clone());
        // Pairs that lose more than a few jobs cost would never be among the first.
        let most = self.gap().min(4 * self.bound.abs() / i64::try_from(self.table.jobs().max(1)).unwrap_or(1));
        let promise = promising(&self.table, &mut dual, most);
        (core(&self.table, &promise, CORE_WIDTH, &self.best.sites), promise)
    }

    /// Local search over the pairs that promise most.
    fn improve(&mut self) {
        if self.closed() {
            return;
        }
        let (core, _) = self.core();
        let mut work = self.limits.work;
        self.best.improve(&core, DEPTH, &mut work);
    }

    /// The rest as a programme, when it is small: pairs that no better placing can use are left out.
    fn prove(&mut self, share: f64) -> bool {
        if self.closed() {
            return true;
        }
        let mut dual = Dual::new(&self.table, self.prices.clone());
        let promise = promising(&self.table, &mut dual, self.gap());
        let seconds = self.watch.seconds_left() * share;
        let pairs: usize = promise.iter().map(Vec::len).sum();
        if pairs > self.limits.pairs_proven {
            return false;
        }
        let seconds = self.watch.seconds_left() * share;
        if let Some(bound) = super::neighbourhood::whole(&self.table, &promise, &mut self.best, self.solver, seconds) {
            self.bound = self.bound.max(bound);
        }
        self.closed()
    }
}
