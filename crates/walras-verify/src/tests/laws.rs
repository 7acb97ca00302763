//! Laws over random changes: nothing panics, and no single change of a slot goes unseen.

use super::fixture::{self, Fixture};
use crate::facts::{Facts, cost_micros, runtime_millis};
use crate::{Claim, ClaimedAlternative, ClaimedSlot, Rules, Violation};
use walras_model::quantity::TIME_LIMIT;

use proptest::prelude::*;
use std::collections::BTreeSet;
use walras_model::*;

/// One number of the plan that a change replaces.
#[derive(Clone, Copy, Debug)]
enum Field {
    WindowStart,
    WindowEnd,
    WindowCost,
    Start(usize),
    End(usize),
    Cost(usize),
    Node(usize),
}

fn time() -> impl Strategy<Value = Time> {
    prop_oneof![-TIME_LIMIT..=TIME_LIMIT, -1_000i64..700_000, Just(TIME_LIMIT), Just(-TIME_LIMIT)]
        .prop_map(|millis| Time::from_millis(millis).unwrap())
}

fn amount() -> impl Strategy<Value = Money> {
    prop_oneof![any::<i64>(), Just(i64::MAX), Just(i64::MIN), -10i64..1_000_000_000]
        .prop_map(Money::from_micros)
}

fn field() -> impl Strategy<Value = Field> {
    prop_oneof![Just(Field::WindowStart), Just(Field::WindowEnd), Just(Field::WindowCost), slot_field(),]
}

fn slot_field() -> impl Strategy<Value = Field> {
    (0usize..3, 0usize..4).prop_map(|(slot, kind)| match kind {
        0 => Field::Start(slot),
        1 => Field::End(slot),
        2 => Field::Cost(slot),
        _ => Field::Node(slot),
    })
}

fn apply(fixture: &mut Fixture, alternative: usize, field: Field, time: Time, amount: Money, node: usize) {
    let window = &mut fixture.claim.alternatives[alternative];
    let count = window.slots.len();
    let offers = fixture::offers();
    match field {
        Field::WindowStart => window.start = time,
        Field::WindowEnd => window.end = time,
        Field::WindowCost => window.cost = amount,
        Field::Start(slot) => window.slots[slot % count].start = time,
        Field::End(slot) => window.slots[slot % count].end = time,
        Field::Cost(slot) => window.slots[slot % count].cost = amount,
        Field::Node(slot) => {
            let id = NodeId::from_index(node).unwrap();
            let ClaimedSlot { site, node, .. } = &mut window.slots[slot % count];
            *site = offers.site_of(id).name.clone();
            *node = offers.node(id).name.clone();
        }
    }
}

fn request() -> impl Strategy<Value = Request> {
    let limits = (proptest::option::of(amount()), proptest::option::of(time()), proptest::option::of(time()));
    let numbers = (any::<u32>(), 1..=TIME_LIMIT, 1..=i64::MAX, proptest::option::of(1..=i64::MAX));
    (0usize..3, numbers, limits).prop_map(
        |(base, (tasks, work, speed, price), (budget, earliest, deadline))| Request {
            tasks,
            work: Work::from_millis(work).unwrap(),
            performance_min: Performance::from_millionths(speed).unwrap(),
            price_max: price.and_then(Rate::from_micros_per_second),
            budget,
            earliest,
            deadline,
            ..fixture::valid().requests[base].clone()
        },
    )
}

fn rules() -> impl Strategy<Value = Rules> {
    (1i64..=1_000_000, any::<bool>())
        .prop_map(|(k, price_cap)| Rules { budget_factor: Factor::from_millionths(k).unwrap(), price_cap })
}

/// An alternative of one slot on c2 or c3: node, start, length.
fn one_slot((node, start, length): &(u32, i64, i64)) -> ClaimedAlternative {
    let mut window = fixture::valid().claim.alternatives.swap_remove(0);
    window.slots.truncate(1);
    window.slots[0].node = format!("c{}", node + 2);
    window.slots[0].start = Time::from_millis(*start).unwrap();
    window.slots[0].end = Time::from_millis(start + length).unwrap();
    window
}

fn share_time(a: (u32, i64, i64), b: (u32, i64, i64)) -> bool {
    a.0 == b.0 && a.1 < b.1 + b.2 && b.1 < a.1 + a.2
}

/// Changes one number of a window, or of that slot of it, by a step.
type Change<'a> = &'a dyn Fn(&mut ClaimedAlternative, usize, i64);

