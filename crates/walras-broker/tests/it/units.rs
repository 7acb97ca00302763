//! Nodes that are sold in units: jobs run side by side on one node, each pays its part, and no node is sold beyond what it has.

use crate::vo::{MINUTE, Vo, at, credits, rate, span, user};
use std::collections::BTreeMap;
use walras_broker::account::Unpayable;
use walras_broker::event::ReservationEvent;
use walras_broker::id::JobNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{SiteRefusal, Why};
use walras_broker::policy::{Deciding, Method, Policy, PromisePolicy};
use walras_broker::price::PriceRules;
use walras_broker::reservation::ReservationPhase;
use walras_broker::sales::sales;
use walras_broker::site::SiteKind;
use walras_broker::{Event, Input};
use walras_model::{Division, Fixed, Interval, NodeId, Requirement, SaleTerms, Share, SiteId, Test, Value};

/// Sites with nodes of four units of two cores each, at four credits a second.
fn vo(nodes: usize, deciding: Deciding) -> Vo {
    let mut vo = Vo::new(&[]);
    let policy = Policy { deciding, lead: span(2_000), ..crate::vo::policy() };
    vo.say(Input::SetPolicy(Box::new(policy)));
    vo.join("bob", None, 1_000_000);
    vo.division = Division::new(4, [("cores".to_owned(), 8)].into()).unwrap();
    vo.add_site(SiteKind::Slots, nodes, PriceRules::flat(rate(4_000_000)));
    vo
}

fn deciding() -> [Deciding; 2] {
    [Deciding::AtOnce, Deciding::Promise(PromisePolicy::default())]
}

fn submit(vo: &mut Vo, name: &str, tasks: u32, minutes: i64, requires: Option<Requirement>) -> JobNumber {
    let mut job = vo.job(name, tasks, minutes);
    job.user = "bob".to_owned();
    job.request.requires.extend(requires);
    vo.submit(job)
}

fn cores(count: i64) -> Option<Requirement> {
    let min = Some(Fixed::from_millionths(count * 1_000_000));
    Some(Requirement { attribute: "cores".to_owned(), test: Test::Range { min, max: None } })
}

/// By node: what was held of it when, in the order in which it was asked for.
fn held(vo: &Vo) -> BTreeMap<NodeId, Vec<(Interval, u32)>> {
    let mut all: BTreeMap<NodeId, Vec<(Interval, u32)>> = BTreeMap::new();
    for event in &vo.events {
        if let Event::Reservation(ReservationEvent::Asked { allocation, .. }) = event {
            for (_, hold) in allocation.holds() {
                all.entry(hold.node.unwrap()).or_default().push((hold.interval, hold.units));
            }
        }
    }
    all
}

/// The most units that are held of any node at once, by the holds alone.
fn most(vo: &Vo) -> u32 {
    let at_once = |holds: &Vec<(Interval, u32)>| {
        let at = |(one, _): &(Interval, u32)| {
            let there = holds.iter().filter(|(it, _)| it.start() <= one.start() && one.start() < it.end());
            there.map(|(_, units)| units).sum::<u32>()
        };
        holds.iter().map(at).max().unwrap_or(0)
    };
    held(vo).values().map(at_once).max().unwrap_or(0)
}

#[test]
fn four_run_side_by_side_on_one_node_and_each_pays_a_quarter() {
    for deciding in deciding() {
        let mut vo = vo(1, deciding);
        let before = vo.balance(&user("bob"));
        let jobs: Vec<JobNumber> =
            (0..5).map(|number| submit(&mut vo, &format!("j{number}"), 1, 10, None)).collect();
        vo.run_until(60 * MINUTE);
        let mut starts: Vec<i64> = jobs.iter().map(|job| vo.started(*job).expect("it has run")).collect();
        starts.sort_unstable();
        assert!(starts[3] < starts[0] + 5 * MINUTE, "four at once: {starts:?}");
        assert!(starts[4] >= starts[0] + 10 * MINUTE, "the fifth after one of them: {starts:?}");
        assert_eq!(most(&vo), 4);
        // Ten minutes at one credit a second, five times.
        let paid = before.checked_sub(vo.balance(&user("bob"))).unwrap();
        assert_eq!(paid, credits(3_000));
    }
}

/// A site may have less to sell of a node than all of its units: others use them.
#[test]
fn what_owners_use_of_a_node_is_not_sold() {
    for deciding in deciding() {
        for (free, at_once) in [(Some(3), 3), (Some(1), 1), (Some(9), 4), (None, 4)] {
            let mut vo = vo(1, deciding);
            vo.units = free;
            let jobs: Vec<JobNumber> =
                (0..5).map(|number| submit(&mut vo, &format!("j{number}"), 1, 10, None)).collect();
            vo.run_until(90 * MINUTE);
            assert!(jobs.iter().all(|job| vo.started(*job).is_some()));
            assert_eq!(most(&vo), at_once, "{free:?}");
        }
    }
}

