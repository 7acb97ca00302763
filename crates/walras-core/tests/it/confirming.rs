//! What is named to jobs without a window does what it says: with the change made, the job is served.

use crate::random;
use crate::units::{draw_offers, draw_request};
use crate::workflow_explanations::{network, workflow};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use walras_core::SearchConfig;
use walras_core::choose::{Objective, VoPolicy};
use walras_core::plan::{
    BatchJob, BatchProblem, PlanLimits, PlanScheme, Unconfirmed, confirm_changes, plan_batch,
};
use walras_core::refine::Strategy as Plan;
use walras_model::*;
use walras_random::Draws;

/// The request with each change that is named, one at a time.
fn changed(request: &Request, named: &SmallestChange) -> Vec<Request> {
    let with = |change: &dyn Fn(&mut Request)| {
        let mut request = request.clone();
        change(&mut request);
        request
    };
    let mut all = Vec::new();
    all.extend(named.budget.map(|value| with(&|it| it.budget = Some(value))));
    all.extend(named.price_max.map(|value| with(&|it| it.price_max = Some(value))));
    all.extend(named.deadline.map(|value| with(&|it| it.deadline = Some(value))));
    all.extend(named.tasks.map(|value| with(&|it| it.tasks = value)));
    all.extend(named.performance_min.map(|value| with(&|it| it.performance_min = value)));
    all
}

/// Whether the plan serves a job that asks for something else, beside the others as they are.
fn serves(problem: &BatchProblem<'_>, requests: &[Request], job: JobId, request: &Request) -> bool {
    let mut requests = requests.to_vec();
    requests[job.index()] = request.clone();
    let batch = Batch::new(requests);
    let plan = plan_batch(&BatchProblem { batch: &batch, ..*problem });
    plan.served.iter().any(|served| served.job == job)
}

#[test]
fn every_change_that_is_named_serves_the_job() {
    let (mut named_before, mut wrong_before, mut named) = (0, 0, 0);
    for seed in 0..400 {
        let mut draws = Draws::new(900_000 + seed);
        let (offers, _) = draw_offers(&mut draws);
        let requests: Vec<Request> =
            (0..2 + draws.below(5)).map(|job| draw_request(&mut draws, &format!("J{job}"))).collect();
        let batch = Batch::new(requests.clone());
        let search = SearchConfig::default();
        let objective =
            [Objective::MinCost, Objective::MinMakespan, Objective::MinTime][draws.below(3)].clone();
        let policy = VoPolicy { objective, ..VoPolicy::default() };
        let mut limits = PlanLimits::default();
        limits.improve.searches_per_job_max = 60;
        let problem = BatchProblem { limits, ..BatchProblem::new(&offers, &batch, &search, &policy) };
        let serves = |job: JobId, request: &Request| serves(&problem, &requests, job, request);
        let mut plan = plan_batch(&problem);
        for it in &plan.found.unscheduled {
            for request in changed(batch.request(it.job), &it.explanation.smallest_change) {
                named_before += 1;
                wrong_before += usize::from(!serves(it.job, &request));
            }
        }
        let unconfirmed = confirm_changes(&problem, &mut plan);
        for it in &plan.found.unscheduled {
            let uncertain = unconfirmed.iter().any(|(job, _)| *job == it.job);
            let changes = changed(batch.request(it.job), &it.explanation.smallest_change);
            assert!(!uncertain || changes.is_empty(), "seed {seed}: batches as small as this are tried");
            for request in changes {
                named += 1;
                assert!(serves(it.job, &request), "seed {seed}: {request:?} of {:?}", it.job);
            }
        }
    }
    // There was something to mend, and little is lost by it.
    assert!(wrong_before > 3, "{wrong_before} of {named_before} did not do what they said");
    assert!(named + wrong_before >= named_before, "{named} of {named_before}, {wrong_before} wrong");
}

/// Two to five jobs, two in three of which are workflows.
fn mixed() -> impl Strategy<Value = Vec<(Request, Option<(Workflow, Plan)>)>> {
    let plan = prop::sample::select(vec![Plan::Asap, Plan::Cheapest]);
    let job = (random::request(), prop::option::weighted(0.67, (workflow(), plan)));
    prop::collection::vec(job, 2..6).prop_map(|mut jobs| {
        for (number, (request, _)) in jobs.iter_mut().enumerate() {
            request.name = format!("J{number}");
        }
        jobs
    })
}

#[test]
fn every_change_that_is_named_beside_workflows_serves_the_job() {
    let mut runner = TestRunner::deterministic();
    let objectives =
        prop::sample::select(vec![Objective::MinCost, Objective::MinMakespan, Objective::MinTime]);
    let schemes = prop::sample::select(vec![PlanScheme::Improved, PlanScheme::Papers]);
    let cases = (random::offers(), mixed(), network(), objectives, schemes);
    // Of workflows, and of plain jobs beside them.
    let (mut named_before, mut wrong_before, mut named) = ([0; 2], 0, [0; 2]);
    for case in 0..1_000 {
        let (offers, mixed, network, objective, scheme) = cases.new_tree(&mut runner).unwrap().current();
        let requests: Vec<Request> = mixed.iter().map(|(request, _)| request.clone()).collect();
        let jobs: Vec<BatchJob<'_>> = (mixed.iter())
            .map(|(_, workflow)| BatchJob {
                workflow: workflow.as_ref().map(|(workflow, plan)| (workflow, *plan)),
                ..BatchJob::default()
            })
            .collect();
        let batch = Batch::new(requests.clone());
        let search = SearchConfig::default();
        let policy = VoPolicy { objective, ..VoPolicy::default() };
        let mut limits = PlanLimits::default();
        limits.improve.searches_per_job_max = 60;
        let problem = BatchProblem {
            scheme,
            limits,
            jobs: &jobs,
            network,
            ..BatchProblem::new(&offers, &batch, &search, &policy)
        };
        let serves = |job: JobId, request: &Request| serves(&problem, &requests, job, request);
        let kind = |job: JobId| usize::from(mixed[job.index()].1.is_none());
        let mut plan = plan_batch(&problem);
        for it in &plan.found.unscheduled {
            for request in changed(batch.request(it.job), &it.explanation.smallest_change) {
                named_before[kind(it.job)] += 1;
                wrong_before += usize::from(!serves(it.job, &request));
            }
        }
        let unconfirmed = confirm_changes(&problem, &mut plan);
        for it in &plan.found.unscheduled {
            let untried = unconfirmed.contains(&(it.job, Unconfirmed::Untried));
            assert!(!untried, "case {case}: batches as small as this are tried");
            let changes = changed(batch.request(it.job), &it.explanation.smallest_change);
            for request in changes {
                named[kind(it.job)] += 1;
                assert!(serves(it.job, &request), "case {case}, {scheme:?}: {request:?} of {mixed:#?}");
            }
        }
    }
    // There was something to mend, and little is lost by it.
    assert!(wrong_before > 0, "{wrong_before} of {named_before:?} did not do what they said");
    let [before, after] = [named_before, named].map(|counts| counts.iter().sum::<usize>());
    assert!(
        after + wrong_before >= before && named[0] > 100 && named[1] > 100,
        "{named:?} of {named_before:?}"
    );
}
