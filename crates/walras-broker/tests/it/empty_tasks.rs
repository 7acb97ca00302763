//! Workflows whose tasks take no time, through the broker: planned, verified before anything is reserved, run.

use crate::vo::{MINUTE, Vo, at, credits};
use proptest::prelude::*;
use walras_broker::Event;
use walras_broker::event::{CycleEvent, JobEvent};
use walras_broker::job::{Why, WorkflowSpec};
use walras_core::refine::Strategy as Plan;
use walras_model::{Data, Edge, Task, TaskId, Work, Workflow};

/// Tasks of which two in three take no time, and the others ten minutes; most edges carry nothing.
fn workflow() -> impl Strategy<Value = WorkflowSpec> {
    let works = prop::collection::vec(prop::sample::select(vec![0, 0, 10_i64]), 1..=8);
    let draws = prop::collection::vec((0..4_u8, prop::sample::select(vec![0, 0, 20_i64])), 28);
    (works, draws, 0..5_usize).prop_map(|(works, draws, strategy)| {
        let task =
            |(index, work): (usize, i64)| Task::new(&format!("t{index}"), Work::from_millis(work * MINUTE));
        let tasks: Vec<Task> = works.iter().copied().enumerate().map(task).collect();
        let pairs = (0..tasks.len()).flat_map(|to| (0..to).map(move |from| (from, to)));
        let edge = |((from, to), (_, bytes)): ((usize, usize), &(u8, i64))| Edge {
            from: TaskId::from_index(from).unwrap(),
            to: TaskId::from_index(to).unwrap(),
            data: Data::from_bytes(*bytes).unwrap(),
        };
        let edges = pairs.zip(&draws).filter(|(_, (draw, _))| *draw == 0).map(edge).collect();
        let workflow = Workflow::new("mostly empty", tasks, edges).unwrap();
        WorkflowSpec { workflow, strategy: Plan::ALL[strategy], programs: Vec::new() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// No planned schedule is refuted by the planner's own look, none by the broker's last look before it reserves, and all are done.
    #[test]
    fn workflows_of_empty_tasks_are_planned_and_run(flows in prop::collection::vec(workflow(), 1..=2)) {
        let mut vo = Vo::new(&[(2, 1_000), (1, 1_000)]);
        let mut jobs = 0;
        for (number, flow) in flows.into_iter().enumerate() {
            let mut job = vo.job(&format!("flow{number}"), 1, 1);
            job.workflow = Some(flow);
            job.request.deadline = Some(at(350 * MINUTE));
            job.request.budget = Some(credits(400));
            vo.submit(job);
            jobs += 1;
        }
        vo.run_until(400 * MINUTE);
        for event in &vo.events {
            if let Event::Cycle(CycleEvent::Decided { verdict, .. }) = event {
                prop_assert!(verdict.faults.is_empty());
            }
            if let Event::Job(JobEvent::Returned { why: Why::Outdated(wrong), .. }) = event {
                prop_assert!(false, "refuted: {:?}", wrong);
            }
        }
        prop_assert_eq!(vo.broker.state().totals.done, jobs);
    }
}
