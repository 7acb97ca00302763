//! Jobs on sites that sell capacity, assigned round by round: the MetaBroker's Algorithm 2.
//!
//! **Problem.** At the end of every period all jobs that wait are assigned together to the processors that are free then; who finds no place
//! rolls over to the next round, with less of its deadline left.
//!
//! **Method.** Free processors that are alike (site, speed, price, free for as long) make a market of `walras-assign`, and the VO's
//! method assigns. As many jobs as possible are served, then the cost counts. Jobs that are overdue are assigned first, and
//! where one of them only lacks room, nobody else is: room is made. Where nodes are sold in units, jobs that take the same of every node are
//! assigned together, and after them those that take something else, on what is left. Workflows, jobs with a search of their own and jobs that were promised
//! a window are planned by windows, on what the round leaves; so is, on all other sites, who found no place.
//!
//! **Complexity.** That of the method; each is bounded by counts of work, so that the same problem gives the same plan.

use super::agenda::{admitted, after_paying};
use super::pools::{Free, Kind, Pool, Taken, times_of};
use super::{CapacityRound, PlanningAgenda, PlanningJob, PlanningProblem, by_windows};
use crate::model::allocation::{Allocation, Hold};
use crate::model::decision::{AssignedRound, Chosen, Decision, Proof, Unserved};
use crate::model::id::JobNumber;
use crate::model::job::{Unassigned, Why};
use crate::model::policy::{Deciding, Method};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use walras_assign::method::{Assigned, Proven, assign};
use walras_assign::{MarketRules, Unfit};
use walras_core::agenda::Late;
use walras_model::market::{Capacity, CapacityMarket, Demand, Splitting};
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Factor, Interval, Money, Request, SiteId, Span};

/// The plan: first the round, then everybody else.
pub(super) fn plan(problem: &PlanningProblem, round: &CapacityRound) -> Decision {
    let table = Table::of(problem, round);
    let result = if round.is_due { table.assigned() } else { table.waiting() };
    result.with_others(problem, round)
}

/// Who is to be assigned, and to what.
struct Table<'a> {
    problem: &'a PlanningProblem,
    round: &'a CapacityRound,
    free: Free<'a>,
    /// How many of the chosen are out of what is free.
    counted: usize,
    /// For whom there are pools, and these.
    pools_for: Option<Taken>,
    pools: Vec<Pool>,
    /// The nodes of the sites, free or not, counted where somebody is too wide.
    kinds: OnceCell<BTreeMap<Kind<'a>, u64>>,
    jobs: Vec<&'a PlanningJob>,
}

/// What a round came to.
#[derive(Default)]
struct Outcome {
    chosen: Vec<Chosen>,
    /// Why the others are not.
    unassigned: BTreeMap<JobNumber, Why>,
    verdict: Option<AssignedRound>,
}

