//! The words of a policy, and what they stand for in the core.

use crate::described::JsonSchema;
use serde::{Deserialize, Serialize};
use walras_core::choose::LeaveOut;
use walras_core::prefer::Aggregation;

/// How several losses become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(crate) enum AggregationName {
    #[default]
    Chebyshev,
    Mean,
    Lexicographic,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(crate) enum DayName {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl AggregationName {
    /// With ξ as it is for criteria or for stakeholders.
    pub(crate) fn of(self, chebyshev: Aggregation) -> Aggregation {
        match self {
            AggregationName::Chebyshev => chebyshev,
            AggregationName::Mean => Aggregation::Mean,
            AggregationName::Lexicographic => Aggregation::Lexicographic,
        }
    }
}

impl DayName {
    /// All of them, Monday first.
    pub(crate) const ALL: [DayName; 7] =
        [DayName::Mon, DayName::Tue, DayName::Wed, DayName::Thu, DayName::Fri, DayName::Sat, DayName::Sun];

    /// Its number in the week; Monday is 0.
    pub(crate) fn place(self) -> usize {
        self as usize
    }
}

/// Whether a job's tasks must be together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(crate) enum KindName {
    SingleSite,
    Split,
}

/// Whether jobs may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(crate) enum LeaveOutName {
    Never,
    #[default]
    WhenNeeded,
}

impl From<LeaveOutName> for LeaveOut {
    fn from(name: LeaveOutName) -> LeaveOut {
        match name {
            LeaveOutName::Never => LeaveOut::Never,
            LeaveOutName::WhenNeeded => LeaveOut::WhenNeeded,
        }
    }
}

impl LeaveOutName {
    /// As it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            LeaveOutName::Never => "never",
            LeaveOutName::WhenNeeded => "when-needed",
        }
    }
}

impl From<LeaveOut> for LeaveOutName {
    fn from(leave_out: LeaveOut) -> LeaveOutName {
        match leave_out {
            LeaveOut::Never => LeaveOutName::Never,
            LeaveOut::WhenNeeded => LeaveOutName::WhenNeeded,
        }
    }
}
