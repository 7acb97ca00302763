//! Which jobs may go where, at what cost, taking how much: the single-site assignment problem as data.
//!
//! Every method works on this and on nothing else, so a method cannot bend a rule. Pairs that break a budget or a
//! deadline are not in it: [`CapacityMarket`](super::CapacityMarket) leaves them out when it builds an instance.

/// One way to place one job: all of it on one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The site, by position.
    pub site: u32,
    /// How much of the site's capacity it takes.
    pub takes: u32,
    /// What it costs, in whole numbers (micro-credits, for markets).
    pub cost: i64,
}

/// Whether jobs may stay out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serve {
    /// Serve the greatest total weight first, then at the least cost.
    Most,
    /// Every job must be placed; without that there is no solution.
    All,
}

/// What one job may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// What serving it is worth beside other jobs; at least one.
    pub weight: u32,
    /// Where it may go; each site at most once.
    pub pairs: Vec<Pair>,
}

/// A single-site assignment problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    capacities: Vec<u32>,
    weights: Vec<u32>,
    /// The pairs of job `j` are `pairs[first[j]..first[j + 1]]`, in order of site.
    first: Vec<usize>,
    pairs: Vec<Pair>,
    serve: Serve,
}

/// Why an instance was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstanceError {
    /// A pair names a site that does not exist.
    #[error("job {job} has a pair on site {site}, which does not exist")]
    UnknownSite {
        /// The job, by position.
        job: usize,
        /// The site, by position.
        site: u32,
    },
    /// A job has two pairs on one site.
    #[error("job {job} has two pairs on site {site}")]
    SiteTwice {
        /// The job, by position.
        job: usize,
        /// The site, by position.
        site: u32,
    },
    /// A weight of zero.
    #[error("job {job} has a weight of zero")]
    NoWeight {
        /// The job, by position.
        job: usize,
    },
    /// A cost is negative, or all costs together could leave the range of numbers.
    #[error("a cost of job {job} is negative, or all costs together are too large")]
    CostOutOfRange {
        /// The job, by position.
        job: usize,
    },
}

/// All jobs' dearest pairs together cost at most this, so that sums, and differences of sums, stay in 64 bits.
pub const COST_LIMIT: i64 = i64::MAX / 1_000;

impl Instance {
    /// An instance of these sites and jobs. Pairs that do not fit an empty site are left out.
    pub fn new(capacities: Vec<u32>, jobs: Vec<Choices>, serve: Serve) -> Result<Instance, InstanceError> {
        let mut first = Vec::with_capacity(jobs.len() + 1);
        first.push(0);
        let mut pairs = Vec::with_capacity(jobs.iter().map(|job| job.pairs.len()).sum());
        let mut weights = Vec::with_capacity(jobs.len());
        let mut cost_most = 0_i64;
        for (job, choices) in jobs.into_iter().enumerate() {
            if choices.weight == 0 {
                return Err(InstanceError::NoWeight { job });
            }
            weights.push(choices.weight);
            let dearest = add_pairs(&mut pairs, job, choices.pairs, &capacities)?;
            cost_most = cost_most
                .checked_add(dearest)
                .filter(|sum| *sum <= COST_LIMIT)
                .ok_or(InstanceError::CostOutOfRange { job })?;
            first.push(pairs.len());
        }
        Ok(Instance { capacities, weights, first, pairs, serve })
    }

    /// What each site has.
    pub fn capacities(&self) -> &[u32] {
        &self.capacities
    }

    /// How many jobs there are.
    pub fn jobs(&self) -> usize {
        self.weights.len()
    }

    /// What serving a job is worth.
    pub fn weight(&self, job: usize) -> u32 {
        self.weights[job]
    }

    /// What serving all jobs is worth.
    pub fn weight_all(&self) -> u64 {
        self.weights.iter().copied().map(u64::from).sum()
    }

    /// Where a job may go, in order of site.
    pub fn pairs(&self, job: usize) -> &[Pair] {
        &self.pairs[self.first[job]..self.first[job + 1]]
    }

    /// How many pairs there are.
    pub fn pairs_all(&self) -> usize {
        self.pairs.len()
    }

