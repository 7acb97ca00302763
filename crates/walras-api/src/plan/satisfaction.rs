//! How content everybody is with a plan, which jobs went to queues, and what else could have been.

use super::write::{money, time};
use crate::number::Num;
use crate::scenario::Scenario;
use crate::unit::{MONEY_DECIMALS, Unit};
use serde::{Deserialize, Serialize};
use walras_core::prefer::{
    Compromise, Criterion, Direction, Facts, Negotiation, Point, SCALE, Source, Stakeholders, of_queue,
};
use walras_model::{Money, Time};

/// Satisfaction is given to a millionth.
const SATISFACTION_DECIMALS: u32 = 6;

/// How content everybody is: 1 is the best that was available to them, 0 the worst.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedSatisfaction {
    /// Of the least content.
    pub least: Num,
    /// Of all, each counting alike.
    pub mean: Num,
    /// Of each: users, then owners, then the administrator.
    pub stakeholders: Vec<StakeholderItem>,
    /// Jobs that go to a queue, with the times that are expected.
    pub queued: Vec<QueuedJob>,
    /// How many windows owners' rules refuse; they are not chosen.
    pub windows_refused: usize,
}

/// One stakeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StakeholderItem {
    /// As they are called.
    pub name: String,
    /// How content they are.
    pub satisfaction: Num,
}

/// A job that goes to a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueuedJob {
    /// The job's name.
    pub job: String,
    /// The queue's name.
    pub queue: String,
    /// When it is expected to start.
    pub start: Num,
    /// When it is expected to end.
    pub end: Num,
    /// What it is expected to cost.
    pub cost: Num,
}

/// The combinations to which none is better by one of two totals and not worse by the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedPareto {
    /// The first criterion.
    pub x: String,
    /// The second.
    pub y: String,
    /// Whether these are all of them.
    pub complete: bool,
    /// In order of the first total, the best first.
    pub points: Vec<ParetoPoint>,
}

/// One combination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParetoPoint {
    /// The first total.
    pub x: Num,
    /// The second.
    pub y: Num,
    /// Who gets what.
    pub picks: Vec<ParetoPick>,
}

/// What one job gets: an alternative of the plan, or a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParetoPick {
    /// The job's name.
    pub job: String,
    /// The position in the plan's alternatives, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative: Option<usize>,
    /// The queue's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
}

impl PlannedSatisfaction {
    /// How content everybody is with these picks.
    pub fn new(
        scenario: &Scenario,
        stakeholders: &Stakeholders,
        negotiation: &Negotiation,
        found: &Compromise,
    ) -> PlannedSatisfaction {
        let number = |loss: i64| Num::from_units(i128::from(SCALE - loss) / 1_000, SATISFACTION_DECIMALS);
        let item = |(party, loss): (&walras_core::prefer::Party, &i64)| StakeholderItem {
            name: party.name.clone(),
            satisfaction: number(*loss),
        };
        let count = i64::try_from(found.losses.len().max(1)).unwrap_or(1);
        let picks = found.picks.iter().zip(&negotiation.sources).enumerate();
        let queued = picks.filter_map(|(job, (pick, sources))| match sources.get((*pick)?)? {
            Source::Queue(queue) => queued(scenario, stakeholders, job, *queue),
            Source::Window(_) => None,
        });
        PlannedSatisfaction {
            least: number(found.losses.iter().copied().max().unwrap_or(0)),
            mean: number(found.losses.iter().sum::<i64>() / count),
            stakeholders: negotiation.problem.parties().iter().zip(&found.losses).map(item).collect(),
            queued: queued.collect(),
            windows_refused: negotiation.refused,
        }
    }
}

fn queued(scenario: &Scenario, stakeholders: &Stakeholders, job: usize, queue: usize) -> Option<QueuedJob> {
    let (request, queue) = (&scenario.batch.requests()[job], &stakeholders.queues[queue]);
    let facts = Facts {
        offers: &scenario.offers,
        request,
        now: scenario.offers.horizon().start(),
        spread: None,
        loads: &[],
    };
    let value = |criterion: Criterion| of_queue(&facts, queue, &criterion);
    Some(QueuedJob {
        job: request.name.clone(),
        queue: queue.name.clone(),
        start: time(scenario.unit, Time::from_millis(value(Criterion::Start)?)?),
        end: time(scenario.unit, Time::from_millis(value(Criterion::Finish)?)?),
        cost: money(Money::from_micros(value(Criterion::Cost)?)),
    })
}

impl PlannedPareto {
    /// A front of this negotiation.
    pub fn new(
        scenario: &Scenario,
        stakeholders: &Stakeholders,
        negotiation: &Negotiation,
        [x, y]: [&Criterion; 2],
        (points, complete): (&[Point], bool),
    ) -> PlannedPareto {
        let pick = |job: usize, source: &Source| ParetoPick {
            job: scenario.batch.requests()[job].name.clone(),
            alternative: match source {
                Source::Window(place) => Some(*place),
                Source::Queue(_) => None,
            },
            queue: match source {
                Source::Queue(place) => Some(stakeholders.queues[*place].name.clone()),
                Source::Window(_) => None,
            },
        };
        let point = |point: &Point| ParetoPoint {
            x: total(point.x, x, scenario.unit),
            y: total(point.y, y, scenario.unit),
            picks: (point.picks.iter().zip(&negotiation.sources).enumerate())
                .filter_map(|(job, (option, sources))| Some(pick(job, sources.get((*option)?)?)))
                .collect(),
        };
        PlannedPareto {
            x: x.to_string(),
            y: y.to_string(),
            complete,
            points: points.iter().map(point).collect(),
        }
    }
}

/// A total that was turned so that less is better, in the unit that people write.
fn total(value: i128, criterion: &Criterion, unit: Unit) -> Num {
    let value = match criterion.direction() {
        Direction::Less => value,
        Direction::More => -value,
    };
    let decimals = if criterion.is_time() { unit.time_decimals() } else { MONEY_DECIMALS };
    Num::from_units(value, decimals)
}
