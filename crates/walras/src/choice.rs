//! Choosing for `walras plan`: the policy of the scenario, with what the command line says instead.

use crate::failure::Failure;
use clap::ValueEnum;
use walras_api::{PlannedChoice, Scenario, Unit};
use walras_core::Alternatives;
use walras_core::choose::{ChoiceLimits, LeaveOut, Limit, Menu, Objective, VoPolicy, choose_combination};
use walras_model::{Money, Span};

#[derive(clap::Args)]
pub(crate) struct ChoiceArgs {
    /// What makes a combination best; weights and orders come from the scenario's policy [default: the
    /// policy's, else min-cost]
    #[arg(long, value_name = "NAME")]
    objective: Option<ObjectiveName>,

    /// The most that all run times may come to: a number in the scenario's unit, derived or none
    #[arg(long, value_name = "X")]
    time_limit: Option<String>,

    /// The most that all costs may come to: a number of credits, derived or none
    #[arg(long, value_name = "X")]
    budget_limit: Option<String>,

    /// Whether jobs may be left out to keep the limits [default: the policy's, else when-needed]
    #[arg(long, value_name = "WHEN")]
    leave_out: Option<LeaveOutName>,

    /// Show the alternatives only
    #[arg(long, conflicts_with_all = ["objective", "time_limit", "budget_limit", "leave_out"])]
    no_choice: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ObjectiveName {
    /// Least total time, under the budget limit
    MinTime,
    /// Least total cost, under the time limit
    MinCost,
    /// Greatest income of the owners, under the time limit
    MaxIncome,
    /// Greatest use of slots, under the budget limit
    MaxUse,
    /// The last job ends first, then least total cost
    MinMakespan,
    /// Users, owners and the administrator are most content, by the scenario's preferences
    Satisfaction,
}

#[derive(Clone, Copy, ValueEnum)]
enum LeaveOutName {
    /// Every job that has a window must be served
    Never,
    /// As few as the limits allow are left out, those of high priority last
    WhenNeeded,
}

impl ChoiceArgs {
    /// Whether anything is to be chosen.
    pub(crate) fn wanted(&self) -> bool {
        !self.no_choice
    }

    /// Whether the stakeholders' satisfaction decides.
    pub(crate) fn by_satisfaction(&self, scenario: &Scenario) -> bool {
        let of_policy = || scenario.policy.as_ref().is_some_and(|policy| policy.by_satisfaction);
        self.objective.map_or_else(of_policy, |name| name == ObjectiveName::Satisfaction)
    }
}

/// The best combination by an objective that sums.
pub(crate) fn choose(
    policy: &VoPolicy,
    scenario: &Scenario,
    found: &Alternatives,
    menu: &Menu,
) -> Result<PlannedChoice, Failure> {
    let outcome = choose_combination(menu, policy, &ChoiceLimits::default());
    match PlannedChoice::new(scenario, found, menu, policy, &outcome) {
        Some(choice) => Ok(choice),
        None => {
            let problem = "the policy's weights, the costs and the times are too large to be summed exactly: \
                           scale the weights down, or use --no-choice";
            Err(Failure::input(problem))
        }
    }
}

/// Without any other word: the least cost within T*, and as few jobs left out as that allows.
pub(crate) fn policy(args: &ChoiceArgs, scenario: &Scenario) -> Result<VoPolicy, Failure> {
    let mut policy = match &scenario.policy {
        Some(policy) => policy.vo.clone(),
        None => VoPolicy {
            objective: Objective::MinCost,
            time_limit: Limit::Derived,
            budget_limit: Limit::Derived,
            leave_out: LeaveOut::WhenNeeded,
        },
    };
    if let Some(objective) = args.objective {
        policy.objective = objective.into();
    }
    if let Some(text) = &args.time_limit {
        policy.time_limit = limit("--time-limit", text, scenario.unit, Unit::span_from_text)?;
    }
    if let Some(text) = &args.budget_limit {
        policy.budget_limit = limit("--budget-limit", text, scenario.unit, Unit::money_from_text)?;
    }
    if let Some(leave_out) = args.leave_out {
        policy.leave_out = leave_out.into();
    }
    Ok(policy)
}

/// A limit of the command line.
fn limit<Q: LimitKind>(
    option: &str,
    text: &str,
    unit: Unit,
    read: impl Fn(Unit, &str) -> Option<Q>,
) -> Result<Limit<Q>, Failure> {
    match text {
        "none" => Ok(Limit::Unlimited),
        "derived" => Ok(Limit::Derived),
        _ => read(unit, text).map(Limit::Given).ok_or_else(|| {
            let expected = Q::expected(unit);
            Failure::Input(format!("{option}: '{text}' is not a limit: expected {expected}, derived or none"))
        }),
    }
}

/// What a limit is counted in.
trait LimitKind {
    /// How it must be written.
    fn expected(unit: Unit) -> String;
}

impl LimitKind for Span {
    fn expected(unit: Unit) -> String {
        match unit {
            Unit::Seconds => "a number of seconds, to the millisecond and not negative".to_owned(),
            Unit::Milliseconds => "a whole number of milliseconds, not negative".to_owned(),
        }
    }
}

impl LimitKind for Money {
    fn expected(_: Unit) -> String {
        "a number of credits, to the millionth and not negative".to_owned()
    }
}

impl From<ObjectiveName> for Objective {
    fn from(name: ObjectiveName) -> Objective {
        match name {
            ObjectiveName::MinTime => Objective::MinTime,
            ObjectiveName::MinCost => Objective::MinCost,
            ObjectiveName::MaxIncome => Objective::MaxIncome,
            ObjectiveName::MaxUse => Objective::MaxUse,
            ObjectiveName::MinMakespan => Objective::MinMakespan,
            // Stakeholders are asked elsewhere: see `by_satisfaction`.
            ObjectiveName::Satisfaction => Objective::MinCost,
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
