//! How far a choice can be above any plan, against plans in other windows.

use crate::random;
use proptest::prelude::*;
use std::collections::BTreeMap;
use walras_core::choose::{Limit, Objective, VoPolicy};
use walras_core::plan::{BatchPlan, BatchProblem, above_any_plan, plan_batch};
use walras_core::prefer::Source;
use walras_core::*;
use walras_model::*;

/// The cost and the end of every job that a plan serves.
fn served(plan: &BatchPlan) -> BTreeMap<JobId, (i128, i128)> {
    let window = |source| match source {
        Source::Window(place) => &plan.found.found[place].window,
        Source::Queue(_) => panic!("there are no queues"),
    };
    let figures = |window: &Window| (window.cost().as_micros().into(), window.end().as_millis().into());
    plan.served.iter().map(|served| (served.job, figures(window(served.run.source)))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_plan_is_below_the_bound(offers in random::offers(), batch in random::batch(), makespan in any::<bool>()) {
        let objective = if makespan { Objective::MinMakespan } else { Objective::MinCost };
        let policy = VoPolicy {
            objective, time_limit: Limit::Unlimited, budget_limit: Limit::Unlimited, ..VoPolicy::default()
        };
        let config = SearchConfig::default();
        let problem = BatchProblem::new(&offers, &batch, &config, &policy);
        let plan = plan_batch(&problem);
        let Some(above) = above_any_plan(&problem, &plan) else {
            prop_assert!(plan.served.is_empty());
            return Ok(());
        };
        prop_assert!(above >= 0);
        let own = served(&plan);
        let total = |of: &BTreeMap<JobId, (i128, i128)>| {
            let same = own.keys().map(|job| of.get(job));
            let same: Option<Vec<&(i128, i128)>> = same.collect();
            let same = same?;
            if makespan { same.iter().map(|it| it.1).max() } else { Some(same.iter().map(|it| it.0).sum()) }
        };
        let reached = total(&own).unwrap();
        let other = |algorithm, mode| {
            let config = SearchConfig { algorithm, mode, ..SearchConfig::default() };
            total(&served(&plan_batch(&BatchProblem { search: &config, ..problem })))
        };
        let others = [
            other(Algorithm::Amp, Mode::FirstOnTheFly),
            other(Algorithm::Criterion(Criterion::Cost), Mode::AllAlternatives),
            other(Algorithm::Criterion(Criterion::Finish), Mode::AllAlternatives),
        ];
        for value in others.into_iter().flatten() {
            prop_assert!(reached * 1_000_000 <= value * (1_000_000 + above), "{reached} {value} {above}");
        }
    }

    #[test]
    fn one_job_in_its_own_best_window_is_best_of_all(offers in random::offers(), request in random::request()) {
        let batch = Batch::new(vec![request]);
        let policy = VoPolicy {
            objective: Objective::MinCost,
            time_limit: Limit::Unlimited,
            budget_limit: Limit::Unlimited,
            ..VoPolicy::default()
        };
        let config =
            SearchConfig { algorithm: Algorithm::Criterion(Criterion::Cost), ..SearchConfig::default() };
        let problem = BatchProblem::new(&offers, &batch, &config, &policy);
        let plan = plan_batch(&problem);
        let expected = (!plan.served.is_empty()).then_some(0);
        prop_assert_eq!(above_any_plan(&problem, &plan), expected);
    }
}
