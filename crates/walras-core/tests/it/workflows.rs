//! Task schedules: against brute force, against the published heuristics, and under the verifier.

use crate::empty_tasks::{mostly_empty, violations};
use crate::random::{interval, time};
use crate::task_oracle::{Sums, all_schedules};
use proptest::prelude::*;
use std::collections::BTreeMap;
use walras_core::refine::{
    Baseline, NoSchedule, RefineEffort, Refined, Strategy as Plan, SupportLimits, TaskSchedule, baseline,
    refine, supporting_schedules,
};
use walras_core::*;
use walras_model::workflow::Terms;
use walras_model::*;

const END: i64 = 400;

/// A node as drawn: its site, speed, rate, and when its owner has it.
type DrawnLane = (u32, i64, i64, Vec<(i64, i64)>);

/// One to three nodes on one or two sites, with owners' tasks.
fn platform(busy: bool) -> impl Strategy<Value = Platform> {
    let owners = prop::collection::vec((0..120_i64, 1..30_i64), 0..if busy { 4 } else { 1 });
    let lane = (
        0..2_u32,
        prop::sample::select(vec![500_000, 1_000_000, 1_300_000, 3_000_000]),
        1..9_000_i64,
        owners,
    );
    let link = || (0..6_i64, prop::option::of(100..4_000_i64));
    (prop::collection::vec(lane, 1..=3), link(), link()).prop_map(move |(lanes, near, far)| {
        let link = |(latency, speed): (i64, Option<i64>)| Link {
            latency: Span::from_millis(latency).unwrap(),
            bandwidth: speed.and_then(Bandwidth::from_bytes_per_second),
        };
        let lane = |(number, (site, speed, rate, owners)): (u32, DrawnLane)| {
            let owners = if busy { owners } else { Vec::new() };
            let taken: Vec<Interval> =
                owners.iter().map(|(start, span)| interval(*start, start + span)).collect();
            Lane {
                part: 0,
                node: NodeId::new(number),
                name: format!("n{number}"),
                site: SiteId::new(site),
                site_name: format!("s{site}"),
                performance: Performance::from_millionths(speed).unwrap(),
                rate: Rate::from_micros_per_second(rate).unwrap(),
                free: walras_model::interval::complement(interval(0, END), &taken),
                attributes: Attributes::new(),
            }
        };
        let lanes = (0..).zip(lanes).map(lane).collect();
        Platform { lanes, network: Network { within_site: link(near), between_sites: link(far) } }
    })
}

