//! Strategies that the VO gives to workflows whose users ask for none, as policies name them.

use crate::described::JsonSchema;
use crate::error::{Problem, Within};
use crate::number::Num;
use crate::scenario::{DayName, objects};
use serde::{Deserialize, Deserializer, Serialize};
use walras_broker::strategy_rule::{STRATEGY_RULES_MAX, StrategyBy, StrategyRule, WeeklyHours};
use walras_core::prefer::Who;
use walras_core::refine::Strategy;
use walras_model::quantity::rounding;
use walras_model::{Rate, UnknownName};

/// What strategy some workflows get. Without `user` and `group` it is for everybody's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StrategyRule")]
pub struct StrategyRuleFile {
    /// For those of one user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// For those of the users of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// For those that are submitted on these days; on all without. Hours over midnight belong to the day on which they begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<DayName>>")]
    days: Option<Vec<DayName>>,
    /// For those that are submitted from the one hour to before the other, between 0 and 24 (UTC); over midnight where the second is no
    /// greater. All day without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hours: Option<(Num, Num)>,
    /// For those with a budget of at least so many credits for each second of their work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget_from: Option<Num>,
    /// For those with a budget of less than so many credits for each second of their work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget_below: Option<Num>,
    /// What they get: asap, alap, cheapest, fastest or balanced. Where it needs a deadline or a budget, only those that have one.
    #[schemars(extend("enum" = Strategy::ALL.map(Strategy::name)))]
    strategy: String,
}

/// A thousandth of an hour, in milliseconds: as fine as hours are given.
const MILLIHOUR: i64 = 3_600;
const HOUR: i64 = 1_000 * MILLIHOUR;
const DAY: i64 = 24 * HOUR;

/// The rules of a policy; never `null`.
pub(super) fn present_rules<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<StrategyRuleFile>>, D::Error> {
    objects(deserializer).map(|list| Some(list.0))
}

/// The rules as the broker takes them. A rule that fits nothing is refused, and so is one that is never read.
pub(super) fn rules(files: &[StrategyRuleFile]) -> Result<Vec<StrategyRule>, Problem> {
    if files.len() > STRATEGY_RULES_MAX {
        let what = format!("are too many rules: expected at most {STRATEGY_RULES_MAX}");
        return Err(Problem::new(&files.len().to_string(), what));
    }
    let mut rules: Vec<StrategyRule> = Vec::with_capacity(files.len());
    for (place, file) in files.iter().enumerate() {
        let rule = file.rule().in_item(place)?;
        if let Some(all) = rules.iter().position(StrategyRule::is_for_all) {
            let what = format!("is never given: the rule at place {all} fits every workflow before it");
            return Err(Problem::new(rule.strategy.name(), what)).in_field("strategy").in_item(place);
        }
        rules.push(rule);
    }
    Ok(rules)
}

/// Who chose the strategy of a job, whose user asks for this one.
pub(super) fn asked_by(strategy: Option<Strategy>, workflow: bool) -> StrategyBy {
    if workflow && strategy.is_none() { StrategyBy::Nobody } else { StrategyBy::User }
}

impl StrategyRuleFile {
    fn rule(&self) -> Result<StrategyRule, Problem> {
        let strategy = self.strategy.parse().map_err(|unknown: UnknownName| {
            Problem::new(&unknown.name, format!("is not {}: expected {}", unknown.kind, unknown.expected))
        });
        let budget_from = rate(self.budget_from.as_ref()).in_field("budget_from")?;
        let budget_below = rate(self.budget_below.as_ref()).in_field("budget_below")?;
        if let (Some(from), Some(below), Some(text)) = (budget_from, budget_below, &self.budget_below)
            && below <= from
        {
            let what =
                format!("is no more than budget_from, {}: no budget is both", Num::of_rate(from).as_str());
            return Err(Problem::new(text.as_str(), what)).in_field("budget_below");
        }
        let hours = self.weekly_hours()?;
        Ok(StrategyRule {
            who: self.who()?,
            hours,
            budget_from,
            budget_below,
            strategy: strategy.in_field("strategy")?,
        })
    }

    fn who(&self) -> Result<Who, Problem> {
        match (&self.user, &self.group) {
            (None, None) => Ok(Who::Everybody),
            (Some(user), None) => Ok(Who::User(user.clone())),
            (None, Some(group)) => Ok(Who::Group(group.clone())),
            (Some(user), Some(_)) => {
                Err(Problem::new(user, "is given beside a group: name one of them")).in_field("user")
            }
        }
    }