/// What a site takes back of a node is one reservation's: whoever holds something beside it keeps that.
#[test]
fn a_part_that_is_taken_back_is_planned_again_and_the_others_stay() {
    let mut vo = vo(1, Deciding::AtOnce);
    let jobs = ["a", "b"].map(|name| {
        let mut job = vo.job(name, 1, 10);
        (job.user, job.request.earliest) = ("bob".to_owned(), Some(at(20 * MINUTE)));
        vo.submit(job)
    });
    vo.run_until(5 * MINUTE);
    let of = |vo: &Vo, job: JobNumber| {
        let mut all = vo.broker.state().reservations.iter();
        all.find(|(_, it)| it.job == job && it.phase == ReservationPhase::Held).map(|(number, _)| *number)
    };
    let (first, second) = (of(&vo, jobs[0]).unwrap(), of(&vo, jobs[1]).unwrap());
    let refused = |refusal| SiteMessage::Refused { reservation: second, refusal };
    // What was said late of something else changes nothing.
    vo.heard(0, refused(SiteRefusal::Busy));
    assert_eq!(of(&vo, jobs[1]), Some(second));
    vo.heard(0, refused(SiteRefusal::TakenBack));
    let why = Some(Why::Refused { site: SiteId::new(0), refusal: SiteRefusal::TakenBack });
    let closed = |event: &Event| {
        matches!(event, Event::Reservation(ReservationEvent::Closed { reservation, why: told, .. })
            if *reservation == second && *told == why)
    };
    assert!(vo.events.iter().any(closed));
    assert_eq!(of(&vo, jobs[0]), Some(first));
    vo.run_until(60 * MINUTE);
    assert!(jobs.iter().all(|job| vo.started(*job).is_some()));
}

/// Ten minutes of a whole node cost 2,400 credits, and of one unit 600: who has 700 pays for a unit, and not for two.
#[test]
fn who_pays_for_a_unit_need_not_pay_for_the_node() {
    for deciding in deciding() {
        let mut vo = vo(1, deciding);
        vo.join("eve", None, 700);
        let job = |vo: &mut Vo, name: &str, requires: Option<Requirement>| {
            let mut job = vo.job(name, 1, 10);
            job.user = "eve".to_owned();
            job.request.requires.extend(requires);
            vo.submit(job)
        };
        let large = job(&mut vo, "large", cores(3));
        let small = job(&mut vo, "small", None);
        vo.run_until(60 * MINUTE);
        assert!(vo.started(small).is_some(), "it costs 600 credits");
        assert_eq!(vo.started(large), None);
        let Some(Why::NoMoney(Unpayable::Short { needed, .. })) = &vo.broker.state().jobs[&large].why else {
            panic!("{:?}", vo.broker.state().jobs[&large].why)
        };
        assert_eq!(*needed, credits(1_200), "two units of four");
    }
}

/// Sites that sell capacity sell units as others do: what a round assigns is what the check of plans expects.
#[test]
fn rounds_assign_units() {
    for deciding in deciding() {
        for method in [Method::Greedy, Method::Exact, Method::Split] {
            let mut vo = Vo::new(&[]);
            let policy = Policy { deciding, assign: Some(method), lead: span(2_000), ..crate::vo::policy() };
            vo.say(Input::SetPolicy(Box::new(policy)));
            vo.join("bob", None, 1_000_000);
            vo.division = Division::new(4, [("cores".to_owned(), 8)].into()).unwrap();
            vo.add_site(SiteKind::Capacity, 2, PriceRules::flat(rate(4_000_000)));
            let before = vo.balance(&user("bob"));
            let pair = submit(&mut vo, "pair", 2, 10, cores(3));
            let long = submit(&mut vo, "long", 1, 60, None);
            let small = submit(&mut vo, "small", 2, 10, None);
            vo.run_until(5 * MINUTE);
            // Two units are held for an hour and more; what is left beside them is free for longer.
            let later = submit(&mut vo, "later", 1, 30, Some(exact_cores(2)));
            vo.run_until(90 * MINUTE);
            for (job, within) in [(pair, 4), (long, 4), (small, 4), (later, 9)] {
                let start = vo.started(job);
                assert!(start.is_some_and(|start| start < within * MINUTE), "{method:?} {job:?} {start:?}");
            }
            assert!(most(&vo) <= 4);
            // Minutes of units: 2 x 2 x 10, 60, 2 x 10 and 30, at one credit a second each.
            let paid = before.checked_sub(vo.balance(&user("bob"))).unwrap();
            assert_eq!(paid, credits(60 * (40 + 60 + 20 + 30)), "{method:?}");
        }
    }
}

fn exact_cores(count: i64) -> Requirement {
    let test = Test::Equals(Value::Number(Fixed::from_millionths(count * 1_000_000)));
    Requirement { attribute: "cores".to_owned(), test }
}

