//! What came of improving a choice by search.

use crate::number::Num;
use serde::{Deserialize, Serialize};
use walras_core::plan::{Improvement, Standing};
use walras_model::quantity::rounding;

/// What came of improving a choice. Values are in the objective's own integer unit, less is better: micro-credits,
/// milliseconds, or a weighted sum of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedImprovement {
    /// Whether something better was found.
    pub better: bool,
    /// What the two phases chose.
    pub before: PlannedStanding,
    /// What is chosen now.
    pub after: PlannedStanding,
    /// How many searches for one job it took.
    pub searches: u64,
    /// Whether a bound on work ended it.
    pub limit_hit: bool,
    /// No plan that serves everybody who can be served has a lower value; `None` where that is not known.
    pub bound: Option<Num>,
}

/// How good a choice is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedStanding {
    /// How many jobs are served, in windows or queues.
    pub jobs: usize,
    /// The objective's value; where several totals decide in order, the first.
    pub value: Num,
}

impl PlannedImprovement {
    pub(super) fn new(improvement: Improvement) -> PlannedImprovement {
        let standing =
            |it: Standing| PlannedStanding { jobs: it.served, value: Num::from_units(it.value[0], 0) };
        PlannedImprovement {
            better: improvement.after != improvement.before,
            before: standing(improvement.before),
            after: standing(improvement.after),
            searches: improvement.searches,
            limit_hit: improvement.limit_hit,
            bound: improvement.bound.map(|bound| Num::from_units(bound, 0)),
        }
    }

    /// How far above any plan the value is at most, in thousandths of the bound and rounded up; `None` where that says nothing.
    pub fn above_any_plan(&self) -> Option<i64> {
        let (value, bound) = (self.after.value.units(0)?, self.bound.as_ref()?.units(0)?);
        let above = i128::from(value) - i128::from(bound);
        let thousandths = (bound > 0 && above >= 0).then(|| rounding::up(above * 1_000, bound.into()))?;
        i64::try_from(thousandths).ok()
    }
}
