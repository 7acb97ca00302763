//! The linear relaxation without a solver: processors instead of jobs, each at its cheapest, by exact moves.
//!
//! **Problem.** A job that takes as many processors wherever it goes may, in the relaxation, be divided over sites: a transportation
//! problem from jobs to sites, with a dummy site of any size whose price is above all others. Its optimum is whole in processors.
//!
//! **Method.** Jobs come one after the other; each goes along the cheapest way to a site with room, moving processors of others on
//! where that is cheaper (successive shortest paths, Bellman and Ford over the sites). After every step what is placed is placed at the least
//! cost, so that no way has a circle that saves anything. All is counted in whole numbers, ties go to the lower site: the same everywhere,
//! in every build.
//!
//! **Complexity.** O(parts · sites + sites³) a step, and a job needs as many steps as its processors meet sites. [`transport()`] refuses
//! what could take too long.
//!
//! ```
//! use walras_assign::transport::{Supply, transport};
//! // Two processors at one credit each, and two at three: a job of three processors takes both kinds.
//! let job = Supply { units: 3, costs: vec![Some(1), Some(3)], out: 100 };
//! let flow = transport(&[2, 2], vec![job]).unwrap();
//! assert_eq!(flow.units, [vec![(0, 2), (1, 1)]]);
//! ```

use crate::mmc::{Part, Relaxed};
use walras_model::market::Instance;

/// Jobs times sites beyond which nothing is tried: a second of work and not minutes.
const PAIRS_MAX: usize = 400_000;
/// What the dummy costs, in dearest pairs for each weight, as in [`mmc`](crate::mmc).
const DUMMY: i128 = 2;
/// Costs of processors are counted in parts of this size, so that dividing a job's cost by its processors loses nothing that matters.
const PARTS: i128 = 1_024;

/// What a job sends to sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supply {
    /// How many processors.
    pub units: u32,
    /// By site, what one costs there; `None` where it may not go.
    pub costs: Vec<Option<i128>>,
    /// What one costs that stays out.
    pub out: i128,
}

/// Where processors go: by job, the sites with how many, in order of site. What is missing stays out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Sites and processors of each job.
    pub units: Vec<Vec<(u32, u32)>>,
}

/// The relaxation of an instance, for [`mmc::round`](crate::mmc::round); `None` where a job takes different amounts, or where it
/// would be too much work.
pub fn relax(instance: &Instance) -> Option<Relaxed> {
    let flow = transport(instance.capacities(), supplies(instance)?)?;
    let fraction = |job: usize, (site, units): (u32, u32)| {
        let takes = instance.pair(job, site).map_or(1, |pair| pair.takes.max(1));
        Part { site, fraction: f64::from(units) / f64::from(takes) }
    };
    let of_job = |(job, parts): (usize, &Vec<(u32, u32)>)| {
        parts.iter().map(|part| fraction(job, *part)).collect::<Vec<Part>>()
    };
    Some(Relaxed { parts: flow.units.iter().enumerate().map(of_job).collect() })
}

fn supplies(instance: &Instance) -> Option<Vec<Supply>> {
    let all = (0..instance.jobs()).flat_map(|job| instance.pairs(job));
    let dearest = i128::from(all.map(|pair| pair.cost).max().unwrap_or(1).max(1));
    let supply = |job: usize| {
        let pairs = instance.pairs(job);
        let units = pairs.first().map_or(0, |pair| pair.takes);
        let mut costs = vec![None; instance.capacities().len()];
        for pair in pairs {
            if pair.takes != units || units == 0 {
                return None;
            }
            costs[pair.site as usize] = Some(i128::from(pair.cost) * PARTS / i128::from(units));
        }
        let out = DUMMY * dearest * i128::from(instance.weight(job)) * PARTS / i128::from(units.max(1));
        Some(Supply { units, costs, out })
    };
    (0..instance.jobs()).map(supply).collect()
}

/// The least cost at which all processors go somewhere, or stay out; `None` where it would be too much work.
pub fn transport(capacities: &[u32], mut jobs: Vec<Supply>) -> Option<Flow> {
    if jobs.len().saturating_mul(capacities.len()) > PAIRS_MAX {
        return None;
    }
    for job in &mut jobs {
        job.costs.resize(capacities.len(), None);
        job.costs.push(Some(job.out));
    }
    let mut network = Network {
        room: capacities.iter().copied().map(Some).chain([None]).collect(),
        on: vec![Vec::new(); capacities.len() + 1],
        rows: jobs,
    };
    for job in 0..network.rows.len() {
        network.place(job);
    }
    let mut units: Vec<Vec<(u32, u32)>> = vec![Vec::new(); network.rows.len()];
    for (site, parts) in (0_u32..).zip(&network.on[..capacities.len()]) {
        for (job, count) in parts {
            units[*job].push((site, *count));
        }
    }
    Some(Flow { units })
}

/// What is placed so far.
struct Network {
    /// What is left of each site; the dummy, which is the last, never ends.
    room: Vec<Option<u32>>,
    /// By site, the jobs there with their processors.
    on: Vec<Vec<(usize, u32)>>,
    /// The jobs; the dummy is the last of their sites.
    rows: Vec<Supply>,
}

/// How a site is reached at the least cost: from which site, by moving whose processors; from nowhere by the job itself.
#[derive(Clone, Copy)]
struct Step {
    cost: i128,
    from: Option<(usize, usize)>,
}

