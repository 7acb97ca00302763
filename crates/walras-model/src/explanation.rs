//! Why a job has no window, and what would help, as data: whoever shows it finds the words.

use crate::attribute::Requirement;
use crate::quantity::{Fixed, Money, Performance, Rate, Span, Time};
use std::collections::BTreeMap;

/// Why a job has no window, and what would help.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Explanation {
    /// All that stands in the way; never empty.
    pub reasons: Vec<Reason>,
    /// Each of these alone would give the job a window.
    pub smallest_change: SmallestChange,
}

/// One thing that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Reason {
    /// Too few nodes pass this requirement, whatever else they are.
    RequirementUnmet {
        /// The requirement.
        requirement: Requirement,
        /// How many nodes pass it.
        nodes: u32,
        /// How many are needed at once.
        needed: u32,
    },
    /// Too few nodes take tasks that ask for so little: their owners keep others for those that ask for more.
    KeptForOthers {
        /// The least that tasks must ask for on any of these others; one of them is enough.
        asked: Vec<Requirement>,
        /// How many nodes take them.
        nodes: u32,
        /// How many are needed at once.
        needed: u32,
    },
    /// Too few nodes are as fast as the job asks.
    TooSlow {
        /// What the job asks.
        performance_min: Performance,
        /// How many nodes are that fast.
        nodes: u32,
        /// How many are needed at once.
        needed: u32,
    },
    /// Too few nodes state what the search's criterion sums (watts, or the attribute).
    CriterionUnstated {
        /// The criterion's name.
        criterion: String,
        /// How many nodes state it.
        nodes: u32,
        /// How many are needed at once.
        needed: u32,
    },
    /// Too few nodes fit everything that is asked of a node: performance, attributes, sites, criterion.
    TooFewNodes {
        /// How many fit; on the best site, where the job must stay on one.
        nodes: u32,
        /// How many are needed at once.
        needed: u32,
    },
    /// No free slot on a fitting node, after the job's earliest start, is long enough for a task.
    SlotsTooShort {
        /// The shortest run time of a task on a fitting node.
        runtime_min: Span,
    },
    /// Enough nodes fit, but never so many are free at once for long enough, at any price and by any time.
    TooFewAtOnce {
        /// The most that are.
        most: u32,
        /// How many are needed.
        needed: u32,
    },
    /// There is a window, but it costs more than the budget.
    BudgetTooSmall {
        /// What the job may spend.
        budget: Money,
        /// What the cheapest window costs.
        needed: Money,
    },
    /// There is a window, but some slot costs more per time than `price_max`.
    PriceCapTooLow {
        /// What a slot may cost.
        price_max: Rate,
        /// The least cap that gives a window.
        needed: Rate,
    },
    /// There is a window, but it ends after the deadline.
    DeadlineTooEarly {
        /// When the job must have ended.
        deadline: Time,
        /// When the earliest end is.
        needed: Time,
    },
    /// No single limit is to blame: only relaxing several together would give a window.
    SeveralLimits,
    /// There was a window before jobs of higher rank took their first ones.
    TakenByOthers,
    /// There is a window, but a better plan gives its time to others. Which change would turn that round is not known.
    LeftForOthers,
    /// There are windows, but none of them holds the job's workflow.
    TasksDoNotFit,
    /// So many jobs have no window that this one was not looked into.
    NotExamined,
}

/// The least change of each kind that alone gives the job a window; `None` where no such change does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SmallestChange {
    /// The least budget.
    pub budget: Option<Money>,
    /// The least price cap; in AMP and criterion searches, the least that yields that budget.
    pub price_max: Option<Rate>,
    /// The earliest deadline that can be met.
    pub deadline: Option<Time>,
    /// The largest number of tasks that fits.
    pub tasks: Option<u32>,
    /// The highest minimum performance, below the job's own, that fits.
    pub performance_min: Option<Performance>,
    /// Of what it asks of every node, such as memory or GPUs: by name the most, below the job's own, that fits.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "BTreeMap::is_empty"))]
    pub resources: BTreeMap<String, Fixed>,
}
