//! Alternatives stop where more cannot change the choice: what is chosen is what all of them give, to the slot.

use crate::random;
use proptest::prelude::*;
use walras_core::choose::{LeaveOut, Limit, Objective, Total, VoPolicy};
use walras_core::plan::{BatchChoice, BatchPlan, BatchProblem, Listing, PlanScheme, plan_batch};
use walras_core::prefer::Source;
use walras_core::{Algorithm, Beyond, SearchConfig};
use walras_model::*;

/// What every job is given: nodes and times.
fn given(plan: &BatchPlan) -> Vec<Option<Vec<(NodeId, Interval)>>> {
    let BatchChoice::Made(made) = &plan.choice else { return Vec::new() };
    let window = |source: &Source| match source {
        Source::Window(place) => Some(&plan.found.found[*place].window),
        Source::Queue(_) => None,
    };
    let times = |window: &Window| window.placements().iter().map(|it| (it.node, it.interval)).collect();
    made.picks.iter().map(|pick| pick.as_ref().and_then(window).map(times)).collect()
}

fn algorithms() -> impl Strategy<Value = Algorithm> {
    let names = vec![
        "alp",
        "amp",
        "criterion=cost",
        "criterion=finish",
        "criterion=runtime",
        "criterion=start",
        "criterion=price",
        "criterion=sum:noise",
    ];
    prop::sample::select(names).prop_map(|name| name.parse().unwrap())
}

fn policy() -> impl Strategy<Value = VoPolicy> {
    let objectives = vec![
        Objective::MinCost,
        Objective::MinTime,
        Objective::MinMakespan,
        Objective::MaxIncome,
        Objective::Weighted(vec![(Total::Cost, 3), (Total::Finish, 2), (Total::Time, 1)]),
        Objective::Weighted(vec![(Total::Income, 1), (Total::Finish, 2)]),
        Objective::Lexicographic(vec![Total::Finish]),
        Objective::Lexicographic(vec![Total::Finish, Total::Cost]),
    ];
    let time = prop_oneof![
        4 => Just(Limit::Unlimited),
        1 => Just(Limit::Derived),
        1 => (5..40_i64).prop_map(|most| Limit::Given(Span::from_millis(most).unwrap())),
    ];
    (prop::sample::select(objectives), time, prop::bool::weighted(0.2)).prop_map(
        |(objective, time_limit, never)| VoPolicy {
            objective,
            time_limit,
            budget_limit: Limit::Unlimited,
            leave_out: if never { LeaveOut::Never } else { LeaveOut::WhenNeeded },
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_choice_is_what_all_alternatives_give(
        offers in random::offers(), batch in random::batch(), policy in policy(), algorithm in algorithms(),
        papers in any::<bool>(), rounds_min in 1..3_u32,
    ) {
        let search = SearchConfig { algorithm, ..SearchConfig::default() };
        let scheme = if papers { PlanScheme::Papers } else { PlanScheme::Improved };
        let all = BatchProblem { scheme, ..BatchProblem::new(&offers, &batch, &search, &policy) };
        let needed = BatchProblem { listing: Listing::AsNeeded { rounds_min }, ..all };
        let (all, needed) = (plan_batch(&all), plan_batch(&needed));
        prop_assert_eq!(given(&all), given(&needed));
        match (&all.choice, &needed.choice) {
            (BatchChoice::Made(one), BatchChoice::Made(other)) => {
                prop_assert_eq!(one.totals, other.totals);
                prop_assert_eq!((one.value, one.proven, one.limits), (other.value, other.proven, other.limits));
                prop_assert_eq!(one.improvement, other.improvement);
            }
            (one, other) => prop_assert_eq!(one, other),
        }
        prop_assert_eq!(all.found.beyond, Beyond::Nothing);
        if papers {
            // What was found is the beginning of all that there is.
            let count = needed.found.found.len();
            prop_assert_eq!(&all.found.found[..count], &needed.found.found[..]);
            prop_assert!(needed.found.beyond == Beyond::Needless || count == all.found.found.len());
            prop_assert_eq!(&all.found.unscheduled, &needed.found.unscheduled);
        }
    }
}

/// Ten nodes that are free for a thousand seconds, and four jobs of 2 × 10 s.
fn plenty() -> (Offers, Batch) {
    let node = |number: u32| Node {
        division: Default::default(),
        name: format!("n{number}"),
        site: SiteId::new(0),
        performance: Performance::from_millionths(1_000_000 + 100_000 * i64::from(number)).unwrap(),
        watts: None,
        attributes: Attributes::new(),
    };
    let horizon = random::interval(0, 1_000_000);
    let slot = |number: u32| {
        let rate = Rate::from_micros_per_second(1_000 + i64::from(number * 37 % 10)).unwrap();
        Slot::new(NodeId::new(number), horizon, rate).unwrap()
    };
    let sites = vec![Site { name: "a".into() }];
    let offers = Offers::new(horizon, sites, (0..10).map(node).collect(), (0..10).map(slot).collect());
    let job = |number: usize| Request::new(&format!("J{number}"), 2, Work::from_millis(10_000).unwrap());
    (offers.unwrap(), Batch::new((0..4).map(job).collect()))
}

#[test]
fn one_round_is_enough_where_the_search_is_by_what_the_objective_sums() {
    let (offers, batch) = plenty();
    let listed = |search: &str, objective: Objective, time_limit| {
        let search = SearchConfig { algorithm: search.parse().unwrap(), ..SearchConfig::default() };
        let policy = VoPolicy { objective, time_limit, ..VoPolicy::default() };
        let problem = BatchProblem {
            scheme: PlanScheme::Papers,
            listing: Listing::AsNeeded { rounds_min: 1 },
            ..BatchProblem::new(&offers, &batch, &search, &policy)
        };
        let found = plan_batch(&problem).found;
        (found.found.len(), found.beyond)
    };
    let one_each = (4, Beyond::Needless);
    assert_eq!(listed("criterion=cost", Objective::MinCost, Limit::Unlimited), one_each);
    let by_finish = Objective::Weighted(vec![(Total::Finish, 7)]);
    assert_eq!(listed("criterion=finish", by_finish, Limit::Derived), one_each);
    // By start, windows that end by the makespan may follow for a while.
    let (count, beyond) = listed("amp", Objective::MinMakespan, Limit::Derived);
    assert!(count < 40 && beyond == Beyond::Needless, "{count}");
    // T* is derived from all alternatives.
    let (count, beyond) = listed("criterion=cost", Objective::MinCost, Limit::Derived);
    assert!(count > 100 && beyond == Beyond::Nothing, "{count}");
}
