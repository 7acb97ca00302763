//! Quotes: what a job would cost and when it would run, binding for a while.
//!
//! **Problem.** A user wants to know before submitting: what are my choices, and what do they cost?
//!
//! **Method.** The policy's own search, the cheapest window and the one that ends first, and every queue, on what is for
//! sale now. Of all these, only those stay to which none is at once no dearer and no later; at most as many as the policy
//! says, spread from the earliest to the cheapest. The best window by a search that the job asks for itself stays in any case. Each says how sure its time is, from how long jobs like it have run,
//! and how well it suits the user. Without any, the quote carries the reasons and the smallest change of each kind that
//! would help. What is asked of a job that is submitted at once counts as taken what those have who came before it and are not planned yet.
//!
//! Whoever asks may search before ([`Inquiry`]), so that a long search keeps nobody waiting; the broker then only looks
//! whether what was found can be had.

use super::batch::worth_of_spec;
use super::predicting::{confidence, preference};
use super::strategy::{earliest, given, search_of};
use super::submission::check_job;
use super::wanted::Wanted;
use crate::model::allocation::Allocation;
use crate::model::input::Refusal;
use crate::model::job::{Job, JobSpec, Phase};
use crate::model::policy::Policy;
use crate::model::quote::{Confidence, Findings, QuoteOption};
use crate::model::state::State;
use crate::plan::{self, JobFindings, PlanningJob, PlanningProblem, Width};
use std::borrow::Cow;
use walras_core::agenda::Worth;
use walras_core::choose::Objective;
use walras_core::prefer::{SCALE, User};
use walras_core::{Algorithm, Criterion, SearchConfig, SearchLimits};
use walras_model::quantity::rounding;
use walras_model::{Explanation, Money, Offers, Reason, Share, SiteId, Span, Time, Window};

/// What a quote is searched in: a copy of what is for sale, so that the search needs nobody to wait for it.
pub struct Inquiry {
    problem: PlanningProblem,
    /// From when on it is looked for where nothing is found: one moment after another.
    otherwise: Vec<Option<Time>>,
    /// Whether the job asks for a search of its own, so that the best by it is shown whatever it costs.
    searched: bool,
    worth: Option<Worth>,
    /// Those who are planned before it.
    before: Vec<PlanningJob>,
    /// How it is looked for first, where it may be done before its user's other workflows take nodes.
    soon: Option<PlanningJob>,
    /// Whether it is looked for as the next plan would, and in no other way.
    planned: bool,
}

impl Inquiry {
    /// What a job could have for a quote; `None` when no site has said what is free. Refuses jobs that cannot be. What is to be held for a
    /// while starts after that.
    pub fn new(
        state: &State,
        now: Time,
        spec: &JobSpec,
        hold: Option<Span>,
    ) -> Result<Option<Inquiry>, Refusal> {
        let now = now.max(state.clock);
        let lead = state.policy.quotes.lead;
        let from = match hold {
            Some(hold) => Some(after_hold(state, now, hold)),
            None => now.checked_add(lead).filter(|_| lead > Span::ZERO),
        };
        Inquiry::from(state, now, spec, hold, from)
    }

    /// What a job could have if it were submitted now, behind those who came before it and have no plan yet.
    pub fn at_once(state: &State, now: Time, spec: &JobSpec) -> Result<Option<Inquiry>, Refusal> {
        let mut found = Inquiry::from(state, now.max(state.clock), spec, None, None)?;
        if let Some(inquiry) = &mut found {
            inquiry.before = unplanned(state, now.max(state.clock));
            inquiry.planned = spec.workflow.is_some();
            let (soon, then) = state.workflow_rooms(spec);
            inquiry.soon = inquiry.ahead_of_own(soon);
            inquiry.behind_own(then);
        }
        Ok(found)
    }

