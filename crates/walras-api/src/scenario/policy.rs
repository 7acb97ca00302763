//! The policy of a scenario: what the VO wants of a combination, as the core's type.

use super::quantity;
use super::values::{LimitSpec, List};
use super::wire::{LimitsEntry, PolicyEntry, WeightsEntry};
use super::word::Word;
use crate::error::{Problem, Within};
use crate::number::Number;
use crate::unit::Unit;
use std::collections::BTreeSet;
use walras_core::choose::{Limit, Named, Objective, ObjectiveName, Total, VoPolicy};
use walras_model::Factor;

/// What a scenario says about choosing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What the VO wants of a combination.
    pub vo: VoPolicy,
    /// k of the budget S = k · price_max · t · tasks, where the scenario gives one.
    pub budget_factor: Option<Factor>,
}

/// A policy whose times are in seconds.
pub(crate) fn policy_of(entry: PolicyEntry) -> Result<Policy, Problem> {
    policy(entry, Unit::Seconds)
}

pub(super) fn policy(entry: PolicyEntry, unit: Unit) -> Result<Policy, Problem> {
    let PolicyEntry { objective, weights, order, limits, leave_out, budget_factor } = entry;
    let limits = limits.unwrap_or_default();
    Ok(Policy {
        vo: VoPolicy {
            objective: self::objective(objective.0, weights, order, unit)?,
            time_limit: limit(limits.time, |number| quantity::span(number, unit))
                .in_field("time")
                .in_field("limits")?,
            budget_limit: limit(limits.budget, quantity::money).in_field("budget").in_field("limits")?,
            leave_out: leave_out.into(),
        },
        budget_factor: budget_factor.map(quantity::factor).transpose().in_field("budget_factor")?,
    })
}

fn limit<Q>(spec: LimitSpec, read: impl Fn(Number) -> Result<Q, Problem>) -> Result<Limit<Q>, Problem> {
    match spec {
        LimitSpec::Derived => Ok(Limit::Derived),
        LimitSpec::None => Ok(Limit::Unlimited),
        LimitSpec::Given(number) => read(number).map(Limit::Given),
    }
}

/// The objective; weights and an order belong to one objective each and are refused with the others.
fn objective(
    name: ObjectiveName,
    weights: Option<WeightsEntry>,
    order: Option<List<Word<Total>>>,
    unit: Unit,
) -> Result<Objective, Problem> {
    let needs = |key: &str| Problem::new(name.name(), format!("needs the key `{key}` beside it"));
    let foreign = |value: &str, owner: &str| {
        let what = format!("given beside the objective {}: only `objective: {owner}` has them", name.name());
        Problem::new(value, what)
    };
    match (name, weights, order) {
        (ObjectiveName::Weighted, Some(weights), None) => self::weights(&weights, unit).in_field("weights"),
        (ObjectiveName::Lexicographic, None, Some(order)) => self::order(&order).in_field("order"),
        (ObjectiveName::Weighted, _, Some(_)) => Err(foreign("totals", "lexicographic")).in_field("order"),
        (_, Some(_), _) => Err(foreign("weights", "weighted")).in_field("weights"),
        (_, None, Some(_)) => Err(foreign("totals", "lexicographic")).in_field("order"),
        (name, None, None) => {
            let key = if name == ObjectiveName::Weighted { "weights" } else { "order" };
            name.objective().ok_or_else(|| needs(key)).in_field("objective")
        }
    }
}

