//! One wrong claim for each kind of violation.

use super::*;
use walras_model::attribute::{Attributes, Requirement, Test, Value};
use walras_model::id::{NodeId, SiteId, TaskId};
use walras_model::interval::Interval;
use walras_model::quantity::{Bandwidth, Data, Fixed, Performance, Rate, Span, Work};
use walras_model::workflow::{Edge, Lane, Link, Network, Task};

fn at(seconds: i64) -> Time {
    Time::from_millis(1_000 * seconds).unwrap()
}

fn credits(units: i64) -> Money {
    Money::from_micros(1_000_000 * units)
}

/// Two nodes of a site and one of another: speeds 1, 2, 1, prices 1, 3, 1.
fn platform() -> Platform {
    let lane = |number: u32, site: u32, speed: i64, price: i64| Lane {
        part: 0,
        node: NodeId::new(number),
        name: format!("n{number}"),
        site: SiteId::new(site),
        site_name: format!("s{site}"),
        performance: Performance::from_millionths(1_000_000 * speed).unwrap(),
        rate: Rate::from_micros_per_second(1_000_000 * price).unwrap(),
        free: vec![Interval::new(at(0), at(50)).unwrap(), Interval::new(at(60), at(100)).unwrap()],
        attributes: Attributes::from([
            ("cores".to_owned(), Value::Number(Fixed::from_millionths(4_000_000))),
            ("memory_gb".to_owned(), Value::Number(Fixed::from_millionths(2_000_000))),
        ]),
    };
    let link = |seconds: i64| Link {
        latency: Span::from_millis(1_000 * seconds).unwrap(),
        bandwidth: Bandwidth::from_bytes_per_second(10),
    };
    let lanes = vec![lane(0, 0, 1, 1), lane(1, 0, 2, 3), lane(2, 1, 1, 1)];
    Platform { lanes, network: Network { within_site: link(0), between_sites: link(5) } }
}

/// a gives 30 bytes to b, and 30 to c.
fn workflow() -> Workflow {
    let tasks = ["a", "b", "c"].map(|name| Task::new(name, Work::from_millis(10_000)));
    let edge = |to| Edge { from: TaskId::new(0), to: TaskId::new(to), data: Data::from_bytes(30).unwrap() };
    Workflow::new("w", tasks.to_vec(), vec![edge(1), edge(2)]).unwrap()
}

fn task(name: &str, site: &str, node: &str, (start, end): (i64, i64), cost: i64) -> ClaimedTask {
    let (site, node) = (site.to_owned(), node.to_owned());
    ClaimedTask {
        part: 0,
        task: name.into(),
        site,
        node,
        others: Vec::new(),
        start: at(start),
        end: at(end),
        cost: credits(cost),
    }
}

/// b on the other node of the site 3 s later, c on the other site 8 s later.
fn right() -> TaskClaim {
    let tasks = vec![
        task("a", "s0", "n0", (0, 10), 10),
        task("b", "s0", "n1", (13, 18), 15),
        task("c", "s1", "n2", (18, 28), 10),
    ];
    TaskClaim { tasks, cost: credits(35) }
}

fn wrong(change: impl Fn(&mut TaskClaim)) -> String {
    let mut claim = right();
    change(&mut claim);
    sentences(&claim, &workflow(), &Terms::default())
}