impl Network {
    fn place(&mut self, job: usize) {
        let mut left = self.rows[job].units;
        while left > 0 {
            let paths = self.paths(job);
            let open = |site: &usize| self.room[*site] != Some(0);
            let ends = (0..self.room.len()).filter(open).filter_map(|site| Some((paths[site]?.cost, site)));
            let Some((_, end)) = ends.min() else { return };
            left -= self.push(job, left, end, &paths);
        }
    }

    /// The cheapest path to every site.
    fn paths(&self, job: usize) -> Vec<Option<Step>> {
        let first = |cost: &Option<i128>| cost.map(|cost| Step { cost, from: None });
        let mut paths: Vec<Option<Step>> = self.rows[job].costs.iter().map(first).collect();
        let moves = self.moves();
        // Without circles that save anything, no path needs more steps than there are sites.
        for _ in 0..paths.len() {
            let mut better = false;
            for (from, to, of, cost) in &moves {
                let Some(here) = paths[*from] else { continue };
                let cost = here.cost + cost;
                if paths[*to].is_none_or(|path| cost < path.cost) {
                    paths[*to] = Some(Step { cost, from: Some((*from, *of)) });
                    better = true;
                }
            }
            if !better {
                break;
            }
        }
        paths
    }

    /// For every two sites the cheapest move from one to the other, and of whose processors.
    fn moves(&self) -> Vec<(usize, usize, usize, i128)> {
        let mut moves = Vec::new();
        for (from, parts) in self.on.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            for to in (0..self.on.len()).filter(|to| *to != from) {
                let costs = parts.iter().filter_map(|(job, _)| {
                    let costs = &self.rows[*job].costs;
                    Some((costs[to]? - costs[from]?, *job))
                });
                moves.extend(costs.min().map(|(cost, job)| (from, to, job, cost)));
            }
        }
        moves
    }

    /// Sends as many processors as the path allows; says how many.
    fn push(&mut self, job: usize, left: u32, end: usize, paths: &[Option<Step>]) -> u32 {
        let mut amount = self.room[end].map_or(left, |room| room.min(left));
        let mut path = Vec::new();
        let mut at = end;
        while let Some((from, of)) = paths[at].and_then(|step| step.from).filter(|_| path.len() < paths.len())
        {
            amount = amount.min(self.units(from, of));
            path.push((from, at, of));
            at = from;
        }
        for (from, to, of) in path {
            self.change(from, of, |units| units - amount);
            self.change(to, of, |units| units + amount);
        }
        self.change(at, job, |units| units + amount);
        if let Some(room) = &mut self.room[end] {
            *room -= amount;
        }
        amount
    }

    fn units(&self, site: usize, job: usize) -> u32 {
        self.on[site].iter().find(|(of, _)| *of == job).map_or(0, |(_, units)| *units)
    }

    fn change(&mut self, site: usize, job: usize, change: impl Fn(u32) -> u32) {
        let units = change(self.units(site, job));
        self.on[site].retain(|(of, _)| *of != job);
        if units > 0 {
            self.on[site].push((job, units));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use walras_model::market::{Choices, Pair, Serve};

    /// What a flow costs, with what stays out.
    fn cost(jobs: &[Supply], units: &[Vec<(u32, u32)>]) -> i128 {
        let of_job = |(job, parts): (&Supply, &Vec<(u32, u32)>)| {
            let placed: u32 = parts.iter().map(|(_, units)| units).sum();
            let there =
                parts.iter().map(|(site, units)| job.costs[*site as usize].unwrap() * i128::from(*units));
            there.sum::<i128>() + job.out * i128::from(job.units - placed)
        };
        jobs.iter().zip(units).map(of_job).sum()
    }

    /// The least over all ways to put every processor somewhere.
    fn least(jobs: &[Supply], done: u32, room: &mut [u32]) -> i128 {
        let Some((job, others)) = jobs.split_first() else { return 0 };
        if done == job.units {
            return least(others, 0, room);
        }
        let mut best = job.out + least(jobs, done + 1, room);
        for site in 0..room.len() {
            let Some(cost) = job.costs[site].filter(|_| room[site] > 0) else { continue };
            room[site] -= 1;
            best = best.min(cost + least(jobs, done + 1, room));
            room[site] += 1;
        }
        best
    }

    fn jobs() -> impl Strategy<Value = Vec<Supply>> {
        let costs = prop::collection::vec(prop::option::of(1_i128..30), 3);
        let job =
            (1_u32..=3, costs, 10_i128..60).prop_map(|(units, costs, out)| Supply { units, costs, out });
        prop::collection::vec(job, 1..=4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn no_flow_costs_less(jobs in jobs(), room in prop::collection::vec(0_u32..=3, 3)) {
            let found = transport(&room, jobs.clone()).unwrap();
            let mut left = room.clone();
            for (site, units) in found.units.iter().flatten() {
                prop_assert!(*units <= left[*site as usize]);
                left[*site as usize] -= units;
            }
            prop_assert_eq!(cost(&jobs, &found.units), least(&jobs, 0, &mut room.clone()));
        }
    }

    #[test]
    fn jobs_that_take_different_amounts_are_no_flow() {
        let pairs = vec![Pair { site: 0, takes: 1, cost: 1 }, Pair { site: 1, takes: 2, cost: 1 }];
        let jobs = vec![Choices { weight: 1, pairs }];
        assert_eq!(relax(&Instance::new(vec![2, 2], jobs, Serve::Most).unwrap()), None);
    }
}
