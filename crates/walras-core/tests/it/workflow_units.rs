//! Workflows on nodes that are sold in units: places with what their tasks need, several of one node, beside other jobs.

use crate::improving::{limits, made, violations};
use crate::units::{draw_offers, draw_request};
use std::collections::BTreeMap;
use walras_core::SearchConfig;
use walras_core::choose::{Objective, VoPolicy};
use walras_core::plan::{BatchJob, BatchPlan, BatchProblem, plan_batch};
use walras_core::prefer::Source;
use walras_core::refine::{Strategy, task_claim};
use walras_model::workflow::Terms;
use walras_model::*;
use walras_random::Draws;
use walras_verify::tasks::verify_tasks;

fn at(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

/// One node of eight cores in four units, free for a hundred seconds.
fn one_node() -> Offers {
    let horizon = Interval::new(at(0), at(100_000)).unwrap();
    let division = Division::new(4, [("cores".to_owned(), 8), ("memory_gb".to_owned(), 16)].into()).unwrap();
    let mut attributes = Attributes::new();
    division.state_in(&mut attributes).unwrap();
    let (site, performance) = (SiteId::new(0), Performance::ONE);
    let node = Node { name: "n".into(), site, performance, watts: None, attributes, division };
    let rate = Rate::from_micros_per_second(4_000_000).unwrap();
    let slot = Slot::new(NodeId::new(0), horizon, rate).unwrap().with_units(4);
    Offers::new(horizon, vec![Site { name: "a".into() }], vec![node], vec![slot]).unwrap()
}

/// So many tasks side by side, and one that waits for all of them.
fn join(count: u32, cores: u32, gigabytes: Option<i64>) -> Workflow {
    let memory = gigabytes.and_then(|it| Data::from_bytes(it * 1_000_000_000));
    let task = |name: String| Task { cores, memory, ..Task::new(&name, Work::from_millis(10_000)) };
    let mut tasks: Vec<Task> = (0..count).map(|it| task(format!("t{it}"))).collect();
    tasks.push(Task::new("last", Work::from_millis(5_000)));
    let data = Data::from_bytes(1_000_000).unwrap();
    let edge = |from| Edge { from: TaskId::new(from), to: TaskId::new(count), data };
    Workflow::new("join", tasks, (0..count).map(edge).collect()).unwrap()
}

fn planned(offers: &Offers, requests: Vec<Request>, workflows: &[Option<Workflow>]) -> BatchPlan {
    let batch = Batch::new(requests);
    let policy = VoPolicy { objective: Objective::MinMakespan, ..VoPolicy::default() };
    let search = SearchConfig::default();
    let job = |of: &Option<Workflow>| of.as_ref().map(|of| (of.clone(), Strategy::Asap));
    let owned: Vec<Option<(Workflow, Strategy)>> = workflows.iter().map(job).collect();
    let job =
        |of: &'_ Option<(Workflow, Strategy)>| of.as_ref().map(|(of, strategy)| (of.clone(), *strategy));
    let kept: Vec<Option<(Workflow, Strategy)>> = owned.iter().map(job).collect();
    let jobs: Vec<BatchJob<'_>> = kept
        .iter()
        .map(|of| BatchJob {
            workflow: of.as_ref().map(|(of, strategy)| (of, *strategy)),
            ..BatchJob::default()
        })
        .collect();
    let network = slow();
    let problem = BatchProblem {
        jobs: &jobs,
        network,
        limits: limits(1),
        ..BatchProblem::new(offers, &batch, &search, &policy)
    };
    let plan = plan_batch(&problem);
    if let Some(made) = made(&plan) {
        assert_eq!(violations(&problem, &plan, made), Vec::<String>::new());
    }
    plan
}

/// A network on which a megabyte takes a second and more.
fn slow() -> Network {
    let link = |latency| Link {
        latency: Span::from_millis(latency).unwrap(),
        bandwidth: Bandwidth::from_bytes_per_second(1_000_000),
    };
    Network { within_site: link(500), between_sites: link(2_000) }
}

#[test]
fn tasks_run_side_by_side_on_a_node() {
    let workflow = |request: &str| Request::new(request, 1, walras_model::workflow::UNSIZED);
    for (cores, gigabytes, places, units, finish) in [
        (2, None, 4, 1, 15_000),
        (1, None, 4, 1, 15_000),
        (3, None, 2, 2, 25_000),
        (2, Some(8), 2, 2, 25_000),
        (5, None, 1, 3, 45_000),
    ] {
        let workflows = [Some(join(4, cores, gigabytes))];
        let plan = planned(&one_node(), vec![workflow("w")], &workflows);
        let served = plan.served.first().unwrap();
        let Source::Window(window) = served.run.source else { panic!("no window") };
        let window = &plan.found.found[window].window;
        let held: Vec<u32> = window.placements().iter().map(|it| it.units).collect();
        assert_eq!(held, vec![units; places], "{cores} cores");
        // Data stays where it is, between places of one node too.
        let schedule = &served.run.tasks.as_ref().unwrap().refined.schedule;
        assert_eq!(schedule.finish(), at(finish), "{cores} cores");
    }
}

/// Others run beside a workflow that leaves them room.
#[test]
fn a_workflow_leaves_the_rest_of_a_node_to_others() {
    let chain = |name: &str| {
        let task = |it: u32| Task::new(&format!("{name}{it}"), Work::from_millis(10_000));
        let edge = Edge { from: TaskId::new(0), to: TaskId::new(1), data: Data::ZERO };
        Workflow::new(name, (0..2).map(task).collect(), vec![edge]).unwrap()
    };
    let request = |name: &str| Request::new(name, 1, walras_model::workflow::UNSIZED);
    let plain = Request::new("p", 2, Work::from_millis(20_000).unwrap());
    let workflows = [Some(chain("a")), Some(chain("b")), None];
    let plan = planned(&one_node(), vec![request("a"), request("b"), plain], &workflows);
    assert_eq!(plan.served.len(), 3);
    let windows = plan.served.iter().map(|it| {
        let Source::Window(place) = it.run.source else { panic!("no window") };
        plan.found.found[place].window.start()
    });
    assert!(windows.clone().all(|start| start == at(0)), "{:?}", windows.collect::<Vec<_>>());
}

/// A gang has each of its nodes by itself, with what it needs of each.
#[test]
fn gangs_have_nodes_of_their_own() {
    let mut workflow = join(1, 2, None);
    let tasks: Vec<Task> = workflow.tasks().iter().map(|it| Task { nodes: 2, ..it.clone() }).collect();
    workflow = Workflow::new("gang", tasks, workflow.edges().to_vec()).unwrap();
    let request = Request::new("g", 1, walras_model::workflow::UNSIZED);
    let plan = planned(&one_node(), vec![request], &[Some(workflow)]);
    assert!(plan.served.is_empty(), "there is but one node");
}

/// What nodes count they state.
fn stated(offers: &Offers) -> Offers {
    let node = |node: &Node| {
        let mut node = node.clone();
        node.division.state_in(&mut node.attributes).unwrap();
        node
    };
    offers.with_nodes(offers.nodes().iter().map(node).collect(), offers.slots().to_vec()).unwrap()
}

fn draw_workflow(draws: &mut Draws, name: &str) -> Workflow {
    let count = 1 + u32::try_from(draws.below(5)).unwrap();
    let task = |number: u32, draws: &mut Draws| {
        let work = Work::from_millis(1 + i64::try_from(draws.below(4)).unwrap());
        let cores = 1 + u32::try_from(draws.below(6)).unwrap();
        let mut task = Task { cores, ..Task::new(&format!("{name}{number}"), work) };
        if draws.below(4) == 0 {
            let amount = Fixed::from_millionths(1_000_000 * (1 + i64::try_from(draws.below(6)).unwrap()));
            let test = Test::Range { min: Some(amount), max: None };
            let attribute = ["memory", "gpus"][draws.below(2)].to_owned();
            task.requires.push(Requirement { attribute, test });
        }
        task
    };
    let tasks = (0..count).map(|number| task(number, draws)).collect();
    let mut edges = Vec::new();
    for to in 1..count {
        if draws.below(2) == 0 {
            let from = TaskId::new(u32::try_from(draws.below(to as usize)).unwrap());
            edges.push(Edge { from, to: TaskId::new(to), data: Data::ZERO });
        }
    }
    Workflow::new(name, tasks, edges).unwrap()
}

/// Workflows and parallel jobs on nodes in units: the verifiers find nothing, and tasks do run side by side.
#[test]
fn plans_of_workflows_in_units_are_verified() {
    let (mut served, mut shared, mut beside) = (0, 0, 0);
    for seed in 0..1_500 {
        let mut draws = Draws::new(seed);
        let offers = stated(&draw_offers(&mut draws).0);
        let (mut requests, mut workflows) = (Vec::new(), Vec::new());
        for job in 0..=draws.below(3) {
            let mut request = draw_request(&mut draws, &format!("J{job}"));
            let workflow = (draws.below(3) > 0).then(|| draw_workflow(&mut draws, &format!("w{job}t")));
            if workflow.is_some() {
                request.requires.truncate(draws.below(2));
            }
            requests.push(request);
            workflows.push(workflow);
        }
        let plan = planned(&offers, requests, &workflows);
        for it in &plan.served {
            let (Some(tasks), Some(workflow)) = (&it.run.tasks, &workflows[it.job.index()]) else { continue };
            let Source::Window(place) = it.run.source else { continue };
            let window = &plan.found.found[place].window;
            let platform = Platform::of_window(&offers, window, slow());
            let schedule = &tasks.refined.schedule;
            let claim = task_claim(schedule, workflow, &platform);
            let terms = Terms { earliest: Some(window.start()), deadline: Some(window.end()), budget: None };
            assert_eq!(verify_tasks(&claim, workflow, &platform, &terms), [], "seed {seed}");
            assert_eq!(tasks.refined.fault, None, "seed {seed}");
            served += 1;
            let mut places: BTreeMap<NodeId, u32> = BTreeMap::new();
            window.placements().iter().for_each(|it| *places.entry(it.node).or_default() += 1);
            shared += usize::from(places.values().any(|count| *count > 1));
            let meets = |one: &walras_core::refine::TaskPlacement| {
                schedule.placements().iter().any(|other| {
                    other.task != one.task
                        && other.node == one.node
                        && other.start < one.end
                        && one.start < other.end
                })
            };
            beside += usize::from(schedule.placements().iter().any(meets));
        }
    }
    assert!(served > 400 && shared > 30 && beside > 30, "{served} served, {shared} shared, {beside} beside");
}

/// A workflow of one task has the window that a job of this task has.
#[test]
fn one_task_is_a_job_of_one_task() {
    let mut served = 0;
    for seed in 0..600 {
        let mut draws = Draws::new(seed);
        let offers = stated(&draw_offers(&mut draws).0);
        let request = Request { tasks: 1, ..draw_request(&mut draws, "j") };
        let mut task = Task::new("t", Some(request.work));
        let (of_task, of_job) = request.requires.iter().cloned().partition(|_| draws.below(2) == 0);
        task.requires = of_task;
        let workflow = Workflow::new("w", vec![task], vec![]).unwrap();
        let of_workflow =
            Request { requires: of_job, work: walras_model::workflow::UNSIZED, ..request.clone() };
        let window = |plan: &BatchPlan| {
            plan.served.first().map(|it| {
                let Source::Window(place) = it.run.source else { panic!("no window") };
                let window = &plan.found.found[place].window;
                (window.start(), window.end(), window.cost(), window.placements()[0].units)
            })
        };
        let plain = window(&planned(&offers, vec![request], &[None]));
        assert_eq!(window(&planned(&offers, vec![of_workflow], &[Some(workflow)])), plain, "seed {seed}");
        served += usize::from(plain.is_some());
    }
    assert!(served > 150, "{served}");
}
