//! Every method by its name, without a general solver: for who assigns again and again and must come to the same everywhere.
//!
//! **Problem.** A broker assigns what waits at every period (the paper's Algorithm 2). What it decided is decided again from its journal,
//! by whatever build reads it, so no method may depend on a solver that one build has and another has not.
//!
//! **Method.** The relaxation is the flow of `transport`; a few jobs are tried out (`small`), more of them go to `exact`, which then works with bounds by
//! prices alone, and says what it has not proven. Jobs that may be split ([`Method::Split`]) are divided by the same flow: those that it cannot
//! serve whole, or within their budget, are put out and then placed one after the other, cheapest processors first; then all that are served
//! are divided once more together. Work is bounded by counts, never by time.
//!
//! ```
//! use walras_assign::method::{Method, assign};
//! use walras_model::market::{Capacity, CapacityMarket, Demand, Splitting};
//! use walras_model::{Performance, Rate, Work};
//! let price = |credits: i64| Rate::from_micros_per_second(1_000_000 * credits).unwrap();
//! let site = |processors, credits| Capacity {
//!     processors, speed: Performance::ONE, price: price(credits), prices: Default::default(),
//! };
//! let job = Demand {
//!     user: None, tasks: 2, work: Work::from_millis(1_000).unwrap(), kind: Splitting::SingleSite,
//!     budget: None, within: None, weight: 1, sites: None,
//! };
//! let market = CapacityMarket { sites: vec![site(2, 5), site(2, 3)], jobs: vec![job] };
//! let found = assign(&market, Method::Exact, 1).unwrap();
//! assert_eq!(found.division.shares[0][0].site, 1);
//! ```

use crate::exact::{self, ExactLimits, NoWatch};
use crate::genetic::{self, Evolution};
use crate::greedy::{self, Ranking};
use crate::market::MarketRules;
use crate::program::{Answer, LinearProgram, Solver, SolverEffort};
use crate::split::{Division, Share};
use crate::transport::{self, Supply, transport};
use crate::{mmc, small, whole_jobs};
use walras_model::market::{Assignment, CapacityMarket, Instance, Splitting, Worth};
use walras_random::Draws;

/// How jobs are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Method {
    /// One job after the other, earliest deadline first, to the site with the lowest price per second.
    Greedy,
    /// The same, to the site where the job costs least.
    GreedyCost,
    /// The relaxation made whole.
    Mmc,
    /// Evolution from greedy.
    Hga,
    /// Evolution from MMC.
    Lpga,
    /// The best assignment, proven or with a gap.
    Exact,
    /// Jobs that may be split are (the paper's MGN).
    Split,
}

impl Method {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Method::Greedy => "greedy",
            Method::GreedyCost => "greedy-cost",
            Method::Mmc => "mmc",
            Method::Hga => "hga",
            Method::Lpga => "lpga",
            Method::Exact => "exact",
            Method::Split => "split",
        }
    }
}

impl std::fmt::Display for Method {
    /// Its name.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proven {
    /// None is better.
    Best,
    /// None serves more, and none that serves as much costs less than this.
    Within(i64),
    /// Neither: the method proves nothing, or its effort ended first.
    Nothing,
}

/// What a method found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// Where every job goes.
    pub division: Division,
    /// What is proven of it.
    pub proven: Proven,
    /// Generations of evolution, passes of the exact method; 0 for the others.
    pub iterations: u64,
}

/// Genes that one evolution may look at: some seconds.
const GENES_MAX: u64 = 200_000_000;
/// Steps in which a few jobs are proven best.
const STEPS_MAX: u64 = 200_000;
/// Passes, work and rounds of an exact search that nobody waits long for.
const LIMITS: (usize, u64, usize) = (200, 1_000_000, 4);

/// A solver that never knows.
struct Nobody;

impl Solver for Nobody {
    fn solve(&self, _: &LinearProgram, _: Option<&[f64]>, _: &SolverEffort) -> Answer {
        Answer::Unknown
    }
}

/// The market's jobs by a method; chance follows from the seed. `None` when costs leave the range of numbers.
pub fn assign(market: &CapacityMarket, method: Method, seed: u64) -> Option<Assigned> {
    if method == Method::Split {
        return divided(market, seed);
    }
    let market = whole_jobs(market);
    let instance = market.instance().ok()?;
    let by_price = Ranking::by_price(&market, &instance);
    let by_cost = Ranking::by_cost(&instance, greedy::order(&market));
    let relaxed = || rounded(&instance, [&by_cost, &by_price]);
    Some(match method {
        Method::Greedy => placed(&instance, &greedy::assign(&instance, &by_price)),
        Method::GreedyCost => placed(&instance, &greedy::assign(&instance, &by_cost)),
        Method::Mmc => placed(&instance, &relaxed()),
        Method::Hga => evolved(&instance, &by_price, greedy::assign(&instance, &by_price), seed),
        Method::Lpga => evolved(&instance, &by_price, relaxed(), seed),
        Method::Exact | Method::Split => best(&instance, seed),
    })
}

