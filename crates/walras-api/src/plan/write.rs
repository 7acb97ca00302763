//! From what a search found to a plan.

use super::{
    Listed, PLAN_TAG, Plan, PlannedAlternative, PlannedSlot, ReasonItem, ReasonKind, SearchSummary,
    SmallestChangeItem, UnscheduledJob,
};
use crate::number::Num;
use crate::scenario::Scenario;
use crate::sentence::{alternatives, reason_text};
use crate::unit::{MONEY_DECIMALS, Unit};
use walras_core::{Algorithm, Alternatives, Beyond, Criterion, SearchConfig, Unscheduled};
use walras_model::{Alternative, Money, Performance, Placement, Rate, Reason, SmallestChange, Span, Time};

/// Performances and attributes are millionths, energy is microjoules.
const MILLIONTHS: u32 = 6;

impl Plan {
    /// What a search with this configuration found in this scenario, without a choice.
    pub fn from_alternatives(scenario: &Scenario, config: &SearchConfig, found: &Alternatives) -> Plan {
        Plan::outline(scenario, config, found).listing(scenario, config, found, Listed::All)
    }

    /// The same without the alternatives; [`Plan::listing`] adds them, when the plan knows which it speaks of.
    pub fn outline(scenario: &Scenario, config: &SearchConfig, found: &Alternatives) -> Plan {
        Plan {
            schema: PLAN_TAG.to_owned(),
            unit: scenario.unit,
            search: SearchSummary {
                algorithm: config.algorithm.clone(),
                mode: config.mode,
                budget_factor: config.budget_factor,
                slots_scanned: found.slots_scanned,
                bound_hit: !found.limits_hit.is_empty(),
                limits_hit: found.limits_hit.iter().copied().collect(),
                enough: found.beyond == Beyond::Needless,
            },
            choice: None,
            satisfaction: None,
            pareto: None,
            alternatives: Vec::new(),
            unlisted: Vec::new(),
            unscheduled: found.unscheduled.iter().map(|job| unscheduled(scenario, job)).collect(),
            workflows: Vec::new(),
            warnings: Vec::new(),
            fault: None,
        }
    }
}

pub(super) fn planned(scenario: &Scenario, algorithm: &Algorithm, found: &Alternative) -> PlannedAlternative {
    let (unit, window) = (scenario.unit, &found.window);
    PlannedAlternative {
        job: scenario.batch.request(found.job).name.clone(),
        start: time(unit, window.start()),
        end: time(unit, window.end()),
        cost: money(window.cost()),
        slots: window.placements().iter().map(|placement| slot(scenario, placement)).collect(),
        bound: found.bound.map(|bound| Num::from_units(bound, bound_decimals(algorithm, unit))),
    }
}

fn slot(scenario: &Scenario, placement: &Placement) -> PlannedSlot {
    PlannedSlot {
        site: scenario.offers.site_of(placement.node).name.clone(),
        node: scenario.offers.node(placement.node).name.clone(),
        start: time(scenario.unit, placement.interval.start()),
        end: time(scenario.unit, placement.interval.end()),
        cost: money(placement.cost),
        units: placement.units,
        capacity: scenario.offers.capacity_of(placement.node).is_some(),
    }
}

/// In which unit the core counts what windows are judged by.
fn bound_decimals(algorithm: &Algorithm, unit: Unit) -> u32 {
    let Algorithm::Criterion(criterion) = algorithm else { return unit.time_decimals() };
    match criterion {
        Criterion::Cost => MONEY_DECIMALS,
        Criterion::Price => unit.rate_decimals(),
        Criterion::Runtime | Criterion::Finish | Criterion::Start | Criterion::NodeTime => {
            unit.time_decimals()
        }
        // Milliwatts times milliseconds, printed as joules; and millionths.
        Criterion::Energy | Criterion::Attribute(_) => MILLIONTHS,
    }
}

fn unscheduled(scenario: &Scenario, job: &Unscheduled) -> UnscheduledJob {
    let unit = scenario.unit;
    UnscheduledJob {
        job: scenario.batch.request(job.job).name.clone(),
        reasons: job.explanation.reasons.iter().map(|reason| item(reason, unit)).collect(),
        smallest_change: change(&job.explanation.smallest_change, unit),
        unconfirmed: None,
    }
}

