//! Combinations against brute force.

use proptest::prelude::*;
use walras_core::choose::knapsack::{Candidate, Knapsack, Solved};
use walras_core::choose::*;
use walras_model::*;

fn menu() -> impl Strategy<Value = Menu> {
    let item = (0..60_i64, 1..40_i64, 0..50_i64).prop_map(|(cost, time, finish)| MenuItem {
        cost: Money::from_micros(cost),
        time: Span::from_millis(time).unwrap(),
        finish: Time::from_millis(finish).unwrap(),
        source: 0,
    });
    prop::collection::vec((1..4_u64, prop::collection::vec(item, 1..6)), 1..5).prop_map(|jobs| Menu {
        jobs: jobs
            .into_iter()
            .enumerate()
            .map(|(index, (weight, items))| MenuJob { job: JobId::from_index(index).unwrap(), weight, items })
            .collect(),
    })
}

fn total() -> impl Strategy<Value = Total> {
    prop::sample::select(vec![
        Total::Cost,
        Total::Time,
        Total::Finish,
        Total::Income,
        Total::SpareBudget,
        Total::SpareTime,
    ])
}

fn objective() -> impl Strategy<Value = Objective> {
    prop_oneof![
        Just(Objective::MinTime),
        Just(Objective::MinCost),
        Just(Objective::MaxIncome),
        Just(Objective::MaxUse),
        Just(Objective::MinMakespan),
        prop::collection::vec((total(), 0..5_i64), 1..4).prop_map(Objective::Weighted),
        prop::collection::vec(total(), 1..4).prop_map(Objective::Lexicographic),
    ]
}

fn limit() -> impl Strategy<Value = Option<Option<i64>>> {
    prop_oneof![Just(None), Just(Some(None)), (0..200_i64).prop_map(|limit| Some(Some(limit)))]
}

fn policy() -> impl Strategy<Value = VoPolicy> {
    (objective(), limit(), limit(), any::<bool>()).prop_map(|(objective, time, budget, leave)| VoPolicy {
        objective,
        time_limit: match time {
            None => Limit::Derived,
            Some(None) => Limit::Unlimited,
            Some(Some(limit)) => Limit::Given(Span::from_millis(limit).unwrap()),
        },
        budget_limit: match budget {
            None => Limit::Derived,
            Some(None) => Limit::Unlimited,
            Some(Some(limit)) => Limit::Given(Money::from_micros(limit)),
        },
        leave_out: if leave { LeaveOut::WhenNeeded } else { LeaveOut::Never },
    })
}

/// Every combination, with jobs left out where that is allowed.
fn every(menu: &Menu, leave_out: LeaveOut) -> Vec<Vec<Option<usize>>> {
    let mut all: Vec<Vec<Option<usize>>> = vec![Vec::new()];
    for job in &menu.jobs {
        let mut options: Vec<Option<usize>> = (0..job.items.len()).map(Some).collect();
        if leave_out == LeaveOut::WhenNeeded {
            options.push(None);
        }
        let longer =
            |(before, option): (&Vec<Option<usize>>, Option<usize>)| [before.clone(), vec![option]].concat();
        all = all
            .iter()
            .flat_map(|before| options.iter().map(move |option| (before, *option)))
            .map(longer)
            .collect();
    }
    all
}

/// Weight left out, then the objective's totals in order.
fn rank(menu: &Menu, objective: &Objective, items: &[Option<usize>]) -> (u64, Vec<i128>) {
    let chosen: Vec<&MenuItem> =
        menu.jobs.iter().zip(items).filter_map(|(job, item)| Some(&job.items[(*item)?])).collect();
    let left: u64 =
        menu.jobs.iter().zip(items).filter(|(_, item)| item.is_none()).map(|(job, _)| job.weight).sum();
    let cost: i128 = chosen.iter().map(|item| i128::from(item.cost.as_micros())).sum();
    let time: i128 = chosen.iter().map(|item| i128::from(item.time.as_millis())).sum();
    let finish: i128 = chosen.iter().map(|item| i128::from(item.finish.as_millis())).sum();
    let last = chosen.iter().map(|item| i128::from(item.finish.as_millis())).max().unwrap_or(0);
    (left, sums_of(objective, Sums { cost, time, finish, last }))
}

