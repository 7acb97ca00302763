//! The broker's loop over periods (Algorithm 2): jobs that find no place are assigned again after another interval.

use super::Config;
use super::cycle::{Setting, evolution};
use super::methods::{self, Method};
use crate::experiment::CycleError;
use crate::rolling::{Periods, roll};
use walras_assign::program::Solver;
use walras_model::Span;
use walras_random::Purpose;

/// The methods that are followed.
pub(super) const METHODS: [Method; 6] =
    [Method::GreedyPrice, Method::GreedyCost, Method::Hga, Method::Mmc, Method::Lpga, Method::Exact];

/// After so many rounds whoever still waits is left over.
const ROUNDS_MAX: u32 = 100;

/// What a method's course comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Course {
    pub(super) jobs: usize,
    /// Micro-credits.
    pub(super) cost: i64,
    /// Rounds until nobody waited.
    pub(super) rounds: u32,
    /// Generations of the genetic algorithms, over all rounds.
    pub(super) generations: u32,
}

/// One course for every method, in the order of [`METHODS`].
pub(super) type Courses = [Course; METHODS.len()];

/// Every method over the periods of one setting; the genetic ones draw from the streams of this seed, cycle and index.
pub(super) fn run(
    config: &Config,
    setting: &Setting,
    (seed, number, index): (u64, u32, u32),
    solver: &dyn Solver,
) -> Result<Courses, CycleError> {
    let generator = &setting.generator;
    let sites = generator.draw_sites(setting.sites as usize, &mut Purpose::Sites.stream(seed, number))?;
    let slack = setting.deadlines.slack(config);
    let jobs = generator.draw_jobs(slack, &mut Purpose::Jobs.stream(seed, number))?;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be below a million seconds")]
    let interval = Span::from_millis((generator.interval * 1_000.0) as i64).unwrap_or(Span::ZERO);
    let periods = Periods { interval, rounds_max: ROUNDS_MAX };
    let mut courses = Courses::default();
    for (own, method) in courses.iter_mut().zip(METHODS) {
        let [mut one, mut other] = evolution(seed, number, index);
        let chance = if method == Method::Lpga { &mut other } else { &mut one };
        let mut generations = 0;
        let course = roll(&sites, &jobs, periods, &mut |market, instance| {
            let (assignment, more) = methods::assign(config, method, (market, instance), chance, solver);
            generations += more;
            assignment
        })
        .map_err(|error| {
            CycleError::law(format!("{} can be followed over periods: {error}", method.name()))
        })?;
        *own = Course {
            jobs: course.runs.len(),
            cost: course.runs.iter().map(|run| run.cost.as_micros()).sum(),
            rounds: course.rounds,
            generations,
        };
    }
    Ok(courses)
}