    /// What a job could have from a moment on.
    fn from(
        state: &State,
        now: Time,
        spec: &JobSpec,
        hold: Option<Span>,
        from: Option<Time>,
    ) -> Result<Option<Inquiry>, Refusal> {
        let spec = &*given(state, now, spec);
        check_job(state, spec)?;
        let oldest = now.as_millis() - 2 * state.policy.quotes.offers_age_max.as_millis();
        // Before time began nobody has offered anything.
        let market = state.market(now, Time::from_millis(oldest).unwrap_or(Time::MIN));
        let Some(market) = market else { return Ok(None) };
        let mut wanted = wanted(state, now, spec);
        let asked = wanted.request.earliest;
        wanted.request.earliest = asked.max(from);
        let mut otherwise = vec![wanted.request.earliest];
        otherwise.extend(hold.is_none().then_some(asked));
        let late = earliest(state, &wanted.request, wanted.remaining.as_ref(), false);
        wanted.request.earliest = late.or(wanted.request.earliest);
        otherwise.dedup();
        otherwise.retain(|other| *other != wanted.request.earliest);
        let user = state.users.get(spec.user.as_str());
        let users = vec![User {
            name: spec.user.clone(),
            group: user.and_then(|user| user.user.group.clone()),
            weight: 1,
        }];
        let expected = confidence(state, spec);
        let job = PlanningJob {
            number: wanted.job,
            request: wanted.request,
            workflow: wanted.remaining,
            preference: preference(state, spec, expected.as_ref(), now),
            spread: expected.as_ref().and_then(Confidence::judged),
            search: search_of(state, spec),
            user: 0,
            overdue: false,
        };
        let rules = state.sites.iter().map(|site| site.spec.access.clone()).collect();
        let moves = spec.workflow.is_none() && state.policy.choice.objective != Objective::Satisfaction;
        let promises = state.promises().filter(|_| moves);
        let worth = promises.map(|promises| worth_of_spec(spec, now, promises, &market.offers));
        let problem = PlanningProblem {
            capacity: None,
            cycle: state.last.cycle,
            basis: state.version,
            now,
            late: None,
            offers: market.offers,
            open: None,
            // A place in a queue is no time that could be held.
            queues: if hold.is_some() { Vec::new() } else { market.queues },
            jobs: vec![job],
            users,
            rules,
            wishes: Default::default(),
            policy: Policy { network: state.network(), ..(*state.policy).clone() },
            agenda: None,
        };
        let searched = spec.search.is_some();
        Ok(Some(Inquiry {
            problem,
            otherwise,
            searched,
            worth,
            before: Vec::new(),
            soon: None,
            planned: false,
        }))
    }

    /// Its job on as many nodes as its user's other workflows leave it until they take more.
    fn ahead_of_own(&self, width: Option<Width>) -> Option<PlanningJob> {
        let mut job = self.problem.jobs.first().filter(|_| width.is_some())?.clone();
        job.workflow.as_mut()?.within(&mut job.request, width?);
        Some(job)
    }

    /// Not before its user's other workflows leave a workflow so many nodes.
    fn behind_own(&mut self, room: Option<(Time, Width)>) {
        let Some((from, width)) = room else { return };
        self.otherwise.iter_mut().for_each(|earliest| *earliest = (*earliest).max(Some(from)));
        self.otherwise.dedup();
        for job in &mut self.problem.jobs {
            job.request.earliest = job.request.earliest.max(Some(from));
            if let Some(remaining) = &mut job.workflow {
                remaining.within(&mut job.request, width);
            }
        }
    }

    /// The same beside windows that are taken, with so much money left.
    pub(crate) fn beside<'w>(&mut self, windows: impl Iterator<Item = &'w Window>, left: Money) {
        let placements = windows.flat_map(|window| window.placements());
        let taken = placements.flat_map(|it| plan::by_unit(it.node, it.interval, it.units));
        self.problem.offers = self.problem.offers.without(taken);
        for job in &mut self.problem.jobs {
            job.request.budget = Some(job.request.budget.map_or(left, |budget| budget.min(left)));
        }
    }

    /// What a delay would be worth to the job, where plans choose its window by that.
    pub fn worth(&self) -> Option<Worth> {
        self.worth
    }

    /// Searches: for what leaves time to be taken and is as late as it should be, or else for what there is.
    pub fn search(&self) -> Findings {
        let mut problem = Cow::Borrowed(&self.problem);
        if !self.before.is_empty() {
            problem.to_mut().offers = left_by(&self.problem, &self.before);
        }
        let find = |problem: &PlanningProblem| find(problem, self.searched, self.planned);
        if let Some(soon) = &self.soon {
            let problem = PlanningProblem { jobs: vec![soon.clone()], ..problem.clone().into_owned() };
            let found = find(&problem);
            if !found.allocations.is_empty() {
                return found;
            }
        }
        let mut found = find(&problem);
        for earliest in &self.otherwise {
            if !found.allocations.is_empty() {
                break;
            }
            problem.to_mut().jobs.iter_mut().for_each(|job| job.request.earliest = *earliest);
            found = find(&problem);
        }
        found
    }
}

