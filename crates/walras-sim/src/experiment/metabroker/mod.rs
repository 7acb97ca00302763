//! Seed 003's MetaBroker: what users spend and how many jobs are completed, by greedy, HGA, MMC, LPGA and the exact
//! method, over 25 to 200 sites and three classes of deadlines.
//!
//! **Problem.** The paper draws its figures 2 to 5 without numbers and prints one table, whose totals do not follow
//! from what it says about its generator. What can be reproduced is what it claims: MMC below greedy by up to 30%, LPGA
//! below HGA by up to 8%, in fewer iterations, and as many jobs for all once there are enough sites.
//!
//! **Method.** A cycle draws sites and jobs once; every size takes the first of these sites, every class of deadlines
//! the same jobs. All methods see the same market at the broker's first round. The regimes (spread of speeds, one price per
//! site, per site and user, or rising with the speed) are drawn anew at the largest size with relaxed deadlines. At the
//! smaller sizes, where not all jobs find a place at once, every method is also followed over the broker's periods. Laws of every cycle: no method
//! beats the exact one where that is proven, LPGA is never worse than MMC, HGA never worse than its greedy, and nothing whole
//! beats the division (MGN).

mod cycle;
mod figures;
mod headlines;
mod methods;
mod notes;
mod periods;
mod pictures;

use super::{Experiment, ExperimentError, Findings, Options, Reproduction, cycles};
use crate::config::{self, Check, ConfigError};
use crate::generate::market::{Bell, MarketGenerator};
use serde::{Deserialize, Serialize};
use walras_assign::genetic::Evolution;

/// The name of the experiment.
pub const NAME: &str = "metabroker";
/// What it does.
pub const SUMMARY: &str = "Spending and jobs by greedy, HGA, MMC, LPGA and the exact method, 25 to 200 sites";

/// The parameters; the default is the paper's setting, with what it does not print fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The sites and jobs.
    pub market: MarketGenerator,
    /// How many sites there are; the numbers grow.
    pub sites: Vec<u32>,
    /// For these numbers of sites the methods are also followed over periods.
    pub sites_over_periods: Vec<u32>,
    /// Seconds that tight, medium and relaxed deadlines leave beyond the estimated run time.
    pub slack: [f64; 3],
    /// By which share of it the slack strays.
    pub slack_spread: f64,
    /// The spreads of speeds that are compared, under either kind of prices, at the largest number of sites.
    pub speed_spreads: Vec<f64>,
    /// Individuals of the genetic algorithms (*fitted*).
    pub population: u32,
    /// Generations without change that end them (*fitted*).
    pub stalled_generations: u32,
    /// Of a thousand sites in a child, so many are drawn anew (*fitted*).
    pub mutation_permille: u32,
}

impl Default for Config {
    fn default() -> Self {
        let evolution = Evolution::default();
        Config {
            market: MarketGenerator::default(),
            sites: vec![25, 50, 100, 150, 200],
            sites_over_periods: vec![25, 50],
            slack: [50.0, 250.0, 500.0],
            slack_spread: 0.2,
            speed_spreads: vec![0.1, 0.3, 0.5],
            population: u32::try_from(evolution.population).unwrap_or(u32::MAX),
            stalled_generations: evolution.stalled_max,
            mutation_permille: evolution.mutation_permille,
        }
    }
}

/// Sizes, and spreads of speeds, at most.
const COMPARED_MAX: usize = 12;

impl config::Config for Config {
    fn check(&self) -> Result<(), ConfigError> {
        self.market.check(Check::of("market"))?;
        let sites = Check::of("sites");
        self.sites.iter().try_for_each(|count| sites.whole(*count, 1, 2_000))?;
        if self.sites.is_empty() || self.sites.len() > COMPARED_MAX {
            return sites.fail(format!("1 to {COMPARED_MAX} numbers of sites are compared"));
        }
        if !self.sites.is_sorted_by(|one, next| one < next) {
            return sites.fail("the numbers must grow".to_owned());
        }
        let over = Check::of("sites_over_periods");
        self.sites_over_periods.iter().try_for_each(|count| over.whole(*count, 1, 2_000))?;
        if self.sites_over_periods.len() > COMPARED_MAX {
            return over.fail(format!("at most {COMPARED_MAX} numbers of sites are followed"));
        }
        self.slack.iter().try_for_each(|slack| Check::of("slack").real(*slack, 0.001, 1e6))?;
        Check::of("slack_spread").real(self.slack_spread, 0.0, 0.99)?;
        let spreads = Check::of("speed_spreads");
        self.speed_spreads.iter().try_for_each(|spread| spreads.real(*spread, 0.0, 0.95))?;
        if self.speed_spreads.len() > COMPARED_MAX {
            return spreads.fail(format!("at most {COMPARED_MAX} spreads are compared"));
        }
        Check::of("population").whole(self.population, 2, 10_000)?;
        Check::of("stalled_generations").whole(self.stalled_generations, 1, 100_000)?;
        Check::of("mutation_permille").whole(self.mutation_permille, 0, 1_000)
    }
}

/// The classes of deadlines, in the order of the paper's experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deadlines {
    Tight,
    Medium,
    Relaxed,
}

impl Deadlines {
    const ALL: [Deadlines; 3] = [Deadlines::Tight, Deadlines::Medium, Deadlines::Relaxed];

    fn name(self) -> &'static str {
        match self {
            Deadlines::Tight => "tight",
            Deadlines::Medium => "medium",
            Deadlines::Relaxed => "relaxed",
        }
    }

    fn slack(self, config: &Config) -> Bell {
        let [tight, medium, relaxed] = config.slack;
        let mean = match self {
            Deadlines::Tight => tight,
            Deadlines::Medium => medium,
            Deadlines::Relaxed => relaxed,
        };
        Bell(mean, config.slack_spread)
    }
}

/// Runs the experiment.
pub fn run(config: &Config, options: &Options<'_>) -> Result<Reproduction, ExperimentError> {
    config::Config::check(config)?;
    let solver = options.solver.ok_or(ExperimentError::NoSolver)?;
    let records = cycles::run_singly(options, |number| cycle::run(config, options.seed, number, solver))?;
    let findings = Findings {
        figures: figures::figures(config, &records),
        fitted: notes::fitted(),
        series: figures::series(config, &records),
        notes: notes::notes(&records),
    };
    let results = Experiment::MetaBroker.results(config, options, findings);
    let pictures = pictures::pictures(&results);
    Ok(Reproduction { results, pictures })
}
