//! Workflows that are too large to be looked at closely get a plan all the same, and take no more than their part of the work.

use walras_core::SearchConfig;
use walras_core::choose::VoPolicy;
use walras_core::plan::{BatchJob, BatchPlan, BatchProblem, PlanLimits, plan_batch};
use walras_core::refine::Strategy;
use walras_model::offer::{Node, Site, slots_of_node};
use walras_model::{
    Attributes, Batch, Data, Edge, Interval, NodeId, Offers, Performance, Rate, Request, SiteId, Task,
    TaskId, Time, Work, Workflow,
};

fn offers(nodes: u32) -> Offers {
    let at = |millis| Time::from_millis(millis).unwrap();
    let day = Interval::new(at(0), at(30 * 86_400_000)).unwrap();
    let node = |number: u32| Node {
        division: Default::default(),
        name: format!("n{number}"),
        site: SiteId::new(0),
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
    };
    let rate = Rate::from_micros_per_second(1_000).unwrap();
    let slots = (0..nodes).flat_map(|number| slots_of_node(NodeId::new(number), rate, &[day]).unwrap());
    Offers::new(day, vec![Site { name: "campus".into() }], (0..nodes).map(node).collect(), slots.collect())
        .unwrap()
}

/// Layers of tasks of ten to sixty seconds, each of which waits for one of the layer before.
fn layered(layers: u32, width: u32) -> Workflow {
    let task =
        |number: u32| Task::new(&format!("t{number}"), Work::from_millis(10_000 * i64::from(1 + number % 6)));
    let edge =
        |number: u32| Edge { from: TaskId::new(number - width), to: TaskId::new(number), data: Data::ZERO };
    let count = layers * width;
    Workflow::new("layers", (0..count).map(task).collect(), (width..count).map(edge).collect()).unwrap()
}

fn plan(workflows: &[Workflow], offers: &Offers, workflow_units_max: u64) -> BatchPlan {
    let work = Work::from_millis(1_000).unwrap();
    let requests = (0..workflows.len()).map(|number| Request::new(&format!("w{number}"), 1, work));
    let batch = Batch::new(requests.collect());
    let (search, policy) = (SearchConfig::default(), VoPolicy::default());
    let jobs: Vec<BatchJob<'_>> = workflows
        .iter()
        .map(|workflow| BatchJob { workflow: Some((workflow, Strategy::Asap)), ..BatchJob::default() })
        .collect();
    let limits = PlanLimits { workflow_units_max, refine_units_max: 1_000, ..PlanLimits::default() };
    plan_batch(&BatchProblem { jobs: &jobs, limits, ..BatchProblem::new(offers, &batch, &search, &policy) })
}

fn tasks_placed(plan: &BatchPlan, job: usize) -> usize {
    let served = plan.served.iter().find(|served| served.job.index() == job).expect("it is served");
    served.run.tasks.as_ref().unwrap().refined.schedule.placements().len()
}

#[test]
fn a_large_workflow_gets_a_plan_and_is_named() {
    let (large, small) = (layered(60, 50), layered(3, 4));
    let plan = plan(&[large.clone(), small.clone()], &offers(16), 2_000_000);
    assert_eq!(plan.plainly.iter().map(|job| job.index()).collect::<Vec<_>>(), [0]);
    assert_eq!((tasks_placed(&plan, 0), tasks_placed(&plan, 1)), (3_000, 12));
    assert!(plan.served[0].run.tasks.as_ref().unwrap().refined.labels_limit_hit);
    // Of ten numbers of nodes, those that a million units allow for three thousand tasks.
    assert_eq!(plan.sizes[0].iter().map(|option| option.size.nodes).collect::<Vec<_>>(), [2, 4, 6, 10, 16]);
    assert!(plan.sizes[1].len() > 3, "the small one is looked at closely");
}

#[test]
fn with_next_to_no_work_there_is_still_a_plan() {
    let plan = plan(&[layered(20, 20)], &offers(8), 1);
    assert_eq!(tasks_placed(&plan, 0), 400);
    assert_eq!(plan.sizes[0].len(), 1);
}

#[test]
fn workflows_within_their_part_are_planned_as_ever() {
    let workflows = [layered(4, 5), layered(2, 3)];
    let bounded = plan(&workflows, &offers(8), 10_000_000);
    assert_eq!(bounded, plan(&workflows, &offers(8), u64::MAX));
    assert!(bounded.plainly.is_empty());
}
