//! Workflows whose tasks need different nodes, on markets of many.

use walras_core::choose::VoPolicy;
use walras_core::plan::{BatchJob, BatchPlan, BatchProblem, plan_batch};
use walras_core::prefer::Source;
use walras_core::refine::Strategy as Plan;
use walras_core::*;
use walras_model::workflow::{Edge, Link, Network, Task};
use walras_model::*;
use walras_random::Draws;

/// Nodes of two laboratories, free for ten minutes; those of the second cost twice as much.
fn offers(nodes: u32) -> Offers {
    let at = |seconds: i64| Time::from_millis(1_000 * seconds).unwrap();
    let horizon = Interval::new(at(0), at(600)).unwrap();
    let lab = |number: u32| if number < nodes { "east" } else { "west" };
    let node = |number: u32| Node {
        division: Default::default(),
        name: format!("n{number}"),
        site: SiteId::new(u32::from(number >= nodes)),
        performance: Performance::ONE,
        watts: None,
        attributes: [("lab".to_owned(), Value::Text(lab(number).to_owned()))].into_iter().collect(),
    };
    let rate =
        |number: u32| Rate::from_micros_per_second(if number < nodes { 1_000 } else { 2_000 }).unwrap();
    let slots = (0..2 * nodes).map(|it| Slot::new(NodeId::new(it), horizon, rate(it)).unwrap());
    let sites = ["east", "west"].map(|name| Site { name: name.to_owned() });
    Offers::new(horizon, sites.into(), (0..2 * nodes).map(node).collect(), slots.collect()).unwrap()
}

fn task(name: &str, lab: Option<&str>, seconds: i64) -> Task {
    let wanted = |lab: &str| Requirement {
        attribute: "lab".to_owned(),
        test: Test::Equals(Value::Text(lab.to_owned())),
    };
    let requires = lab.map(wanted).into_iter().collect();
    Task { requires, ..Task::new(name, Work::from_millis(1_000 * seconds)) }
}

/// A workflow and a budget, planned; the next ones take what those before have left.
fn planned(offers: &Offers, workflow: &Workflow, budget: Option<i64>, copies: usize) -> BatchPlan {
    let request = Request {
        budget: budget.map(Money::from_micros),
        ..Request::new("w", 1, Work::from_millis(1).unwrap())
    };
    let named = |number: usize| Request { name: format!("w{number}"), ..request.clone() };
    let batch = Batch::new((0..copies).map(named).collect());
    let jobs: Vec<BatchJob<'_>> = (0..copies)
        .map(|_| BatchJob { workflow: Some((workflow, Plan::Asap)), ..BatchJob::default() })
        .collect();
    let (config, policy) = (SearchConfig::default(), VoPolicy::default());
    let problem = BatchProblem::new(offers, &batch, &config, &policy);
    plan_batch(&BatchProblem { jobs: &jobs, ..problem })
}

/// On which sites the tasks are.
fn sites(offers: &Offers, plan: &BatchPlan) -> Vec<Vec<String>> {
    let served = plan.served.iter().map(|served| {
        let tasks = served.run.tasks.as_ref().expect("it is a workflow");
        let places = tasks.refined.schedule.placements().iter();
        places.map(|place| offers.site_of(place.node).name.clone()).collect()
    });
    served.collect()
}

fn mosaic() -> Workflow {
    let tasks = vec![
        task("p1", Some("east"), 5),
        task("p2", Some("west"), 5),
        task("diff", Some("east"), 5),
        task("add", None, 5),
    ];
    let edge = |from: u32, to: u32| Edge {
        from: TaskId::new(from),
        to: TaskId::new(to),
        data: Data::from_bytes(10).unwrap(),
    };
    Workflow::new("mosaic", tasks, vec![edge(0, 2), edge(1, 2), edge(2, 3)]).unwrap()
}

#[test]
fn a_window_has_nodes_of_every_kind_that_tasks_need() {
    let offers = offers(8);
    let plan = planned(&offers, &mosaic(), None, 1);
    let found = sites(&offers, &plan);
    assert_eq!(found[0][..3], ["east", "west", "east"], "{found:?}");
    assert_eq!(plan.batch.requests()[0].tasks, 2, "no more than it is wide");
}

/// One after the other on one node each: the tasks are two nodes wide, though never two run at a time.
#[test]
fn a_chain_over_two_laboratories_has_a_node_of_each() {
    let offers = offers(4);
    let tasks = vec![task("a", Some("west"), 5), task("b", Some("east"), 30)];
    let edge = Edge { from: TaskId::new(0), to: TaskId::new(1), data: Data::from_bytes(0).unwrap() };
    let chain = Workflow::new("chain", tasks, vec![edge]).unwrap();
    assert_eq!(sites(&offers, &planned(&offers, &chain, None, 1)), [["west", "east"]]);
}

