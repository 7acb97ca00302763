//! One market, to be read as slots, as capacity and as domains.

use super::Config;
use crate::config::ConfigError;
use crate::generate::market::Submission;
use std::collections::BTreeMap;
use walras_core::prefer::{Aggregation, Criterion, Preference, SCALE, Weighted, score};
use walras_model::market::{Capacity, Demand, Splitting};
use walras_model::{
    Attributes, Batch, Interval, Money, Node, NodeId, Offers, Performance, Rate, Request, Site, SiteId, Slot,
    Span, Time, Work,
};
use walras_random::{Purpose, Stream};

/// A site: so many nodes of one speed at one price.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain {
    pub(super) nodes: u32,
    pub(super) speed: Performance,
    pub(super) rate: Rate,
}

/// A job: whole, on one site.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) tasks: u32,
    pub(super) work: Work,
    pub(super) budget: Money,
    pub(super) deadline: Time,
    preference: Preference,
}

/// What a job got: what it pays and when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Got {
    pub(super) cost: i64,
    pub(super) finish: i64,
}

/// The market.
#[derive(Clone, Debug)]
pub(super) struct DrawnMarket {
    pub(super) start: Time,
    pub(super) horizon: Interval,
    pub(super) domains: Vec<Domain>,
    pub(super) jobs: Vec<Job>,
}

fn refused() -> ConfigError {
    ConfigError::new("", "a market cannot be made of these parameters")
}

#[expect(clippy::cast_possible_truncation, reason = "drawn from checked ranges, far below 2^63")]
fn scaled(value: f64, scale: f64) -> i64 {
    (value * scale).round() as i64
}

const MILLIS: f64 = 1e3;
const MICROS: f64 = 1e6;

impl DrawnMarket {
    /// The market of a cycle.
    pub(super) fn draw(config: &Config, seed: u64, number: u32) -> Result<DrawnMarket, ConfigError> {
        // Everybody decides at the end of the first interval.
        let start = i64::from(config.interval) * 1_000;
        let end = start + scaled(config.deadline.1, MILLIS) + 1;
        let time = |millis| Time::from_millis(millis).ok_or_else(refused);
        let horizon = Interval::new(time(start)?, time(end)?).ok_or_else(refused)?;
        let (mut sites, mut jobs) = (Purpose::Sites.stream(seed, number), Purpose::Jobs.stream(seed, number));
        let domains: Vec<Domain> = (0..config.sites)
            .map(|_| domain(config, &mut sites))
            .collect::<Option<_>>()
            .ok_or_else(refused)?;
        let draw = |_| job(config, &domains, start, &mut jobs).ok_or_else(refused);
        let jobs = (0..config.jobs).map(draw).collect::<Result<_, _>>()?;
        Ok(DrawnMarket { start: horizon.start(), horizon, domains, jobs })
    }

    /// How long a job runs on a site, and what it costs there in all.
    pub(super) fn terms(&self, job: usize, site: usize) -> Option<(i64, i64)> {
        terms(&self.jobs[job], self.domains.get(site)?)
    }

    /// How little content a user is, between 0 and [`SCALE`].
    pub(super) fn loss(&self, job: usize, got: Got) -> i64 {
        let row = |weighted: &Weighted| match weighted.criterion {
            Criterion::Cost => Some(got.cost),
            _ => Some(got.finish),
        };
        let preference = &self.jobs[job].preference;
        let row = preference.weighted().iter().map(row).collect();
        score(preference, &[row]).ok().and_then(|scored| Some(scored.first()?.loss)).unwrap_or(SCALE)
    }

    /// As slots: every node free all the time.
    pub(super) fn offers(&self) -> Result<Offers, ConfigError> {
        let (mut nodes, mut slots, mut sites) = (Vec::new(), Vec::new(), Vec::new());
        for (site, domain) in (0_u32..).zip(&self.domains) {
            sites.push(Site { name: format!("s{site}") });
            for _ in 0..domain.nodes {
                let id = NodeId::from_index(nodes.len()).ok_or_else(refused)?;
                nodes.push(Node {
                    division: Default::default(),
                    name: format!("n{}", nodes.len()),
                    site: SiteId::new(site),
                    performance: domain.speed,
                    watts: None,
                    attributes: Attributes::new(),
                });
                slots.push(Slot::new(id, self.horizon, domain.rate).ok_or_else(refused)?);
            }
        }
        Offers::new(self.horizon, sites, nodes, slots).map_err(|_| refused())
    }

