//! Jobs that may be split.

use crate::{brute, flow, markets};
use proptest::prelude::*;
use walras_assign::MarketRules;
use walras_assign::program::{Answer, LinearProgram, Solver, SolverEffort};
use walras_assign::split::{Division, Share, divide};
use walras_model::market::{CapacityMarket, Splitting};
use walras_solve::Highs;

fn best(market: &CapacityMarket) -> walras_model::market::Worth {
    let divided = divide(market, &Highs, &SolverEffort::UNLIMITED);
    assert!(divided.proven);
    assert_eq!(divided.division.worth(market), Some(divided.worth));
    divided.worth
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn equals_trying_everything(market in markets::market(3, 4)) {
        let (found, expected) = (best(&market), brute::divisions(&market));
        prop_assert_eq!((found.weight, found.cost), (expected.weight, expected.cost));
    }

    #[test]
    fn splitting_never_hurts(market in markets::market(4, 5)) {
        let whole = markets::of_kind(&market, Splitting::SingleSite);
        let (split, single) = (best(&markets::of_kind(&market, Splitting::Split)), best(&whole));
        prop_assert!(!single.beats(&split), "{single:?} {split:?}");
        let expected = brute::assignments(&whole.instance().unwrap());
        prop_assert_eq!((single.weight, single.cost), (expected.weight, expected.cost));
    }

    #[test]
    fn without_budgets_it_is_a_flow(market in markets::market(5, 5)) {
        let mut market = markets::of_kind(&market, Splitting::Split);
        market.jobs.iter_mut().for_each(|job| job.budget = None);
        let found = best(&market);
        match flow::least_cost(&market) {
            Some(cost) => prop_assert_eq!((found.jobs, found.cost), (market.jobs.len(), cost)),
            None => prop_assert!(found.jobs < market.jobs.len()),
        }
    }
}

#[test]
fn budgets_bind() {
    // Cheap: 2 processors at 2 credits; dear: 5 processors at 20 credits. Three tasks cost 24 at best.
    let with = |budget: i64| {
        let mut market = fixture();
        market.jobs[0].budget = Some(walras_model::Money::from_micros(budget * 1_000_000));
        best(&market)
    };
    assert_eq!((with(24).jobs, with(24).cost), (1, 24_000_000));
    assert_eq!(with(23).jobs, 0);
}

fn fixture() -> CapacityMarket {
    use walras_model::market::{Capacity, Demand};
    use walras_model::{Performance, Rate, Work};
    let site = |processors, credits: i64| Capacity {
        processors,
        speed: Performance::ONE,
        price: Rate::from_micros_per_second(credits * 1_000_000).unwrap(),
        prices: Default::default(),
    };
    let job = Demand {
        user: None,
        tasks: 3,
        work: Work::from_millis(2_000).unwrap(),
        kind: Splitting::Split,
        budget: None,
        within: None,
        weight: 1,
        sites: None,
    };
    CapacityMarket { sites: vec![site(2, 1), site(5, 10)], jobs: vec![job] }
}

#[test]
fn divisions_that_break_a_rule_are_worth_nothing() {
    let market = fixture();
    let share = |site, processors| Share { site, processors };
    let worth = |shares: Vec<Share>| Division { shares: vec![shares] }.worth(&market).map(|worth| worth.cost);
    assert_eq!(worth(vec![share(0, 2), share(1, 1)]), Some(24_000_000));
    assert_eq!(worth(vec![]), Some(0));
    let broken = [
        vec![share(0, 3)],
        vec![share(1, 2)],
        vec![share(1, 4)],
        vec![share(1, 1), share(0, 2)],
        vec![share(1, 1), share(1, 2)],
        vec![share(0, 0), share(1, 3)],
        vec![share(1, 2), share(2, 1)],
    ];
    for shares in broken {
        assert_eq!(worth(shares.clone()), None, "{shares:?}");
    }
    assert_eq!(Division::empty(2).worth(&market), None);
}

/// A solver that never finds anything, and one that answers nonsense.
struct Fake(fn(&LinearProgram) -> Answer);

impl Solver for Fake {
    fn solve(&self, program: &LinearProgram, _: Option<&[f64]>, _: &SolverEffort) -> Answer {
        (self.0)(program)
    }
}

#[test]
fn a_solver_that_fails_gives_nothing_and_proves_nothing() {
    let nonsense = |program: &LinearProgram| {
        let values = vec![f64::NAN; program.columns.len()];
        Answer::Optimal(walras_assign::program::Point { values, objective: -1e300, duals: vec![] })
    };
    let too_much = |program: &LinearProgram| {
        let values = vec![1e12; program.columns.len()];
        Answer::Optimal(walras_assign::program::Point { values, objective: 0.0, duals: vec![] })
    };
    for solver in [Fake(|_| Answer::Unknown), Fake(too_much)] {
        let divided = divide(&fixture(), &solver, &SolverEffort::UNLIMITED);
        assert_eq!((divided.worth.jobs, divided.division, divided.proven), (0, Division::empty(1), false));
    }
    assert_eq!(divide(&fixture(), &Fake(nonsense), &SolverEffort::UNLIMITED).worth.jobs, 0);
}
