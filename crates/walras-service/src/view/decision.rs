//! Decisions as the API explains them.

use super::{node_name, site_name};
use walras_api::Num;
use walras_api::sentence::{Context, assigned_view, bound_view, proof_view};
use walras_api::service::{DecidedAlternative, DecidedJobView, DecidedOutcome, DecisionView};
use walras_broker::allocation::Allocation;
use walras_broker::decision::Decision;
use walras_broker::id::{CycleNumber, JobNumber};
use walras_broker::job::Planned;
use walras_broker::journal::Entry;
use walras_broker::{Input, State};
use walras_model::{NodeId, Time};

/// A decision as the journal keeps it.
#[derive(Clone, Debug)]
pub struct Decided {
    /// Its place in the journal.
    pub position: u64,
    at: Time,
    cycle: CycleNumber,
    decision: Box<Decision>,
}

/// The decision that an entry brings, unless it says nothing of any job.
pub fn decided(position: u64, entry: &Entry) -> Option<Decided> {
    let Input::Decided { cycle, decision } = &entry.input else { return None };
    let nothing =
        decision.chosen.is_empty() && decision.planned.is_empty() && decision.verdict.unserved.is_empty();
    (!nothing).then(|| Decided { position, at: entry.at, cycle: *cycle, decision: decision.clone() })
}

/// A decision; names are those of today.
pub fn decision_view(state: &State, of: &Decided) -> DecisionView {
    let verdict = &of.decision.verdict;
    let assigned = verdict.assigned.as_ref().map_or(0, |round| round.served_count());
    let reserved = of.decision.chosen.iter().map(|chosen| {
        let alternatives = std::iter::once(&chosen.allocation).chain(&chosen.spares);
        let alternatives = alternatives.map(|allocation| alternative(state, allocation)).collect();
        decided_job(state, chosen.job, DecidedOutcome::Reserved, alternatives)
    });
    let planned = of.decision.planned.iter().map(|planned| {
        let alternatives = planned_alternative(state, planned.job, &planned.plan).into_iter().collect();
        decided_job(state, planned.job, DecidedOutcome::Planned, alternatives)
    });
    let left_out = verdict.unserved.iter().map(|unserved| {
        let spec = state.jobs.get(&unserved.job).map(|job| job.spec.clone());
        let context = spec
            .as_ref()
            .map_or_else(|| Context::of_service(state), |spec| Context::of_job(state, spec, &unserved.why));
        DecidedJobView {
            why: Some(context.why(&unserved.why)),
            reason: Some(context.why_view(&unserved.why)),
            ..decided_job(state, unserved.job, DecidedOutcome::LeftOut, Vec::new())
        }
    });
    DecisionView {
        cycle: of.cycle.get(),
        position: of.position,
        at: of.at.into(),
        served: verdict.served,
        cost: Num::of_money(verdict.cost),
        proof: proof_view(verdict.proof, verdict.rivals, verdict.served.saturating_sub(assigned)),
        bound: verdict.bound.as_ref().map(|bound| bound_view(bound, None)),
        assigned: verdict.assigned.as_deref().map(assigned_view),
        satisfaction: verdict
            .satisfaction
            .iter()
            .map(|(name, share)| (name.clone(), Num::of_millionths(share.as_millionths())))
            .collect(),
        jobs: reserved.chain(planned).chain(left_out).collect(),
    }
}

fn decided_job(
    state: &State,
    job: JobNumber,
    outcome: DecidedOutcome,
    alternatives: Vec<DecidedAlternative>,
) -> DecidedJobView {
    let spec = state.jobs.get(&job).map(|job| &job.spec);
    DecidedJobView {
        job: job.get(),
        name: spec.map(|spec| spec.request.name.clone()),
        user: spec.map(|spec| spec.user.clone()),
        outcome,
        alternatives,
        why: None,
        reason: None,
    }
}

fn alternative(state: &State, allocation: &Allocation) -> DecidedAlternative {
    let nodes = allocation.holds().map(|(site, hold)| match hold.node {
        Some(node) => format!("{}/{}", site_name(state, site), node_name(state, node)),
        None => site_name(state, site),
    });
    DecidedAlternative {
        start: allocation.start().into(),
        finish: allocation.finish().into(),
        cost: Num::of_money(allocation.cost()),
        nodes: nodes.collect(),
    }
}

/// Where a job was planned, while it is known how long it runs there.
fn planned_alternative(state: &State, job: JobNumber, plan: &Planned) -> Option<DecidedAlternative> {
    let (longest, cost) = state.lasting_and_cost(&state.jobs.get(&job)?.spec, plan)?;
    let full = |node: NodeId| {
        let site = state.node(node).map(|node| site_name(state, node.site)).unwrap_or_default();
        format!("{site}/{}", node_name(state, node))
    };
    Some(DecidedAlternative {
        start: plan.start.into(),
        finish: plan.start.checked_add(longest)?.into(),
        cost: Num::of_money(cost),
        nodes: plan.places.iter().map(|(node, _)| full(*node)).collect(),
    })
}
