//! The queue: nothing starves, nothing is lost, everything has its reason.

use crate::vo::{MINUTE, Vo, at};
use walras_broker::Event;
use walras_broker::event::{CycleEvent, JobEvent};
use walras_broker::job::{JobEnd, Phase, Why};
use walras_model::{Reason, SmallestChange};

#[test]
fn a_wide_job_is_not_starved_by_small_ones() {
    starves_not(crate::vo::policy());
}

#[test]
fn nor_where_jobs_are_promised_something() {
    starves_not(crate::promises::policy());
}

fn starves_not(mut policy: walras_broker::policy::Policy) {
    let mut vo = Vo::new(&[(4, 1_000)]);
    // So little is planned ahead that the wide job cannot simply reserve a far window.
    policy.horizon = crate::vo::span(30 * MINUTE);
    policy.batch_max = 4;
    policy.overdue_after = crate::vo::span(60 * MINUTE);
    vo.say(walras_broker::Input::SetPolicy(Box::new(policy)));
    for number in 0..8 {
        vo.submit(vo.job(&format!("first-{number}"), 1, 12));
    }
    let wide = vo.submit(vo.job("wide", 4, 20));
    for round in 0..200 {
        for number in 0..2 {
            let mut small = vo.job(&format!("small-{round}-{number}"), 1, 12);
            small.request.priority = 5;
            vo.submit(small);
        }
        vo.run_until((round + 1) * 3 * MINUTE);
        if vo.events.iter().any(
            |event| matches!(event, Event::Job(JobEvent::Ended { job, end: JobEnd::Done }) if *job == wide),
        ) {
            return;
        }
    }
    panic!("the wide job never ran: {:?}", vo.broker.state().jobs.get(&wide).and_then(|job| job.why.clone()));
}

/// A job that takes longer than is planned ahead waits until it is taken back, and nobody waits for it, however long that is.
#[test]
fn what_is_too_long_for_every_plan_keeps_nobody_waiting() {
    waits_alone(crate::promises::policy());
}

#[test]
fn nor_where_windows_are_reserved_at_once() {
    waits_alone(crate::vo::policy());
}

fn waits_alone(mut policy: walras_broker::policy::Policy) {
    let mut vo = Vo::new(&[(4, 1_000)]);
    policy.horizon = crate::vo::span(30 * MINUTE);
    policy.overdue_after = crate::vo::span(10 * MINUTE);
    vo.say(walras_broker::Input::SetPolicy(Box::new(policy)));
    let endless = vo.submit(vo.job("endless", 4, 40));
    vo.run_until(20 * MINUTE);
    assert!(vo.broker.state().jobs.contains_key(&endless), "it waits");
    let small = vo.submit(vo.job("small", 1, 5));
    vo.run_until(30 * MINUTE);
    let done = |event: &Event| matches!(event, Event::Job(JobEvent::Ended { job, end: JobEnd::Done }) if *job == small);
    assert!(vo.events.iter().any(done), "{:?}", vo.broker.state().jobs.get(&small));
}

#[test]
fn waiting_outweighs_everything_in_the_end() {
    let mut vo = Vo::new(&[(1, 1_000)]);
    let mut patient = vo.job("patient", 2, 10);
    patient.request.priority = -1_000;
    let patient = vo.submit(patient);
    vo.run_until(4_000 * MINUTE);
    let mut proud = vo.job("proud", 2, 10);
    (proud.request.priority, proud.request.deadline) = (1_000, Some(at(4_100 * MINUTE)));
    vo.submit(proud);
    vo.run_until(4_002 * MINUTE);
    let mut batches = vo.events.iter();
    let batch = batches.find_map(|event| match event {
        Event::Cycle(CycleEvent::Opened { batch, .. }) if batch.len() == 2 => Some(batch),
        _ => None,
    });
    let batch = batch.expect("a cycle with both");
    assert_eq!(batch[0].job, patient, "{batch:#?}");
    assert!(batch[0].overdue && batch[0].aspects.waiting > batch[1].aspects.waiting);
}

#[test]
fn what_does_not_fit_returns_with_its_reason_and_what_would_help() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let wide = vo.submit(vo.job("wide", 3, 10));
    vo.run_until(5 * MINUTE);
    let job = &vo.broker.state().jobs[&wide];
    assert_eq!(job.phase, Phase::Queued);
    assert!(job.returns >= 2);
    let Some(Why::NoFit(explanation)) = &job.why else { panic!("{:?}", job.why) };
    assert_eq!(explanation.smallest_change.tasks, Some(2));
    let change = SmallestChange { tasks: Some(2), ..SmallestChange::default() };
    assert_eq!(explanation.smallest_change, change);
    assert!(
        matches!(explanation.reasons.first(), Some(Reason::TooSlow { nodes: 2, needed: 3, .. })),
        "{explanation:?}"
    );
}

#[test]
fn a_deadline_that_has_passed_ends_the_job() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let mut wide = vo.job("wide", 3, 10);
    wide.request.deadline = Some(at(10 * MINUTE));
    vo.submit(wide);
    vo.run_until(11 * MINUTE);
    assert!(vo.broker.state().jobs.is_empty());
    let given_up = |event: &Event| {
        matches!(event, Event::Job(JobEvent::Ended { end: JobEnd::GivenUp(Why::DeadlinePassed), .. }))
    };
    assert!(vo.events.iter().any(given_up));
}