#[test]
fn several_such_workflows_have_nodes_of_their_own() {
    let offers = offers(3);
    let plan = planned(&offers, &mosaic(), None, 3);
    let found = sites(&offers, &plan);
    assert_eq!(found.len(), 3, "{:?}", plan.found.unscheduled);
    assert!(found.iter().all(|tasks| tasks[..3] == ["east", "west", "east"]), "{found:?}");
}

/// What is said of one that cannot pay is true.
#[test]
fn the_budget_that_would_do_is_named() {
    let offers = offers(8);
    let poor = planned(&offers, &mosaic(), Some(10_000), 1);
    let why = &poor.found.unscheduled[0].explanation;
    let budget = why.smallest_change.budget.unwrap_or_else(|| panic!("{why:?}"));
    assert_eq!(planned(&offers, &mosaic(), Some(budget.as_micros()), 1).served.len(), 1, "{why:?}");
    assert_eq!(planned(&offers, &mosaic(), Some(budget.as_micros() - 1), 1).served.len(), 0, "{why:?}");
}

/// What one laboratory makes and the other needs is on its way for longer than all tasks take: nodes are held for that.
#[test]
fn a_window_is_as_long_as_data_takes_between_sites() {
    let offers = offers(3);
    let tasks = vec![task("a", Some("east"), 5), task("b", Some("west"), 5), task("c", Some("east"), 5)];
    let edge = |from: u32, to: u32| Edge {
        from: TaskId::new(from),
        to: TaskId::new(to),
        data: Data::from_bytes(100_000_000).unwrap(),
    };
    let there_and_back = Workflow::new("far", tasks, vec![edge(0, 1), edge(1, 2)]).unwrap();
    let request = Request::new("w", 1, Work::from_millis(1).unwrap());
    let batch = Batch::new(vec![request]);
    let jobs = [BatchJob { workflow: Some((&there_and_back, Plan::Asap)), ..BatchJob::default() }];
    let (config, policy) = (SearchConfig::default(), VoPolicy::default());
    let network = |bytes_per_second: i64| Network {
        within_site: Link::INSTANT,
        between_sites: Link {
            latency: Span::ZERO,
            bandwidth: Bandwidth::from_bytes_per_second(bytes_per_second),
        },
    };
    let plan = |speed: i64| {
        let problem = BatchProblem::new(&offers, &batch, &config, &policy);
        plan_batch(&BatchProblem { jobs: &jobs, network: network(speed), ..problem })
    };
    // A hundred seconds each way, and fifteen of work.
    let plan = plan(1_000_000);
    assert_eq!(sites(&offers, &plan), [["east", "west", "east"]]);
    let tasks = plan.served[0].run.tasks.as_ref().expect("it is a workflow");
    assert_eq!(tasks.refined.schedule.finish(), Time::from_millis(215_000).unwrap());
}

/// A fast node is held for less time than a slow one for the same work: it is held for as long as it waits, too.
#[test]
fn a_fast_node_waits_for_a_slow_one() {
    let slow = offers(2);
    let mut nodes = slow.nodes().to_vec();
    nodes[2..]
        .iter_mut()
        .for_each(|node| node.performance = Performance::from_millionths(2_000_000).unwrap());
    let offers = Offers::new(slow.horizon(), slow.sites().to_vec(), nodes, slow.slots().to_vec()).unwrap();
    let tasks = vec![task("a", Some("east"), 100), task("b", Some("west"), 10)];
    let edge =
        |bytes| Edge { from: TaskId::new(0), to: TaskId::new(1), data: Data::from_bytes(bytes).unwrap() };
    for (bytes, seconds) in [(0, 0), (100_000_000, 100)] {
        let chain = Workflow::new("chain", tasks.clone(), vec![edge(bytes)]).unwrap();
        let request = Request::new("w", 1, Work::from_millis(1).unwrap());
        let batch = Batch::new(vec![request]);
        let jobs = [BatchJob { workflow: Some((&chain, Plan::Asap)), ..BatchJob::default() }];
        let (config, policy) = (SearchConfig::default(), VoPolicy::default());
        let between_sites =
            Link { latency: Span::ZERO, bandwidth: Bandwidth::from_bytes_per_second(1_000_000) };
        let network = Network { within_site: Link::INSTANT, between_sites };
        let problem = BatchProblem::new(&offers, &batch, &config, &policy);
        let plan = plan_batch(&BatchProblem { jobs: &jobs, network, ..problem });
        assert_eq!(sites(&offers, &plan), [["east", "west"]], "{:?}", plan.found.unscheduled);
        let tasks = plan.served[0].run.tasks.as_ref().expect("it is a workflow");
        let finish = tasks.refined.schedule.finish().as_millis();
        assert_eq!(finish, 105_000 + 1_000 * seconds);
    }
}

