//! The multiple-choice knapsack with several limits: bounded, and proven where the bound allows.
//!
//! **Problem.** One candidate of every class, least Σv with Σwₖ ≤ Wₖ for every limit k.
//!
//! **Method.** *Price* all limits at once: a subgradient search over prices λₖ ≥ 0 raises the Lagrangian bound
//! Σ min(v + Σλₖwₖ) - ΣλₖWₖ. Choices met on the way are repaired until they keep the limits, then improved by
//! changing one class at a time: the best is the incumbent. With the best prices as fractions of a power of two
//! the same identity as with one limit holds exactly,
//!
//! > q · (V - LB) = Σr + Σ pₖ · (Wₖ - Σwₖ),
//!
//! so that candidates whose loss r alone is too much are out. *Branch* over what is left, depth first, the least
//! losses first; a branch ends when its losses, plus the prices of limits that can no longer be used up, are too
//! much, or when the classes to come cannot keep a limit.
//!
//! **Complexity.** O(rounds · n) to price; the branching is exponential and bounded by `branches_max`; the result
//! then carries LB.

use super::integer::to_float;
use super::knapsack::{Candidate, Knapsack, Solution, Solved};
use walras_model::quantity::rounding;

/// Rounds of the subgradient search.
const ROUNDS: u32 = 400;
/// Prices are multiples of 2⁻³⁰.
const SCALE: i128 = 1 << 30;

/// Solves a problem with any number of limits.
pub fn solve(problem: &Knapsack, branches_max: u64) -> Solved {
    let largest = problem.classes.iter().flatten().flat_map(|it| it.takes.iter().chain([&it.value]));
    if largest.chain(&problem.limits).any(|number| number.unsigned_abs() >= 1 << 62) {
        return Solved::Overflow;
    }
    let mut search = Search { problem, best: None, branches_left: branches_max };
    let prices = search.find_prices();
    let scaled = Scaled::new(problem, &prices);
    let proven = search.branch(&scaled);
    match search.best {
        Some((chosen, value)) => {
            let bound = if proven { value } else { scaled.bound().min(value) };
            Solved::Found(Solution { chosen, value, bound })
        }
        None if proven => Solved::NothingKeepsAll,
        None => Solved::Unknown,
    }
}

struct Search<'a> {
    problem: &'a Knapsack,
    best: Option<(Vec<usize>, i128)>,
    branches_left: u64,
}

