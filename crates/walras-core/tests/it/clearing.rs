//! Prices that clear the market: their bounds against the best of all plans.

use crate::{batches, random};
use proptest::prelude::*;
use walras_core::SearchConfig;
use walras_core::choose::{Limit, VoPolicy};
use walras_core::clearing::{Clearing, ClearingLimits, clear};
use walras_core::plan::{BatchJob, BatchPlan, BatchProblem, PlanScheme, plan_batch};
use walras_core::refine::Strategy as Placing;
use walras_model::*;
use walras_random::Draws;

/// Node, start and end of each task.
type Parts = Vec<(usize, i64, i64)>;

/// Every window of a request, the cheapest first.
fn windows(offers: &Offers, request: &Request) -> Vec<(i128, Parts)> {
    let budget = request.budget_limit(Factor::ONE).map_or(i128::MAX, |budget| budget.as_micros().into());
    let (horizon, nodes) = (offers.horizon(), offers.nodes());
    let part = |node: usize, start: i64| {
        let of = &nodes[node];
        let fits = of.performance >= request.performance_min
            && request.scope.admits(of.site)
            && request.requires.iter().all(|it| it.is_met_by(&of.attributes));
        let runtime = request.work.runtime_on(of.performance).filter(|_| fits)?;
        let end = start + runtime.as_millis();
        let holds = |slot: &&Slot| {
            slot.node().index() == node && slot.start().as_millis() <= start && end <= slot.end().as_millis()
        };
        let slot = offers.slots().iter().find(holds)?;
        let timely = request.earliest.is_none_or(|it| it.as_millis() <= start)
            && request.deadline.is_none_or(|it| end <= it.as_millis());
        timely.then(|| ((node, start, end), i128::from(slot.rate().cost_of(runtime).unwrap().as_micros())))
    };
    let mut all = Vec::new();
    for start in horizon.start().as_millis()..horizon.end().as_millis() {
        for set in 0..1_usize << nodes.len() {
            if set.count_ones() != request.tasks {
                continue;
            }
            let chosen: Vec<usize> = (0..nodes.len()).filter(|node| set & (1 << node) != 0).collect();
            let together = chosen.iter().all(|node| nodes[*node].site == nodes[chosen[0]].site);
            let parts: Option<Vec<_>> = chosen.iter().map(|node| part(*node, start)).collect();
            let Some(parts) = parts.filter(|_| together || !request.scope.same_site) else { continue };
            let cost = parts.iter().map(|part| part.1).sum();
            if cost <= budget {
                all.push((cost, parts.into_iter().map(|part| part.0).collect()));
            }
        }
    }
    all.sort();
    all
}

fn clash(parts: &Parts, taken: &Parts) -> bool {
    parts.iter().any(|part| taken.iter().any(|it| part.0 == it.0 && part.1 < it.2 && it.1 < part.2))
}

/// The least cost of a plan that serves all, below `best`.
fn least(jobs: &[Vec<(i128, Parts)>], spent: i128, taken: &mut Parts, best: &mut i128) {
    let Some((first, rest)) = jobs.split_first() else {
        *best = spent;
        return;
    };
    let others: i128 = rest.iter().map(|windows| windows.first().map_or(0, |window| window.0)).sum();
    for (cost, parts) in first {
        if spent + cost + others >= *best {
            break;
        }
        if !clash(parts, taken) {
            let before = taken.len();
            taken.extend(parts);
            least(rest, spent + cost, taken, best);
            taken.truncate(before);
        }
    }
}

/// The most that can be served, above `best`.
fn most(jobs: &[Vec<(i128, Parts)>], served: usize, taken: &mut Parts, best: &mut usize) {
    *best = served.max(*best);
    let Some((first, rest)) = jobs.split_first() else { return };
    for (_, parts) in first {
        if served + jobs.len() <= *best {
            return;
        }
        if !clash(parts, taken) {
            let before = taken.len();
            taken.extend(parts);
            most(rest, served + 1, taken, best);
            taken.truncate(before);
        }
    }
    most(rest, served, taken, best);
}

fn policy() -> VoPolicy {
    VoPolicy { time_limit: Limit::Unlimited, budget_limit: Limit::Unlimited, ..VoPolicy::default() }
}

