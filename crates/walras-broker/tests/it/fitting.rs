//! What could never run, and what each node may cost at most.

use crate::vo::{MINUTE, Vo, at, rate};
use walras_broker::Input;
use walras_broker::fitting::{Fitting, UnmetTask, fitting, fitting_for_ever, is_never_met, unmet_task};
use walras_broker::id::JobNumber;
use walras_broker::input::{Answer, SiteMessage};
use walras_broker::job::{JobSearch, JobSpec, Phase, Why, WorkflowSpec};
use walras_broker::site::SiteKind;
use walras_core::Algorithm;
use walras_core::refine::Strategy;
use walras_model::{
    Data, Edge, Fixed, Interval, NodeId, Performance, Reason, Requirement, Scope, SiteId, Task, TaskId, Test,
    Value, Work, Workflow,
};

#[test]
fn what_needs_more_nodes_than_fit_can_never_run() {
    let vo = Vo::new(&[(2, 1_000), (3, 1_000)]);
    let state = vo.broker.state();
    let never = |job: &JobSpec| is_never_met(job, &fitting(state, job));
    assert_eq!(
        fitting(state, &vo.job("a", 1, 1)),
        [(0, 2), (1, 3)].map(|(site, nodes)| Fitting { site: SiteId::new(site), nodes: Some(nodes) })
    );
    assert!(!never(&vo.job("a", 5, 1)) && never(&vo.job("a", 6, 1)));
    let mut together = vo.job("a", 4, 1);
    together.request.scope = Scope { same_site: true, ..Scope::default() };
    assert!(never(&together));
    let mut there = vo.job("a", 3, 1);
    there.request.scope.sites = Some(vec![SiteId::new(0)]);
    assert!(never(&there));
    let mut fast = vo.job("a", 1, 1);
    fast.request.performance_min = Performance::from_millionths(1_000_001).unwrap();
    assert!(never(&fast));
    let mut gpu = vo.job("a", 1, 1);
    gpu.request.requires =
        vec![Requirement { attribute: "gpu".into(), test: Test::Equals(Value::Flag(true)) }];
    assert!(never(&gpu));
}

/// No plan has a window for what takes longer than is planned ahead; a queue has no plan.
#[test]
fn what_takes_longer_than_is_planned_ahead_can_never_run() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let ahead = vo.broker.state().policy.horizon.as_millis() / MINUTE;
    let (long, short) = (vo.job("a", 1, ahead), vo.job("a", 1, ahead - 1));
    let never = |vo: &Vo, job: &JobSpec| is_never_met(job, &fitting(vo.broker.state(), job));
    assert_eq!((never(&vo, &long), never(&vo, &short)), (true, false));
    assert!(!is_never_met(&long, &fitting_for_ever(vo.broker.state(), &long)));
    vo.add_site(Vo::queue_kind(), 0, walras_broker::price::PriceRules::flat(rate(1)));
    assert!(!never(&vo, &long));
}

#[test]
fn a_queue_is_as_large_as_it_says_later() {
    let mut vo = Vo::new(&[]);
    vo.add_site(Vo::queue_kind(), 0, walras_broker::price::PriceRules::flat(rate(1)));
    let job = vo.job("a", 1_000, 1);
    assert!(!is_never_met(&job, &fitting(vo.broker.state(), &job)));
}

/// A cheap site that is busy for two hours, and one that costs nine times as much.
fn market() -> Vo {
    let mut vo = Vo::new(&[(1, 1_000), (1, 9_000)]);
    let interval = Interval::new(at(0), at(120 * MINUTE)).unwrap();
    vo.heard(0, SiteMessage::Taken { node: NodeId::new(0), interval });
    vo
}

fn capped(vo: &Vo, name: &str) -> JobSpec {
    let search = Some(JobSearch { algorithm: Algorithm::Alp, alternatives: 1 });
    let mut job = JobSpec { search, ..vo.job(name, 1, 10) };
    // Twice as much as the cheap site asks for.
    job.request.price_max = Some(rate(2_000));
    job
}

#[test]
fn no_node_costs_more_than_a_job_that_caps_it_wants() {
    let mut vo = market();
    let job = capped(&vo, "capped");
    let number: JobNumber = vo.submit(job);
    vo.say(Input::CycleNow);
    let state = vo.broker.state();
    let Phase::Reserved(of) = state.jobs[&number].phase else { panic!("it is reserved") };
    assert_eq!(state.reservations[&of].legs[0].site, SiteId::new(0));
}

#[test]
fn a_cap_that_alone_is_too_low_is_named_with_what_would_do() {
    let mut vo = Vo::new(&[(1, 9_000)]);
    let job = capped(&vo, "capped");
    let number: JobNumber = vo.submit(job);
    vo.say(Input::CycleNow);
    let state = vo.broker.state();
    let Some(Why::NoFit(why)) = &state.jobs[&number].why else { panic!("{:?}", state.jobs[&number].why) };
    assert_eq!(why.smallest_change.price_max, Some(rate(9_000)));
    assert_eq!(why.reasons, [Reason::PriceCapTooLow { price_max: rate(2_000), needed: rate(9_000) }]);
}

