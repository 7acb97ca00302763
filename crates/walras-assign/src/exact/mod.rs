//! The assignment of whole jobs to sites, proven best or with a proven gap, at every size.
//!
//! **Problem.** Every job goes to one site or stays out; sites have capacities. First the greatest weight is to be
//! served, then the least cost paid: the generalised assignment problem, NP-hard.
//!
//! **Method.** Two bounds that approach each other.
//! 1. *How much can be served* (`packing`): jobs by size, sites by capacity, a small programme. Staying out then becomes one more
//!    site with that much room (`table`), and only cost is left.
//! 2. *From below*: the linear relaxation as a flow (`flow`), or tâtonnement where that is too large; from its prices,
//!    subgradient steps on the relaxation that lets sites choose jobs freely, a knapsack per site (`dual`, `knapsack`).
//! 3. *From above*: greedy, rounded flows and repaired relaxed solutions (`repair`), improved by chains of moves
//!    (`placing`) over the pairs that the prices show to matter (`reduce`); then dives from the prices (`dive`), which
//!    find most of what there is to find, and shaking (`shake`). Where sites must be full to the last unit, refills (`refill`): sites are
//!    emptied, closed one by one at next to no loss (`rest`, `closing`), and the last few filled by matching two lists (`halves`). Which of
//!    dives, refills and shakes finds nothing while others do has less of the time.
//! 4. *Both, where sites have one rate for all jobs*: a shortest path that counts like jobs, site by site (`rates`, `fit`,
//!    `matching`).
//! 5. *Both*: sets of jobs per site that lose less than the gap are listed and combined by a general solver
//!    (`patterns`, `programme`). When all of them took part, the best combination is the optimum; until then, it is
//!    a placing. Neighbourhoods of some sites are filled anew in the same way (`neighbourhood`).
//!
//! **Bounds.** [`ExactLimits`] bounds every part; [`Watch`] bounds the time. What is not proven when they are reached shows
//! as a gap. With [`NoWatch`] results repeat exactly. All bounds are whole numbers; the solver's floats only say which
//! columns to take (a proof by programme holds up to the solver's tolerances).
//!
//! **Sources.** Ross and Soland (1975) and Fisher, Jaikumar and Van Wassenhove (1986) for the relaxation; Yagiura, Ibaraki and
//! Glover (2004) for ejection chains; Horowitz and Sahni (1974) for meeting in the middle; Barahona and Anbil (2000) for reading a divided solution from how often it is wanted; Baldacci and others (2008) for proofs by listing what can still be better.
//!
//! ```
//! use walras_assign::exact::{ExactLimits, NoWatch, solve};
//! use walras_model::market::{Choices, Instance, Pair, Serve};
//! use walras_assign::program::{Answer, SolverEffort, LinearProgram, Solver};
//!
//! /// A solver that never knows: small problems need none.
//! struct Nobody;
//! impl Solver for Nobody {
//!     fn solve(&self, _: &LinearProgram, _: Option<&[f64]>, _: &SolverEffort) -> Answer {
//!         Answer::Unknown
//!     }
//! }
//!
//! let job = |a, b| Choices {
//!     weight: 1,
//!     pairs: vec![Pair { site: 0, takes: 1, cost: a }, Pair { site: 1, takes: 1, cost: b }],
//! };
//! let instance = Instance::new(vec![1, 1], vec![job(3, 5), job(1, 4)], Serve::Most).unwrap();
//! let solved = solve(&instance, &Nobody, &ExactLimits::default(), &NoWatch);
//! assert!(solved.is_optimal());
//! assert_eq!(solved.worth.cost, 6);
//! ```

mod closing;
mod dive;
mod dual;
mod fit;
mod flow;
mod halves;
mod kinds;
mod knapsack;
mod limits;
mod matching;
mod neighbourhood;
mod packing;
mod patterns;
mod placing;
mod programme;
mod rates;
mod reduce;
mod refill;
mod repair;
mod rest;
mod search;
mod shake;
mod table;

pub use limits::{ExactLimits, NoWatch, Watch};

use crate::program::Solver;
use placing::NONE;
use search::Search;
use table::{Nowhere, Table};
use walras_model::market::{Assignment, Instance, Serve, Worth};
use walras_model::quantity::rounding;

/// What was found, and what is proven of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// Where every job goes; `None` when all must be placed and no way to do so was found.
    pub assignment: Option<Assignment>,
    /// What it is worth.
    pub worth: Worth,
    /// No assignment serves more weight.
    pub weight_bound: u64,
    /// No assignment that serves as much weight costs less.
    pub cost_bound: i64,
    /// Passes over all sites.
    pub passes: u64,
}

impl Solved {
    /// Whether it is proven that nothing is better.
    pub fn is_optimal(&self) -> bool {
        self.assignment.is_some()
            && self.worth.weight == self.weight_bound
            && self.worth.cost == self.cost_bound
    }

    /// The relative distance of cost and bound.
    pub fn gap(&self) -> f64 {
        if self.worth.cost == 0 {
            0.0
        } else {
            (self.worth.cost - self.cost_bound) as f64 / self.worth.cost as f64
        }
    }
}

