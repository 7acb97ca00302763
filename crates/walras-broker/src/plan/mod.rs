//! Planning a batch: from what is for sale and who is in the batch to a way for every job.
//!
//! **Problem.** Given a cycle's market and batch, find every job's alternatives, choose the best combination by the
//! VO's policy, place the tasks of workflows, and keep other ways ready for when something fails.
//!
//! **Method.** The searches and choices of `walras-core`, in order: workflows are sized, windows searched for the whole
//! batch in order of rank, windows that do not hold their workflow dropped; owners' rules, queues and everybody's
//! preferences make a negotiation; the policy's objective, or the stakeholders' satisfaction, decides. Windows of a job
//! that were not chosen become its spare ways: alternatives never overlap, so they stay free until others take them.
//!
//! The plan is a pure function of the [`Problem`]: it may be computed anywhere, and again later, to the same bytes. The
//! broker trusts nothing of it and verifies what it says.

mod choice;
mod ways;
mod workflow;

pub(crate) use ways::{Ways, ways};
pub(crate) use workflow::remaining;

use crate::id::{CycleNumber, JobNumber};
use crate::job::Why;
use crate::policy::Policy;
use crate::way::{Chosen, Hold, Part, Unserved, Way};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use walras_core::prefer::{
    JobWish, Negotiation, Preference, QueueOffer, Rules, Source, Stakeholders, User, WishError,
};
use walras_core::refine::Strategy;
use walras_core::slots::SlotList;
use walras_core::{Alternatives, find_alternatives, find_window};
use walras_model::{
    Batch, Interval, JobId, Money, Offers, Request, Share, SiteId, TaskId, Time, Window, Workflow,
};

/// All that planning needs to know.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Which cycle.
    pub cycle: CycleNumber,
    /// How many events the broker had folded when this was what it knew.
    pub basis: u64,
    /// When planning began.
    pub now: Time,
    /// What is for sale.
    pub offers: Offers,
    /// What would be for sale if nothing were held, where a job of the batch is overdue.
    pub open: Option<Offers>,
    /// Queues.
    pub queues: Vec<QueueOffer>,
    /// The batch, highest rank first.
    pub jobs: Vec<ProblemJob>,
    /// The users of its jobs.
    pub users: Vec<User>,
    /// Who may run where, by site.
    pub rules: Vec<Rules>,
    /// The VO's rules.
    pub policy: Policy,
}

/// A job of the batch.
#[derive(Clone, Debug)]
pub struct ProblemJob {
    /// Its number.
    pub number: JobNumber,
    /// What it needs; its name is unique in the batch, and its budget is what it can pay now.
    pub request: Request,
    /// What is left of its workflow.
    pub workflow: Option<Remaining>,
    /// How it judges alternatives.
    pub preference: Preference,
    /// The place of its user.
    pub user: usize,
    /// Whether it has waited so long that serving it comes before everything else.
    pub overdue: bool,
}

/// The tasks of a workflow that have not been done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Them.
    pub workflow: Workflow,
    /// For each, which task of the whole it is.
    pub tasks: Vec<TaskId>,
    /// How they are placed.
    pub strategy: Strategy,
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// How many events the broker had folded when planning began, so that the same plan can be made again.
    pub basis: u64,
    /// What it came to.
    pub verdict: Verdict,
    /// Who is served, and how.
    pub chosen: Vec<Chosen>,
}

/// What a plan came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// By what it was chosen.
    pub objective: String,
    /// Whether it is proven best.
    pub proof: Proof,
    /// The objective's value in its own integer unit, as a decimal number.
    pub value: String,
    /// How many jobs are served.
    pub served: u32,
    /// What all that was chosen costs.
    pub cost: Money,
    /// How content everybody is, in millionths: users and the administrator by name, owners by site.
    pub satisfaction: BTreeMap<String, Share>,
    /// Who is not served, and why.
    pub unserved: Vec<Unserved>,
}

/// Whether a combination is proven best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// It is.
    Optimal,
    /// A limit was hit; it is at most so many millionths above the best.
    Gap(i64),
    /// There was nothing to choose from.
    Nothing,
}

