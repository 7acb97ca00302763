//! The one planner: what it keeps, whom it leaves out, and the reasons that it gives.

use walras_core::SearchConfig;
use walras_core::choose::{LeaveOut, Limit, Objective, VoPolicy};
use walras_core::plan::{
    BatchChoice, BatchJob, BatchPlan, BatchProblem, LeftOut, MadeChoice, NoChoice, PlanLimits, PlanScheme,
    Proven, QueueUse, Unstated, plan_batch, trade_off,
};
use walras_core::prefer::{
    AccessRule, Aggregation, Criterion, Preference, QueueOffer, Quota, Source, Stakeholders, Weighted, Who,
};
use walras_core::refine::Strategy;
use walras_model::offer::{Node, Site, slots_of_node};
use walras_model::workflow::{Edge, Task};
use walras_model::{
    Attributes, Batch, Data, Interval, JobId, Money, NodeId, Offers, Performance, Rate, Reason, Request,
    SiteId, Span, TaskId, Time, Work, Workflow,
};

fn at(seconds: i64) -> Time {
    Time::from_millis(seconds * 1_000).unwrap()
}

fn span(seconds: i64) -> Span {
    Span::from_millis(seconds * 1_000).unwrap()
}

fn rate(credits: i64) -> Rate {
    Rate::from_micros_per_second(credits * 1_000_000).unwrap()
}

/// A site for each of these, with one node at that price, free until so many seconds.
fn offers(nodes: &[(i64, i64)]) -> Offers {
    let horizon = Interval::new(at(0), at(1_000)).unwrap();
    let site = |index: usize| Site { name: format!("s{index}") };
    let node = |index: u32| Node {
        division: Default::default(),
        name: "n".into(),
        site: SiteId::new(index),
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
    };
    let slots = nodes.iter().zip(0..).flat_map(|((price, until), index)| {
        let free = Interval::new(at(0), at(*until)).unwrap();
        slots_of_node(NodeId::new(index), rate(*price), &[free]).unwrap()
    });
    let count = u32::try_from(nodes.len()).unwrap();
    let sites = (0..nodes.len()).map(site).collect();
    Offers::new(horizon, sites, (0..count).map(node).collect(), slots.collect()).unwrap()
}

/// Jobs of one task each: work in seconds, and priority.
fn batch(jobs: &[(i64, i64)]) -> Batch {
    let job = |(index, (work, priority)): (usize, &(i64, i64))| {
        let mut request = Request::new(&format!("j{index}"), 1, Work::from_millis(work * 1_000).unwrap());
        request.priority = *priority;
        request
    };
    Batch::new(jobs.iter().enumerate().map(job).collect())
}

fn queue(units: u32) -> QueueOffer {
    QueueOffer {
        name: "q".into(),
        site: SiteId::new(0),
        wait: span(5),
        performance: Performance::ONE,
        rate: rate(1),
        units: Some(units),
        watts: None,
        attributes: Attributes::new(),
    }
}

fn policy(objective: Objective) -> VoPolicy {
    VoPolicy { objective, ..VoPolicy::default() }
}

fn made(plan: &BatchPlan) -> &MadeChoice {
    match &plan.choice {
        BatchChoice::Made(made) => made,
        other => panic!("nothing was chosen: {other:?}"),
    }
}

fn served(plan: &BatchPlan) -> Vec<u32> {
    plan.served.iter().map(|served| served.job.number()).collect()
}

fn left_out(plan: &BatchPlan) -> Vec<(u32, LeftOut)> {
    plan.left_out.iter().map(|(job, why)| (job.number(), *why)).collect()
}

#[test]
fn quotas_are_kept_by_dropping_the_lowest_priority() {
    let (offers, batch) = (offers(&[(2, 1_000)]), batch(&[(100, 1), (100, 9), (100, 5)]));
    let mut stakeholders = Stakeholders::plain(&offers, &batch);
    stakeholders.rules[0].quotas = vec![(Who::Everybody, Quota::Jobs(2))];
    let (search, policy) = (SearchConfig::default(), policy(Objective::MinCost));
    let problem = BatchProblem {
        stakeholders: Some(&stakeholders),
        ..BatchProblem::new(&offers, &batch, &search, &policy)
    };
    let plan = plan_batch(&problem);
    assert_eq!((served(&plan), left_out(&plan)), (vec![1, 2], vec![(0, LeftOut::Quota)]));
    let choice = made(&plan);
    assert_eq!((choice.proven, &choice.over_quota[..]), (Proven::Nothing, &[JobId::new(0)][..]));
    assert_eq!((choice.totals.served, choice.totals.cost), (2, 400_000_000));
    assert_eq!(choice.compromise.as_ref().unwrap().unserved, 1);
    let never = VoPolicy { leave_out: LeaveOut::Never, ..policy.clone() };
    let plan = plan_batch(&BatchProblem { policy: &never, ..problem });
    assert_eq!(plan.choice, BatchChoice::None(NoChoice::SomebodyLeftOut));
    assert_eq!((plan.served.len(), plan.left_out.len()), (0, 3));
}

