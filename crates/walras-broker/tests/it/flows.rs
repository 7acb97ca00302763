//! Workflows: what their strategies mean for the window, how long data takes, and which files are refused.

use crate::vo::{MINUTE, Vo, at, credits, policy, rate};
use walras_broker::event::ReservationEvent;
use walras_broker::job::{JobSpec, Phase, Why, WorkflowSpec};
use walras_broker::policy::{Policy, StrategyUse, TaskStart};
use walras_broker::price::PriceRules;
use walras_broker::program::TaskProgram;
use walras_broker::quoting::Inquiry;
use walras_broker::refusal::BadJob;
use walras_broker::sharing::SharePolicy;
use walras_broker::site::SiteKind;
use walras_broker::{Event, Input, Refusal};
use walras_core::choose::Objective;
use walras_core::refine::Strategy;
use walras_model::workflow::{Link, Network};
use walras_model::{
    Bandwidth, Data, Edge, Requirement, Share, Span, Task, TaskId, Test, Time, Value, Work, Workflow,
};

/// Two tasks of ten minutes, with a hundred gigabytes between them where that is said.
fn chain(vo: &Vo, strategy: Strategy, bytes: i64) -> JobSpec {
    let task = |name: &str| Task::new(name, Work::from_millis(10 * MINUTE));
    let data = Data::from_bytes(bytes).unwrap();
    let edge = Edge { from: TaskId::new(0), to: TaskId::new(1), data };
    let workflow = Workflow::new("chain", ["a", "b"].map(task).to_vec(), vec![edge]).unwrap();
    let mut job = vo.job("flow", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy, programs: Vec::new() });
    job.request.deadline = Some(at(600 * MINUTE));
    job.request.budget = Some(credits(500));
    job
}

/// The first window that is asked for, from start to the end of the last task.
fn window(vo: &Vo) -> (Time, Time) {
    let asked = vo.events.iter().find_map(|event| match event {
        Event::Reservation(ReservationEvent::Asked { allocation, .. }) => Some(allocation.clone()),
        _ => None,
    });
    let asked = asked.expect("a window is asked for");
    (asked.start(), asked.finish())
}

