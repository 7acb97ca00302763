//! The fitted reading: three environments, the cheapest windows of least run time, limits of rounded means, random by rejection.
//!
//! Chosen in hindsight over about 5,000 generators, so that the four printed gains and numbers of jobs come out nearly. That
//! takes three environments: 20.0 and 12.4 processed jobs cannot come from one. Alternatives are windows of least run time over
//! the whole list, the cheapest of them (`listing.rs`), on lines of one price each, with budgets that hardly bind; T* = Σ⌈mean
//! time⌉ and B* = Σ⌈mean cost⌉ over a job's alternatives (the printed B*, the greatest income under T*, can never bind in
//! problem 2); a random choice draws one alternative of every job until the limit is kept.

use super::PaperProblem;
use super::cycle::{Compared, Sums};
use super::listing::{self, Ties};
use crate::config::{Check, ConfigError};
use crate::experiment::CycleError;
use crate::experiment::choice::{PaperLimits, best};
use crate::generate::{JobGenerator, RealRange, ResourceLines, WholeRange};
use serde::{Deserialize, Serialize};
use walras_core::choose::{Menu, MenuItem, MenuJob};
use walras_random::{Purpose, Stream};

/// The fitted reading's parameters; every one of them is *fitted*.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fitted {
    /// The environments of problem 1, of problem 2, and of problems 3 and 4.
    pub environments: [Environment; 3],
    /// How many alternatives a job has at most.
    pub alternatives_per_job: u32,
    /// Which of several windows of the same run time is an alternative.
    pub ties: Ties,
}

/// Nodes and jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Environment {
    /// The nodes, idle and busy in turn.
    pub lines: ResourceLines,
    /// The jobs of a batch.
    pub jobs: JobGenerator,
}

impl Default for Fitted {
    fn default() -> Self {
        let environment = |nodes: u32, fastest: f64| Environment {
            lines: ResourceLines { nodes, ..ResourceLines::default() },
            jobs: JobGenerator {
                count: WholeRange(30, 30),
                nodes: WholeRange(4, 6),
                length: WholeRange(31, 93),
                performance_min: RealRange(1.0, fastest),
                // Two to three times the price at the least performance, in the lines' money.
                price_spread: RealRange(2.0 * 1.42, 3.0 * 1.42),
                ..JobGenerator::default()
            },
        };
        Fitted {
            environments: [environment(62, 4.0), environment(25, 5.0), environment(23, 4.0)],
            alternatives_per_job: 7,
            ties: Ties::Cheapest,
        }
    }
}

impl Fitted {
    pub(super) fn check(&self, check: Check<'_>) -> Result<(), ConfigError> {
        for environment in &self.environments {
            let own = check.field("environments");
            environment.lines.check(own.field("lines"))?;
            environment.jobs.check(own.field("jobs"))?;
        }
        check.field("alternatives_per_job").whole(self.alternatives_per_job, 1, 1_000)
    }

    /// The environment of a problem, by position.
    fn environment_of(problem: PaperProblem) -> usize {
        match problem {
            PaperProblem::MaxIncome => 0,
            PaperProblem::MinTime => 1,
            PaperProblem::MinCost | PaperProblem::MaxUse => 2,
        }
    }
}

/// Cycles of an environment have numbers of their own.
const ENVIRONMENT_STEP: u32 = 1 << 24;
/// Micro-credits in a credit.
const MICROS: i128 = 1_000_000;
/// So many random combinations are drawn until one keeps the limit.
const DRAWS_MAX: u32 = 10_000;

/// The four problems of a cycle, each in its environment. A problem whose batch has no alternative at all stays empty.
pub(super) fn run(
    fitted: &Fitted,
    seed: u64,
    number: u32,
    verify: bool,
) -> Result<[Compared; 4], CycleError> {
    let mut compared = [Compared::default(); 4];
    let mut menus = Vec::new();
    for (place, environment) in (1_u32..).zip(&fitted.environments) {
        let number = number.wrapping_add(place.wrapping_mul(ENVIRONMENT_STEP));
        let offers = environment.lines.draw(&mut Purpose::Slots.stream(seed, number))?;
        let batch = environment.jobs.draw(&mut Purpose::Jobs.stream(seed, number))?;
        let rules = (fitted.ties, fitted.alternatives_per_job);
        let found = listing::alternatives(&offers, &batch, rules, verify)?;
        menus.push((Menu::new(&found, &batch), Purpose::Choices.stream(seed, number)));
    }
    for (slot, problem) in compared.iter_mut().zip(PaperProblem::ALL) {
        let (menu, stream) = &mut menus[Fitted::environment_of(problem)];
        if !menu.jobs.is_empty() {
            *slot = compare(menu, problem, stream)?;
        }
    }
    Ok(compared)
}

fn compare(menu: &Menu, problem: PaperProblem, stream: &mut Stream) -> Result<Compared, CycleError> {
    let limits = limits(menu);
    let optimum = best(menu, problem.objective(), limits)?;
    let random = random_within(menu, problem, limits, stream)?;
    let limit = if problem.limits_time() { limits.time } else { limits.budget };
    Ok(Compared { optimum: Sums::of(&optimum), random, limit })
}

/// T* = Σ⌈mean time⌉ and B* = Σ⌈mean cost⌉, in time units and credits.
fn limits(menu: &Menu) -> PaperLimits {
    let mean = |job: &MenuJob, of: fn(&MenuItem) -> i128| {
        let sum: i128 = job.items.iter().map(of).sum();
        let count = i128::try_from(job.items.len().max(1)).unwrap_or(i128::MAX);
        (sum, count)
    };
    let up = |(sum, count): (i128, i128), unit: i128| -> i128 {
        let whole = count * unit;
        (sum + whole - 1) / whole * unit
    };
    PaperLimits {
        time: menu.jobs.iter().map(|job| up(mean(job, time), 1)).sum(),
        budget: menu.jobs.iter().map(|job| up(mean(job, cost), MICROS)).sum(),
    }
}

fn time(item: &MenuItem) -> i128 {
    i128::from(item.time.as_millis())
}

fn cost(item: &MenuItem) -> i128 {
    i128::from(item.cost.as_micros())
}

/// One alternative of every job at random, drawn until the limit is kept.
fn random_within(
    menu: &Menu,
    problem: PaperProblem,
    limits: PaperLimits,
    stream: &mut Stream,
) -> Result<Sums, CycleError> {
    for _ in 0..DRAWS_MAX {
        let mut sums = Sums::default();
        for job in &menu.jobs {
            let item = &job.items[stream.index(job.items.len())];
            sums.add(Sums { jobs: 1, time: time(item), cost: cost(item) });
        }
        let keeps = if problem.limits_time() { sums.time <= limits.time } else { sums.cost <= limits.budget };
        if keeps {
            return Ok(sums);
        }
    }
    Err(CycleError::law(format!("one of {DRAWS_MAX} random combinations keeps the limit")))
}
