//! The multiple-choice knapsack with one limit, to proven optimality.
//!
//! **Problem.** One candidate of every class, least Σv with Σw ≤ W.
//!
//! **Method.** *Reduce*: per class, candidates that take no less for no better value are dropped. *Price*: the
//! linear relaxation walks the lower hulls of all classes in order of slope; the slope where the limit is used up
//! is its price λ = p/q. For any λ, with rᵢⱼ = (q·vᵢⱼ + p·wᵢⱼ) less the least of its class, every choice satisfies
//!
//! > q · (V - LB) = Σr + p · (W - Σw), where q · LB = Σ minⱼ(q·vᵢⱼ + p·wᵢⱼ) - p·W.
//!
//! So a choice beats an incumbent of value U only if its *loss*, Σr plus p per unit left over, is below
//! q·(U - LB). *Polish*: the best of one to three moves from the priced choice makes a good first incumbent.
//! *Fix*: candidates with r beyond that are out, and classes with one candidate left are settled.
//! *Expand the core*: the other classes are added one by one, those first that can move weight at the least loss;
//! partial choices are kept as a list in which none is dominated in both weight and value, and are dropped when
//! their loss, plus the least that the classes to come must charge for the weight that is still over or under, is
//! too much. Most instances are proven after a few dozen classes.
//!
//! **Complexity.** O(n log n) to reduce and price; then the number of labels, bounded by `labels_max`. When that
//! bound is hit, the incumbent is returned with LB.
//!
//! Source: the minimal core of Pisinger (1995) for the multiple-choice knapsack, recast in losses so that all
//! tests are exact in integers.

use super::polish::best_moves;
use super::problem::{Problem, Solution};
use super::relax::{Class, Relaxation, relax};

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solved {
    /// A choice, with its bound.
    Found(Solution),
    /// Even the lightest candidates take more than the limit: this much.
    TooHeavy(i128),
    /// No choice keeps all limits, though each alone could be kept.
    NothingKeepsAll,
    /// The numbers are too large.
    Overflow,
    /// Nothing was found within the bound, and nothing was proven.
    Unknown,
}

/// Solves a problem with one limit.
pub fn solve(problem: &Problem, labels_max: u64) -> Solved {
    let relaxation = match relax(problem) {
        Ok(relaxation) => relaxation,
        Err(solved) => return solved,
    };
    let mut search = Search::new(problem, &relaxation);
    search.polish();
    let proven = search.run(labels_max);
    let bound = if proven { search.best_value } else { relaxation.bound().min(search.best_value) };
    Solved::Found(Solution { chosen: search.best, value: search.best_value, bound })
}

/// A partial choice over the classes added so far; all other classes stand at their priced choice.
#[derive(Clone, Copy, Debug)]
struct Label {
    weight: i128,
    value: i128,
    /// Where it came from in the stage before, and by which candidate.
    parent: u32,
    candidate: u32,
}