fn cleared(
    offers: &Offers,
    batch: &Batch,
    scheme: PlanScheme,
    limits: &ClearingLimits,
) -> (BatchPlan, Option<Clearing>) {
    cleared_after(60, offers, batch, scheme, limits)
}

/// The same for a plan that was improved in so many searches a job.
fn cleared_after(
    searches: u64,
    offers: &Offers,
    batch: &Batch,
    scheme: PlanScheme,
    limits: &ClearingLimits,
) -> (BatchPlan, Option<Clearing>) {
    let (search, policy) = (SearchConfig::default(), policy());
    let mut problem = BatchProblem { scheme, ..BatchProblem::new(offers, batch, &search, &policy) };
    problem.limits.improve.searches_per_job_max = searches;
    let plan = plan_batch(&problem);
    let clearing = clear(&problem, &plan, limits);
    (plan, clearing)
}

/// What the best plan for the jobs that a plan serves costs, and how many jobs the best plan serves.
fn best_of_all(offers: &Offers, batch: &Batch, plan: &BatchPlan) -> (i128, usize) {
    let mut all: Vec<_> = batch.requests().iter().map(|request| windows(offers, request)).collect();
    let mut served: Vec<_> = plan.served.iter().map(|served| all[served.job.index()].clone()).collect();
    served.sort_by_key(Vec::len);
    let mut cost = i128::MAX;
    least(&served, 0, &mut Vec::new(), &mut cost);
    all.sort_by_key(Vec::len);
    let mut count = 0;
    most(&all, 0, &mut Vec::new(), &mut count);
    (cost, count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_plan_is_below_the_bounds(offers in random::offers(), batch in random::batch(), papers in any::<bool>()) {
        let scheme = if papers { PlanScheme::Papers } else { PlanScheme::Improved };
        let (plan, clearing) = cleared(&offers, &batch, scheme, &ClearingLimits::default());
        let Some(clearing) = clearing else {
            prop_assert!(plan.served.is_empty());
            return Ok(());
        };
        let again = cleared(&offers, &batch, scheme, &ClearingLimits::default()).1;
        prop_assert_eq!(Some(&clearing), again.as_ref(), "the same again");
        let (cost, count) = best_of_all(&offers, &batch, &plan);
        prop_assert!(clearing.cost_least <= cost, "{} is above the best of all, {}", clearing.cost_least, cost);
        prop_assert!(cost <= clearing.cost);
        prop_assert!(clearing.served <= count && count <= clearing.served_most, "{:?} {}", clearing, count);
        prop_assert_eq!(clearing.served, plan.served.len());
    }
}

/// Four nodes over 20 ms, as fast and as dear as in the papers' experiment, and four to six jobs that take about 60%
/// of it.
fn small(draws: &mut Draws) -> (Offers, Batch) {
    let number = |draws: &mut Draws, least: i64, most: i64| {
        least + i64::try_from(draws.below(usize::try_from(most - least + 1).unwrap())).unwrap()
    };
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    for index in 0..4_u32 {
        let performance = number(draws, 1, 3);
        let rate = [1_700_000, 2_890_000, 4_913_000][usize::try_from(performance - 1).unwrap()];
        let rate = Rate::from_micros_per_second(rate * number(draws, 75, 125) / 100).unwrap();
        let first = number(draws, 0, 4);
        let free = [random::interval(first, number(draws, 14, 20))];
        slots.extend(offer::slots_of_node(NodeId::new(index), rate, &free).unwrap());
        nodes.push(Node {
            division: Default::default(),
            name: format!("n{index}"),
            site: SiteId::new(0),
            performance: Performance::from_millionths(performance * 1_000_000).unwrap(),
            watts: None,
            attributes: Attributes::new(),
        });
    }
    let request = |draws: &mut Draws, index: i64| {
        let work = Work::from_millis(number(draws, 5, 15)).unwrap();
        Request::new(&format!("j{index}"), u32::try_from(number(draws, 1, 2)).unwrap(), work)
    };
    let requests = (0..number(draws, 4, 6)).map(|index| request(draws, index)).collect();
    let sites = vec![Site { name: "s".into() }];
    (Offers::new(random::interval(0, 20), sites, nodes, slots).unwrap(), Batch::new(requests))
}

#[test]
fn nine_of_ten_bounds_are_within_a_hundredth() {
    let (mut near, mut all, mut alone) = (0, 0, 0);
    for seed in 0..50 {
        let mut draws = Draws::new(seed);
        let (nodes, jobs) = (6 + draws.below(5), 6 + draws.below(3));
        let (offers, batch) = batches::instance(&mut draws, nodes, jobs).unwrap();
        let (scheme, limits) = (PlanScheme::Improved, ClearingLimits::default());
        let Some(clearing) = cleared_after(600, &offers, &batch, scheme, &limits).1 else { continue };
        // The best plan costs no more than this one.
        all += 1;
        near += usize::from(clearing.cost_least * 100 >= clearing.cost * 99);
        let once = ClearingLimits { searches_max: jobs as u64, ..ClearingLimits::default() };
        let (_, of_alone) = cleared(&offers, &batch, PlanScheme::Improved, &once);
        alone += usize::from(of_alone.is_some_and(|it| it.cost_least * 100 >= it.cost * 99));
    }
    assert!(all > 45 && near * 10 >= all * 9, "{near} of {all} bounds are within a hundredth");
    assert!(alone < near, "prices show more than every job alone: {alone} of {all}, {near} with prices");
}

/// Nodes with one slot each over the whole horizon, by rate in micro-credits per second.
fn nodes(horizon: i64, rates: &[i64]) -> Offers {
    let all = random::interval(0, horizon);
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    for (index, rate) in rates.iter().enumerate() {
        let id = NodeId::from_index(index).unwrap();
        slots.extend(offer::slots_of_node(id, Rate::from_micros_per_second(*rate).unwrap(), &[all]).unwrap());
        nodes.push(Node {
            division: Default::default(),
            name: format!("n{index}"),
            site: SiteId::new(0),
            performance: Performance::ONE,
            watts: None,
            attributes: Attributes::new(),
        });
    }
    Offers::new(all, vec![Site { name: "s".into() }], nodes, slots).unwrap()
}

/// Jobs of one task, by work in milliseconds.
fn jobs(works: &[i64]) -> Batch {
    let job = |(index, work): (usize, &i64)| {
        Request::new(&format!("j{index}"), 1, Work::from_millis(*work).unwrap())
    };
    Batch::new(works.iter().enumerate().map(job).collect())
}

#[test]
fn without_a_conflict_it_is_over_at_once() {
    let (offers, batch) = (nodes(100_000, &[1_000_000]), jobs(&[30_000]));
    let (_, clearing) = cleared(&offers, &batch, PlanScheme::Papers, &ClearingLimits::default());
    let clearing = clearing.unwrap();
    assert_eq!((clearing.cost, clearing.cost_least, clearing.above()), (30_000_000, 30_000_000, Some(0)));
    assert_eq!((clearing.searches, clearing.limit_hit, clearing.served_most), (1, false, 1));
    assert_eq!(clearing.worth, walras_core::clearing::Worth::default());
}

#[test]
fn time_that_two_want_has_a_price() {
    // Both want all of the cheap node; one must take the dear one, for 100 credits more.
    let (offers, batch) = (nodes(100_000, &[1_000_000, 2_000_000]), jobs(&[100_000, 100_000]));
    let (_, clearing) = cleared(&offers, &batch, PlanScheme::Improved, &ClearingLimits::default());
    let clearing = clearing.unwrap();
    assert_eq!(clearing.cost, 300_000_000);
    assert!(clearing.cost_least > 297_000_000 && clearing.cost_least <= 300_000_000, "{clearing:?}");
    let worth = clearing.worth;
    assert_eq!(worth.kinds.first().map(|kind| kind.rate.as_micros_per_second()), Some(1_000_000));
    assert!((90_000_000..=110_000_000).contains(&worth.kinds[0].each), "{worth:?}");
    assert_eq!(worth.calm_from, Some(random::time(100_000)));
    let sum: i128 = worth.periods.iter().map(|period| period.worth).sum();
    let of_kinds: i128 = worth.kinds.iter().map(|kind| kind.each).sum();
    assert!((sum - of_kinds).abs() <= 30, "{worth:?}");
    assert!(worth.periods.iter().all(|period| period.nodes >= 1 && period.above() > 0));
}

#[test]
fn who_cannot_be_served_is_counted() {
    // Room for one and a half: no second job fits beside the first, though each alone has a window.
    let (offers, batch) = (nodes(150_000, &[1_000_000]), jobs(&[100_000, 100_000, 100_000]));
    let (plan, clearing) = cleared(&offers, &batch, PlanScheme::Improved, &ClearingLimits::default());
    let clearing = clearing.unwrap();
    assert_eq!((plan.served.len(), clearing.served, clearing.served_most), (1, 1, 1));
}

#[test]
fn limits_are_kept_and_shown() {
    let (offers, batch) = small(&mut Draws::new(3));
    let count = batch.requests().len() as u64;
    for searches_max in [1, count - 1, count, count + 3, 4 * count + 5] {
        let limits = ClearingLimits { searches_max, ..ClearingLimits::default() };
        let (plan, clearing) = cleared(&offers, &batch, PlanScheme::Improved, &limits);
        let Some(clearing) = clearing else {
            assert!(searches_max < plan.served.len() as u64);
            continue;
        };
        assert!(clearing.searches <= searches_max, "{} of {searches_max}", clearing.searches);
        assert!(clearing.limit_hit || clearing.above() == Some(0));
    }
    let moved = |moves_max| {
        let limits = ClearingLimits { moves_max, ..ClearingLimits::default() };
        cleared(&offers, &batch, PlanScheme::Improved, &limits).1.unwrap()
    };
    let free = moved(u64::MAX);
    for moves_max in [0, 1, 100] {
        let clearing = moved(moves_max);
        assert!(clearing.limit_hit && clearing.cost_least <= free.cost, "{moves_max}");
        assert!(clearing.searches < free.searches);
    }
    let looked = ClearingLimits { looks_max: 3, ..ClearingLimits::default() };
    assert_eq!(cleared(&offers, &batch, PlanScheme::Improved, &looked).1, None);
}

#[test]
fn large_numbers_are_counted() {
    for (horizon, rates, works) in [
        (1_000_000_000, [9_000_000_000, 8_999_999_999], [900_000_000, 800_000_000, 150_000_000]),
        (900_000_000_000_000, [9_000, 1], [500_000_000_000_000, 400_000_000_000_000, 450_000_000_000_000]),
        (3, [1, i64::MAX / 8], [1, 2, 1]),
    ] {
        let (offers, batch) = (nodes(horizon, &rates), jobs(&works));
        let (_, clearing) = cleared(&offers, &batch, PlanScheme::Improved, &ClearingLimits::default());
        let clearing = clearing.unwrap();
        assert!(clearing.cost_least <= clearing.cost && clearing.cost_least > 0, "{clearing:?}");
        assert!(clearing.served <= clearing.served_most);
    }
}

#[test]
fn workflows_are_left_out_and_named() {
    let (offers, batch) = (nodes(400_000, &[1_000_000, 2_000_000]), jobs(&[100_000, 1]));
    let task = |name: &str| Task::new(name, Work::from_millis(50_000));
    let edge = Edge { from: TaskId::new(0), to: TaskId::new(1), data: Data::ZERO };
    let workflow = Workflow::new("chain", vec![task("a"), task("b")], vec![edge]).unwrap();
    let of_jobs =
        [BatchJob::default(), BatchJob { workflow: Some((&workflow, Placing::Asap)), ..BatchJob::default() }];
    let (search, policy) = (SearchConfig::default(), policy());
    let problem = BatchProblem { jobs: &of_jobs, ..BatchProblem::new(&offers, &batch, &search, &policy) };
    let plan = plan_batch(&problem);
    let clearing = clear(&problem, &plan, &ClearingLimits::default()).unwrap();
    assert_eq!(plan.served.len(), 2);
    assert_eq!((clearing.served, clearing.served_most, clearing.cost_least), (1, 1, 100_000_000));
    assert_eq!(clearing.beside, [JobId::new(1)]);
}
