//! Improved plans of small batches: near what is best of all, and everybody served who can be.

use crate::improving::made;
use crate::joint_oracle::{best_of_all, tiny, windows};
use crate::random;
use walras_core::SearchConfig;
use walras_core::choose::{Limit, Objective, VoPolicy};
use walras_core::plan::{BatchProblem, PlanLimits, PlanScheme, Proven, plan_batch};
use walras_core::search::Mode;
use walras_model::*;
use walras_random::Draws;

#[test]
fn small_batches_come_out_best() {
    let search = SearchConfig::default();
    for objective in [Objective::MinCost, Objective::MinMakespan] {
        let by_makespan = objective == Objective::MinMakespan;
        let policy = VoPolicy { objective, time_limit: Limit::Unlimited, ..VoPolicy::default() };
        let (mut equal, mut all, mut papers_equal, mut missed) = (0, 0, 0, Vec::new());
        for seed in 0..150 {
            let (offers, batch) = tiny(&mut Draws::new(seed));
            let windows: Vec<_> = batch.requests().iter().map(|request| windows(&offers, request)).collect();
            let (out, value) = best_of_all(&windows, &mut Vec::new(), by_makespan);
            let mut limits = PlanLimits::default();
            limits.improve.searches_per_job_max = 600;
            let problem = BatchProblem { limits, ..BatchProblem::new(&offers, &batch, &search, &policy) };
            let Some(improvement) = made(&plan_batch(&problem)).and_then(|made| made.improvement) else {
                continue;
            };
            let left_out = batch.requests().len() - improvement.after.served;
            let mine = (left_out, i64::try_from(improvement.after.value[0]).unwrap());
            assert!(mine >= (out, value), "nothing is better than the best: seed {seed}");
            if let Some(bound) = improvement.bound.filter(|_| left_out == out) {
                assert!(bound <= i128::from(value), "the bound holds for every plan: seed {seed}");
            }
            all += 1;
            equal += usize::from(mine == (out, value));
            missed.extend((mine != (out, value)).then_some((seed, mine, out, value)));
            let before = (batch.requests().len() - improvement.before.served, improvement.before.value[0]);
            papers_equal += usize::from(before == (out, i128::from(value)));
        }
        assert!(
            all > 120 && equal * 100 >= all * 98,
            "{equal} of {all} are best, by makespan: {by_makespan}; missed: {missed:?}"
        );
        assert!(papers_equal < equal, "two phases alone lose something");
    }
}

#[test]
fn a_job_without_a_listed_window_is_served() {
    // The short job's first window is on the cheap node, where the long one would need all of the time.
    let (all, half) = (random::interval(0, 100), random::interval(0, 40));
    let node = |name: &str| Node {
        division: Default::default(),
        name: name.into(),
        site: SiteId::new(0),
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
    };
    let slots = |node: u32, rate: i64, free: Interval| {
        offer::slots_of_node(NodeId::new(node), Rate::from_micros_per_second(rate).unwrap(), &[free]).unwrap()
    };
    let slots = [slots(0, 1_000, all), slots(1, 2_000, half)].concat();
    let sites = vec![Site { name: "s".into() }];
    let offers = Offers::new(all, sites, vec![node("cheap"), node("dear")], slots).unwrap();
    let job = |name: &str, work| Request::new(name, 1, Work::from_millis(work).unwrap());
    let batch = Batch::new(vec![job("short", 30), job("long", 80)]);
    let (search, policy) =
        (SearchConfig::default(), VoPolicy { time_limit: Limit::Unlimited, ..VoPolicy::default() });
    let problem = BatchProblem::new(&offers, &batch, &search, &policy);
    let on_the_fly = SearchConfig { mode: Mode::FirstOnTheFly, ..SearchConfig::default() };
    assert_eq!(plan_batch(&BatchProblem { search: &on_the_fly, ..problem }).served.len(), 2);
    let papers = plan_batch(&BatchProblem { scheme: PlanScheme::Papers, ..problem });
    let improved = plan_batch(&problem);
    assert_eq!((papers.served.len(), papers.found.unscheduled.len()), (1, 1));
    assert_eq!((improved.served.len(), improved.found.unscheduled.len()), (2, 0));
    // 30 ms at the dear node and 80 ms at the cheap one; alone the short job would cost half.
    let choice = made(&improved).unwrap();
    assert_eq!((choice.totals.cost, choice.value, choice.proven), (140, 140, Proven::Within(110)));
    let improvement = choice.improvement.unwrap();
    assert_eq!((improvement.before.served, improvement.after.served, improvement.bound), (1, 2, Some(110)));
    assert!(improvement.limit_hit && improvement.searches > 2);
}
