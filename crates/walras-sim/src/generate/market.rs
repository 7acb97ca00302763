//! The generator of the MetaBroker's experiment: sites with free processors, and jobs that want them.
//!
//! The paper prints means and ranges ("varied by ±20% using Gaussian"), but no variances, no speeds and no unit of work.
//! Read here, and *fitted*: a Gaussian around a mean is cut off at the printed range and has half of it as its standard
//! deviation; speeds are uniform around 1; work is the estimated run time at speed 1; one price per site, or one for every
//! site and user (the paper's c_ij), where the paper leaves open which it drew; or prices that rise with the speed.

use super::{MILLION, WholeRange, rounded};
use crate::config::{Check, ConfigError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::market::{Capacity, CapacityMarket, Demand, Splitting};
use walras_model::{Money, Performance, Rate, Span, Work};
use walras_random::Stream;

/// A mean, and how far values stray from it, as a share of it: a Gaussian cut off there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bell(pub f64, pub f64);

impl Bell {
    /// How often a value outside of the range is drawn again before the mean is taken.
    const DRAWS_MAX: u32 = 100;

    /// A value.
    pub fn draw(self, stream: &mut Stream) -> f64 {
        let Bell(mean, share) = self;
        mean * (1.0 + share * Bell::deviation(stream))
    }

    /// Between -1 and 1: a Gaussian of standard deviation one half, cut off.
    fn deviation(stream: &mut Stream) -> f64 {
        for _ in 0..Bell::DRAWS_MAX {
            let (one, other) = (1.0 - stream.share(), stream.share());
            let deviation = 0.5 * (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos();
            if (-1.0..=1.0).contains(&deviation) {
                return deviation;
            }
        }
        0.0
    }

    fn check(self, check: Check<'_>, greatest: f64) -> Result<(), ConfigError> {
        check.real(self.0, 0.001, greatest)?;
        check.real(self.1, 0.0, 0.99)
    }
}

/// Who pays what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prices {
    /// One price for all at each site.
    PerSite,
    /// Every user has a price of their own at every site.
    PerPair,
    /// One price for all at each site, in proportion to its speed: the drawn price is for speed 1.
    BySpeed,
}

/// How the sites and jobs of a cycle are drawn; what the paper prints, but for what is marked *fitted*.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarketGenerator {
    /// Free processors of a site; without the upper end.
    pub processors: WholeRange,
    /// Speeds are uniform within this share of 1 to either side (*fitted*).
    pub speed_spread: f64,
    /// What a processor costs per second.
    pub price: Bell,
    /// Whose price it is (*fitted*).
    pub prices: Prices,
    /// How many jobs there are.
    pub jobs: u32,
    /// The mean number of tasks of a job.
    pub tasks: f64,
    /// By which share of the mean the number of tasks strays: from here to there, drawn for each job.
    pub tasks_spread: (f64, f64),
    /// Estimated run time of a job in seconds, at speed 1 (*fitted*).
    pub runtime: Bell,
    /// Jobs come within so many seconds from the start.
    pub arrivals: f64,
    /// The broker assigns so many seconds after the start, and again after as many.
    pub interval: f64,
    /// A budget is so many times what the job costs at the mean price and speed 1.
    pub budget_factor: f64,
}

impl Default for MarketGenerator {
    fn default() -> Self {
        MarketGenerator {
            processors: WholeRange(4, 13),
            speed_spread: 0.3,
            price: Bell(4.5, 1.0 / 9.0),
            prices: Prices::PerPair,
            jobs: 50,
            tasks: 5.0,
            tasks_spread: (0.1, 0.5),
            runtime: Bell(400.0, 0.2),
            arrivals: 20.0,
            interval: 50.0,
            budget_factor: 2.0,
        }
    }
}

/// A job as its user submits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// When, after the start.
    pub arrival: Span,
    /// How long after its arrival it must have ended.
    pub deadline: Span,
    /// What it asks of the sites; what it may still take is set when it is assigned.
    pub demand: Demand,
}

