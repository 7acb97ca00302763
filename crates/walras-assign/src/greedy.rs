//! One job after the other, each to the best site that still has room: the paper's yardstick.
//!
//! **Order.** The paper sorts jobs by a QoS index that it does not print. Our reading: the earliest deadline first;
//! jobs without one come last, and ties keep the order of the batch.
//!
//! **Sites.** The paper sorts sites by their price per second ([`Ranking::by_price`]). With speeds that differ, that is
//! not what the job costs there: a cheap slow site may be the dearest. [`Ranking::by_cost`] sorts by the job's cost.
//!
//! A job that fits nowhere stays out; nothing is moved for it. O(pairs · log) for the ranking, O(pairs) for the rest.
//!
//! ```
//! use walras_assign::{greedy::{self}, greedy::Ranking};
//! use walras_model::market::{Choices, Instance, Pair, Serve};
//! let pair = |site, takes, cost| Pair { site, takes, cost };
//! let jobs = vec![
//!     Choices { weight: 1, pairs: vec![pair(0, 2, 10), pair(1, 2, 30)] },
//!     Choices { weight: 1, pairs: vec![pair(0, 2, 10), pair(1, 2, 90)] },
//! ];
//! let instance = Instance::new(vec![2, 2], jobs, Serve::Most).unwrap();
//! let found = greedy::assign(&instance, &Ranking::by_cost(&instance, vec![0, 1]));
//! assert_eq!(found.sites, [Some(0), Some(1)]);
//! assert_eq!(found.worth(&instance).unwrap().cost, 100);
//! ```

use walras_model::market::{Assignment, CapacityMarket, Instance, Pair};

/// Which job chooses first, and which site each job takes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// Jobs by position, each once, the first to choose first.
    order: Vec<usize>,
    /// For each job its pairs, the most wanted first.
    wishes: Vec<Vec<Pair>>,
}

impl Ranking {
    /// The cheapest site for the job first. Jobs choose in this order; those that it leaves out come last.
    pub fn by_cost(instance: &Instance, order: Vec<usize>) -> Ranking {
        Ranking::new(instance, order, |_, pair| pair.cost)
    }

    /// The site with the lowest price per second first, whatever its speed.
    pub fn by_price(market: &CapacityMarket, instance: &Instance) -> Ranking {
        let price = |job: usize, pair: &Pair| {
            let user = market.jobs.get(job).and_then(|demand| demand.user.as_deref());
            let site = market.sites.get(pair.site as usize);
            site.map_or(i64::MAX, |site| site.price_for(user).as_micros_per_second())
        };
        Ranking::new(instance, order(market), price)
    }

    fn new(instance: &Instance, order: Vec<usize>, key: impl Fn(usize, &Pair) -> i64) -> Ranking {
        let wishes = (0..instance.jobs()).map(|job| {
            let mut pairs = instance.pairs(job).to_vec();
            pairs.sort_by_cached_key(|pair| (key(job, pair), pair.cost, pair.site));
            pairs
        });
        Ranking { wishes: wishes.collect(), order: completed(order, instance.jobs()) }
    }

    /// Jobs by position, the first to choose first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Where a job wants to go, best first.
    pub fn wishes(&self, job: usize) -> &[Pair] {
        &self.wishes[job]
    }
}

/// Every job once: what the order repeats or invents is dropped, what it forgets comes last.
fn completed(order: Vec<usize>, jobs: usize) -> Vec<usize> {
    let mut missing = vec![true; jobs];
    let mut whole: Vec<usize> = order
        .into_iter()
        .filter(|job| missing.get_mut(*job).is_some_and(|missing| std::mem::replace(missing, false)))
        .collect();
    whole.extend((0..jobs).filter(|job| missing[*job]));
    whole
}

/// The jobs by QoS index: earliest deadline first, those without one last, ties as in the batch.
pub fn order(market: &CapacityMarket) -> Vec<usize> {
    let mut order: Vec<usize> = (0..market.jobs.len()).collect();
    order.sort_by_key(|job| {
        let within = market.jobs[*job].within;
        (within.is_none(), within)
    });
    order
}

/// Places the jobs one after the other.
pub fn assign(instance: &Instance, ranking: &Ranking) -> Assignment {
    complete(instance, ranking, Assignment::empty(instance.jobs()))
}

/// Places the jobs that are still out, one after the other, and leaves the others where they are.
///
/// Placed jobs that may not be where they are, or do not fit beside those of higher rank, are put out first.
pub fn complete(instance: &Instance, ranking: &Ranking, mut assignment: Assignment) -> Assignment {
    let mut left = instance.capacities().to_vec();
    assignment.sites.resize(instance.jobs(), None);
    for job in ranking.order.iter().copied() {
        let site = &mut assignment.sites[job];
        let pair = site.and_then(|site| instance.pair(job, site));
        *site = pair.filter(|pair| take(&mut left, pair)).map(|pair| pair.site);
    }
    for job in ranking.order.iter().copied() {
        if assignment.sites[job].is_none() {
            let free = ranking.wishes[job].iter().find(|pair| take(&mut left, pair));
            assignment.sites[job] = free.map(|pair| pair.site);
        }
    }
    assignment
}

/// Takes what the pair needs, if there is as much.
fn take(left: &mut [u32], pair: &Pair) -> bool {
    let room = &mut left[pair.site as usize];
    let fits = pair.takes <= *room;
    if fits {
        *room -= pair.takes;
    }
    fits
}
