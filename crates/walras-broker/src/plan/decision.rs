//! The core's plan as a decision of the broker: what is reserved, and what is told to whom.

use super::PlanningProblem;
use super::allocation::allocation_of;
use crate::model::allocation::Allocation;
use crate::model::decision::{Chosen, Decision, PlanBound, Proof, Rivals, Unserved, Verdict};
use crate::model::id::JobNumber;
use crate::model::job::Why;
use std::collections::{BTreeMap, BTreeSet};
use walras_core::clearing::Clearing;
use walras_core::plan::{BatchChoice, BatchPlan, LeftOut, MadeChoice, Proven, Run, Served};
use walras_core::prefer::{Negotiation, SCALE};
use walras_model::quantity::MILLION;
use walras_model::{Explanation, JobId, Money, Share};

/// What a plan says, in the broker's terms, and what prices prove of it.
pub(super) fn decision(problem: &PlanningProblem, plan: &BatchPlan, clearing: Option<&Clearing>) -> Decision {
    let chosen: Vec<Chosen> = plan.served.iter().filter_map(|it| chosen(problem, plan, it)).collect();
    let verdict = Verdict {
        served: u32::try_from(chosen.len()).unwrap_or(u32::MAX),
        cost: chosen.iter().map(|chosen| chosen.allocation.cost()).sum(),
        unserved: unserved(problem, plan, &chosen),
        bound: clearing.and_then(bound),
        faults: faults(problem, plan),
        plainly: plan.plainly.iter().filter_map(|job| Some(problem.jobs.get(job.index())?.number)).collect(),
        ..verdict(problem, plan)
    };
    Decision { basis: problem.basis, late: problem.late, verdict, chosen, planned: Vec::new() }
}

/// What is reserved for a job; `None` when its alternative cannot be worked out, which the planner rules out.
fn chosen(problem: &PlanningProblem, plan: &BatchPlan, served: &Served) -> Option<Chosen> {
    let job = problem.jobs.get(served.job.index())?;
    let request = plan.batch.request(served.job);
    let allocation =
        |run: &Run| -> Option<Allocation> { allocation_of(problem, job, request, &plan.found, run) };
    let spares = served.spares.iter().filter_map(allocation).collect();
    Some(Chosen { job: job.number, allocation: allocation(&served.run)?, spares })
}

/// What was chosen by what, and how content everybody is with it.
fn verdict(problem: &PlanningProblem, plan: &BatchPlan) -> Verdict {
    let made = match &plan.choice {
        BatchChoice::Made(made) => Some(made.as_ref()),
        BatchChoice::Unwanted | BatchChoice::None(_) => None,
    };
    let negotiation = plan.negotiation.as_ref().and_then(|negotiation| negotiation.as_ref().ok());
    let satisfaction = made.zip(negotiation).map(|(made, negotiation)| satisfaction(made, negotiation));
    Verdict {
        proof: made.map_or(Proof::Nothing, proof),
        rivals: made.map(|made| rivals(plan, made)),
        value: made.map_or(0, |made| made.value),
        satisfaction: satisfaction.unwrap_or_default(),
        ..nothing(problem)
    }
}

/// What is said where there was nobody to choose for.
fn nothing(problem: &PlanningProblem) -> Verdict {
    Verdict {
        objective: Some(problem.policy.choice.objective.clone()),
        proof: Proof::Nothing,
        rivals: None,
        value: 0,
        served: 0,
        cost: Money::ZERO,
        satisfaction: BTreeMap::new(),
        unserved: Vec::new(),
        bound: None,
        faults: Vec::new(),
        plainly: Vec::new(),
        assigned: None,
    }
}

/// The plan for nobody, as the planner would make it.
pub(super) fn for_nobody(problem: &PlanningProblem) -> Decision {
    let (basis, late) = (problem.basis, problem.late);
    Decision { basis, late, verdict: nothing(problem), chosen: Vec::new(), planned: Vec::new() }
}

