//! The broker's loop over periods: collect for an interval, assign, notify, roll over what found no place.
//!
//! **Problem.** The paper's Algorithm 2 assigns once per interval; jobs on the dummy are assigned again in the next
//! one, with less of their deadline left. Who is served, when, and who never is, depends on the whole course.
//!
//! **Method.** At the end of every interval all jobs that have come so far and are not served are assigned together to
//! the processors that are free then; a placed job holds its processors until it ends. What a job may still take is its
//! deadline less what it has waited. A job whose deadline no site can keep any more is given up with the reason that the market
//! gives; jobs that are still waiting after the last round are left over. Nothing is drawn here: sites and jobs are
//! arguments, and so is the method.
//!
//! ```
//! use walras_core::assign::greedy::{self, Ranking};
//! use walras_sim::generate::market::{Bell, MarketGenerator};
//! use walras_sim::random::{Purpose, Stream};
//! use walras_sim::rolling::{Periods, roll};
//! let generator = MarketGenerator::default();
//! let sites = generator.draw_sites(10, &mut Stream::open(1, Purpose::Sites, 0)).unwrap();
//! let jobs = generator.draw_jobs(Bell(900.0, 0.2), &mut Stream::open(1, Purpose::Jobs, 0)).unwrap();
//! let periods = Periods { interval: walras_core::Span::from_millis(50_000).unwrap(), rounds_max: 100 };
//! let course = roll(&sites, &jobs, periods, &mut |market, instance| {
//!     greedy::assign(instance, &Ranking::by_price(market, instance))
//! })
//! .unwrap();
//! assert!(course.runs.len() > 20 && course.left_over.is_empty());
//! ```

use crate::generate::market::{Submission, market_at};
use walras_core::assign::{Assignment, Capacity, Instance, InstanceError, Market, Unfit};
use walras_core::{Money, Span};

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
    /// Why.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RollError {
    /// The market of a round is no instance.
    Instance(InstanceError),
    /// The method's assignment does not fit.
    Unfitting {
        /// In which round.
        round: u32,
    },
}

/// How a round's market is assigned.
pub type Assign<'a> = dyn FnMut(&Market, &Instance) -> Assignment + 'a;

/// Follows the broker's loop.
pub fn roll(
    sites: &[Capacity],
    jobs: &[Submission],
    periods: Periods,
    assign: &mut Assign<'_>,
) -> Result<Course, RollError> {
    let mut course = Course::default();
    let mut waiting: Vec<usize> = (0..jobs.len()).collect();
    while course.rounds < periods.rounds_max && !waiting.is_empty() {
        course.rounds += 1;
        let millis = periods.interval.as_millis().max(1).saturating_mul(i64::from(course.rounds));
        let Some(now) = Span::from_millis(millis) else { break };
        waiting = round(sites, jobs, &mut course, now, &waiting, assign)?;
    }
    course.left_over = waiting;
    Ok(course)
}

/// One round; gives who is still waiting.
fn round(
    sites: &[Capacity],
    jobs: &[Submission],
    course: &mut Course,
    now: Span,
    waiting: &[usize],
    assign: &mut Assign<'_>,
) -> Result<Vec<usize>, RollError> {
    let (there, mut still): (Vec<usize>, Vec<usize>) =
        waiting.iter().partition(|job| jobs[**job].arrival <= now);
    let there = give_up(sites, jobs, course, now, there);
    let batch: Vec<Submission> = there.iter().map(|job| jobs[*job].clone()).collect();
    let market = market_at(free_at(sites, jobs, course, now), &batch, now);
    let instance = market.instance().map_err(RollError::Instance)?;
    let assignment = assign(&market, &instance);
    if assignment.worth(&instance).is_none() {
        return Err(RollError::Unfitting { round: course.rounds });
    }
    for (at, job) in there.into_iter().enumerate() {
        match assignment.sites[at].and_then(|site| run(&market, at, site, now)) {
            Some(run) => course.runs.push(Run { job, round: course.rounds, ..run }),
            None => still.push(job),
        }
    }
    still.sort_unstable();
    Ok(still)
}

/// Leaves out the jobs that even empty sites could not serve any more.
fn give_up(
    sites: &[Capacity],
    jobs: &[Submission],
    course: &mut Course,
    now: Span,
    there: Vec<usize>,
) -> Vec<usize> {
    let batch: Vec<Submission> = there.iter().map(|job| jobs[*job].clone()).collect();
    let market = market_at(sites.to_vec(), &batch, now);
    let mut able = Vec::with_capacity(there.len());
    for (at, job) in there.into_iter().enumerate() {
        match market.unfit(at) {
            Some(reason) => course.given_up.push(GivenUp { job, round: course.rounds, reason }),
            None => able.push(job),
        }
    }
    able
}

/// The sites with the processors that no run holds now.
fn free_at(sites: &[Capacity], jobs: &[Submission], course: &Course, now: Span) -> Vec<Capacity> {
    let mut free = sites.to_vec();
    for run in course.runs.iter().filter(|run| now < run.end) {
        let processors = &mut free[run.site as usize].processors;
        *processors = processors.saturating_sub(jobs[run.job].demand.tasks);
    }
    free
}

/// A job of a round's market on a site; its position and round are for the caller to set.
fn run(market: &Market, at: usize, site: u32, now: Span) -> Option<Run> {
    let runtime = market.terms(at, site as usize)?.runtime;
    let end = Span::from_millis(now.as_millis() + runtime.as_millis())?;
    let cost = market.cost(at, site as usize)?;
    Some(Run { job: at, site, round: 0, start: now, end, cost })
}
