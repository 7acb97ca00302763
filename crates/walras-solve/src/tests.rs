use super::*;
use proptest::prelude::*;
use walras_assign::program::{Answer, LinearProgram, Point, SolverEffort};

const INFINITE: f64 = f64::INFINITY;

fn effort(seconds: Option<f64>, nodes: Option<u64>) -> SolverEffort {
    SolverEffort { seconds, nodes, ..SolverEffort::UNLIMITED }
}

fn optimal(program: &LinearProgram) -> Point {
    match Highs.solve(program, None, &SolverEffort::UNLIMITED) {
        Answer::Optimal(point) => point,
        other => panic!("{other:?}"),
    }
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

/// Two goods from two stocks: 3 x + 2 y is greatest at (2, 6) under x ≤ 4, 2 y ≤ 12, 3 x + 2 y ≤ 18.
#[test]
fn a_linear_programme_has_its_optimum_and_duals() {
    let mut program = LinearProgram::default();
    let x = program.column(-3.0, 0.0, INFINITE, false);
    let y = program.column(-5.0, 0.0, INFINITE, false);
    program.row(-INFINITE, 4.0, vec![(x, 1.0)]);
    program.row(-INFINITE, 12.0, vec![(y, 2.0)]);
    program.row(-INFINITE, 18.0, vec![(x, 3.0), (y, 2.0)]);
    let point = optimal(&program);
    assert!(near(point.values[x], 2.0) && near(point.values[y], 6.0), "{point:?}");
    assert!(near(point.objective, -36.0));
    // The textbook's shadow prices, with the sign of a cost.
    let expected = [0.0, -1.5, -1.0];
    assert!(point.duals.iter().zip(expected).all(|(dual, wanted)| near(*dual, wanted)), "{point:?}");
}

#[test]
fn a_lower_limit_has_a_dual_of_its_price() {
    let mut program = LinearProgram::default();
    let x = program.column(7.0, 0.0, INFINITE, false);
    program.row(3.0, INFINITE, vec![(x, 1.0)]);
    assert!(near(optimal(&program).duals[0], 7.0));
}

fn knapsack() -> LinearProgram {
    let mut program = LinearProgram::default();
    let items: Vec<(usize, f64)> = [(24.0, 12.0), (13.0, 7.0), (23.0, 11.0), (15.0, 8.0), (16.0, 9.0)]
        .into_iter()
        .map(|(worth, weight)| (program.column(-worth, 0.0, 1.0, true), weight))
        .collect();
    program.row(-INFINITE, 26.0, items);
    program
}

#[test]
fn a_knapsack_is_solved_and_has_no_duals() {
    let point = optimal(&knapsack());
    assert!(near(point.objective, -51.0), "{point:?}");
    assert!(point.duals.is_empty());
}

#[test]
fn what_cannot_be_is_infeasible() {
    let mut program = LinearProgram::default();
    let x = program.column(1.0, 0.0, 1.0, false);
    program.row(2.0, 3.0, vec![(x, 1.0)]);
    assert_eq!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Infeasible);
    program.columns[x].integer = true;
    assert_eq!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Infeasible);
}

#[test]
fn what_has_no_end_is_unbounded() {
    for integer in [false, true] {
        let mut program = LinearProgram::default();
        let x = program.column(-1.0, 0.0, INFINITE, integer);
        let y = program.column(0.0, 0.0, INFINITE, integer);
        program.row(-INFINITE, 0.0, vec![(x, 1.0), (y, -1.0)]);
        assert_eq!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Unbounded, "{integer}");
    }
}

#[test]
fn unbounded_costs_over_nothing_feasible_are_infeasible() {
    for integer in [false, true] {
        let mut program = LinearProgram::default();
        let x = program.column(-1.0, 0.0, INFINITE, integer);
        let y = program.column(0.0, 0.0, 1.0, integer);
        program.row(2.0, INFINITE, vec![(y, 1.0)]);
        program.row(-INFINITE, 5.0, vec![(y, 1.0), (x, -1.0)]);
        assert_eq!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Infeasible, "{integer}");
    }
}

#[test]
fn nothing_at_all_is_optimal() {
    assert_eq!(optimal(&LinearProgram::default()), Point { values: vec![], objective: 0.0, duals: vec![] });
    let mut program = LinearProgram::default();
    program.row(0.0, 1.0, vec![]);
    assert!(matches!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Optimal(_)));
    program.row(1.0, 2.0, vec![]);
    assert_eq!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Infeasible);
}

/// A sum of even numbers that must be odd: branch and bound has no end in sight.
fn hard(items: usize) -> LinearProgram {
    let mut program = LinearProgram::default();
    let mut seed = 1_u64;
    let mut terms = Vec::new();
    for _ in 0..items {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let weight = f64::from(u16::try_from(seed >> 48).unwrap() / 4 + 10_000);
        terms.push((program.column(-(weight + 1_000.0), 0.0, 1.0, true), weight));
    }
    let room = terms.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    program.row(-INFINITE, room.floor() + 0.5, terms.clone());
    program.row(
        -INFINITE,
        room.floor() + 3_000.0,
        terms.iter().rev().map(|(at, w)| (*at, w * 1.01 + 7.0)).collect(),
    );
    program
}