impl<'a> Table<'a> {
    fn of(problem: &'a PlanningProblem, round: &'a CapacityRound) -> Table<'a> {
        let jobs = problem.jobs.iter().filter(|job| is_plain(problem, job)).collect();
        let free = Free::of(problem, round);
        let kinds = OnceCell::new();
        Table { problem, round, free, counted: 0, pools_for: None, pools: Vec::new(), kinds, jobs }
    }

    /// Between two rounds.
    fn waiting(&self) -> Outcome {
        let wait = |job: &&PlanningJob| (job.number, Why::Unassigned(Unassigned::NotDue));
        Outcome { unassigned: self.jobs.iter().map(wait).collect(), ..Outcome::default() }
    }

    fn assigned(mut self) -> Outcome {
        let mut outcome = Outcome::default();
        if self.jobs.is_empty() {
            return outcome;
        }
        let (overdue, others): (Vec<_>, Vec<_>) = self.jobs.clone().into_iter().partition(|job| job.overdue);
        let mut proofs = Vec::new();
        let mut iterations = 0;
        for jobs in [overdue, others].into_iter().filter(|jobs| !jobs.is_empty()) {
            let first = outcome.unassigned.iter().find(|(_, why)| lacks_room(why)).map(|(job, _)| *job);
            if let Some(first) = first {
                outcome.unassigned.extend(jobs.iter().map(|job| (job.number, Why::MakingRoom(first))));
                proofs.push(Proof::Nothing);
                continue;
            }
            for (taken, jobs) in self.free.groups(&jobs) {
                self.open(taken, &jobs, &outcome);
                let (proof, steps) = self.assign(&jobs, &mut outcome);
                proofs.push(proof);
                iterations += steps;
            }
        }
        outcome.verdict = Some(AssignedRound {
            method: self.round.method,
            start: self.round.start,
            jobs: u32::try_from(self.jobs.len()).unwrap_or(u32::MAX),
            served: outcome.chosen.iter().map(|chosen| chosen.job).collect(),
            cost: outcome.chosen.iter().map(|chosen| chosen.allocation.cost()).sum(),
            // Of two that were assigned one after the other, nothing is proven of both together.
            proof: if let [proof] = proofs[..] { proof } else { Proof::Nothing },
            iterations,
        });
        outcome
    }

    /// Makes the pools for jobs that take the same of every node: those of the jobs before, or where these take something else, of what
    /// is left.
    fn open(&mut self, taken: Taken, jobs: &[&PlanningJob], outcome: &Outcome) {
        let Some(first) = jobs.first().filter(|_| self.pools_for.as_ref() != Some(&taken)) else { return };
        let new = outcome.chosen.get(self.counted..).unwrap_or_default();
        self.free.take(new.iter().flat_map(|chosen| chosen.allocation.holds()).map(|(_, hold)| hold));
        self.counted = outcome.chosen.len();
        self.pools = self.free.pools(&first.request);
        self.pools_for = Some(taken);
    }

    /// Assigns some of the jobs; what they get is free no more.
    fn assign(&mut self, jobs: &[&PlanningJob], outcome: &mut Outcome) -> (Proof, u64) {
        let market = CapacityMarket {
            sites: self.pools.iter().map(|pool| pool.capacity.clone()).collect(),
            jobs: jobs.iter().map(|job| self.demand(job)).collect(),
        };
        let found = assign(&market, self.round.method, self.problem.cycle.get());
        let Some(Assigned { division, proven, iterations }) = found else {
            let out = |job: &&PlanningJob| (job.number, Why::Unassigned(Unassigned::OutOfRange));
            outcome.unassigned.extend(jobs.iter().map(out));
            return (Proof::Nothing, 0);
        };
        let mut cost = 0_i128;
        for ((place, job), shares) in jobs.iter().enumerate().zip(&division.shares) {
            let mut holds = Vec::new();
            for share in shares {
                holds.extend(self.take(job, share.site as usize, share.processors));
            }
            if holds.is_empty() {
                let why = Why::Unassigned(self.why(job, &market, place));
                outcome.unassigned.insert(job.number, why);
                continue;
            }
            let allocation = Allocation::plain(holds);
            cost += i128::from(allocation.cost().as_micros());
            outcome.chosen.push(Chosen { job: job.number, allocation, spares: Vec::new() });
        }
        let proof = match proven {
            Proven::Best => Proof::Optimal,
            Proven::Within(bound) => gap(cost, bound),
            Proven::Nothing => Proof::Nothing,
        };
        (proof, iterations)
    }

    /// What a job asks of these processors.
    fn demand(&self, job: &PlanningJob) -> Demand {
        let request = &job.request;
        let usable = (0_u32..).zip(&self.pools).filter(|(_, pool)| self.admits(job, pool));
        let within = request.deadline.map(|deadline| deadline.span_since(self.round.start));
        Demand {
            user: request.user.clone(),
            tasks: request.tasks,
            work: request.work,
            kind: if self.may_split(request) { Splitting::Split } else { Splitting::SingleSite },
            budget: request.budget_limit(Factor::ONE),
            within: within.map(|within| within.unwrap_or(Span::ZERO)),
            weight: 1,
            sites: Some(usable.map(|(place, _)| place).collect()),
        }
    }

    /// Whether a job may be on several sites: by one method alone, and where it does not say otherwise.
    fn may_split(&self, request: &Request) -> bool {
        self.round.method == Method::Split && !request.scope.same_site
    }

    /// Whether a job may run on these processors now, and for as long as it needs.
    fn admits(&self, job: &PlanningJob, pool: &Pool) -> bool {
        let request = &job.request;
        let runs = self.time_on(request, &pool.capacity).filter(|time| time.end() <= pool.until);
        let group = self.problem.users.get(job.user).and_then(|user| user.group.as_deref());
        request.earliest.is_none_or(|earliest| earliest <= self.round.start)
            && pool.fits(request)
            && runs.is_some_and(|time| admitted(self.problem, request, group, pool.site, time))
    }

    fn time_on(&self, request: &Request, capacity: &Capacity) -> Option<Interval> {
        let end = self.round.start.checked_add(request.work.runtime_on(capacity.speed)?)?;
        Interval::new(self.round.start, end)
    }

    /// So many nodes of a pool for a job.
    fn take(&mut self, job: &PlanningJob, place: usize, processors: u32) -> Vec<(SiteId, Hold)> {
        let request = &job.request;
        let Some(pool) = self.pools.get(place) else { return Vec::new() };
        let rate = pool.capacity.price_for(request.user.as_deref());
        let time = self.time_on(request, &pool.capacity);
        let terms = time.and_then(|interval| Some((interval, rate.cost_of(interval.span())?)));
        let Some((interval, cost)) = terms else { return Vec::new() };
        let pool = &mut self.pools[place];
        let site = pool.site;
        let hold = |(node, units)| (site, Hold { node: Some(node), units, interval, rate, cost });
        pool.take(processors).into_iter().map(hold).collect()
    }

    /// Why a job is not assigned.
    fn why(&self, job: &PlanningJob, market: &CapacityMarket, place: usize) -> Unassigned {
        if let Some(earliest) = job.request.earliest.filter(|earliest| *earliest > self.round.start) {
            return Unassigned::NotYet { earliest };
        }
        match market.unfit(place) {
            None => Unassigned::NoRoom,
            Some(Unfit::TooWide { tasks, .. }) => {
                let most = self.widest(&job.request);
                if most < u64::from(tasks) { Unassigned::TooWide { tasks, most } } else { Unassigned::NoRoom }
            }
            Some(Unfit::TooLate { fastest, within }) => Unassigned::TooLate { fastest, within },
            Some(Unfit::TooDear { cheapest, budget }) => Unassigned::TooDear { cheapest, budget },
            Some(Unfit::OutOfRange) => Unassigned::OutOfRange,
        }
    }

    /// How many processors a job could have if all were free: of those that are alike, or of all where it may be split.
    fn widest(&self, request: &Request) -> u64 {
        let sold = || {
            let nodes = self.problem.offers.nodes().iter();
            Kind::counted(nodes.filter(|node| self.round.sites.contains(&node.site)))
        };
        let kinds = self.kinds.get_or_init(sold).iter();
        let counts = kinds.filter_map(|(kind, nodes)| Some(kind.tasks(request)? * nodes));
        if self.may_split(request) { counts.sum() } else { counts.max().unwrap_or(0) }
    }
}

