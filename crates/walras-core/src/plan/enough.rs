//! When more alternatives cannot change what is chosen.
//!
//! **Problem.** Alternatives are listed until nobody finds another, though the choice often rests on the first few. Given what
//! full rounds have found, tell whether the choice would be the same with all that is still to be found.
//!
//! **Method.** Without limits on totals every job takes the least of its own alternatives by the objective, the first among
//! equals. The list only loses time, so the windows of a job come in the order of its search: by a criterion none is better than
//! the last one by that criterion; ALP and AMP find none that starts before it. So for each job there is a bound on all that it
//! may still find: the cost, run time or end of its last window where that is what is searched by; the start of that window and
//! the run time on the fastest node; and nothing where neither is known. Once that is no less than the best that each job has,
//! there is enough. The least makespan is settled when nobody can find a window that ends by then.
//!
//! Rounds are never cut short: whoever is in a round is in it with all others, so that what was found is the beginning of what
//! all rounds find, and the choice is the same to the slot.
//!
//! Limits that are derived from the alternatives (T*, B*) need all of them. Under limits that are given, which of equal
//! combinations is chosen may depend on the others. Preferences are judged by the best and the worst that there is, workflows
//! drop windows that do not hold them, and spares are wanted for their own sake: in all of these cases nothing is left out.
//!
//! **Complexity.** A step for each alternative, and for each job and round.
//!
//! Example: by `criterion=cost` the first window of every job is its cheapest. For the least cost, one round is enough.

use super::BatchProblem;
use crate::choose::{MenuItem, Objective, Total};
use crate::search::{Algorithm, Criterion};
use walras_model::id::JobId;
use walras_model::quantity::{Money, Performance, Span, Time};
use walras_model::request::{Batch, Request};
use walras_model::window::{Alternative, Window};

/// Which alternatives are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// All that there are.
    #[default]
    All,
    /// Those that the choice may depend on, and those of the first rounds.
    AsNeeded {
        /// So many rounds are made in any case.
        rounds_min: u32,
    },
}

/// What a window is chosen by.
enum By {
    /// The least weighted sum.
    Sum(Vec<(Total, i128)>),
    /// The last end.
    Makespan,
}

/// Watches the rounds. See the module's documentation.
pub(super) struct Enough<'a> {
    problem: &'a BatchProblem<'a>,
    batch: &'a Batch,
    by: By,
    rounds_min: u32,
    fastest: Option<Performance>,
    rounds: u32,
    /// How many alternatives have been looked at.
    seen: usize,
    /// By job: the least value of its alternatives, and the place of the last of them.
    jobs: Vec<Option<(i128, usize)>>,
}

impl<'a> Enough<'a> {
    /// Nothing where all alternatives are needed.
    pub(super) fn new(problem: &'a BatchProblem<'a>, batch: &'a Batch) -> Option<Enough<'a>> {
        let Listing::AsNeeded { rounds_min } = problem.listing else { return None };
        let judged = problem.stakeholders.is_some() || problem.by_satisfaction();
        let workflows = problem.jobs.iter().any(|job| job.workflow.is_some());
        let spares = problem.limits.spares_max > 0;
        // What is known of the next alternative follows from the search that all have in common.
        let own_searches = problem.jobs.iter().any(|job| job.search.is_some());
        if !problem.choose || judged || workflows || spares || own_searches || !problem.policy.is_unlimited()
        {
            return None;
        }
        Some(Enough {
            problem,
            batch,
            by: by(&problem.policy.objective)?,
            rounds_min,
            fastest: problem.offers.nodes().iter().map(|node| node.performance).max(),
            rounds: 0,
            seen: 0,
            jobs: vec![None; batch.requests().len()],
        })
    }

    /// Whether nothing that these jobs may still find can change the choice, after one more round.
    pub(super) fn is_reached(&mut self, found: &[Alternative], active: &[JobId]) -> bool {
        self.rounds += 1;
        for (place, it) in found.iter().enumerate().skip(self.seen) {
            let Some(value) = self.value(&MenuItem::of_window(&it.window, place)) else { return false };
            let known = &mut self.jobs[it.job.index()];
            *known = Some((known.map_or(value, |(least, _)| least.min(value)), place));
        }
        self.seen = found.len();
        let last_end = self.jobs.iter().flatten().map(|(least, _)| *least).max();
        let is_settled = |job: &JobId| {
            let (least, last) = self.jobs[job.index()]?;
            let bound = self.value(&self.bound(self.batch.request(*job), &found.get(last)?.window)?)?;
            Some(match self.by {
                By::Sum(_) => bound >= least,
                By::Makespan => Some(bound) > last_end,
            })
        };
        self.rounds >= self.rounds_min && active.iter().all(|job| is_settled(job) == Some(true))
    }

    /// What the objective makes of a window; nothing beyond the range of numbers.
    fn value(&self, item: &MenuItem) -> Option<i128> {
        match &self.by {
            By::Makespan => Some(item.finish.as_millis().into()),
            By::Sum(terms) => terms.iter().try_fold(0_i128, |sum, (total, weight)| {
                sum.checked_add(of_total(*total, item)?.checked_mul(*weight)?)
            }),
        }
    }

    /// No window of a job after its last one is less, by any total.
    fn bound(&self, request: &Request, last: &Window) -> Option<MenuItem> {
        let runtime = request.work.runtime_on(self.fastest?)?;
        let first = self.problem.offers.slots().first()?.start();
        let (mut cost, mut time) = (Money::ZERO, runtime);
        let mut finish = first.checked_add(runtime)?;
        match &self.problem.search.algorithm {
            Algorithm::Alp | Algorithm::Amp | Algorithm::Criterion(Criterion::Start) => {
                finish = last.start().checked_add(runtime)?;
            }
            Algorithm::Criterion(Criterion::Finish) => finish = last.end(),
            Algorithm::Criterion(Criterion::Cost) => cost = last.cost(),
            Algorithm::Criterion(Criterion::Runtime) => time = last.runtime(),
            Algorithm::Criterion(
                Criterion::Price | Criterion::NodeTime | Criterion::Energy | Criterion::Attribute(_),
            ) => {}
        }
        Some(item(cost, time, finish))
    }
}

fn item(cost: Money, time: Span, finish: Time) -> MenuItem {
    MenuItem { cost, time, finish, source: 0 }
}

/// What windows are chosen by, where each total is the better the less it is.
fn by(objective: &Objective) -> Option<By> {
    let terms = match objective {
        Objective::MinMakespan => return Some(By::Makespan),
        Objective::MinCost => vec![(Total::Cost, 1)],
        Objective::MinTime => vec![(Total::Time, 1)],
        Objective::Weighted(terms) => {
            terms.iter().map(|(total, weight)| (*total, i128::from(*weight))).collect()
        }
        // Of several totals in order, the numbers depend on all alternatives.
        Objective::Lexicographic(terms) if terms.len() == 1 => vec![(terms[0], 1)],
        Objective::Lexicographic(_) | Objective::MaxIncome | Objective::MaxUse | Objective::Satisfaction => {
            return None;
        }
    };
    let less_is_better = |(total, weight): &(Total, i128)| *total != Total::Income && *weight >= 0;
    terms.iter().all(less_is_better).then_some(By::Sum(terms))
}

fn of_total(total: Total, item: &MenuItem) -> Option<i128> {
    match total {
        Total::Cost | Total::SpareBudget => Some(item.cost.as_micros().into()),
        Total::Time | Total::SpareTime => Some(item.time.as_millis().into()),
        Total::Finish => Some(item.finish.as_millis().into()),
        Total::Income => None,
    }
}
