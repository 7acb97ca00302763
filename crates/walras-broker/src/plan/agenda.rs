//! Planning before anything is held: parallel jobs on the agenda, all others as ever, on what that leaves.
//!
//! A workflow needs a window for its tasks, a place in a queue is no window, an owner's quota binds what is chosen together, who
//! asks for a search of their own does not want the window that the agenda finds best, and where everybody is to be content
//! (`satisfaction`) owners and the administrator have a say that the agenda does not hear: such jobs are planned by the whole pipeline and reserved at once. Who finds no window on the agenda is shown to the pipeline as
//! well, for it says why.

use super::decision::for_nobody;
use super::{PlannedFollower, PlannedWindow, PlanningAgenda, PlanningJob, PlanningProblem};
use crate::model::decision::{Chosen, Decision, PlannedJob, Unserved};
use crate::model::id::JobNumber;
use crate::model::job::{Planned, Why};
use std::collections::{BTreeMap, BTreeSet};
use walras_core::agenda::{Agenda, AgendaProblem, Behind, Placed, Waiting, plan_agenda};
use walras_core::choose::Objective;
use walras_core::plan::PlanScheme;
use walras_core::prefer::QueueOffer;
use walras_model::{Interval, Money, Request, SiteId, Window};

/// The plan for a problem in which windows may move.
pub(super) fn plan(problem: &PlanningProblem, agenda: &PlanningAgenda) -> Decision {
    let limited = problem.rules.iter().any(|rules| !rules.quotas.is_empty());
    let agreed = problem.policy.choice.objective == Objective::Satisfaction;
    let plain = |job: &&PlanningJob| job.workflow.is_none() && job.search.is_none() && !limited && !agreed;
    let newcomers: Vec<&PlanningJob> = problem.jobs.iter().filter(plain).collect();
    let made = made(problem, agenda, &newcomers);
    let (known, new) = made.placed.split_at(agenda.planned.len());
    let (new, followers) = new.split_at(newcomers.len());
    let mut told: Vec<(JobNumber, &Placed)> = Vec::with_capacity(made.placed.len());
    for (of, placed) in agenda.planned.iter().zip(known) {
        told.extend(placed.as_ref().map(|placed| (of.number, placed)));
    }
    for (job, placed) in newcomers.iter().zip(new) {
        let placed = placed.as_ref().filter(|placed| !queue_is_better(problem, agenda, job, &placed.window));
        told.extend(placed.map(|placed| (job.number, placed)));
    }
    for (of, placed) in agenda.followers.iter().zip(followers) {
        told.extend(placed.as_ref().map(|placed| (of.number, placed)));
    }
    let placed: BTreeSet<JobNumber> = told.iter().map(|(number, _)| *number).collect();
    let unplaced = newcomers.iter().filter(|job| !placed.contains(&job.number));
    let unplaced: Vec<&PlanningJob> = unplaced.copied().collect();
    let mut decision = the_others(problem, agenda, &told, &unplaced);
    refuse_windows(&mut decision, &unplaced);
    let batch: BTreeSet<JobNumber> = problem.jobs.iter().map(|job| job.number).collect();
    for (job, placed) in told {
        let Placed { window, promise, changed, renewed } = placed;
        if batch.contains(&job) {
            decision.verdict.served = decision.verdict.served.saturating_add(1);
            // A figure that is only shown, like all sums of costs: beyond the range of money it stays at its end.
            decision.verdict.cost = decision.verdict.cost + window.cost();
        }
        if *changed {
            let plan = Planned::of(window);
            decision.planned.push(PlannedJob { job, plan, promise: *promise, renewed: *renewed });
        }
    }
    decision
}