/// Whether a job is assigned at all: one of parallel tasks, without a search of its own, that was promised no window.
fn is_plain(problem: &PlanningProblem, job: &PlanningJob) -> bool {
    let terms = problem.agenda.as_ref().and_then(|agenda| agenda.newcomers.get(&job.number));
    job.workflow.is_none() && job.search.is_none() && terms.is_none_or(|terms| terms.promise.is_none())
}

fn lacks_room(why: &Why) -> bool {
    matches!(why, Why::Unassigned(Unassigned::NoRoom))
}

/// How far a cost is above a bound.
fn gap(cost: i128, bound: i64) -> Proof {
    let above = (cost - i128::from(bound)).max(0).saturating_mul(i128::from(MILLION));
    Proof::Gap(i64::try_from(rounding::up(above, cost.max(1))).unwrap_or(i64::MAX))
}

impl Outcome {
    /// Everybody else gets what is left, and both plans become one.
    fn with_others(self, problem: &PlanningProblem, round: &CapacityRound) -> Decision {
        let served: BTreeSet<JobNumber> = self.chosen.iter().map(|chosen| chosen.job).collect();
        let mut left_out = Vec::new();
        let mut jobs = Vec::new();
        for job in problem.jobs.iter().filter(|job| !served.contains(&job.number)) {
            match self.unassigned.get(&job.number).filter(|why| !runs_late(problem, why)) {
                None => jobs.push(job.clone()),
                Some(why) => match elsewhere(problem, round, job) {
                    Some(job) => jobs.push(job),
                    None => left_out.push(Unserved { job: job.number, why: why.clone() }),
                },
            }
        }
        let mut decision = by_windows(&self.rest(problem, jobs));
        for unserved in &mut decision.verdict.unserved {
            let why = self.unassigned.get(&unserved.job).filter(|why| may_pass(why));
            if let Some(why) = why {
                unserved.why = why.clone();
            }
        }
        let verdict = &mut decision.verdict;
        verdict.unserved.extend(left_out);
        verdict.served = verdict.served.saturating_add(u32::try_from(served.len()).unwrap_or(u32::MAX));
        let cost: Money = self.chosen.iter().map(|chosen| chosen.allocation.cost()).sum();
        // A figure that is only shown, like all sums of costs: beyond the range of money it stays at its end.
        verdict.cost = verdict.cost + cost;
        verdict.assigned = self.verdict.map(Box::new);
        decision.chosen.splice(0..0, self.chosen);
        decision
    }

