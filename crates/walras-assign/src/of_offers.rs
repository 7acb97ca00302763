//! The market of one cycle, from offers and requests: what goes where now.
//!
//! Every job that is placed starts at the start of the horizon. A site counts for a job when it is fast enough, has
//! what the job requires and is among those that it names; the budget is the job's own or follows from its price cap,
//! as in every search; it must end by its deadline and within the horizon. Jobs that may not start yet go nowhere.

use super::market::{MarketRules, Unfit};
use walras_model::capacity::CapacityOffer;
use walras_model::market::{Capacity, CapacityMarket, Demand, Splitting};
use walras_model::offer::Offers;
use walras_model::quantity::{Factor, Span, Time};
use walras_model::request::{Batch, Request};

/// Why offers and requests make no market.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarketError {
    /// Nobody offers capacity.
    #[error("nobody offers capacity")]
    NoCapacity,
    /// A job's priority is too far above the lowest: its weight would leave the range of numbers.
    #[error("the priority of job {job} is too far above the lowest")]
    PriorityTooHigh {
        /// The job, by position.
        job: usize,
    },
}

/// Why a job was not placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplaced {
    /// It may not start yet.
    NotYet {
        /// When it may.
        earliest: Time,
    },
    /// It would not fit even if it were alone.
    Unfit(Unfit),
    /// It would fit if it were alone; others have the room.
    NoRoom,
}

/// The capacity of these offers, and what the requests ask of it. Sites are in the order of
/// [`Offers::capacities`], jobs in that of the batch; a job weighs its priority above the lowest, plus one.
pub fn market_of(offers: &Offers, batch: &Batch, factor: Factor) -> Result<CapacityMarket, MarketError> {
    if offers.capacities().is_empty() {
        return Err(MarketError::NoCapacity);
    }
    let sites: Vec<Capacity> = offers.capacities().iter().map(|offer| offer.capacity.clone()).collect();
    let lowest = batch.requests().iter().map(|request| request.priority).min().unwrap_or(0);
    let mut jobs = Vec::with_capacity(batch.requests().len());
    for (job, request) in batch.requests().iter().enumerate() {
        let weight = request.priority.abs_diff(lowest).saturating_add(1);
        let weight = u32::try_from(weight).map_err(|_| MarketError::PriorityTooHigh { job })?;
        jobs.push(demand(offers, request, weight, factor));
    }
    Ok(CapacityMarket { sites, jobs })
}

/// The same market where every job must be on one site.
pub fn whole_jobs(market: &CapacityMarket) -> CapacityMarket {
    let mut market = market.clone();
    for job in &mut market.jobs {
        job.kind = Splitting::SingleSite;
    }
    market
}

/// Why a job that was not placed was not; `market` is that of the offers and `request` the job's.
pub fn why_unplaced(offers: &Offers, market: &CapacityMarket, request: &Request, job: usize) -> Unplaced {
    let start = offers.horizon().start();
    if let Some(earliest) = request.earliest.filter(|earliest| *earliest > start) {
        return Unplaced::NotYet { earliest };
    }
    market.unfit(job).map_or(Unplaced::NoRoom, Unplaced::Unfit)
}

fn demand(offers: &Offers, request: &Request, weight: u32, factor: Factor) -> Demand {
    let (start, end) = (offers.horizon().start(), offers.horizon().end());
    let starts_now = request.earliest.is_none_or(|earliest| earliest <= start);
    let usable = |offer: &CapacityOffer| starts_now && may_use(request, offer);
    let sites = (0_u32..).zip(offers.capacities());
    let sites: Vec<u32> = sites.filter(|(_, offer)| usable(offer)).map(|(site, _)| site).collect();
    let last = request.deadline.map_or(end, |deadline| deadline.min(end));
    Demand {
        user: request.user.clone(),
        tasks: request.tasks,
        work: request.work,
        kind: if request.scope.same_site { Splitting::SingleSite } else { Splitting::Split },
        budget: request.budget_limit(factor),
        within: Some(last.span_since(start).unwrap_or(Span::ZERO)),
        weight,
        sites: (sites.len() < offers.capacities().len()).then_some(sites),
    }
}

