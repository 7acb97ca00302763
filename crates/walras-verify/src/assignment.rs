//! An independent check of assignments to capacity.
//!
//! **Problem.** Somebody hands in an assignment: processors of jobs on sites, with costs, totals and a bound. Say
//! everything that is wrong with it.
//!
//! **Method.** As for plans, nothing in the claim is trusted and no arithmetic is shared with what made it: run times
//! and costs are derived again from the [`CapacityMarket`] (or read from the [`Instance`], where costs are given) in 128
//! bits. Each placement is checked by itself, then each job, each site, the totals and the bound.
//!
//! **Complexity.** O(p log p) for p placements, plus the jobs and sites.
//!
//! ```
//! use walras_model::market::{Choices, Instance, Pair, Serve};
//! use walras_verify::{ClaimedAssignment, ClaimedPlacement, Misplaced, verify_instance_assignment};
//!
//! let pairs = vec![Pair { site: 0, takes: 2, cost: 7 }];
//! let instance = Instance::new(vec![3], vec![Choices { weight: 1, pairs }], Serve::Most).unwrap();
//! let placement = ClaimedPlacement { job: 0, site: 0, processors: 2, cost: 7 };
//! let mut claim = ClaimedAssignment {
//!     placements: vec![placement], jobs: 1, weight: 1, cost: 7, ..ClaimedAssignment::default()
//! };
//! assert_eq!(verify_instance_assignment(&claim, &instance), []);
//! claim.placements[0].cost = 6;
//! claim.cost = 6;
//! let violations = verify_instance_assignment(&claim, &instance);
//! assert!(matches!(violations[0], Misplaced::WrongCost { expected: 7, claimed: 6, .. }));
//! ```

use super::facts::{cost_micros, runtime_millis};
use super::misplaced::{Misplaced, PlacementAt, Total};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use walras_model::market::{CapacityMarket, Instance, Serve, Splitting};
use walras_model::quantity::Money;

/// What somebody says is an assignment. Jobs and sites are positions; nothing about them is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimedAssignment {
    /// What each job has on each site.
    pub placements: Vec<ClaimedPlacement>,
    /// The jobs that go nowhere.
    pub left_out: Vec<usize>,
    /// How many jobs are served.
    pub jobs: u64,
    /// What serving them is worth.
    pub weight: u64,
    /// What they cost, in micro-credits for markets.
    pub cost: i128,
    /// What no assignment is better than, where that is known.
    pub bound: Option<ClaimedBound>,
    /// Whether it is said to be the best.
    pub optimal: bool,
}

/// What one job has on one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedPlacement {
    /// The job.
    pub job: usize,
    /// The site.
    pub site: usize,
    /// How many processors, or how much of the site's capacity.
    pub processors: u32,
    /// What they cost.
    pub cost: i64,
}

/// What no assignment is better than.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedBound {
    /// No assignment serves more.
    pub weight: u64,
    /// None that serves so much costs less.
    pub cost: i128,
}

/// Checks an assignment of the jobs of a market; an empty list means that all is well.
pub fn verify_assignment(claim: &ClaimedAssignment, market: &CapacityMarket) -> Vec<Misplaced> {
    check(claim, &Sold { market })
}

/// The same for an instance whose costs are given.
pub fn verify_instance_assignment(claim: &ClaimedAssignment, instance: &Instance) -> Vec<Misplaced> {
    check(claim, &Given { instance })
}

/// What an assignment is held against.
trait Case {
    fn jobs(&self) -> usize;
    fn sites(&self) -> usize;
    fn capacity(&self, site: usize) -> u32;
    fn weight(&self, job: usize) -> u32;
    /// Whether the job may be on several sites.
    fn may_split(&self, job: usize) -> bool;
    fn must_serve(&self) -> bool;
    fn budget(&self, job: usize) -> Option<Money>;
    /// What the job needs in all when it is on this site alone; `None` where that is not said.
    fn needs(&self, job: usize, site: usize) -> Option<u32>;
    /// What this placement costs, noting what is wrong with it; `None` when that cannot be said.
    fn cost(&self, at: PlacementAt, processors: u32, wrong: &mut Vec<Misplaced>) -> Option<i128>;
}

/// A market: costs follow from prices, speeds and lengths.
struct Sold<'a> {
    market: &'a CapacityMarket,
}