/// What the chosen windows come to together, and when the last of them ends.
pub(crate) struct Sums {
    pub(crate) cost: i128,
    pub(crate) time: i128,
    pub(crate) finish: i128,
    pub(crate) last: i128,
}

/// An objective's sums in order; less is better.
pub(crate) fn sums_of(objective: &Objective, sums: Sums) -> Vec<i128> {
    let Sums { cost, time, finish, last } = sums;
    let value = |total: &Total| match total {
        Total::Cost | Total::SpareBudget => cost,
        Total::Time | Total::SpareTime => time,
        Total::Finish => finish,
        Total::Income => -cost,
    };
    match objective {
        Objective::MinTime => vec![time],
        Objective::MinCost => vec![cost],
        Objective::MaxIncome => vec![-cost],
        Objective::MaxUse => vec![-time],
        Objective::MinMakespan => vec![last, cost],
        Objective::Weighted(terms) => {
            vec![terms.iter().map(|(total, weight)| value(total) * i128::from(*weight)).sum()]
        }
        Objective::Lexicographic(terms) => terms.iter().map(value).collect(),
        Objective::Satisfaction => unreachable!("stakeholders are asked elsewhere"),
    }
}

fn keeps(menu: &Menu, limits: AppliedLimits, items: &[Option<usize>]) -> bool {
    let chosen: Vec<&MenuItem> =
        menu.jobs.iter().zip(items).filter_map(|(job, item)| Some(&job.items[(*item)?])).collect();
    let cost: i128 = chosen.iter().map(|item| i128::from(item.cost.as_micros())).sum();
    let time: i128 = chosen.iter().map(|item| i128::from(item.time.as_millis())).sum();
    limits.time.is_none_or(|limit| time <= limit) && limits.budget.is_none_or(|limit| cost <= limit)
}

fn problem(limits: usize) -> impl Strategy<Value = Knapsack> {
    let candidate = (-50..50_i128, prop::collection::vec(0..30_i128, limits))
        .prop_map(|(value, takes)| Candidate { value, takes });
    let classes = prop::collection::vec(prop::collection::vec(candidate, 1..6), 1..6);
    (classes, prop::collection::vec(0..120_i128, limits))
        .prop_map(|(classes, limits)| Knapsack { classes, limits })
}

/// More classes than brute force can bear; the value falls as the weight grows.
fn correlated_problem() -> impl Strategy<Value = Knapsack> {
    let candidate = (0..60_i128, 0..25_i128)
        .prop_map(|(takes, noise)| Candidate { value: noise - 2 * takes, takes: vec![takes] });
    let classes = prop::collection::vec(prop::collection::vec(candidate, 1..9), 6..16);
    (classes, 0..60_i128).prop_map(|(classes, mean)| {
        let limits = vec![mean * i128::try_from(classes.len()).unwrap()];
        Knapsack { classes, limits }
    })
}

/// The same problem in other units.
fn in_units(problem: &Knapsack, value: i128, weight: i128) -> Knapsack {
    let candidate = |it: &Candidate| Candidate {
        value: it.value * value,
        takes: it.takes.iter().map(|takes| takes * weight).collect(),
    };
    Knapsack {
        classes: problem.classes.iter().map(|class| class.iter().map(candidate).collect()).collect(),
        limits: problem.limits.iter().map(|limit| limit * weight).collect(),
    }
}

