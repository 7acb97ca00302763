//! Every kind of overbooking of a node that is sold in units, and every way to claim the wrong number of them.

use crate::{Claim, ClaimedAlternative, ClaimedSlot, Rules, Violation, verify_plan};
use walras_model::*;

fn at(seconds: i64) -> Time {
    Time::from_millis(1_000 * seconds).unwrap()
}

fn interval(from: i64, until: i64) -> Interval {
    Interval::new(at(from), at(until)).unwrap()
}

/// One node of four units (8 cores, 4 GPUs) at 8 credits a second: all free until 20, three until 40, then one at another price.
fn offers() -> Offers {
    let resources = [("cores".to_owned(), 8), ("gpus".to_owned(), 4)];
    let node = Node {
        name: "n".into(),
        site: SiteId::new(0),
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
        division: Division::new(4, resources.into()).unwrap(),
    };
    let slot = |(from, until, rate, units): (i64, i64, i64, u32)| {
        let rate = Rate::from_micros_per_second(rate * 1_000_000).unwrap();
        Slot::new(NodeId::new(0), interval(from, until), rate).unwrap().with_units(units)
    };
    let slots = [(0, 20, 8, 4), (20, 40, 8, 3), (40, 60, 12, 1)].map(slot);
    Offers::new(interval(0, 60), vec![Site { name: "s".into() }], vec![node], slots.into()).unwrap()
}

/// Jobs of ten seconds: J0 of two tasks of three cores, J1 of one of one core, J2 of one with three GPUs, J3 of one with five, J4 alone,
/// J5 of one with two or three GPUs by a range, J6 by a list.
fn batch() -> Batch {
    let least = |name: &str, count: i64| Requirement {
        attribute: name.to_owned(),
        test: Test::Range { min: Some(Fixed::from_millionths(count * 1_000_000)), max: None },
    };
    let exclusive = Requirement { attribute: "exclusive".to_owned(), test: Test::Equals(Value::Flag(true)) };
    let number = |count: i64| Fixed::from_millionths(count * 1_000_000);
    let gpus = |test| Requirement { attribute: "gpus".to_owned(), test };
    let needs = [
        (2, least("cores", 3)),
        (1, least("cores", 1)),
        (1, least("gpus", 3)),
        (1, least("gpus", 5)),
        (1, exclusive),
        (1, gpus(Test::Range { min: Some(number(2)), max: Some(number(3)) })),
        (1, gpus(Test::OneOf(vec![Value::Number(number(3)), Value::Number(number(2))]))),
    ];
    let job = |(place, (tasks, need)): (usize, (u32, Requirement))| {
        let job = Request::new(&format!("J{place}"), tasks, Work::from_millis(10_000).unwrap());
        Request { requires: vec![need], ..job }
    };
    Batch::new(needs.into_iter().enumerate().map(job).collect())
}

/// A job from a second on, each task on so many units, at two credits a second and unit.
fn claim(job: usize, from: i64, units: &[u32]) -> ClaimedAlternative {
    let slot = |units: &u32| ClaimedSlot {
        site: "s".into(),
        node: "n".into(),
        units: *units,
        start: at(from),
        end: at(from + 10),
        cost: Money::from_micros(20_000_000 * i64::from(*units)),
        capacity: false,
    };
    let slots: Vec<ClaimedSlot> = units.iter().map(slot).collect();
    let cost = slots.iter().map(|slot| slot.cost).sum();
    ClaimedAlternative { job: format!("J{job}"), start: at(from), end: at(from + 10), cost, slots }
}

/// The node on terms of its owner: three units at least, and only for tasks with two GPUs.
#[test]
fn what_owners_keep_is_for_who_asks_for_it() {
    let of = offers();
    let terms = SaleTerms { least_units: 3, only_for: [("gpus".to_owned(), 3)].into() };
    let node =
        Node { division: of.nodes()[0].division.clone().on_terms(terms).unwrap(), ..of.nodes()[0].clone() };
    let offers = Offers::new(of.horizon(), of.sites().to_vec(), vec![node], of.slots().to_vec()).unwrap();
    let wrong = |batch: &Batch, job: usize, units: u32| {
        let claim = Claim { alternatives: vec![claim(job, 0, &[units])], ..Claim::default() };
        verify_plan(&claim, &offers, batch, Rules { budget_factor: Factor::ONE, price_cap: false })
    };
    let all = batch();
    assert_eq!(wrong(&all, 2, 3), []);
    // Who asks for no GPU, for two of them, and for the node alone; and for fewer units than are sold.
    for (job, units) in [(1, 3), (5, 3), (6, 3), (4, 4)] {
        assert!(matches!(wrong(&all, job, units)[..], [Violation::KeptForOthers { .. }]), "J{job}");
    }
    assert!(matches!(
        wrong(&all, 1, 1)[..],
        [Violation::KeptForOthers { .. }, Violation::WrongUnits { expected: 3, .. }]
    ));
    // What a task of a workflow asks for counts for all of it.
    let mut requests = all.requests().to_vec();
    requests[1].scope.asks = requests[2].requires.clone();
    assert_eq!(wrong(&Batch::new(requests), 1, 3), []);
}

