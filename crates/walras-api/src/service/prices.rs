//! Owners' price rules as the API carries them.

use super::stamp::Stamp;
use crate::amount::{written, written_by_name};
use crate::described::JsonSchema;
use crate::error::{Problem, ReadError, Within};
use crate::number::Num;
use crate::scenario::{objects, present_object};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use walras_broker::price::{Blackout, Crossing, Demand, PriceRules};
use walras_core::prefer::Hours;
use walras_model::{Interval, Multiplier, Rate, Share};

/// What an owner asks for time on their nodes. Prices are in credits a second; factors are plain numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Prices", rename = "Prices")]
pub struct PricesFile {
    /// The price of a node that no other rule names.
    #[serde(deserialize_with = "written")]
    pub base: Num,
    /// By class of node.
    #[serde(default, deserialize_with = "written_by_name")]
    pub classes: BTreeMap<String, Num>,
    /// By name of node; goes before the class.
    #[serde(default, deserialize_with = "written_by_name")]
    pub nodes: BTreeMap<String, Num>,
    /// By user, on all nodes alike; goes before everything else, and goes with one base price only.
    #[serde(default, deserialize_with = "written_by_name")]
    pub users: BTreeMap<String, Num>,
    /// A factor for every hour of the day (UTC); none, or 24.
    #[serde(default)]
    pub hours: Vec<Num>,
    /// A factor for every day of the week, Monday first; none, or 7.
    #[serde(default)]
    pub weekdays: Vec<Num>,
    /// How the price follows demand.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "DemandFile")]
    pub demand: Option<DemandFile>,
    /// When nothing is sold.
    #[serde(default, deserialize_with = "blackouts")]
    pub blackouts: Vec<BlackoutFile>,
    /// What happens to free time across which the price changes.
    #[serde(default)]
    pub crossing: CrossingName,
}

fn blackouts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<BlackoutFile>, D::Error> {
    objects(deserializer).map(|list| list.0)
}

/// How a price follows demand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Demand")]
pub struct DemandFile {
    /// The least factor, at most 1.
    pub min: Num,
    /// The greatest, at least 1.
    pub max: Num,
    /// By how much it moves after a cycle.
    pub step: Num,
    /// It falls when less than this share of the offered time is taken.
    pub low: Num,
    /// It rises when more than this share is.
    pub high: Num,
}

/// Time that is not for sale: from one moment to another, or every week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Blackout")]
pub struct BlackoutFile {
    /// From when, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Stamp>,
    /// Until when, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Stamp>,
    /// On these days of every week, Monday is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<Vec<u8>>,
    /// From which hour to which (UTC), on these days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<(Num, Num)>,
}

/// What happens to free time across which the price changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Crossing")]
pub enum CrossingName {
    /// It is sold in pieces of one price each.
    #[default]
    Cut,
    /// It is sold whole, at the dearest of its prices.
    Dearest,
}

const HOUR: i64 = 3_600_000;

fn rate(number: &Num) -> Result<Rate, Problem> {
    let wrong = || {
        Problem::new(
            number.as_str(),
            "is not a price: expected credits a second, greater than 0, to six decimals",
        )
    };
    number.units(6).and_then(Rate::from_micros_per_second).ok_or_else(wrong)
}

fn rates(numbers: &BTreeMap<String, Num>) -> Result<BTreeMap<String, Rate>, Problem> {
    numbers.iter().map(|(name, number)| Ok((name.clone(), rate(number).in_field(name)?))).collect()
}

fn factor(number: &Num) -> Result<Multiplier, Problem> {
    let wrong = || {
        Problem::new(
            number.as_str(),
            "is not a factor: expected a number that is not negative, to six decimals",
        )
    };
    number.units(6).and_then(Multiplier::from_millionths).ok_or_else(wrong)
}

fn share(number: &Num) -> Result<Share, Problem> {
    let wrong = || Problem::new(number.as_str(), "is not a share: expected a number between 0 and 1");
    number.units(6).and_then(Share::from_millionths).ok_or_else(wrong)
}

fn factors(numbers: &[Num]) -> Result<Vec<Multiplier>, Problem> {
    numbers.iter().enumerate().map(|(place, number)| factor(number).in_item(place)).collect()
}

impl PricesFile {
    /// The rules as the broker takes them; whether they make sense together, the broker says.
    pub fn rules(&self, source: &str) -> Result<PriceRules, ReadError> {
        self.convert().map_err(|problem| problem.into_error(source))
    }

    fn convert(&self) -> Result<PriceRules, Problem> {
        let blackouts = self.blackouts.iter().enumerate();
        let blackouts: Result<Vec<Blackout>, Problem> =
            blackouts.map(|(place, it)| it.convert().in_item(place)).collect();
        Ok(PriceRules {
            base: rate(&self.base).in_field("base")?,
            classes: rates(&self.classes).in_field("classes")?,
            nodes: rates(&self.nodes).in_field("nodes")?,
            users: rates(&self.users).in_field("users")?,
            hours: factors(&self.hours).in_field("hours")?,
            weekdays: factors(&self.weekdays).in_field("weekdays")?,
            demand: self.demand.as_ref().map(DemandFile::convert).transpose().in_field("demand")?,
            blackouts: blackouts.in_field("blackouts")?,
            crossing: match self.crossing {
                CrossingName::Cut => Crossing::Cut,
                CrossingName::Dearest => Crossing::Dearest,
            },
        })
    }

