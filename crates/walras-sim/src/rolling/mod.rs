//! The broker's loop over periods: collect for an interval, assign, notify, roll over what found no place.
//!
//! **Problem.** The paper's Algorithm 2 assigns once per interval; jobs on the dummy are assigned again in the next
//! one, with less of their deadline left. Who is served, when, and who never is, depends on the whole course.
//!
//! **Method.** The production broker is driven through the course: sites that sell capacity join it, jobs are submitted
//! when they arrive, and at the end of every interval a cycle is opened. The method under study makes its plan: all jobs
//! that wait are assigned together to the processors that the broker says are free. The broker verifies the plan and
//! reserves it in two phases, and a job holds its processors until it ends. What a job may still take is its deadline
//! less what it has waited. A job whose deadline no site can keep any more is given up with the reason that the market
//! gives; jobs that are still waiting after the last round are left over. Nothing is drawn here: sites and jobs are
//! arguments, and so is the method.
//!
//! ```
//! use walras_assign::{greedy::{self}, greedy::Ranking};
//! use walras_sim::generate::market::{Bell, MarketGenerator};
//! use walras_random::Purpose;
//! use walras_sim::rolling::{Periods, roll};
//! let generator = MarketGenerator::default();
//! let sites = generator.draw_sites(10, &mut Purpose::Sites.stream(1, 0)).unwrap();
//! let jobs = generator.draw_jobs(Bell(900.0, 0.2), &mut Purpose::Jobs.stream(1, 0)).unwrap();
//! let periods = Periods { interval: walras_model::Span::from_millis(50_000).unwrap(), rounds_max: 100 };
//! let course = roll(&sites, &jobs, periods, &mut |market, instance| {
//!     greedy::assign(instance, &Ranking::by_price(market, instance))
//! })
//! .unwrap();
//! assert!(course.runs.len() > 20 && course.left_over.is_empty());
//! ```

mod course;

use crate::generate::market::Submission;
use course::Driver;
use walras_assign::Unfit;
use walras_model::market::{Assignment, Capacity, CapacityMarket, Instance, InstanceError};
use walras_model::{Money, Span};

/// How long and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periods {
    /// The broker assigns at the end of every interval; at least a millisecond is used.
    pub interval: Span,
    /// So many rounds at most.
    pub rounds_max: u32,
}

/// A job that was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The job, by position.
    pub job: usize,
    /// The site, by position.
    pub site: u32,
    /// In which round it was assigned, from 1 on.
    pub round: u32,
    /// When it starts, after the start of all.
    pub start: Span,
    /// When it ends.
    pub end: Span,
    /// What it costs.
    pub cost: Money,
}

/// A job that no round can serve any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The job, by position.
    pub job: usize,
    /// In which round.
    pub round: u32,
    /// What makes it unfit for every site.
    pub reason: Unfit,
}

/// What happened: every job is in one of the three lists, once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Served, in order of round and job.
    pub runs: Vec<Run>,
    /// Given up.
    pub given_up: Vec<GivenUp>,
    /// Still waiting, or not yet there, after the last round.
    pub left_over: Vec<usize>,
    /// How many rounds there were.
    pub rounds: u32,
}

/// Why a course could not be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RollError {
    /// The market of a round is no instance.
    #[error("the market of a round is no instance: {0}")]
    Instance(InstanceError),
    /// The method's assignment does not fit.
    #[error("the assignment of round {round} does not fit")]
    Unfitting {
        /// In which round.
        round: u32,
    },
    /// The broker does not take something.
    #[error("round {round}: the broker refused: {why}")]
    Refused {
        /// In which round; 0 before the first.
        round: u32,
        /// What the broker said.
        why: String,
    },
}

/// How a round's market is assigned.
pub type Assign<'a> = dyn FnMut(&CapacityMarket, &Instance) -> Assignment + 'a;

/// Follows the broker's loop.
pub fn roll(
    sites: &[Capacity],
    jobs: &[Submission],
    periods: Periods,
    assign: &mut Assign<'_>,
) -> Result<Course, RollError> {
    let mut driver = Driver::new(sites, jobs, periods)?;
    while driver.course.rounds < periods.rounds_max && driver.someone_waits() {
        let millis =
            periods.interval.as_millis().max(LEAD).saturating_mul(i64::from(driver.course.rounds) + 1);
        let Some(now) = Span::from_millis(millis) else { break };
        driver.round(now, assign)?;
    }
    Ok(driver.finish())
}

/// The broker plans so many milliseconds before an interval ends, so that what it reserves starts when it does.
const LEAD: i64 = 2;