/// The plan for a problem.
pub fn plan(problem: &Problem) -> Decision {
    let batch = batch_of(problem);
    let batch = workflow::sized(problem, batch);
    let mut found = find_alternatives(&problem.offers, &batch, &problem.policy.search);
    let unfit = workflow::keep_fitting(problem, &batch, &mut found);
    let talk = negotiate(problem, &batch, &found);
    let (mut picks, verdict) = choice::choose(problem, &batch, &found, &talk);
    let room_for = room_for(problem, &batch, &picks);
    if room_for.is_some() {
        for (pick, job) in picks.iter_mut().zip(&problem.jobs) {
            *pick = pick.filter(|_| job.overdue);
        }
    }
    let chosen = chosen(problem, &batch, &found, &talk, &picks);
    let served: BTreeSet<JobNumber> = chosen.iter().map(|chosen| chosen.job).collect();
    let mut unserved = unserved(problem, &found, &talk, &unfit, &served);
    if let Some(job) = room_for {
        let waits = |it: &&mut Unserved| it.job != job && matches!(it.why, Why::LeftOut);
        unserved.iter_mut().filter(waits).for_each(|it| it.why = Why::MakingRoom(job));
    }
    let cost = chosen.iter().map(|chosen| chosen.way.cost()).sum();
    let served = u32::try_from(served.len()).unwrap_or(u32::MAX);
    Decision { basis: problem.basis, verdict: Verdict { served, cost, unserved, ..verdict }, chosen }
}

/// The first overdue job that found nothing, but would if nothing were held: until it does, only overdue jobs are
/// served, so that what is held runs out and nobody starves.
fn room_for(problem: &Problem, batch: &Batch, picks: &[Option<Source>]) -> Option<JobNumber> {
    let open = problem.open.as_ref()?;
    let mut waiting = problem.jobs.iter().zip(batch.requests()).zip(picks);
    let found = waiting.find(|((job, request), pick)| {
        job.overdue && pick.is_none() && {
            let list = SlotList::from_offers(open);
            find_window(&list, open, request, &problem.policy.search).found().is_some()
        }
    });
    found.map(|((job, _), _)| job.number)
}

/// The requests, each only on sites whose owners may let its user in; who comes first has the higher priority.
fn batch_of(problem: &Problem) -> Batch {
    let wishes = stakeholders(problem, problem.jobs.iter().map(|job| job.preference.clone()).collect());
    let count = i64::try_from(problem.jobs.len()).unwrap_or(i64::MAX);
    let requests = problem.jobs.iter().zip(0..).zip(0_i64..).map(|((job, index), rank)| {
        let mut request = job.request.clone();
        request.priority = count - rank;
        let mut open = wishes.sites_of(index);
        if job.workflow.is_some() {
            // Tasks need nodes and times of their own, which no queue gives.
            open.retain(|site| problem.queues.iter().all(|queue| queue.site != *site));
        }
        if open.len() < problem.rules.len() {
            let may = |site: &SiteId| request.scope.admits(*site);
            request.scope.sites = Some(open.into_iter().filter(may).collect());
        }
        request
    });
    Batch::new(requests.collect())
}

fn stakeholders(problem: &Problem, preferences: Vec<Preference>) -> Stakeholders {
    let wish =
        |(job, preference): (&ProblemJob, Preference)| JobWish { user: job.user, preference, spread: None };
    let mut wishes = Stakeholders::plain(&problem.offers, &Batch::default());
    wishes.users = problem.users.clone();
    wishes.jobs = problem.jobs.iter().zip(preferences).map(wish).collect();
    wishes.rules = problem.rules.clone();
    wishes.queues = problem.queues.clone();
    wishes.calendar = problem.policy.calendar;
    wishes
}

/// What everybody makes of what was found. A job that weighs what no alternative says anything of is judged by cost and
/// finish.
fn negotiate(problem: &Problem, batch: &Batch, found: &Alternatives) -> Option<Negotiation> {
    let mut preferences: Vec<Preference> = problem.jobs.iter().map(|job| job.preference.clone()).collect();
    for _ in 0..=problem.jobs.len() {
        let wishes = stakeholders(problem, preferences.clone());
        match wishes.negotiate(&problem.offers, batch, found) {
            Ok(talk) => return Some(talk),
            Err(WishError::Job(name, _)) => {
                let place = batch.requests().iter().position(|request| request.name == name)?;
                if preferences[place] == Preference::plain() {
                    return None;
                }
                preferences[place] = Preference::plain();
            }
            Err(_) => return None,
        }
    }
    None
}

/// Every served job's way, and its spare ones.
fn chosen(
    problem: &Problem,
    batch: &Batch,
    found: &Alternatives,
    talk: &Option<Negotiation>,
    picks: &[Option<Source>],
) -> Vec<Chosen> {
    let mut windows: Vec<Vec<usize>> = vec![Vec::new(); batch.requests().len()];
    for (job, sources) in talk.iter().flat_map(|talk| &talk.sources).enumerate() {
        let places = sources.iter().filter_map(|source| match source {
            Source::Window(place) => Some(*place),
            Source::Queue(_) => None,
        });
        windows[job].extend(places);
    }
    let mut all = Vec::new();
    for (job, pick) in picks.iter().enumerate() {
        let Some(source) = pick else { continue };
        let effort = problem.policy.refine_units_max;
        let Some(way) = way_of(problem, batch, found, job, *source, effort) else { continue };
        let mut others: Vec<usize> =
            windows[job].iter().copied().filter(|place| *source != Source::Window(*place)).collect();
        others.sort_by_key(|place| {
            let window = &found.found[*place].window;
            (window.end(), window.cost(), *place)
        });
        let spares = others
            .into_iter()
            .filter_map(|place| way_of(problem, batch, found, job, Source::Window(place), 0));
        let spares = spares.take(problem.policy.spares_max as usize).collect();
        all.push(Chosen { job: problem.jobs[job].number, way, spares });
    }
    all
}

