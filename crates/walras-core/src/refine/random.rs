//! Small instances from a seed, for tests of this module's parts.

use super::{Instance, Terms};
use walras_model::{
    Attributes, Bandwidth, Data, Edge, Interval, Lane, Link, Network, NodeId, Performance, Platform, Rate,
    SiteId, Span, Task, TaskId, Time, Work, Workflow,
};
use walras_random::Draws;

/// Tasks that wait for about two others each, on lanes of different speeds on two sites; owners have no tasks.
pub(super) fn instance(tasks: u32, lanes: u32, seed: u64) -> Instance {
    drawn(tasks, lanes, seed, 20, false)
}

/// The same with up to so many bytes, a millisecond each, on an edge; with run times of its own for every task on every lane where these
/// are wanted, and some that take none.
pub(super) fn drawn(tasks: u32, lanes: u32, seed: u64, bytes: usize, apart: bool) -> Instance {
    drawn_with(tasks, lanes, seed, bytes, apart, (1, 5))
}

/// The same with these latencies within a site and between sites, in milliseconds.
pub(super) fn drawn_with(
    tasks: u32,
    lanes: u32,
    seed: u64,
    bytes: usize,
    apart: bool,
    (within, between): (i64, i64),
) -> Instance {
    let mut draws = Draws::new(seed);
    let mut number = |below: usize| i64::try_from(draws.below(below)).unwrap();
    let work = |number: &mut dyn FnMut(usize) -> i64| Work::from_millis(1 + number(50));
    let mut named: Vec<Task> =
        (0..tasks).map(|task| Task::new(&format!("t{task}"), work(&mut number))).collect();
    for task in named.iter_mut().filter(|_| apart) {
        let empty = number(5) == 0;
        for lane in 0..lanes {
            let millis = if empty { 0 } else { number(60) };
            task.estimates.insert(format!("n{lane}"), Span::from_millis(millis).unwrap());
        }
    }
    let mut edges = Vec::new();
    for to in 1..tasks {
        for from in (0..to).rev().take(5) {
            if number(5) < 2 {
                let data = Data::from_bytes(number(bytes)).unwrap();
                edges.push(Edge { from: TaskId::new(from), to: TaskId::new(to), data });
            }
        }
    }
    let lane = |lane: u32| Lane {
        part: 0,
        node: NodeId::new(lane),
        name: format!("n{lane}"),
        site: SiteId::new(lane % 2),
        site_name: format!("s{}", lane % 2),
        performance: Performance::from_millionths(1_000_000 + 500_000 * number(4)).unwrap(),
        rate: Rate::from_micros_per_second(1_000).unwrap(),
        free: vec![
            Interval::new(Time::from_millis(0).unwrap(), Time::from_millis(1_000_000).unwrap()).unwrap(),
        ],
        attributes: Attributes::new(),
    };
    let lanes = (0..lanes).map(lane).collect();
    let link = |latency| Link {
        latency: Span::from_millis(latency).unwrap(),
        bandwidth: Bandwidth::from_bytes_per_second(1_000),
    };
    let platform =
        Platform { lanes, network: Network { within_site: link(within), between_sites: link(between) } };
    let workflow = Workflow::new("drawn", named, edges).unwrap();
    Instance::new(&workflow, &platform, &Terms::default()).unwrap()
}

/// Tasks of these lengths and one more that waits for all, on two nodes of one site; data takes `moved` between them.
pub(super) fn join(lengths: &[i64], last: i64, moved: i64) -> Instance {
    let named =
        |(number, millis): (usize, &i64)| Task::new(&format!("t{number}"), Work::from_millis(*millis));
    let mut tasks: Vec<Task> = lengths.iter().enumerate().map(named).collect();
    let to = TaskId::from_index(tasks.len()).unwrap();
    tasks.push(Task::new("last", Work::from_millis(last)));
    let edge = |from: usize| Edge {
        from: TaskId::from_index(from).unwrap(),
        to,
        data: Data::from_bytes(moved).unwrap(),
    };
    let workflow = Workflow::new("join", tasks, (0..lengths.len()).map(edge).collect()).unwrap();
    let lane = |lane: u32| Lane {
        part: 0,
        node: NodeId::new(lane),
        name: format!("n{lane}"),
        site: SiteId::new(0),
        site_name: "s".into(),
        performance: Performance::ONE,
        rate: Rate::from_micros_per_second(1_000).unwrap(),
        free: vec![Interval::new(Time::from_millis(0).unwrap(), Time::from_millis(1_000).unwrap()).unwrap()],
        attributes: Attributes::new(),
    };
    let link = Link { latency: Span::ZERO, bandwidth: Bandwidth::from_bytes_per_second(1_000) };
    let network = Network { within_site: link, between_sites: link };
    let platform = Platform { lanes: vec![lane(0), lane(1)], network };
    Instance::new(&workflow, &platform, &Terms::default()).unwrap()
}
