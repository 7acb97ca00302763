//! Jobs that wait for others, for their namesakes and for their user's word.

use crate::vo::{MINUTE, Vo, at};
use std::collections::BTreeSet;
use walras_broker::event::{JobEvent, ReservationEvent};
use walras_broker::gate::{Condition, Dependency, Gate, NeverMet, Which};
use walras_broker::id::JobNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobEnd, JobSpec, PartEnd, Phase, Why};
use walras_broker::refusal::BadJob;
use walras_broker::{Broker, Event, Input, Refusal};

fn on(job: JobNumber, condition: Condition) -> Dependency {
    Dependency { on: Which::whole(job), condition }
}

fn after(spec: JobSpec, on: &[Dependency]) -> JobSpec {
    JobSpec { gate: Gate { after: on.iter().copied().collect(), ..Gate::default() }, ..spec }
}

fn refusal(vo: &Vo, spec: JobSpec) -> Refusal {
    let submit = Input::Submit { key: "refused".to_owned(), job: Box::new(spec) };
    vo.broker.decide(at(vo.now), &submit).unwrap_err()
}

fn end_of(vo: &Vo, number: JobNumber) -> Option<JobEnd> {
    vo.events.iter().find_map(|event| match event {
        Event::Job(JobEvent::Ended { job, end }) if *job == number => Some(end.clone()),
        _ => None,
    })
}

fn phase(vo: &Vo, number: JobNumber) -> Option<Phase> {
    vo.broker.state().jobs.get(&number).map(|job| job.phase)
}

/// Fails the first part of a job that runs.
fn fail(vo: &mut Vo, number: JobNumber) {
    let Some(Phase::Reserved(reservation)) = phase(vo, number) else { panic!("job {number} does not run") };
    let end = PartEnd::Failed(3);
    vo.heard(0, SiteMessage::Ended { reservation, part: 0, at: at(vo.now), end, used: None });
}

#[test]
fn each_condition_frees_by_what_it_names_and_by_nothing_else() {
    for well in [true, false] {
        let mut vo = Vo::new(&[(8, 1_000)]);
        let first = vo.submit(vo.job("first", 1, 10));
        let waiting: Vec<(Condition, JobNumber)> = Condition::ALL
            .into_iter()
            .map(|condition| {
                let job = after(vo.job(condition.text(), 1, 5), &[on(first, condition)]);
                (condition, vo.submit(job))
            })
            .collect();
        assert!(waiting.iter().all(|(_, job)| phase(&vo, *job) == Some(Phase::Waiting)));
        vo.run_until(5 * MINUTE);
        let begun = vo.started(first).unwrap();
        for (condition, job) in &waiting {
            assert_eq!(vo.started(*job).is_some(), *condition == Condition::Started, "{condition:?}");
        }
        if !well {
            fail(&mut vo, first);
        }
        vo.run_until(60 * MINUTE);
        for (condition, job) in waiting {
            let start = vo.started(job);
            match (condition, well) {
                (Condition::Started, _) => assert!(start.unwrap() >= begun),
                (Condition::Any, _) | (Condition::Ok, true) | (Condition::Failed, false) => {
                    assert!(start.unwrap() > begun, "{condition:?} {well}");
                    assert_eq!(end_of(&vo, job), Some(JobEnd::Done));
                }
                (Condition::Ok, false) | (Condition::Failed, true) => {
                    let never = Why::NeverMet(on(first, condition));
                    assert_eq!((start, end_of(&vo, job)), (None, Some(JobEnd::GivenUp(never))));
                }
            }
        }
    }
}

#[test]
fn what_can_never_be_ends_a_whole_chain_or_waits_as_the_policy_says() {
    for rule in [NeverMet::Cancel, NeverMet::Wait] {
        let mut vo = Vo::new(&[(2, 1_000)]);
        let policy = walras_broker::policy::Policy { never_met: rule, ..crate::vo::policy() };
        vo.say(Input::SetPolicy(Box::new(policy)));
        let mut chain = vec![vo.submit(vo.job("head", 1, 10))];
        for link in 0..20 {
            let before = *chain.last().unwrap();
            chain.push(vo.submit(after(vo.job(&format!("link-{link}"), 1, 1), &[on(before, Condition::Ok)])));
        }
        let anyhow = vo.submit(after(vo.job("anyhow", 1, 1), &[on(chain[20], Condition::Any)]));
        vo.say(Input::CancelJob { user: "ada".to_owned(), job: chain[0] });
        vo.run_until(30 * MINUTE);
        match rule {
            NeverMet::Cancel => {
                for pair in chain.windows(2) {
                    let never = Why::NeverMet(on(pair[0], Condition::Ok));
                    assert_eq!(end_of(&vo, pair[1]), Some(JobEnd::GivenUp(never)));
                }
                assert_eq!(end_of(&vo, anyhow), Some(JobEnd::Done));
            }
            NeverMet::Wait => {
                let stuck = &vo.broker.state().jobs[&chain[1]];
                assert_eq!(stuck.waits.never, Some(on(chain[0], Condition::Ok)));
                assert!(chain[1..].iter().all(|job| phase(&vo, *job) == Some(Phase::Waiting)));
            }
        }
    }
}

