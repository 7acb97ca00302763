//! One fixture per kind of violation: the smallest change of the valid plan that breaks this and no more.

use super::fixture::{self, Fixture, at, at_least, money, number, performance, rate, seconds};
use crate::Violation;
use walras_model::{Factor, Interval, Requirement, SiteId, Test, Value};

/// Changes the valid plan and expects exactly the violation that `expected` makes of the changed plan.
#[track_caller]
fn check(name: &str, mutate: impl FnOnce(&mut Fixture), expected: impl FnOnce(&Fixture) -> Violation) {
    let mut fixture = fixture::valid();
    mutate(&mut fixture);
    fixture.expect(name, &[expected(&fixture)]);
}

fn interval(start: f64, end: f64) -> Interval {
    Interval::new(at(start), at(end)).unwrap()
}

#[test]
fn names() {
    check(
        "unknown job",
        |f| f.claim.alternatives[3].job = "nobody".into(),
        |f| Violation::UnknownJob { at: f.alternative(3) },
    );
    check(
        "unknown site",
        |f| f.claim.alternatives[0].slots[1].site = "nowhere".into(),
        |f| Violation::UnknownSite { at: f.slot(0, 1) },
    );
    check(
        "unknown node",
        |f| f.claim.alternatives[0].slots[1].node = "c9".into(),
        |f| Violation::UnknownNode { at: f.slot(0, 1) },
    );
    check(
        "another site's node",
        |f| f.claim.alternatives[0].slots[1].node = "l3".into(),
        |f| Violation::UnknownNode { at: f.slot(0, 1) },
    );
}

#[test]
fn counts() {
    check(
        "a task too few",
        |f| {
            f.claim.alternatives[0].slots.pop();
            f.settle(0);
        },
        |f| Violation::WrongTaskCount { at: f.alternative(0), expected: 2, claimed: 1 },
    );
    check(
        "a task too many",
        |f| {
            let extra = f.claim.alternatives[0].slots[1].clone();
            f.claim.alternatives[0].slots.push(extra);
            f.place(0, 2, 5);
        },
        |f| Violation::WrongTaskCount { at: f.alternative(0), expected: 2, claimed: 3 },
    );
    check(
        "no tasks",
        |f| {
            f.claim.alternatives[0].slots.clear();
            f.claim.alternatives[0].cost = money(0.0);
        },
        |f| Violation::WrongTaskCount { at: f.alternative(0), expected: 2, claimed: 0 },
    );
    check("node twice", |f| f.place(3, 0, 5), |f| Violation::NodeTwice { at: f.slot(3, 1), first: 0 });
}

#[test]
fn edges() {
    check(
        "starts apart",
        |f| {
            f.claim.alternatives[0].slots[1].start = at(21.0);
            f.claim.alternatives[0].slots[1].end = at(53.0);
        },
        |f| Violation::StartsApart { at: f.slot(0, 1), expected: at(20.0), claimed: at(21.0) },
    );
    check(
        "empty",
        |f| f.claim.alternatives[0].slots[1].end = at(20.0),
        |f| Violation::EmptyOrReversed { at: f.slot(0, 1), start: at(20.0), end: at(20.0) },
    );
    check(
        "reversed",
        |f| f.claim.alternatives[0].slots[1].end = at(19.0),
        |f| Violation::EmptyOrReversed { at: f.slot(0, 1), start: at(20.0), end: at(19.0) },
    );
    for (name, wrong) in [("ends too late", 100.001), ("ends too soon", 99.999)] {
        check(
            name,
            |f| f.claim.alternatives[0].end = at(wrong),
            |f| Violation::WrongEnd { at: f.alternative(0), expected: at(100.0), claimed: at(wrong) },
        );
    }
}

#[test]
fn runtimes() {
    for (name, end, cost) in [("too short", 51.999, 303.9905), ("too long", 52.001, 304.0095)] {
        check(
            name,
            |f| {
                f.claim.alternatives[0].slots[1].end = at(end);
                f.claim.alternatives[0].slots[1].cost = money(cost);
                f.settle(0);
            },
            |f| Violation::WrongRuntime {
                at: f.slot(0, 1),
                expected: Some(seconds(32.0)),
                claimed: seconds(end - 20.0),
            },
        );
    }
}

#[test]
fn free_time() {
    check(
        "ends after its free slot",
        |f| {
            f.place(3, 0, 3);
            f.shift(3, 370.001);
        },
        |f| Violation::OutsideFreeTime { at: f.slot(3, 0), claimed: interval(370.001, 400.001) },
    );
    check(
        "starts before its free slot",
        |f| {
            f.claim.alternatives.remove(1);
            f.shift(1, 91.999);
        },
        |f| Violation::OutsideFreeTime { at: f.slot(1, 2), claimed: interval(91.999, 142.0) },
    );
    check(
        "beyond the horizon",
        |f| f.shift(3, 480.001),
        |f| Violation::OutsideFreeTime { at: f.slot(3, 0), claimed: interval(480.001, 600.001) },
    );
    check(
        "overlap",
        |f| f.shift(1, 51.999),
        |f| Violation::Overlap {
            first: f.alternative(0),
            second: f.slot(1, 0),
            shared: interval(51.999, 52.0),
        },
    );
}