/// What prices prove; `None` beyond the range of money.
fn bound(clearing: &Clearing) -> Option<PlanBound> {
    let money = |micros: i128| i64::try_from(micros).ok().map(Money::from_micros);
    Some(PlanBound {
        jobs: u32::try_from(clearing.served).ok()?,
        cost: money(clearing.cost)?,
        cost_least: money(clearing.cost_least)?,
        jobs_most: u32::try_from(clearing.served_most).ok()?,
        searches: clearing.searches,
        limit_hit: clearing.limit_hit,
        loss: None,
    })
}

fn proof(made: &MadeChoice) -> Proof {
    match made.proven {
        Proven::Best => Proof::Optimal,
        Proven::Within(bound) => gap(made.value, bound),
        Proven::Nothing => Proof::Gap(MILLION),
    }
}

/// What was proven of an improved plan was proven by a bound over all windows.
fn rivals(plan: &BatchPlan, made: &MadeChoice) -> Rivals {
    match made.improvement {
        Some(it) if it.after != it.before && made.proven != Proven::Nothing => Rivals::AllWindows,
        Some(_) | None => Rivals::Listed(u32::try_from(plan.found.found.len()).unwrap_or(u32::MAX)),
    }
}

fn gap(value: i128, bound: i128) -> Proof {
    let above = (value - bound).max(0).saturating_mul(i128::from(MILLION));
    let millionths = above.checked_div(value.abs().max(1)).unwrap_or(0);
    Proof::Gap(i64::try_from(millionths).unwrap_or(i64::MAX))
}

fn satisfaction(made: &MadeChoice, negotiation: &Negotiation) -> BTreeMap<String, Share> {
    let losses = made.compromise.iter().flat_map(|compromise| &compromise.losses);
    let content = |loss: i64| Share::of_whole(i128::from(SCALE - loss), i128::from(SCALE));
    let parties = negotiation.problem.parties().iter().zip(losses);
    parties.map(|(party, loss)| (party.name.clone(), content(*loss))).collect()
}

/// The workflows whose planned schedule did not hold.
fn faults(problem: &PlanningProblem, plan: &BatchPlan) -> Vec<JobNumber> {
    let is_fault =
        |served: &&Served| served.run.tasks.as_ref().is_some_and(|tasks| tasks.refined.fault.is_some());
    let number = |served: &Served| problem.jobs.get(served.job.index()).map(|job| job.number);
    plan.served.iter().filter(is_fault).filter_map(number).collect()
}

/// Who is not served, and why.
fn unserved(problem: &PlanningProblem, plan: &BatchPlan, chosen: &[Chosen]) -> Vec<Unserved> {
    let why: BTreeMap<JobId, &Explanation> =
        plan.found.unscheduled.iter().map(|it| (it.job, &it.explanation)).collect();
    let number = |job: JobId| problem.jobs[job.index()].number;
    let served: BTreeSet<_> = chosen.iter().map(|chosen| chosen.job).collect();
    let reasons: BTreeMap<JobId, LeftOut> = plan.left_out.iter().copied().collect();
    let jobs = (0..problem.jobs.len()).filter_map(JobId::from_index);
    let left = jobs.filter(|job| !served.contains(&number(*job)));
    let all = left.map(|job| Unserved {
        job: number(job),
        why: match reasons.get(&job).copied().unwrap_or(LeftOut::NoRoom) {
            LeftOut::NoWindow => {
                Why::NoFit(Box::new(why.get(&job).map_or_else(Explanation::default, |why| (*why).clone())))
            }
            LeftOut::NotAdmitted => Why::NotAdmitted,
            LeftOut::NoRoom => Why::LeftOut,
            LeftOut::Quota => Why::OverQuota,
            LeftOut::MakingRoom(first) => Why::MakingRoom(number(first)),
        },
    });
    all.collect()
}