fn may_use(request: &Request, offer: &CapacityOffer) -> bool {
    offer.capacity.speed >= request.performance_min
        && request.scope.admits(offer.site)
        && request.requires.iter().all(|requirement| requirement.is_met_by(&offer.attributes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use walras_model::quantity::{Money, Performance, Rate, Work};
    use walras_model::{Attributes, Interval, Site, SiteId};

    fn time(seconds: i64) -> Time {
        Time::from_millis(seconds * 1_000).unwrap()
    }

    fn offers() -> Offers {
        let horizon = Interval::new(time(100), time(700)).unwrap();
        let sites = ["slow", "fast"].map(|name| Site { name: name.into() }).to_vec();
        let offer = |site, speed| CapacityOffer {
            site: SiteId::new(site),
            capacity: Capacity {
                processors: 4,
                speed: Performance::from_millionths(speed).unwrap(),
                price: Rate::from_micros_per_second(1_000_000).unwrap(),
                prices: BTreeMap::new(),
            },
            watts: None,
            attributes: Attributes::new(),
        };
        let offers = Offers::new(horizon, sites, vec![], vec![]).unwrap();
        offers.with_capacity(vec![offer(0, 1_000_000), offer(1, 3_000_000)]).unwrap()
    }

    fn market(request: &Request) -> CapacityMarket {
        market_of(&offers(), &Batch::new(vec![request.clone()]), Factor::ONE).unwrap()
    }

    fn request() -> Request {
        Request::new("J", 2, Work::from_millis(300_000).unwrap())
    }

    #[test]
    fn a_plain_request_may_go_anywhere_until_the_horizon_ends() {
        let demand = &market(&request()).jobs[0];
        assert_eq!((demand.kind, &demand.sites, demand.budget), (Splitting::Split, &None, None));
        assert_eq!(demand.within, Span::from_millis(600_000));
        assert_eq!(whole_jobs(&market(&request())).jobs[0].kind, Splitting::SingleSite);
    }

    #[test]
    fn what_a_request_asks_counts() {
        let mut job = request();
        job.performance_min = Performance::from_millionths(2_000_000).unwrap();
        job.price_max = Rate::from_micros_per_second(500_000);
        job.deadline = Some(time(250));
        job.scope.same_site = true;
        let market = market(&job);
        let demand = &market.jobs[0];
        assert_eq!((demand.kind, &demand.sites), (Splitting::SingleSite, &Some(vec![1])));
        // t = 150 s at the least speed asked for: two tasks at half a credit.
        assert_eq!(demand.budget, Some(Money::from_micros(150_000_000)));
        assert_eq!(demand.within, Span::from_millis(150_000));
        let unfit = Unfit::TooDear {
            cheapest: Money::from_micros(200_000_000),
            budget: Money::from_micros(150_000_000),
        };
        assert_eq!(why_unplaced(&offers(), &market, &job, 0), Unplaced::Unfit(unfit));
    }

    #[test]
    fn a_job_that_may_not_start_yet_waits() {
        let mut job = request();
        job.earliest = Some(time(101));
        assert_eq!(market(&job).pairs(0), []);
        let why = why_unplaced(&offers(), &market(&job), &job, 0);
        assert_eq!(why, Unplaced::NotYet { earliest: time(101) });
        job.earliest = Some(time(100));
        assert_eq!(market(&job).pairs(0).len(), 2);
        assert_eq!(why_unplaced(&offers(), &market(&job), &job, 0), Unplaced::NoRoom);
    }

    #[test]
    fn a_deadline_that_is_past_leaves_no_time() {
        let mut job = request();
        job.deadline = Some(time(50));
        assert_eq!(market(&job).jobs[0].within, Some(Span::ZERO));
        assert!(market(&job).pairs(0).is_empty());
    }

    #[test]
    fn a_fast_site_that_is_too_narrow_is_no_help() {
        let mut job = request();
        job.deadline = Some(time(300));
        let mut market = market(&job);
        for (tasks, processors, fastest) in [(2, 1, 300_000), (1, 1, 100_000), (5, 4, 300_000)] {
            market.jobs[0].tasks = tasks;
            market.sites[1].processors = processors;
            market.jobs[0].within = Span::from_millis(fastest - 1);
            let within = Span::from_millis(fastest - 1).unwrap();
            let late = Unfit::TooLate { fastest: Span::from_millis(fastest).unwrap(), within };
            assert_eq!(market.unfit(0), Some(late));
            market.jobs[0].within = Span::from_millis(fastest);
            assert_eq!(market.unfit(0), None);
        }
        assert_eq!(whole_jobs(&market).unfit(0), Some(Unfit::TooWide { tasks: 5, most: 4 }));
    }

    #[test]
    fn priorities_become_weights() {
        let with = |priority| Request { priority, ..request() };
        let batch = |first, second| Batch::new(vec![with(first), with(second)]);
        let market = market_of(&offers(), &batch(-3, 4), Factor::ONE).unwrap();
        assert_eq!((market.jobs[0].weight, market.jobs[1].weight), (1, 8));
        let error = market_of(&offers(), &batch(i64::MAX, i64::MIN), Factor::ONE);
        assert_eq!(error, Err(MarketError::PriorityTooHigh { job: 0 }));
        let horizon = Interval::new(time(0), time(1)).unwrap();
        let none = Offers::new(horizon, vec![], vec![], vec![]).unwrap();
        assert_eq!(market_of(&none, &batch(0, 0), Factor::ONE), Err(MarketError::NoCapacity));
    }
}
