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
//! *Expand the core*: the other classes are in order of the least loss at which they can move weight. They are
//! added one by one to one of two lists of partial choices, from the front to the first and from the back to the
//! second, always to the shorter list. In a list no choice is dominated in both weight and value, and choices are
//! dropped when their loss, plus the least that all other classes must charge for the weight that is still over or
//! under, is too much. The best sum of one choice of each list is the best over all classes added so far: each
//! choice of the shorter list takes the heaviest partner that fits. A better incumbent drops more.
//!
//! **Complexity.** O(n log n) to reduce and price; then the number of labels, bounded by `labels_max`. When that
//! bound is hit, the incumbent is returned with LB.
//!
//! Source: the minimal core of Pisinger (1995) for the multiple-choice knapsack, recast in losses so that all
//! tests are exact in integers.

use super::fix::Core;
use super::integer::Integer;
use super::knapsack::{Knapsack, Solution, Solved};
use super::labels::{Bounds, Labels};
use super::polish::best_moves;
use super::relax::{Relaxation, relax};

/// Solves a problem with one limit.
pub fn solve(problem: &Knapsack, labels_max: u64) -> Solved {
    // Nearly always the numbers fit 64 bits, which is several times faster.
    match solve_in::<i64>(problem, labels_max) {
        Solved::Overflow => solve_in::<i128>(problem, labels_max),
        solved => solved,
    }
}

/// Solves a problem in numbers of one size; an overflow says that they do not fit.
fn solve_in<T: Integer>(problem: &Knapsack, labels_max: u64) -> Solved {
    let relaxation = match relax::<T>(problem) {
        Ok(relaxation) => relaxation,
        Err(solved) => return solved,
    };
    let mut incumbent = Incumbent::new(problem, &relaxation);
    incumbent.polish();
    let Some(loss_limit) = T::narrow(incumbent.loss_limit()) else { return Solved::Overflow };
    let core = Core::new(&relaxation, loss_limit);
    let proven = expand(&mut incumbent, &core, labels_max);
    let bound = if proven { incumbent.value } else { relaxation.bound().min(incumbent.value) };
    Solved::Found(Solution { chosen: incumbent.chosen, value: incumbent.value, bound })
}

/// The best choice so far.
struct Incumbent<'a, T> {
    problem: &'a Knapsack,
    relaxation: &'a Relaxation<T>,
    chosen: Vec<usize>,
    value: i128,
}

impl<'a, T: Integer> Incumbent<'a, T> {
    fn new(problem: &'a Knapsack, relaxation: &'a Relaxation<T>) -> Self {
        let chosen = relaxation.incumbent.clone();
        let value = problem.value(&chosen);
        Incumbent { problem, relaxation, chosen, value }
    }

    /// What a loss must stay below to be better.
    fn loss_limit(&self) -> i128 {
        self.relaxation.loss_of(self.value)
    }

    /// Tries a few moves from the priced choice.
    fn polish(&mut self) {
        if let Some(moves) = best_moves(self.relaxation, T::saturate(self.loss_limit())) {
            self.change(moves.into_iter());
        }
    }

    /// Becomes the priced choice with these classes changed.
    fn change(&mut self, changes: impl Iterator<Item = (usize, usize)>) {
        let mut chosen = self.relaxation.priced.chosen.clone();
        for (class, candidate) in changes {
            chosen[class] = candidate;
        }
        assert!(self.problem.keeps_limits(&chosen));
        self.value = self.problem.value(&chosen);
        self.chosen = chosen;
    }
}

/// Expands the core until nothing better is left; whether that was reached.
fn expand<T: Integer>(incumbent: &mut Incumbent<'_, T>, core: &Core<T>, labels_max: u64) -> bool {
    let price = incumbent.relaxation.price.to_float();
    let room = incumbent.relaxation.room;
    let (mut front, mut back) = (Labels::new(), Labels::new());
    let mut left = &core.classes[..];
    let mut spent = 0_u64;
    while let ([first, ..], [.., last]) = (left, left) {
        let forward = front.len() * first.len() <= back.len() * last.len();
        let (labels, class, rates) = if forward {
            (&mut front, first, first.rates_after)
        } else {
            (&mut back, last, last.rates_before)
        };
        let products = (labels.len() as u64).saturating_mul(class.len() as u64);
        if spent.saturating_add(products) > labels_max {
            return false;
        }
        let loss_limit = T::saturate(incumbent.loss_limit());
        let bounds = Bounds { room, loss_limit, down: rates.down, up: rates.up.min(price) };
        labels.extend(core, class, &bounds);
        if labels.len() == 0 {
            break;
        }
        spent += labels.len() as u64;
        left = if forward { &left[1..] } else { &left[..left.len() - 1] };
        improve(incumbent, &front, &back);
    }
    true
}

/// Takes the best of the choices that keep the limit as the incumbent, when it is better.
fn improve<T: Integer>(incumbent: &mut Incumbent<'_, T>, front: &Labels<T>, back: &Labels<T>) {
    if let Some((value, one, other)) = front.best_with(back, incumbent.relaxation.room)
        && value.widen() + incumbent.relaxation.priced.value < incumbent.value
    {
        incumbent.change(front.trace(one).chain(back.trace(other)));
    }
}