/// Random numbers seldom come close; the nearest ones must be caught as well.
#[test]
fn a_step_of_one_unit_is_caught() {
    let later = |time: &mut Time, step| *time = Time::from_millis(time.as_millis() + step).unwrap();
    let dearer = |cost: &mut Money, step| *cost = Money::from_micros(cost.as_micros() + step);
    let changes: [Change; 6] = [
        &|window, _, step| later(&mut window.start, step),
        &|window, _, step| later(&mut window.end, step),
        &|window, _, step| dearer(&mut window.cost, step),
        &|window, slot, step| later(&mut window.slots[slot].start, step),
        &|window, slot, step| later(&mut window.slots[slot].end, step),
        &|window, slot, step| dearer(&mut window.slots[slot].cost, step),
    ];
    for (alternative, slot) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1)] {
        for (kind, change) in changes.iter().enumerate() {
            for step in [-1, 1] {
                let mut fixture = fixture::valid();
                change(&mut fixture.claim.alternatives[alternative], slot, step);
                assert!(!fixture.verify().is_empty(), "change {kind} of slot {alternative}.{slot} by {step}");
            }
        }
    }
}

proptest! {
    #[test]
    fn no_numbers_make_it_panic(
        changes in prop::collection::vec((0usize..4, field(), time(), amount(), 0usize..6), 0..12),
        requests in prop::collection::vec(request(), 0..3),
        rules in rules(),
    ) {
        let mut fixture = fixture::valid();
        for (alternative, field, time, amount, node) in changes {
            apply(&mut fixture, alternative, field, time, amount, node);
        }
        // The first of a name counts: random requests replace those of the fixture.
        fixture.requests.splice(0..0, requests);
        fixture.rules = rules;
        for violation in fixture.verify() {
            prop_assert!(violation.to_string().starts_with("alternatives["));
        }
    }

    #[test]
    fn any_change_is_caught(
        alternative in 0usize..4, field in field(), time in time(), amount in amount(), node in 0usize..6,
    ) {
        let mut fixture = fixture::valid();
        apply(&mut fixture, alternative, field, time, amount, node);
        prop_assume!(fixture.claim != fixture::valid().claim);
        prop_assert!(!fixture.verify().is_empty());
    }

    /// The sweep names exactly the alternatives that share time with another.
    #[test]
    fn overlaps_agree_with_all_pairs(
        places in prop::collection::vec((0u32..2, 0i64..30, 1i64..8), 0..9),
    ) {
        let claim = Claim { alternatives: places.iter().map(one_slot).collect(), ..Claim::default() };
        let all = 0..places.len();
        let shares = |a: usize| all.clone().any(|b| a != b && share_time(places[a], places[b]));
        let expected: BTreeSet<usize> = all.clone().filter(|a| shares(*a)).collect();
        let mut named = BTreeSet::new();
        for violation in (Fixture { claim, ..fixture::valid() }).verify() {
            if let Violation::Overlap { first, second, .. } = violation {
                prop_assert!(share_time(places[first.index], places[second.alternative]));
                named.extend([first.index, second.alternative]);
            }
        }
        prop_assert_eq!(named, expected);
    }

    /// Two implementations of the same two roundings.
    #[test]
    fn arithmetic_agrees_with_the_core(
        work in 1..=TIME_LIMIT, speed in 1..=10_000_000i64,
        price in 1..=10_000_000_000i64, millis in 0..=TIME_LIMIT,
    ) {
        let (work, speed) = (Work::from_millis(work).unwrap(), Performance::from_millionths(speed).unwrap());
        let own = runtime_millis(work, speed);
        match work.runtime_on(speed) {
            Some(span) => prop_assert_eq!(own, i128::from(span.as_millis())),
            None => prop_assert!(own > i128::from(TIME_LIMIT)),
        }
        let rate = Rate::from_micros_per_second(price).unwrap();
        let own = cost_micros(rate, i128::from(millis)).unwrap();
        match rate.cost_of(Span::from_millis(millis).unwrap()) {
            Some(cost) => prop_assert_eq!(own, i128::from(cost.as_micros())),
            None => prop_assert!(own > i128::from(i64::MAX)),
        }
    }

    /// Both derive the same budget; under a price cap none follows from it.
    #[test]
    fn budgets_agree_with_the_core(
        work in 1..=100_000_000i64, speed in 1_000..=10_000_000i64, price in 1..=1_000_000i64,
        tasks in 0..=100u32, rules in rules(),
    ) {
        let request = Request {
            tasks,
            work: Work::from_millis(work).unwrap(),
            performance_min: Performance::from_millionths(speed).unwrap(),
            price_max: Rate::from_micros_per_second(price),
            ..fixture::valid().requests[0].clone()
        };
        let expected = request.budget_limit(rules.budget_factor).map(|limit| i128::from(limit.as_micros()));
        let batch = Batch::new(vec![request]);
        let offers = fixture::offers();
        let budget = |price_cap| {
            let facts = Facts::new(&offers, &batch, Rules { price_cap, ..rules });
            facts.job("sim").unwrap().budget
        };
        prop_assert_eq!(budget(false), expected);
        prop_assert_eq!(budget(true), None);
    }
}
