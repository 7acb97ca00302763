//! What an alternative can be judged by.

use std::fmt;
use std::str::FromStr;
use walras_model::UnknownName;

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Direction {
    /// Less is better.
    Less,
    /// More is better.
    More,
}

/// What an alternative can be judged by. Values are integers: times and spans in milliseconds, money in
/// micro-credits, energy in microjoules, everything else in millionths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Criterion {
    /// The start that the site guarantees; queues guarantee none.
    GuaranteedStart,
    /// When the job is expected to start.
    Start,
    /// When it is expected to end.
    Finish,
    /// When it is likely to end, by what history says of its run time.
    LikelyFinish,
    /// The standard deviation of that expectation.
    FinishDeviation,
    /// When it ends if it takes as long as the longest job like it.
    FinishMax,
    /// The mean error of such expectations in the past.
    FinishError,
    /// What it costs.
    Cost,
    /// From now to the start.
    Wait,
    /// The slowest node's performance.
    Speed,
    /// The least memory of a node: its attribute `memory`.
    Memory,
    /// Energy drawn while it runs.
    Energy,
    /// Time left between the expected end and the deadline.
    SpareTime,
    /// What the owner, or all owners together, earn.
    Income,
    /// The share of the site's time that is already taken.
    Load,
    /// A numeric attribute of the nodes; where they differ, the worst one counts.
    Attribute(String, Direction),
}

/// The criteria that have a name of their own.
const NAMED: [(&str, Criterion); 15] = [
    ("guaranteed-start", Criterion::GuaranteedStart),
    ("start", Criterion::Start),
    ("finish", Criterion::Finish),
    ("likely-finish", Criterion::LikelyFinish),
    ("finish-deviation", Criterion::FinishDeviation),
    ("finish-max", Criterion::FinishMax),
    ("finish-error", Criterion::FinishError),
    ("cost", Criterion::Cost),
    ("wait", Criterion::Wait),
    ("speed", Criterion::Speed),
    ("memory", Criterion::Memory),
    ("energy", Criterion::Energy),
    ("spare-time", Criterion::SpareTime),
    ("income", Criterion::Income),
    ("load", Criterion::Load),
];

impl Criterion {
    /// Which way is better.
    pub fn direction(&self) -> Direction {
        match self {
            Criterion::Speed | Criterion::Memory | Criterion::SpareTime | Criterion::Income => {
                Direction::More
            }
            Criterion::Attribute(_, direction) => *direction,
            _ => Direction::Less,
        }
    }

    /// Whether its values are times, in milliseconds.
    pub fn is_time(&self) -> bool {
        matches!(
            self,
            Criterion::GuaranteedStart
                | Criterion::Start
                | Criterion::Finish
                | Criterion::LikelyFinish
                | Criterion::FinishDeviation
                | Criterion::FinishMax
                | Criterion::FinishError
                | Criterion::Wait
                | Criterion::SpareTime
        )
    }

    /// Whether its values are points in time.
    pub fn is_point(&self) -> bool {
        matches!(
            self,
            Criterion::GuaranteedStart
                | Criterion::Start
                | Criterion::Finish
                | Criterion::LikelyFinish
                | Criterion::FinishMax
        )
    }

    /// A value turned so that less is better.
    pub fn turned(&self, value: i64) -> i64 {
        match self.direction() {
            Direction::Less => value,
            Direction::More => value.saturating_neg(),
        }
    }

    /// The names of all criteria, for errors.
    pub fn names() -> String {
        let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        format!("{}, less:ATTRIBUTE or more:ATTRIBUTE", names.join(", "))
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Criterion::Attribute(name, Direction::Less) => write!(f, "less:{name}"),
            Criterion::Attribute(name, Direction::More) => write!(f, "more:{name}"),
            named => f.write_str(NAMED.iter().find(|(_, it)| it == named).map_or("", |(name, _)| *name)),
        }
    }
}

impl FromStr for Criterion {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Criterion, UnknownName> {
        for (prefix, direction) in [("less:", Direction::Less), ("more:", Direction::More)] {
            if let Some(name) = text.strip_prefix(prefix).filter(|name| !name.is_empty()) {
                return Ok(Criterion::Attribute(name.to_owned(), direction));
            }
        }
        let found = NAMED.iter().find(|(name, _)| *name == text).map(|(_, criterion)| criterion.clone());
        found.ok_or_else(|| UnknownName::new("a criterion", text, Criterion::names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (name, criterion) in NAMED {
            assert_eq!(name.parse(), Ok(criterion.clone()));
            assert_eq!(criterion.to_string(), name);
        }
        assert_eq!("more:disk".parse(), Ok(Criterion::Attribute("disk".into(), Direction::More)));
        for wrong in ["", "Cost", "more:", "sum:disk"] {
            assert!(wrong.parse::<Criterion>().is_err(), "{wrong}");
        }
    }
}