fn change(change: &SmallestChange, unit: Unit) -> SmallestChangeItem {
    SmallestChangeItem {
        budget: change.budget.map(money),
        price_max: change.price_max.map(|price| rate(unit, price)),
        deadline: change.deadline.map(|deadline| time(unit, deadline)),
        tasks: change.tasks.map(count),
        performance_min: change.performance_min.map(performance),
        resources: change
            .resources
            .iter()
            .map(|(name, amount)| (name.clone(), Num::of_millionths(amount.as_millionths())))
            .collect(),
    }
}

/// A reason as data, with its sentence.
fn item(reason: &Reason, unit: Unit) -> ReasonItem {
    use ReasonKind as Kind;
    let blank = |kind| ReasonItem::new(kind, reason_text(reason, unit));
    match reason {
        Reason::RequirementUnmet { requirement, nodes, needed } => ReasonItem {
            requirement: Some(requirement.to_string()),
            nodes: Some(count(*nodes)),
            needed: Some(count(*needed)),
            ..blank(Kind::RequirementUnmet)
        },
        Reason::KeptForOthers { asked, nodes, needed } => ReasonItem {
            requirement: Some(alternatives(asked)),
            nodes: Some(count(*nodes)),
            needed: Some(count(*needed)),
            ..blank(Kind::KeptForOthers)
        },
        Reason::TooSlow { performance_min, nodes, needed } => ReasonItem {
            performance_min: Some(performance(*performance_min)),
            nodes: Some(count(*nodes)),
            needed: Some(count(*needed)),
            ..blank(Kind::TooSlow)
        },
        Reason::CriterionUnstated { criterion, nodes, needed } => ReasonItem {
            criterion: Some(criterion.clone()),
            nodes: Some(count(*nodes)),
            needed: Some(count(*needed)),
            ..blank(Kind::CriterionUnstated)
        },
        Reason::TooFewNodes { nodes, needed } => ReasonItem {
            nodes: Some(count(*nodes)),
            needed: Some(count(*needed)),
            ..blank(Kind::TooFewNodes)
        },
        Reason::SlotsTooShort { runtime_min } => {
            ReasonItem { runtime_min: Some(span(unit, *runtime_min)), ..blank(Kind::SlotsTooShort) }
        }
        Reason::TooFewAtOnce { most, needed } => {
            ReasonItem { most: Some(count(*most)), needed: Some(count(*needed)), ..blank(Kind::TooFewAtOnce) }
        }
        Reason::BudgetTooSmall { budget, needed } => ReasonItem {
            budget: Some(money(*budget)),
            needed: Some(money(*needed)),
            short_by: needed.checked_sub(*budget).map(money),
            ..blank(Kind::BudgetTooSmall)
        },
        Reason::PriceCapTooLow { price_max, needed } => ReasonItem {
            price_max: Some(rate(unit, *price_max)),
            needed: Some(rate(unit, *needed)),
            ..blank(Kind::PriceCapTooLow)
        },
        Reason::DeadlineTooEarly { deadline, needed } => ReasonItem {
            deadline: Some(time(unit, *deadline)),
            needed: Some(time(unit, *needed)),
            ..blank(Kind::DeadlineTooEarly)
        },
        Reason::SeveralLimits => blank(Kind::SeveralLimits),
        Reason::TakenByOthers => blank(Kind::TakenByOthers),
        Reason::LeftForOthers => blank(Kind::LeftForOthers),
        Reason::TasksDoNotFit => blank(Kind::TasksDoNotFit),
        Reason::NotExamined => blank(Kind::NotExamined),
    }
}

impl ReasonItem {
    /// A reason without numbers.
    fn new(kind: ReasonKind, text: String) -> ReasonItem {
        ReasonItem {
            kind,
            requirement: None,
            criterion: None,
            performance_min: None,
            nodes: None,
            most: None,
            runtime_min: None,
            budget: None,
            price_max: None,
            deadline: None,
            needed: None,
            short_by: None,
            text,
        }
    }
}

pub(super) fn time(unit: Unit, time: Time) -> Num {
    Num::from_units(time.as_millis().into(), unit.time_decimals())
}

fn span(unit: Unit, span: Span) -> Num {
    Num::from_units(span.as_millis().into(), unit.time_decimals())
}

pub(super) fn money(money: Money) -> Num {
    Num::from_units(money.as_micros().into(), MONEY_DECIMALS)
}

fn rate(unit: Unit, rate: Rate) -> Num {
    Num::from_units(rate.as_micros_per_second().into(), unit.rate_decimals())
}

fn performance(performance: Performance) -> Num {
    Num::from_units(performance.as_millionths().into(), MILLIONTHS)
}

fn count(count: u32) -> Num {
    Num::from_units(count.into(), 0)
}