#[test]
fn a_quote_keeps_the_cap_in_every_alternative() {
    let mut vo = market();
    vo.say(Input::CycleNow);
    let job = Box::new(capped(&vo, "capped"));
    let asked = Input::AskQuote { key: "q".to_owned(), job, findings: None, hold: None };
    let Some(Answer::Quote(quote)) = vo.say(asked) else { panic!("no quote") };
    let options = &vo.broker.state().quotes[&quote].options;
    assert!(!options.is_empty());
    assert!(options.iter().all(|option| option.sites == [SiteId::new(0)]), "{options:#?}");
}

#[test]
fn a_task_that_no_node_does_for_is_named() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let of = |vo: &Vo, change: &dyn Fn(&mut Vec<Task>)| {
        let mut tasks = ["a", "b"].map(|name| Task::new(name, Work::from_millis(MINUTE))).to_vec();
        change(&mut tasks);
        let workflow = Workflow::new("w", tasks, vec![]).unwrap();
        let mut job = vo.job("w", 1, 1);
        job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
        match unmet_task(vo.broker.state(), &job) {
            None => None,
            Some(UnmetTask::Alone(task, alone)) => Some((task, alone.request.requires.len(), true)),
            Some(UnmetTask::NotOnOneSite(task)) => Some((task, 0, false)),
            Some(UnmetTask::InTurn(_)) => panic!("no task waits for another"),
        }
    };
    let b = |asked: usize| Some(("b".to_owned(), asked, true));
    assert_eq!(of(&vo, &|_| ()), None);
    // Nodes that state no cores and no memory have as many as anybody wants.
    assert_eq!(of(&vo, &|tasks| tasks[1].cores = 64), None);
    let ahead = vo.broker.state().policy.horizon.as_millis();
    assert_eq!(of(&vo, &|tasks| tasks[1].work = Work::from_millis(ahead + MINUTE)), b(0));
    let eight = Value::Number(Fixed::from_millionths(8_000_000));
    vo.attributes =
        [("cores", eight.clone()), ("memory_gb", eight)].map(|(name, of)| (name.to_owned(), of)).into();
    let small = vo.add_site(SiteKind::Slots, 3, walras_broker::price::PriceRules::flat(rate(1_000)));
    let here = |tasks: &mut Vec<Task>| tasks[0].requires = vec![at_least("cores", 8)];
    assert_eq!(of(&vo, &|tasks| tasks[1].cores = 64), None, "the first site states none");
    vo.say(Input::RemoveSite(SiteId::new(0)));
    assert_eq!(of(&vo, &|tasks| tasks[1].cores = 8), None);
    assert_eq!(of(&vo, &|tasks| tasks[1].cores = 9), b(1));
    assert_eq!(of(&vo, &|tasks| tasks[1].memory = Data::from_bytes(8_000_000_000)), None);
    assert_eq!(of(&vo, &|tasks| tasks[1].memory = Data::from_bytes(8_000_000_001)), b(1));
    // A gang's window is on one site, and so all others of its tasks must be there.
    vo.attributes = [("gpu".to_owned(), Value::Flag(true))].into();
    vo.add_site(SiteKind::Slots, 1, walras_broker::price::PriceRules::flat(rate(1_000)));
    let gpu = Requirement { attribute: "gpu".into(), test: Test::Equals(Value::Flag(true)) };
    let apart = |tasks: &mut Vec<Task>| {
        here(tasks);
        tasks[1].requires = vec![gpu.clone()];
    };
    assert_eq!(of(&vo, &apart), None, "{small:?}");
    let gang = |tasks: &mut Vec<Task>| {
        apart(tasks);
        tasks[0].nodes = 2;
    };
    assert_eq!(of(&vo, &gang), Some(("b".to_owned(), 0, false)));
}

/// Each task is planned ahead by itself; one after the other they end later than anything is planned.
#[test]
fn tasks_in_turn_that_no_window_is_long_enough_for_are_named() {
    let vo = Vo::new(&[(2, 1_000)]);
    let ahead = vo.broker.state().policy.horizon;
    let of = |millis: i64, chained: bool| {
        let tasks = ["a", "b", "c"].map(|name| Task::new(name, Work::from_millis(millis))).to_vec();
        let edge =
            |from: u32, to: u32| Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO };
        let edges = if chained { vec![edge(0, 2), edge(2, 1)] } else { Vec::new() };
        let workflow = Workflow::new("w", tasks, edges).unwrap();
        let mut job = vo.job("w", 1, 1);
        job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
        match unmet_task(vo.broker.state(), &job) {
            None => None,
            Some(UnmetTask::InTurn(long)) => Some(long),
            Some(UnmetTask::Alone(task, _) | UnmetTask::NotOnOneSite(task)) => panic!("{task} by itself"),
        }
    };
    let third = ahead.as_millis() / 3 + 1;
    assert_eq!(of(third, false), None);
    assert_eq!(of(third - MINUTE, true), None);
    let long = of(third, true).expect("it is too long");
    assert_eq!((long.task.as_str(), long.ends.as_millis(), long.most), ("b", 3 * third, ahead));
}

fn at_least(attribute: &str, least: i64) -> Requirement {
    let test = Test::Range { min: Some(Fixed::from_millionths(least * 1_000_000)), max: None };
    Requirement { attribute: attribute.to_owned(), test }
}