/// Weights per credit and per unit of time, as whole numbers per micro-credit and per millisecond.
///
/// A weight w of cost is w · 10⁶ millionths per credit, and so per micro-credit in millionths of a millionth. One
/// of time is w · 10⁶ per unit; a second has 10³ milliseconds where a credit has 10⁶ micro-credits, so it counts
/// 10³ times as much per millisecond, and 10⁶ times when the unit is the millisecond itself. Only the ratio of
/// weights matters, so what divides them all is taken out: smaller numbers do not overflow.
fn weights(entry: &WeightsEntry, unit: Unit) -> Result<Objective, Problem> {
    let per_millisecond = match unit {
        Unit::Seconds => 1_000,
        Unit::Milliseconds => 1_000_000,
    };
    let WeightsEntry { cost, time, finish, income, spare_budget, spare_time } = entry;
    let given = [
        (Total::Cost, cost, 1),
        (Total::Time, time, per_millisecond),
        (Total::Finish, finish, per_millisecond),
        (Total::Income, income, 1),
        (Total::SpareBudget, spare_budget, 1),
        (Total::SpareTime, spare_time, per_millisecond),
    ];
    let mut terms = Vec::new();
    for (total, number, factor) in given {
        let Some(number) = number else { continue };
        let millionths = quantity::weight(*number).in_field(total.name())?;
        if millionths > 0 {
            terms.push((total, millionths * factor));
        }
    }
    let divisor = terms.iter().fold(0, |divisor, (_, weight)| greatest_common_divisor(divisor, *weight));
    if divisor == 0 {
        return Err(Problem::new("weights", "are all zero: at least one must be greater than 0"));
    }
    Ok(Objective::Weighted(terms.into_iter().map(|(total, weight)| (total, weight / divisor)).collect()))
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

fn order(names: &List<Word<Total>>) -> Result<Objective, Problem> {
    if names.0.is_empty() {
        return Err(Problem::new("[]", "is an empty list: there must be at least one total"));
    }
    let mut seen = BTreeSet::new();
    let mut totals = Vec::with_capacity(names.0.len());
    for (index, name) in names.0.iter().enumerate() {
        let Word(total) = *name;
        if !seen.insert(total) {
            return Err(Problem::new(total.name(), "is listed twice")).in_item(index);
        }
        totals.push(total);
    }
    Ok(Objective::Lexicographic(totals))
}

/// What a VO wants as a scenario would say it, with times in seconds. Weights keep their ratios.
pub(crate) fn policy_entry(policy: &VoPolicy, budget_factor: Factor) -> PolicyEntry {
    let mut entry = PolicyEntry {
        objective: Word(policy.objective.name()),
        limits: Some(LimitsEntry {
            time: limit_spec(policy.time_limit, |span| Number::from_units(span.as_millis().into(), 3)),
            budget: limit_spec(policy.budget_limit, |money| Number::from_units(money.as_micros().into(), 6)),
        }),
        leave_out: policy.leave_out.into(),
        ..PolicyEntry::default()
    };
    match &policy.objective {
        Objective::Weighted(terms) => entry.weights = Some(weights_entry(terms)),
        Objective::Lexicographic(order) => {
            entry.order = Some(List(order.iter().copied().map(Word).collect()));
        }
        Objective::MinTime
        | Objective::MinCost
        | Objective::MaxIncome
        | Objective::MaxUse
        | Objective::MinMakespan
        | Objective::Satisfaction => {}
    }
    if budget_factor != Factor::ONE {
        entry.budget_factor = Some(Number::from_units(budget_factor.as_millionths().into(), 6));
    }
    entry
}

fn limit_spec<Q>(limit: Limit<Q>, write: impl Fn(Q) -> Number) -> LimitSpec {
    match limit {
        Limit::Derived => LimitSpec::Derived,
        Limit::Unlimited => LimitSpec::None,
        Limit::Given(most) => LimitSpec::Given(write(most)),
    }
}

/// Weights per micro-credit or per millisecond as those per credit or per second, up to a common factor.
fn weights_entry(terms: &[(Total, i64)]) -> WeightsEntry {
    let mut entry = WeightsEntry::default();
    for (total, weight) in terms {
        let (field, decimals) = match total {
            Total::Cost => (&mut entry.cost, 0),
            Total::Time => (&mut entry.time, 3),
            Total::Finish => (&mut entry.finish, 3),
            Total::Income => (&mut entry.income, 0),
            Total::SpareBudget => (&mut entry.spare_budget, 0),
            Total::SpareTime => (&mut entry.spare_time, 3),
        };
        *field = Some(Number::from_units(i128::from(*weight), decimals));
    }
    entry
}
