//! Everything is tried.

use walras_assign::split::{Division, Share};
use walras_model::market::{Assignment, CapacityMarket, Instance, Splitting, Worth};

const NOTHING: Worth = Worth { weight: 0, jobs: 0, cost: 0 };

/// The best worth of all assignments.
pub(crate) fn assignments(instance: &Instance) -> Worth {
    let mut best = NOTHING;
    let mut tried = Assignment::empty(instance.jobs());
    try_sites(instance, 0, &mut tried, &mut best);
    best
}

fn try_sites(instance: &Instance, job: usize, tried: &mut Assignment, best: &mut Worth) {
    let Some(worth) = tried.worth(instance) else { return };
    if worth.beats(best) {
        *best = worth;
    }
    if job == instance.jobs() {
        return;
    }
    for site in 0..instance.capacities().len() {
        tried.sites[job] = Some(u32::try_from(site).unwrap());
        try_sites(instance, job + 1, tried, best);
    }
    tried.sites[job] = None;
    try_sites(instance, job + 1, tried, best);
}

/// The best worth of all divisions.
pub(crate) fn divisions(market: &CapacityMarket) -> Worth {
    let ways: Vec<Vec<Vec<Share>>> = (0..market.jobs.len())
        .map(|job| {
            let mut ways = vec![vec![]];
            all_ways(market, job, 0, market.jobs[job].tasks, &mut vec![], &mut ways);
            ways
        })
        .collect();
    let mut best = NOTHING;
    try_ways(market, &ways, &mut Division { shares: vec![] }, &mut best);
    best
}

fn all_ways(
    market: &CapacityMarket,
    job: usize,
    site: usize,
    left: u32,
    way: &mut Vec<Share>,
    ways: &mut Vec<Vec<Share>>,
) {
    if left == 0 {
        ways.push(way.clone());
    }
    if left == 0 || site == market.sites.len() {
        return;
    }
    all_ways(market, job, site + 1, left, way, ways);
    let least = if market.jobs[job].kind == Splitting::SingleSite { left } else { 1 };
    for processors in least..=left.min(market.sites[site].processors) {
        way.push(Share { site: u32::try_from(site).unwrap(), processors });
        all_ways(market, job, site + 1, left - processors, way, ways);
        way.pop();
    }
}

fn try_ways(market: &CapacityMarket, ways: &[Vec<Vec<Share>>], tried: &mut Division, best: &mut Worth) {
    let job = tried.shares.len();
    let mut whole = tried.clone();
    whole.shares.resize(market.jobs.len(), vec![]);
    let Some(worth) = whole.worth(market) else { return };
    if worth.beats(best) {
        *best = worth;
    }
    if job == ways.len() {
        return;
    }
    for way in &ways[job] {
        tried.shares.push(way.clone());
        try_ways(market, ways, tried, best);
        tried.shares.pop();
    }
}
