//! The multiple-choice knapsack with several limits: bounded, and proven where the bound allows.
//!
//! **Problem.** One candidate of every class, least Σv with Σwₖ ≤ Wₖ for every limit k.
//!
//! **Method.** A subgradient search over prices of the limits meets choices, which are repaired until they keep the limits and
//! improved by changing one class at a time: the first incumbent (`incumbent`). The linear relaxation is solved over its
//! prices (`vertex`); what it proves is counted again in whole numbers (`whole`), which takes out the candidates
//! that lose too much. What is left is searched by branch and bound (`tree`), where every node's relaxation goes on
//! from its parent's prices, and takes out candidates again.
//!
//! **Complexity.** O(rounds · m · n) for the first prices, n candidates and m limits; the branching is exponential and
//! bounded by `work_max`, counted in candidates priced; the result then carries the least bound of what is still open.
//!
//! Sources: Dyer, Kayal, Walker, "A branch and bound algorithm for solving the multiple-choice knapsack problem" (1984);
//! Balas and Zemel on cores (1980).
//!
//! ```
//! use walras_core::choose::knapsack::{Candidate, Knapsack, Solved};
//! use walras_core::choose::several;
//!
//! let candidate = |value, takes: [i128; 2]| Candidate { value, takes: takes.to_vec() };
//! let classes = vec![vec![candidate(1, [3, 0]), candidate(4, [1, 1])], vec![candidate(2, [0, 3]), candidate(5, [1, 1])]];
//! let problem = Knapsack { classes, limits: vec![3, 3] };
//! let Solved::Found(solution) = several::solve(&problem, 1_000) else { unreachable!() };
//! assert_eq!((solution.chosen, solution.value, solution.bound), (vec![0, 0], 3, 3));
//! ```

mod change;
mod depth;
mod incumbent;
mod inverse;
mod left;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod vertex;
mod whole;

use super::knapsack::{Candidate, Knapsack, Solution, Solved};
use depth::Priced;
use incumbent::Incumbent;
use left::Left;
use table::Table;
use tree::Tree;
use vertex::Climber;
use whole::{Whole, room_below, value_of};

/// Steps of the climb over all candidates.
const STEPS_MAX: u32 = 2_000;

/// Solves a problem with any number of limits; the work is counted in candidates priced.
pub fn solve(problem: &Knapsack, work_max: u64) -> Solved {
    let Some(whole) = Whole::new(problem) else { return Solved::Overflow };
    let mut best = Incumbent::new(problem, None);
    let prices = best.find_prices();
    let mut work_left = work_max;
    let climbed = climb_all(problem, &mut work_left);
    let (bound, rest) = reduce(problem, whole, [&prices, &climbed], best.value());
    let found = match rest {
        Some(rest) => search(&rest, &climbed, best.value(), work_left),
        None => Found { better: None, open: None },
    };
    let bound = found.open.map(|open| open.max(bound));
    match found.better.or(best.best) {
        Some((chosen, value)) => {
            let bound = bound.map_or(value, |bound| bound.min(value));
            Solved::Found(Solution { chosen, value, bound })
        }
        None if bound.is_none() => Solved::NothingKeepsAll,
        None => Solved::Unknown,
    }
}

/// What came of the tree: a better choice, and the least value that may still be open.
struct Found {
    better: Option<(Vec<usize>, i128)>,
    open: Option<i128>,
}

/// Depth first for a part of the work, less where there are more limits; then the tree.
fn search(rest: &Rest, prices: &[f64], ceiling: Option<i128>, work: u64) -> Found {
    let problem = &rest.problem;
    let Some(mut whole) = Whole::new(problem) else { return Found { better: None, open: Some(i128::MIN) } };
    let mut best = Incumbent::new(problem, ceiling);
    let bound = whole.bound(&Left::all(problem), prices);
    let whole_prices = whole.whole_prices(prices);
    let priced = Priced { prices: &whole_prices, losses: &whole.losses, bound };
    let share = work / (problem.limits.len() as u64).max(1);
    let mut branches = share;
    let mut open = None;
    if !depth::search(problem, &priced, &mut best, &mut branches) {
        let table = Table::new(problem);
        let mut tree = Tree::new(&table);
        tree.search(&mut whole, &mut best, work - share);
        open = tree.bound();
    }
    Found { better: best.best.map(|(chosen, value)| (rest.in_whole(&chosen), value)), open }
}

/// The prices of the relaxation over all candidates, as far as the work goes.
fn climb_all(problem: &Knapsack, work_left: &mut u64) -> Vec<f64> {
    let table = Table::new(problem);
    let mut climber = Climber::new(&table);
    let each = (table.values.len() as u64).max(1);
    let steps = u32::try_from(*work_left / each).unwrap_or(u32::MAX).min(STEPS_MAX);
    climber.climb(&Left::all(problem), steps);
    *work_left = work_left.saturating_sub(climber.steps.saturating_mul(each));
    table.real(&climber.prices)
}

/// The better bound of two prices, and the candidates that neither rules out; `None` if nothing better is left.
fn reduce(
    problem: &Knapsack,
    mut whole: Whole,
    prices: [&Vec<f64>; 2],
    value: Option<i128>,
) -> (i128, Option<Rest>) {
    let all = Left::all(problem);
    let mut kept = vec![true; all.members.len()];
    let mut best = i128::MIN;
    for prices in prices {
        let bound = whole.bound(&all, prices);
        best = best.max(value_of(bound));
        let room = value.map_or(i128::MAX, |value| room_below(value, bound));
        kept.iter_mut().zip(&whole.losses).for_each(|(kept, loss)| *kept &= *loss <= room);
    }
    (best, Rest::new(problem, &all, &kept))
}

/// A problem with fewer candidates.
struct Rest {
    problem: Knapsack,
    /// For each candidate its place in its class of the whole problem.
    places: Vec<Vec<usize>>,
}

impl Rest {
    /// `None` if a class has no candidate.
    fn new(problem: &Knapsack, all: &Left, kept: &[bool]) -> Option<Rest> {
        let of_class = |range: &[usize]| -> Vec<usize> {
            (range[0]..range[1]).filter(|at| kept[*at]).map(|at| at - range[0]).collect()
        };
        let places: Vec<Vec<usize>> = all.firsts.windows(2).map(of_class).collect();
        let candidates = |(class, places): (&Vec<Candidate>, &Vec<usize>)| -> Vec<Candidate> {
            places.iter().map(|at| class[*at].clone()).collect()
        };
        let classes = problem.classes.iter().zip(&places).map(candidates).collect();
        let complete = places.iter().all(|places| !places.is_empty());
        complete.then_some(Rest { problem: Knapsack { classes, limits: problem.limits.clone() }, places })
    }

    /// A choice as one of the whole problem.
    fn in_whole(&self, chosen: &[usize]) -> Vec<usize> {
        chosen.iter().zip(&self.places).map(|(at, places)| places[*at]).collect()
    }
}
