//! Capacity assignment in rounds: who waits is assigned to the processors that are free, all together.
//!
//! **Problem.** A metabroker collects jobs for an interval, assigns as many as possible to sites with free
//! processors at the least cost, and lets the others wait for the next round.
//!
//! **Method.** The loop is here, the methods are those of [`walras_assign`]: greedy by price, a genetic search from there (HGA),
//! one from the rounded linear relaxation (LPGA), and the exact optimum within a bound. A round is held at every multiple of
//! [`Assigning::cycle`] at which somebody waits and something has changed since the last, with the [`Assigning::batch`] who wait longest. A job
//! has a deadline in a round as long as some site could still keep it. Whoever is assigned starts at once and holds its
//! processors for as long as it runs. Nothing is kept free for wide jobs, so under load they wait until narrow ones leave.
//!
//! Owners, failures and patience ([`Troubles`]) are as in the queues: a job gets nodes that their owners leave alone for as long as it says that
//! it takes ([`super::floor`]), is lost with a node that fails and waits again before all others, and users give up. Nobody foresees a failure.
//!
//! **Complexity.** A round is one call of the method, whose efforts are bounded by counts, so that results do not depend on the machine.
//!
//! ```
//! use walras_sim::baseline::{Assigning, Method, Troubles, simulate_assigned};
//! use walras_sim::{record::Site, workload::{Model, Synthetic}};
//! let jobs = Synthetic::new(Model { nodes: 8, ..Model::default() }, 1).take(50);
//! let rules = Assigning { method: Method::Greedy, ..Assigning::default() };
//! let mut served = 0;
//! simulate_assigned(&[Site::plain("one", 8)], rules, None, Troubles::default(), jobs, &mut |record| served += u32::from(record.ran.is_some())).unwrap();
//! assert_eq!(served, 50);
//! ```

use super::floor::{Floor, Lost, Waits};
use super::kinds::Course;
use super::offer::offers;
use super::troubles::Troubles;
use crate::outage::Strike;
use crate::record::{Fate, Record, Site};
use crate::workload::Job;
use std::collections::{BTreeMap, VecDeque};
use walras_assign::exact::{ExactLimits, NoWatch, solve};
use walras_assign::genetic::{Evolution, evolve};
use walras_assign::greedy::{self, Ranking};
use walras_assign::program::{Solver, SolverEffort};
use walras_assign::{MarketRules, mmc};
use walras_model::market::{Assignment, Capacity, CapacityMarket, Demand, InstanceError, Splitting};
use walras_model::{Span, Time, Work};
use walras_random::Purpose;

/// How jobs are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The cheapest processors first.
    Greedy,
    /// A genetic search from there.
    Hga,
    /// A genetic search from the rounded linear relaxation.
    Lpga,
    /// The best there is, within a bound.
    Exact,
}

impl Method {
    /// Whether it needs a general solver.
    pub fn needs_solver(self) -> bool {
        matches!(self, Method::Lpga | Method::Exact)
    }
}

/// The rules of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigning {
    /// By which method.
    pub method: Method,
    /// How long from one round of assigning to the next.
    pub cycle: Span,
    /// How many at once, at most.
    pub batch: usize,
}

impl Default for Assigning {
    fn default() -> Assigning {
        let cycle = Span::from_millis(60_000).unwrap_or(Span::ZERO);
        Assigning { method: Method::Lpga, cycle, batch: 50 }
    }
}

/// Why an assignment was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssignError {
    /// The method needs a solver, and there is none.
    #[error("it needs the HiGHS solver, which this program was built without: build it with `make build`")]
    NoSolver,
    /// What is offered and wanted leaves the range of numbers.
    #[error("{0}")]
    Instance(InstanceError),
    /// A method assigned more than there is.
    #[error("an assignment does not fit")]
    Unfitting,
}

/// Generations without a better one, and in all: a round must not take longer than the experiments' markets of many sites.
const EVOLUTION: (u32, u32) = (50, 2_000);
/// Rounds and nodes of the exact method.
const EXACT: (usize, u64) = (8, 2_000);

