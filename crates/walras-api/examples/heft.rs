//! Our task schedules beside HEFT's on a folder of workflows: `cargo run --release -p walras-api --example heft -- DIR [UNITS [FOLDER [NODES]]]`.
//!
//! Every file below DIR whose name a workflow file may have is placed on 8, 16 and 64 nodes in three networks, once on nodes of
//! different speeds and once with run times of its own for every task on every node, as the authors of HEFT draw them. The
//! makespans go to standard output line by line, the means come last. Every schedule is verified. Into FOLDER go the instances of at
//! most 60 tasks as plain numbers, for `scripts/cp_sat.py` and other solvers. With NODES, 8, 16 or 64, only that many are looked at.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for measuring: fixed inputs, a table"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use walras_api::{WorkflowFormat, read_workflow};
use walras_core::refine::{Baseline, RefineEffort, Strategy, baseline, refine, task_claim};
use walras_model::workflow::Terms;
use walras_model::{
    Attributes, Bandwidth, Interval, Lane, Link, Network, NodeId, Performance, Platform, Rate, SiteId, Span,
    Time, Workflow,
};
use walras_verify::tasks::verify_tasks;

/// A network: its name, how many sites there are, and bytes a second and latency within and between them.
type NetworkCase = (&'static str, u32, (i64, i64), (i64, i64));

const NETWORKS: [NetworkCase; 3] = [
    ("one-site", 1, (125_000_000, 0), (125_000_000, 0)),
    ("four-sites", 4, (125_000_000, 0), (12_500_000, 50)),
    ("slow", 4, (12_500_000, 0), (1_250_000, 500)),
];
const NODES: [u32; 3] = [8, 16, 64];

/// How nodes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nodes {
    /// In speed, from 0.5 to 4: a node that is fast is fast for every task.
    Speeds,
    /// Task by task: a run time between 0.5 and 1.5 times the task's own for every node (Topcuoglu, Hariri and Wu 2002, β = 1).
    Tasks,
}

const KINDS: [(&str, Nodes); 2] = [("speeds", Nodes::Speeds), ("tasks", Nodes::Tasks)];
/// One for every kind of nodes, network and number of nodes.
const GROUPS: usize = KINDS.len() * NETWORKS.len() * NODES.len();

/// What a group stands for.
fn group_of(group: usize) -> (&'static str, Nodes, NetworkCase, u32) {
    let (kind, rest) = (group / (NETWORKS.len() * NODES.len()), group % (NETWORKS.len() * NODES.len()));
    (KINDS[kind].0, KINDS[kind].1, NETWORKS[rest / NODES.len()], NODES[rest % NODES.len()])
}

/// What one workflow on one platform came to, in milliseconds.
#[derive(Clone, Copy)]
struct Row {
    group: usize,
    heft: i64,
    rival: i64,
    ours: i64,
    bound: i64,
    seconds: f64,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| ".".into());
    let units_max = args
        .next()
        .map_or(RefineEffort::default().units_max, |units| units.parse().expect("a number of units"));
    let effort = RefineEffort { units_max, ..RefineEffort::default() };
    let numbers = args.next();
    let only: Option<u32> = args.next().map(|nodes| nodes.parse().expect("a number of nodes"));
    let groups: Vec<usize> =
        (0..GROUPS).filter(|group| only.is_none_or(|only| group_of(*group).3 == only)).collect();
    let workflows = workflows(Path::new(&folder));
    let rows = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((name, workflow)) = workflows.get(at / groups.len()) else { return };
                    let row = measure(name, workflow, groups[at % groups.len()], &effort, numbers.as_deref());
                    rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{} workflows", workflows.len());
    for group in groups.iter().copied() {
        let (kind, _, place, nodes) = group_of(group);
        summary(&rows, &format!("{kind} {} {nodes}", place.0), |it| it == group);
    }
    for (name, kind) in KINDS {
        summary(&rows, name, |group| group_of(group).1 == kind);
    }
    summary(&rows, "all", |_| true);
}

