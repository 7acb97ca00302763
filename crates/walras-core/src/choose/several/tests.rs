//! The parts, each alone, against brute force.

use super::super::knapsack::{Candidate, Knapsack};
use super::incumbent::Incumbent;
use super::left::Left;
use super::table::{Table, dot};
use super::tree::Tree;
use super::vertex::{Climb, Climber};
use super::whole::Whole;
use walras_random::Draws;

#[test]
fn the_top_is_not_below_any_other_prices() {
    let mut draws = Draws::new(3);
    for case in 0..100 {
        let limits = 1 + case % 5;
        let problem = drawn(&mut draws, 6, limits);
        let table = Table::new(&problem);
        let left = Left::all(&problem);
        let mut climber = Climber::new(&table);
        if climber.climb(&left, 1_000) == Climb::Endless {
            continue;
        }
        let top = height(&table, &left, &climber.prices);
        for _ in 0..50 {
            let near = |price: &f64| (price + share(&mut draws) - 0.5).max(0.0);
            let other: Vec<f64> = climber.prices.iter().map(near).collect();
            assert!(height(&table, &left, &other) <= top + 1e-6, "case {case}");
        }
    }
}

fn share(draws: &mut Draws) -> f64 {
    f64::from(u32::try_from(draws.below(1 << 20)).unwrap()) / f64::from(1 << 20)
}

fn height(table: &Table, left: &Left, prices: &[f64]) -> f64 {
    let cost = |at: &usize| table.values[*at] + dot(table.row(*at), prices);
    let classes = 0..table.classes();
    let least = |class| left.of(class).iter().map(cost).fold(f64::INFINITY, f64::min);
    classes.map(least).sum::<f64>() - dot(&table.rooms, prices)
}

#[test]
fn the_tree_alone_finds_the_best_of_all_and_bounds_it_at_any_time() {
    let mut draws = Draws::new(5);
    let (mut best_known, mut refuted, mut stopped) = (0, 0, 0);
    for case in 0..300 {
        let problem = drawn(&mut draws, 1 + case % 6, 1 + case % 4);
        let expected = best_of_all(&problem);
        let (found, open) = searched(&problem, u64::MAX);
        assert_eq!((found, open), (expected, None), "case {case}");
        match expected {
            Some(_) => best_known += 1,
            None => refuted += 1,
        }
        let (found, open) = searched(&problem, 30);
        if let (Some(expected), Some(open)) = (expected, open) {
            stopped += 1;
            assert!(open.min(found.unwrap_or(expected)) <= expected, "case {case}");
        }
        assert!(found.is_none_or(|found| expected.is_some_and(|expected| expected <= found)));
    }
    assert!(best_known > 100 && refuted > 20 && stopped > 20, "{best_known} {refuted} {stopped}");
}

fn searched(problem: &Knapsack, work: u64) -> (Option<i128>, Option<i128>) {
    let (table, mut whole) = (Table::new(problem), Whole::new(problem).unwrap());
    let mut best = Incumbent::new(problem, None);
    let mut tree = Tree::new(&table);
    tree.search(&mut whole, &mut best, work);
    (best.value(), tree.bound())
}

fn best_of_all(problem: &Knapsack) -> Option<i128> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for class in &problem.classes {
        let longer = |chosen: &Vec<usize>, at| chosen.iter().copied().chain([at]).collect();
        all = all.iter().flat_map(|chosen| (0..class.len()).map(move |at| longer(chosen, at))).collect();
    }
    let kept = all.iter().filter(|chosen| problem.keeps_limits(chosen));
    kept.map(|chosen| problem.value(chosen)).min()
}

fn drawn(draws: &mut Draws, classes: usize, limits: usize) -> Knapsack {
    let mut number = |below: usize| i128::try_from(draws.below(below)).unwrap();
    let mut candidate =
        || Candidate { value: number(40) - 20, takes: (0..limits).map(|_| number(10)).collect() };
    let all = (0..classes).map(|_| (0..3).map(|_| candidate()).collect()).collect();
    Knapsack { classes: all, limits: vec![i128::try_from(classes).unwrap() * 3; limits] }
}
