//! Choosing for `walras plan`: the policy of the scenario, with what the command line says instead.

use crate::failure::Failure;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use walras_api::{PlannedChoice, Scenario, Unit};
use walras_core::choose::{LeaveOut, Limit, Named, Objective, ObjectiveName, VoPolicy};
use walras_core::plan::{BatchChoice, BatchPlan, NoChoice, PlanScheme};
use walras_model::{Money, Span};

#[derive(clap::Args)]
pub(crate) struct ChoiceArgs {
    /// What makes a combination best; weights and orders come from the scenario's policy [default: the
    /// policy's, else min-cost]
    #[arg(long, value_name = "NAME", value_parser = objective_names())]
    objective: Option<Objective>,

    /// The most that all run times may come to: a number in the scenario's unit, derived or none
    #[arg(long, value_name = "X")]
    time_limit: Option<String>,

    /// The most that all costs may come to: a number of credits, derived or none
    #[arg(long, value_name = "X")]
    budget_limit: Option<String>,

    /// Whether jobs may be left out to keep the limits [default: the policy's, else when-needed]
    #[arg(long, value_name = "WHEN")]
    leave_out: Option<LeaveOutName>,

    /// Whether the best of the listed alternatives is improved by search, with windows that nobody listed
    #[arg(long, value_name = "SCHEME", default_value = "improved")]
    plan: SchemeName,

    /// Show the alternatives only
    #[arg(long, conflicts_with_all = ["objective", "time_limit", "budget_limit", "leave_out"])]
    no_choice: bool,
}

/// The objectives that need no more than their name.
fn objective_names() -> impl TypedValueParser<Value = Objective> {
    let plain = ObjectiveName::ALL.iter().filter(|name| name.objective().is_some());
    let values = plain.map(|name| PossibleValue::new(name.name()).help(name.meaning()));
    PossibleValuesParser::new(values).try_map(|text| {
        let name: ObjectiveName = text.parse()?;
        name.objective().ok_or_else(|| ObjectiveName::unknown(&text))
    })
}

#[derive(Clone, Copy, ValueEnum)]
enum LeaveOutName {
    /// Every job that has a window must be served
    Never,
    /// As few as the limits allow are left out, those of high priority last
    WhenNeeded,
}

#[derive(Clone, Copy, ValueEnum)]
enum SchemeName {
    /// The papers' two phases: list windows, then choose among them
    Papers,
    /// What the two phases found, improved by search; never worse
    Improved,
}

impl ChoiceArgs {
    /// Which plan is made.
    pub(crate) fn scheme(&self) -> PlanScheme {
        match self.plan {
            SchemeName::Papers => PlanScheme::Papers,
            SchemeName::Improved => PlanScheme::Improved,
        }
    }

    /// Whether anything is to be chosen.
    pub(crate) fn wanted(&self) -> bool {
        !self.no_choice
    }
}

/// What was chosen; nothing when nothing was to be. An error where what was asked for makes no choice.
pub(crate) fn planned(
    scenario: &Scenario,
    policy: &VoPolicy,
    plan: &BatchPlan,
) -> Result<Option<PlannedChoice>, Failure> {
    if let Some(Err(error)) = &plan.negotiation {
        return Err(Failure::Input(format!("preferences: {error}")));
    }
    match &plan.choice {
        BatchChoice::Unwanted | BatchChoice::None(NoChoice::Wishes) => Ok(None),
        BatchChoice::None(NoChoice::NoJobs) => Err(Failure::input("there is no job to choose for")),
        BatchChoice::None(NoChoice::SomebodyLeftOut) => {
            let problem = "not every job that could be served can be: owners' quotas, the units of queues or the \
                           limits do not suffice, and the policy says leave_out: never";
            Err(Failure::Refused(problem.to_owned()))
        }
        BatchChoice::Made(_) | BatchChoice::None(NoChoice::Combination(..)) => {
            let choice = PlannedChoice::new(scenario, policy, plan);
            let problem = "the policy's weights, the costs and the times are too large to be summed exactly: \
                           scale the weights down, or use --no-choice";
            choice.map(Some).ok_or_else(|| Failure::input(problem))
        }
    }
}

/// Without any other word: the least cost within T*, and as few jobs left out as that allows.
pub(crate) fn policy(args: &ChoiceArgs, scenario: &Scenario) -> Result<VoPolicy, Failure> {
    let mut policy = scenario.policy.as_ref().map(|policy| policy.vo.clone()).unwrap_or_default();
    if let Some(objective) = &args.objective {
        policy.objective = objective.clone();
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

impl From<LeaveOutName> for LeaveOut {
    fn from(name: LeaveOutName) -> LeaveOut {
        match name {
            LeaveOutName::Never => LeaveOut::Never,
            LeaveOutName::WhenNeeded => LeaveOut::WhenNeeded,
        }
    }
}