/// Tasks of 0 to 20 ms; `chance` of 8 makes every later task wait for every earlier one.
fn workflow(tasks: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Workflow> {
    (prop::collection::vec(0..20_i64, tasks), prop::collection::vec((0..8_u8, 0..30_i64), 60), 1..6_u8)
        .prop_map(|(works, draws, chance)| {
            let task = |(index, work): (usize, i64)| Task::new(&format!("t{index}"), Work::from_millis(work));
            let tasks: Vec<Task> = works.iter().copied().enumerate().map(task).collect();
            let pairs = (0..tasks.len()).flat_map(|to| (0..to).map(move |from| (from, to)));
            let edges = pairs.zip(draws.iter().cycle()).filter(|(_, (draw, _))| *draw < chance);
            let edge = |((from, to), (_, bytes)): ((usize, usize), &(u8, i64))| Edge {
                from: TaskId::from_index(from).unwrap(),
                to: TaskId::from_index(to).unwrap(),
                data: Data::from_bytes(*bytes).unwrap(),
            };
            Workflow::new("random", tasks.clone(), edges.map(edge).collect()).unwrap()
        })
}

fn chain(tasks: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Workflow> {
    prop::collection::vec((1..20_i64, 0..30_i64), tasks).prop_map(|links| {
        let task = |(index, (work, _)): (usize, &(i64, i64))| {
            Task::new(&format!("t{index}"), Work::from_millis(*work))
        };
        let edge = |(to, (_, bytes)): (u32, &(i64, i64))| Edge {
            from: TaskId::new(to - 1),
            to: TaskId::new(to),
            data: Data::from_bytes(*bytes).unwrap(),
        };
        let tasks = links.iter().enumerate().map(task).collect();
        Workflow::new("chain", tasks, (0..).zip(&links).skip(1).map(edge).collect()).unwrap()
    })
}

fn terms() -> impl Strategy<Value = Terms> {
    let limits =
        (prop::option::of(0..40_i64), prop::option::of(30..150_i64), prop::option::of(20..400_000_i64));
    limits.prop_map(|(earliest, deadline, budget)| Terms {
        earliest: earliest.map(time),
        deadline: deadline.map(time),
        budget: budget.map(Money::from_micros),
    })
}

fn small_effort(units_max: u64) -> RefineEffort {
    RefineEffort { units_max, proof_units_max: 0, labels_max: 10_000, seed: 7 }
}

fn verified(schedule: &TaskSchedule, workflow: &Workflow, platform: &Platform, terms: &Terms) {
    assert_eq!(violations(schedule, workflow, platform, terms), []);
}

/// What was planned, and holds without anything standing in for it.
fn found(outcome: Outcome<Refined, NoSchedule>) -> Option<Refined> {
    outcome.found().inspect(|refined| assert_eq!(refined.fault, None))
}

/// What a schedule comes to.
fn sums(schedule: &TaskSchedule) -> Sums {
    let mut load = BTreeMap::new();
    for placement in schedule.placements() {
        *load.entry(placement.node).or_insert(0) += placement.end.as_millis() - placement.start.as_millis();
    }
    Sums {
        finish: schedule.finish().as_millis(),
        cost: schedule.cost().as_micros(),
        squares: load.values().map(|load: &i64| load * load).sum(),
    }
}

/// The same tasks with all edges turned round.
fn turned(workflow: &Workflow) -> Workflow {
    let edges = workflow.edges().iter().map(|edge| Edge { from: edge.to, to: edge.from, data: edge.data });
    Workflow::new("turned", workflow.tasks().to_vec(), edges.collect()).unwrap()
}

/// The same nodes with time running backwards from the end.
fn mirrored(platform: &Platform) -> Platform {
    let mut mirrored = platform.clone();
    for lane in &mut mirrored.lanes {
        let flip = |free: &Interval| interval(END - free.end().as_millis(), END - free.start().as_millis());
        lane.free = lane.free.iter().rev().map(flip).collect();
    }
    mirrored
}

fn mirrored_terms(terms: &Terms) -> Terms {
    let flip = |at: Time| time(END - at.as_millis());
    Terms { earliest: terms.deadline.map(flip), deadline: terms.earliest.map(flip), budget: terms.budget }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The dynamic programme alone, without improvement, is exact for chains: the earliest end within the budget, and
    /// the least cost within the deadline.
    #[test]
    fn chains_are_planned_exactly(workflow in chain(1..=6), platform in platform(true), terms in terms()) {
        let all = all_schedules(&workflow, &platform, &terms);
        for (strategy, best) in [
            (Plan::Asap, all.iter().map(|sums| sums.finish).min()),
            (Plan::Cheapest, all.iter().map(|sums| sums.cost).min()),
        ] {
            let ours = found(refine(&workflow, &platform, &terms, strategy, &small_effort(0)));
            let value = ours.map(|ours| match strategy {
                Plan::Asap => ours.schedule.finish().as_millis(),
                _ => ours.schedule.cost().as_micros(),
            });
            prop_assert_eq!(value, best, "{}", strategy);
        }
    }

    /// Small graphs are planned best by every strategy, also by what comes second, and that is known; when there is no schedule,
    /// that is known too.
    #[test]
    fn small_graphs_are_planned_best(workflow in workflow(1..=6), platform in platform(true), terms in terms()) {
        let all = all_schedules(&workflow, &platform, &terms);
        let least = |key: fn(&Sums) -> (i64, i64)| all.iter().map(key).min();
        let early = least(|sums| (sums.finish, sums.cost));
        let backwards = all_schedules(&turned(&workflow), &mirrored(&platform), &mirrored_terms(&terms));
        let late = backwards.iter().map(|sums| (sums.finish, sums.cost)).min();
        for strategy in Plan::ALL {
            let outcome = refine(&workflow, &platform, &terms, strategy, &small_effort(100_000_000));
            prop_assert!(!outcome.bound_hit(), "{}", strategy);
            prop_assert_ne!(&outcome, &Outcome::Infeasible(NoSchedule::NotFound));
            let ours = found(outcome);
            let sums = ours.as_ref().map(|ours| {
                verified(&ours.schedule, &workflow, &platform, &terms);
                prop_assert!(ours.lower_bound <= ours.schedule.makespan());
                Ok(sums(&ours.schedule))
            }).transpose()?;
            let (ours, best) = match strategy {
                Plan::Asap | Plan::Fastest => (sums.map(|sums| (sums.finish, sums.cost)), early),
                Plan::Alap => {
                    (ours.zip(sums).map(|(ours, sums)| (END - ours.schedule.start().as_millis(), sums.cost)), late)
                }
                Plan::Cheapest => {
                    (sums.map(|sums| (sums.cost, sums.finish)), least(|sums| (sums.cost, sums.finish)))
                }
                Plan::Balanced => {
                    (sums.map(|sums| (sums.squares, sums.finish)), least(|sums| (sums.squares, sums.finish)))
                }
            };
            prop_assert_eq!(ours, best, "{}", strategy);
        }
    }

    /// Nodes that are alike in everything hide nothing: what is proven best on them is.
    #[test]
    fn equal_nodes_are_planned_best(workflow in workflow(1..=5), platform in platform(false), count in 2..=3_u32) {
        let alike = |number: u32| Lane {
            part: 0,
            node: NodeId::new(number),
            name: format!("n{number}"),
            ..platform.lanes[0].clone()
        };
        let mut lanes: Vec<Lane> = (0..count).map(alike).collect();
        lanes.extend(platform.lanes.get(1).map(|lane| Lane { node: NodeId::new(7), name: "n7".into(), ..lane.clone() }));
        let (platform, terms) = (Platform { lanes, ..platform.clone() }, Terms::default());
        let best = all_schedules(&workflow, &platform, &terms).iter().map(|sums| (sums.finish, sums.cost)).min();
        let outcome = refine(&workflow, &platform, &terms, Plan::Asap, &small_effort(100_000_000));
        prop_assert!(!outcome.bound_hit());
        prop_assert_eq!(found(outcome).map(|ours| sums(&ours.schedule)).map(|sums| (sums.finish, sums.cost)), best);
    }

    /// Whatever is found holds; what is refused as impossible is; ours is never later than a heuristic.
    #[test]
    fn what_is_found_holds(workflow in workflow(1..=9), platform in platform(true), terms in terms()) {
        for strategy in Plan::ALL {
            let outcome = refine(&workflow, &platform, &terms, strategy, &small_effort(3_000));
            if let Some(ours) = found(outcome) {
                verified(&ours.schedule, &workflow, &platform, &terms);
                prop_assert!(ours.lower_bound <= ours.schedule.makespan());
            }
        }
        let ours = found(refine(&workflow, &platform, &terms, Plan::Asap, &small_effort(0)));
        for kind in Baseline::ALL {
            if let Some(theirs) = baseline(&workflow, &platform, &terms, kind) {
                verified(&theirs, &workflow, &platform, &terms);
                let ours = ours.as_ref().expect("there is a schedule");
                prop_assert!(ours.schedule.finish() <= theirs.finish(), "{}", kind.name());
            }
        }
    }

    /// Tasks that take no time, edges without data, equal times, and a deadline that only just suffices: nothing panics, and whatever
    /// is found holds.
    #[test]
    fn tasks_that_take_no_time_are_in_nobodys_way(
        (workflow, platform) in (mostly_empty(6..=24), platform(true)), late in 0..3_i64, seed in 0..1_000_u64,
    ) {
        let Some(early) = baseline(&workflow, &platform, &Terms::default(), Baseline::Heft) else { return Ok(()) };
        let deadline = early.finish().as_millis() + late;
        let terms = Terms { deadline: Some(time(deadline)), ..Terms::default() };
        for strategy in Plan::ALL {
            let effort = RefineEffort { units_max: 60_000, proof_units_max: 0, labels_max: 8, seed };
            if let Some(ours) = found(refine(&workflow, &platform, &terms, strategy, &effort)) {
                verified(&ours.schedule, &workflow, &platform, &terms);
                prop_assert!(ours.lower_bound <= ours.schedule.makespan());
            }
        }
    }

    /// As late as possible: no schedule starts later and keeps the deadline.
    #[test]
    fn late_is_late(workflow in chain(1..=6), platform in platform(true)) {
        let terms = Terms { deadline: Some(time(120)), ..Terms::default() };
        let late = found(refine(&workflow, &platform, &terms, Plan::Alap, &small_effort(0)));
        if let Some(late) = late {
            verified(&late.schedule, &workflow, &platform, &terms);
            let start = late.schedule.start().as_millis();
            let later = Terms { earliest: Some(time(start + 1)), ..terms };
            prop_assert!(all_schedules(&workflow, &platform, &later).is_empty());
        }
    }

    /// Prepared schedules hold without the node, and with the late task.
    #[test]
    fn supports_hold(workflow in workflow(2..=8), platform in platform(true)) {
        let terms = Terms::default();
        let Some(main) = found(refine(&workflow, &platform, &terms, Plan::Asap, &small_effort(500))) else {
            return Ok(());
        };
        let limits = SupportLimits::default();
        for support in supporting_schedules(&workflow, &platform, &terms, Plan::Asap, &main.schedule, &limits) {
            let Some(schedule) = &support.schedule else { continue };
            match support.event {
                refine::Disturbance::NodeLost { node, at } => {
                    verified(schedule, &workflow, &platform.without(node), &terms);
                    for (was, is) in main.schedule.placements().iter().zip(schedule.placements()) {
                        prop_assert!(was.start >= at || was == is, "what began before goes on");
                    }
                }
                refine::Disturbance::TaskLate { task, by } => {
                    let mut tasks = workflow.tasks().to_vec();
                    for lane in &platform.lanes {
                        let own = tasks[task.index()].work.map_or(Some(Span::ZERO), |work| work.runtime_on(lane.performance));
                        let longer = Span::from_millis(own.unwrap().as_millis() + by.as_millis()).unwrap();
                        tasks[task.index()].estimates.insert(lane.name.clone(), longer);
                    }
                    let late = Workflow::new("late", tasks, workflow.edges().to_vec()).unwrap();
                    verified(schedule, &late, &platform, &terms);
                }
            }
        }
    }

    /// The same seed gives the same schedule.
    #[test]
    fn a_deadline_that_a_search_meets_can_be_asked_for(workflow in workflow(10..=24), platform in platform(true)) {
        let effort = small_effort(20_000);
        let plain = Terms::default();
        let Some(soonest) = found(refine(&workflow, &platform, &plain, Plan::Asap, &effort)) else { return Ok(()) };
        let terms = Terms { deadline: Some(soonest.schedule.finish()), ..plain };
        for strategy in [Plan::Asap, Plan::Alap, Plan::Cheapest, Plan::Balanced] {
            let kept = found(refine(&workflow, &platform, &terms, strategy, &effort));
            prop_assert!(kept.is_some(), "{strategy:?}");
            verified(&kept.unwrap().schedule, &workflow, &platform, &terms);
        }
    }

    #[test]
    fn a_seed_is_a_schedule(workflow in workflow(3..=9), platform in platform(false)) {
        let plan = || refine(&workflow, &platform, &Terms::default(), Plan::Asap, &small_effort(2_000));
        prop_assert_eq!(plan(), plan());
    }
}
