//! Why a job has no window, why there is no combination and why a job is not placed, with times in the unit of a plan.

use super::credits;
use crate::unit::{MONEY_DECIMALS, Unit};
use walras_assign::{Unfit, Unplaced};
use walras_core::choose::NoCombination;
use walras_core::explain::Cheaper;
use walras_model::market::Splitting;
use walras_model::{Decimal, Fixed, Reason, Requirement, SmallestChange};

/// Why a job has no window, as one sentence with times and prices in the scenario's unit.
///
/// ```
/// use walras_api::Unit;
/// use walras_api::sentence::reason_text;
/// use walras_model::{Money, Reason};
/// let reason = Reason::BudgetTooSmall {
///     budget: Money::from_micros(800_000_000),
///     needed: Money::from_micros(920_500_000),
/// };
/// assert_eq!(
///     reason_text(&reason, Unit::Seconds),
///     "The budget of 800 credits is 120.5 credits short of the cheapest window, which costs 920.5 credits."
/// );
/// ```
pub fn reason_text(reason: &Reason, unit: Unit) -> String {
    let symbol = unit.symbol();
    match reason {
        Reason::RequirementUnmet { requirement, nodes, needed } => {
            let requirement = crate::error::echo(&requirement.to_string());
            let (only, verb) = (only(*nodes), if *nodes > 1 { "pass" } else { "passes" });
            format!("{only} {verb} the requirement {requirement}, and {needed} are needed at once.")
        }
        Reason::KeptForOthers { asked, nodes, needed } => {
            let (only, verb) = (only(*nodes), if *nodes > 1 { "take" } else { "takes" });
            let asked = alternatives(asked);
            format!(
                "{only} {verb} the job's tasks: owners keep others for tasks that ask for {asked}; {needed} are needed at once."
            )
        }
        Reason::TooSlow { performance_min, nodes, needed } => {
            let (only, verb) = (only(*nodes), if *nodes > 1 { "have" } else { "has" });
            format!(
                "{only} {verb} a performance of at least {performance_min}, and {needed} are needed at once."
            )
        }
        Reason::CriterionUnstated { criterion, nodes, needed } => {
            let (only, verb) = (only(*nodes), if *nodes > 1 { "state" } else { "states" });
            format!("{only} {verb} what criterion={criterion} sums, and {needed} are needed at once.")
        }
        Reason::TooFewNodes { nodes, needed } => {
            let (only, verb) = (only(*nodes), if *nodes > 1 { "have" } else { "has" });
            format!("{only} {verb} everything that the job asks for, and {needed} are needed at once.")
        }
        Reason::SlotsTooShort { runtime_min } => {
            let runtime = unit.span_text(*runtime_min);
            format!(
                "No free time on a fitting node is long enough: a task takes at least {runtime} {symbol}."
            )
        }
        Reason::TooFewAtOnce { most, needed } => format!(
            "At most {most} fitting {} free at once for long enough, and {needed} are needed.",
            if *most == 1 { "node is" } else { "nodes are" }
        ),
        Reason::BudgetTooSmall { budget, needed } => {
            let short = credits(needed.checked_sub(*budget).unwrap_or(*needed));
            let (budget, needed) = (credits(*budget), credits(*needed));
            format!("The budget of {budget} is {short} short of the cheapest window, which costs {needed}.")
        }
        Reason::PriceCapTooLow { price_max, needed } => {
            let (cap, needed) = (unit.rate_text(*price_max), unit.rate_text(*needed));
            format!("The price cap of {cap} credits per {symbol} is too low: a window needs {needed}.")
        }
        Reason::DeadlineTooEarly { deadline, needed } => {
            let (deadline, needed) = (unit.time_text(*deadline), unit.time_text(*needed));
            format!(
                "The deadline {deadline} {symbol} is too early: the first window ends at {needed} {symbol}."
            )
        }
        Reason::SeveralLimits => {
            "No single limit is to blame: only relaxing several of them together gives a window.".to_owned()
        }
        Reason::TakenByOthers => {
            "There was a window before jobs of higher rank took their first ones.".to_owned()
        }
        Reason::LeftForOthers => {
            "It had a window, whose time goes to others: as many are served, and the plan is better.".to_owned()
        }
        Reason::TasksDoNotFit => {
            "There are windows of the size that was asked for, but none of them holds all tasks of the workflow."
                .to_owned()
        }
        Reason::NotExamined => {
            "It was not looked into: a limit on the work of the search was reached before this job.".to_owned()
        }
    }
}

