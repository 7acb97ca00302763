//! Tasks that take several nodes at the same time: against brute force, under the verifier, and in windows.

use crate::random::{interval, time};
use proptest::prelude::*;
use std::collections::BTreeSet;
use walras_core::refine::Strategy as Plan;
use walras_core::refine::{
    Baseline, NoSchedule, RefineEffort, Refined, SupportLimits, TaskSchedule, baseline, refine,
    supporting_schedules, task_claim,
};
use walras_model::workflow::Terms;
use walras_model::*;
use walras_verify::tasks::verify_tasks;

const END: i64 = 160;

/// A node as drawn: its site, speed and rate, and when its owner has it.
type DrawnLane = (u32, i64, i64, Vec<(i64, i64)>);

/// Two to four nodes on one or two sites, with owners' tasks.
fn platform() -> impl Strategy<Value = Platform> {
    let owners = prop::collection::vec((0..80_i64, 1..20_i64), 0..3);
    let speed = prop::sample::select(vec![500_000, 1_000_000, 1_300_000, 2_000_000]);
    let lane = (0..2_u32, speed, 1_000..9_000_i64, owners);
    let link = || (0..4_i64, prop::option::of(500..4_000_i64));
    (prop::collection::vec(lane, 2..=4), link(), link()).prop_map(|(lanes, near, far)| {
        let link = |(latency, speed): (i64, Option<i64>)| Link {
            latency: Span::from_millis(latency).unwrap(),
            bandwidth: speed.and_then(Bandwidth::from_bytes_per_second),
        };
        let lane = |(number, (site, speed, rate, owners)): (u32, DrawnLane)| {
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

/// Tasks of 0 to 12 ms on one to three nodes, one of them on two at least.
fn workflow(most: usize) -> impl Strategy<Value = Workflow> {
    let tasks = prop::collection::vec((0..12_i64, prop::sample::select(vec![1_u32, 1, 2, 2, 3])), 1..=most);
    (tasks, prop::collection::vec((0..8_u8, 0..12_i64), 12), 1..6_u8).prop_map(|(tasks, draws, chance)| {
        let task = |(index, (work, nodes)): (usize, (i64, u32))| Task {
            nodes: if index == 0 { nodes.max(2) } else { nodes },
            ..Task::new(&format!("t{index}"), Work::from_millis(work))
        };
        let tasks: Vec<Task> = tasks.into_iter().enumerate().map(task).collect();
        let pairs = (0..tasks.len()).flat_map(|to| (0..to).map(move |from| (from, to)));
        let edges = pairs.zip(draws.iter().cycle()).filter(|(_, (draw, _))| *draw < chance);
        let edge = |((from, to), (_, bytes)): ((usize, usize), &(u8, i64))| Edge {
            from: TaskId::from_index(from).unwrap(),
            to: TaskId::from_index(to).unwrap(),
            data: Data::from_bytes(*bytes).unwrap(),
        };
        Workflow::new("gangs", tasks.clone(), edges.map(edge).collect()).unwrap()
    })
}

/// What a schedule comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sums {
    finish: i64,
    cost: i64,
    squares: i64,
}

/// Every way to put one task after the other on every set of nodes, each as early as it goes, millisecond by millisecond.
struct Brute<'a> {
    workflow: &'a Workflow,
    platform: &'a Platform,
    earliest: i64,
    deadline: i64,
    found: Vec<Sums>,
}

#[derive(Clone)]
struct Tried {
    /// By node and millisecond.
    busy: Vec<Vec<bool>>,
    /// By task: its nodes, start and end.
    places: Vec<Option<(Vec<usize>, i64, i64)>>,
    cost: i64,
}

fn all_schedules(workflow: &Workflow, platform: &Platform, terms: &Terms) -> Vec<Sums> {
    let earliest = terms.earliest.map_or(0, Time::as_millis);
    let deadline = terms.deadline.map_or(END, Time::as_millis).min(END);
    let busy_of = |lane: &Lane| {
        let free =
            |at: i64| lane.free.iter().any(|it| it.start().as_millis() <= at && at < it.end().as_millis());
        (0..END).map(|at| !free(at)).collect()
    };
    let tried = Tried {
        busy: platform.lanes.iter().map(busy_of).collect(),
        places: vec![None; workflow.tasks().len()],
        cost: 0,
    };
    let mut brute = Brute { workflow, platform, earliest, deadline, found: Vec::new() };
    brute.go(&tried);
    let within = |it: &Sums| terms.budget.is_none_or(|budget| it.cost <= budget.as_micros());
    brute.found.into_iter().filter(within).collect()
}

impl Brute<'_> {
    fn go(&mut self, tried: &Tried) {
        if let Some(all) = tried.places.iter().cloned().collect::<Option<Vec<_>>>() {
            let mut load = vec![0; self.platform.lanes.len()];
            all.iter()
                .for_each(|(nodes, start, end)| nodes.iter().for_each(|node| load[*node] += end - start));
            let squares = load.iter().map(|load| load * load).sum();
            let finish = all.iter().map(|(_, _, end)| *end).max().unwrap();
            return self.found.push(Sums { finish, cost: tried.cost, squares });
        }
        for (index, task) in self.workflow.tasks().iter().enumerate() {
            let edges = || self.workflow.edges().iter().filter(move |edge| edge.to.index() == index);
            if tried.places[index].is_some() || edges().any(|edge| tried.places[edge.from.index()].is_none())
            {
                continue;
            }
            for set in 1_u32..1 << self.platform.lanes.len() {
                let nodes: Vec<usize> =
                    (0..self.platform.lanes.len()).filter(|node| set >> node & 1 == 1).collect();
                let sites: BTreeSet<SiteId> =
                    nodes.iter().map(|node| self.platform.lanes[*node].site).collect();
                if nodes.len() != task.nodes as usize || sites.len() > 1 {
                    continue;
                }
                let edges: Vec<Edge> = edges().copied().collect();
                if let Some(next) = self.put(tried, index, task, nodes, &edges) {
                    self.go(&next);
                }
            }
        }
    }

    fn put(
        &self,
        tried: &Tried,
        index: usize,
        task: &Task,
        nodes: Vec<usize>,
        edges: &[Edge],
    ) -> Option<Tried> {
        let lane = |node: &usize| &self.platform.lanes[*node];
        let needs = |node: &usize| {
            task.work.map_or(0, |work| work.runtime_on(lane(node).performance).unwrap().as_millis())
        };
        let length = nodes.iter().map(needs).max().unwrap();
        let arrives = |edge: &Edge| {
            let (from, _, end) = tried.places[edge.from.index()].as_ref().unwrap();
            let pairs = || from.iter().flat_map(|from| nodes.iter().map(move |to| (from, to)));
            let way = |(from, to): (&usize, &usize)| {
                let network = self.platform.network;
                let link = if lane(from).site == lane(to).site {
                    network.within_site
                } else {
                    network.between_sites
                };
                if from == to { 0 } else { link.time_for(edge.data).unwrap().as_millis() }
            };
            end + pairs().map(way).max().unwrap()
        };
        let ready = edges.iter().map(arrives).max().unwrap_or(0).max(self.earliest);
        let inside = |node: &usize, at: i64| {
            lane(node)
                .free
                .iter()
                .any(|it| it.start().as_millis() <= at && at + length <= it.end().as_millis())
        };
        let idle = |node: &usize, at: i64| {
            (at..at + length).all(|at| !tried.busy[*node][usize::try_from(at).unwrap()])
        };
        let start = (ready..=self.deadline - length)
            .find(|at| nodes.iter().all(|node| inside(node, *at) && idle(node, *at)))?;
        let mut next = tried.clone();
        for node in &nodes {
            (start..start + length).for_each(|at| next.busy[*node][usize::try_from(at).unwrap()] = true);
            let span = Span::from_millis(length).unwrap();
            next.cost += lane(node).rate.cost_of(span).unwrap().as_micros();
        }
        next.places[index] = Some((nodes, start, start + length));
        Some(next)
    }
}

fn sums(schedule: &TaskSchedule, platform: &Platform) -> Sums {
    let mut load = vec![0; platform.lanes.len()];
    for placement in schedule.placements() {
        let length = placement.end.as_millis() - placement.start.as_millis();
        schedule.nodes(placement.task).for_each(|node| load[node.index()] += length);
    }
    Sums {
        finish: schedule.finish().as_millis(),
        cost: schedule.cost().as_micros(),
        squares: load.iter().map(|load| load * load).sum(),
    }
}

fn effort(units_max: u64) -> RefineEffort {
    RefineEffort { units_max, proof_units_max: 0, labels_max: 32, seed: 7 }
}

fn found(
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
    outcome: Outcome<Refined, NoSchedule>,
) -> Option<Refined> {
    let wrong = matches!(outcome, Outcome::Infeasible(NoSchedule::Refuted(_)));
    assert!(!wrong, "{outcome:?}");
    let refined = outcome.found()?;
    let claim = task_claim(&refined.schedule, workflow, platform);
    assert_eq!(verify_tasks(&claim, workflow, platform, terms), []);
    Some(refined)
}

/// The same tasks with all edges turned round, and the same nodes with time running backwards.
fn turned(workflow: &Workflow, platform: &Platform) -> (Workflow, Platform) {
    let edges = workflow.edges().iter().map(|edge| Edge { from: edge.to, to: edge.from, data: edge.data });
    let workflow = Workflow::new("turned", workflow.tasks().to_vec(), edges.collect()).unwrap();
    let mut platform = platform.clone();
    for lane in &mut platform.lanes {
        let flip = |free: &Interval| interval(END - free.end().as_millis(), END - free.start().as_millis());
        lane.free = lane.free.iter().rev().map(flip).collect();
    }
    (workflow, platform)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    /// What is searched to the end is the best there is by the strategy's goal; where there is nothing, nothing is found.
    #[test]
    fn small_gangs_are_placed_as_well_as_can_be(
        workflow in workflow(4),
        platform in platform(),
        earliest in prop::option::of(0..20_i64),
        deadline in prop::option::of(15..120_i64),
        budget in prop::option::of(50..1_500_i64),
    ) {
        let terms = Terms {
            earliest: earliest.map(time),
            deadline: Some(time(deadline.unwrap_or(END))),
            budget: budget.map(Money::from_micros),
        };
        let all = all_schedules(&workflow, &platform, &terms);
        for strategy in [Plan::Asap, Plan::Fastest, Plan::Cheapest, Plan::Balanced] {
            let outcome = refine(&workflow, &platform, &terms, strategy, &effort(40_000_000));
            let optimal = matches!(outcome, Outcome::Optimal(_));
            let none = matches!(&outcome, Outcome::Infeasible(why) if *why != NoSchedule::NotFound);
            let refined = found(&workflow, &platform, &terms, outcome);
            let Some(refined) = refined else {
                prop_assert!(none && all.is_empty(), "{strategy}: {} schedules were not found", all.len());
                continue;
            };
            prop_assert!(optimal, "{strategy}");
            let is = sums(&refined.schedule, &platform);
            let value = |it: &Sums| match strategy {
                Plan::Cheapest => it.cost,
                Plan::Balanced => it.squares,
                Plan::Asap | Plan::Fastest | Plan::Alap => it.finish,
            };
            prop_assert_eq!(Some(value(&is)), all.iter().map(value).min(), "{}", strategy);
            let soonest = all.iter().map(|it| it.finish).min().unwrap();
            let origin = refined.schedule.origin().as_millis();
            prop_assert!(origin + refined.lower_bound.as_millis() <= soonest, "{}: {:?}", strategy, refined);
        }
    }

    /// A list alone is a schedule, and its bound is none that another beats.
    #[test]
    fn a_list_of_gangs_holds_and_says_nothing_false(workflow in workflow(4), platform in platform()) {
        let terms = Terms { deadline: Some(time(END)), ..Terms::default() };
        let all = all_schedules(&workflow, &platform, &terms);
        for strategy in [Plan::Asap, Plan::Cheapest] {
            let outcome = refine(&workflow, &platform, &terms, strategy, &effort(0));
            let value = |it: &Sums| if strategy == Plan::Asap { it.finish } else { it.cost };
            let best = all.iter().map(value).min();
            match (outcome.clone(), best) {
                (Outcome::Optimal(refined), Some(best)) => {
                    prop_assert_eq!(value(&sums(&refined.schedule, &platform)), best);
                }
                (Outcome::Feasible { best: refined, bound }, Some(best)) => {
                    let origin = if strategy == Plan::Asap { refined.schedule.origin().as_millis() } else { 0 };
                    prop_assert!(i128::from(origin) + bound <= i128::from(best), "{bound} {best}");
                }
                (Outcome::Infeasible(why), best) => prop_assert!(
                    why == NoSchedule::NotFound || best.is_none(), "{:?} {:?}", why, best
                ),
                (outcome, None) => prop_assert!(false, "{outcome:?}"),
            }
            found(&workflow, &platform, &terms, outcome);
        }
    }

    /// As late as possible is as soon as possible with time running backwards.
    #[test]
    fn late_gangs_start_as_late_as_can_be(workflow in workflow(3), platform in platform()) {
        let terms = Terms { deadline: Some(time(END)), earliest: Some(time(0)), ..Terms::default() };
        let (back, mirrored) = turned(&workflow, &platform);
        let latest = all_schedules(&back, &mirrored, &terms).iter().map(|it| END - it.finish).max();
        let outcome = refine(&workflow, &platform, &terms, Plan::Alap, &effort(40_000_000));
        let refined = found(&workflow, &platform, &terms, outcome);
        prop_assert_eq!(refined.map(|refined| refined.schedule.start().as_millis()), latest);
    }

    /// Larger ones are never searched to the end; what comes of them holds, and effort never makes a list worse.
    #[test]
    fn larger_gangs_hold(workflow in workflow(14), platform in platform()) {
        let terms = Terms::default();
        let mut ends = Vec::new();
        for units in [0, 4_000, 20_000] {
            let outcome = refine(&workflow, &platform, &terms, Plan::Asap, &effort(units));
            prop_assert_eq!(&outcome, &refine(&workflow, &platform, &terms, Plan::Asap, &effort(units)));
            ends.extend(found(&workflow, &platform, &terms, outcome).map(|it| it.schedule.finish()));
        }
        prop_assert!(ends.len() < 3 || ends.iter().all(|end| *end <= ends[0]), "{:?}", ends);
    }
}

fn uniform(sites: &[u32]) -> Platform {
    let sites = sites.iter().enumerate();
    let lane = |(number, site): (u32, u32)| Lane {
        part: 0,
        node: NodeId::new(number),
        name: format!("n{number}"),
        site: SiteId::new(site),
        site_name: format!("s{site}"),
        performance: Performance::ONE,
        rate: Rate::from_micros_per_second(1_000).unwrap(),
        free: vec![interval(0, END)],
        attributes: Attributes::new(),
    };
    let numbered = sites.flat_map(|(site, nodes)| (0..*nodes).map(move |_| u32::try_from(site).unwrap()));
    Platform { lanes: (0..).zip(numbered).map(lane).collect(), network: Network::INSTANT }
}

fn gang(nodes: u32, millis: i64) -> Task {
    Task { nodes, ..Task::new(&format!("{nodes}x{millis}"), Work::from_millis(millis)) }
}

#[test]
fn a_gang_wider_than_every_site_is_refused_with_its_width() {
    let workflow = Workflow::new("w", vec![gang(1, 5), gang(3, 10)], vec![]).unwrap();
    let refined =
        |platform: &Platform| refine(&workflow, platform, &Terms::default(), Plan::Asap, &effort(1_000));
    let none = NoSchedule::NoGang { task: TaskId::new(1), nodes: 3 };
    assert_eq!(refined(&uniform(&[2, 2])), Outcome::Infeasible(none));
    let Outcome::Optimal(refined) = refined(&uniform(&[2, 3])) else { panic!("it fits") };
    assert_eq!(refined.schedule.finish(), time(10));
    let nodes: Vec<u32> = refined.schedule.nodes(TaskId::new(1)).map(NodeId::number).collect();
    assert_eq!(nodes, [2, 3, 4]);
}

#[test]
fn heuristics_and_supports_say_nothing_of_gangs() {
    let workflow = Workflow::new("w", vec![gang(2, 5)], vec![]).unwrap();
    let (platform, terms) = (uniform(&[3]), Terms::default());
    assert_eq!(baseline(&workflow, &platform, &terms, Baseline::Heft), None);
    let refined = refine(&workflow, &platform, &terms, Plan::Asap, &effort(0)).found().unwrap();
    let supports = supporting_schedules(
        &workflow,
        &platform,
        &terms,
        Plan::Asap,
        &refined.schedule,
        &SupportLimits::default(),
    );
    assert_eq!(supports, []);
}

/// A hundred gangs on thirty-two nodes, without a search to the end: the nodes' time bounds what can be had.
#[test]
fn many_gangs_fill_the_nodes() {
    let tasks = (0..100).map(|number| Task {
        name: format!("t{number}"),
        ..gang(1 + number % 8, 1 + i64::from(number * 7 % 5))
    });
    let workflow = Workflow::new("many", tasks.collect(), vec![]).unwrap();
    let (platform, terms) = (uniform(&[16, 16]), Terms::default());
    let outcome = refine(&workflow, &platform, &terms, Plan::Asap, &effort(400_000));
    let refined = found(&workflow, &platform, &terms, outcome).unwrap();
    let time = |task: &Task| task.work.map_or(0, |work| work.as_millis()) * i64::from(task.nodes);
    let all: i64 = workflow.tasks().iter().map(time).sum();
    let (least, is) = (all / 32, refined.schedule.makespan().as_millis());
    assert!(refined.lower_bound.as_millis() >= least && is <= least * 5 / 4, "{is} for {least}");
}