struct State<'a> {
    sites: &'a [Site],
    rules: Assigning,
    solver: Option<&'a dyn Solver>,
    seed: u64,
    floor: Floor<'a>,
    queue: VecDeque<Waits>,
    rounds: u32,
    /// Something has changed since the last round.
    changed: bool,
}

/// Simulates rounds of assignment; jobs must come in order of submission. Every job is handed to `sink` once.
pub fn simulate_assigned(
    sites: &[Site],
    rules: Assigning,
    solver: Option<&dyn Solver>,
    troubles: Troubles<'_>,
    jobs: impl Iterator<Item = Job>,
    sink: &mut dyn FnMut(Record),
) -> Result<Course, AssignError> {
    if rules.method.needs_solver() && solver.is_none() {
        return Err(AssignError::NoSolver);
    }
    let (floor, queue, seed) = (Floor::new(sites, &troubles), VecDeque::new(), troubles.seed);
    let mut state = State { sites, rules, solver, seed, floor, queue, rounds: 0, changed: false };
    let mut course = Course::default();
    let mut jobs = jobs.peekable();
    let mut strikes = troubles.strikes(sites, jobs.peek().map(|first| first.submit));
    let mut leaving: VecDeque<(i64, u64)> = VecDeque::new();
    let mut last = i64::MIN;
    loop {
        let coming = jobs.peek().map(|job| job.submit.as_millis());
        let somebody = coming.is_some() || state.has_somebody();
        let strike = strikes.peek().filter(|_| somebody).map(Time::as_millis);
        let leaves = leaving.front().filter(|_| somebody).map(|leaves| leaves.0);
        let free = state.next_free(last);
        let next = state.next(last).into_iter().chain(free).chain(coming).chain(strike).chain(leaves).min();
        let Some(now) = next else { break };
        if strike.is_some() && course.is_endless() {
            break;
        }
        course.moments += 1;
        last = now;
        state.changed |= state.floor.end(now, sink) || free == Some(now);
        while let Some(strike) = Time::from_millis(now).and_then(|now| strikes.next_by(now)) {
            state.strike(strike, sink);
        }
        while let Some((_, id)) = leaving.pop_front_if(|(at, _)| *at <= now) {
            state.give_up(id, sink);
        }
        while let Some(job) = jobs.next_if(|job| job.submit.as_millis() <= now) {
            course.jobs += 1;
            state.submit(now, (course.jobs, job), sink);
            let leaves = troubles.patience.map(|patience| now.saturating_add(patience.as_millis()));
            leaving.extend(leaves.map(|at| (at, course.jobs)));
        }
        course.waiting_max = course.waiting_max.max(state.queue.len());
        if now.rem_euclid(state.cycle()) == 0 && state.changed && !state.queue.is_empty() {
            state.round(now, sink)?;
        }
    }
    let waiting = state.queue.into_iter().map(|waits| waits.job);
    let left = jobs.chain(waiting).chain(state.floor.left());
    left.for_each(|job| sink(Record { job, fate: Fate::LeftOver, ran: None, promised: None }));
    Ok(course)
}

