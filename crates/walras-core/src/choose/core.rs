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
use super::problem::{Problem, Solution, Solved};
use super::relax::{Class, Relaxation, relax};
use super::whole::Whole;

/// Solves a problem with one limit.
pub fn solve(problem: &Problem, labels_max: u64) -> Solved {
    let relaxation = match relax(problem) {
        Ok(relaxation) => relaxation,
        Err(solved) => return solved,
    };
    let mut incumbent = Incumbent::new(problem, &relaxation);
    incumbent.polish();
    let core = relaxation.core(incumbent.loss_limit());
    // Nearly always the core's numbers fit 64 bits, which is several times faster.
    let proven = if small(&core, &incumbent) {
        expand::<i64>(&mut incumbent, &core, labels_max)
    } else {
        expand::<i128>(&mut incumbent, &core, labels_max)
    };
    let bound = if proven { incumbent.value } else { relaxation.bound().min(incumbent.value) };
    Solved::Found(Solution { chosen: incumbent.chosen, value: incumbent.value, bound })
}

/// Whether all sums over the core fit 64 bits.
fn small(core: &[Class], incumbent: &Incumbent<'_>) -> bool {
    let of = |class: &Class| {
        let size = |weight: i128, value: i128| weight.unsigned_abs().max(value.unsigned_abs());
        let sizes = class.candidates.iter().map(|it| size(it.weight, it.value));
        sizes.max().unwrap_or(0).max(size(class.priced.weight, class.priced.value))
    };
    let sum = core.iter().map(of).fold(0_u128, u128::saturating_add);
    let room = incumbent.room().unsigned_abs();
    let loss = incumbent.loss_limit().unsigned_abs();
    sum.max(room).max(loss) < 1 << 60
}

/// The best choice so far.
struct Incumbent<'a> {
    problem: &'a Problem,
    relaxation: &'a Relaxation,
    chosen: Vec<usize>,
    value: i128,
}

impl<'a> Incumbent<'a> {
    fn new(problem: &'a Problem, relaxation: &'a Relaxation) -> Self {
        let chosen = relaxation.incumbent.clone();
        let value = problem.value(&chosen);
        Incumbent { problem, relaxation, chosen, value }
    }

    /// What the limit leaves beside the priced choice; may be negative.
    fn room(&self) -> i128 {
        self.problem.limits[0] - self.relaxation.priced.weight
    }

    /// What a loss must stay below to be better.
    fn loss_limit(&self) -> i128 {
        self.relaxation.loss_of(self.value)
    }

    /// Tries a few moves from the priced choice.
    fn polish(&mut self) {
        let Relaxation { priced, classes, price, .. } = self.relaxation;
        let moves = best_moves(classes, &priced.chosen, self.room(), *price, self.loss_limit());
        if let Some(moves) = moves {
            self.change(&moves);
        }
    }

    /// Becomes the priced choice with these classes changed.
    fn change(&mut self, changes: &[(usize, usize)]) {
        let mut chosen = self.relaxation.priced.chosen.clone();
        for (class, candidate) in changes {
            chosen[*class] = *candidate;
        }
        debug_assert!(self.problem.keeps_limits(&chosen));
        self.value = self.problem.value(&chosen);
        self.chosen = chosen;
    }
}

/// A partial choice over the classes added so far, relative to the priced choice; all others stand at it.
#[derive(Clone, Copy, Debug)]
struct Label<T> {
    weight: T,
    value: T,
    loss: T,
    /// Where it came from in the stage before, and by which candidate.
    parent: u32,
    candidate: u32,
}

