//! One cycle: a draw of sites and jobs, under every size, class of deadlines and regime.

use super::methods::{self, Row};
use super::periods::{self, Courses};
use super::{Config, Deadlines};
use crate::experiment::CycleError;
use crate::generate::market::{MarketGenerator, Prices, market_at};
use walras_assign::program::Solver;
use walras_model::Span;
use walras_model::market::CapacityMarket;
use walras_random::Purpose;
use walras_random::Stream;

/// One market of a cycle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) generator: MarketGenerator,
    pub(super) sites: u32,
    pub(super) deadlines: Deadlines,
}

/// What is kept of a cycle: a row for every setting of the figures, then one for every regime, then the courses over
/// periods, by size and class of deadlines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) main: Vec<Row>,
    pub(super) regimes: Vec<Row>,
    pub(super) periods: Vec<Courses>,
    /// How many tasks the jobs have.
    pub(super) tasks: u32,
}

/// The settings of the paper's figures: by class of deadlines, then by size.
pub(super) fn main_settings(config: &Config) -> Vec<Setting> {
    let of = |deadlines, sites: &u32| Setting { generator: config.market.clone(), sites: *sites, deadlines };
    Deadlines::ALL
        .iter()
        .flat_map(|deadlines| config.sites.iter().map(|sites| of(*deadlines, sites)))
        .collect()
}

/// The regimes: by kind of prices, then by the spread of speeds.
pub(super) fn regimes(config: &Config) -> Vec<Setting> {
    let mut settings = Vec::new();
    for prices in [Prices::PerSite, Prices::PerPair, Prices::BySpeed] {
        for speed_spread in config.speed_spreads.iter().copied() {
            let generator = MarketGenerator { prices, speed_spread, ..config.market.clone() };
            let sites = config.sites.last().copied().unwrap_or(1);
            settings.push(Setting { generator, sites, deadlines: Deadlines::Relaxed });
        }
    }
    settings
}

/// Cycle `number` of a seed.
pub(super) fn run(
    config: &Config,
    seed: u64,
    number: u32,
    solver: &dyn Solver,
) -> Result<Record, CycleError> {
    let mut index = 0;
    let mut all = |settings: Vec<Setting>| -> Result<Vec<Row>, CycleError> {
        let mut rows: Vec<Row> = Vec::with_capacity(settings.len());
        for setting in settings {
            index += 2;
            let market = draw(config, &setting, seed, number)?;
            rows.push(methods::run(config, &market, evolution(seed, number, index), solver)?);
        }
        Ok(rows)
    };
    let (main, regimes) = (all(main_settings(config))?, all(regimes(config))?);
    let mut courses = Vec::new();
    for setting in period_settings(config) {
        index += 2;
        courses.push(periods::run(config, &setting, (seed, number, index), solver)?);
    }
    let jobs =
        config.market.draw_jobs(Deadlines::Relaxed.slack(config), &mut Purpose::Jobs.stream(seed, number))?;
    let tasks = jobs.iter().map(|job| job.demand.tasks).sum();
    Ok(Record { main, regimes, periods: courses, tasks })
}

/// The settings that are followed over periods: by size, then by class of deadlines.
pub(super) fn period_settings(config: &Config) -> Vec<Setting> {
    let of = |sites: u32, deadlines| Setting { generator: config.market.clone(), sites, deadlines };
    let sizes = config.sites_over_periods.iter();
    sizes.flat_map(|sites| Deadlines::ALL.map(|deadlines| of(*sites, deadlines))).collect()
}

/// Streams of evolution in a cycle, at most.
const STREAMS: u32 = 256;

/// The market of a setting.
fn draw(config: &Config, setting: &Setting, seed: u64, number: u32) -> Result<CapacityMarket, CycleError> {
    let generator = &setting.generator;
    let sites = generator.draw_sites(setting.sites as usize, &mut Purpose::Sites.stream(seed, number))?;
    let slack = setting.deadlines.slack(config);
    let jobs = generator.draw_jobs(slack, &mut Purpose::Jobs.stream(seed, number))?;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be below a million seconds")]
    let now = Span::from_millis((generator.interval * 1_000.0) as i64).unwrap_or(Span::ZERO);
    Ok(market_at(sites, &jobs, now))
}

/// The streams of the two genetic algorithms.
pub(super) fn evolution(seed: u64, number: u32, index: u32) -> [Stream; 2] {
    [0, 1].map(|stream: u32| {
        Purpose::Evolution.stream(seed, number.wrapping_mul(STREAMS).wrapping_add(index + stream))
    })
}