#[test]
fn everybody_is_served_or_told_why_not() {
    let offers = offers(&[(2, 200), (3, 50)]);
    let batch = batch(&[(100, 3), (400, 2), (100, 1)]);
    let mut stakeholders = Stakeholders::plain(&offers, &batch);
    // Nobody but j0 and j1 may use the first site, and the second is free for too short a time.
    let allow = |name: &str| AccessRule { who: Who::User(name.into()), allow: true, hours: None };
    stakeholders.rules[0].access = vec![allow("j0"), allow("j1")];
    let (search, policy) = (SearchConfig::default(), policy(Objective::MinTime));
    let problem = BatchProblem {
        stakeholders: Some(&stakeholders),
        ..BatchProblem::new(&offers, &batch, &search, &policy)
    };
    let plan = plan_batch(&problem);
    assert_eq!(served(&plan), [0]);
    assert_eq!(left_out(&plan), [(1, LeftOut::NoWindow), (2, LeftOut::NoWindow)]);
    assert_eq!(plan.batch.requests()[2].scope.sites, Some(vec![SiteId::new(1)]));
    let plan = plan_batch(&BatchProblem { choose: false, ..problem });
    assert_eq!((&plan.choice, plan.served.len(), plan.left_out.len()), (&BatchChoice::Unwanted, 0, 0));
}

#[test]
fn a_given_limit_leaves_no_room() {
    let (offers, batch) = (offers(&[(2, 1_000)]), batch(&[(100, 1), (100, 2)]));
    let search = SearchConfig::default();
    for objective in [Objective::MinCost, Objective::Satisfaction] {
        let policy = VoPolicy { time_limit: Limit::Given(span(150)), ..policy(objective) };
        let plan = plan_batch(&BatchProblem::new(&offers, &batch, &search, &policy));
        assert_eq!((plan.served.len(), plan.left_out.len()), (1, 1), "{policy:?}");
        assert_eq!((plan.left_out[0].1, made(&plan).limits.time), (LeftOut::NoRoom, Some(150_000)));
    }
    let policy = VoPolicy {
        time_limit: Limit::Given(span(50)),
        leave_out: LeaveOut::Never,
        ..policy(Objective::MinCost)
    };
    let plan = plan_batch(&BatchProblem::new(&offers, &batch, &search, &policy));
    let BatchChoice::None(NoChoice::Combination(_, limits)) = &plan.choice else { panic!("{plan:?}") };
    assert_eq!(limits.time, Some(50_000));
}

#[test]
fn an_overdue_job_comes_first_and_is_made_room_for() {
    let batch = batch(&[(300, 2), (100, 1)]);
    let (now, open) = (offers(&[(2, 200)]), offers(&[(2, 1_000)]));
    let (search, policy) = (SearchConfig::default(), policy(Objective::MinCost));
    let overdue = [BatchJob { overdue: true, ..BatchJob::default() }, BatchJob::default()];
    let problem = BatchProblem { jobs: &overdue, ..BatchProblem::new(&now, &batch, &search, &policy) };
    // The long job does not fit what is left; as long as it cannot be helped, the other runs.
    assert_eq!(served(&plan_batch(&problem)), [1]);
    let plan = plan_batch(&BatchProblem { open: Some(&open), ..problem });
    assert_eq!(served(&plan), Vec::<u32>::new());
    assert_eq!(left_out(&plan), [(0, LeftOut::NoWindow), (1, LeftOut::MakingRoom(JobId::new(0)))]);
    // Where only one can be served, it is the one that is overdue, whatever its priority.
    let last = [BatchJob::default(), BatchJob { overdue: true, ..BatchJob::default() }];
    let tight = VoPolicy { time_limit: Limit::Given(span(300)), ..policy.clone() };
    for (jobs, first) in [(&[][..], 0), (&last[..], 1)] {
        let problem = BatchProblem { jobs, ..BatchProblem::new(&open, &batch, &search, &tight) };
        assert_eq!(served(&plan_batch(&problem)), [first]);
    }
}