    /// The pair of a job and a site, where it may go there.
    pub fn pair(&self, job: usize, site: u32) -> Option<Pair> {
        let pairs = self.pairs(job);
        pairs.binary_search_by_key(&site, |pair| pair.site).ok().map(|at| pairs[at])
    }

    /// Whether it is plain that not all jobs can be placed: one may go nowhere, or together they take more than all
    /// sites have even where each takes least. `false` says nothing.
    pub fn is_plainly_overfull(&self) -> bool {
        let least = |job| self.pairs(job).iter().map(|pair| u64::from(pair.takes)).min();
        let needed: Option<u64> = (0..self.jobs()).map(least).sum();
        needed.is_none_or(|needed| needed > self.capacities.iter().copied().map(u64::from).sum())
    }

    /// Whether jobs may stay out.
    pub fn serve(&self) -> Serve {
        self.serve
    }
}

/// Adds the pairs of one job in order of site; gives the dearest cost.
fn add_pairs(
    all: &mut Vec<Pair>,
    job: usize,
    mut pairs: Vec<Pair>,
    capacities: &[u32],
) -> Result<i64, InstanceError> {
    pairs.sort_unstable_by_key(|pair| pair.site);
    let mut dearest = 0;
    for (at, pair) in pairs.iter().enumerate() {
        let site = pair.site;
        let capacity = capacities.get(site as usize).ok_or(InstanceError::UnknownSite { job, site })?;
        if at > 0 && pairs[at - 1].site == site {
            return Err(InstanceError::SiteTwice { job, site });
        }
        if pair.cost < 0 {
            return Err(InstanceError::CostOutOfRange { job });
        }
        if pair.takes <= *capacity {
            dearest = dearest.max(pair.cost);
            all.push(*pair);
        }
    }
    Ok(dearest)
}

/// Where every job goes: a site, or nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The site of each job, by position; `None` is back to the queue.
    pub sites: Vec<Option<u32>>,
}

/// What an assignment is worth: first the weight that it serves, then its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worth {
    /// The total weight of the jobs served.
    pub weight: u64,
    /// How many jobs are served.
    pub jobs: usize,
    /// What they cost together.
    pub cost: i64,
}

impl Worth {
    /// Whether this is better: more weight served, or the same at less cost.
    pub fn beats(&self, other: &Worth) -> bool {
        (self.weight, -self.cost) > (other.weight, -other.cost)
    }
}

impl Assignment {
    /// Nothing placed.
    pub fn empty(jobs: usize) -> Assignment {
        Assignment { sites: vec![None; jobs] }
    }

    /// What it is worth; `None` when it is for another instance, uses a pair that does not exist or overfills a site.
    pub fn worth(&self, instance: &Instance) -> Option<Worth> {
        let mut left = instance.capacities().to_vec();
        let mut worth = Worth { weight: 0, jobs: 0, cost: 0 };
        if self.sites.len() != instance.jobs() {
            return None;
        }
        for (job, site) in self.sites.iter().enumerate() {
            let Some(site) = *site else { continue };
            let pair = instance.pair(job, site)?;
            let room = &mut left[site as usize];
            *room = room.checked_sub(pair.takes)?;
            worth.weight += u64::from(instance.weight(job));
            worth.jobs += 1;
            worth.cost += pair.cost;
        }
        Some(worth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plainly_too_much_is_seen() {
        let overfull = |capacities: &[u32], takes: &[&[u32]]| {
            let jobs = takes.iter().map(|takes| {
                let pairs = (0..).zip(*takes).map(|(site, takes)| Pair { site, takes: *takes, cost: 1 });
                Choices { weight: 1, pairs: pairs.collect() }
            });
            Instance::new(capacities.to_vec(), jobs.collect(), Serve::All).unwrap().is_plainly_overfull()
        };
        assert!(!overfull(&[2, 2], &[&[2, 3], &[3, 2]]));
        assert!(overfull(&[2, 2], &[&[3, 3], &[1, 1]]), "the first fits nowhere");
        assert!(overfull(&[2, 2], &[&[2, 2], &[2, 2], &[1, 1]]), "five of four");
        assert!(!overfull(&[3, 3], &[&[2, 2], &[2, 2], &[2, 2]]), "three do not fit, which is not plain");
    }
}