fn sentences(claim: &TaskClaim, workflow: &Workflow, terms: &Terms) -> String {
    let violations = verify_tasks(claim, workflow, &platform(), terms);
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_is_right_is_right() {
    assert_eq!(wrong(|_| {}), "");
}

#[test]
fn every_mistake_has_a_sentence() {
    let lines = [
        wrong(|claim| claim.tasks[1].task = "x".into()),
        wrong(|claim| claim.tasks.push(claim.tasks[0].clone())),
        wrong(|claim| claim.tasks[1].node = "n9".into()),
        wrong(|claim| claim.tasks[2].end = at(17)),
        wrong(|claim| claim.tasks[2].end = at(29)),
        wrong(|claim| (claim.tasks[2].start, claim.tasks[2].end) = (at(45), at(55))),
        wrong(|claim| claim.tasks[0].cost = credits(9)),
        wrong(|claim| (claim.tasks[1].start, claim.tasks[1].end) = (at(12), at(17))),
        wrong(|claim| (claim.tasks[2].start, claim.tasks[2].end) = (at(17), at(27))),
        wrong(|claim| claim.cost = credits(34)),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    task x is not in the workflow; task b of the workflow is missing
    task a is there twice; the cost claimed is 35 but the tasks' costs sum to 45; tasks a and a are on s0/n0 at the same time
    task b is on s0/n9, which there is not
    task c ends at 17 s, before its start at 18 s
    task c lasts 11 s but its node s1/n2 needs 10 s; task c claims to cost 10 but its time costs 11
    task c runs from 45 s to 55 s, which s1/n2 does not have free
    the cost claimed is 35 but the tasks' costs sum to 34; task a claims to cost 9 but its time costs 10
    task b starts at 12 s but the data of a arrives at 13 s
    task c starts at 17 s but the data of a arrives at 18 s
    the cost claimed is 34 but the tasks' costs sum to 35
    ");
}

#[test]
fn one_task_at_a_time() {
    let mut claim = right();
    claim.tasks[2] = task("c", "s0", "n1", (17, 22), 15);
    claim.cost = credits(40);
    assert_eq!(
        sentences(&claim, &workflow(), &Terms::default()),
        "tasks b and c are on s0/n1 at the same time"
    );
}

#[test]
fn terms_hold() {
    let terms = Terms { earliest: Some(at(1)), deadline: Some(at(27)), budget: Some(credits(34)) };
    insta::assert_snapshot!(sentences(&right(), &workflow(), &terms), @"task a starts at 0 s, before the job may at 1 s; task c ends at 28 s, after the deadline 27 s; the tasks cost 35, more than the budget 34");
}

#[test]
fn nodes_are_what_tasks_ask_for() {
    let asks = |change: &dyn Fn(&mut Task)| {
        let mut tasks = workflow().tasks().to_vec();
        change(&mut tasks[0]);
        let changed = Workflow::new("w", tasks, workflow().edges().to_vec()).unwrap();
        sentences(&right(), &changed, &Terms::default())
    };
    assert_eq!(asks(&|task| task.cores = 4), "");
    assert_eq!(asks(&|task| task.cores = 5), "task a uses 5 cores and s0/n0 has fewer");
    assert_eq!(asks(&|task| task.memory = Data::from_bytes(2_000_000_000)), "");
    let memory = "task a needs 2000000001 bytes of memory and s0/n0 has less";
    assert_eq!(asks(&|task| task.memory = Data::from_bytes(2_000_000_001)), memory);
    let gpu = Requirement { attribute: "gpu".into(), test: Test::Equals(Value::Flag(true)) };
    let unmet = "task a requires gpu = true, which s0/n0 does not satisfy";
    assert_eq!(asks(&|task| task.requires = vec![gpu.clone()]), unmet);
    let estimate = |task: &mut Task| {
        task.estimates.insert("n0".into(), Span::from_millis(9_000).unwrap());
    };
    assert_eq!(asks(&estimate), "task a lasts 10 s but its node s0/n0 needs 9 s");
}

/// a on both nodes of the first site, as long as the slower of them needs, at the price of both; b after it on one of them.
fn gang() -> (TaskClaim, Workflow) {
    let mut tasks = workflow().tasks().to_vec();
    tasks[0].nodes = 2;
    let gang = Workflow::new("w", tasks, workflow().edges().to_vec()).unwrap();
    let mut claim = right();
    claim.tasks[0] = ClaimedTask { others: vec!["n1".to_owned()], ..task("a", "s0", "n0", (0, 10), 40) };
    claim.cost = credits(65);
    (claim, gang)
}

#[test]
fn a_gang_is_as_many_nodes_as_long_as_the_slowest_at_the_price_of_all() {
    let (right, gang) = gang();
    let wrong = |change: &dyn Fn(&mut TaskClaim)| {
        let mut claim = right.clone();
        change(&mut claim);
        claim.cost = claim.tasks.iter().map(|task| task.cost).sum();
        sentences(&claim, &gang, &Terms::default())
    };
    let more = |name: &'static str| move |claim: &mut TaskClaim| claim.tasks[0].others.push(name.to_owned());
    let lines = [
        wrong(&|claim| claim.tasks[0].others.clear()),
        wrong(&|claim| claim.tasks[0].others = vec!["n0".to_owned()]),
        wrong(&more("n2")),
        wrong(&|claim| (claim.tasks[0].node, claim.tasks[0].others) = ("n1".into(), vec!["n9".into()])),
        wrong(&|claim| claim.tasks[0].end = at(5)),
        wrong(&|claim| claim.tasks[0].cost = credits(10)),
        // Data of a gang is on its way even to one of its own nodes.
        wrong(&|claim| (claim.tasks[1].start, claim.tasks[1].end) = (at(10), at(15))),
        wrong(&|claim| (claim.tasks[0].start, claim.tasks[0].end) = (at(45), at(55))),
        wrong(&|claim| claim.tasks[1] = task("b", "s0", "n1", (3, 8), 15)),
    ];
    assert_eq!(wrong(&|_| {}), "");
    insta::assert_snapshot!(lines.join("\n"), @r"
    task a takes 2 nodes at a time and is on 1; task a claims to cost 40 but its time costs 10
    task a is on one node twice; task a claims to cost 40 but its time costs 20; tasks a and a are on s0/n0 at the same time
    task a takes 2 nodes at a time and is on 3; task a is on s0/n2, which there is not
    task a is on s0/n9, which there is not; task a lasts 10 s but its node s0/n1 needs 5 s; task a claims to cost 40 but its time costs 30
    task a lasts 5 s but its node s0/n0 needs 10 s; task a claims to cost 40 but its time costs 20
    task a claims to cost 10 but its time costs 40
    task b starts at 10 s but the data of a arrives at 13 s
    task a runs from 45 s to 55 s, which s0/n0 does not have free; task a runs from 45 s to 55 s, which s0/n1 does not have free; task b starts at 13 s but the data of a arrives at 58 s; task c starts at 18 s but the data of a arrives at 63 s
    task b starts at 3 s but the data of a arrives at 13 s; tasks a and b are on s0/n1 at the same time
    ");
    let narrow = sentences(&right, &workflow(), &Terms::default());
    assert_eq!(narrow, "task a takes 1 nodes at a time and is on 2");
}