fn made(problem: &PlanningProblem, agenda: &PlanningAgenda, newcomers: &[&PlanningJob]) -> Agenda {
    let known = agenda.planned.iter().map(|known: &PlannedWindow| Waiting {
        request: &known.request,
        came: known.came,
        worth: known.worth,
        promise: Some(known.promise),
        planned: known.window.clone(),
        payer: None,
        overdue: known.overdue && !known.crowds,
        owner: known.owner,
        crowds: known.crowds,
        likely: known.likely,
        behind: &[],
    });
    let new = newcomers.iter().map(|job| {
        let terms = agenda.terms_of(job.number);
        Waiting {
            request: &job.request,
            came: terms.came,
            worth: terms.worth,
            promise: terms.promise,
            planned: None,
            payer: Some(job.user),
            overdue: job.overdue,
            owner: terms.owner,
            crowds: terms.crowds,
            likely: terms.likely,
            behind: &[],
        }
    });
    let behind = behind(agenda, newcomers);
    let followers = agenda.followers.iter().zip(&behind).map(|(follower, behind)| Waiting {
        request: &follower.request,
        came: follower.terms.came,
        worth: follower.terms.worth,
        promise: follower.terms.promise,
        planned: None,
        payer: Some(follower.payer),
        overdue: false,
        owner: follower.terms.owner,
        crowds: follower.terms.crowds,
        likely: follower.terms.likely,
        behind,
    });
    let waiting: Vec<Waiting<'_>> = known.chain(new).chain(followers).collect();
    let of_known = agenda.planned.iter().map(|known| known.group.as_deref());
    let of_new =
        newcomers.iter().map(|job| problem.users.get(job.user).and_then(|user| user.group.as_deref()));
    let of_followers = agenda.followers.iter().map(|follower| follower.group.as_deref());
    let groups: Vec<Option<&str>> = of_known.chain(of_new).chain(of_followers).collect();
    let admits = |place: usize, site: SiteId, interval: Interval| {
        admitted(problem, waiting[place].request, groups[place], site, interval)
    };
    let limited = problem.rules.iter().any(|rules| !rules.access.is_empty());
    plan_agenda(&AgendaProblem {
        now: problem.now,
        held: agenda.held,
        soon: agenda.soon,
        offers: &problem.offers,
        jobs: &waiting,
        funds: &agenda.funds,
        admits: if limited { Some(&admits) } else { None },
        rules: agenda.rules,
    })
}

/// For whom of the same plan followers wait, by their places in it. Whoever waits for somebody that has none waits for itself, and so in vain.
fn behind(agenda: &PlanningAgenda, newcomers: &[&PlanningJob]) -> Vec<Vec<Behind>> {
    let first = agenda.planned.len();
    let numbers = newcomers.iter().map(|job| job.number);
    let numbers = numbers.chain(agenda.followers.iter().map(|follower| follower.number));
    let places: BTreeMap<JobNumber, usize> = numbers.zip(first..).collect();
    let of = |(follower, own): (&PlannedFollower, usize)| {
        let place = |number: &JobNumber| places.get(number).copied().unwrap_or(own);
        let one = |(number, ended): &(JobNumber, bool)| Behind {
            place: place(number),
            ended: *ended,
            lag: agenda.lag,
        };
        follower.behind.iter().map(one).collect()
    };
    agenda.followers.iter().zip(first + newcomers.len()..).map(of).collect()
}

pub(super) fn admitted(
    problem: &PlanningProblem,
    request: &Request,
    group: Option<&str>,
    site: SiteId,
    interval: Interval,
) -> bool {
    let user = request.user.as_deref().unwrap_or_default();
    let rules = problem.rules.get(site.index());
    rules.is_none_or(|rules| rules.admit(user, group, interval, problem.policy.calendar).is_ok())
}