impl State<'_> {
    fn cycle(&self) -> i64 {
        self.rules.cycle.as_millis().max(1)
    }

    fn has_somebody(&self) -> bool {
        !self.queue.is_empty() || self.floor.has_somebody()
    }

    /// When something ends, or the next round is.
    fn next(&self, last: i64) -> Option<i64> {
        let waits = self.changed && !self.queue.is_empty();
        let round = waits.then(|| (last.div_euclid(self.cycle()) + 1) * self.cycle());
        self.floor.next_end().into_iter().chain(round).min()
    }

    /// When an owner leaves nodes to those who wait.
    fn next_free(&self, last: i64) -> Option<i64> {
        if self.changed || self.queue.is_empty() { None } else { self.floor.next_free(last) }
    }

    /// Takes in a job, or tells that no site can ever run it.
    fn submit(&mut self, now: i64, (id, job): (u64, Job), sink: &mut dyn FnMut(Record)) {
        let able = offers(self.sites, &job).and_then(|offers| {
            let could = self.floor.could_ever(now, &job, offers.iter().map(|offer| offer.site));
            could.then_some(()).ok_or(Fate::TooWide)
        });
        match able {
            Ok(()) => self.queue.push_back(Waits::new(id, job)),
            Err(fate) => sink(Record { job, fate, ran: None, promised: None }),
        }
        self.changed = true;
    }

    fn strike(&mut self, strike: Strike, sink: &mut dyn FnMut(Record)) {
        self.changed = true;
        match self.floor.strike(strike) {
            Some(Lost::Again(waits)) => self.queue.push_front(waits),
            Some(Lost::GivenUp(job)) => sink(Record { job, fate: Fate::GivenUp, ran: None, promised: None }),
            None => {}
        }
    }

    /// A user has lost patience; one whose job runs has none to lose.
    fn give_up(&mut self, id: u64, sink: &mut dyn FnMut(Record)) {
        let place = self.queue.iter().position(|waits| waits.id == id);
        if let Some(gone) = place.and_then(|place| self.queue.remove(place)) {
            // Somebody else may be in the next batch.
            self.changed = true;
            sink(Record { job: gone.job, fate: Fate::GivenUp, ran: None, promised: None });
        }
    }

    /// Assigns those who wait longest, and starts who was assigned.
    fn round(&mut self, now: i64, sink: &mut dyn FnMut(Record)) -> Result<(), AssignError> {
        self.rounds += 1;
        self.floor.pass(now);
        let market = self.market(now);
        let instance = market.instance().map_err(AssignError::Instance)?;
        let assignment = self.assign(&market, &instance);
        assignment.worth(&instance).ok_or(AssignError::Unfitting)?;
        let batch: Vec<Waits> = self.queue.drain(..market.jobs.len()).collect();
        let sites = assignment.sites.into_iter().map(|site| site.map(|site| site as usize));
        let assigned: Vec<(Job, Option<usize>)> = batch.iter().map(|waits| waits.job).zip(sites).collect();
        let given = self.floor.place(now, &assigned);
        // Who was assigned and found too few nodes may find them elsewhere.
        let unplaced =
            assigned.iter().zip(&given).any(|((_, site), given)| site.is_some() && given.is_none());
        self.changed = unplaced;
        for ((waits, (_, site)), given) in batch.into_iter().zip(assigned).zip(given).rev() {
            match site.zip(given) {
                Some((site, nodes)) => self.floor.begin(now, (waits, site, nodes), sink),
                None => self.queue.push_front(waits),
            }
        }
        Ok(())
    }

    /// What is free now, and who wants it.
    fn market(&self, now: i64) -> CapacityMarket {
        let offered = self.sites.iter().zip(self.floor.free(now)).map(|(site, free)| Capacity {
            processors: free,
            speed: site.speed,
            price: site.price,
            prices: BTreeMap::new(),
        });
        // Whoever is here fits a site, so its estimate is an amount of work.
        let wanted = self.queue.iter().take(self.rules.batch.max(1)).map_while(|Waits { job, .. }| {
            Some(Demand {
                user: None,
                tasks: job.nodes,
                work: Work::from_millis(job.estimate.as_millis())?,
                kind: Splitting::SingleSite,
                budget: job.budget,
                within: self.within(now, job),
                weight: 1,
                sites: self.floor.open_to(now, job),
            })
        });
        CapacityMarket { sites: offered.collect(), jobs: wanted.collect() }
    }

    /// What is left until the deadline, as long as some site could keep it.
    fn within(&self, now: i64, job: &Job) -> Option<Span> {
        let left = Span::from_millis(job.deadline?.as_millis() - now)?;
        let wide = self.sites.iter().filter(|site| job.nodes <= site.nodes);
        let mut times = wide.filter_map(|site| site.takes(job.estimate));
        times.any(|time| time <= left).then_some(left)
    }

    fn assign(&self, market: &CapacityMarket, instance: &walras_model::market::Instance) -> Assignment {
        let by_price = Ranking::by_price(market, instance);
        let cheap = || greedy::assign(instance, &by_price);
        let evolved = |first: Assignment| {
            let (stalled_max, generations_max) = EVOLUTION;
            let evolution = Evolution { stalled_max, generations_max, ..Evolution::default() };
            let mut chance = Purpose::Evolution.stream(self.seed, self.rounds);
            evolve(instance, &by_price, first, &evolution, &mut |below| chance.index(below)).assignment
        };
        let (rounds, nodes) = EXACT;
        match (self.rules.method, self.solver) {
            (Method::Hga, _) => evolved(cheap()),
            (Method::Lpga, Some(solver)) => {
                let by_cost = Ranking::by_cost(instance, greedy::order(market));
                let effort = SolverEffort { seconds: None, nodes: Some(nodes), gap_absolute: 0.0 };
                evolved(mmc::assign(instance, &by_cost, solver, &effort))
            }
            (Method::Exact, Some(solver)) => {
                let limits = ExactLimits { rounds, nodes, ..ExactLimits::default() };
                solve(instance, solver, &limits, &NoWatch).assignment.unwrap_or_else(cheap)
            }
            (Method::Greedy | Method::Lpga | Method::Exact, _) => cheap(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Fate;
    use crate::workload::{Model, Synthetic, Terms};
    use walras_model::{Performance, Rate};

    fn sites() -> Vec<Site> {
        let site = |name: &str, speed: i64, price: i64| Site {
            speed: Performance::from_millionths(speed).unwrap(),
            price: Rate::from_micros_per_second(price).unwrap(),
            ..Site::plain(name, 8)
        };
        vec![
            site("slow", 800_000, 600_000),
            site("mid", 1_000_000, 1_000_000),
            site("fast", 1_500_000, 2_000_000),
        ]
    }

    fn run(method: Method, seed: u64) -> Vec<Record> {
        let sites = sites();
        let market: Vec<_> = sites.iter().map(|site| (site.speed, site.price)).collect();
        let jobs = Synthetic::new(Model { nodes: 8, ..Model::default() }, seed).take(120);
        let jobs = jobs.map(move |job| Terms::default().of(job, seed, &market));
        let mut records = Vec::new();
        let rules = Assigning { method, ..Assigning::default() };
        let troubles = Troubles { seed, ..Troubles::default() };
        simulate_assigned(&sites, rules, None, troubles, jobs, &mut |record| records.push(record)).unwrap();
        records
    }

    #[test]
    fn rounds_serve_within_budgets_and_never_more_than_there_is() {
        for method in [Method::Greedy, Method::Hga] {
            for seed in 0..5 {
                let records = run(method, seed);
                assert_eq!(records.len(), 120);
                let mut changes: BTreeMap<u32, Vec<(i64, i64)>> = BTreeMap::new();
                for record in &records {
                    let Some(ran) = record.ran else {
                        assert_eq!(record.fate, Fate::TooDear);
                        continue;
                    };
                    assert_eq!(ran.start.as_millis() % 60_000, 0);
                    assert!(ran.start >= record.job.submit && ran.cost <= record.job.budget.unwrap());
                    let nodes = i64::from(record.job.nodes);
                    let of = changes.entry(ran.site).or_default();
                    of.extend([(ran.start.as_millis(), nodes), (ran.end.as_millis(), -nodes)]);
                }
                for changes in changes.values_mut() {
                    changes.sort_unstable();
                    changes.iter().fold(0, |used, (_, change)| {
                        assert!(used + change <= 8, "seed {seed}, {method:?}");
                        used + change
                    });
                }
                assert_eq!(records, run(method, seed));
            }
        }
    }

    #[test]
    fn methods_that_need_a_solver_say_so() {
        let rules = Assigning::default();
        let none = std::iter::empty();
        assert_eq!(
            simulate_assigned(&sites(), rules, None, Troubles::default(), none, &mut |_| {}).unwrap_err(),
            AssignError::NoSolver
        );
    }
}