/// Four tasks of one laboratory side by side, each followed by one of the other: two nodes of each would be four nodes, as many as there are
/// tasks at a time, and end later.
#[test]
fn each_kind_has_as_many_nodes_as_it_has_tasks_at_a_time() {
    let four = |lab: &'static str| (0..4).map(move |number| task(&format!("{lab}{number}"), Some(lab), 5));
    let tasks = four("east").chain(four("west")).collect();
    let edge = |from: u32| Edge { from: TaskId::new(from), to: TaskId::new(from + 4), data: Data::ZERO };
    let workflow = Workflow::new("pairs", tasks, (0..4).map(edge).collect()).unwrap();
    assert_eq!(workflow.width(), 4);
    let plan = planned(&offers(6), &workflow, None, 1);
    let tasks = plan.served[0].run.tasks.as_ref().expect("it is a workflow");
    assert_eq!(tasks.refined.schedule.finish(), Time::from_millis(10_000).unwrap());
    // Where the market has fewer, fewer do.
    let plan = planned(&offers(3), &workflow, None, 1);
    let tasks = plan.served[0].run.tasks.as_ref().expect("it is a workflow");
    assert_eq!(tasks.refined.schedule.finish(), Time::from_millis(15_000).unwrap());
}

/// Some tasks that wait for nothing or for one before them, most of one laboratory.
fn drawn(draws: &mut Draws) -> Workflow {
    let count = 2 + draws.below(5);
    let task = |number: usize, draws: &mut Draws| {
        let lab = [Some("east"), Some("west"), None][draws.below(3)];
        task(&format!("t{number}"), lab, [3, 6, 12, 30][draws.below(4)])
    };
    let tasks = (0..count).map(|number| task(number, draws)).collect();
    let mut edges = Vec::new();
    for to in 1..count {
        if draws.below(3) == 0 {
            let id = |number: usize| TaskId::from_index(number).unwrap();
            edges.push(Edge { from: id(draws.below(to)), to: id(to), data: Data::ZERO });
        }
    }
    Workflow::new("drawn", tasks, edges).unwrap()
}

/// What a workflow's window costs that is placed by a strategy, and looked for by what the strategy wants of windows.
fn cost_by(offers: &Offers, workflow: &Workflow, strategy: Plan) -> Option<Money> {
    let request = Request {
        deadline: Time::from_millis(500_000),
        ..Request::new("w", 1, Work::from_millis(1).unwrap())
    };
    let batch = Batch::new(vec![request]);
    let criterion = if strategy == Plan::Cheapest { Criterion::Cost } else { Criterion::Finish };
    let config = SearchConfig { algorithm: Algorithm::Criterion(criterion), ..SearchConfig::default() };
    let jobs =
        [BatchJob { workflow: Some((workflow, strategy)), search: Some(&config), ..BatchJob::default() }];
    let (plain, policy) = (SearchConfig::default(), VoPolicy::default());
    let problem = BatchProblem::new(offers, &batch, &plain, &policy);
    let plan = plan_batch(&BatchProblem { jobs: &jobs, ..problem });
    let Source::Window(place) = plan.served.first()?.run.source else { return None };
    Some(plan.found.found[place].window.cost())
}

/// Whoever asks for the cheapest gets none that is dearer than what others get.
#[test]
fn the_cheapest_is_not_dearer_than_the_earliest() {
    let (mut both, mut cheaper) = (0, 0);
    for seed in 0..600 {
        let mut draws = Draws::new(seed);
        let offers = offers(1 + u32::try_from(draws.below(4)).unwrap());
        let workflow = drawn(&mut draws);
        let [cheapest, asap] = [Plan::Cheapest, Plan::Asap].map(|it| cost_by(&offers, &workflow, it));
        assert_eq!(cheapest.is_some(), asap.is_some(), "seed {seed}");
        if cheapest > asap {
            println!("seed {seed}: {cheapest:?} {asap:?}");
        }
        both += usize::from(asap.is_some());
        cheaper += usize::from(cheapest < asap);
    }
    assert!(both > 500 && cheaper > 60, "{both} planned, {cheaper} cheaper");
}