fn way_of(
    problem: &Problem,
    batch: &Batch,
    found: &Alternatives,
    job: usize,
    source: Source,
    effort: u64,
) -> Option<Way> {
    match source {
        Source::Queue(queue) => queue_way(problem, &batch.requests()[job], queue),
        Source::Window(place) => {
            let window = &found.found[place].window;
            match &problem.jobs[job].workflow {
                None => Some(window_way(&problem.offers, window, problem.jobs[job].request.user.as_deref())),
                Some(remaining) => workflow::way(problem, &problem.jobs[job], remaining, window, effort),
            }
        }
    }
}

/// What a window holds.
pub(crate) fn holds_of(offers: &Offers, window: &Window, user: Option<&str>) -> Vec<(SiteId, Hold)> {
    let hold = |placement: &walras_model::Placement| {
        let slots = offers.slots();
        let at = slots.binary_search_by_key(&placement.source, |slot| slot.key());
        // A slot that was cut keeps its rate, but not its key: the offered slot is the last that starts before.
        let rate = match at {
            Ok(at) => Some(offers.rate_for(&slots[at], user)),
            Err(at) => slots[..at]
                .iter()
                .rev()
                .find(|slot| slot.node() == placement.node)
                .map(|slot| offers.rate_for(slot, user)),
        };
        let hold = Hold {
            node: Some(placement.node),
            interval: placement.interval,
            rate: rate?,
            cost: placement.cost,
        };
        Some((offers.node(placement.node).site, hold))
    };
    window.placements().iter().filter_map(hold).collect()
}

/// The way that a window is for a parallel job: one part for each hold.
pub(crate) fn window_way(offers: &Offers, window: &Window, user: Option<&str>) -> Way {
    let legs = Way::legs_of(holds_of(offers, window, user));
    let parts = legs.iter().flat_map(|leg| {
        leg.holds.iter().zip(0_u32..).map(|(hold, place)| part_of(leg.site, place, hold.interval))
    });
    let parts = parts.collect();
    Way { legs, parts, supports: Vec::new() }
}

fn part_of(site: SiteId, hold: u32, interval: Interval) -> Part {
    Part { task: None, site, hold, start: interval.start(), end: interval.end(), after: Vec::new() }
}

/// The way that a queue is: every task as it is expected.
fn queue_way(problem: &Problem, request: &Request, queue: usize) -> Option<Way> {
    let offer = problem.queues.get(queue)?;
    let runtime = request.work.runtime_on(offer.performance)?;
    let start = problem.now.checked_add(offer.wait)?.max(request.earliest.unwrap_or(problem.now));
    let interval = Interval::new(start, start.checked_add(runtime)?)?;
    let hold = Hold { node: None, interval, rate: offer.rate, cost: offer.rate.cost_of(runtime)? };
    let legs = Way::legs_of((0..request.tasks).map(|_| (offer.site, hold)));
    let parts = (0..request.tasks).map(|place| part_of(offer.site, place, interval)).collect();
    Some(Way { legs, parts, supports: Vec::new() })
}

/// Who is not served, and why.
fn unserved(
    problem: &Problem,
    found: &Alternatives,
    talk: &Option<Negotiation>,
    unfit: &BTreeSet<JobId>,
    served: &BTreeSet<JobNumber>,
) -> Vec<Unserved> {
    let mut why: BTreeMap<usize, Why> = BTreeMap::new();
    for unscheduled in &found.unscheduled {
        why.insert(unscheduled.job.index(), Why::NoFit(Box::new(unscheduled.explanation.clone())));
    }
    for job in unfit {
        why.insert(job.index(), workflow::does_not_fit());
    }
    let admitted = |job: usize| talk.as_ref().is_some_and(|talk| !talk.sources[job].is_empty());
    let left = problem.jobs.iter().enumerate().filter(|(_, job)| !served.contains(&job.number));
    let all = left.map(|(index, job)| {
        let reason = if admitted(index) { Why::LeftOut } else { Why::NotAdmitted };
        Unserved { job: job.number, why: why.remove(&index).unwrap_or(reason) }
    });
    all.collect()
}