#[test]
fn queues_take_jobs_where_they_may() {
    let (offers, batch) = (offers(&[(9, 1_000)]), batch(&[(100, 1), (100, 2)]));
    let mut stakeholders = Stakeholders::plain(&offers, &batch);
    stakeholders.queues = vec![queue(1)];
    let search = SearchConfig::default();
    let queued = |objective, queues| {
        let policy = VoPolicy { time_limit: Limit::Unlimited, ..policy(objective) };
        let problem = BatchProblem {
            stakeholders: Some(&stakeholders),
            queues,
            scheme: PlanScheme::Papers,
            ..BatchProblem::new(&offers, &batch, &search, &policy)
        };
        let plan = plan_batch(&problem);
        let taken = |it: &&walras_core::plan::Served| it.run.source == Source::Queue(0);
        (plan.served.iter().filter(taken).map(|it| it.job.number()).collect::<Vec<_>>(), plan)
    };
    assert_eq!(queued(Objective::MinCost, QueueUse::BySatisfaction).0, Vec::<u32>::new());
    assert_eq!(queued(Objective::Satisfaction, QueueUse::BySatisfaction).0.len(), 1);
    // Both would go to the cheap queue, which has room for one: the lower priority goes back.
    let (taken, plan) = queued(Objective::MinCost, QueueUse::Always);
    assert_eq!((taken, left_out(&plan)), (vec![1], vec![(0, LeftOut::Quota)]));
    assert_eq!(made(&plan).totals.served, 0, "a queue guarantees nothing");
}

fn chain() -> Workflow {
    let task = |name: &str| Task::new(name, Work::from_millis(50_000));
    let edge = Edge { from: TaskId::new(0), to: TaskId::new(1), data: Data::ZERO };
    Workflow::new("chain", vec![task("a"), task("b")], vec![edge]).unwrap()
}

#[test]
fn workflows_are_sized_placed_and_kept_from_queues() {
    let (offers, batch) = (offers(&[(2, 400), (3, 400)]), batch(&[(1, 1)]));
    let workflow = chain();
    let mut stakeholders = Stakeholders::plain(&offers, &batch);
    stakeholders.queues = vec![queue(9)];
    let (search, policy) = (SearchConfig::default(), policy(Objective::Satisfaction));
    let jobs = [BatchJob { workflow: Some((&workflow, Strategy::Asap)), ..BatchJob::default() }];
    let limits = PlanLimits { spares_max: 2, supports: true, ..PlanLimits::default() };
    let problem = BatchProblem {
        stakeholders: Some(&stakeholders),
        jobs: &jobs,
        limits,
        ..BatchProblem::new(&offers, &batch, &search, &policy)
    };
    let plan = plan_batch(&problem);
    assert!(plan.batch.requests()[0].work > batch.requests()[0].work && !plan.sizes[0].is_empty());
    let job = &plan.served[0];
    assert!(matches!(job.run.source, Source::Window(_)));
    let tasks = job.run.tasks.as_ref().unwrap();
    assert_eq!(tasks.refined.schedule.placements().len(), 2);
    assert_eq!(job.spares.len(), 2, "so many windows are kept ready");
    assert!(job.spares.iter().all(|spare| spare.tasks.is_some() && spare.source != job.run.source));
    // Where its owner keeps the user out, the size is that of a window which can be had.
    let mut closed = stakeholders.clone();
    closed.rules[0].access = vec![AccessRule { who: Who::User("somebody".into()), allow: true, hours: None }];
    let plan = plan_batch(&BatchProblem { stakeholders: Some(&closed), ..problem });
    let Source::Window(place) = plan.served[0].run.source else { panic!("{plan:?}") };
    let nodes = plan.found.found[place].window.placements().iter().map(|it| it.node.number());
    assert_eq!(nodes.collect::<Vec<_>>(), [1]);
    assert!(
        plan.sizes[0]
            .iter()
            .filter_map(|size| size.fit)
            .all(|fit| fit.cost >= Money::from_micros(300_000_000))
    );
}

/// Alone it would take both nodes; what goes before it leaves one of them.
#[test]
fn a_workflow_takes_another_size_where_others_leave_that() {
    let (offers, batch) = (offers(&[(2, 200), (3, 200)]), batch(&[(200, 9), (1, 1)]));
    let task = |name: &str| Task::new(name, Work::from_millis(50_000));
    let workflow = Workflow::new("pair", vec![task("a"), task("b")], Vec::new()).unwrap();
    let (search, policy) = (SearchConfig::default(), policy(Objective::MinCost));
    let jobs = [
        BatchJob::default(),
        BatchJob { workflow: Some((&workflow, Strategy::Asap)), ..BatchJob::default() },
    ];
    for scheme in [PlanScheme::Papers, PlanScheme::Improved] {
        let problem =
            BatchProblem { jobs: &jobs, scheme, ..BatchProblem::new(&offers, &batch, &search, &policy) };
        let plan = plan_batch(&problem);
        assert_eq!(served(&plan), [0, 1], "{scheme:?}");
        assert_eq!(plan.batch.requests()[1].tasks, 1);
    }
    let alone = batch.requests()[1..].to_vec();
    let alone = Batch::new(alone);
    let problem = BatchProblem { jobs: &jobs[1..], ..BatchProblem::new(&offers, &alone, &search, &policy) };
    assert_eq!(plan_batch(&problem).batch.requests()[0].tasks, 2);
}