#[test]
fn what_has_ended_can_be_named_and_what_is_not_ones_own_cannot() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    vo.join("eve", None, 100);
    let (done, gone) = (vo.submit(vo.job("done", 1, 1)), vo.submit(vo.job("gone", 1, 1)));
    vo.say(Input::CancelJob { user: "ada".to_owned(), job: gone });
    vo.run_until(10 * MINUTE);
    assert_eq!(end_of(&vo, done), Some(JobEnd::Done));
    let of = |dependency: Dependency| after(vo.job("later", 1, 1), &[dependency]);
    for condition in Condition::ALL {
        let unknown = on(JobNumber::new(77), condition);
        assert_eq!(refusal(&vo, of(unknown)), Refusal::BadJob(BadJob::NoDependency(unknown)));
        let eves = JobSpec { user: "eve".to_owned(), ..of(on(done, condition)) };
        assert_eq!(refusal(&vo, eves), Refusal::BadJob(BadJob::NoDependency(on(done, condition))));
    }
    let element = Dependency { on: Which { job: done, element: Some(3) }, condition: Condition::Ok };
    assert_eq!(refusal(&vo, of(element)), Refusal::BadJob(BadJob::NoElement(element)));
    let never = on(gone, Condition::Ok);
    assert_eq!(refusal(&vo, of(never)), Refusal::BadJob(BadJob::NeverMet(never)));
    let quote = Input::AskQuote {
        key: "quote".to_owned(),
        job: Box::new(of(on(done, Condition::Ok))),
        findings: None,
        hold: None,
    };
    let refused = vo.broker.decide(at(vo.now), &quote).unwrap_err();
    assert_eq!(refused, Refusal::BadJob(BadJob::QuoteWaits));
    let met = vo.submit(of(on(done, Condition::Ok)));
    assert_eq!(phase(&vo, met), Some(Phase::Queued));
}

#[test]
fn a_singleton_runs_alone_and_in_order() {
    let mut vo = Vo::new(&[(8, 1_000)]);
    let jobs: Vec<JobNumber> = (0..4)
        .map(|place| {
            let mut job = vo.job("same", 1, 10);
            job.gate.singleton = place > 0;
            let submit = Input::Submit { key: format!("k{place}"), job: Box::new(job) };
            let Some(walras_broker::Answer::Job(number)) = vo.say(submit) else { panic!("not taken") };
            number
        })
        .collect();
    let other = vo.submit(vo.job("other", 1, 10));
    vo.run_until(15 * MINUTE);
    assert!(vo.started(other).is_some());
    // One that waits and is cancelled lets nobody before its time.
    vo.say(Input::CancelJob { user: "ada".to_owned(), job: jobs[2] });
    vo.run_until(90 * MINUTE);
    let starts: Vec<Option<i64>> = jobs.iter().map(|job| vo.started(*job)).collect();
    assert_eq!(starts[2], None);
    assert!(starts[1].unwrap() >= starts[0].unwrap() + 10 * MINUTE);
    assert!(starts[3].unwrap() >= starts[1].unwrap() + 10 * MINUTE);
}

#[test]
fn a_held_job_waits_for_its_users_word_and_gives_up_at_its_deadline() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let held = |name: &str, vo: &Vo| {
        let mut job = vo.job(name, 1, 5);
        job.gate.held = true;
        job
    };
    let first = vo.submit(held("first", &vo));
    let mut late = held("late", &vo);
    late.request.deadline = Some(at(30 * MINUTE));
    let late = vo.submit(late);
    let then = vo.submit(after(vo.job("then", 1, 5), &[on(late, Condition::Ok)]));
    vo.run_until(20 * MINUTE);
    assert_eq!((vo.started(first), phase(&vo, first)), (None, Some(Phase::Waiting)));
    let release = |user: &str| Input::Release { user: user.to_owned(), job: first };
    let eves = vo.broker.decide(at(vo.now), &release("eve")).unwrap_err();
    assert_eq!(eves, Refusal::NotYours(first));
    vo.say(release("ada"));
    assert_eq!(vo.broker.decide(at(vo.now), &release("ada")).unwrap_err(), Refusal::NotHeld(first));
    vo.run_until(40 * MINUTE);
    assert!(vo.started(first).unwrap() >= 20 * MINUTE);
    assert_eq!(end_of(&vo, late), Some(JobEnd::GivenUp(Why::DeadlinePassed)));
    assert_eq!(end_of(&vo, then), Some(JobEnd::GivenUp(Why::NeverMet(on(late, Condition::Ok)))));
    // What it waited for was not the queue's doing.
    let ranks = vo.events.iter().filter_map(|event| match event {
        Event::Cycle(walras_broker::event::CycleEvent::Opened { batch, .. }) => Some(batch),
        _ => None,
    });
    let mut own = ranks.flatten().filter(|ranked| ranked.job == first);
    assert!(own.all(|ranked| ranked.aspects.waiting < 1_000_000 / 600));
}

/// Whoever is written down and read again in the middle goes on as if nothing had been.
#[test]
fn waits_survive_a_restart() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let first = vo.submit(vo.job("first", 1, 10));
    let second = vo.submit(after(vo.job("second", 1, 5), &[on(first, Condition::Ok)]));
    let mut alone = vo.job("first", 1, 5);
    alone.gate.singleton = true;
    let submit = Input::Submit { key: "alone".to_owned(), job: Box::new(alone) };
    let Some(walras_broker::Answer::Job(alone)) = vo.say(submit) else { panic!("not taken") };
    vo.run_until(5 * MINUTE);
    vo.broker = Broker::from_state(vo.broker.state().clone());
    vo.run_until(60 * MINUTE);
    assert_eq!(end_of(&vo, second), Some(JobEnd::Done));
    assert_eq!(end_of(&vo, alone), Some(JobEnd::Done));
    let starts: BTreeSet<_> = [first, second, alone].iter().map(|job| vo.started(*job).unwrap()).collect();
    assert_eq!(starts.first().copied(), vo.started(first));
    let reserved = |event: &&Event| matches!(event, Event::Reservation(ReservationEvent::Asked { .. }));
    assert_eq!(vo.events.iter().filter(reserved).count(), 3);
}
