//! What can be wrong with an assignment.

use std::fmt;
use walras_model::quantity::{Money, Span};

/// Which placement of a claim is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacementAt {
    /// Its position among the claim's placements.
    pub index: usize,
    /// The job that it names, by position.
    pub job: usize,
    /// The site that it names, by position.
    pub site: usize,
}

/// A sum that an assignment states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// How many jobs are served.
    Jobs,
    /// What serving them is worth.
    Weight,
    /// What they cost.
    Cost,
}

/// What is wrong with an assignment. Costs are in whole units: micro-credits, for markets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// There is no such job.
    UnknownJob {
        /// The placement that is wrong, by its place in the claim.
        at: PlacementAt,
    },
    /// There is no such site.
    UnknownSite {
        /// The placement that is wrong, by its place in the claim.
        at: PlacementAt,
    },
    /// The job may not go to that site.
    NotAllowed {
        /// The placement that is wrong, by its place in the claim.
        at: PlacementAt,
    },
    /// A job that must be whole is placed once more, or a job is on one site twice.
    Twice {
        /// The later placement.
        at: PlacementAt,
        /// The position of the earlier one.
        first: usize,
    },
    /// A part of a job that takes no processor.
    Nothing {
        /// The placement that is wrong, by its place in the claim.
        at: PlacementAt,
    },
    /// A job has more or fewer processors than it needs.
    WrongProcessors {
        /// The job, by position.
        job: usize,
        /// What it needs.
        expected: u64,
        /// What all its placements give.
        claimed: u64,
    },
    /// A placement's cost is not what its processors cost until the longest task ends.
    WrongCost {
        /// The placement that is wrong, by its place in the claim.
        at: PlacementAt,
        /// What it costs.
        expected: i128,
        /// What it claims.
        claimed: i128,
    },
    /// A job costs more than it may.
    OverBudget {
        /// The job, by position.
        job: usize,
        /// What it may cost.
        budget: Money,
        /// What its placements really cost.
        cost: i128,
    },
    /// A placement ends after the job's deadline.
    TooLate {
        /// The placement that is wrong, by its place in the claim.
        at: PlacementAt,
        /// How long it may take.
        within: Span,
        /// How long it takes, in milliseconds.
        runtime: i128,
    },
    /// A site has fewer processors than are taken of it.
    Overfilled {
        /// The site, by position.
        site: usize,
        /// What it has.
        capacity: u32,
        /// What is taken.
        taken: u64,
    },
    /// A job is neither placed nor left out.
    Forgotten {
        /// The job, by position.
        job: usize,
    },
    /// A job that is said to be left out is placed, is said so twice, or does not exist.
    WronglyLeftOut {
        /// The job, by position.
        job: usize,
    },
    /// A job is left out where every job must be served.
    NotServed {
        /// The job, by position.
        job: usize,
    },
    /// A total is not the sum of what is placed.
    WrongTotal {
        /// The total that is wrong.
        total: Total,
        /// What the placements come to.
        expected: i128,
        /// What the claim says.
        claimed: i128,
    },
    /// The bound says that nothing can be as good as the assignment itself is.
    BoundBeaten,
    /// The assignment is said to be the best, but its bound leaves room for better ones.
    NotProven,
}

impl fmt::Display for PlacementAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "assignment[{}] (job number {}, site number {})", self.index, self.job, self.site)
    }
}

impl fmt::Display for Misplaced {
    /// One sentence without a full stop; jobs and sites by position, from 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Misplaced as M;
        match self {
            M::UnknownJob { at } => write!(f, "{at} is of a job that does not exist"),
            M::UnknownSite { at } => write!(f, "{at} is on a site that does not exist"),
            M::NotAllowed { at } => write!(f, "{at} is on a site where the job may not go"),
            M::Twice { at, first } => write!(f, "{at} places again what assignment[{first}] has placed"),
            M::Nothing { at } => write!(f, "{at} takes nothing"),
            M::WrongProcessors { job, expected, claimed } => {
                write!(f, "job number {job} needs {expected} processors and is given {claimed}")
            }
            M::WrongCost { at, expected, claimed } => {
                write!(f, "{at} claims to cost {claimed} but costs {expected}")
            }
            M::OverBudget { job, budget, cost } => {
                write!(f, "job number {job} costs {cost}, more than its budget of {}", budget.as_micros())
            }
            M::TooLate { at, within, runtime } => {
                write!(f, "{at} takes {runtime} ms, more than the {} ms left", within.as_millis())
            }
            M::Overfilled { site, capacity, taken } => {
                write!(f, "site number {site} has {capacity} processors and {taken} are taken")
            }
            M::Forgotten { job } => write!(f, "job number {job} is neither placed nor left out"),
            M::WronglyLeftOut { job } => {
                write!(f, "job number {job} is left out but is placed, left out already or unknown")
            }
            M::NotServed { job } => write!(f, "job number {job} is left out though all must be served"),
            M::WrongTotal { total, expected, claimed } => {
                let what = match total {
                    Total::Jobs => "jobs",
                    Total::Weight => "weight",
                    Total::Cost => "cost",
                };
                write!(f, "the total {what} is said to be {claimed} but what is placed comes to {expected}")
            }
            M::BoundBeaten => f.write_str("the assignment is better than its own bound"),
            M::NotProven => f.write_str("the assignment is said to be the best, but its bound is better"),
        }
    }
}