/// Of those who came before and have no plan yet, so many are looked at.
const BEFORE_MAX: usize = 32;

/// Plain jobs that nobody has looked at yet, in the order in which they came.
fn unplanned(state: &State, now: Time) -> Vec<PlanningJob> {
    let new = |job: &&Job| {
        let open = matches!(job.phase, Phase::Queued | Phase::Planning) && job.waits.is_none();
        open && job.why.is_none() && job.spec.workflow.is_none()
    };
    let committed = state.committed();
    let planning = |job: &Job| {
        let funds = state.unpromised(&job.spec.user, now, &committed);
        PlanningJob::plain(job.number, Wanted::of(state, job).payable(funds).request)
    };
    state.jobs.values().filter(new).take(BEFORE_MAX).map(planning).collect()
}

/// What is for sale without what these jobs are likely to be given before: each the window that ends first.
fn left_by(problem: &PlanningProblem, before: &[PlanningJob]) -> Offers {
    let of_vo = &problem.policy.search;
    let by_finish = SearchConfig {
        algorithm: Algorithm::Criterion(Criterion::Finish),
        limits: SearchLimits { alternatives_per_job_max: 1, ..of_vo.limits },
        ..of_vo.clone()
    };
    let mut alone = PlanningProblem { queues: Vec::new(), ..problem.clone() };
    for job in before {
        alone.jobs = vec![job.clone()];
        let found = plan::job_findings(&alone, std::slice::from_ref(&by_finish)).found;
        if let Some((first, _)) = found.first() {
            alone.offers = alone.offers.without(plan::times_of(first.holds().map(|(_, hold)| hold)));
        }
    }
    alone.offers
}

fn find(problem: &PlanningProblem, searched: bool, planned: bool) -> Findings {
    let policy = &problem.policy;
    let own = problem.jobs.first().and_then(|job| job.search.as_ref());
    let mut searches = searches(own.unwrap_or(&policy.search));
    searches.truncate(if planned { 1 } else { searches.len() });
    let JobFindings { found, best, why } = plan::job_findings(problem, &searches);
    let wanted = best.filter(|_| searched);
    let allocations = undominated(found, policy.quotes.options_max as usize, wanted);
    let why = allocations.is_empty().then(|| why.unwrap_or_default());
    Findings { allocations, why }
}

/// How long looking for a quote may take that is to be held, and for which its start stays ahead of its end.
const LOOKING: i64 = 5_000;

/// From when on something may start that is held for so long: sites have been told by then that it was taken.
fn after_hold(state: &State, now: Time, hold: Span) -> Time {
    let leads =
        (0..state.sites.len()).filter_map(SiteId::from_index).map(|site| state.lead_of(site).as_millis());
    let millis = now.as_millis().saturating_add(hold.as_millis()).saturating_add(leads.max().unwrap_or(0));
    Time::from_millis(millis.saturating_add(LOOKING)).unwrap_or(Time::MAX)
}

/// What a job wants before it is one.
pub(crate) fn wanted(state: &State, now: Time, spec: &JobSpec) -> Wanted {
    let mut wanted = Wanted::new(state, state.last.job.next(), spec, &Default::default(), Money::ZERO);
    if let Some(remaining) = &mut wanted.remaining {
        // One that is wider than what its user's other workflows leave waits for them.
        let widest = remaining.workflow.widest();
        remaining.nodes_max = state.workflow_room(spec).map(|room| room.max(widest));
    }
    // Each element of an array has an equal part of its budget.
    let elements = spec.array.as_ref().map_or(1, |indices| indices.count().max(1));
    let part = |it: Money| i64::try_from(rounding::down(i128::from(it.as_micros()), i128::from(elements)));
    wanted.request.budget = wanted.request.budget.map(|it| part(it).map_or(it, Money::from_micros));
    wanted.payable(state.unpromised(&spec.user, now, &state.committed()))
}

impl Findings {
    /// Nobody has looked: there was nothing to look at.
    pub(crate) fn unexamined() -> Findings {
        let why = Explanation { reasons: vec![Reason::NotExamined], ..Explanation::default() };
        Findings { allocations: Vec::new(), why: Some(why) }
    }
}

