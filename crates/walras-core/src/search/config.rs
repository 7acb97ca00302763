//! What to search for, and how hard.

use std::fmt;
use walras_model::UnknownName;
use walras_model::quantity::Factor;

/// How windows are searched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SearchConfig {
    /// Which windows count.
    pub algorithm: Algorithm,
    /// How a batch is served.
    pub mode: Mode,
    /// k of the budget S = k · price_max · t · tasks; ALP does not use it.
    pub budget_factor: Factor,
    /// When to stop.
    pub limits: SearchLimits,
}

/// Which windows count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Algorithm {
    /// Earliest window of slots that each cost at most the job's `price_max`.
    Alp,
    /// Earliest window whose total cost is within the job's budget.
    Amp,
    /// The best window by a criterion within the job's budget.
    Criterion(Criterion),
}

/// What a window is judged by; less is better. Ties go to the earlier start, then to the lower cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Criterion {
    /// Total cost.
    Cost,
    /// The longest task's run time.
    Runtime,
    /// When the last task ends.
    Finish,
    /// When all tasks start.
    Start,
    /// The dearest slot's price per time.
    Price,
    /// The sum of all run times.
    NodeTime,
    /// The sum of run time × watts; nodes that do not state their watts do not fit.
    Energy,
    /// The sum of a numeric attribute over the nodes; nodes without it, or where it is negative, do not fit.
    Attribute(String),
}

/// How a batch is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Mode {
    /// Round by round in priority order, one more window per job and round.
    AllAlternatives,
    /// One window per job, in one sweep over time: whoever can start first does (ties by priority), as
    /// backfilling does.
    FirstOnTheFly,
}

/// Bounds of the search. Hitting one shows in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SearchLimits {
    /// At most this many alternatives for one job.
    pub alternatives_per_job_max: u32,
    /// At most this many alternatives in all.
    pub alternatives_max: u32,
    /// At most this much work to prove one criterion window best: branches, and candidates priced.
    pub branches_max: u64,
    /// After this many slots have been read to explain jobs without a window, no more are explained.
    pub explanation_slots_max: u64,
}

impl Default for SearchLimits {
    fn default() -> Self {
        SearchLimits {
            alternatives_per_job_max: 10_000,
            alternatives_max: 1_000_000,
            branches_max: 20_000_000,
            explanation_slots_max: 1_000_000_000,
        }
    }
}

impl Default for SearchConfig {
    fn default() -> Self {
        SearchConfig {
            algorithm: Algorithm::Amp,
            mode: Mode::AllAlternatives,
            budget_factor: Factor::ONE,
            limits: SearchLimits::default(),
        }
    }
}

impl fmt::Display for Algorithm {
    /// The name that the command line and the plan format use.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Alp => f.write_str("alp"),
            Algorithm::Amp => f.write_str("amp"),
            Algorithm::Criterion(criterion) => write!(f, "criterion={criterion}"),
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Criterion::Cost => f.write_str("cost"),
            Criterion::Runtime => f.write_str("runtime"),
            Criterion::Finish => f.write_str("finish"),
            Criterion::Start => f.write_str("start"),
            Criterion::Price => f.write_str("price"),
            Criterion::NodeTime => f.write_str("node-time"),
            Criterion::Energy => f.write_str("energy"),
            Criterion::Attribute(name) => write!(f, "sum:{name}"),
        }
    }
}

impl std::str::FromStr for Algorithm {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "alp" => return Ok(Algorithm::Alp),
            "amp" => return Ok(Algorithm::Amp),
            _ => {}
        }
        let name = text.strip_prefix("criterion=").ok_or_else(|| {
            UnknownName::new("a search", text, "alp, amp or criterion=NAME, such as criterion=cost")
        })?;
        name.parse().map(Algorithm::Criterion)
    }
}

impl std::str::FromStr for Criterion {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Ok(match text {
            "cost" => Criterion::Cost,
            "runtime" => Criterion::Runtime,
            "finish" => Criterion::Finish,
            "start" => Criterion::Start,
            "price" => Criterion::Price,
            "node-time" => Criterion::NodeTime,
            "energy" => Criterion::Energy,
            _ => match text.strip_prefix("sum:").filter(|name| !name.is_empty()) {
                Some(name) => Criterion::Attribute(name.to_owned()),
                None => {
                    let expected = "cost, runtime, finish, start, price, node-time, energy or sum:ATTRIBUTE";
                    return Err(UnknownName::new("a criterion", text, expected));
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for name in ["alp", "amp", "criterion=cost", "criterion=node-time", "criterion=sum:noise"] {
            assert_eq!(name.parse::<Algorithm>().unwrap().to_string(), name);
        }
        assert!("criterion=".parse::<Algorithm>().unwrap_err().to_string().contains("'' is not a criterion"));
        assert!("best".parse::<Algorithm>().unwrap_err().to_string().contains("'best' is not a search"));
    }
}