/// The best assignment that the limits allow, with bounds.
pub fn solve(instance: &Instance, solver: &dyn Solver, limits: &ExactLimits, watch: &dyn Watch) -> Solved {
    let all = instance.weight_all();
    let mut most = match instance.serve() {
        Serve::All => all,
        Serve::Most => weight_most(instance),
    };
    let mut packed = None;
    if most < all
        && instance.serve() == Serve::Most
        && let Some(packing) = packing::pack(instance, solver)
    {
        most = most.min(packing.weight);
        packed = Some(packing.sites);
    }
    let mut out = all - most;
    let mut weight_bound = most;
    let mut passes = 0;
    loop {
        let table = Table::new(instance, nowhere(instance, out));
        let site = (table.sites() > instance.capacities().len()).then_some(instance.capacities().len());
        let mut search = Search::new(table, site, solver, limits, watch);
        if let Some(sites) = &packed {
            search.begin(sites);
        }
        search.run();
        passes += search.passes;
        if search.best.missing == 0 || instance.serve() == Serve::All {
            return solved(instance, &search, weight_bound, passes);
        }
        if search.impossible && all - out == weight_bound && most - weight_bound < PROVEN_LESS_MAX {
            out += 1;
            weight_bound -= 1;
            continue;
        }
        packed = Some(search.best.sites.iter().map(|site| (*site != NONE).then_some(*site)).collect());
        let missing = search.best.sites.iter().enumerate().filter(|(_, site)| **site == NONE);
        out += missing.map(|(job, _)| u64::from(instance.weight(job))).sum::<u64>();
    }
}

/// How often the weight that can be served is lowered by proof, one by one.
const PROVEN_LESS_MAX: u64 = 64;

/// What staying out means when jobs of this weight must.
fn nowhere(instance: &Instance, out: u64) -> Nowhere {
    match (instance.serve(), u32::try_from(out)) {
        (Serve::All, _) | (_, Ok(0)) => Nowhere::Closed,
        (Serve::Most, room) => Nowhere::Room(room.unwrap_or(u32::MAX)),
    }
}

/// No assignment serves more weight: jobs fill all sites as if those were one, the weightiest for their size first.
fn weight_most(instance: &Instance) -> u64 {
    let mut jobs: Vec<(u64, u64)> = (0..instance.jobs())
        .filter_map(|job| {
            let takes = instance.pairs(job).iter().map(|pair| pair.takes).min()?;
            Some((u64::from(instance.weight(job)), u64::from(takes)))
        })
        .collect();
    // Jobs that take nothing come first of all: products with their takes would compare nothing.
    let by_size = |a: &(u64, u64), b: &(u64, u64)| (b.0 * a.1).cmp(&(a.0 * b.1)).then(a.1.cmp(&b.1));
    jobs.sort_unstable_by(|a, b| (a.1 > 0).cmp(&(b.1 > 0)).then_with(|| by_size(a, b)));
    let mut room: u64 = instance.capacities().iter().copied().map(u64::from).sum();
    let mut weight = 0;
    for (worth, takes) in jobs {
        if takes > room {
            return weight + worth * room / takes;
        }
        room -= takes;
        weight += worth;
    }
    weight
}

/// What a search found, in terms of the instance.
fn solved(instance: &Instance, search: &Search<'_>, weight_bound: u64, passes: u64) -> Solved {
    let real = instance.capacities().len();
    let site = |site: &u32| (*site != NONE && (*site as usize) < real).then_some(*site);
    let assignment = Assignment { sites: search.best.sites.iter().map(site).collect() };
    let placed = search.best.missing == 0;
    let worth = assignment.worth(instance).filter(|_| placed);
    let unit = 1_i128 << search.table.shift;
    let bound = i64::try_from(rounding::up(search.bound.max(0).into(), unit));
    let bound = bound.expect("a bound in whole units is no larger than in their parts");
    match worth {
        Some(worth) => Solved {
            assignment: Some(assignment),
            worth,
            weight_bound,
            cost_bound: bound.min(worth.cost),
            passes,
        },
        None => Solved {
            assignment: None,
            worth: Worth { weight: 0, jobs: 0, cost: 0 },
            weight_bound,
            cost_bound: bound,
            passes,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Answer, LinearProgram, SolverEffort};
    use proptest::prelude::*;
    use walras_model::market::{Choices, Pair};

    /// A solver that never knows.
    struct Nobody;

    impl Solver for Nobody {
        fn solve(&self, _: &LinearProgram, _: Option<&[f64]>, _: &SolverEffort) -> Answer {
            Answer::Unknown
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// More jobs than fit, each with few sites to go to: placings stay incomplete for long, and nobody helps.
        #[test]
        fn what_is_found_without_a_solver_fits_and_is_not_below_the_bound(
            rooms in prop::collection::vec(4_u32..13, 6..12),
            jobs in prop::collection::vec((3_u32..8, 300_i64..500, any::<u16>()), 20..40),
        ) {
            let choices = jobs.iter().map(|(takes, work, open)| {
                let may = |site: &u32| open & (1 << site) != 0;
                let pair = |site: u32| {
                    let cost = i64::from(*takes) * work * (70 + 7 * i64::from(site));
                    Pair { site, takes: *takes, cost }
                };
                Choices { weight: 1, pairs: (0..table::id(rooms.len())).filter(may).map(pair).collect() }
            });
            let instance = Instance::new(rooms.clone(), choices.collect(), Serve::Most).unwrap();
            let limits = ExactLimits { passes: 60, work: 10_000, rounds: 4, ..ExactLimits::default() };
            let solved = solve(&instance, &Nobody, &limits, &NoWatch);
            let worth = solved.assignment.as_ref().and_then(|assignment| assignment.worth(&instance));
            prop_assert_eq!(worth, Some(solved.worth));
            prop_assert!(solved.worth.weight <= solved.weight_bound);
            prop_assert!(solved.cost_bound <= solved.worth.cost);
        }
    }
}
