//! Lower bounds: the assignment rows relaxed, a knapsack per site, prices moved by subgradients.
//!
//! A price u for each job makes every site take the set of jobs that earns it most within its capacity; then
//! `Σ u − Σ earnings` is a lower bound for any prices whatever (Lagrange). Prices of jobs that nobody takes rise, prices of jobs
//! that several take fall. The best of these bounds is at least the linear relaxation's.
//!
//! The start is the linear relaxation's own dual, roughly: a price v per unit of each site's capacity, moved until
//! demand and capacity meet (tâtonnement), and u the least of `cost + v · takes`.
//!
//! A pair matters only while its cost is below u. Each job therefore shows its sites only its cheapest pairs, and
//! more of them when u rises: a pass costs what the pairs that matter cost, not what all pairs cost.

use super::knapsack::{Item, Knapsack, Worth};
use super::table::{Table, id, whole};

/// How many pairs a job shows at first.
const SHOWN_FIRST: usize = 16;

/// A pair that a job shows its site.
#[derive(Clone, Copy)]
struct Shown {
    job: u32,
    takes: u32,
    cost: i64,
}

/// Prices of jobs, and what follows from them.
pub(super) struct Dual {
    /// The price of each job.
    pub(super) prices: Vec<i64>,
    /// The sites that take each job at these prices.
    pub(super) takers: Vec<Vec<u32>>,
    shown: Vec<Vec<Shown>>,
    counts: Vec<usize>,
    direction: Vec<f64>,
    knapsack: Knapsack,
    items: Vec<Item>,
}

impl Dual {
    /// Prices to begin with.
    pub(super) fn new(table: &Table, prices: Vec<i64>) -> Dual {
        let mut dual = Dual {
            takers: vec![Vec::new(); prices.len()],
            direction: vec![0.0; prices.len()],
            counts: vec![0; prices.len()],
            shown: vec![Vec::new(); table.sites()],
            prices,
            knapsack: Knapsack::default(),
            items: Vec::new(),
        };
        dual.show_anew(table);
        dual
    }

    /// Forgets pairs that no longer matter.
    pub(super) fn show_anew(&mut self, table: &Table) {
        self.shown.iter_mut().for_each(Vec::clear);
        self.counts.iter_mut().for_each(|count| *count = 0);
        self.show(table);
    }

    /// Every pair that costs less than its job's price is shown to its site.
    fn show(&mut self, table: &Table) {
        for (job, count) in self.counts.iter_mut().enumerate() {
            let pairs = table.pairs(job);
            let price = self.prices[job];
            if *count == pairs.len() || (*count > 0 && pairs[*count - 1].cost >= price) {
                continue;
            }
            let mut next = (*count * 2).max(SHOWN_FIRST).min(pairs.len());
            while next < pairs.len() && pairs[next - 1].cost < price {
                next = (next * 2).min(pairs.len());
            }
            for pair in &pairs[*count..next] {
                let shown = Shown { job: id(job), takes: pair.takes, cost: pair.cost };
                self.shown[pair.site as usize].push(shown);
            }
            *count = next;
        }
    }

    /// The bound at the present prices; [`Dual::takers`] then says who took what.
    pub(super) fn evaluate(&mut self, table: &Table) -> i64 {
        self.show(table);
        self.takers.iter_mut().for_each(Vec::clear);
        let mut bound: i64 = self.prices.iter().sum();
        for site in 0..table.sites() {
            self.profitable(site);
            bound -= self.knapsack.solve(&mut self.items, table.capacities[site]);
            for item in &self.items {
                self.takers[item.job as usize].push(id(site));
            }
        }
        bound
    }

    /// Collects the jobs that a site could take at a profit.
    fn profitable(&mut self, site: usize) {
        self.items.clear();
        let prices = &self.prices;
        self.items.extend(self.shown[site].iter().filter_map(|shown| {
            let profit = prices[shown.job as usize] - shown.cost;
            (profit > 0).then_some(Item { profit, takes: shown.takes, job: shown.job })
        }));
    }

