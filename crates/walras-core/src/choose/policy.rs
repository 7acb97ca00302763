//! What the VO wants of a combination, and what came out.

use walras_model::quantity::{Money, Span, Time};

/// What the VO wants.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VoPolicy {
    /// What is best.
    pub objective: Objective,
    /// T*: what all run times together may come to.
    pub time_limit: Limit<Span>,
    /// B*: what all costs together may come to.
    pub budget_limit: Limit<Money>,
    /// Whether jobs may be left out to keep the limits.
    pub leave_out: LeaveOut,
}

impl Default for VoPolicy {
    /// The least cost within T*, and as few jobs left out as that allows.
    fn default() -> Self {
        VoPolicy {
            objective: Objective::MinCost,
            time_limit: Limit::Derived,
            budget_limit: Limit::Derived,
            leave_out: LeaveOut::WhenNeeded,
        }
    }
}

/// What makes one combination better than another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Objective {
    /// Least total time, under B*.
    MinTime,
    /// Least total cost, under T*.
    MinCost,
    /// Greatest income of the owners (total cost), under T*.
    MaxIncome,
    /// Greatest use of slots (total time), under B*.
    MaxUse,
    /// The last job ends first; then least total cost.
    MinMakespan,
    /// Least weighted sum; a weight is in millionths, and per millisecond or micro-credit.
    Weighted(Vec<(Total, i64)>),
    /// The first total decides; the next only among equals; and so on.
    Lexicographic(Vec<Total>),
    /// Users, owners and the administrator are most content together (see [`crate::prefer`]). It is no sum over a menu:
    /// [`crate::plan::plan_batch`] asks the stakeholders.
    Satisfaction,
}

/// A sum over the chosen alternatives, each with the direction that is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Total {
    /// Total cost C, less is better.
    Cost,
    /// Total time T, less is better.
    Time,
    /// The sum of all ends, less is better.
    Finish,
    /// The owners' income C, more is better.
    Income,
    /// Spare budget D = B* - C, more is better.
    SpareBudget,
    /// Spare time I = T* - T, more is better.
    SpareTime,
}

/// Where a limit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Limit<Q> {
    /// From the alternatives, where the objective needs it; otherwise there is none.
    Derived,
    /// There is none.
    Unlimited,
    /// From the administrator.
    Given(Q),
}

impl<Q> Limit<Q> {
    /// Whether there is none; `needed` says whether the objective needs one.
    fn is_none(&self, needed: bool) -> bool {
        match self {
            Limit::Derived => !needed,
            Limit::Unlimited => true,
            Limit::Given(_) => false,
        }
    }
}

/// Whether jobs that have alternatives may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum LeaveOut {
    /// Every one of them must be served, or there is no combination.
    Never,
    /// Serve the greatest total weight within the limits first; the objective decides among equals.
    WhenNeeded,
}

/// Bounds of the choice. Hitting one shows in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceLimits {
    /// At most this many partial combinations are looked at; with several limits, candidates priced count as well.
    pub labels_max: u64,
}

impl Default for ChoiceLimits {
    fn default() -> Self {
        ChoiceLimits { labels_max: 20_000_000 }
    }
}

/// One alternative for each job that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// For each job of the menu, which of its items was chosen; `None` when the job is left out.
    pub items: Vec<Option<usize>>,
    /// What the chosen ones come to.
    pub totals: Totals,
    /// The limits that were kept.
    pub limits: AppliedLimits,
    /// The objective's value in its own integer unit, less is better; jobs left out weigh in first.
    pub value: i128,
}

/// What a combination comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many jobs are served.
    pub served: u32,
    /// Total cost C, in micro-credits.
    pub cost: i128,
    /// Total time T, in milliseconds.
    pub time: i128,
    /// When the last job ends.
    pub makespan: Option<Time>,
}

/// The limits in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppliedLimits {
    /// T* in milliseconds.
    pub time: Option<i128>,
    /// B* in micro-credits.
    pub budget: Option<i128>,
}

/// Why there is no combination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCombination {
    /// No job has an alternative.
    #[error("no job has an alternative")]
    NothingToChoose,
    /// Even the shortest alternatives take longer than T* (milliseconds).
    #[error("the shortest alternatives take {least} ms, and the limit is {limit}")]
    TimeLimit {
        /// T*.
        limit: i128,
        /// The least total time there is.
        least: i128,
    },
    /// Even the cheapest alternatives cost more than B* (micro-credits).
    #[error("the cheapest alternatives cost {least} micro-credits, and the limit is {limit}")]
    BudgetLimit {
        /// B*.
        limit: i128,
        /// The least total cost there is.
        least: i128,
    },
    /// Each limit alone could be kept, but not both.
    #[error("the limits on time and cost can be kept one by one, but not together")]
    BothLimits {
        /// The limits.
        limits: AppliedLimits,
        /// The least total cost within T*, in micro-credits.
        least_cost: i128,
    },
    /// The numbers are too large to be summed.
    #[error("the numbers are too large to be summed")]
    Overflow,
    /// Nothing was found within the limit on work, and nothing was proven.
    #[error("nothing was found within the limit on work, and nothing was proven")]
    Unknown,
    /// Satisfaction is judged by stakeholders, of whom a menu knows nothing.
    #[error("satisfaction is judged by stakeholders, and none are known")]
    NoStakeholders,
}

impl Objective {
    /// The limits that the objective needs: time, budget.
    pub(crate) fn needs(&self) -> (bool, bool) {
        match self {
            Objective::MinTime | Objective::MaxUse => (false, true),
            Objective::MinCost | Objective::MaxIncome => (true, false),
            Objective::MinMakespan | Objective::Satisfaction => (false, false),
            Objective::Weighted(terms) => {
                let has = |total| terms.iter().any(|(term, _)| *term == total);
                (has(Total::SpareTime) || has(Total::Income), has(Total::SpareBudget))
            }
            Objective::Lexicographic(terms) => {
                let has = |total| terms.contains(&total);
                (has(Total::SpareTime) || has(Total::Income), has(Total::SpareBudget))
            }
        }
    }
}

impl VoPolicy {
    /// Whether nothing bounds what all of it may come to.
    pub(crate) fn is_unlimited(&self) -> bool {
        let (needs_time, needs_budget) = self.objective.needs();
        self.time_limit.is_none(needs_time) && self.budget_limit.is_none(needs_budget)
    }

    /// What the administrator says that all of it may come to; what would be derived is left open.
    pub fn given_limits(&self) -> AppliedLimits {
        AppliedLimits {
            time: match self.time_limit {
                Limit::Given(span) => Some(i128::from(span.as_millis())),
                Limit::Derived | Limit::Unlimited => None,
            },
            budget: match self.budget_limit {
                Limit::Given(money) => Some(i128::from(money.as_micros())),
                Limit::Derived | Limit::Unlimited => None,
            },
        }
    }
}

impl Totals {
    /// Takes in one more chosen alternative.
    pub(crate) fn add(&mut self, item: &super::MenuItem) {
        self.served += 1;
        self.cost += i128::from(item.cost.as_micros());
        self.time += i128::from(item.time.as_millis());
        self.makespan = self.makespan.max(Some(item.finish));
    }
}