/// Expands the core until nothing better is left; whether that was reached.
fn expand<T: Whole>(incumbent: &mut Incumbent<'_>, core: &[Class], labels_max: u64) -> bool {
    let zero = T::of(0);
    let mut labels = vec![Label { weight: zero, value: zero, loss: zero, parent: 0, candidate: 0 }];
    let mut stages: Vec<Vec<(u32, u32)>> = Vec::new();
    let mut spent = 0_u64;
    for (stage, class) in core.iter().enumerate() {
        let products = (labels.len() as u64).saturating_mul(class.candidates.len() as u64);
        if spent.saturating_add(products) > labels_max {
            return false;
        }
        let rates = core.get(stage + 1).map_or((f64::INFINITY, f64::INFINITY), |next| next.rates_to_come);
        let bounds = Bounds {
            room: T::of(incumbent.room()),
            loss_limit: T::of(incumbent.loss_limit()),
            down: rates.0,
            up: rates.1.min(incumbent.relaxation.price_float()),
        };
        labels = extend(&labels, class, &bounds);
        spent += labels.len() as u64;
        stages.push(labels.iter().map(|label| (label.parent, label.candidate)).collect());
        improve(incumbent, &labels, &stages, &core[..=stage]);
        if labels.is_empty() {
            break;
        }
    }
    true
}

/// What a label must keep to be of use.
struct Bounds<T> {
    room: T,
    loss_limit: T,
    /// The least loss per unit by which the classes to come can lose weight.
    down: f64,
    /// The same for gaining weight, or leaving it unused.
    up: f64,
}

impl<T: Whole> Bounds<T> {
    /// Whether what was lost, plus what moving the weight to the limit must cost, is below the limit.
    ///
    /// The rates are floats; the toll is rounded down by more than their error.
    #[inline]
    fn admits(&self, label: &Label<T>) -> bool {
        let over = label.weight - self.room;
        let rate = if over > T::of(0) { self.down } else { self.up };
        let toll = rate * over.to_float().abs() * (1.0 - 1e-9);
        over == T::of(0) || toll < (self.loss_limit - label.loss).to_float() * (1.0 + 1e-9)
    }
}

/// All labels with one more class free, without those that are dominated or cannot beat the incumbent.
fn extend<T: Whole>(labels: &[Label<T>], class: &Class, bounds: &Bounds<T>) -> Vec<Label<T>> {
    let mut all: Vec<Label<T>> = Vec::with_capacity(2 * labels.len() + class.candidates.len());
    // Labels are in order of weight, so each candidate adds a run in order, which the stable sort merges.
    for candidate in &class.candidates {
        let weight = T::of(candidate.weight - class.priced.weight);
        let value = T::of(candidate.value - class.priced.value);
        let Some(loss_max) = T::narrow(candidate.loss).map(|loss| bounds.loss_limit - loss) else { continue };
        for (parent, label) in (0_u32..).zip(labels) {
            if label.loss < loss_max {
                let next = Label {
                    weight: label.weight + weight,
                    value: label.value + value,
                    loss: label.loss + (bounds.loss_limit - loss_max),
                    parent,
                    candidate: candidate.index,
                };
                if bounds.admits(&next) {
                    all.push(next);
                }
            }
        }
    }
    all.sort_by_key(|label| (label.weight, label.value));
    let mut value_min = None;
    all.retain(|label| {
        let better = value_min.is_none_or(|least| label.value < least);
        if better {
            value_min = Some(label.value);
        }
        better
    });
    all
}

/// Takes the best of the labels that keep the limit as the incumbent, when it is better.
fn improve<T: Whole>(
    incumbent: &mut Incumbent<'_>,
    labels: &[Label<T>],
    stages: &[Vec<(u32, u32)>],
    core: &[Class],
) {
    let room = T::of(incumbent.room());
    let within = labels.partition_point(|label| label.weight <= room);
    // Values fall as weights grow, so the heaviest within the limit is the best.
    let Some(last) = within.checked_sub(1) else { return };
    let priced_value = incumbent.relaxation.priced.value;
    if labels[last].value.widen() + priced_value < incumbent.value {
        incumbent.change(&trace(stages, core, last));
    }
}

/// The candidates that lead to a label of the last stage, by class.
fn trace(stages: &[Vec<(u32, u32)>], core: &[Class], index: usize) -> Vec<(usize, usize)> {
    let mut choices = Vec::with_capacity(core.len());
    let mut index = index;
    for (stage, class) in stages.iter().zip(core).rev() {
        let (parent, candidate) = stage[index];
        choices.push((class.class, candidate as usize));
        index = parent as usize;
    }
    choices
}
