//! The best choice so far: prices by subgradients, choices repaired and improved.

use super::super::integer::to_float;
use super::super::knapsack::{Candidate, Knapsack};

/// Rounds of the subgradient search.
const ROUNDS: u32 = 400;
/// How often a choice is changed at most before it is given up.
const REPAIRS_MAX: usize = 200;
/// One change more at once for every so many classes.
const CLASSES_A_CHANGE: usize = 100;

/// The best choice so far.
pub(super) struct Incumbent<'a> {
    problem: &'a Knapsack,
    pub(super) best: Option<(Vec<usize>, i128)>,
    /// Only less than this is better, if there is one.
    ceiling: Option<i128>,
}

impl<'a> Incumbent<'a> {
    /// Nothing yet; only what is less than the ceiling counts.
    pub(super) fn new(problem: &'a Knapsack, ceiling: Option<i128>) -> Incumbent<'a> {
        Incumbent { problem, best: None, ceiling }
    }

    /// The value that has to be beaten.
    pub(super) fn value(&self) -> Option<i128> {
        self.best.as_ref().map(|(_, value)| *value).or(self.ceiling)
    }

    /// Takes a choice if it is better and keeps the limits.
    pub(super) fn offer(&mut self, chosen: &[usize]) {
        let value = self.problem.value(chosen);
        if self.value().is_none_or(|best| value < best) && self.problem.keeps_limits(chosen) {
            self.best = Some((chosen.to_vec(), value));
        }
    }

    /// Subgradient search for prices; every few rounds the choice is repaired and offered.
    pub(super) fn find_prices(&mut self) -> Vec<f64> {
        let limits: Vec<f64> = self.problem.limits.iter().map(|limit| to_float(*limit)).collect();
        let mut prices = vec![0.0; limits.len()];
        let (mut best_prices, mut best_bound) = (prices.clone(), f64::NEG_INFINITY);
        let mut pace = 1.0;
        for round in 0..ROUNDS {
            let chosen = self.least_priced(&prices);
            let taken = self.problem.taken(&chosen);
            let excess: Vec<f64> = taken
                .iter()
                .zip(&self.problem.limits)
                .map(|(taken, limit)| to_float(taken - limit))
                .collect();
            let value = to_float(self.problem.value(&chosen));
            let bound = value + prices.iter().zip(&excess).map(|(price, over)| price * over).sum::<f64>();
            if bound > best_bound {
                (best_bound, best_prices) = (bound, prices.clone());
            } else if round % 20 == 19 {
                pace *= 0.7;
            }
            if round % 8 == 0 {
                self.repair(chosen, &prices);
            }
            // SearchLimits differ in size: each price moves by its relative excess, towards the known gap.
            let gap =
                self.best.as_ref().map_or(value.abs() * 0.02 + 1.0, |(_, best)| to_float(*best) - bound);
            let relative: f64 =
                excess.iter().zip(&limits).map(|(over, limit)| (over / limit.max(1.0)).powi(2)).sum();
            if relative <= 0.0 {
                break;
            }
            for ((price, over), limit) in prices.iter_mut().zip(&excess).zip(&limits) {
                let limit = limit.max(1.0);
                *price = (*price + pace * gap.max(1.0) * (over / limit) / (relative * limit)).max(0.0);
            }
        }
        let chosen = self.least_priced(&best_prices);
        self.repair(chosen, &best_prices);
        best_prices
    }

    fn least_priced(&self, prices: &[f64]) -> Vec<usize> {
        let least = |class: &Vec<Candidate>| {
            let cost = |index: &usize| {
                let it = &class[*index];
                to_float(it.value)
                    + it.takes.iter().zip(prices).map(|(takes, price)| to_float(*takes) * price).sum::<f64>()
            };
            (0..class.len()).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(0)
        };
        self.problem.classes.iter().map(least).collect()
    }

    /// Changes classes until the limits are kept, then as long as that improves the value.
    pub(super) fn repair(&mut self, mut chosen: Vec<usize>, prices: &[f64]) {
        let mut taken = self.problem.taken(&chosen);
        for _ in 0..REPAIRS_MAX {
            if self.keeps(taken.iter().copied()) {
                self.improve(&mut chosen, &mut taken);
                return self.offer(&chosen);
            }
            if !self.relieve(&mut chosen, &mut taken, prices) {
                return;
            }
        }
    }

    /// Takes a few changes that relieve the limits, the cheapest for what they relieve first; whether there was any.
    fn relieve(&self, chosen: &mut [usize], taken: &mut [i128], prices: &[f64]) -> bool {
        let mut over = self.overrun(taken.iter().copied());
        let mut left = self.at_once();
        for (_, class, index) in self.reliefs(chosen, taken, over, prices) {
            let classes = &self.problem.classes[class];
            let after = self.overrun(after(taken, &classes[chosen[class]], &classes[index]));
            if after < over {
                self.switch(chosen, taken, class, index);
                (over, left) = (after, left - 1);
            }
            if over <= 0.0 || left == 0 {
                break;
            }
        }
        left < self.at_once()
    }

    /// How many changes of one list are taken before the next list is made: one of few classes, so that each is the best.
    fn at_once(&self) -> usize {
        self.problem.classes.len() / CLASSES_A_CHANGE + 1
    }

    /// All changes that relieve the limits, by what they lose for it.
    fn reliefs(
        &self,
        chosen: &[usize],
        taken: &[i128],
        over: f64,
        prices: &[f64],
    ) -> Vec<(f64, usize, usize)> {
        let mut all = Vec::new();
        for (class, candidates) in self.problem.classes.iter().enumerate() {
            let from = &candidates[chosen[class]];
            for (index, to) in candidates.iter().enumerate() {
                let relief = over - self.overrun(after(taken, from, to));
                if relief > 0.0 {
                    let takes = from.takes.iter().zip(&to.takes).zip(prices);
                    let saved: f64 = takes.map(|((from, to), price)| to_float(from - to) * price).sum();
                    let rate = (to_float(to.value - from.value) - saved).max(0.0) / relief;
                    all.push((rate, class, index));
                }
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        all
    }

    /// By how much the limits are broken, each relative to its size.
    fn overrun(&self, taken: impl Iterator<Item = i128>) -> f64 {
        let relative =
            |(taken, limit): (i128, &i128)| to_float((taken - limit).max(0)) / to_float((*limit).max(1));
        taken.zip(&self.problem.limits).map(relative).sum()
    }

    /// Whether all limits are kept.
    fn keeps(&self, taken: impl Iterator<Item = i128>) -> bool {
        taken.zip(&self.problem.limits).all(|(taken, limit)| taken <= *limit)
    }

    fn switch(&self, chosen: &mut [usize], taken: &mut [i128], class: usize, index: usize) {
        let (from, to) = (&self.problem.classes[class][chosen[class]], &self.problem.classes[class][index]);
        for ((sum, from), to) in taken.iter_mut().zip(&from.takes).zip(&to.takes) {
            *sum += to - from;
        }
        chosen[class] = index;
    }

    /// Takes the changes that improve the value most, until there is none.
    fn improve(&self, chosen: &mut [usize], taken: &mut [i128]) {
        for _ in 0..ROUNDS {
            let mut gains: Vec<(i128, usize, usize)> = Vec::new();
            for (class, candidates) in self.problem.classes.iter().enumerate() {
                let from = &candidates[chosen[class]];
                let better = candidates
                    .iter()
                    .enumerate()
                    .filter(|(_, to)| to.value < from.value && self.keeps(after(taken, from, to)));
                gains.extend(better.map(|(index, to)| (to.value - from.value, class, index)));
            }
            gains.sort_unstable();
            let mut left = self.at_once();
            for (_, class, index) in &gains {
                let (from, to) =
                    (&self.problem.classes[*class][chosen[*class]], &self.problem.classes[*class][*index]);
                if left > 0 && to.value < from.value && self.keeps(after(taken, from, to)) {
                    self.switch(chosen, taken, *class, *index);
                    left -= 1;
                }
            }
            if gains.is_empty() {
                break;
            }
        }
    }
}

/// What is taken of each limit after a change of one class.
fn after(taken: &[i128], from: &Candidate, to: &Candidate) -> impl Iterator<Item = i128> {
    taken.iter().zip(&from.takes).zip(&to.takes).map(|((sum, from), to)| sum - from + to)
}
