//! What an owner or the administrator wants of plans, as the API carries it.

use crate::described::JsonSchema;
use crate::error::{Problem, ReadError, Within};
use crate::number::Num;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_broker::wish::Wish;
use walras_core::prefer::{Aggregation, Criterion, Preference, Weighted};

/// What an owner wants of what runs on a site, or the administrator of everything; weighed where plans are chosen by satisfaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Wish", rename = "Wish")]
pub struct WishFile {
    /// How much they count among the stakeholders, against users' shares.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub weight: u32,
    /// How much each total counts, by criterion: income, cost, load, start, finish, wait, guaranteed-start, speed. Only ratios count.
    #[schemars(length(min = 1))]
    pub prefers: BTreeMap<String, Num>,
    /// Between which values a total matters, instead of the available ones: times in seconds, money in credits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<String, [Num; 2]>,
    /// How much a total's loss grows in each of as many equal parts of its range, from best to worst: a learnt utility. Only ratios count.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub segments: BTreeMap<String, Vec<Num>>,
    /// How the totals' losses become one.
    #[serde(default)]
    pub aggregation: AggregationKind,
}

/// What an owner or the administrator wants of plans, if anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WishView {
    /// The wish; none where nobody has said so.
    pub wish: Option<WishFile>,
}

/// How several losses become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AggregationKind {
    /// The greatest weighted loss, and a hundredth of their sum.
    #[default]
    Chebyshev,
    /// The weighted mean.
    Mean,
    /// The greatest weight decides, the next only among equals.
    Lexicographic,
}

fn one() -> u32 {
    1
}

impl WishFile {
    /// The wish as the broker takes it.
    pub fn wish(&self, source: &str) -> Result<Wish, ReadError> {
        let preference = self.preference().map_err(|problem| problem.into_error(source))?;
        Ok(Wish { weight: self.weight, preference })
    }

    fn preference(&self) -> Result<Preference, Problem> {
        let mut weighted = Vec::with_capacity(self.prefers.len());
        for (name, weight) in &self.prefers {
            let read = criterion(name).and_then(|it| Ok(Weighted::new(it, weight_of(weight)?)));
            weighted.push(read.in_field(name).in_field("prefers")?);
        }
        for (name, range) in &self.ranges {
            ranged(&mut weighted, name, range).in_field(name).in_field("ranges")?;
        }
        for (name, steps) in &self.segments {
            segmented(&mut weighted, name, steps).in_field(name).in_field("segments")?;
        }
        let aggregation = match self.aggregation {
            AggregationKind::Chebyshev => Aggregation::CRITERIA,
            AggregationKind::Mean => Aggregation::Mean,
            AggregationKind::Lexicographic => Aggregation::Lexicographic,
        };
        let refused = |error| Problem::new("weights", format!("make no preference: {error}"));
        Preference::new(weighted, aggregation).map_err(refused).in_field("prefers")
    }

    /// A wish as it was set; weights are shares of their sum.
    pub fn of(wish: &Wish) -> WishFile {
        let weighted = || wish.preference.weighted().iter();
        let range = |it: &Weighted| {
            let (low, high) = it.range?;
            let ends = [low, high].map(|end| Num::from_units(i128::from(end), decimals(&it.criterion)));
            Some((it.criterion.to_string(), ends))
        };
        let segments = |it: &Weighted| {
            let steps = it.segments.iter().map(|step| Num::of_millionths(*step));
            (it.criterion.to_string(), steps.collect())
        };
        WishFile {
            weight: wish.weight,
            prefers: weighted().map(|it| (it.criterion.to_string(), Num::of_millionths(it.weight))).collect(),
            ranges: weighted().filter_map(range).collect(),
            segments: weighted().filter(|it| !it.segments.is_empty()).map(segments).collect(),
            aggregation: match wish.preference.aggregation() {
                Aggregation::Chebyshev { .. } => AggregationKind::Chebyshev,
                Aggregation::Mean => AggregationKind::Mean,
                Aggregation::Lexicographic => AggregationKind::Lexicographic,
            },
        }
    }
}

fn criterion(name: &str) -> Result<Criterion, Problem> {
    name.parse()
        .map_err(|_| Problem::new(name, format!("is not a criterion: expected {}", Criterion::names())))
}

fn weight_of(weight: &Num) -> Result<i64, Problem> {
    let wrong = || Problem::new(weight.as_str(), "is not a weight: expected 0 to 1000000");
    weight.units(6).filter(|it| (0..=1_000_000_000_000).contains(it)).ok_or_else(wrong)
}

/// In how many decimals the core counts a criterion.
fn decimals(criterion: &Criterion) -> u32 {
    if criterion.is_time() { 3 } else { 6 }
}

fn ranged(weighted: &mut [Weighted], name: &str, [low, high]: &[Num; 2]) -> Result<(), Problem> {
    let it = criterion(name)?;
    let end = |number: &Num| {
        let wrong = || Problem::new(number.as_str(), "is not a number that can be counted");
        number.units(decimals(&it)).ok_or_else(wrong)
    };
    let (from, to) = (end(low)?, end(high)?);
    if from >= to {
        return Err(Problem::new(low.as_str(), "is not below the second number of the range"));
    }
    let entry = weighted.iter_mut().find(|entry| entry.criterion == it);
    entry.ok_or_else(|| Problem::new(name, "has a range but no weight"))?.range = Some((from, to));
    Ok(())
}

fn segmented(weighted: &mut [Weighted], name: &str, steps: &[Num]) -> Result<(), Problem> {
    let it = criterion(name)?;
    let entry = weighted.iter_mut().find(|entry| entry.criterion == it);
    let entry = entry.ok_or_else(|| Problem::new(name, "has segments but no weight"))?;
    let read = steps.iter().enumerate().map(|(item, step)| weight_of(step).in_item(item));
    entry.segments = read.collect::<Result<Vec<i64>, Problem>>()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Wish, String> {
        let file: WishFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        file.wish("wish").map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_shown_can_be_set() {
        let text = r#"{"weight": 7, "prefers": {"income": 3, "wait": 1}, "ranges": {"income": [0, 12.5], "wait": [0, 90]}, "segments": {"wait": [0.25, 3]}, "aggregation": "mean"}"#;
        let wish = read(text).unwrap();
        let shown = serde_json::to_string(&WishFile::of(&wish)).unwrap();
        assert_eq!(read(&shown), Ok(wish), "{shown}");
        assert!(shown.contains(r#""income":0.75"#), "{shown}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let said = |text: &str| read(text).unwrap_err();
        assert!(
            said(r#"{"prefers": {"luck": 1}}"#).starts_with("wish: prefers.luck: luck is not a criterion")
        );
        assert_eq!(
            said(r#"{"prefers": {"cost": -1}}"#),
            "wish: prefers.cost: -1 is not a weight: expected 0 to 1000000"
        );
        let empty = said(r#"{"prefers": {"cost": 1}, "ranges": {"cost": [2, 2]}}"#);
        assert_eq!(empty, "wish: ranges.cost: 2 is not below the second number of the range");
        assert!(said(r#"{"prefers": {"cost": 0}}"#).contains("all weights are zero"));
        let falling = said(r#"{"prefers": {"cost": 1}, "segments": {"cost": [1, -1]}}"#);
        assert_eq!(falling, "wish: segments.cost[1]: -1 is not a weight: expected 0 to 1000000");
        assert!(said(r#"{"prefers": {"cost": 1}, "segments": {"cost": [0, 0]}}"#).contains("no utility"));
    }
}