impl MarketGenerator {
    /// Whether every parameter makes sense.
    pub(crate) fn check(&self, check: Check<'_>) -> Result<(), ConfigError> {
        self.processors.check(check.field("processors"), 0, 1_000_000)?;
        check.field("speed_spread").real(self.speed_spread, 0.0, 0.95)?;
        self.price.check(check.field("price"), 1e6)?;
        check.field("jobs").whole(self.jobs, 1, 10_000)?;
        check.field("tasks").real(self.tasks, 1.0, 1e6)?;
        check.field("tasks_spread").real(self.tasks_spread.0, 0.0, self.tasks_spread.1)?;
        check.field("tasks_spread").real(self.tasks_spread.1, 0.0, 1.0)?;
        self.runtime.check(check.field("runtime"), 1e6)?;
        check.field("arrivals").real(self.arrivals, 0.0, 1e6)?;
        check.field("interval").real(self.interval, self.arrivals.max(1.0), 1e6)?;
        check.field("budget_factor").real(self.budget_factor, 0.001, 1e6)
    }

    /// So many sites; fewer of the same stream are the first of these.
    pub fn draw_sites(&self, count: usize, stream: &mut Stream) -> Result<Vec<Capacity>, ConfigError> {
        let refused = || ConfigError::new("market", "a site cannot be made of these parameters");
        (0..count).map(|_| self.draw_site(stream).ok_or_else(refused)).collect()
    }

    fn draw_site(&self, stream: &mut Stream) -> Option<Capacity> {
        let processors = self.processors.draw(stream);
        let speed = 1.0 + self.speed_spread * (2.0 * stream.share() - 1.0);
        let price = self.draw_price(stream)?;
        // The same draws in all models, so that they differ in the prices alone.
        let others = (0..self.jobs).map(|job| Some((user(job), self.draw_price(stream)?)));
        let others: BTreeMap<String, Rate> = others.collect::<Option<_>>()?;
        let by_speed =
            |price: Rate| Rate::from_micros_per_second(rounded(price.as_micros_per_second() as f64 * speed));
        Some(Capacity {
            processors,
            speed: Performance::from_millionths(rounded(speed * MILLION))?,
            price: if self.prices == Prices::BySpeed { by_speed(price)? } else { price },
            prices: if self.prices == Prices::PerPair { others } else { BTreeMap::new() },
        })
    }

    fn draw_price(&self, stream: &mut Stream) -> Option<Rate> {
        Rate::from_micros_per_second(rounded(self.price.draw(stream) * MILLION))
    }

    /// The jobs, each to end so long after its estimated run time.
    pub fn draw_jobs(&self, slack: Bell, stream: &mut Stream) -> Result<Vec<Submission>, ConfigError> {
        let refused = || ConfigError::new("market", "a job cannot be made of these parameters");
        (0..self.jobs).map(|job| self.draw_job(job, slack, stream).ok_or_else(refused)).collect()
    }

    fn draw_job(&self, job: u32, slack: Bell, stream: &mut Stream) -> Option<Submission> {
        let (low, high) = self.tasks_spread;
        let spread = low + (high - low) * stream.share();
        let tasks = Bell(self.tasks, spread).draw(stream).round().max(1.0);
        let runtime = self.runtime.draw(stream);
        let deadline = runtime + slack.draw(stream);
        let arrival = self.arrivals * stream.share();
        let budget = self.budget_factor * self.price.0 * runtime * tasks;
        let demand = Demand {
            user: Some(user(job)),
            tasks: u32::try_from(rounded(tasks)).ok()?,
            work: Work::from_millis(rounded(runtime * MILLIS))?,
            kind: Splitting::SingleSite,
            budget: Some(Money::from_micros(rounded(budget * MILLION))),
            within: None,
            weight: 1,
            sites: None,
        };
        Some(Submission { arrival: span(arrival)?, deadline: span(deadline)?, demand })
    }
}

/// Milliseconds in a second.
const MILLIS: f64 = 1_000.0;