impl Case for Sold<'_> {
    fn jobs(&self) -> usize {
        self.market.jobs.len()
    }

    fn sites(&self) -> usize {
        self.market.sites.len()
    }

    fn capacity(&self, site: usize) -> u32 {
        self.market.sites[site].processors
    }

    fn weight(&self, job: usize) -> u32 {
        self.market.jobs[job].weight
    }

    fn may_split(&self, job: usize) -> bool {
        self.market.jobs[job].kind == Splitting::Split
    }

    fn must_serve(&self) -> bool {
        false
    }

    fn budget(&self, job: usize) -> Option<Money> {
        self.market.jobs[job].budget
    }

    fn needs(&self, job: usize, _: usize) -> Option<u32> {
        Some(self.market.jobs[job].tasks)
    }

    fn cost(&self, at: PlacementAt, processors: u32, wrong: &mut Vec<Misplaced>) -> Option<i128> {
        let (demand, capacity) = (&self.market.jobs[at.job], &self.market.sites[at.site]);
        let listed = |sites: &Vec<u32>| sites.iter().any(|site| *site as usize == at.site);
        if !demand.sites.as_ref().is_none_or(listed) {
            wrong.push(Misplaced::NotAllowed { at });
        }
        if processors == 0 {
            wrong.push(Misplaced::Nothing { at });
        }
        let runtime = runtime_millis(demand.work, capacity.speed);
        if let Some(within) = demand.within
            && runtime > i128::from(within.as_millis())
        {
            wrong.push(Misplaced::TooLate { at, within, runtime });
        }
        let own = demand.user.as_ref().and_then(|user| capacity.prices.get(user));
        let one = cost_micros(*own.unwrap_or(&capacity.price), runtime);
        // What leaves 128 bits is no cost that anybody can state.
        Some(one.and_then(|one| one.checked_mul(i128::from(processors))).unwrap_or(i128::MAX))
    }
}

/// An instance: costs are given.
struct Given<'a> {
    instance: &'a Instance,
}

impl Given<'_> {
    /// What the job takes on the site, and what that costs, where it may go there.
    fn pair(&self, job: usize, site: usize) -> Option<(u32, i64)> {
        let mut pairs = self.instance.pairs(job).iter();
        pairs.find(|pair| pair.site as usize == site).map(|pair| (pair.takes, pair.cost))
    }
}

impl Case for Given<'_> {
    fn jobs(&self) -> usize {
        self.instance.jobs()
    }

    fn sites(&self) -> usize {
        self.instance.capacities().len()
    }

    fn capacity(&self, site: usize) -> u32 {
        self.instance.capacities()[site]
    }

    fn weight(&self, job: usize) -> u32 {
        self.instance.weight(job)
    }

    fn may_split(&self, _: usize) -> bool {
        false
    }

    fn must_serve(&self) -> bool {
        self.instance.serve() == Serve::All
    }

    fn budget(&self, _: usize) -> Option<Money> {
        None
    }

    fn needs(&self, job: usize, site: usize) -> Option<u32> {
        self.pair(job, site).map(|(takes, _)| takes)
    }

    fn cost(&self, at: PlacementAt, _: u32, wrong: &mut Vec<Misplaced>) -> Option<i128> {
        let pair = self.pair(at.job, at.site);
        if pair.is_none() {
            wrong.push(Misplaced::NotAllowed { at });
        }
        pair.map(|(_, cost)| i128::from(cost))
    }
}

/// What the placements of one job come to.
#[derive(Clone, Copy)]
struct Served {
    /// The position of the first placement, and its site.
    first: (usize, usize),
    processors: u64,
    cost: i128,
}

fn check(claim: &ClaimedAssignment, case: &dyn Case) -> Vec<Misplaced> {
    let mut wrong = Vec::new();
    let mut taken = vec![0_u64; case.sites()];
    let served = check_placements(claim, case, &mut taken, &mut wrong);
    for (job, served) in &served {
        check_job(*job, served, case, &mut wrong);
    }
    for (site, taken) in taken.into_iter().enumerate() {
        let capacity = case.capacity(site);
        if taken > u64::from(capacity) {
            wrong.push(Misplaced::Overfilled { site, capacity, taken });
        }
    }
    check_left_out(claim, case, &served, &mut wrong);
    check_totals(claim, case, &served, &mut wrong);
    check_bound(claim, &mut wrong);
    wrong
}

