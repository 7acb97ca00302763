//! Improved plans on nodes that are sold in units: never worse than two phases, checked by the verifier, and near what trying everything
//! finds.

use crate::improving::{held_against_papers, limits, made, policy, violations};
use crate::units::{HORIZON, Profile, draw_offers, draw_request, place, room};
use proptest::prelude::*;
use walras_core::choose::{Limit, Objective, VoPolicy};
use walras_core::plan::{BatchProblem, PlanLimits, PlanScheme, plan_batch};
use walras_core::search::Mode;
use walras_core::{Algorithm, SearchConfig};
use walras_model::*;
use walras_random::Draws;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn never_worse_and_always_verified_in_units(
        seed in any::<u64>(), policy in policy(), alp in any::<bool>(), on_the_fly in prop::bool::weighted(0.2),
    ) {
        let mut draws = Draws::new(seed);
        let (offers, _) = draw_offers(&mut draws);
        let requests = (0..1 + draws.below(5)).map(|job| {
            let mut request = draw_request(&mut draws, &format!("J{job}"));
            request.priority = i64::try_from(draws.below(2)).unwrap();
            request
        });
        let batch = Batch::new(requests.collect());
        let algorithm = if alp { Algorithm::Alp } else { Algorithm::Amp };
        let mode = if on_the_fly { Mode::FirstOnTheFly } else { Mode::AllAlternatives };
        let search = SearchConfig { algorithm, mode, ..SearchConfig::default() };
        let problem = BatchProblem { limits: limits(seed), ..BatchProblem::new(&offers, &batch, &search, &policy) };
        held_against_papers(&problem)?;
        let plan = plan_batch(&problem);
        if let Some(made) = made(&plan) {
            prop_assert_eq!(made.unimproved, None);
        }
    }
}

/// A window as parts of nodes, what it costs and when it ends.
#[derive(Clone)]
struct Whole {
    start: i64,
    /// Node, end, units.
    parts: Vec<(usize, i64, u32)>,
    cost: i64,
    end: i64,
}

/// Every window of a request.
fn all_windows(offers: &Offers, profiles: &[Profile], request: &Request) -> Vec<Whole> {
    let budget = request.budget_limit(Factor::ONE).map_or(i64::MAX, Money::as_micros);
    let mut all = Vec::new();
    for start in 0..HORIZON {
        let room = room(offers, profiles, request, start);
        let mut partial = vec![(0, Whole { start, parts: Vec::new(), cost: 0, end: start }, None)];
        for (index, (node, (most, end, cost))) in offers.nodes().iter().zip(room).enumerate() {
            let units = node.units_needed(request).unwrap_or(0);
            let mut next = Vec::new();
            for (tasks, so_far, site) in partial {
                for count in 0..=most.min(request.tasks - tasks) {
                    let apart = request.scope.same_site && site.is_some_and(|site| site != node.site);
                    let mut with: Whole = Whole::clone(&so_far);
                    if count == 0 {
                        next.push((tasks, with, site));
                    } else if !apart {
                        with.parts.push((index, end, units * count));
                        with.cost += cost * i64::from(count);
                        with.end = with.end.max(end);
                        next.push((tasks + count, with, Some(node.site)));
                    }
                }
            }
            partial = next;
        }
        let full = partial.into_iter().filter(|(tasks, it, _)| *tasks == request.tasks && it.cost <= budget);
        all.extend(full.map(|(_, it, _)| it));
    }
    all
}

fn go_together(profiles: &[Profile], one: &Whole, other: &Whole) -> bool {
    one.parts.iter().all(|(node, end, units)| {
        let both = other.parts.iter().filter(|it| it.0 == *node);
        both.into_iter().all(|(_, other_end, other_units)| {
            (one.start.max(other.start)..*end.min(other_end))
                .all(|moment| profiles[*node][place(moment)].unwrap().0 >= units + other_units)
        })
    })
}

type ValueOf = fn(&Whole) -> i64;
type Join = fn(i64, i64) -> i64;

/// How many of two jobs can be served, and the least sum or maximum of a value over those windows.
fn best_of_two(profiles: &[Profile], windows: &[Vec<Whole>; 2], value: ValueOf, join: Join) -> (usize, i64) {
    let [first, second] = windows;
    let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
    let mut best: Option<i64> = None;
    for (one, other) in pairs {
        let joined = join(value(one), value(other));
        if best.is_none_or(|best| joined < best) && go_together(profiles, one, other) {
            best = Some(joined);
        }
    }
    let alone = first.iter().chain(second).map(value).min();
    best.map(|best| (2, best)).or(alone.map(|alone| (1, alone))).unwrap_or((0, 0))
}

#[test]
fn two_jobs_share_nodes_as_well_as_they_can() {
    let (mut compared, mut best, mut papers_best, mut worse) = (0, 0, 0, 0);
    for seed in 0..400 {
        let mut draws = Draws::new(seed);
        let (offers, profiles) = draw_offers(&mut draws);
        let requests: Vec<Request> = (0..2).map(|job| draw_request(&mut draws, &format!("J{job}"))).collect();
        let windows = [0, 1].map(|job: usize| all_windows(&offers, &profiles, &requests[job]));
        let batch = Batch::new(requests);
        for objective in [Objective::MinCost, Objective::MinMakespan] {
            let (value, join): (ValueOf, Join) = match objective {
                Objective::MinCost => (|it| it.cost, |one, other| one + other),
                _ => (|it| it.end, i64::max),
            };
            let expected = best_of_two(&profiles, &windows, value, join);
            let policy = VoPolicy {
                objective: objective.clone(),
                time_limit: Limit::Unlimited,
                budget_limit: Limit::Unlimited,
                ..VoPolicy::default()
            };
            let search = SearchConfig::default();
            let planned = |scheme| {
                let mut limits = PlanLimits::default();
                limits.improve.searches_per_job_max = 400;
                let problem = BatchProblem::new(&offers, &batch, &search, &policy);
                let problem = BatchProblem { scheme, limits, ..problem };
                let plan = plan_batch(&problem);
                let Some(made) = made(&plan) else { return (0, 0) };
                assert_eq!(violations(&problem, &plan, made), Vec::<String>::new(), "seed {seed}");
                let last = made.totals.makespan.map_or(0, Time::as_millis);
                let cost = i64::try_from(made.totals.cost).unwrap();
                let worth = if objective == Objective::MinCost { cost } else { last };
                (made.totals.served as usize, worth)
            };
            let found = planned(PlanScheme::Improved);
            let better = found.0 > expected.0 || (found.0 == expected.0 && found.1 < expected.1);
            assert!(!better, "seed {seed}, {objective:?}: {found:?} and the best is {expected:?}");
            compared += usize::from(expected.0 > 0);
            best += usize::from(expected.0 > 0 && found == expected);
            worse += usize::from(found.0 < expected.0);
            papers_best += usize::from(expected.0 > 0 && planned(PlanScheme::Papers) == expected);
        }
    }
    assert!(worse == 0, "{worse} serve fewer than can be");
    assert!(
        compared > 150 && best * 100 >= compared * 97,
        "{best} of {compared}, by two phases {papers_best}"
    );
    assert!(papers_best < best, "{best} of {compared}, by two phases {papers_best}");
}