/// Eight cores with a node that is kept for who asks for three: a small task waits for the other one, whatever is free here; and who is let in
/// takes three units at least, and pays them.
#[test]
fn nodes_are_kept_for_who_asks_for_enough() {
    for deciding in deciding() {
        let mut vo = Vo::new(&[]);
        let policy = Policy { deciding, lead: span(2_000), ..crate::vo::policy() };
        vo.say(Input::SetPolicy(Box::new(policy)));
        vo.join("bob", None, 1_000_000);
        let division = Division::new(4, [("cores".to_owned(), 8)].into()).unwrap();
        let terms = SaleTerms { least_units: 3, only_for: [("cores".to_owned(), 3)].into() };
        vo.division = division.clone().on_terms(terms).unwrap();
        vo.add_site(SiteKind::Slots, 1, PriceRules::flat(rate(4_000)));
        vo.division = division;
        vo.add_site(SiteKind::Slots, 1, PriceRules::flat(rate(4_000_000)));
        let before = vo.balance(&user("bob"));
        let small: Vec<JobNumber> =
            (0..5).map(|number| submit(&mut vo, &format!("j{number}"), 1, 10, cores(2))).collect();
        let large = submit(&mut vo, "large", 1, 10, cores(3));
        let wide = submit(&mut vo, "wide", 2, 10, cores(7));
        vo.run_until(90 * MINUTE);
        assert!(small.iter().chain([&large, &wide]).all(|job| vo.started(*job).is_some()));
        let held = held(&vo);
        let units =
            |node: u32| held[&NodeId::new(node)].iter().map(|(_, units)| *units).collect::<Vec<u32>>();
        assert!(units(0).iter().all(|units| *units >= 3), "{:?}", units(0));
        assert_eq!(units(1).iter().filter(|units| **units == 1).count(), 5);
        // Of the cheap node: three units of four and a whole, ten minutes each; of the other a whole, and five units.
        let paid = before.checked_sub(vo.balance(&user("bob"))).unwrap();
        assert_eq!(paid.as_micros(), 600 * (3_000 + 4_000) + 600 * 4_000_000 + 5 * 600_000_000);
    }
}

/// What an owner is told of a sale is how much of the node it was, and not the whole.
#[test]
fn a_part_of_a_node_is_sold_as_a_part() {
    for deciding in deciding() {
        let mut vo = vo(1, deciding);
        let job = submit(&mut vo, "pair", 1, 10, cores(3));
        vo.run_until(5 * MINUTE);
        let start = vo.started(job).expect("it runs");
        let state = vo.broker.state();
        let reservation = state.reservations.values().find(|it| it.job == job).expect("it is held");
        let sold = sales(state, reservation, at(start + 8 * MINUTE), None);
        let parts: Vec<Share> = sold.iter().map(|sale| sale.part).collect();
        assert_eq!(parts, [Share::percent(50)], "three cores are two units of four");
    }
}

#[test]
fn tasks_of_one_job_share_a_node_and_large_ones_do_not_fit_beside() {
    for deciding in deciding() {
        let mut vo = vo(1, deciding);
        // Three cores are two units.
        let pair = submit(&mut vo, "pair", 2, 10, cores(3));
        vo.run_until(MINUTE);
        let large = submit(&mut vo, "large", 1, 10, cores(5));
        let exclusive =
            Requirement { attribute: "exclusive".to_owned(), test: Test::Equals(Value::Flag(true)) };
        let alone = submit(&mut vo, "alone", 1, 10, Some(exclusive));
        let small = submit(&mut vo, "small", 1, 10, None);
        vo.run_until(90 * MINUTE);
        let start = |job| vo.started(job).expect("it has run");
        assert!(start(large) >= start(pair) + 10 * MINUTE && start(alone) >= start(pair) + 10 * MINUTE);
        assert!((start(large) - start(alone)).abs() >= 10 * MINUTE);
        assert!(start(small) >= start(pair) + 10 * MINUTE);
        assert_eq!(most(&vo), 4);
        let units: Vec<u32> = held(&vo).values().flatten().map(|(_, units)| *units).collect();
        assert_eq!(units.iter().filter(|units| **units == 2).count(), 2, "{units:?}");
        assert_eq!((units.contains(&3), units.contains(&4)), (true, true), "{units:?}");
    }
}

#[test]
fn what_no_node_has_is_said_and_a_crowd_stays_within() {
    for deciding in deciding() {
        let mut vo = vo(2, deciding);
        let never = submit(&mut vo, "never", 1, 10, cores(9));
        let jobs: Vec<JobNumber> = (0..40_i64)
            .map(|number| {
                let tasks = 1 + u32::try_from(number % 5).unwrap();
                let needs = if number % 3 == 0 { None } else { cores(1 + number % 8) };
                let tasks = if number % 3 == 2 { tasks.min(2) } else { tasks };
                let job = submit(&mut vo, &format!("j{number}"), tasks, 1 + (number * 7) % 30, needs);
                vo.run_until(vo.now + MINUTE * (number % 4));
                job
            })
            .collect();
        vo.run_until(vo.now + 3_000 * MINUTE);
        assert_eq!(most(&vo), 4);
        assert_eq!(vo.started(never), None);
        let fits = |number: usize| vo.started(jobs[number]).is_some();
        assert!((0..40).filter(|number| fits(*number)).count() > 30);
    }
}
