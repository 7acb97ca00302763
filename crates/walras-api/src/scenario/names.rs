//! The words of a policy, and what they stand for in the core.

use crate::described::JsonSchema;
use serde::Deserialize;
use walras_core::choose::{LeaveOut, Total};
use walras_core::prefer::Aggregation;

/// An enum of words that are read, described in the schema and written in errors.
macro_rules! words {
    ($(#[$outer:meta])* $name:ident {$($(#[$inner:meta])* $word:literal => $variant:ident),* $(,)?}) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub(crate) enum $name {$(
            $(#[$inner])*
            #[serde(rename = $word)]
            $variant,
        )*}

        impl $name {
            /// As it is written.
            pub(crate) fn text(self) -> &'static str {
                match self {$($name::$variant => $word,)*}
            }
        }
    };
}

words!(
    /// What makes one combination better than another.
    ObjectiveName {
        "min-time" => MinTime,
        #[default]
        "min-cost" => MinCost,
        "max-income" => MaxIncome,
        "max-use" => MaxUse,
        "min-makespan" => MinMakespan,
        "weighted" => Weighted,
        "lexicographic" => Lexicographic,
        "satisfaction" => Satisfaction,
    }
);

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
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
    /// Its number in the week; Monday is 0.
    pub(crate) fn place(self) -> usize {
        self as usize
    }
}

words!(
    /// A sum over what is chosen.
    TotalName {
        #[default]
        "cost" => Cost,
        "time" => Time,
        "finish" => Finish,
        "income" => Income,
        "spare_budget" => SpareBudget,
        "spare_time" => SpareTime,
    }
);

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

impl From<TotalName> for Total {
    fn from(name: TotalName) -> Total {
        match name {
            TotalName::Cost => Total::Cost,
            TotalName::Time => Total::Time,
            TotalName::Finish => Total::Finish,
            TotalName::Income => Total::Income,
            TotalName::SpareBudget => Total::SpareBudget,
            TotalName::SpareTime => Total::SpareTime,
        }
    }
}

impl From<LeaveOutName> for LeaveOut {
    fn from(name: LeaveOutName) -> LeaveOut {
        match name {
            LeaveOutName::Never => LeaveOut::Never,
            LeaveOutName::WhenNeeded => LeaveOut::WhenNeeded,
        }
    }
}