fn violations(alternatives: Vec<ClaimedAlternative>) -> Vec<Violation> {
    let claim = Claim { alternatives, ..Claim::default() };
    let rules = Rules { budget_factor: Factor::ONE, price_cap: false };
    verify_plan(&claim, &offers(), &batch(), rules)
}

#[test]
fn tasks_share_a_node_as_long_as_there_is_room() {
    assert_eq!(violations(vec![claim(0, 0, &[2, 2])]), []);
    // From 15 to 25 three units are free for all of the time.
    assert_eq!(violations(vec![claim(1, 15, &[1]), claim(1, 15, &[1]), claim(1, 20, &[1])]), []);
    assert_eq!(violations(vec![claim(2, 0, &[3]), claim(1, 0, &[1]), claim(2, 10, &[3])]), []);
    assert_eq!(violations(vec![claim(4, 0, &[4]), claim(4, 10, &[4])]), []);
}

/// There is one node, so that no two tasks are on separate ones.
#[test]
fn tasks_that_want_nodes_of_their_own_share_none() {
    let mut separate = batch().requests().to_vec();
    separate.iter_mut().for_each(|request| request.scope.separate_nodes = true);
    let batch = Batch::new(separate);
    let violations = |job: usize, units: &[u32]| {
        let claim = Claim { alternatives: vec![claim(job, 0, units)], ..Claim::default() };
        verify_plan(&claim, &offers(), &batch, Rules { budget_factor: Factor::ONE, price_cap: false })
    };
    assert!(matches!(violations(0, &[2, 2])[..], [Violation::NodeTwice { first: 0, .. }]));
    assert_eq!(violations(2, &[3]), []);
}

#[test]
fn more_than_is_free_is_overbooked() {
    let first = |all: Vec<ClaimedAlternative>| match &violations(all)[..] {
        [Violation::Overbooked { at, moment, taken, free }] => {
            (at.alternative, at.index, moment.as_millis() / 1_000, *taken, *free)
        }
        other => panic!("{other:?}"),
    };
    // Two jobs, two tasks of one job beside another's, where fewer are free from a moment on, and only for an instant.
    assert_eq!(first(vec![claim(2, 0, &[3]), claim(2, 5, &[3])]), (1, 0, 5, 6, 4));
    assert_eq!(first(vec![claim(1, 3, &[1]), claim(0, 0, &[2, 2])]), (1, 1, 3, 5, 4));
    assert_eq!(first(vec![claim(2, 12, &[3]), claim(1, 11, &[1])]), (1, 0, 20, 4, 3));
    let alone = violations(vec![claim(0, 15, &[2, 2])]);
    assert!(matches!(alone[..], [Violation::Overbooked { taken: 4, free: 3, .. }]), "{alone:?}");
}

#[test]
fn what_is_not_free_for_all_of_the_time_is_outside() {
    // Four units are not free after 20, and none at one price across 40.
    for (job, from, units) in [(4, 15, 4), (1, 35, 1), (1, 55, 1)] {
        let wrong = violations(vec![claim(job, from, &[units])]);
        assert!(wrong.iter().any(|it| matches!(it, Violation::OutsideFreeTime { .. })), "{wrong:?}");
    }
}

#[test]
fn units_and_prices_are_counted_again() {
    let wrong = |job: usize, units: u32| violations(vec![claim(job, 0, &[units])]);
    assert!(matches!(wrong(2, 2)[..], [Violation::WrongUnits { expected: 3, claimed: 2, .. }]));
    assert!(matches!(wrong(1, 2)[..], [Violation::WrongUnits { expected: 1, claimed: 2, .. }]));
    // Nor does anybody get, and pay, all of a node who asked for a part.
    assert!(matches!(wrong(1, 4)[..], [Violation::WrongUnits { expected: 1, claimed: 4, .. }]));
    assert!(matches!(wrong(4, 3)[..], [Violation::WrongUnits { expected: 4, claimed: 3, .. }]));
    assert!(wrong(1, 0).iter().any(|it| matches!(it, Violation::WrongUnits { claimed: 0, .. })));
    assert!(wrong(3, 4).iter().any(|it| matches!(it, Violation::RequirementUnmet { .. })));
    for job in [5, 6] {
        assert_eq!(wrong(job, 2), []);
        assert!(matches!(wrong(job, 1)[..], [Violation::WrongUnits { expected: 2, claimed: 1, .. }]));
    }
    let mut cheap = claim(2, 0, &[3]);
    (cheap.cost, cheap.slots[0].cost) = (Money::from_micros(59_999_999), Money::from_micros(59_999_999));
    assert!(matches!(violations(vec![cheap])[..], [Violation::WrongCost { .. }]));
}