/// Whole jobs as a division.
fn placed(instance: &Instance, assignment: &Assignment) -> Assigned {
    let share = |(job, site): (usize, &Option<u32>)| {
        let pair = site.and_then(|site| instance.pair(job, site));
        pair.map(|pair| Share { site: pair.site, processors: pair.takes }).into_iter().collect()
    };
    let shares = assignment.sites.iter().enumerate().map(share).collect();
    Assigned { division: Division { shares }, proven: Proven::Nothing, iterations: 0 }
}

/// MMC, completed by each of these rankings; the better of both.
fn rounded(instance: &Instance, rankings: [&Ranking; 2]) -> Assignment {
    let relaxed = transport::relax(instance);
    let [one, other] = rankings.map(|ranking| match &relaxed {
        Some(relaxed) => mmc::round(instance, ranking, relaxed),
        None => greedy::assign(instance, ranking),
    });
    let better = match (one.worth(instance), other.worth(instance)) {
        (Some(first), Some(second)) => second.beats(&first),
        (None, Some(_)) => true,
        (_, None) => false,
    };
    if better { other } else { one }
}

fn evolved(instance: &Instance, ranking: &Ranking, first: Assignment, seed: u64) -> Assigned {
    let usual = Evolution::default();
    let genes = (usual.population * instance.pairs_all().max(1)) as u64;
    let generations = u32::try_from(GENES_MAX / genes.max(1)).unwrap_or(u32::MAX);
    let evolution = Evolution { generations_max: generations.clamp(1, usual.generations_max), ..usual };
    if is_cheapest(instance, &first) {
        // No generation would find anything better, and it would end when enough of them had not.
        let generations = evolution.stalled_max.min(evolution.generations_max);
        return Assigned { iterations: generations.into(), ..placed(instance, &first) };
    }
    let mut draws = Draws::new(seed);
    let evolved = genetic::evolve(instance, ranking, first, &evolution, &mut |below| draws.below(below));
    Assigned { iterations: evolved.generations.into(), ..placed(instance, &evolved.assignment) }
}

/// Whether everybody who may go anywhere is where it is cheapest.
fn is_cheapest(instance: &Instance, assignment: &Assignment) -> bool {
    assignment.sites.iter().enumerate().all(|(job, site)| {
        let least = instance.pairs(job).iter().map(|pair| pair.cost).min();
        let cost = site.and_then(|site| instance.pair(job, site)).map(|pair| pair.cost);
        cost == least
    })
}

fn best(instance: &Instance, seed: u64) -> Assigned {
    if let Some(best) = small::best(instance, STEPS_MAX) {
        return Assigned { proven: Proven::Best, ..placed(instance, &best) };
    }
    let (passes, work, rounds) = LIMITS;
    let limits = ExactLimits { passes, work, rounds, seed, ..ExactLimits::default() };
    let solved = exact::solve(instance, &Nobody, &limits, &NoWatch);
    let nowhere = Assignment::empty(instance.jobs());
    let found = placed(instance, solved.assignment.as_ref().unwrap_or(&nowhere));
    let proven = match () {
        () if solved.is_optimal() => Proven::Best,
        () if solved.worth.weight == solved.weight_bound => Proven::Within(solved.cost_bound),
        () => Proven::Nothing,
    };
    Assigned { proven, iterations: solved.passes, ..found }
}