/// Whether a queue would serve a job better than a window.
fn queue_is_better(
    problem: &PlanningProblem,
    agenda: &PlanningAgenda,
    job: &PlanningJob,
    window: &Window,
) -> bool {
    let worth = agenda.terms_of(job.number).worth;
    let score = worth.score_of(window.cost(), window.end());
    let request = &job.request;
    let group = problem.users.get(job.user).and_then(|user| user.group.as_deref());
    let better = |queue: &QueueOffer| {
        let Some((interval, each)) = queue.expected(request, problem.now) else { return false };
        let cost = each.as_micros().checked_mul(i64::from(request.tasks)).map(Money::from_micros);
        let fits = queue.performance >= request.performance_min
            && queue.units.is_none_or(|units| units >= request.tasks)
            && request.scope.admits(queue.site)
            && request.requires.iter().all(|it| it.is_met_by(&queue.attributes))
            && request.deadline.is_none_or(|deadline| interval.end() <= deadline);
        let payable = cost.filter(|cost| request.budget.is_none_or(|budget| *cost <= budget));
        fits && admitted(problem, request, group, queue.site, interval)
            && payable.is_some_and(|cost| worth.score_of(cost, interval.end()) < score)
    };
    problem.queues.iter().any(better)
}

/// Whoever the agenda left out gets no window of what it keeps for others; a place in a queue takes nothing from anybody.
fn refuse_windows(decision: &mut Decision, unplaced: &[&PlanningJob]) {
    let overdue = unplaced.iter().find(|job| job.overdue).map(|job| job.number);
    let refused: BTreeSet<JobNumber> = unplaced.iter().map(|job| job.number).collect();
    let (out, chosen): (Vec<Chosen>, Vec<Chosen>) = std::mem::take(&mut decision.chosen)
        .into_iter()
        .partition(|chosen| refused.contains(&chosen.job) && !chosen.allocation.is_queue());
    decision.chosen = chosen;
    let verdict = &mut decision.verdict;
    for chosen in out {
        verdict.served = verdict.served.saturating_sub(1);
        let without = verdict.cost.checked_sub(chosen.allocation.cost());
        verdict.cost = without.expect("amounts that are not negative have a difference");
        let first = overdue.filter(|first| *first != chosen.job);
        verdict.unserved.push(Unserved { job: chosen.job, why: first.map_or(Why::LeftOut, Why::MakingRoom) });
    }
}

/// Everybody else, on what is left. Where these are only such as the agenda has no place for, and no queue could take them, what is
/// wanted is why: whoever finds a window finds one in the first round, and it is refused.
fn the_others(
    problem: &PlanningProblem,
    agenda: &PlanningAgenda,
    told: &[(JobNumber, &Placed)],
    unplaced: &[&PlanningJob],
) -> Decision {
    let placements = told.iter().flat_map(|(_, placed)| placed.window.placements());
    let taken = placements.flat_map(|it| std::iter::repeat_n((it.node, it.interval), it.units as usize));
    let placed: BTreeSet<JobNumber> = told.iter().map(|(number, _)| *number).collect();
    let mut jobs: Vec<PlanningJob> =
        problem.jobs.iter().filter(|job| !placed.contains(&job.number)).cloned().collect();
    if jobs.is_empty() {
        return for_nobody(problem);
    }
    for job in &mut jobs {
        let left = agenda.left_for(job.user, problem, told);
        job.request.budget = Some(job.request.budget.map_or(left, |budget| budget.min(left)));
    }
    let offers = problem.offers.without(taken);
    let mut policy = problem.policy.clone();
    if jobs.len() == unplaced.len() && problem.queues.is_empty() {
        policy.search.limits.alternatives_per_job_max = 1;
        policy.plan = PlanScheme::Papers;
    }
    super::by_windows(&PlanningProblem {
        capacity: None,
        cycle: problem.cycle,
        basis: problem.basis,
        now: problem.now,
        late: problem.late,
        offers,
        open: None,
        queues: problem.queues.clone(),
        jobs,
        users: problem.users.clone(),
        rules: problem.rules.clone(),
        wishes: problem.wishes.clone(),
        policy,
        agenda: None,
    })
}

impl PlanningAgenda {
    /// What a user can pay beside what newcomers of theirs are promised.
    fn left_for(&self, user: usize, problem: &PlanningProblem, told: &[(JobNumber, &Placed)]) -> Money {
        let jobs = problem.jobs.iter().filter(|job| job.user == user).map(|job| job.number);
        let followers = self.followers.iter().filter(|follower| follower.payer == user);
        let own: BTreeSet<JobNumber> = jobs.chain(followers.map(|follower| follower.number)).collect();
        let promised = told.iter().filter(|(number, _)| own.contains(number));
        let left = *self.funds.get(user).expect("the agenda knows the funds of every user of the problem");
        promised.fold(left, |left, (_, placed)| after_paying(left, placed.promise.cost))
    }
}