    /// Rules as the API shows them.
    pub fn of(rules: &PriceRules) -> PricesFile {
        let rates = |rates: &BTreeMap<String, Rate>| {
            rates.iter().map(|(name, rate)| (name.clone(), Num::of_rate(*rate))).collect()
        };
        let factors =
            |all: &[Multiplier]| all.iter().map(|it| Num::of_millionths(it.as_millionths())).collect();
        PricesFile {
            base: Num::of_rate(rules.base),
            classes: rates(&rules.classes),
            nodes: rates(&rules.nodes),
            users: rates(&rules.users),
            hours: factors(&rules.hours),
            weekdays: factors(&rules.weekdays),
            demand: rules.demand.map(|it| DemandFile {
                min: Num::of_millionths(it.min.as_millionths()),
                max: Num::of_millionths(it.max.as_millionths()),
                step: Num::of_millionths(it.step.as_millionths()),
                low: Num::of_millionths(it.low.as_millionths()),
                high: Num::of_millionths(it.high.as_millionths()),
            }),
            blackouts: rules.blackouts.iter().map(BlackoutFile::of).collect(),
            crossing: match rules.crossing {
                Crossing::Cut => CrossingName::Cut,
                Crossing::Dearest => CrossingName::Dearest,
            },
        }
    }
}

impl DemandFile {
    fn convert(&self) -> Result<Demand, Problem> {
        Ok(Demand {
            min: factor(&self.min).in_field("min")?,
            max: factor(&self.max).in_field("max")?,
            step: factor(&self.step).in_field("step")?,
            low: share(&self.low).in_field("low")?,
            high: share(&self.high).in_field("high")?,
        })
    }
}

impl BlackoutFile {
    fn convert(&self) -> Result<Blackout, Problem> {
        let wrong = || {
            let what = "is no time that can be kept free: expected `from` before `to`, or `days` (0 to 6) with `hours` such as [8, 18]";
            Problem::new("a blackout", what)
        };
        match self {
            BlackoutFile { from: Some(from), to: Some(to), days: None, hours: None } => {
                Interval::new(from.time(), to.time()).map(Blackout::Once).ok_or_else(wrong)
            }
            BlackoutFile { from: None, to: None, days, hours } if days.is_some() || hours.is_some() => {
                let mut open = [days.is_none(); 7];
                for day in days.iter().flatten() {
                    *open.get_mut(usize::from(*day)).ok_or_else(wrong)? = true;
                }
                let hour =
                    |number: &Num| number.units(3).and_then(|it| it.checked_mul(HOUR)).map(|it| it / 1_000);
                let (from, to) = match hours {
                    None => (0, 24 * HOUR),
                    Some((from, to)) => (hour(from).ok_or_else(wrong)?, hour(to).ok_or_else(wrong)?),
                };
                Hours::new(open, from, to).map(Blackout::Weekly).ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }

    fn of(blackout: &Blackout) -> BlackoutFile {
        match blackout {
            Blackout::Once(interval) => BlackoutFile {
                from: Some(interval.start().into()),
                to: Some(interval.end().into()),
                days: None,
                hours: None,
            },
            Blackout::Weekly(hours) => {
                let (days, from, to) = hours.parts();
                let days = (0_u8..).zip(days).filter(|(_, open)| *open).map(|(day, _)| day).collect();
                let hour = |millis: i64| Num::from_units((i128::from(millis) * 1_000) / i128::from(HOUR), 3);
                BlackoutFile { from: None, to: None, days: Some(days), hours: Some((hour(from), hour(to))) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_read_as_they_are_written() {
        let text = r#"{"base": 0.5, "classes": {"gpu": 2.25}, "weekdays": [1, 1, 1, 1, 1, 0.5, 0.5],
            "demand": {"min": 0.5, "max": 2, "step": 0.1, "low": 0.2, "high": 0.8},
            "blackouts": [{"days": [0, 4], "hours": [8, 18.5]},
                          {"from": "2026-12-24T00:00:00Z", "to": "2026-12-27T00:00:00Z"}], "crossing": "dearest"}"#;
        let file: PricesFile = serde_json::from_str(text).unwrap();
        let rules = file.rules("prices").unwrap();
        assert_eq!(rules.check(), Ok(()));
        let again: PricesFile =
            serde_json::from_str(&serde_json::to_string(&PricesFile::of(&rules)).unwrap()).unwrap();
        assert_eq!(again.rules("prices").unwrap(), rules);
        let error = serde_json::from_str::<PricesFile>(r#"{"base": -1}"#).unwrap().rules("body").unwrap_err();
        assert!(error.to_string().starts_with("body: base: -1 is not a price"), "{error}");
    }
}