/// The policy's search, the cheapest and the fastest; a search by what each node may cost stays alone, since the others know no such limit.
fn searches(config: &SearchConfig) -> Vec<SearchConfig> {
    let by = |criterion| SearchConfig { algorithm: Algorithm::Criterion(criterion), ..config.clone() };
    let mut all = match config.algorithm {
        Algorithm::Alp => vec![config.clone()],
        Algorithm::Amp | Algorithm::Criterion(_) => {
            vec![config.clone(), by(Criterion::Cost), by(Criterion::Finish)]
        }
    };
    for (place, search) in all.iter_mut().enumerate() {
        let most = if place == 0 { 8 } else { 2 };
        search.limits.alternatives_per_job_max = search.limits.alternatives_per_job_max.min(most);
        search.limits.branches_max = search.limits.branches_max.min(200_000);
    }
    all
}

pub(crate) fn option(allocation: Allocation, loss: i64, confidence: Option<Confidence>) -> QuoteOption {
    QuoteOption {
        start: allocation.start(),
        finish: allocation.finish(),
        price: allocation.cost(),
        sites: allocation.legs.iter().map(|leg| leg.site).collect(),
        satisfaction: Share::of_whole(i128::from(SCALE - loss.clamp(0, SCALE)), i128::from(SCALE)),
        confidence,
        allocation,
    }
}

/// Those to which none is at once no later and no dearer, and the one at a place that is wanted in any case; earliest first, at most so
/// many, the ends among them unless only the wanted one has room.
fn undominated(
    mut all: Vec<(Allocation, i64)>,
    most: usize,
    wanted: Option<usize>,
) -> Vec<(Allocation, i64)> {
    let wanted = wanted.and_then(|place| all.get(place).cloned());
    all.sort_by_key(|(one, _)| (one.finish(), one.cost(), one.start()));
    let mut kept: Vec<(Allocation, i64)> = Vec::new();
    for (one, loss) in all {
        if kept.last().is_none_or(|(last, _)| one.cost() < last.cost()) {
            kept.push((one, loss));
        }
    }
    let missing = wanted.filter(|wanted| !kept.contains(wanted));
    let room = most.max(1).saturating_sub(usize::from(missing.is_some()));
    while kept.len() > room {
        // The one in the middle that costs least to miss: the ends always stay.
        let middle = kept.len() / 2;
        kept.remove(middle);
    }
    kept.extend(missing);
    kept.sort_by_key(|(one, _)| (one.finish(), one.cost(), one.start()));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::allocation::{Hold, Leg};
    use walras_model::{Interval, Rate, SiteId};

    /// Held from 0 on.
    fn alternative(finish: i64, price: i64) -> (Allocation, i64) {
        let at = |millis| Time::from_millis(millis).unwrap();
        let hold = Hold {
            units: 1,
            node: None,
            interval: Interval::new(at(0), at(finish)).unwrap(),
            rate: Rate::from_micros_per_second(1).unwrap(),
            cost: Money::from_micros(price),
        };
        let leg = Leg { site: SiteId::new(0), holds: vec![hold] };
        (Allocation { legs: vec![leg], parts: vec![], supports: vec![], late: vec![] }, 0)
    }

    fn pairs(kept: &[(Allocation, i64)]) -> Vec<(i64, i64)> {
        kept.iter().map(|(it, _)| (it.finish().as_millis(), it.cost().as_micros())).collect()
    }

    #[test]
    fn no_alternative_is_worse_than_another_in_every_respect() {
        let all = vec![
            alternative(30, 5),
            alternative(10, 9),
            alternative(20, 9),
            alternative(20, 7),
            alternative(40, 5),
            alternative(30, 6),
        ];
        assert_eq!(pairs(&undominated(all.clone(), 5, None)), [(10, 9), (20, 7), (30, 5)]);
        assert_eq!(pairs(&undominated(all.clone(), 5, Some(4))), [(10, 9), (20, 7), (30, 5), (40, 5)]);
        assert_eq!(pairs(&undominated(all.clone(), 3, Some(2))), [(10, 9), (20, 9), (30, 5)]);
        assert_eq!(pairs(&undominated(all, 1, Some(4))), [(40, 5)]);
    }

    #[test]
    fn the_earliest_and_the_cheapest_always_stay() {
        let all = (1..10).map(|step| alternative(step, 100 - step)).collect();
        let kept = pairs(&undominated(all, 3, None));
        assert_eq!((kept.len(), kept[0].0, kept[2].1), (3, 1, 91));
    }
}