/// What is left after paying. A debt beyond the range of money stays at its end: nobody pays with either.
pub(super) fn after_paying(left: Money, cost: Money) -> Money {
    Money::from_micros(left.as_micros().saturating_sub(cost.as_micros()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::policy::Policy;
    use std::sync::Arc;
    use walras_core::prefer::{Rules, User};
    use walras_model::{Node, NodeId, Offers, Performance, Rate, Site, Slot, Span, Time, Work};

    /// What is said without asking the planner is what it would say.
    #[test]
    fn a_plan_for_nobody_is_the_planners() {
        let mut problem = problem();
        for objective in [Objective::MinCost, Objective::MinMakespan, Objective::Satisfaction] {
            for searches in [0, 1_000] {
                problem.policy.choice.objective = objective.clone();
                problem.policy.bound_searches_max = searches;
                assert_eq!(super::super::plan(&problem), for_nobody(&problem));
            }
        }
    }

    /// Whoever the agenda has no place for is told the same by one round as by all of them.
    #[test]
    fn one_round_says_why_there_is_no_place() {
        let mut problem = problem();
        let job = |number: u64, seconds: i64| {
            let work = Work::from_millis(1_000 * seconds).unwrap();
            PlanningJob::plain(JobNumber::new(number), Request::new(&format!("j{number}"), 1, work))
        };
        problem.jobs = vec![job(1, 10), job(2, 200), job(3, 30)];
        problem.users = vec![User { name: "ada".to_owned(), group: None, weight: 1 }];
        let agenda = PlanningAgenda {
            held: problem.now,
            soon: problem.now,
            rules: Default::default(),
            planned: Vec::new(),
            funds: vec![Money::MAX],
            newcomers: Default::default(),
            followers: Vec::new(),
            lag: Span::ZERO,
        };
        let unplaced: Vec<&PlanningJob> = problem.jobs.iter().collect();
        let told = |unplaced: &[&PlanningJob], of: &[&PlanningJob]| {
            let mut decision = the_others(&problem, &agenda, &[], unplaced);
            refuse_windows(&mut decision, of);
            decision.verdict.unserved.sort_by_key(|it| it.job);
            (decision.chosen, decision.verdict.unserved)
        };
        let (chosen, unserved) = told(&unplaced, &unplaced);
        assert_eq!((chosen.len(), unserved.len()), (0, 3));
        assert_eq!((&unserved[0].why, &unserved[2].why), (&Why::LeftOut, &Why::LeftOut));
        assert_eq!((chosen, unserved), told(&[], &unplaced));
    }

    /// A node that is free for 100 s, and nobody who wants it.
    fn problem() -> PlanningProblem {
        let at = |seconds: i64| Time::from_millis(1_000 * seconds).unwrap();
        let horizon = Interval::new(at(0), at(100)).unwrap();
        let node = Node {
            division: Default::default(),
            name: "n".to_owned(),
            site: SiteId::new(0),
            performance: Performance::ONE,
            watts: None,
            attributes: Default::default(),
        };
        let slot = Slot::new(NodeId::new(0), horizon, Rate::from_micros_per_second(7).unwrap());
        let sites = vec![Site { name: "s".to_owned() }];
        let offers = Offers::new(horizon, sites, vec![node], slot.into_iter().collect()).unwrap();
        PlanningProblem {
            capacity: None,
            cycle: Default::default(),
            basis: 7,
            now: at(0),
            late: None,
            offers,
            open: None,
            queues: Vec::new(),
            jobs: Vec::new(),
            users: Vec::new(),
            rules: vec![Rules::default()],
            wishes: Arc::default(),
            policy: Policy::default(),
            agenda: None,
        }
    }
}