fn span(seconds: f64) -> Option<Span> {
    Span::from_millis(rounded(seconds * MILLIS))
}

fn user(job: u32) -> String {
    format!("user-{job}")
}

/// The market of one round, so long after the start: what is left of each deadline, and jobs that it has passed left
/// with no time at all.
pub fn market_at(sites: Vec<Capacity>, jobs: &[Submission], now: Span) -> CapacityMarket {
    let left = |job: &Submission| {
        let end = job.arrival.as_millis() + job.deadline.as_millis();
        Span::from_millis((end - now.as_millis()).max(0)).unwrap_or(Span::ZERO)
    };
    let demand = |job: &Submission| Demand { within: Some(left(job)), ..job.demand.clone() };
    CapacityMarket { sites, jobs: jobs.iter().map(demand).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_random::Purpose;

    #[test]
    fn draws_keep_the_printed_ranges_and_means() {
        let generator = MarketGenerator::default();
        let sites = generator.draw_sites(400, &mut Purpose::Sites.stream(1, 0)).unwrap();
        let mean = sites.iter().map(|site| f64::from(site.processors)).sum::<f64>() / 400.0;
        assert!((mean - 8.0).abs() < 0.4, "{mean}");
        for site in &sites {
            assert!((4..=12).contains(&site.processors));
            assert!((700_000..=1_300_000).contains(&site.speed.as_millionths()));
            let prices = site.prices.values().chain([&site.price]);
            assert!(
                prices.clone().all(|rate| (4_000_000..=5_000_000).contains(&rate.as_micros_per_second()))
            );
        }
        let mut tasks = 0;
        for cycle in 0..20 {
            let stream = &mut Purpose::Jobs.stream(1, cycle);
            for job in generator.draw_jobs(Bell(250.0, 0.2), stream).unwrap() {
                tasks += job.demand.tasks;
                let slack = job.deadline.as_millis() - job.demand.work.as_millis();
                assert!((199_999..=300_001).contains(&slack) && job.arrival.as_millis() <= 20_000);
                assert!((320_000..=480_000).contains(&job.demand.work.as_millis()));
            }
        }
        // The paper's 50 jobs have 246 tasks.
        assert!((240..=260).contains(&(tasks / 20)), "{tasks}");
    }

    #[test]
    fn prices_may_rise_with_the_speed() {
        let draw = |prices| {
            let generator = MarketGenerator { prices, ..MarketGenerator::default() };
            generator.draw_sites(50, &mut Purpose::Sites.stream(1, 0)).unwrap()
        };
        for (flat, rising) in draw(Prices::PerSite).iter().zip(draw(Prices::BySpeed)) {
            let rate = |site: &Capacity| site.price.as_micros_per_second() as f64;
            let speed = rising.speed.as_millionths() as f64 / MILLION;
            assert!((rate(&rising) / rate(flat) - speed).abs() < 1e-5);
            assert_eq!((flat.speed, flat.processors), (rising.speed, rising.processors));
        }
    }

    #[test]
    fn fewer_sites_are_the_first_of_more() {
        let generator = MarketGenerator::default();
        let draw = |count| generator.draw_sites(count, &mut Purpose::Sites.stream(2, 7)).unwrap();
        assert_eq!(draw(5), draw(9)[..5]);
    }

    #[test]
    fn waiting_takes_from_the_deadline() {
        let generator = MarketGenerator::default();
        let jobs = generator.draw_jobs(Bell(50.0, 0.2), &mut Purpose::Jobs.stream(1, 0)).unwrap();
        let at = |seconds: i64| market_at(vec![], &jobs, Span::from_millis(seconds * 1_000).unwrap());
        let job = &jobs[0];
        let left = job.arrival.as_millis() + job.deadline.as_millis() - 50_000;
        assert_eq!(at(50).jobs[0].within, Span::from_millis(left));
        assert_eq!(at(5_000).jobs[0].within, Some(Span::ZERO));
    }
}