fn brute_force(problem: &Knapsack) -> Option<i128> {
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for class in &problem.classes {
        choices = choices
            .iter()
            .flat_map(|before| (0..class.len()).map(move |index| [before.clone(), vec![index]].concat()))
            .collect();
    }
    choices.iter().filter(|chosen| problem.keeps_limits(chosen)).map(|chosen| problem.value(chosen)).min()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_best_combination_is_the_best_of_all(menu in menu(), policy in policy()) {
        let all = every(&menu, policy.leave_out);
        let outcome = choose_combination(&menu, &policy, &ChoiceLimits::default());
        prop_assert!(!outcome.bound_hit());
        let limits = applied_limits(&menu, &policy, &ChoiceLimits::default());
        let Ok(limits) = limits else {
            prop_assert!(matches!(outcome, Outcome::Infeasible(_)));
            return Ok(());
        };
        let best = all
            .iter()
            .filter(|items| keeps(&menu, limits, items))
            .map(|items| rank(&menu, &policy.objective, items))
            .min();
        match outcome {
            Outcome::Infeasible(reason) => {
                prop_assert_eq!(best, None, "{:?}", reason);
                check_reason(&menu, &all, &reason)?;
            }
            other => {
                let found = other.found().unwrap();
                prop_assert_eq!(found.limits, limits);
                prop_assert!(keeps(&menu, limits, &found.items));
                prop_assert_eq!(Some(rank(&menu, &policy.objective, &found.items)), best);
            }
        }
    }

    #[test]
    fn the_time_limit_can_always_be_kept_and_the_budget_follows(menu in menu()) {
        let policy = |objective| VoPolicy {
            objective, time_limit: Limit::Derived, budget_limit: Limit::Derived, leave_out: LeaveOut::Never,
        };
        for objective in [Objective::MinTime, Objective::MinCost, Objective::MaxIncome, Objective::MaxUse] {
            let outcome = choose_combination(&menu, &policy(objective), &ChoiceLimits::default());
            prop_assert!(matches!(outcome, Outcome::Optimal(_)));
        }
        let limits = applied_limits(&menu, &policy(Objective::MinTime), &ChoiceLimits::default()).unwrap();
        let within = AppliedLimits { time: Some(time_limit(&menu)), budget: None };
        let income = every(&menu, LeaveOut::Never).iter().filter(|items| keeps(&menu, within, items))
            .map(|items| -rank(&menu, &Objective::MaxIncome, items).1[0]).max();
        prop_assert_eq!(limits.budget, income);
    }

    #[test]
    fn permuting_jobs_and_comparing_with_baselines(menu in menu(), draws in prop::collection::vec(0..100_usize, 8)) {
        let policy = VoPolicy {
            objective: Objective::MinCost, time_limit: Limit::Derived, budget_limit: Limit::Unlimited,
            leave_out: LeaveOut::Never,
        };
        let cost = |menu: &Menu| {
            choose_combination(menu, &policy, &ChoiceLimits::default()).found().unwrap().totals.cost
        };
        let best = cost(&menu);
        let mut reversed = menu.clone();
        reversed.jobs.reverse();
        prop_assert_eq!(cost(&reversed), best);
        let limits = applied_limits(&menu, &policy, &ChoiceLimits::default()).unwrap();
        let mut numbers = draws.iter().copied().cycle();
        let random = choose_random(&menu, limits, &mut |below| numbers.next().unwrap() % below);
        for other in [choose_first(&menu, limits), random] {
            prop_assert!(keeps(&menu, limits, &other.items));
            prop_assert_eq!(other.totals.served as usize, menu.jobs.len(), "T* lets every job be served");
            prop_assert!(best <= other.totals.cost);
        }
    }

    #[test]
    fn three_methods_agree_on_one_limit(problem in problem(1)) {
        let expected = brute_force(&problem);
        let backward = backward::solve(&problem, 1_000_000).unwrap();
        prop_assert_eq!(backward.as_ref().map(|solution| solution.value), expected);
        if let Some(solution) = &backward {
            prop_assert!(problem.keeps_limits(&solution.chosen));
            prop_assert_eq!(problem.value(&solution.chosen), solution.value);
        }
        for solved in [core::solve(&problem, 1_000_000), several::solve(&problem, 1_000_000)] {
            check_solved(&problem, solved, expected)?;
        }
    }

    #[test]
    fn the_size_of_the_numbers_changes_nothing(
        problem in problem(1), value_bits in 0..100_u32, weight_bits in 0..100_u32,
    ) {
        let (value, weight) = (1_i128 << value_bits, 1_i128 << weight_bits);
        let expected = brute_force(&problem).map(|best| best * value);
        let large = in_units(&problem, value, weight);
        check_solved(&large, core::solve(&large, 1_000_000), expected)?;
    }

    #[test]
    fn several_limits_equal_brute_force(problem in problem(3)) {
        let expected = brute_force(&problem);
        check_solved(&problem, several::solve(&problem, 1_000_000), expected)?;
    }

    #[test]
    fn without_work_the_bounds_still_hold(problem in problem(2)) {
        let expected = brute_force(&problem);
        let one = Knapsack {
            classes: problem.classes.iter().map(|class| class.iter()
                .map(|it| Candidate { value: it.value, takes: vec![it.takes[0]] }).collect()).collect(),
            limits: vec![problem.limits[0]],
        };
        let expected_one = brute_force(&one);
        let cases = [
            (&problem, several::solve(&problem, 0), expected),
            (&problem, several::solve(&problem, 50), expected),
            (&one, core::solve(&one, 0), expected_one),
        ];
        for (problem, solved, expected) in cases {
            if let Solved::Found(solution) = solved {
                let best = expected.unwrap();
                prop_assert!(problem.keeps_limits(&solution.chosen));
                prop_assert!(solution.bound <= best && best <= solution.value);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn two_methods_agree_on_many_classes(problem in correlated_problem()) {
        let expected = backward::solve(&problem, 1_000_000).unwrap().map(|solution| solution.value);
        check_solved(&problem, core::solve(&problem, 1_000_000), expected)?;
    }
}

fn check_solved(problem: &Knapsack, solved: Solved, expected: Option<i128>) -> Result<(), TestCaseError> {
    match solved {
        Solved::Found(solution) => {
            prop_assert!(problem.keeps_limits(&solution.chosen));
            prop_assert_eq!(problem.value(&solution.chosen), solution.value);
            prop_assert_eq!(Some(solution.value), expected);
            prop_assert_eq!(solution.bound, solution.value);
        }
        Solved::TooHeavy(_) | Solved::NothingKeepsAll => prop_assert_eq!(expected, None),
        other => prop_assert!(false, "{:?}", other),
    }
    Ok(())
}

/// The reason says by how much the binding limit fails.
fn check_reason(
    menu: &Menu,
    all: &[Vec<Option<usize>>],
    reason: &NoCombination,
) -> Result<(), TestCaseError> {
    let least = |objective: Objective| all.iter().map(|items| rank(menu, &objective, items).1[0]).min();
    match reason {
        NoCombination::TimeLimit { limit, least: claimed } => {
            prop_assert_eq!(Some(*claimed), least(Objective::MinTime));
            prop_assert!(claimed > limit);
        }
        NoCombination::BudgetLimit { limit, least: claimed } => {
            prop_assert_eq!(Some(*claimed), least(Objective::MinCost));
            prop_assert!(claimed > limit);
        }
        NoCombination::BothLimits { limits, least_cost } => {
            let within = AppliedLimits { budget: None, ..*limits };
            let least = all
                .iter()
                .filter(|items| keeps(menu, within, items))
                .map(|items| rank(menu, &Objective::MinCost, items).1[0])
                .min();
            prop_assert_eq!(Some(*least_cost), least);
            prop_assert!(limits.budget.is_some_and(|budget| *least_cost > budget));
        }
        other => prop_assert!(false, "{:?}", other),
    }
    Ok(())
}