impl Search<'_> {
    fn offer(&mut self, chosen: &[usize]) {
        let value = self.problem.value(chosen);
        if self.best.as_ref().is_none_or(|(_, best)| value < *best) && self.problem.keeps_limits(chosen) {
            self.best = Some((chosen.to_vec(), value));
        }
    }

    /// Subgradient search for prices; every few rounds the choice is repaired and offered.
    fn find_prices(&mut self) -> Vec<f64> {
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
    fn repair(&mut self, mut chosen: Vec<usize>, prices: &[f64]) {
        let mut taken = self.problem.taken(&chosen);
        for _ in 0..self.problem.classes.len() * 2 {
            let over = self.overrun(taken.iter().copied());
            if over <= 0.0 {
                break;
            }
            let Some((class, index)) = self.best_relief(&chosen, &taken, over, prices) else { return };
            self.switch(&mut chosen, &mut taken, class, index);
        }
        if self.keeps(taken.iter().copied()) {
            self.improve(&mut chosen, &mut taken);
            self.offer(&chosen);
        }
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

    /// The change that relieves the limits most for what it loses.
    fn best_relief(
        &self,
        chosen: &[usize],
        taken: &[i128],
        over: f64,
        prices: &[f64],
    ) -> Option<(usize, usize)> {
        let mut best: Option<(f64, usize, usize)> = None;
        for (class, candidates) in self.problem.classes.iter().enumerate() {
            let from = &candidates[chosen[class]];
            for (index, to) in candidates.iter().enumerate() {
                let relief = over - self.overrun(after(taken, from, to));
                if relief <= 0.0 {
                    continue;
                }
                let saved: f64 = from
                    .takes
                    .iter()
                    .zip(&to.takes)
                    .zip(prices)
                    .map(|((from, to), price)| to_float(from - to) * price)
                    .sum();
                let rate = (to_float(to.value - from.value) - saved).max(0.0) / relief;
                if best.is_none_or(|(least, ..)| rate < least) {
                    best = Some((rate, class, index));
                }
            }
        }
        best.map(|(_, class, index)| (class, index))
    }

    /// Takes the change of one class that improves the value most, until there is none.
    fn improve(&self, chosen: &mut [usize], taken: &mut [i128]) {
        for _ in 0..self.problem.classes.len() * 4 {
            let mut best: Option<(i128, usize, usize)> = None;
            for (class, candidates) in self.problem.classes.iter().enumerate() {
                let from = &candidates[chosen[class]];
                for (index, to) in candidates.iter().enumerate() {
                    let gain = from.value - to.value;
                    if gain > best.map_or(0, |(most, ..)| most) && self.keeps(after(taken, from, to)) {
                        best = Some((gain, class, index));
                    }
                }
            }
            let Some((_, class, index)) = best else { break };
            self.switch(chosen, taken, class, index);
        }
    }

    /// Depth first over the unsettled classes; whether everything better was ruled out.
    fn branch(&mut self, scaled: &Scaled) -> bool {
        let core = scaled.core(self.problem, self.loss_limit(scaled));
        let start: Vec<i128> = scaled.settled_taken(self.problem, &core);
        let mut stack: Vec<Frame> = vec![Frame { loss: 0, taken: start, next: 0 }];
        let mut chosen = scaled.priced.clone();
        loop {
            let depth = stack.len() - 1;
            let Some(frame) = stack.last_mut() else { return true };
            if depth == core.len() {
                let complete = chosen.clone();
                self.offer(&complete);
                stack.pop();
            } else if let Some(&(index, loss)) = core[depth].candidates.get(frame.next) {
                frame.next += 1;
                let total = frame.loss + loss;
                let class = core[depth].class;
                let takes = &self.problem.classes[class][index].takes;
                let taken: Vec<i128> =
                    frame.taken.iter().zip(takes).map(|(sum, takes)| sum + takes).collect();
                if self.branches_left == 0 {
                    return false;
                }
                self.branches_left -= 1;
                let open = scaled.least_loss(self.problem, &core, depth + 1, &taken);
                if open.is_some_and(|toll| total + toll < self.loss_limit(scaled)) {
                    chosen[class] = index;
                    stack.push(Frame { loss: total, taken, next: 0 });
                } else if total >= self.loss_limit(scaled) {
                    // Losses only grow along the candidates.
                    if let Some(frame) = stack.last_mut() {
                        frame.next = usize::MAX;
                    }
                }
            } else {
                stack.pop();
            }
            if stack.is_empty() {
                return true;
            }
        }
    }

    fn loss_limit(&self, scaled: &Scaled) -> i128 {
        self.best.as_ref().map_or(i128::MAX / 4, |(_, value)| scaled.loss_of(*value))
    }
}

/// What is taken of each limit after a change of one class.
fn after(taken: &[i128], from: &Candidate, to: &Candidate) -> impl Iterator<Item = i128> {
    taken.iter().zip(&from.takes).zip(&to.takes).map(|((sum, from), to)| sum - from + to)
}

struct Frame {
    loss: i128,
    taken: Vec<i128>,
    next: usize,
}

/// A class that is not settled: its candidates by loss, and the least and most it takes of each limit.
struct CoreClass {
    class: usize,
    candidates: Vec<(usize, i128)>,
    least_to_come: Vec<i128>,
    most_to_come: Vec<i128>,
}

/// All candidates at integer prices.
struct Scaled {
    prices: Vec<i128>,
    losses: Vec<Vec<i128>>,
    priced: Vec<usize>,
    /// q · LB.
    bound: i128,
}

impl Scaled {
    fn new(problem: &Knapsack, prices: &[f64]) -> Scaled {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "prices are small; saturating keeps the bound valid"
        )]
        let prices: Vec<i128> =
            prices.iter().map(|price| (price * to_float(SCALE)).clamp(0.0, 1e18) as i128).collect();
        let cost = |it: &Candidate| {
            SCALE * it.value + it.takes.iter().zip(&prices).map(|(takes, price)| takes * price).sum::<i128>()
        };
        let (mut losses, mut priced, mut least) = (Vec::new(), Vec::new(), 0);
        for class in &problem.classes {
            let costs: Vec<i128> = class.iter().map(cost).collect();
            let (place, class_least) =
                costs.iter().copied().enumerate().min_by_key(|(_, cost)| *cost).unwrap_or((0, 0));
            losses.push(costs.iter().map(|cost| cost - class_least).collect());
            priced.push(place);
            least += class_least;
        }
        let limits: i128 = problem.limits.iter().zip(&prices).map(|(limit, price)| limit * price).sum();
        Scaled { prices, losses, priced, bound: least - limits }
    }

    fn bound(&self) -> i128 {
        rounding::up(self.bound, SCALE)
    }

    fn loss_of(&self, value: i128) -> i128 {
        SCALE * value - self.bound
    }

    fn core(&self, problem: &Knapsack, loss_limit: i128) -> Vec<CoreClass> {
        let mut core: Vec<CoreClass> = Vec::new();
        for (class, losses) in self.losses.iter().enumerate() {
            let mut candidates: Vec<(usize, i128)> =
                losses.iter().copied().enumerate().filter(|(_, loss)| *loss < loss_limit).collect();
            candidates.sort_by_key(|(index, loss)| (*loss, *index));
            if candidates.len() > 1 {
                core.push(CoreClass {
                    class,
                    candidates,
                    least_to_come: Vec::new(),
                    most_to_come: Vec::new(),
                });
            }
        }
        // Classes that lose most by a change come first: they cut branches early.
        core.sort_by_key(|class| (std::cmp::Reverse(class.candidates[1].1), class.class));
        let mut to_come = (vec![0; problem.limits.len()], vec![0; problem.limits.len()]);
        for class in core.iter_mut().rev() {
            for limit in 0..problem.limits.len() {
                let takes = |(index, _): &(usize, i128)| problem.classes[class.class][*index].takes[limit];
                to_come.0[limit] += class.candidates.iter().map(takes).min().unwrap_or(0);
                to_come.1[limit] += class.candidates.iter().map(takes).max().unwrap_or(0);
            }
            (class.least_to_come, class.most_to_come) = to_come.clone();
        }
        core
    }

    /// What the settled classes take.
    fn settled_taken(&self, problem: &Knapsack, core: &[CoreClass]) -> Vec<i128> {
        let mut taken = problem.taken(&self.priced);
        for class in core {
            let priced = &problem.classes[class.class][self.priced[class.class]];
            for (sum, takes) in taken.iter_mut().zip(&priced.takes) {
                *sum -= takes;
            }
        }
        taken
    }

    /// What the limits must still cost from `stage` on; `None` when some limit cannot be kept.
    fn least_loss(
        &self,
        problem: &Knapsack,
        core: &[CoreClass],
        stage: usize,
        taken: &[i128],
    ) -> Option<i128> {
        let mut toll = 0;
        for (limit, sum) in taken.iter().enumerate() {
            let (least, most) = match core.get(stage) {
                Some(class) => (class.least_to_come[limit], class.most_to_come[limit]),
                None => (0, 0),
            };
            if sum + least > problem.limits[limit] {
                return None;
            }
            toll += self.prices[limit] * (problem.limits[limit] - sum - most).max(0);
        }
        Some(toll)
    }
}
