//! The verifier accepts a plan made by hand and refuses every kind of broken one.

mod assignments;
mod capacity;
mod choices;
mod fixture;
mod kinds;
mod laws;
mod units;

use super::*;
use fixture::{Fixture, at, money, seconds};

#[test]
fn a_valid_plan_is_clean() {
    fixture::valid().expect("valid", &[]);
}

#[test]
fn a_valid_plan_is_clean_under_a_price_cap() {
    let mut fixture = fixture::valid();
    fixture.rules.price_cap = true;
    fixture.expect("price cap", &[]);
}

#[test]
fn a_slot_on_no_node_is_on_an_unknown_one() {
    let Fixture { claim, requests, rules } = fixture::valid();
    let (offers, batch) = (fixture::offers(), Batch::new(requests));
    for on in [vec![], vec![NodeId::new(0), NodeId::new(u32::MAX)]] {
        let violations = verify_window(&claim.alternatives[0], &on, &offers, &batch, rules);
        let unknown = violations.iter().filter(|it| matches!(it, Violation::UnknownNode { .. }));
        assert_eq!(unknown.count(), if on.is_empty() { 2 } else { 1 }, "{violations:?}");
    }
}

#[test]
fn an_empty_claim_is_clean() {
    let mut fixture = fixture::valid();
    fixture.claim = Claim::default();
    fixture.expect("empty", &[]);
}

/// Every limit of the valid plan that is met exactly, one unit from being broken (see `kinds`).
#[test]
fn limits_may_be_met_exactly() {
    let Fixture { claim, requests, .. } = fixture::valid();
    let [first, second, third, _] = &claim.alternatives[..] else { panic!("four alternatives") };
    assert_eq!(Some(first.start), requests[0].earliest);
    assert_eq!(Some(first.end), requests[0].deadline);
    assert_eq!(Some(third.cost), requests[1].budget);
    assert_eq!(second.slots[0].end, third.slots[0].start, "two windows touch on one node");
    let free = fixture::offers().slots().to_vec();
    assert!(free.iter().any(|slot| slot.node().index() == 0 && slot.end() == first.slots[0].end));
    assert!(free.iter().any(|slot| slot.node().index() == 3 && slot.start() == third.slots[2].start));
    fixture::valid().expect("met exactly", &[]);
}

#[test]
fn a_derived_budget_may_be_spent_to_the_last_micro_credit() {
    // S = 1600 k for the first job; its window costs 704.
    let mut fixture = fixture::valid();
    fixture.rules.budget_factor = Factor::from_millionths(440_000).unwrap();
    fixture.expect("all spent", &[]);
}

#[test]
fn a_given_budget_replaces_the_derived_one() {
    let mut fixture = fixture::valid();
    fixture.claim.alternatives.truncate(1);
    fixture.requests[0].budget = Some(money(704.0));
    fixture.rules.budget_factor = Factor::from_millionths(1).unwrap();
    fixture.expect("replaced", &[]);
}

#[test]
fn a_window_may_not_bridge_two_free_slots() {
    // campus/c1 is busy during [100, 150).
    let mut fixture = fixture::valid();
    fixture.requests[0].deadline = None;
    fixture.shift(0, 71.0);
    let claimed = walras_model::Interval::new(at(71.0), at(151.0)).unwrap();
    let outside = Violation::OutsideFreeTime { at: fixture.slot(0, 0), claimed };
    fixture.claim.alternatives.truncate(1);
    fixture.expect("bridge", &[outside]);
}

#[test]
fn windows_that_share_several_nodes_are_one_pair() {
    let mut fixture = fixture::valid();
    fixture.claim.alternatives = vec![fixture.claim.alternatives[2].clone(); 2];
    let shared = walras_model::Interval::new(at(92.0), at(132.001)).unwrap();
    let pair = Violation::Overlap { first: fixture.alternative(0), second: fixture.slot(1, 0), shared };
    fixture.expect("twice the same", &[pair]);
}

/// All pairs would be thousands of millions.
#[test]
fn overlaps_are_found_in_one_sweep() {
    let mut fixture = fixture::valid();
    fixture.claim.alternatives = vec![fixture.claim.alternatives[3].clone(); 50_000];
    let violations = fixture.verify();
    assert!(violations.iter().all(|violation| matches!(violation, Violation::Overlap { .. })));
    assert!((49_999..100_000).contains(&violations.len()), "{}", violations.len());
}

#[test]
fn several_mistakes_are_all_reported() {
    let mut fixture = fixture::valid();
    fixture.claim.alternatives[0].cost = money(1.0);
    fixture.claim.alternatives[3].end = at(599.0);
    let total =
        Violation::WrongTotal { at: fixture.alternative(0), expected: money(704.0), claimed: money(1.0) };
    let end = Violation::WrongEnd { at: fixture.alternative(3), expected: at(320.0), claimed: at(599.0) };
    fixture.expect("two", &[total, end]);
}

#[test]
fn a_false_cost_hides_no_budget() {
    let mut fixture = fixture::valid();
    fixture.requests[1].budget = Some(money(900.0));
    fixture.claim.alternatives[2].slots[0].cost = money(0.0);
    fixture.settle(2);
    let over =
        Violation::OverBudget { at: fixture.alternative(2), budget: money(900.0), cost: money(966.6879) };
    let cost =
        Violation::WrongCost { at: fixture.slot(2, 0), expected: money(380.0095), claimed: money(0.0) };
    fixture.expect("false cost", &[over, cost]);
}

#[test]
fn sentences_say_where_and_what() {
    let fixture = fixture::valid();
    let slow = Violation::WrongRuntime {
        at: fixture.slot(0, 1),
        expected: Some(seconds(32.0)),
        claimed: seconds(31.5),
    };
    assert_eq!(
        slow.to_string(),
        "alternatives[0].slots[1] (job sim, node campus/c2) lasts 31.5 s but its node needs 32 s"
    );
    let over =
        Violation::OverBudget { at: fixture.alternative(2), budget: money(900.0), cost: money(966.6879) };
    assert_eq!(
        over.to_string(),
        "alternatives[2] (job render) costs 966.6879 credits, more than the job's budget of 900 credits"
    );
    let short = Violation::WrongTaskCount { at: fixture.alternative(0), expected: 2, claimed: 1 };
    assert_eq!(short.to_string(), "alternatives[0] (job sim) has 1 slot for a job of 2 tasks");
    let dear = Violation::OverPriceCap {
        at: fixture.slot(0, 0),
        price_max: fixture::rate(1.0),
        rate: fixture::rate(2.5),
    };
    assert_eq!(
        dear.to_string(),
        "alternatives[0].slots[0] (job sim, node campus/c1) costs 2.5 credits per second, more than the job's 1 \
         credits per second"
    );
}
