//! Strategies: what a schedule is good for.

use std::fmt;
use walras_model::UnknownName;

/// The rule by which tasks are placed. Deadline and budget hold under every strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Strategy {
    /// All tasks done as early as possible; among equals, cheaply.
    Asap,
    /// The first task starts as late as possible, and all are done by the deadline.
    Alap,
    /// As little money as possible, and all tasks done by the deadline.
    Cheapest,
    /// All tasks done as early as the budget allows.
    Fastest,
    /// The nodes' busy times as equal as possible, and all tasks done by the deadline.
    Balanced,
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Finish,
    Cost,
    Balance,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Strategy; 5] =
        [Strategy::Asap, Strategy::Alap, Strategy::Cheapest, Strategy::Fastest, Strategy::Balanced];

    /// The name by which it is called.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Asap => "asap",
            Strategy::Alap => "alap",
            Strategy::Cheapest => "cheapest",
            Strategy::Fastest => "fastest",
            Strategy::Balanced => "balanced",
        }
    }

    /// Whether it cannot work without a deadline.
    pub fn needs_deadline(self) -> bool {
        matches!(self, Strategy::Alap | Strategy::Cheapest | Strategy::Balanced)
    }

    /// Whether it cannot work without a budget.
    pub fn needs_budget(self) -> bool {
        matches!(self, Strategy::Fastest)
    }

    pub(super) fn goal(self) -> Goal {
        match self {
            Strategy::Asap | Strategy::Alap | Strategy::Fastest => Goal::Finish,
            Strategy::Cheapest => Goal::Cost,
            Strategy::Balanced => Goal::Balance,
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Strategy {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == text).ok_or_else(|| {
            let names = Strategy::ALL.map(Strategy::name);
            UnknownName::new("a strategy", text, format!("one of {}", names.join(", ")))
        })
    }
}