    fn weekly_hours(&self) -> Result<Option<WeeklyHours>, Problem> {
        if self.days.is_none() && self.hours.is_none() {
            return Ok(None);
        }
        let mut days = [self.days.is_none(); 7];
        self.days.iter().flatten().for_each(|day| days[day.place()] = true);
        if !days.contains(&true) {
            return Err(Problem::new("[]", "is no day at all: expected some of mon to sun")).in_field("days");
        }
        let hour = |number: &Num, place: usize, most: i64| {
            let millis = number.units(3).and_then(|it| it.checked_mul(MILLIHOUR));
            let what = format!("is not an hour of the day: expected 0 to {most}");
            let wrong = || Problem::new(number.as_str(), what);
            millis
                .filter(|it| (0..=most * HOUR).contains(it))
                .ok_or_else(wrong)
                .in_item(place)
                .in_field("hours")
        };
        let (from, to) = match &self.hours {
            None => (0, DAY),
            Some((from, to)) => (hour(from, 0, 23)?, hour(to, 1, 24)?),
        };
        let none = || {
            let text = self.hours.as_ref().map_or("", |(from, _)| from.as_str());
            Problem::new(text, "is where they begin and where they end: that is no time at all")
        };
        WeeklyHours::new(days, from, to).ok_or_else(none).in_field("hours").map(Some)
    }

    /// A rule as the API shows it.
    pub(super) fn of(rule: &StrategyRule) -> StrategyRuleFile {
        let (user, group) = match &rule.who {
            Who::Everybody => (None, None),
            Who::User(user) => (Some(user.clone()), None),
            Who::Group(group) => (None, Some(group.clone())),
        };
        let parts = rule.hours.map(|hours| hours.parts());
        let chosen = parts.map(|(days, ..)| days).filter(|days| days.contains(&false));
        let hour = |millis: i64| Num::from_units(rounding::down(millis.into(), MILLIHOUR.into()), 3);
        let hours = parts.map(|(_, from, to)| (from, to)).filter(|hours| *hours != (0, DAY));
        StrategyRuleFile {
            user,
            group,
            days: chosen.map(|days| DayName::ALL.into_iter().filter(|day| days[day.place()]).collect()),
            hours: hours.map(|(from, to)| (hour(from), hour(to))),
            budget_from: rule.budget_from.map(Num::of_rate),
            budget_below: rule.budget_below.map(Num::of_rate),
            strategy: rule.strategy.name().to_owned(),
        }
    }
}

fn rate(number: Option<&Num>) -> Result<Option<Rate>, Problem> {
    let Some(number) = number else { return Ok(None) };
    let what = "is not a budget for a second of work: expected credits, greater than 0, to six decimals";
    let read = number.units(6).and_then(Rate::from_micros_per_second);
    read.map(Some).ok_or_else(|| Problem::new(number.as_str(), what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<StrategyRule>, String> {
        let files: Vec<StrategyRuleFile> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        rules(&files).map_err(|problem| problem.into_error("policy").to_string())
    }

    fn refused(text: &str) -> String {
        read(text).unwrap_err()
    }

    #[test]
    fn rules_are_shown_as_they_were_written() {
        let text = r#"[{"group":"physics","days":["fri","sat"],"hours":[20,8.5],"strategy":"cheapest"},{"hours":[22,24],"strategy":"alap"},{"budget_from":0.02,"budget_below":0.5,"strategy":"asap"},{"user":"ada","days":["sun"],"strategy":"fastest"},{"strategy":"balanced"}]"#;
        let files: Vec<StrategyRuleFile> = serde_json::from_str(text).unwrap();
        let shown: Vec<_> = rules(&files).unwrap().iter().map(StrategyRuleFile::of).collect();
        assert_eq!(serde_json::to_string(&shown).unwrap(), text);
    }

    #[test]
    fn a_rule_that_is_none_is_named_with_its_place_its_field_and_its_value() {
        let many =
            format!("[{}]", vec![r#"{"user":"ada","strategy":"asap"}"#; STRATEGY_RULES_MAX + 1].join(","));
        let names = "expected one of asap, alap, cheapest, fastest, balanced";
        let unknown = format!("[1].strategy: best is not a strategy: {names}");
        for (rules, expected) in [
            (r#"[{"strategy":"asap","user":"ada"},{"strategy":"best"}]"#, unknown.as_str()),
            (
                r#"[{"hours":[25,8],"strategy":"asap"}]"#,
                "[0].hours[0]: 25 is not an hour of the day: expected 0 to 23",
            ),
            (
                r#"[{"hours":[20,24.5],"strategy":"asap"}]"#,
                "[0].hours[1]: 24.5 is not an hour of the day: expected 0 to 24",
            ),
            (r#"[{"hours":[8,8],"strategy":"asap"}]"#, "[0].hours: 8 is where they begin and where they end"),
            (r#"[{"days":[],"strategy":"asap"}]"#, "[0].days: [] is no day at all"),
            (
                r#"[{"budget_from":0,"strategy":"asap"}]"#,
                "[0].budget_from: 0 is not a budget for a second of work",
            ),
            (
                r#"[{"budget_from":2,"budget_below":2,"strategy":"asap"}]"#,
                "[0].budget_below: 2 is no more than budget_from, 2: no budget is both",
            ),
            (
                r#"[{"user":"ada","group":"physics","strategy":"asap"}]"#,
                "[0].user: ada is given beside a group",
            ),
            (
                r#"[{"strategy":"asap"},{"user":"ada","strategy":"cheapest"}]"#,
                "[1].strategy: cheapest is never given: the rule at place 0 fits every workflow before it",
            ),
            (many.as_str(), "101 are too many rules: expected at most 100"),
        ] {
            let refused = refused(rules);
            assert!(refused.contains(expected), "{refused}");
        }
    }
}