    /// The problem of those whom the round does not serve.
    fn rest(&self, problem: &PlanningProblem, jobs: Vec<PlanningJob>) -> PlanningProblem {
        let holds = self.chosen.iter().flat_map(|chosen| chosen.allocation.holds());
        let taken = times_of(holds.map(|(_, hold)| hold));
        let mut rest = PlanningProblem { capacity: None, jobs, ..problem.clone() };
        if self.chosen.is_empty() {
            return rest;
        }
        rest.offers = problem.offers.without(taken);
        rest.agenda = problem.agenda.as_ref().map(|agenda| {
            let mut agenda: PlanningAgenda = (**agenda).clone();
            let numbers = problem.jobs.iter().map(|job| (job.number, job.user)).collect::<BTreeMap<_, _>>();
            for chosen in &self.chosen {
                let user = *numbers.get(&chosen.job).expect("who is chosen is a job of the problem");
                let funds = agenda.funds.get_mut(user).expect("the agenda knows the funds of every user");
                *funds = after_paying(*funds, chosen.allocation.cost());
            }
            Arc::new(agenda)
        });
        rest
    }
}

/// Whether a job that no site serves in time is run all the same, where it ends first.
fn runs_late(problem: &PlanningProblem, why: &Why) -> bool {
    let late = match &problem.policy.deciding {
        Deciding::Promise(rules) => rules.late,
        Deciding::AtOnce => Late::Refused,
    };
    late == Late::Run && matches!(why, Why::Unassigned(Unassigned::TooLate { .. }))
}

/// Whether waiting for a round is what a job has to do.
fn may_pass(why: &Why) -> bool {
    matches!(why, Why::MakingRoom(_)) || matches!(why, Why::Unassigned(why) if why.is_passing())
}

/// A job on the sites that are not assigned to; `None` where it may use none of them.
fn elsewhere(problem: &PlanningProblem, round: &CapacityRound, job: &PlanningJob) -> Option<PlanningJob> {
    let sites = (0..problem.offers.sites().len()).filter_map(SiteId::from_index);
    let others = sites.filter(|site| !round.sites.contains(site) && job.request.scope.admits(*site));
    let others: Vec<SiteId> = others.collect();
    let mut job = job.clone();
    job.request.scope.sites = Some(others).filter(|sites| !sites.is_empty());
    job.request.scope.sites.is_some().then_some(job)
}