/// Checks each placement by itself; gives what each job has, and fills in what each site gives.
fn check_placements(
    claim: &ClaimedAssignment,
    case: &dyn Case,
    taken: &mut [u64],
    wrong: &mut Vec<Misplaced>,
) -> BTreeMap<usize, Served> {
    let mut served: BTreeMap<usize, Served> = BTreeMap::new();
    let mut on_site: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (index, placement) in claim.placements.iter().enumerate() {
        let ClaimedPlacement { job, site, processors, cost } = *placement;
        let claimed = i128::from(cost);
        let at = PlacementAt { index, job, site };
        if job >= case.jobs() {
            wrong.push(Misplaced::UnknownJob { at });
            continue;
        }
        let Some(taken) = taken.get_mut(site) else {
            wrong.push(Misplaced::UnknownSite { at });
            continue;
        };
        *taken += u64::from(processors);
        let expected = case.cost(at, processors, wrong);
        if let Some(expected) = expected.filter(|expected| *expected != claimed) {
            wrong.push(Misplaced::WrongCost { at, expected, claimed });
        }
        let cost = expected.unwrap_or(claimed);
        let earlier = *on_site.entry((job, site)).or_insert(index);
        match served.entry(job) {
            Entry::Vacant(entry) => {
                entry.insert(Served { first: (index, site), processors: processors.into(), cost });
            }
            Entry::Occupied(mut entry) => {
                let served = entry.get_mut();
                if !case.may_split(job) || earlier < index {
                    let first = if earlier < index { earlier } else { served.first.0 };
                    wrong.push(Misplaced::Twice { at, first });
                }
                served.processors += u64::from(processors);
                served.cost = served.cost.saturating_add(cost);
            }
        }
    }
    served
}

fn check_job(job: usize, served: &Served, case: &dyn Case, wrong: &mut Vec<Misplaced>) {
    let expected = case.needs(job, served.first.1).map(u64::from);
    if let Some(expected) = expected.filter(|expected| *expected != served.processors) {
        wrong.push(Misplaced::WrongProcessors { job, expected, claimed: served.processors });
    }
    if let Some(budget) = case.budget(job)
        && served.cost > i128::from(budget.as_micros())
    {
        wrong.push(Misplaced::OverBudget { job, budget, cost: served.cost });
    }
}

fn check_left_out(
    claim: &ClaimedAssignment,
    case: &dyn Case,
    served: &BTreeMap<usize, Served>,
    wrong: &mut Vec<Misplaced>,
) {
    let mut accounted: Vec<bool> = (0..case.jobs()).map(|job| served.contains_key(&job)).collect();
    for job in claim.left_out.iter().copied() {
        match accounted.get_mut(job) {
            Some(accounted @ false) => {
                *accounted = true;
                if case.must_serve() {
                    wrong.push(Misplaced::NotServed { job });
                }
            }
            Some(true) | None => wrong.push(Misplaced::WronglyLeftOut { job }),
        }
    }
    let forgotten = accounted.iter().enumerate().filter(|(_, accounted)| !**accounted);
    wrong.extend(forgotten.map(|(job, _)| Misplaced::Forgotten { job }));
}

/// Holds the totals against what the placements themselves claim, so that one wrong cost is one violation.
fn check_totals(
    claim: &ClaimedAssignment,
    case: &dyn Case,
    served: &BTreeMap<usize, Served>,
    wrong: &mut Vec<Misplaced>,
) {
    let weight: i128 = served.keys().map(|job| i128::from(case.weight(*job))).sum();
    let cost: i128 = claim.placements.iter().map(|placement| i128::from(placement.cost)).sum();
    let jobs = i128::try_from(served.len()).unwrap_or(i128::MAX);
    let totals = [
        (Total::Jobs, jobs, i128::from(claim.jobs)),
        (Total::Weight, weight, i128::from(claim.weight)),
        (Total::Cost, cost, claim.cost),
    ];
    let differing = totals.into_iter().filter(|(_, expected, claimed)| expected != claimed);
    wrong.extend(differing.map(|(total, expected, claimed)| Misplaced::WrongTotal {
        total,
        expected,
        claimed,
    }));
}

fn check_bound(claim: &ClaimedAssignment, wrong: &mut Vec<Misplaced>) {
    let value = ClaimedBound { weight: claim.weight, cost: claim.cost };
    let beaten = claim.bound.is_some_and(|bound| {
        bound.weight < value.weight || (bound.weight == value.weight && bound.cost > value.cost)
    });
    if beaten {
        wrong.push(Misplaced::BoundBeaten);
    } else if claim.optimal && claim.bound != Some(value) {
        wrong.push(Misplaced::NotProven);
    }
}