    /// The jobs as requests. The price cap of ALP is the budget per task and second at performance 1.
    pub(super) fn batch(&self) -> Batch {
        let request = |(number, job): (usize, &Job)| {
            let mut request = Request::new(&format!("J{number}"), job.tasks, job.work);
            request.performance_min = Performance::from_millionths(1).unwrap_or(Performance::ONE);
            request.budget = Some(job.budget);
            request.deadline = Some(job.deadline);
            request.scope.same_site = true;
            let node_seconds = job.work.as_millis() as f64 / MILLIS * f64::from(job.tasks);
            let cap = scaled(job.budget.as_micros() as f64 / node_seconds, 1.0);
            request.price_max = Rate::from_micros_per_second(cap);
            request
        };
        Batch::new(self.jobs.iter().enumerate().map(request).collect())
    }

    /// As capacity.
    pub(super) fn capacities(&self) -> Vec<Capacity> {
        let capacity = |domain: &Domain| Capacity {
            processors: domain.nodes,
            speed: domain.speed,
            price: domain.rate,
            prices: BTreeMap::new(),
        };
        self.domains.iter().map(capacity).collect()
    }

    /// The jobs as they are submitted, all at the very start.
    pub(super) fn submissions(&self) -> Vec<Submission> {
        let submission = |(number, job): (usize, &Job)| Submission {
            arrival: Span::ZERO,
            deadline: Span::from_millis(job.deadline.as_millis()).unwrap_or(Span::ZERO),
            demand: Demand {
                user: Some(format!("user-{number}")),
                tasks: job.tasks,
                work: job.work,
                kind: Splitting::SingleSite,
                budget: Some(job.budget),
                within: None,
                weight: 1,
                sites: None,
            },
        };
        self.jobs.iter().enumerate().map(submission).collect()
    }
}

fn domain(config: &Config, stream: &mut Stream) -> Option<Domain> {
    let nodes = config.nodes.draw(stream);
    let power = config.performance.draw(stream);
    let price = config.price_base.powf(power) * config.price_spread.draw(stream);
    let speed = Performance::from_millionths(scaled(power, MICROS))?;
    Some(Domain { nodes, speed, rate: Rate::from_micros_per_second(scaled(price, MICROS))? })
}

fn terms(job: &Job, domain: &Domain) -> Option<(i64, i64)> {
    let runtime = job.work.runtime_on(domain.speed)?;
    let cost = domain.rate.cost_of(runtime)?.as_micros().checked_mul(i64::from(job.tasks))?;
    (job.tasks <= domain.nodes).then_some((runtime.as_millis(), cost))
}

fn job(config: &Config, domains: &[Domain], start: i64, stream: &mut Stream) -> Option<Job> {
    let tasks = config.tasks.draw(stream);
    let work = config.work.draw(stream);
    let budget = config.budget.draw(stream) * config.price_base * work * f64::from(tasks);
    let deadline = start + scaled(config.deadline.draw(stream), MILLIS);
    let weight = scaled(stream.share(), 1e3);
    let mut job = Job {
        tasks,
        work: Work::from_millis(scaled(work, MILLIS))?,
        budget: Money::from_micros(scaled(budget, MICROS)),
        deadline: Time::from_millis(deadline)?,
        preference: Preference::new(vec![Weighted::new(Criterion::Cost, 1)], Aggregation::CRITERIA).ok()?,
    };
    // From what a job would have if it were alone to the worst that it accepts.
    let alone: Vec<(i64, i64)> = domains.iter().filter_map(|domain| terms(&job, domain)).collect();
    let least = |of: fn(&(i64, i64)) -> i64, most: i64| alone.iter().map(of).min().unwrap_or(0).min(most - 1);
    let ranged = |criterion, weight, low, high| Weighted {
        range: Some((low, high)),
        ..Weighted::new(criterion, weight)
    };
    let budget = job.budget.as_micros();
    let weights = vec![
        ranged(Criterion::Cost, weight, least(|terms| terms.1, budget), budget),
        ranged(Criterion::Finish, 1_000 - weight, least(|terms| terms.0, deadline - start) + start, deadline),
    ];
    job.preference = Preference::new(weights, Aggregation::CRITERIA).ok()?;
    Some(job)
}
