//! Assignments over periods: `walras.rolling/1`, the output of `walras assign --rolling --json`.

use crate::assignment::UnplacedItem;
use crate::number::Num;
use crate::unit::{MONEY_DECIMALS, Unit};
use serde::Serialize;
use walras_assign::method::Method;
use walras_model::{Money, Span, Time};

/// What a course over periods calls itself: the value of its key `schema`.
const ROLLING_TAG: &str = "walras.rolling/1";

/// Who was served in which round, who was given up and why, and who was left over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RollingReport {
    /// `walras.rolling/1`
    pub schema: &'static str,
    /// How each round was assigned.
    pub method: Method,
    /// How far rounds are apart.
    pub interval: Num,
    /// How many rounds there were.
    pub rounds: u32,
    /// How many jobs there are.
    pub jobs: usize,
    /// How many of them were served.
    pub served: usize,
    /// What all of them cost.
    pub cost: Num,
    /// Generations of `hga` and `lpga`, passes of `exact`, over all rounds; 0 for methods without any.
    pub iterations: u64,
    /// The jobs served, in order of round and job.
    pub runs: Vec<RollingRun>,
    /// The jobs that no round could serve any more, and why.
    pub given_up: Vec<GivenUpJob>,
    /// The jobs that still waited after the last round.
    pub left_over: Vec<String>,
}

/// A job that was served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RollingRun {
    /// The job's name.
    pub job: String,
    /// The site's name.
    pub site: String,
    /// How many processors it has there.
    pub processors: u32,
    /// In which round, from 1 on.
    pub round: u32,
    /// When it starts.
    pub start: Num,
    /// When it ends.
    pub end: Num,
    /// What it costs.
    pub cost: Num,
}

/// A job that was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GivenUpJob {
    /// The job's name.
    pub job: String,
    /// In which round.
    pub round: u32,
    /// What stood in the way.
    pub reason: UnplacedItem,
}

/// When and where a job ran.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts {
    /// In which round, from 1 on.
    pub round: u32,
    /// How many processors it has.
    pub processors: u32,
    /// From when until when.
    pub times: (Time, Time),
    /// What it costs.
    pub cost: Money,
}

impl RollingRun {
    /// A run as it is written.
    pub fn new(job: &str, site: &str, facts: RunFacts, unit: Unit) -> RollingRun {
        let time = |time: Time| Num::from_units(time.as_millis().into(), unit.time_decimals());
        RollingRun {
            job: job.to_owned(),
            site: site.to_owned(),
            processors: facts.processors,
            round: facts.round,
            start: time(facts.times.0),
            end: time(facts.times.1),
            cost: money(facts.cost),
        }
    }
}

impl RollingReport {
    /// A report of these runs; nobody is given up or left over yet.
    pub fn new(
        method: Method,
        interval: Span,
        unit: Unit,
        runs: Vec<RollingRun>,
        cost: Money,
    ) -> RollingReport {
        RollingReport {
            schema: ROLLING_TAG,
            method,
            interval: Num::from_units(interval.as_millis().into(), unit.time_decimals()),
            rounds: 0,
            jobs: 0,
            served: runs.len(),
            cost: money(cost),
            iterations: 0,
            runs,
            given_up: Vec::new(),
            left_over: Vec::new(),
        }
    }
}

fn money(amount: Money) -> Num {
    Num::from_units(amount.as_micros().into(), MONEY_DECIMALS)
}