#[test]
fn workflows_that_no_window_holds_have_a_reason() {
    let (offers, batch) = (offers(&[(2, 60)]), batch(&[(1, 1)]));
    let workflow = chain();
    let (search, policy) = (SearchConfig::default(), policy(Objective::MinCost));
    let jobs = [BatchJob { workflow: Some((&workflow, Strategy::Asap)), ..BatchJob::default() }];
    let problem = BatchProblem { jobs: &jobs, ..BatchProblem::new(&offers, &batch, &search, &policy) };
    let plan = plan_batch(&problem);
    assert_eq!(left_out(&plan), [(0, LeftOut::NoWindow)]);
    assert!(!plan.found.unscheduled[0].explanation.reasons.contains(&Reason::NotExamined));
}

#[test]
fn criteria_that_nothing_says_anything_of_are_refused_or_passed_over() {
    let (offers, batch) = (offers(&[(2, 1_000)]), batch(&[(100, 1), (100, 2)]));
    let mut stakeholders = Stakeholders::plain(&offers, &batch);
    let memory = Preference::new(vec![Weighted::new(Criterion::Memory, 1)], Aggregation::CRITERIA).unwrap();
    for wish in &mut stakeholders.jobs {
        wish.preference = memory.clone();
    }
    let (search, policy) = (SearchConfig::default(), policy(Objective::MinCost));
    let problem = BatchProblem {
        stakeholders: Some(&stakeholders),
        ..BatchProblem::new(&offers, &batch, &search, &policy)
    };
    let plan = plan_batch(&problem);
    assert_eq!(plan.choice, BatchChoice::None(NoChoice::Wishes));
    let error = plan.negotiation.unwrap().unwrap_err().to_string();
    assert_eq!(error, "job j0: no alternative says anything of memory, which is weighed");
    let plan = plan_batch(&BatchProblem { unstated: Unstated::LeaveOut, ..problem });
    assert_eq!(served(&plan), [0, 1]);
    // What else is weighed still counts: the dear and early one is refused by who wants it cheap, whatever is not known of memory.
    let weights = vec![Weighted::new(Criterion::Memory, 9), Weighted::new(Criterion::Cost, 1)];
    let cheap = Preference::new(weights, Aggregation::CRITERIA).unwrap();
    let only = cheap.without(&Criterion::Memory).unwrap();
    let losses = |preference: &Preference, unstated| {
        let mut stakeholders = stakeholders.clone();
        for wish in &mut stakeholders.jobs {
            wish.preference = preference.clone();
        }
        let plan = plan_batch(&BatchProblem { stakeholders: Some(&stakeholders), unstated, ..problem });
        plan.negotiation.unwrap().unwrap().problem
    };
    assert_eq!(losses(&cheap, Unstated::LeaveOut), losses(&only, Unstated::Refuse));
}

#[test]
fn a_front_is_over_the_same_negotiation() {
    let (offers, batch) = (offers(&[(2, 1_000), (9, 1_000)]), batch(&[(100, 1), (200, 2)]));
    let (search, policy) = (SearchConfig::default(), policy(Objective::Satisfaction));
    let problem =
        BatchProblem { scheme: PlanScheme::Papers, ..BatchProblem::new(&offers, &batch, &search, &policy) };
    let plan = plan_batch(&problem);
    let (points, complete) =
        trade_off(&problem, &plan, [&Criterion::Cost, &Criterion::Finish], 100).unwrap().unwrap();
    assert!(complete && points.len() > 1);
    assert!(points.windows(2).all(|pair| pair[0].x < pair[1].x && pair[0].y > pair[1].y));
    // Nobody was asked: there is nothing to trade off.
    let cheap = VoPolicy { objective: Objective::MinCost, ..policy.clone() };
    let problem = BatchProblem { policy: &cheap, ..problem };
    assert!(trade_off(&problem, &plan_batch(&problem), [&Criterion::Cost, &Criterion::Finish], 9).is_none());
}
