//! Choosing for the batch: by the policy's objective, or so that everybody is content.

use super::{Problem, Proof, Verdict};
use std::collections::BTreeMap;
use walras_core::Alternatives;
use walras_core::choose::{ChoiceLimits, Menu, MenuItem, MenuJob, choose_combination};
use walras_core::prefer::{Compromise, Negotiation, PreferLimits, SCALE, Source, compromise, valued};
use walras_model::Share;
use walras_model::quantity::MILLION;
use walras_model::{Batch, JobId, Money, Outcome};

/// How many overdue jobs are weighed before everything else; the others count as much as their rank.
const OVERDUE_MAX: usize = 20;

/// For every job what was chosen, and what the choice came to.
pub(super) fn choose(
    problem: &Problem,
    batch: &Batch,
    found: &Alternatives,
    talk: &Option<Negotiation>,
) -> (Vec<Option<Source>>, Verdict) {
    let nothing = (vec![None; batch.requests().len()], verdict(problem, Proof::Nothing, 0, None));
    let Some(talk) = talk else { return nothing };
    if problem.policy.by_satisfaction {
        by_satisfaction(problem, talk).unwrap_or(nothing)
    } else {
        by_objective(problem, batch, found, talk).unwrap_or(nothing)
    }
}

fn verdict(
    problem: &Problem,
    proof: Proof,
    value: i128,
    suits: Option<(&Negotiation, &Compromise)>,
) -> Verdict {
    let objective = if problem.policy.by_satisfaction {
        "satisfaction".to_owned()
    } else {
        problem.policy.choice.objective.to_string()
    };
    let mut satisfaction = BTreeMap::new();
    if let Some((talk, suits)) = suits {
        for (party, loss) in talk.problem.parties().iter().zip(&suits.losses) {
            let content = Share::of_whole(i128::from(SCALE - loss), i128::from(SCALE));
            satisfaction.insert(party.name.clone(), content);
        }
    }
    Verdict {
        objective,
        proof,
        value: value.to_string(),
        served: 0,
        cost: Money::ZERO,
        satisfaction,
        unserved: Vec::new(),
    }
}

fn gap(value: i128, bound: i128) -> Proof {
    let above = (value - bound).max(0).saturating_mul(i128::from(MILLION));
    let millionths = above.checked_div(value.abs().max(1)).unwrap_or(0);
    Proof::Gap(i64::try_from(millionths).unwrap_or(i64::MAX))
}

fn by_satisfaction(problem: &Problem, talk: &Negotiation) -> Option<(Vec<Option<Source>>, Verdict)> {
    let outcome = compromise(&talk.problem, &PreferLimits::default());
    let proof = match &outcome {
        Outcome::Optimal(_) => Proof::Optimal,
        Outcome::Feasible { best, bound } => gap(best.value, *bound),
        Outcome::Infeasible(_) => return None,
    };
    let suits = outcome.found()?;
    let picks = sources(talk, &suits.picks);
    Some((picks, verdict(problem, proof, suits.value, Some((talk, &suits)))))
}

fn sources(talk: &Negotiation, picks: &[Option<usize>]) -> Vec<Option<Source>> {
    let source =
        |(sources, pick): (&Vec<Source>, &Option<usize>)| pick.and_then(|pick| sources.get(pick).copied());
    talk.sources.iter().zip(picks).map(source).collect()
}

fn by_objective(
    problem: &Problem,
    batch: &Batch,
    found: &Alternatives,
    talk: &Negotiation,
) -> Option<(Vec<Option<Source>>, Verdict)> {
    let menu = menu(problem, batch, found, talk);
    let limits = ChoiceLimits { labels_max: problem.policy.labels_max };
    let outcome = choose_combination(&menu, &problem.policy.choice, &limits);
    let mut proof = match &outcome {
        Outcome::Optimal(_) => Proof::Optimal,
        Outcome::Feasible { best, bound } => gap(best.value, *bound),
        Outcome::Infeasible(_) => return None,
    };
    let best = outcome.found()?;
    let mut picks: Vec<Option<usize>> = vec![None; batch.requests().len()];
    for (job, item) in menu.jobs.iter().zip(&best.items) {
        picks[job.job.index()] = item.map(|item| job.items[item].source);
    }
    let suits = within_shared_limits(talk, &mut picks)?;
    if suits.unserved > u32::try_from(picks.len()).ok()? - best.totals.served {
        // Quotas and queues' units are not part of the objective's problem, so nothing is proven for what is left.
        proof = Proof::Gap(MILLION);
    }
    Some((sources(talk, &picks), verdict(problem, proof, best.value, Some((talk, &suits)))))
}

/// What there is to choose from; an item's source is its place among the job's options.
fn menu(problem: &Problem, batch: &Batch, found: &Alternatives, talk: &Negotiation) -> Menu {
    let mut jobs = Vec::new();
    for (index, options) in talk.sources.iter().enumerate() {
        let request = &batch.requests()[index];
        let item = |(place, source): (usize, &Source)| match source {
            Source::Window(window) => {
                let window = &found.found.get(*window)?.window;
                Some(MenuItem {
                    cost: window.cost(),
                    time: window.runtime(),
                    finish: window.end(),
                    source: place,
                })
            }
            Source::Queue(queue) => {
                let way = super::queue_way(problem, request, *queue)?;
                let time = way.end().span_since(way.start())?;
                Some(MenuItem { cost: way.cost(), time, finish: way.end(), source: place })
            }
        };
        let items: Vec<MenuItem> = options.iter().enumerate().filter_map(item).collect();
        let Some(job) = JobId::from_index(index).filter(|_| !items.is_empty()) else { continue };
        let weight = u64::try_from(request.priority).unwrap_or(1).max(1);
        jobs.push(MenuJob { job, weight, items });
    }
    weigh_overdue(problem, &mut jobs);
    Menu { jobs }
}

/// The first overdue jobs each outweigh all that come after them.
fn weigh_overdue(problem: &Problem, jobs: &mut [MenuJob]) {
    let mut sum: u64 = jobs.iter().map(|job| job.weight).sum();
    let overdue = jobs.iter_mut().filter(|job| problem.jobs[job.job.index()].overdue);
    let mut first: Vec<&mut MenuJob> = overdue.take(OVERDUE_MAX).collect();
    for job in first.iter_mut().rev() {
        job.weight = sum.saturating_add(1);
        sum = sum.saturating_add(job.weight);
    }
}

/// Drops picks, last ranks first, until owners' quotas and queues' units are kept; gives what everybody makes of it.
fn within_shared_limits(talk: &Negotiation, picks: &mut [Option<usize>]) -> Option<Compromise> {
    loop {
        if let Some(suits) = valued(&talk.problem, picks) {
            return Some(suits);
        }
        // The first pick with which it does not hold any more, by bisection: what holds for many holds for fewer.
        let (mut holds, mut fails) = (0, picks.len());
        while fails - holds > 1 {
            let middle = usize::midpoint(holds, fails);
            let mut first = picks.to_vec();
            first[middle..].fill(None);
            if valued(&talk.problem, &first).is_some() { holds = middle } else { fails = middle }
        }
        *picks.get_mut(fails - 1)? = None;
    }
}
