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
#[serde(from = "PointFile")]
pub struct ParetoPoint {
    /// The first total.
    pub x: Num,
    /// The second.
    pub y: Num,
    /// Who gets which window: positions in the plan's alternatives, from 0, in the order of the scenario's jobs.
    pub alternatives: Vec<usize>,
    /// Who goes to a queue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queued: Vec<QueuedPick>,
}

/// A job that a combination sends to a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueuedPick {
    /// The job's name.
    pub job: String,
    /// The queue's name.
    pub queue: String,
}

/// A combination as it stands in a file. Plans of before name every job with its `picks`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointFile {
    x: Num,
    y: Num,
    #[serde(default)]
    alternatives: Vec<usize>,
    #[serde(default)]
    queued: Vec<QueuedPick>,
    #[serde(default)]
    picks: Vec<PickFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PickFile {
    job: String,
    alternative: Option<usize>,
    queue: Option<String>,
}

impl From<PointFile> for ParetoPoint {
    fn from(file: PointFile) -> ParetoPoint {
        let PointFile { x, y, mut alternatives, mut queued, picks } = file;
        for PickFile { job, alternative, queue } in picks {
            alternatives.extend(alternative);
            queued.extend(queue.map(|queue| QueuedPick { job, queue }));
        }
        ParetoPoint { x, y, alternatives, queued }
    }
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
        let point = |point: &Point| {
            let mut combination = ParetoPoint {
                x: total(point.x, x, scenario.unit),
                y: total(point.y, y, scenario.unit),
                alternatives: Vec::new(),
                queued: Vec::new(),
            };
            let picks = point.picks.iter().zip(&negotiation.sources).enumerate();
            for (job, (option, sources)) in picks {
                match option.and_then(|option| sources.get(option)) {
                    Some(Source::Window(place)) => combination.alternatives.push(*place),
                    Some(Source::Queue(queue)) => combination.queued.push(QueuedPick {
                        job: scenario.batch.requests()[job].name.clone(),
                        queue: stakeholders.queues[*queue].name.clone(),
                    }),
                    None => {}
                }
            }
            combination
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
