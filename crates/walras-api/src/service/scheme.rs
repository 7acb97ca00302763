//! How plans are made, as the API carries it: whether they are improved, what strategies decide, and when tasks start.

use crate::described::JsonSchema;
use serde::{Deserialize, Serialize};
use walras_broker::policy::{StrategyUse, TaskStart};
use walras_core::plan::PlanScheme;

/// Which plan is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Plan", rename = "PlanScheme")]
pub enum PlanFile {
    /// The best combination of the windows that were listed.
    Papers,
    /// The same, improved by search.
    Improved,
}

impl PlanFile {
    pub(super) fn scheme(self) -> PlanScheme {
        match self {
            PlanFile::Papers => PlanScheme::Papers,
            PlanFile::Improved => PlanScheme::Improved,
        }
    }

    pub(super) fn of(scheme: PlanScheme) -> PlanFile {
        match scheme {
            PlanScheme::Papers => PlanFile::Papers,
            PlanScheme::Improved => PlanFile::Improved,
        }
    }
}

/// What the strategies of workflows decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Strategies", rename = "Strategies")]
pub enum StrategiesFile {
    /// Where tasks go inside a window.
    Inside,
    /// Also which window it is: the one that ends first for asap and fastest, the one that costs least for cheapest, one that starts late for
    /// alap.
    Windows,
}

impl StrategiesFile {
    pub(super) fn rule(self) -> StrategyUse {
        match self {
            StrategiesFile::Inside => StrategyUse::Inside,
            StrategiesFile::Windows => StrategyUse::Windows,
        }
    }

    pub(super) fn of(rule: StrategyUse) -> StrategiesFile {
        match rule {
            StrategyUse::Inside => StrategiesFile::Inside,
            StrategyUse::Windows => StrategiesFile::Windows,
        }
    }
}

/// When tasks of workflows start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "TaskStart", rename = "TaskStart")]
pub enum TaskStartFile {
    /// When that was planned.
    Planned,
    /// As soon as all that they wait for is there and their node is held and free, but for alap.
    Ready,
}

impl TaskStartFile {
    pub(super) fn rule(self) -> TaskStart {
        match self {
            TaskStartFile::Planned => TaskStart::Planned,
            TaskStartFile::Ready => TaskStart::Ready,
        }
    }

    pub(super) fn of(rule: TaskStart) -> TaskStartFile {
        match rule {
            TaskStart::Planned => TaskStartFile::Planned,
            TaskStart::Ready => TaskStartFile::Ready,
        }
    }
}