#[test]
fn terms_of_nodes() {
    check(
        "too slow",
        |f| f.requests[2].performance_min = performance(0.500_001),
        |f| Violation::TooSlow {
            at: f.slot(3, 0),
            performance_min: performance(0.500_001),
            performance: performance(0.5),
        },
    );
    let sites = |f: &mut Fixture| f.requests[1].scope.sites = Some(vec![SiteId::new(0)]);
    check("outside scope", sites, |f| Violation::OutsideScope { at: f.slot(2, 2) });
    check(
        "split sites",
        |f| f.requests[1].scope.same_site = true,
        |f| Violation::SplitSites { at: f.slot(2, 2), first_site: "campus".into() },
    );
}

#[test]
fn requirements() {
    let text = |text: &str| Value::Text(text.into());
    // The first job's second window is on campus/c2 (linux, 64) and lab/l3 (linux, 128).
    let cases = [
        ("os", Test::Equals(text("bsd")), [Some(text("linux")), Some(text("linux"))]),
        ("os", Test::OneOf(vec![]), [Some(text("linux")), Some(text("linux"))]),
        ("os", at_least(0.0), [Some(text("linux")), Some(text("linux"))]),
        ("gpu", Test::Equals(Value::Flag(true)), [None, None]),
        ("memory_gb", Test::Equals(Value::Flag(true)), [Some(number(64.0)), Some(number(128.0))]),
    ];
    for (attribute, test, values) in cases {
        let mut fixture = fixture::valid();
        fixture.claim.alternatives = vec![fixture.claim.alternatives[1].clone()];
        let requirement = Requirement { attribute: attribute.into(), test };
        fixture.requests[0].requires = vec![requirement.clone()];
        let expected: Vec<Violation> = (0..)
            .zip(values)
            .map(|(slot, value)| Violation::RequirementUnmet {
                at: fixture.slot(0, slot),
                requirement: requirement.clone(),
                value,
            })
            .collect();
        fixture.expect(&requirement.to_string(), &expected);
    }
    let at_least_17 = Requirement { attribute: "memory_gb".into(), test: at_least(16.000_001) };
    check(
        "just too little",
        |f| f.requests[1].requires = vec![at_least_17.clone()],
        |f| Violation::RequirementUnmet {
            at: f.slot(2, 2),
            requirement: at_least_17.clone(),
            value: Some(number(16.0)),
        },
    );
}

#[test]
fn limits_of_time() {
    check(
        "before earliest",
        |f| f.requests[0].earliest = Some(at(20.001)),
        |f| Violation::BeforeEarliest { at: f.alternative(0), earliest: at(20.001), start: at(20.0) },
    );
    check(
        "after deadline",
        |f| f.requests[0].deadline = Some(at(99.999)),
        |f| Violation::AfterDeadline { at: f.alternative(0), deadline: at(99.999), end: at(100.0) },
    );
}

#[test]
fn limits_of_money() {
    for (name, wrong) in [("a slot too dear", 304.000_001), ("a slot too cheap", 303.999_999)] {
        check(
            name,
            |f| {
                f.claim.alternatives[0].slots[1].cost = money(wrong);
                f.settle(0);
            },
            |f| Violation::WrongCost { at: f.slot(0, 1), expected: money(304.0), claimed: money(wrong) },
        );
    }
    check(
        "wrong total",
        |f| f.claim.alternatives[0].cost = money(704.000_001),
        |f| Violation::WrongTotal {
            at: f.alternative(0),
            expected: money(704.0),
            claimed: money(704.000_001),
        },
    );
    check(
        "over a given budget",
        |f| f.requests[1].budget = Some(money(966.687_899)),
        |f| Violation::OverBudget { at: f.alternative(2), budget: money(966.687_899), cost: money(966.6879) },
    );
    check(
        "over a derived budget",
        |f| f.rules.budget_factor = Factor::from_millionths(439_999).unwrap(),
        |f| Violation::OverBudget { at: f.alternative(0), budget: money(703.9984), cost: money(704.0) },
    );
    check(
        "over the price cap",
        |f| {
            f.rules.price_cap = true;
            f.place(1, 1, 2);
        },
        |f| Violation::OverPriceCap { at: f.slot(1, 1), price_max: rate(10.0), rate: rate(11.3) },
    );
}
