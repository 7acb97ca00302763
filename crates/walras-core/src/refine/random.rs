//! Small instances from a seed, for tests of this module's parts.

use super::{Instance, Terms};
use walras_model::{
    Attributes, Bandwidth, Data, Edge, Interval, Lane, Link, Network, NodeId, Performance, Platform, Rate,
    SiteId, Span, Task, TaskId, Time, Work, Workflow,
};
use walras_random::Draws;

/// Tasks that wait for about two others each, on lanes of different speeds on two sites; owners have no tasks.
pub(super) fn instance(tasks: u32, lanes: u32, seed: u64) -> Instance {
    let mut draws = Draws::new(seed);
    let mut number = |below: usize| i64::try_from(draws.below(below)).unwrap();
    let work = |number: &mut dyn FnMut(usize) -> i64| Work::from_millis(1 + number(50));
    let named: Vec<Task> = (0..tasks).map(|task| Task::new(&format!("t{task}"), work(&mut number))).collect();
    let mut edges = Vec::new();
    for to in 1..tasks {
        for from in (0..to).rev().take(5) {
            if number(5) < 2 {
                let data = Data::from_bytes(number(20)).unwrap();
                edges.push(Edge { from: TaskId::new(from), to: TaskId::new(to), data });
            }
        }
    }
    let lane = |lane: u32| Lane {
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
    let platform = Platform { lanes, network: Network { within_site: link(1), between_sites: link(5) } };
    let workflow = Workflow::new("drawn", named, edges).unwrap();
    Instance::new(&workflow, &platform, &Terms::default()).unwrap()
}
