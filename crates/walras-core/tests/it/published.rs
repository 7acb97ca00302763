//! The worked example of the paper that HEFT and CPOP come from, with its published makespans.

use crate::random::{interval, time};
use std::collections::BTreeMap;
use walras_core::refine::{Baseline, RefineEffort, Strategy, baseline, refine};
use walras_model::workflow::Terms;
use walras_model::*;

/// Topcuoglu, Hariri and Wu 2002, Fig. 2: the run times of ten tasks on three processors.
const RUN_TIMES: [[i64; 3]; 10] = [
    [14, 16, 9],
    [13, 19, 18],
    [11, 13, 19],
    [13, 8, 17],
    [12, 13, 10],
    [13, 16, 9],
    [7, 15, 11],
    [5, 11, 14],
    [18, 12, 20],
    [21, 7, 16],
];

/// The same figure: who waits for whom, and how long the data takes between two processors.
const EDGES: [(u32, u32, i64); 15] = [
    (1, 2, 18),
    (1, 3, 12),
    (1, 4, 9),
    (1, 5, 11),
    (1, 6, 14),
    (2, 8, 19),
    (2, 9, 16),
    (3, 7, 23),
    (4, 8, 27),
    (4, 9, 23),
    (5, 9, 13),
    (6, 8, 15),
    (7, 10, 17),
    (8, 10, 11),
    (9, 10, 13),
];

/// The example: a byte takes a millisecond.
fn example() -> (Workflow, Platform) {
    let task = |(number, times): (usize, &[i64; 3])| {
        let mut task = Task::new(&format!("t{}", number + 1), None);
        let estimate =
            |(node, millis): (usize, &i64)| (format!("p{node}"), Span::from_millis(*millis).unwrap());
        task.estimates = times.iter().enumerate().map(estimate).collect();
        task
    };
    let edge = |(from, to, millis): &(u32, u32, i64)| Edge {
        from: TaskId::new(from - 1),
        to: TaskId::new(to - 1),
        data: Data::from_bytes(*millis).unwrap(),
    };
    let tasks = RUN_TIMES.iter().enumerate().map(task).collect();
    let workflow = Workflow::new("example", tasks, EDGES.iter().map(edge).collect()).unwrap();
    let lane = |number: u32| Lane {
        part: 0,
        node: NodeId::new(number),
        name: format!("p{number}"),
        site: SiteId::new(0),
        site_name: "s".into(),
        performance: Performance::ONE,
        rate: Rate::from_micros_per_second(1).unwrap(),
        free: vec![interval(0, 1_000)],
        attributes: BTreeMap::new(),
    };
    let link = Link { latency: Span::ZERO, bandwidth: Bandwidth::from_bytes_per_second(1_000) };
    let network = Network { within_site: link, between_sites: link };
    (workflow, Platform { lanes: (0..3).map(lane).collect(), network })
}

#[test]
fn heft_and_cpop_give_the_makespans_of_their_paper() {
    let (workflow, platform) = example();
    let makespan = |kind| {
        let schedule = baseline(&workflow, &platform, &Terms::default(), kind).unwrap();
        schedule.makespan().as_millis()
    };
    assert_eq!((makespan(Baseline::Heft), makespan(Baseline::Cpop)), (80, 86));
}

/// CPOP as the paper tells it: the critical path t1, t2, t9, t10 is on the second processor, in order.
#[test]
fn the_critical_path_is_on_one_processor() {
    let (workflow, platform) = example();
    let schedule = baseline(&workflow, &platform, &Terms::default(), Baseline::Cpop).unwrap();
    let place = |task: usize| schedule.placements()[task];
    assert!([0, 1, 8, 9].iter().all(|task| place(*task).node == NodeId::new(1)));
    assert_eq!((place(0).start, place(9).end), (time(0), time(86)));
}

/// The best schedule of the example ends at 73.
#[test]
fn the_best_schedule_of_the_example_is_known() {
    let (workflow, platform) = example();
    let outcome = refine(&workflow, &platform, &Terms::default(), Strategy::Asap, &RefineEffort::default());
    let Outcome::Optimal(best) = outcome else { panic!("{outcome:?}") };
    assert_eq!(best.schedule.makespan().as_millis(), 73);
}