/// Why there is no combination, as one sentence with times in the scenario's unit.
pub fn infeasible_text(reason: &NoCombination, unit: Unit) -> String {
    let symbol = unit.symbol();
    let time = |millis: i128| Decimal::new(millis, unit.time_decimals()).to_string();
    let credits = |micros: i128| Decimal::new(micros, MONEY_DECIMALS).to_string();
    match reason {
        NoCombination::NothingToChoose => "No job has a window: there is nothing to choose.".to_owned(),
        NoCombination::TimeLimit { limit, least } => format!(
            "The time limit of {} {symbol} is {} {symbol} short: the shortest windows take {} {symbol} together.",
            time(*limit),
            time(least - limit),
            time(*least),
        ),
        NoCombination::BudgetLimit { limit, least } => format!(
            "The budget limit of {} credits is {} credits short: the cheapest windows cost {} credits together.",
            credits(*limit),
            credits(least - limit),
            credits(*least),
        ),
        NoCombination::BothLimits { limits, least_cost } => {
            let budget = limits.budget.unwrap_or_default();
            format!(
                "Each limit alone can be kept, but not both: within the time limit of {} {symbol} the least cost is \
                 {} credits, {} credits above the budget limit of {} credits.",
                time(limits.time.unwrap_or_default()),
                credits(*least_cost),
                credits(least_cost - budget),
                credits(budget),
            )
        }
        NoCombination::Overflow => "The numbers are too large to be summed.".to_owned(),
        NoCombination::Unknown => {
            "The limit on work was reached before any combination was found.".to_owned()
        }
        NoCombination::NoStakeholders => "Nobody has said what they would be content with.".to_owned(),
    }
}

/// Why a job of this kind is not placed on capacity, as one sentence with times in the scenario's unit.
pub fn unplaced_text(reason: &Unplaced, kind: Splitting, unit: Unit) -> String {
    let symbol = unit.symbol();
    match reason {
        Unplaced::NotYet { earliest } => {
            format!("It may not start before {} {symbol}.", unit.time_text(*earliest))
        }
        Unplaced::Unfit(Unfit::TooWide { most: 0, .. }) => {
            "No site with capacity has everything that it asks for.".to_owned()
        }
        Unplaced::Unfit(Unfit::TooWide { tasks, most }) => match kind {
            Splitting::SingleSite => {
                format!(
                    "It needs {tasks} processors on one site, and no site where it may go has more than {most}."
                )
            }
            Splitting::Split => {
                format!("It needs {tasks} processors, and all sites where it may go together have {most}.")
            }
        },
        Unplaced::Unfit(Unfit::TooLate { fastest, within }) => format!(
            "It takes at least {} {symbol} wherever there are enough processors, and only {} {symbol} are left.",
            unit.span_text(*fastest),
            unit.span_text(*within),
        ),
        Unplaced::Unfit(Unfit::TooDear { cheapest, budget }) => {
            let short = credits(cheapest.checked_sub(*budget).unwrap_or(*cheapest));
            let (budget, cheapest) = (credits(*budget), credits(*cheapest));
            format!(
                "The budget of {budget} is {short} short of the cheapest place in time, which costs {cheapest}."
            )
        }
        Unplaced::Unfit(Unfit::OutOfRange) => {
            "Its run time or its cost is too large to be counted everywhere.".to_owned()
        }
        Unplaced::NoRoom => "It would fit if it were alone; other jobs have the room.".to_owned(),
    }
}

/// How many nodes, as the subject of a sentence that regrets it.
/// Requirements of which one is enough.
pub(crate) fn alternatives(requirements: &[Requirement]) -> String {
    let all: Vec<String> = requirements.iter().map(|it| crate::error::echo(&it.to_string())).collect();
    all.join(" or ")
}

fn only(nodes: u32) -> String {
    match nodes {
        0 => "No node".to_owned(),
        1 => "Only 1 node".to_owned(),
        _ => format!("Only {nodes} nodes"),
    }
}

/// Each change that alone gives the job a window, as a phrase such as `a budget of 900 credits`.
pub fn change_texts(change: &SmallestChange, unit: Unit) -> Vec<String> {
    let symbol = unit.symbol();
    let SmallestChange { budget, price_max, deadline, tasks, performance_min, resources } = change;
    let phrases = [
        budget.map(|budget| format!("a budget of {}", credits(budget))),
        price_max.map(|rate| format!("a price_max of {} credits per {symbol}", unit.rate_text(rate))),
        deadline.map(|deadline| format!("a deadline of {} {symbol}", unit.time_text(deadline))),
        tasks.map(|tasks| format!("{tasks} {}", if tasks == 1 { "task" } else { "tasks" })),
        performance_min.map(|performance| format!("a performance_min of {performance}")),
    ];
    let amounts = resources.iter().map(|(name, amount)| amount_text(name, *amount));
    phrases.into_iter().flatten().chain(amounts).collect()
}

/// So much of what a node has, as a job file says it.
/// `3.2 credits less with memory_gb: 12 instead of 16`
pub fn cheaper_text(cheaper: &Cheaper) -> String {
    let lesser = cheaper.resources.iter();
    let each: Vec<String> = lesser
        .map(|(name, (amount, now))| format!("{} instead of {now}", amount_text(name, *amount)))
        .collect();
    format!("{} less with {}", credits(cheaper.saves), each.join(" and "))
}

pub(super) fn amount_text(name: &str, amount: Fixed) -> String {
    format!("{name}: {amount}")
}
