//! The verifier of assignments accepts what is right and refuses every kind of mistake.

use super::fixture::{money, performance, rate, seconds};
use crate::{
    ClaimedAssignment, ClaimedBound, ClaimedPlacement, Misplaced, PlacementAt, Total, verify_assignment,
    verify_instance_assignment,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use walras_model::market::{
    Assignment, Capacity, CapacityMarket, Choices, Demand, Instance, Pair, Serve, Splitting,
};
use walras_model::{Money, Work};

fn site(processors: u32, speed: f64, price: f64, prices: &[(&str, f64)]) -> Capacity {
    let prices = prices.iter().map(|(user, price)| ((*user).to_owned(), rate(*price))).collect();
    Capacity { processors, speed: performance(speed), price: rate(price), prices }
}

fn job(tasks: u32, work: i64, kind: Splitting) -> Demand {
    Demand {
        user: None,
        tasks,
        work: Work::from_millis(work * 1_000).unwrap(),
        kind,
        budget: None,
        within: None,
        weight: 1,
        sites: None,
    }
}

/// Three sites; a whole job for ada, one in two parts, and one that goes nowhere.
///
/// Work of 120 takes 30 s on site 0 (speed 4), 60 s on sites 1 and 2 (speed 2).
fn market() -> CapacityMarket {
    let ada = Demand {
        user: Some("ada".into()),
        budget: Some(money(240.0)),
        within: Some(seconds(30.0)),
        weight: 3,
        sites: Some(vec![0, 2]),
        ..job(4, 120, Splitting::SingleSite)
    };
    CapacityMarket {
        sites: vec![site(6, 4.0, 3.0, &[("ada", 2.0)]), site(3, 2.0, 1.0, &[]), site(9, 2.0, 1.5, &[])],
        jobs: vec![ada, job(5, 120, Splitting::Split), job(10, 120, Splitting::SingleSite)],
    }
}

fn place(job: usize, site: usize, processors: u32, credits: f64) -> ClaimedPlacement {
    ClaimedPlacement { job, site, processors, cost: money(credits).as_micros() }
}

/// 4 · 2 · 30 = 240; 2 · 3 · 30 = 180 and 3 · 1 · 60 = 180.
fn valid() -> ClaimedAssignment {
    ClaimedAssignment {
        placements: vec![place(0, 0, 4, 240.0), place(1, 0, 2, 180.0), place(1, 1, 3, 180.0)],
        left_out: vec![2],
        jobs: 2,
        weight: 4,
        cost: 600_000_000,
        bound: Some(ClaimedBound { weight: 4, cost: 600_000_000 }),
        optimal: true,
    }
}

fn at(claim: &ClaimedAssignment, index: usize) -> PlacementAt {
    let ClaimedPlacement { job, site, .. } = claim.placements[index];
    PlacementAt { index, job, site }
}

/// Makes the totals and the bound follow from the placements.
fn settle(claim: &mut ClaimedAssignment) {
    claim.cost = claim.placements.iter().map(|placement| i128::from(placement.cost)).sum();
    claim.bound = Some(ClaimedBound { weight: claim.weight, cost: claim.cost });
}

/// Changes the valid claim and expects exactly these violations.
#[track_caller]
fn check(
    change: impl FnOnce(&mut ClaimedAssignment, &mut CapacityMarket),
    expected: impl FnOnce(&ClaimedAssignment) -> Vec<Misplaced>,
) {
    let (mut claim, mut market) = (valid(), market());
    change(&mut claim, &mut market);
    assert_eq!(verify_assignment(&claim, &market), expected(&claim));
}

#[test]
fn a_right_assignment_is_clean() {
    assert_eq!(verify_assignment(&valid(), &market()), []);
    let none = ClaimedAssignment { left_out: vec![0, 1, 2], ..ClaimedAssignment::default() };
    assert_eq!(verify_assignment(&none, &market()), []);
}

#[test]
fn names() {
    check(|c, _| c.placements.push(place(7, 0, 1, 0.0)), |c| vec![Misplaced::UnknownJob { at: at(c, 3) }]);
    check(|c, _| c.placements.push(place(1, 3, 1, 0.0)), |c| vec![Misplaced::UnknownSite { at: at(c, 3) }]);
    check(|_, m| m.jobs[0].sites = Some(vec![1, 2]), |c| vec![Misplaced::NotAllowed { at: at(c, 0) }]);
}

#[test]
fn places() {
    check(
        |_, m| m.sites[0].processors = 5,
        |_| vec![Misplaced::Overfilled { site: 0, capacity: 5, taken: 6 }],
    );
    check(
        |_, m| m.jobs[1].kind = Splitting::SingleSite,
        |c| vec![Misplaced::Twice { at: at(c, 2), first: 1 }],
    );
    check(
        |c, _| {
            c.placements[1] = place(1, 1, 1, 60.0);
            c.placements[2] = place(1, 1, 2, 120.0);
            c.placements.push(place(1, 2, 2, 180.0));
            settle(c);
        },
        |c| vec![Misplaced::Twice { at: at(c, 2), first: 1 }],
    );
    check(|c, _| c.placements.push(place(1, 2, 0, 0.0)), |c| vec![Misplaced::Nothing { at: at(c, 3) }]);
    check(
        |_, m| m.jobs[1].tasks = 6,
        |_| vec![Misplaced::WrongProcessors { job: 1, expected: 6, claimed: 5 }],
    );
}

#[test]
fn money_and_time() {
    check(
        |c, _| {
            c.placements[0].cost -= 1;
            settle(c);
        },
        |c| vec![Misplaced::WrongCost { at: at(c, 0), expected: 240_000_000, claimed: 239_999_999 }],
    );
    check(
        |_, m| m.jobs[0].budget = Some(Money::from_micros(239_999_999)),
        |_| {
            vec![Misplaced::OverBudget { job: 0, budget: Money::from_micros(239_999_999), cost: 240_000_000 }]
        },
    );
    check(
        |_, m| m.jobs[1].budget = Some(money(359.0)),
        |_| vec![Misplaced::OverBudget { job: 1, budget: money(359.0), cost: 360_000_000 }],
    );
    check(
        |_, m| m.jobs[1].within = Some(seconds(59.999)),
        |c| vec![Misplaced::TooLate { at: at(c, 2), within: seconds(59.999), runtime: 60_000 }],
    );
    check(
        |_, m| m.jobs[0].user = Some("bob".into()),
        |c| {
            let cost = Misplaced::WrongCost { at: at(c, 0), expected: 360_000_000, claimed: 240_000_000 };
            vec![cost, Misplaced::OverBudget { job: 0, budget: money(240.0), cost: 360_000_000 }]
        },
    );
}

#[test]
fn accounts() {
    check(|c, _| c.left_out.clear(), |_| vec![Misplaced::Forgotten { job: 2 }]);
    for job in [0, 2, 3] {
        check(|c, _| c.left_out.push(job), |_| vec![Misplaced::WronglyLeftOut { job }]);
    }
}

#[test]
fn totals() {
    let wrong = |total, expected, claimed| vec![Misplaced::WrongTotal { total, expected, claimed }];
    check(|c, _| c.jobs = 3, |_| wrong(Total::Jobs, 2, 3));
    check(
        |c, _| {
            c.weight = 5;
            settle(c);
            c.optimal = true;
        },
        |_| wrong(Total::Weight, 4, 5),
    );
    check(
        |c, _| {
            c.cost += 1;
            c.optimal = false;
        },
        |_| wrong(Total::Cost, 600_000_000, 600_000_001),
    );
}

#[test]
fn bounds() {
    let bound = |weight, cost| Some(ClaimedBound { weight, cost });
    let one = |wrong| move |_: &ClaimedAssignment| vec![wrong];
    check(|c, _| c.bound = bound(4, 600_000_001), one(Misplaced::BoundBeaten));
    check(|c, _| c.bound = bound(3, 0), one(Misplaced::BoundBeaten));
    check(|c, _| c.bound = bound(4, 599_999_999), one(Misplaced::NotProven));
    check(|c, _| c.bound = bound(5, 600_000_000), one(Misplaced::NotProven));
    check(|c, _| c.bound = None, one(Misplaced::NotProven));
    for bound in [bound(4, 599_999_999), bound(5, 700_000_000), None] {
        check(|c, _| (c.bound, c.optimal) = (bound, false), |_| Vec::new());
    }
}

#[test]
fn numbers_beyond_every_range_are_no_cost() {
    let mut market = market();
    market.jobs[0] = Demand { user: None, ..job(u32::MAX, 1_000_000_000_000, Splitting::SingleSite) };
    market.sites[0] = Capacity {
        processors: u32::MAX,
        speed: walras_model::Performance::from_millionths(1).unwrap(),
        price: walras_model::Rate::from_micros_per_second(i64::MAX).unwrap(),
        prices: BTreeMap::new(),
    };
    let claim = ClaimedAssignment {
        placements: vec![ClaimedPlacement { job: 0, site: 0, processors: u32::MAX, cost: i64::MAX }],
        left_out: vec![1, 2],
        jobs: 1,
        weight: 1,
        cost: i64::MAX.into(),
        ..ClaimedAssignment::default()
    };
    assert!(matches!(verify_assignment(&claim, &market)[..], [Misplaced::WrongCost { .. }]));
}

#[test]
fn every_job_must_be_served_where_that_is_asked() {
    let pairs = vec![Pair { site: 0, takes: 2, cost: 7 }];
    let instance = Instance::new(vec![3], vec![Choices { weight: 1, pairs }], Serve::All).unwrap();
    let none = ClaimedAssignment { left_out: vec![0], ..ClaimedAssignment::default() };
    assert_eq!(verify_instance_assignment(&none, &instance), [Misplaced::NotServed { job: 0 }]);
}

#[test]
fn sentences() {
    let at = PlacementAt { index: 3, job: 1, site: 2 };
    let text = Misplaced::WrongCost { at, expected: 7, claimed: 6 }.to_string();
    assert_eq!(text, "assignment[3] (job number 1, site number 2) claims to cost 6 but costs 7");
    let text = Misplaced::Overfilled { site: 2, capacity: 5, taken: 6 }.to_string();
    assert_eq!(text, "site number 2 has 5 processors and 6 are taken");
}

fn instance() -> impl Strategy<Value = Instance> {
    let pair = prop::option::weighted(0.8, (0..5_u32, 0..9_i64));
    let job = (1..3_u32, prop::collection::vec(pair, 3));
    (prop::collection::vec(0..8_u32, 3), prop::collection::vec(job, 1..5)).prop_map(|(capacities, jobs)| {
        let jobs = jobs.into_iter().map(|(weight, pairs)| {
            let pairs = (0..).zip(pairs).filter_map(|(site, pair)| {
                let (takes, cost) = pair?;
                Some(Pair { site, takes, cost })
            });
            Choices { weight, pairs: pairs.collect() }
        });
        Instance::new(capacities, jobs.collect(), Serve::Most).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// What an assignment itself says that it is worth is what the verifier finds, and it finds nothing where there
    /// is nothing.
    #[test]
    fn it_agrees_with_the_worth_of_assignments(
        instance in instance(), sites in prop::collection::vec(prop::option::of(0..4_u32), 4),
    ) {
        let assignment = Assignment { sites: sites[..instance.jobs()].to_vec() };
        let worth = assignment.worth(&instance);
        let mut claim = ClaimedAssignment::default();
        for (job, site) in assignment.sites.iter().enumerate() {
            let Some(site) = *site else {
                claim.left_out.push(job);
                continue;
            };
            let pair = instance.pair(job, site).unwrap_or(Pair { site, takes: 0, cost: 0 });
            let (site, processors) = (site as usize, pair.takes);
            claim.placements.push(ClaimedPlacement { job, site, processors, cost: pair.cost });
            claim.jobs += 1;
            claim.weight += u64::from(instance.weight(job));
            claim.cost += i128::from(pair.cost);
        }
        let violations = verify_instance_assignment(&claim, &instance);
        prop_assert_eq!(worth.is_some(), violations.is_empty(), "{:?} {:?}", worth, violations);
        if let Some(worth) = worth {
            prop_assert_eq!((worth.weight, i128::from(worth.cost)), (claim.weight, claim.cost));
        }
    }
}
