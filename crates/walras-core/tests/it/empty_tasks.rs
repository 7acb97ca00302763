//! Tasks that take no time, edges without data, equal times, and terms that only just suffice: through every strategy and through the
//! planner of batches.

use crate::random::{interval, time};
use proptest::prelude::*;
use std::collections::BTreeMap;
use walras_core::SearchConfig;
use walras_core::choose::VoPolicy;
use walras_core::plan::{BatchJob, BatchProblem, PlanLimits, plan_batch};
use walras_core::prefer::Source;
use walras_core::refine::{Baseline, RefineEffort, Strategy as Plan, TaskSchedule, baseline, refine};
use walras_model::offer::slots_of_node;
use walras_model::workflow::Terms;
use walras_model::*;
use walras_verify::tasks::{ClaimedTask, TaskClaim, TaskViolation, verify_tasks};

const END: i64 = 300;

/// Tasks of which two in three take no time, and the others 5 or 10 ms; most edges carry nothing.
pub fn mostly_empty(tasks: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Workflow> {
    let works = prop::collection::vec(prop::sample::select(vec![0, 0, 0, 0, 5, 10_i64]), tasks);
    let draws = prop::collection::vec((0..8_u8, prop::sample::select(vec![0, 0, 0, 20_i64])), 300);
    (works, draws).prop_map(|(works, draws)| {
        let task = |(index, work): (usize, i64)| Task::new(&format!("t{index}"), Work::from_millis(work));
        let tasks: Vec<Task> = works.iter().copied().enumerate().map(task).collect();
        let pairs = (0..tasks.len()).flat_map(|to| (0..to).map(move |from| (from, to)));
        let edges = pairs.zip(&draws).filter(|(_, (draw, _))| *draw == 0);
        let edge = |((from, to), (_, bytes)): ((usize, usize), &(u8, i64))| Edge {
            from: TaskId::from_index(from).unwrap(),
            to: TaskId::from_index(to).unwrap(),
            data: Data::from_bytes(*bytes).unwrap(),
        };
        Workflow::new("mostly empty", tasks.clone(), edges.map(edge).collect()).unwrap()
    })
}

/// Nodes of equal or double speed on two sites, with gaps that begin and end where tasks do.
fn offers() -> impl Strategy<Value = Offers> {
    let gaps = prop::collection::vec((0..12_i64, 1..3_i64), 0..3);
    let node = (0..2_u32, 1..=2_i64, 1..3_i64, gaps);
    prop::collection::vec(node, 1..=4).prop_map(|drawn| {
        let (mut nodes, mut slots) = (Vec::new(), Vec::new());
        for (index, (site, speed, rate, gaps)) in drawn.into_iter().enumerate() {
            let taken: Vec<Interval> =
                gaps.iter().map(|(start, length)| interval(5 * start, 5 * (start + length))).collect();
            let free = walras_model::interval::complement(interval(0, END), &taken);
            let rate = Rate::from_micros_per_second(1_000 * rate).unwrap();
            slots.extend(slots_of_node(NodeId::from_index(index).unwrap(), rate, &free).unwrap());
            nodes.push(Node {
                division: Default::default(),
                name: format!("n{index}"),
                site: SiteId::new(site),
                performance: Performance::from_millionths(1_000_000 * speed).unwrap(),
                watts: None,
                attributes: BTreeMap::new(),
            });
        }
        let sites = vec![Site { name: "a".into() }, Site { name: "b".into() }];
        Offers::new(interval(0, END), sites, nodes, slots).unwrap()
    })
}

/// Links that take no time, or 5 ms for the 20 bytes that an edge may carry.
fn network() -> impl Strategy<Value = Network> {
    let link = || {
        (0..2_i64, any::<bool>()).prop_map(|(latency, slow)| Link {
            latency: Span::from_millis(5 * latency).unwrap(),
            bandwidth: slow.then(|| Bandwidth::from_bytes_per_second(4_000)).flatten(),
        })
    };
    (link(), link()).prop_map(|(within_site, between_sites)| Network { within_site, between_sites })
}

/// What the verifier says of a schedule.
pub fn violations(
    schedule: &TaskSchedule,
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
) -> Vec<TaskViolation> {
    let task = |placement: &walras_core::refine::TaskPlacement| {
        let lane = platform.lanes.iter().find(|lane| lane.node == placement.node).unwrap();
        ClaimedTask {
            others: Vec::new(),
            task: workflow.task(placement.task).name.clone(),
            site: lane.site_name.clone(),
            node: lane.name.clone(),
            part: placement.part,
            start: placement.start,
            end: placement.end,
            cost: placement.cost,
        }
    };
    let claim = TaskClaim { tasks: schedule.placements().iter().map(task).collect(), cost: schedule.cost() };
    verify_tasks(&claim, workflow, platform, terms)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Deadlines at HEFT's end and at the least end there can be, budgets at the least cost: whatever is planned holds at once, and
    /// nothing has to stand in for it.
    #[test]
    fn every_strategy_plans_what_holds(
        (workflow, offers, network) in (mostly_empty(1..=18), offers(), network()),
        (late, dear, seed) in (-1..2_i64, 0..2_i64, 0..1_000_u64),
    ) {
        let platform = Platform::of_offers(&offers, network);
        let free = Terms::default();
        let effort = RefineEffort { units_max: 30_000, proof_units_max: 100_000, labels_max: 8, seed };
        let Some(early) = baseline(&workflow, &platform, &free, Baseline::Heft) else { return Ok(()) };
        let cheap = refine(&workflow, &platform, &free, Plan::Cheapest, &effort).found().unwrap();
        let best = refine(&workflow, &platform, &free, Plan::Asap, &effort).found().unwrap();
        let budget = Money::from_micros(cheap.schedule.cost().as_micros() + dear);
        for end in [early.finish(), best.schedule.finish(), cheap.schedule.finish()] {
            let deadline = time((end.as_millis() + late).max(0));
            for terms in [
                Terms { deadline: Some(deadline), ..free },
                Terms { deadline: Some(deadline), budget: Some(budget), ..free },
                Terms { earliest: Some(time(5)), ..free },
            ] {
                for strategy in Plan::ALL {
                    let Some(ours) = refine(&workflow, &platform, &terms, strategy, &effort).found() else { continue };
                    prop_assert_eq!(&ours.fault, &None, "{}", strategy);
                    prop_assert_eq!(violations(&ours.schedule, &workflow, &platform, &terms), vec![]);
                    prop_assert!(ours.lower_bound <= ours.schedule.makespan());
                }
            }
        }
    }

    /// Two workflows in a batch, each by any strategy and with a deadline or none: every job is served or left out, and tasks of those
    /// that are served hold in their windows.
    #[test]
    fn batches_with_such_workflows_are_planned(
        workflows in prop::collection::vec((mostly_empty(1..=12), 0..5_usize, prop::option::of(1..40_i64)), 1..=2),
        (offers, network) in (offers(), network()),
    ) {
        let request = |(index, (_, _, deadline)): (usize, &(Workflow, usize, Option<i64>))| {
            let mut request = Request::new(&format!("j{index}"), 1, Work::from_millis(1).unwrap());
            request.deadline = deadline.map(|fives| time(5 * fives));
            request
        };
        let batch = Batch::new(workflows.iter().enumerate().map(request).collect());
        let jobs: Vec<BatchJob<'_>> = workflows
            .iter()
            .map(|(workflow, strategy, _)| BatchJob { workflow: Some((workflow, Plan::ALL[*strategy])), ..BatchJob::default() })
            .collect();
        let (search, policy) = (SearchConfig::default(), VoPolicy::default());
        let limits = PlanLimits { refine_units_max: 20_000, spares_max: 1, supports: true, ..PlanLimits::default() };
        let problem = BatchProblem { jobs: &jobs, network, limits, ..BatchProblem::new(&offers, &batch, &search, &policy) };
        let plan = plan_batch(&problem);
        prop_assert_eq!(plan.served.len() + plan.left_out.len(), workflows.len());
        for served in &plan.served {
            let (workflow, _, deadline) = &workflows[served.job.index()];
            let terms = Terms { deadline: deadline.map(|fives| time(5 * fives)), ..Terms::default() };
            for run in std::iter::once(&served.run).chain(&served.spares) {
                let (Source::Window(place), Some(tasks)) = (run.source, &run.tasks) else { continue };
                let platform = Platform::of_window(&offers, &plan.found.found[place].window, network);
                prop_assert_eq!(&tasks.refined.fault, &None);
                prop_assert_eq!(violations(&tasks.refined.schedule, workflow, &platform, &terms), vec![]);
            }
        }
    }
}
