//! Windows on capacity: the price of who pays, and no processor sold twice.

use super::fixture::{self, Fixture, at, money, rate};
use crate::Violation;
use walras_model::{Interval, Request, Work};

/// A job of two tasks of 80 s of work (40 s on the grid), for that user, on those processors.
fn on_grid(user: Option<&str>, cost_each: f64, processors: [&str; 2]) -> Fixture {
    let mut fixture = fixture::valid();
    fixture.claim.alternatives.clear();
    let job = Request::new("mc", 2, Work::from_millis(80_000).unwrap());
    fixture.requests.push(Request { user: user.map(str::to_owned), ..job });
    let slots = processors.map(|processor| (processor, 50.0, cost_each));
    fixture.claim.alternatives.push(fixture::window("mc", 10.0, 50.0, 2.0 * cost_each, &slots));
    fixture
}

#[test]
fn everybody_pays_their_own_price() {
    for (user, cost) in [(None, 160.0), (Some("ada"), 120.0), (Some("bob"), 300.0), (Some("eve"), 160.0)] {
        on_grid(user, cost, ["grid/#1", "grid/#3"]).expect("own price", &[]);
        for other in [160.0, 120.0, 300.0].into_iter().filter(|other| (other - cost).abs() > 1.0) {
            let fixture = on_grid(user, other, ["grid/#1", "grid/#3"]);
            let wrong = |slot| Violation::WrongCost {
                at: fixture.slot(0, slot),
                expected: money(cost),
                claimed: money(other),
            };
            fixture.expect("somebody else's price", &[wrong(0), wrong(1)]);
        }
    }
}

#[test]
fn budgets_and_caps_hold_for_ones_own_price() {
    let mut fixture = on_grid(Some("bob"), 300.0, ["grid/#1", "grid/#3"]);
    let job = fixture.requests.len() - 1;
    fixture.requests[job].budget = Some(money(599.0));
    let over = Violation::OverBudget { at: fixture.alternative(0), budget: money(599.0), cost: money(600.0) };
    fixture.expect("over budget", &[over]);
    fixture.requests[job].budget = None;
    fixture.requests[job].price_max = Some(rate(7.0));
    fixture.rules.price_cap = true;
    let dear =
        |slot| Violation::OverPriceCap { at: fixture.slot(0, slot), price_max: rate(7.0), rate: rate(7.5) };
    fixture.expect("over the cap", &[dear(0), dear(1)]);
}

#[test]
fn processors_are_there_once() {
    let fixture = on_grid(None, 160.0, ["grid/#1", "grid/#4"]);
    fixture.expect("there are three", &[Violation::UnknownNode { at: fixture.slot(0, 1) }]);
    let fixture = on_grid(None, 160.0, ["grid/#2", "grid/#2"]);
    fixture.expect("one twice", &[Violation::NodeTwice { at: fixture.slot(0, 1), first: 0 }]);
    let mut fixture = on_grid(None, 160.0, ["grid/#1", "grid/#2"]);
    fixture.claim.alternatives.push(fixture.claim.alternatives[0].clone());
    let shared = Interval::new(at(10.0), at(50.0)).unwrap();
    let pair = Violation::Overlap { first: fixture.alternative(0), second: fixture.slot(1, 0), shared };
    fixture.expect("two windows on one", &[pair]);
}

#[test]
fn what_was_bought_is_said() {
    let mut fixture = on_grid(None, 160.0, ["grid/#1", "grid/#2"]);
    fixture.claim.alternatives[0].slots[1].capacity = false;
    let unsaid = Violation::WrongOffer { at: fixture.slot(0, 1), capacity: true };
    let sentence = unsaid.to_string();
    fixture.expect("unsaid", &[unsaid]);
    assert!(sentence.ends_with("does not say that it is on capacity, which is what its site sells"));
    let mut fixture = fixture::valid();
    fixture.claim.alternatives[0].slots[0].capacity = true;
    fixture.expect("untrue", &[Violation::WrongOffer { at: fixture.slot(0, 0), capacity: false }]);
}

#[test]
fn the_price_for_an_unknown_job_is_not_known() {
    let mut fixture = on_grid(Some("bob"), 1.0, ["grid/#1", "grid/#2"]);
    fixture.claim.alternatives[0].job = "nobody".into();
    fixture.expect("unknown job", &[Violation::UnknownJob { at: fixture.alternative(0) }]);
}
