//! Policies: what they mean, and what is refused.

use crate::{EXAMPLE, read_yaml};
use insta::assert_snapshot;
use walras_api::Policy;
use walras_core::choose::{LeaveOut, Limit, Objective, Total};
use walras_model::{Factor, Money, Span};

fn read(policy: &str) -> Policy {
    read_yaml(&format!("{EXAMPLE}policy: {policy}\n")).unwrap().policy.unwrap()
}

fn refused(policy: &str) -> String {
    read_yaml(&format!("{EXAMPLE}policy: {policy}\n")).expect_err("accepted").to_string()
}

#[test]
fn a_policy_is_optional_and_so_are_its_keys() {
    assert_eq!(read_yaml(EXAMPLE).unwrap().policy, None);
    let policy = read("{}");
    assert_eq!(policy.vo.objective, Objective::MinCost);
    assert_eq!((policy.vo.time_limit, policy.vo.budget_limit), (Limit::Derived, Limit::Derived));
    assert_eq!((policy.vo.leave_out, policy.budget_factor), (LeaveOut::WhenNeeded, None));
}

#[test]
fn every_key_counts() {
    let policy = read(
        "{objective: max-use, limits: {time: none, budget: 12.5}, leave_out: never, budget_factor: 0.5}",
    );
    assert_eq!(policy.vo.objective, Objective::MaxUse);
    assert_eq!(policy.vo.time_limit, Limit::Unlimited);
    assert_eq!(policy.vo.budget_limit, Limit::Given(Money::from_micros(12_500_000)));
    assert_eq!(policy.vo.leave_out, LeaveOut::Never);
    assert_eq!(policy.budget_factor, Factor::from_millionths(500_000));
    let policy = read("{objective: lexicographic, order: [finish, spare_time, cost], limits: {time: 1.5}}");
    assert_eq!(
        policy.vo.objective,
        Objective::Lexicographic(vec![Total::Finish, Total::SpareTime, Total::Cost])
    );
    assert_eq!(policy.vo.time_limit, Limit::Given(Span::from_millis(1_500).unwrap()));
}

/// A credit has 10^6 micro-credits and a second 10^3 milliseconds; common factors are taken out.
#[test]
fn weights_are_per_credit_and_per_unit_of_time() {
    let weighted = "{objective: weighted, weights: {cost: 1, time: 0.5, income: 0}}";
    assert_eq!(read(weighted).vo.objective, Objective::Weighted(vec![(Total::Cost, 1), (Total::Time, 500)]));
    let in_ms = EXAMPLE.replace("sites:\n  - name", "unit: ms\nsites:\n  - name");
    let policy = read_yaml(&format!("{in_ms}policy: {weighted}\n")).unwrap().policy.unwrap();
    assert_eq!(policy.vo.objective, Objective::Weighted(vec![(Total::Cost, 1), (Total::Time, 500_000)]));
}

#[test]
fn bad_policies() {
    assert_snapshot!(refused("{objective: best}"), @"scenario.yaml:12:21: policy.objective: `best` is not known here: expected one of min-time, min-cost, max-income, max-use, min-makespan, weighted, lexicographic, satisfaction");
    assert_snapshot!(refused("{goal: min-cost}"), @"scenario.yaml:12:10: policy.goal: `goal` is not known here: expected one of objective, weights, order, limits, leave_out, budget_factor");
    assert_snapshot!(refused("[min-cost]"), @"scenario.yaml:12:9: policy: found a list, expected a map");
    assert_snapshot!(refused("{objective: weighted}"), @"scenario.yaml:12:21: policy.objective: weighted needs the key `weights` beside it");
    assert_snapshot!(refused("{objective: weighted, weights: {cost: -1}}"), @"scenario.yaml:12:47: policy.weights.cost: -1 is not a weight: it must not be negative");
    assert_snapshot!(refused("{objective: weighted, weights: {cost: 0, time: 0}}"), @"scenario.yaml:12:40: policy.weights: weights are all zero: at least one must be greater than 0");
    assert_snapshot!(refused("{objective: weighted, weights: {luck: 1}}"), @"scenario.yaml:12:41: policy.weights.luck: `luck` is not known here: expected one of cost, time, finish, income, spare_budget, spare_time");
    assert_snapshot!(refused("{objective: weighted, weights: {cost: 1e7}}"), @"scenario.yaml:12:47: policy.weights.cost: 10000000 is not a weight: it must be at most 1000000");
    assert_snapshot!(refused("{objective: weighted, weights: {cost: .nan}}"), @"scenario.yaml:12:47: policy.weights.cost: NaN is not a weight: it must be a finite number");
    assert_snapshot!(refused("{objective: min-cost, weights: {cost: 1}}"), @"scenario.yaml:12:40: policy.weights: weights given beside the objective min-cost: only `objective: weighted` has them");
    assert_snapshot!(refused("{objective: weighted, weights: {cost: 1}, order: [cost]}"), @"scenario.yaml:12:58: policy.order: totals given beside the objective weighted: only `objective: lexicographic` has them");
    assert_snapshot!(refused("{objective: lexicographic}"), @"scenario.yaml:12:21: policy.objective: lexicographic needs the key `order` beside it");
    assert_snapshot!(refused("{objective: lexicographic, order: []}"), @"scenario.yaml:12:43: policy.order: [] is an empty list: there must be at least one total");
    assert_snapshot!(refused("{objective: lexicographic, order: [cost, time, cost]}"), @"scenario.yaml:12:56: policy.order[2]: cost is listed twice");
    assert_snapshot!(refused("{objective: lexicographic, order: [luck]}"), @"scenario.yaml:12:44: policy.order[0]: `luck` is not known here: expected one of cost, time, finish, income, spare_budget, spare_time");
    assert_snapshot!(refused("{order: [cost]}"), @"scenario.yaml:12:17: policy.order: totals given beside the objective min-cost: only `objective: lexicographic` has them");
    assert_snapshot!(refused("{limits: {time: -1}}"), @"scenario.yaml:12:25: policy.limits.time: -1 is not a limit on time: it must not be negative");
    assert_snapshot!(refused("{limits: {budget: soon}}"), @r#"scenario.yaml:12:27: policy.limits.budget: found "soon", expected a number, derived or none"#);
    assert_snapshot!(refused("{limits: {cost: 1}}"), @"scenario.yaml:12:19: policy.limits.cost: `cost` is not known here: expected one of time, budget");
    assert_snapshot!(refused("{leave_out: sometimes}"), @"scenario.yaml:12:21: policy.leave_out: `sometimes` is not known here: expected one of never, when-needed");
    assert_snapshot!(refused("{budget_factor: 1.5}"), @"scenario.yaml:12:25: policy.budget_factor: 1.5 is not a budget factor: it must be at most 1");
    assert_snapshot!(refused("{budget_factor: 0.0000001}"), @"scenario.yaml:12:25: policy.budget_factor: 0.0000001 is not a budget factor: the smallest that is read is 0.000001");
}