/// All workflows below a folder, by name.
fn workflows(folder: &Path) -> Vec<(String, Workflow)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            found.extend(workflows(&path));
        } else if let Ok(format) = WorkflowFormat::of_path(&path) {
            let name = path.display().to_string();
            match read_workflow(&std::fs::read(&path).unwrap(), &name, format) {
                Ok(workflow) => found.push((path.file_name().unwrap().display().to_string(), workflow)),
                Err(error) => println!("left out: {error}"),
            }
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

/// The same workflow with a run time of its own for every task that has none, on every node.
fn drawn(workflow: &Workflow, nodes: u32) -> Workflow {
    let mut tasks = workflow.tasks().to_vec();
    for (number, task) in (0_u64..).zip(&mut tasks) {
        let Some(work) = task.work.filter(|_| task.estimates.is_empty()) else { continue };
        for node in 0..nodes {
            let permille = 500 + i64::try_from(mixed(number << 32 | u64::from(node)) % 1_001).unwrap();
            let millis = (work.as_millis() * permille / 1_000).max(1);
            task.estimates.insert(format!("n{node}"), Span::from_millis(millis).unwrap());
        }
    }
    Workflow::new(workflow.name(), tasks, workflow.edges().to_vec()).unwrap()
}

/// A number that looks random and follows from another (the end of SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Nodes of speeds 0.5 to 4, or all of speed 1.
fn platform((_, sites, near, far): NetworkCase, kind: Nodes, nodes: u32) -> Platform {
    let speed = |number: u32| match kind {
        Nodes::Speeds => 500_000 * i64::from(number * 5 % 8 + 1),
        Nodes::Tasks => 1_000_000,
    };
    let time = |millis| Time::from_millis(millis).unwrap();
    let lane = |number: u32| Lane {
        part: 0,
        node: NodeId::new(number),
        name: format!("n{number}"),
        site: SiteId::new(number % sites),
        site_name: format!("s{}", number % sites),
        performance: Performance::from_millionths(speed(number)).unwrap(),
        rate: Rate::from_micros_per_second(1_000_000).unwrap(),
        free: vec![Interval::new(time(0), time(1_000_000_000_000)).unwrap()],
        attributes: Attributes::new(),
    };
    let link = |(bytes, latency)| Link {
        latency: Span::from_millis(latency).unwrap(),
        bandwidth: Bandwidth::from_bytes_per_second(bytes),
    };
    Platform {
        lanes: (0..nodes).map(lane).collect(),
        network: Network { within_site: link(near), between_sites: link(far) },
    }
}

fn measure(
    name: &str,
    workflow: &Workflow,
    group: usize,
    effort: &RefineEffort,
    numbers: Option<&str>,
) -> Row {
    let (named, kind, place, nodes) = group_of(group);
    let (platform, terms) = (platform(place, kind, nodes), Terms::default());
    let workflow = &if kind == Nodes::Tasks { drawn(workflow, nodes) } else { workflow.clone() };
    let of = |kind| baseline(workflow, &platform, &terms, kind).unwrap().makespan().as_millis();
    let began = Instant::now();
    let ours = refine(workflow, &platform, &terms, Strategy::Asap, effort).found().unwrap();
    let seconds = began.elapsed().as_secs_f64();
    let violations =
        verify_tasks(&task_claim(&ours.schedule, workflow, &platform), workflow, &platform, &terms);
    assert!(violations.is_empty(), "{name}: {violations:?}");
    let row = Row {
        group,
        heft: of(Baseline::Heft),
        rival: Baseline::ALL.map(of).into_iter().min().unwrap(),
        ours: ours.schedule.makespan().as_millis(),
        bound: ours.lower_bound.as_millis(),
        seconds,
    };
    let (tasks, Row { heft, rival, ours, bound, .. }) = (workflow.tasks().len(), row);
    println!("{named} {} {nodes} {name} {tasks} {heft} {rival} {ours} {bound} {seconds:.3}", place.0);
    if let Some(folder) = numbers.filter(|_| tasks <= 60) {
        let path = Path::new(folder).join(format!("{named}-{}-{nodes}-{name}.txt", place.0));
        std::fs::write(path, in_numbers(workflow, &platform, &row)).unwrap();
    }
    row
}

/// An instance in plain numbers, all times in milliseconds: tasks, nodes, edges, our makespan and our bound; the site of every node; by
/// task, its run time on every node; by edge, its ends and how long its data takes within a site and between sites.
fn in_numbers(workflow: &Workflow, platform: &Platform, row: &Row) -> String {
    let joined = |numbers: Vec<String>| numbers.join(" ") + "\n";
    let sizes =
        [workflow.tasks().len(), platform.lanes.len(), workflow.edges().len()].map(|it| it.to_string());
    let mut text = format!("{} {} {}\n", sizes.join(" "), row.ours, row.bound);
    text += &joined(platform.lanes.iter().map(|lane| lane.site.number().to_string()).collect());
    for task in workflow.tasks() {
        let on = |lane: &Lane| match (task.estimates.get(&lane.name), task.work) {
            (Some(span), _) => span.as_millis(),
            (None, Some(work)) => work.runtime_on(lane.performance).unwrap().as_millis(),
            (None, None) => 0,
        };
        text += &joined(platform.lanes.iter().map(|lane| on(lane).to_string()).collect());
    }
    for edge in workflow.edges() {
        let time = |link: Link| link.time_for(edge.data).unwrap().as_millis();
        let (near, far) = (time(platform.network.within_site), time(platform.network.between_sites));
        text += &format!("{} {} {near} {far}\n", edge.from.number(), edge.to.number());
    }
    text
}

/// Means over the rows of some groups.
fn summary(rows: &[Row], named: &str, wanted: impl Fn(usize) -> bool) {
    let rows: Vec<&Row> = rows.iter().filter(|row| wanted(row.group)).collect();
    let mean = |of: &dyn Fn(&Row) -> f64| {
        let (sum, count) = rows.iter().fold((0.0, 0.0), |(sum, count), row| (sum + of(row), count + 1.0));
        sum / count
    };
    let share = |of: i64, whole: i64| f64::from_millis(of) / f64::from_millis(whole.max(1));
    println!(
        "{named}: ours/heft {:.4} bound/heft {:.4} heft at bound {} ours at bound {} ours above best {} mean {:.2} s worst {:.2} s",
        mean(&|row| share(row.ours, row.heft)),
        mean(&|row| share(row.bound, row.heft)),
        rows.iter().filter(|row| row.heft <= row.bound).count(),
        rows.iter().filter(|row| row.ours <= row.bound).count(),
        rows.iter().filter(|row| row.ours > row.rival).count(),
        mean(&|row| row.seconds),
        rows.iter().map(|row| row.seconds).fold(0.0, f64::max),
    );
}

/// Milliseconds as a number with a point.
trait FromMillis {
    fn from_millis(millis: i64) -> f64;
}

impl FromMillis for f64 {
    #[allow(clippy::cast_precision_loss, reason = "a makespan has far fewer than 52 bits")]
    fn from_millis(millis: i64) -> f64 {
        millis as f64
    }
}