#[test]
fn no_time_gives_no_answer_but_a_start_is_kept() {
    let program = hard(60);
    let none = effort(Some(0.0), None);
    let without = Highs.solve(&program, None, &none);
    assert!(matches!(without, Answer::Unknown | Answer::Feasible { .. }), "{without:?}");
    let mut start = vec![0.0; 60];
    start[..20].fill(1.0);
    let worth: f64 = program.columns[..20].iter().map(|column| column.cost).sum();
    match Highs.solve(&program, Some(&start), &none) {
        Answer::Feasible { best, bound } => {
            assert!(best.objective <= worth + 1e-6 && bound <= best.objective)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_limit_on_nodes_is_kept_and_shows() {
    let answer = Highs.solve(&hard(60), None, &effort(None, Some(1)));
    let Answer::Feasible { best, bound } = answer else { panic!("{answer:?}") };
    assert!(bound <= best.objective);
}

#[test]
fn a_wide_gap_is_enough_when_it_is_asked_for() {
    let loose = SolverEffort { gap_absolute: 1e9, ..SolverEffort::UNLIMITED };
    assert!(matches!(Highs.solve(&hard(60), None, &loose), Answer::Optimal(_)));
}

#[test]
fn starts_of_no_use_are_left_aside() {
    let wanted = optimal(&knapsack()).objective;
    for start in [vec![], vec![1.0; 5], vec![f64::NAN; 5], vec![0.5; 9]] {
        match Highs.solve(&knapsack(), Some(&start), &SolverEffort::UNLIMITED) {
            Answer::Optimal(point) => assert!(near(point.objective, wanted)),
            other => panic!("{start:?}: {other:?}"),
        }
    }
}

#[test]
fn bad_numbers_are_refused_without_a_panic() {
    type Spoil = fn(&mut LinearProgram);
    let spoil: [(&str, Spoil); 9] = [
        ("cost", |program| program.columns[0].cost = f64::NAN),
        ("endless cost", |program| program.columns[0].cost = f64::INFINITY),
        ("lower", |program| program.columns[0].lower = f64::NAN),
        ("upper", |program| program.columns[0].upper = f64::NAN),
        ("row", |program| program.rows[0].upper = f64::NAN),
        ("factor", |program| program.rows[0].terms[0].1 = f64::NAN),
        ("column", |program| program.rows[0].terms[0].0 = 99),
        ("column twice", |program| program.rows[0].terms[1].0 = 0),
        ("huge factor", |program| program.rows[0].terms[0].1 = 1e300),
    ];
    for (name, spoil) in spoil {
        let mut program = knapsack();
        spoil(&mut program);
        assert_eq!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Unknown, "{name}");
    }
    let odd = SolverEffort { seconds: Some(f64::NAN), nodes: Some(u64::MAX), gap_absolute: f64::NAN };
    let answer = Highs.solve(&knapsack(), None, &odd);
    assert!(!matches!(answer, Answer::Infeasible | Answer::Unbounded), "{answer:?}");
}

#[test]
fn crossed_bounds_are_infeasible() {
    let mut program = knapsack();
    program.columns[0].lower = 2.0;
    assert_eq!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Infeasible);
    let mut program = knapsack();
    program.rows[0].lower = 27.0;
    assert_eq!(Highs.solve(&program, None, &SolverEffort::UNLIMITED), Answer::Infeasible);
}

#[test]
fn threads_may_solve_side_by_side() {
    let alone = Highs.solve(&hard(30), None, &effort(None, Some(50)));
    let together: Vec<Answer> = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..4).map(|_| scope.spawn(|| Highs.solve(&hard(30), None, &effort(None, Some(50))))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(together.iter().all(|answer| *answer == alone));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whole columns against trying everything, relaxed ones below that.
    #[test]
    fn small_programmes_equal_trying_everything(
        costs in prop::collection::vec(-9_i32..=9, 1..=6),
        rows in prop::collection::vec((prop::collection::vec(-5_i32..=5, 6), -6_i32..=12), 0..=3),
    ) {
        let mut program = LinearProgram::default();
        for cost in &costs {
            program.column(f64::from(*cost), 0.0, 1.0, true);
        }
        for (factors, limit) in &rows {
            let terms = factors.iter().take(costs.len()).enumerate();
            program.row(-INFINITE, f64::from(*limit), terms.map(|(at, f)| (at, f64::from(*f))).collect());
        }
        let taken = |point: u32, factors: &[i32]| -> i32 {
            factors.iter().take(costs.len()).enumerate().filter(|(at, _)| point >> at & 1 == 1).map(|(_, f)| *f).sum()
        };
        let least = (0..1_u32 << costs.len())
            .filter(|point| rows.iter().all(|(factors, limit)| taken(*point, factors) <= *limit))
            .map(|point| taken(point, &costs))
            .min();
        match (Highs.solve(&program, None, &SolverEffort::UNLIMITED), least) {
            (Answer::Optimal(point), Some(least)) => prop_assert!(near(point.objective, f64::from(least))),
            (Answer::Infeasible, None) => {}
            other => prop_assert!(false, "{other:?}"),
        }
        program.columns.iter_mut().for_each(|column| column.integer = false);
        if let (Some(least), Answer::Optimal(point)) = (least, Highs.solve(&program, None, &SolverEffort::UNLIMITED)) {
            prop_assert!(point.objective <= f64::from(least) + 1e-6);
            prop_assert_eq!(point.duals.len(), rows.len());
        }
    }
}