struct Search<'a> {
    problem: &'a Problem,
    relaxation: &'a Relaxation,
    limit: i128,
    best: Vec<usize>,
    best_value: i128,
    /// For every stage, parent and candidate of each label, to trace choices back.
    stages: Vec<Vec<(u32, u32)>>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, relaxation: &'a Relaxation) -> Self {
        Search {
            problem,
            relaxation,
            limit: problem.limits[0],
            best: relaxation.incumbent.clone(),
            best_value: problem.value(&relaxation.incumbent),
            stages: Vec::new(),
        }
    }

    /// Tries a few moves from the priced choice.
    fn polish(&mut self) {
        let Relaxation { priced, classes, price, .. } = self.relaxation;
        let room = self.limit - priced.weight;
        if let Some(moves) = best_moves(classes, &priced.chosen, room, *price, self.loss_limit()) {
            let mut chosen = priced.chosen.clone();
            for (class, candidate) in moves {
                chosen[class] = candidate;
            }
            self.best_value = self.problem.value(&chosen);
            self.best = chosen;
        }
    }

    /// What a loss must stay below to beat the incumbent.
    fn loss_limit(&self) -> i128 {
        self.relaxation.loss_of(self.best_value)
    }

    /// Expands the core; whether the optimum is proven.
    fn run(&mut self, labels_max: u64) -> bool {
        let core = self.relaxation.core(self.loss_limit());
        let priced = &self.relaxation.priced;
        let start = Label { weight: priced.weight, value: priced.value, parent: 0, candidate: 0 };
        self.offer(&start, &[]);
        let mut labels = vec![start];
        let mut spent = 0_u64;
        for (stage, class) in core.iter().enumerate() {
            let products = (labels.len() as u64).saturating_mul(class.candidates.len() as u64);
            if spent.saturating_add(products) > labels_max {
                return false;
            }
            let rates = core.get(stage + 1).map_or((f64::INFINITY, f64::INFINITY), |next| next.rates_to_come);
            labels = self.extend(&labels, class, rates);
            spent += labels.len() as u64;
            self.stages.push(labels.iter().map(|label| (label.parent, label.candidate)).collect());
            self.improve(&labels, &core[..=stage]);
            if labels.is_empty() {
                break;
            }
        }
        true
    }

    /// All labels with one more class free, without those that are dominated or cannot beat the incumbent.
    fn extend(&self, labels: &[Label], class: &Class, rates: (f64, f64)) -> Vec<Label> {
        let loss_limit = self.loss_limit();
        let mut all: Vec<Label> = Vec::with_capacity(labels.len() * class.candidates.len());
        for (parent, label) in (0_u32..).zip(labels) {
            for candidate in class.candidates.iter().filter(|candidate| candidate.loss < loss_limit) {
                let next = Label {
                    weight: label.weight + candidate.weight - class.priced.weight,
                    value: label.value + candidate.value - class.priced.value,
                    parent,
                    candidate: candidate.index,
                };
                if self.least_loss(&next, rates) < loss_limit {
                    all.push(next);
                }
            }
        }
        all.sort_unstable_by_key(|label| (label.weight, label.value));
        let mut value_min = i128::MAX;
        all.retain(|label| {
            let better = label.value < value_min;
            value_min = value_min.min(label.value);
            better
        });
        all
    }

    /// The least loss of any completion: what was lost, and what moving the weight to the limit must cost.
    ///
    /// `rates` are the least losses per unit by which the classes to come can lose or gain weight. They are
    /// floats, rounded down by more than their error.
    fn least_loss(&self, label: &Label, (down, up): (f64, f64)) -> i128 {
        let price = self.relaxation.price;
        let lost = self.relaxation.loss_at(label.value, label.weight);
        let over = label.weight - self.limit;
        let rate = if over > 0 { down } else { up.min(to_float(price)) };
        if over == 0 {
            return lost;
        }
        let toll = rate * to_float(over.abs()) * (1.0 - 1e-9);
        lost.saturating_add(floor_to_int(toll))
    }

    /// Takes the best of the labels that keep the limit as the incumbent.
    fn improve(&mut self, labels: &[Label], core: &[Class]) {
        let within = labels.partition_point(|label| label.weight <= self.limit);
        if let Some(last) = within.checked_sub(1) {
            // Values fall as weights grow, so the heaviest within the limit is the best.
            self.offer_at(&labels[last], last, core);
        }
    }

    fn offer_at(&mut self, label: &Label, index: usize, core: &[Class]) {
        if label.value < self.best_value {
            let trace = self.trace(index, core);
            self.offer(label, &trace);
        }
    }

    /// The candidates that lead to a label of the last stage, by class of the core.
    fn trace(&self, index: usize, core: &[Class]) -> Vec<(usize, usize)> {
        let mut choices = Vec::with_capacity(core.len());
        let mut index = index;
        for (stage, class) in self.stages.iter().zip(core).rev() {
            let (parent, candidate) = stage[index];
            choices.push((class.class, candidate as usize));
            index = parent as usize;
        }
        choices
    }

    /// Makes a choice the incumbent when it keeps the limit and is better.
    fn offer(&mut self, label: &Label, choices: &[(usize, usize)]) {
        if label.weight > self.limit || label.value >= self.best_value {
            return;
        }
        let mut chosen = self.relaxation.priced.chosen.clone();
        for (class, candidate) in choices {
            chosen[*class] = *candidate;
        }
        debug_assert!(self.problem.keeps_limits(&chosen));
        self.best_value = self.problem.value(&chosen);
        self.best = chosen;
    }
}

/// The nearest float; only ever used for bounds that are rounded down.
#[expect(clippy::cast_precision_loss, reason = "bounds are rounded down by more than this error")]
pub(super) fn to_float(number: i128) -> f64 {
    number as f64
}

/// The integer at or below a float that is not negative.
#[expect(clippy::cast_possible_truncation, reason = "saturates, which is right for a bound on a sum")]
fn floor_to_int(number: f64) -> i128 {
    if number.is_finite() { number.floor() as i128 } else { i128::MAX }
}
