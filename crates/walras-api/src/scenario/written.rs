//! A policy written as a scenario would say it. Only the whole can be written: parts that could would show up as defaults
//! in the published schema.

use super::values::LimitSpec;
use super::wire::{LimitsEntry, PolicyEntry, WeightsEntry};
use crate::number::{Num, Number};
use serde::ser::{Serialize, SerializeMap, Serializer};
use walras_core::choose::{Named, Total};

impl Serialize for PolicyEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PolicyEntry { objective, weights, order, limits, leave_out, budget_factor } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("objective", objective.0.name())?;
        if let Some(weights) = weights {
            map.serialize_entry("weights", &Weights(weights))?;
        }
        if let Some(order) = order {
            let names: Vec<&str> = order.0.iter().map(|word| word.0.name()).collect();
            map.serialize_entry("order", &names)?;
        }
        if let Some(limits) = limits {
            map.serialize_entry("limits", &WrittenLimits(limits))?;
        }
        map.serialize_entry("leave_out", leave_out.text())?;
        if let Some(factor) = budget_factor {
            map.serialize_entry("budget_factor", &Written(*factor))?;
        }
        map.end()
    }
}

struct Weights<'a>(&'a WeightsEntry);

impl Serialize for Weights<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let WeightsEntry { cost, time, finish, income, spare_budget, spare_time } = self.0;
        let weights = [
            (Total::Cost, cost),
            (Total::Time, time),
            (Total::Finish, finish),
            (Total::Income, income),
            (Total::SpareBudget, spare_budget),
            (Total::SpareTime, spare_time),
        ];
        let given = weights.iter().filter_map(|(total, weight)| Some((total.name(), Written((**weight)?))));
        serializer.collect_map(given)
    }
}

struct WrittenLimits<'a>(&'a LimitsEntry);

impl Serialize for WrittenLimits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LimitsEntry { time, budget } = self.0;
        serializer.collect_map([("time", Limit(*time)), ("budget", Limit(*budget))])
    }
}

struct Limit(LimitSpec);

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            LimitSpec::Derived => serializer.serialize_str("derived"),
            LimitSpec::None => serializer.serialize_str("none"),
            LimitSpec::Given(number) => Written(number).serialize(serializer),
        }
    }
}

struct Written(Number);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Number::Unsigned(number) => serializer.serialize_u64(number),
            Number::Signed(number) => serializer.serialize_i64(number),
            Number::Real(number) => serializer.serialize_f64(number),
            Number::Exact(number) => Num::from_decimal(number).serialize(serializer),
        }
    }
}