/// Jobs that may be split are; the others go first, as a whole.
fn divided(market: &CapacityMarket, seed: u64) -> Option<Assigned> {
    let is_whole = |job: usize| market.jobs[job].kind == Splitting::SingleSite;
    let wholes: Vec<usize> = (0..market.jobs.len()).filter(|job| is_whole(*job)).collect();
    let mut division = Division::empty(market.jobs.len());
    let mut left = market.clone();
    if !wholes.is_empty() {
        let jobs = wholes.iter().map(|job| market.jobs[*job].clone()).collect();
        let apart = CapacityMarket { sites: market.sites.clone(), jobs };
        let found = assign(&apart, Method::Exact, seed)?;
        for (job, shares) in wholes.iter().zip(found.division.shares) {
            take(&mut left, &shares);
            division.shares[*job] = shares;
        }
    }
    let others: Vec<usize> = (0..market.jobs.len()).filter(|job| !is_whole(*job)).collect();
    let flow = flow_of(&left, &others);
    let whole = |job: usize, shares: &[Share]| is_served(market, job, shares);
    let all = wholes.is_empty() && flow.iter().zip(&others).all(|(shares, job)| whole(*job, shares));
    for (shares, job) in flow.into_iter().zip(&others).filter(|(shares, job)| whole(**job, shares)) {
        take(&mut left, &shares);
        division.shares[*job] = shares;
    }
    complete(market, &mut left, &mut division);
    let together = again(market, &division, &others);
    let worth = |division: &Division| division.worth(market).map(|worth: Worth| (worth.jobs, -worth.cost));
    let division = if worth(&together) >= worth(&division) { together } else { division };
    let proven = if all { Proven::Best } else { Proven::Nothing };
    Some(Assigned { division, proven, iterations: 0 })
}

/// What shares take is free no more.
fn take(market: &mut CapacityMarket, shares: &[Share]) {
    for share in shares {
        let room = &mut market.sites[share.site as usize].processors;
        *room = room.saturating_sub(share.processors);
    }
}

/// Whether shares serve a job: all its processors, within its budget.
fn is_served(market: &CapacityMarket, job: usize, shares: &[Share]) -> bool {
    let alone = CapacityMarket { sites: market.sites.clone(), jobs: vec![market.jobs[job].clone()] };
    !shares.is_empty() && Division { shares: vec![shares.to_vec()] }.worth(&alone).is_some()
}

/// The least cost at which these jobs are divided; nothing where that is too much work.
fn flow_of(market: &CapacityMarket, jobs: &[usize]) -> Vec<Vec<Share>> {
    let cost = |job: usize, site: usize| {
        let terms = market.terms(job, site).filter(|_| market.in_time(job, site))?;
        Some(i128::from(terms.cost.as_micros()))
    };
    let costs = |job: &usize| (0..market.sites.len()).map(|site| cost(*job, site)).collect::<Vec<_>>();
    let costs: Vec<Vec<Option<i128>>> = jobs.iter().map(costs).collect();
    let dearest = costs.iter().flatten().flatten().copied().max().unwrap_or(1).max(1);
    let supply = |(job, costs): (&usize, Vec<Option<i128>>)| Supply {
        units: market.jobs[*job].tasks,
        costs,
        out: 2 * dearest * i128::from(market.jobs[*job].weight),
    };
    let supplies = jobs.iter().zip(costs).map(supply).collect();
    let room: Vec<u32> = market.sites.iter().map(|site| site.processors).collect();
    let shares = |units: Vec<(u32, u32)>| {
        units.into_iter().map(|(site, processors)| Share { site, processors }).collect()
    };
    match transport(&room, supplies) {
        Some(flow) => flow.units.into_iter().map(shares).collect(),
        None => vec![Vec::new(); jobs.len()],
    }
}

/// Places who is out, one after the other, on the cheapest processors that are left.
fn complete(market: &CapacityMarket, left: &mut CapacityMarket, division: &mut Division) {
    for job in greedy::order(market) {
        if !division.shares[job].is_empty() || market.jobs[job].kind == Splitting::SingleSite {
            continue;
        }
        let sites = (0..market.sites.len()).filter(|site| left.in_time(job, *site));
        let mut sites: Vec<_> = sites.filter_map(|site| Some((left.terms(job, site)?.cost, site))).collect();
        sites.sort_unstable();
        let mut missing = market.jobs[job].tasks;
        let mut shares = Vec::new();
        for (_, site) in sites {
            let processors = left.sites[site].processors.min(missing);
            missing -= processors;
            if let (1.., Ok(site)) = (processors, u32::try_from(site)) {
                shares.push(Share { site, processors });
            }
        }
        shares.sort_unstable_by_key(|share| share.site);
        if missing == 0 && is_served(market, job, &shares) {
            take(left, &shares);
            division.shares[job] = shares;
        }
    }
}

/// Those who are served, divided once more together.
fn again(market: &CapacityMarket, division: &Division, jobs: &[usize]) -> Division {
    let served: Vec<usize> = jobs.iter().copied().filter(|job| !division.shares[*job].is_empty()).collect();
    let mut left = market.clone();
    let mut together = division.clone();
    for (job, shares) in division.shares.iter().enumerate() {
        if market.jobs[job].kind == Splitting::SingleSite {
            take(&mut left, shares);
        }
    }
    for (job, shares) in served.iter().zip(flow_of(&left, &served)) {
        together.shares[*job] = shares;
    }
    together
}

#[cfg(test)]
mod tests;