fn planned(strategy: Strategy, strategies: StrategyUse) -> (Time, Time) {
    let mut vo = Vo::new(&[(2, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(Policy { strategies, ..policy() })));
    vo.submit(chain(&vo, strategy, 0));
    vo.run_until(10 * MINUTE);
    window(&vo)
}

#[test]
fn alap_starts_late_and_the_others_do_not() {
    let (start, end) = planned(Strategy::Alap, StrategyUse::Windows);
    assert!(start >= at(570 * MINUTE) && end <= at(600 * MINUTE), "{start} to {end}");
    for strategy in [Strategy::Asap, Strategy::Fastest, Strategy::Cheapest, Strategy::Balanced] {
        let (start, _) = planned(strategy, StrategyUse::Windows);
        assert!(start < at(20 * MINUTE), "{strategy:?}: {start}");
    }
    let (start, _) = planned(Strategy::Alap, StrategyUse::Inside);
    assert!(start < at(20 * MINUTE), "as policies of before have it: {start}");
}

/// Late enough for the deadline is beyond what sites offer: the workflow takes what there is, from the next cycle on.
#[test]
fn alap_that_finds_nothing_late_is_looked_at_like_any_other() {
    for policy in [policy(), crate::promises::policy()] {
        let mut vo = Vo::new(&[(2, 1_000)]);
        vo.say(Input::SetPolicy(Box::new(Policy { strategies: StrategyUse::Windows, ..policy })));
        let mut job = chain(&vo, Strategy::Alap, 0);
        job.request.deadline = Some(at(2_000 * MINUTE));
        let number = vo.submit(job);
        vo.run_until(60 * MINUTE);
        assert!(vo.started(number).is_some(), "it waits: {:?}", vo.broker.state().jobs.get(&number));
    }
}

#[test]
fn data_between_sites_takes_its_time_in_plans() {
    let between_sites =
        Link { latency: Span::ZERO, bandwidth: Bandwidth::from_bytes_per_second(1_000_000_000) };
    let network = Network { within_site: Link::INSTANT, between_sites };
    let mut vo = Vo::new(&[(1, 1_000), (1, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(Policy { network, ..policy() })));
    // Two chains, so that both nodes are used, and a task that waits for both of them.
    let task = |name: &str| Task::new(name, Work::from_millis(10 * MINUTE));
    let data = Data::from_bytes(100_000_000_000).unwrap();
    let edge = |from, to| Edge { from: TaskId::new(from), to: TaskId::new(to), data };
    let tasks = ["a", "b", "c"].map(task).to_vec();
    let workflow = Workflow::new("join", tasks, vec![edge(0, 2), edge(1, 2)]).unwrap();
    let mut job = vo.job("flow", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    vo.submit(job);
    vo.run_until(5 * MINUTE);
    let (start, end) = window(&vo);
    let took = end - start;
    assert_eq!(took, 20 * MINUTE + 100_000, "100 GB at a gigabyte a second are 100 s");
}

#[test]
fn files_that_cannot_be_are_refused() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let task = |inputs: &[&str], outputs: &[&str]| TaskProgram {
        inputs: names(inputs),
        outputs: names(outputs),
        ..TaskProgram::default()
    };
    let refused = |programs: Vec<TaskProgram>| {
        let mut vo = Vo::new(&[(1, 1_000)]);
        let mut job = chain(&vo, Strategy::Asap, 0);
        job.workflow.as_mut().unwrap().programs = programs;
        let now = at(0);
        match vo.broker.handle(now, &Input::Submit { key: "k".into(), job: Box::new(job) }) {
            Err(Refusal::BadJob(why)) => Some(why),
            _ => None,
        }
    };
    assert_eq!(refused(vec![task(&[], &["x"]), task(&["x"], &["y"])]), None);
    let outside = |name: &str| Some(BadJob::OutsideFile(name.to_owned()));
    assert_eq!(refused(vec![task(&[], &["../x"])]), outside("../x"));
    assert_eq!(refused(vec![task(&["/x"], &[])]), outside("/x"));
    assert_eq!(
        refused(vec![task(&[], &["x"]), task(&[], &["x"])]),
        Some(BadJob::WrittenTwice("x".to_owned()))
    );
    let no_source = Some(BadJob::NoSource("x".to_owned()));
    assert_eq!(refused(vec![task(&["x"], &[])]), no_source);
    assert_eq!(refused(vec![task(&["x"], &[]), task(&[], &["x"])]), no_source, "against the edge");
    let many = vec![TaskProgram::default(); 3];
    assert_eq!(refused(many), Some(BadJob::TooManyPrograms { programs: 3, most: 2 }));
}

/// One task after the other, each on a node of another kind: the workflow is one node wide and needs two.
#[test]
fn a_chain_over_nodes_of_two_kinds_is_planned() {
    let mut vo = Vo::new(&[]);
    let half = SharePolicy { workflow_nodes: Share::percent(50), ..SharePolicy::default() };
    vo.say(Input::SetPolicy(Box::new(Policy { sharing: Some(half), ..policy() })));
    for lab in ["east", "west"] {
        vo.attributes = [("lab".to_owned(), Value::Text(lab.to_owned()))].into();
        vo.add_site(SiteKind::Slots, 2, PriceRules::flat(rate(1_000)));
    }
    let task = |name: &str, lab: &str| {
        let test = Test::Equals(Value::Text(lab.to_owned()));
        let requires = vec![Requirement { attribute: "lab".to_owned(), test }];
        Task { requires, ..Task::new(name, Work::from_millis(MINUTE)) }
    };
    let edge = Edge { from: TaskId::new(0), to: TaskId::new(1), data: Data::ZERO };
    let workflow = Workflow::new("far", vec![task("a", "east"), task("b", "west")], vec![edge]).unwrap();
    let mut job = vo.job("far", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    let job = vo.submit(job);
    vo.run_until(30 * MINUTE);
    assert!(!vo.broker.state().jobs.contains_key(&job), "{:?}", vo.broker.state().jobs[&job].why);
    assert_eq!(vo.broker.state().totals.done, 1);
}

/// Of four nodes the workflows of a user have two. The first has both, so that the second is told when these are given back.
#[test]
fn a_workflow_is_told_when_its_users_others_leave_it_nodes() {
    let mut vo = Vo::new(&[]);
    let half = SharePolicy { workflow_nodes: Share::percent(50), ..SharePolicy::default() };
    vo.say(Input::SetPolicy(Box::new(Policy { sharing: Some(half), ..policy() })));
    vo.add_site(SiteKind::Slots, 4, PriceRules::flat(rate(1_000)));
    let wide = |vo: &Vo, name: &str| {
        let tasks = ["a", "b"].map(|name| Task::new(name, Work::from_millis(10 * MINUTE))).to_vec();
        let workflow = Workflow::new(name, tasks, vec![]).unwrap();
        let mut job = vo.job(name, 1, 1);
        job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
        job
    };
    let told = |vo: &Vo| {
        let (state, spec) = (vo.broker.state(), wide(vo, "second"));
        let inquiry = Inquiry::at_once(state, state.clock, &spec).unwrap().expect("there is a market");
        inquiry.search().allocations.iter().map(|(it, _)| it.start()).min().expect("there is a place")
    };
    vo.run_until(MINUTE);
    assert!(told(&vo) < at(3 * MINUTE), "{:?}", told(&vo));
    let first = vo.submit(wide(&vo, "first"));
    vo.say(Input::CycleNow);
    let Phase::Reserved(of) = vo.broker.state().jobs[&first].phase else { panic!("it is reserved") };
    let finish = vo.broker.state().reservations[&of].finish();
    let told = told(&vo);
    assert!(told >= finish, "{told:?} {finish:?}");
    let second = vo.submit(wide(&vo, "second"));
    vo.run_until(finish.as_millis() + MINUTE);
    let Phase::Reserved(of) = vo.broker.state().jobs[&second].phase else { panic!("it is reserved") };
    let start = vo.broker.state().reservations[&of].start();
    assert!(start >= told && start < told.checked_add(Span::from_millis(2 * MINUTE).unwrap()).unwrap());
}

/// No sites yet, and links of a gigabyte a second within them and between them.
fn gigabyte_a_second(task_start: TaskStart) -> Vo {
    let mut vo = Vo::new(&[]);
    let link = Link { latency: Span::ZERO, bandwidth: Bandwidth::from_bytes_per_second(1_000_000_000) };
    let network = Network { within_site: link, between_sites: link };
    vo.say(Input::SetPolicy(Box::new(Policy { task_start, network, ..policy() })));
    vo
}

/// How many minutes it takes until its one job is done.
fn minutes_until_done(vo: &mut Vo) -> i64 {
    let done = |minute: &i64| {
        vo.run_until(minute * MINUTE);
        vo.broker.state().totals.done == 1
    };
    (1..90).find(done).expect("it is done")
}

/// How many minutes two tasks of ten minutes take that need a tenth of that, the second of which reads so many bytes of the first on
/// another site.
fn minutes_until_both_ended(task_start: TaskStart, strategy: Strategy, bytes: i64) -> i64 {
    let mut vo = gigabyte_a_second(task_start);
    let is = |lab: &str| Value::Text(lab.to_owned());
    for lab in ["east", "west"] {
        vo.attributes = [("lab".to_owned(), is(lab))].into();
        vo.add_site(SiteKind::Slots, 1, PriceRules::flat(rate(1_000)));
    }
    vo.takes = 10;
    let task = |(name, lab): (&str, &str)| {
        let requires = vec![Requirement { attribute: "lab".to_owned(), test: Test::Equals(is(lab)) }];
        Task { requires, ..Task::new(name, Work::from_millis(10 * MINUTE)) }
    };
    let data = Data::from_bytes(bytes).unwrap();
    let edge = Edge { from: TaskId::new(0), to: TaskId::new(1), data };
    let workflow =
        Workflow::new("far", [("a", "east"), ("b", "west")].map(task).to_vec(), vec![edge]).unwrap();
    let mut job = vo.job("far", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy, programs: Vec::new() });
    job.request.deadline = Some(at(60 * MINUTE));
    vo.submit(job);
    minutes_until_done(&mut vo)
}

#[test]
fn a_task_begins_when_what_it_waits_for_is_there() {
    let asap = |task_start, bytes| minutes_until_both_ended(task_start, Strategy::Asap, bytes);
    let (ready, planned) = (asap(TaskStart::Ready, 0), asap(TaskStart::Planned, 0));
    assert!((2..=4).contains(&ready), "{ready}");
    assert!((11..=13).contains(&planned), "{planned}");
    // Data is on its way for two minutes.
    assert_eq!(asap(TaskStart::Ready, 120_000_000_000), ready + 2);
    // Who asks to start late has asked for that.
    let late = |task_start| minutes_until_both_ended(task_start, Strategy::Alap, 0);
    assert_eq!(late(TaskStart::Ready), late(TaskStart::Planned));
}

/// How many minutes a task and two side by side before it take that need a tenth of their ten minutes, where it reads 120 GB of one of these
/// on another node of their site: a file, where it is named.
fn minutes_until_all_ended(file: Option<&str>) -> i64 {
    let mut vo = gigabyte_a_second(TaskStart::Ready);
    vo.add_site(SiteKind::Slots, 2, PriceRules::flat(rate(1_000)));
    vo.takes = 10;
    let tasks = ["a", "b", "c"].map(|name| Task::new(name, Work::from_millis(10 * MINUTE))).to_vec();
    let edge = |from| Edge {
        from: TaskId::new(from),
        to: TaskId::new(2),
        data: Data::from_bytes(120_000_000_000).unwrap(),
    };
    let workflow = Workflow::new("join", tasks, [0, 1].map(edge).to_vec()).unwrap();
    let program =
        |inputs: Vec<String>, outputs: Vec<String>| TaskProgram { inputs, outputs, ..TaskProgram::default() };
    let of = |task: &str| file.map(|file| format!("{file}{task}")).into_iter();
    let programs = match file {
        None => Vec::new(),
        Some(_) => vec![
            program(vec![], of("a").collect()),
            program(vec![], of("b").collect()),
            program(of("a").chain(of("b")).collect(), vec![]),
        ],
    };
    let mut job = vo.job("join", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs });
    vo.submit(job);
    minutes_until_done(&mut vo)
}

/// Of a file it is known when it is there; of other data only how long it takes by the plan.
#[test]
fn a_task_waits_for_no_transfer_of_files_that_are_there() {
    assert_eq!(minutes_until_all_ended(None), minutes_until_all_ended(Some("of-")) + 2);
}

/// Of four nodes the workflows of a user have two at a time. One that asks to start late has both in nine hours; another has them until then, one
/// that takes longer waits, and none has them when they are the first one's.
#[test]
fn what_is_reserved_for_later_leaves_nodes_until_then() {
    let mut vo = Vo::new(&[]);
    let half = SharePolicy { workflow_nodes: Share::percent(50), ..SharePolicy::default() };
    vo.say(Input::SetPolicy(Box::new(Policy {
        sharing: Some(half),
        strategies: StrategyUse::Windows,
        ..policy()
    })));
    vo.add_site(SiteKind::Slots, 4, PriceRules::flat(rate(1_000)));
    let wide = |vo: &Vo, name: &str, strategy: Strategy, minutes: i64| {
        let tasks = ["a", "b"].map(|name| Task::new(name, Work::from_millis(minutes * MINUTE))).to_vec();
        let workflow = Workflow::new(name, tasks, vec![]).unwrap();
        let mut job = vo.job(name, 1, 1);
        job.workflow = Some(WorkflowSpec { workflow, strategy, programs: Vec::new() });
        job.request.deadline = (strategy == Strategy::Alap).then(|| at(600 * MINUTE));
        job
    };
    let reserved = |vo: &Vo, job| {
        let Phase::Reserved(of) = vo.broker.state().jobs[&job].phase else { return None };
        let reservation = &vo.broker.state().reservations[&of];
        Some((reservation.start(), reservation.finish(), reservation.holds().count()))
    };
    vo.run_until(MINUTE);
    let late = vo.submit(wide(&vo, "late", Strategy::Alap, 20));
    vo.say(Input::CycleNow);
    let (tonight, _, nodes) = reserved(&vo, late).expect("it has its window");
    assert!(tonight > at(500 * MINUTE) && nodes == 2, "{tonight} {nodes}");
    let told = |vo: &Vo, spec: &JobSpec| {
        let state = vo.broker.state();
        let inquiry = Inquiry::at_once(state, state.clock, spec).unwrap().expect("there is a market");
        let found = inquiry.search().allocations;
        found.into_iter().map(|(it, _)| (it.start(), it.finish())).min().expect("there is a place")
    };
    let spec = wide(&vo, "soon", Strategy::Asap, 30);
    let (_, told_finish) = told(&vo, &spec);
    let soon = vo.submit(spec);
    vo.say(Input::CycleNow);
    let (start, finish, nodes) = reserved(&vo, soon).expect("nobody has the nodes until tonight");
    assert!(start < at(5 * MINUTE) && finish <= told_finish && nodes == 2, "{start} {finish} {nodes}");
    // One more has them between the two.
    let (between, _) = told(&vo, &wide(&vo, "between", Strategy::Asap, 10));
    assert!(between >= finish && between < tonight, "{between}");
    let long = vo.submit(wide(&vo, "long", Strategy::Asap, 700));
    vo.say(Input::CycleNow);
    assert_eq!(reserved(&vo, long), None);
    assert_eq!(vo.broker.state().jobs[&long].why, Some(Why::NodesHad { had: 2, most: 2 }));
    // Its user has the nodes until the second ends, and the third does not end before the first begins.
    vo.run_until(finish.as_millis() + 5 * MINUTE);
    assert_eq!(reserved(&vo, long), None);
}

/// Whatever the strategy, what is said of a workflow before it is submitted is the window that it then gets.
#[test]
fn what_is_said_of_a_workflow_is_what_it_gets() {
    for strategy in [Strategy::Asap, Strategy::Cheapest, Strategy::Balanced, Strategy::Alap] {
        let mut vo = Vo::new(&[]);
        let mut rules = Policy { strategies: StrategyUse::Windows, ..policy() };
        rules.choice.objective = Objective::MinCost;
        vo.say(Input::SetPolicy(Box::new(rules)));
        for (nodes, price) in [(3, 20_000), (3, 10_000), (2, 4_000)] {
            vo.add_site(SiteKind::Slots, nodes, PriceRules::flat(rate(price)));
        }
        let minutes = [1, 2, 3, 3, 4, 4, 5, 5, 6, 1];
        let task = |(index, minutes): (usize, &i64)| {
            Task::new(&format!("t{index}"), Work::from_millis(minutes * MINUTE))
        };
        let tasks: Vec<Task> = minutes.iter().enumerate().map(task).collect();
        let edge = |from, to| Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO };
        let edges = (1..9).flat_map(|middle| [edge(0, middle), edge(middle, 9)]).collect();
        let workflow = Workflow::new("wide", tasks, edges).unwrap();
        let mut job = vo.job("wide", 1, 1);
        job.workflow = Some(WorkflowSpec { workflow, strategy, programs: Vec::new() });
        job.request.deadline = Some(at(120 * MINUTE));
        vo.run_until(MINUTE);
        let state = vo.broker.state();
        let inquiry = Inquiry::at_once(state, state.clock, &job).unwrap().expect("there is a market");
        let found = inquiry.search().allocations;
        let least = found.iter().map(|(it, _)| (it.cost(), it.finish())).min().expect("there is a place");
        let number = vo.submit(job);
        vo.say(Input::CycleNow);
        let Phase::Reserved(of) = vo.broker.state().jobs[&number].phase else { panic!("{strategy:?}") };
        let reserved = &vo.broker.state().reservations[&of];
        let cost: walras_model::Money = reserved.holds().map(|(_, hold)| hold.cost).sum();
        assert_eq!(cost, least.0, "{strategy:?}");
        // Sites are asked once more before it is planned.
        let later = reserved.finish() - least.1;
        assert!((0..2 * MINUTE).contains(&later), "{strategy:?}: {later}");
    }
}

/// Tasks keep their order on a node: one that is ready does not pass another that is not.
#[test]
fn a_task_that_is_ready_passes_nobody_on_its_node() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(Policy { task_start: TaskStart::Ready, ..policy() })));
    vo.takes = 10;
    // Three levels of two tasks, each of which waits for both before it.
    let task = |name: &str| Task::new(name, Work::from_millis(10 * MINUTE));
    let tasks = ["a1", "a2", "b1", "b2", "c1", "c2"].map(task).to_vec();
    let edge = |from: u32, to: u32| Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO };
    let edges = (0..2).flat_map(|level| {
        let all = [(0, 2), (0, 3), (1, 2), (1, 3)];
        all.map(|(from, to)| edge(from + 2 * level, to + 2 * level))
    });
    let workflow = Workflow::new("levels", tasks, edges.collect()).unwrap();
    let mut job = vo.job("levels", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    let job = vo.submit(job);
    vo.run_until(6 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1, "{:?}", vo.broker.state().jobs.get(&job));
}