    /// What a site's capacity is worth to it at the present prices.
    pub(super) fn worth(&mut self, table: &Table, site: usize) -> Worth {
        self.profitable(site);
        self.knapsack.worth(&mut self.items, table.capacities[site])
    }

    /// Moves the prices by `length` times the way to go for a bound that should rise by `missing`.
    ///
    /// The way is the present subgradient and a share of the last way, which damps zigzags.
    pub(super) fn step(&mut self, length: f64, missing: f64) -> bool {
        const SHARE: f64 = 0.7;
        let mut norm = 0.0;
        for (way, takers) in self.direction.iter_mut().zip(&self.takers) {
            let gradient = 1.0 - takers.len() as f64;
            *way = gradient + SHARE * *way;
            norm += *way * *way;
        }
        if norm < 0.5 {
            return false;
        }
        let step = length * missing.max(1.0) / norm;
        for (price, way) in self.prices.iter_mut().zip(&self.direction) {
            *price += whole((step * way).round());
        }
        true
    }

    /// Forgets the last way, as after a jump to other prices.
    pub(super) fn restart(&mut self, prices: &[i64]) {
        self.prices.copy_from_slice(prices);
        self.direction.iter_mut().for_each(|way| *way = 0.0);
    }
}

/// The linear relaxation's dual, roughly: what a unit of each site is worth, after `rounds` of tâtonnement.
///
/// `target` is the cost of some solution, or a guess at it.
pub(super) fn tatonnement(table: &Table, target: i64, rounds: usize) -> Vec<f64> {
    let mut values = vec![0.0_f64; table.sites()];
    let (mut best, mut best_values) = (f64::NEG_INFINITY, values.clone());
    let (mut length, mut stalled) = (1.5, 0);
    for _ in 0..rounds {
        let (bound, excess) = demand(table, &values);
        stalled += 1;
        if bound > best {
            (best, stalled) = (bound, 0);
            best_values.copy_from_slice(&values);
        } else if stalled >= 10 {
            (length, stalled) = (length / 2.0, 0);
            values.copy_from_slice(&best_values);
        }
        let pull =
            |(excess, value): (&f64, &f64)| if *value > 0.0 || *excess > 0.0 { excess * excess } else { 0.0 };
        let norm: f64 = excess.iter().zip(&values).map(pull).sum();
        if norm < 0.5 || length < 0.01 {
            break;
        }
        let step = length * (target as f64 - bound).max(target as f64 * 1e-4) / norm;
        for (value, excess) in values.iter_mut().zip(&excess) {
            *value = (*value + step * excess).max(0.0);
        }
    }
    best_values
}

/// The bound at these values, and by how much each site is wanted beyond its capacity.
fn demand(table: &Table, values: &[f64]) -> (f64, Vec<f64>) {
    let mut excess: Vec<f64> = table.capacities.iter().map(|capacity| -f64::from(*capacity)).collect();
    let mut bound: f64 = values.iter().zip(&excess).map(|(value, excess)| value * excess).sum();
    for job in 0..table.jobs() {
        if let Some((price, site, takes)) = cheapest(table, job, values) {
            bound += price;
            excess[site] += f64::from(takes);
        }
    }
    (bound, excess)
}

/// The price of a job that follows from the sites' values.
pub(super) fn least(table: &Table, job: usize, values: &[f64]) -> i64 {
    cheapest(table, job, values).map_or(0, |(price, ..)| whole(price))
}

/// The least of `cost + value · takes`, where, and what it takes there.
fn cheapest(table: &Table, job: usize, values: &[f64]) -> Option<(f64, usize, u32)> {
    let mut best: Option<(f64, usize, u32)> = None;
    for pair in table.pairs(job) {
        let cost = pair.cost as f64;
        if best.is_some_and(|(least, ..)| cost >= least) {
            break;
        }
        let price = cost + values[pair.site as usize] * f64::from(pair.takes);
        if best.is_none_or(|(least, ..)| price < least) {
            best = Some((price, pair.site as usize, pair.takes));
        }
    }
    best
}
