//! What history says of jobs, and what it does not touch.

use crate::vo::{MINUTE, Vo, at, policy, rate, span};
use walras_broker::id::QuoteNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{Job, JobSearch, JobSpec};
use walras_broker::policy::{FinishBy, Policy, PredictionPolicy};
use walras_broker::price::PriceRules;
use walras_broker::quote::{Confidence, QuoteOption};
use walras_broker::refusal::BadJob;
use walras_broker::site::SiteKind;
use walras_broker::{Answer, Input, Refusal};
use walras_core::prefer::{Aggregation, Criterion, Direction, Preference, Weighted};
use walras_core::{Algorithm, Criterion as Summed};
use walras_model::{Interval, NodeId, Performance, Share, SiteId};

/// A VO in which jobs of ten minutes have run, one after the other, each for this share of its time.
fn lived(jobs: i64, takes: i64) -> Vo {
    let mut vo = Vo::new(&[(1, 1_000)]);
    vo.takes = takes;
    for number in 0..jobs {
        vo.submit(vo.job(&format!("j{number}"), 1, 10));
        vo.run_until((number + 1) * 20 * MINUTE);
    }
    assert_eq!(vo.broker.state().totals.done, u64::try_from(jobs).unwrap());
    vo
}

fn quoted(vo: &mut Vo, job: JobSpec) -> QuoteOption {
    vo.say(Input::CycleNow);
    let key = format!("quote-{}", job.request.name);
    let ask = Input::AskQuote { key, job: Box::new(job), findings: None, hold: None };
    let Some(Answer::Quote(quote)) = vo.say(ask) else { panic!("no quote") };
    let quote: QuoteNumber = quote;
    vo.broker.state().quotes[&quote].options.first().expect("there is free time").clone()
}

fn there(vo: &Vo, number: walras_broker::id::JobNumber) -> &Job {
    vo.broker.state().jobs.get(&number).expect("it has not ended")
}

fn weighing(criterion: Criterion) -> Preference {
    let weights = vec![Weighted::new(criterion, 1), Weighted::new(Criterion::Cost, 1)];
    Preference::new(weights, Aggregation::CRITERIA).unwrap()
}

#[test]
fn a_short_job_is_judged_by_its_share_of_the_time_it_asks_for() {
    let mut vo = lived(3, 50);
    let mut short = vo.job("short", 1, 10);
    short.request.work = walras_model::Work::from_millis(100_000).unwrap();
    let Confidence { expected, at_least, jobs, .. } = quoted(&mut vo, short).confidence.unwrap();
    // Three of three kept to what they asked for, and half a job is added to both sides.
    assert_eq!((at_least, jobs), (Share::of_whole(7, 8), 3));
    assert!(expected <= span(100_000), "{expected}");
    // Before shares were learnt, such a job was said to end in time with a probability of 0.
    vo.say(Input::SetPolicy(Box::new(Policy { predictions: None, ..policy() })));
    let mut before = vo.job("before", 1, 10);
    before.request.work = walras_model::Work::from_millis(100_000).unwrap();
    let before = quoted(&mut vo, before).confidence;
    assert!(before.is_none_or(|it| it.at_least == Share::NOTHING && it.nine_in_ten.is_none()), "{before:?}");
}

#[test]
fn what_is_said_of_a_job_when_it_comes_is_held_against_what_happens() {
    let mut vo = lived(12, 50);
    let number = vo.submit(vo.job("next", 1, 10));
    let expected = there(&vo, number).expected.unwrap();
    // The first two were expected by nobody, or by their estimate, of which they took half.
    assert!(expected.expected >= span(5 * MINUTE) && expected.expected < span(6 * MINUTE), "{expected:?}");
    assert!(expected.nine_in_ten.is_some_and(|bound| bound >= expected.expected), "{expected:?}");
    let before = vo.broker.state().history.calibration();
    assert!(before.announced > 0 && before.announced < 12, "{before:?}");
    let now = vo.now;
    vo.run_until(now + 20 * MINUTE);
    let after = vo.broker.state().history.calibration();
    assert_eq!((after.announced, after.bounded), (before.announced + 1, before.bounded + 1));
    assert_eq!(after.bound_held, before.bound_held + 1);
    // It waited as long as those before it.
    assert!(vo.broker.state().waits.calibration().announced > 0);
}

#[test]
fn criteria_of_which_nothing_is_known_are_refused_and_the_others_weighed() {
    let vo = lived(1, 50);
    let mut job = vo.job("sure", 1, 10);
    for criterion in [
        Criterion::LikelyFinish,
        Criterion::FinishDeviation,
        Criterion::FinishMax,
        Criterion::FinishError,
        Criterion::SpareTime,
        Criterion::Energy,
        Criterion::Memory,
    ] {
        job.preference = Some(weighing(criterion.clone()));
        let input = Input::Submit { key: "sure".to_owned(), job: Box::new(job.clone()) };
        let refused = vo.broker.decide(at(vo.now), &input);
        assert_eq!(refused, Err(Refusal::BadJob(BadJob::UnknownOfJobs(criterion))));
    }
    // Nor is it searched by what no node states.
    job.preference = None;
    for (search, criterion) in [
        (Summed::Energy, Criterion::Energy),
        (Summed::Attribute("noise".to_owned()), Criterion::Attribute("noise".to_owned(), Direction::Less)),
    ] {
        job.search = Some(JobSearch { algorithm: Algorithm::Criterion(search), alternatives: 1 });
        let input = Input::Submit { key: "sure".to_owned(), job: Box::new(job.clone()) };
        let refused = vo.broker.decide(at(vo.now), &input);
        assert_eq!(refused, Err(Refusal::BadJob(BadJob::UnknownOfJobs(criterion))));
    }
    let mut vo = lived(3, 50);
    let mut job = vo.job("sure", 1, 10);
    for criterion in [Criterion::LikelyFinish, Criterion::FinishDeviation, Criterion::FinishMax] {
        job.preference = Some(weighing(criterion.clone()));
        job.request.name = format!("sure-{criterion}");
        let option = quoted(&mut vo, job.clone());
        assert!(option.confidence.is_some_and(|it| it.spread.is_some()), "{option:?}");
    }
}

/// What a quote says of a slow and cheap node that is free now, and of a fast and dear one that is free in six minutes: which one suits
/// whom depends on how long the job runs.
fn slow_and_fast(finish_by: FinishBy) -> (Share, Share) {
    let mut vo = lived(4, 10);
    vo.performance = Performance::from_millionths(4_000_000).unwrap();
    vo.add_site(SiteKind::Slots, 1, PriceRules::flat(rate(9_000)));
    let predictions = Some(PredictionPolicy { finish_by });
    vo.say(Input::SetPolicy(Box::new(Policy { predictions, ..policy() })));
    let interval = Interval::new(at(vo.now), at(vo.now + 6 * MINUTE)).unwrap();
    vo.heard(1, SiteMessage::Taken { node: NodeId::new(1), interval });
    vo.say(Input::CycleNow);
    let job = Box::new(vo.job("next", 1, 10));
    let ask = Input::AskQuote { key: "next".to_owned(), job, findings: None, hold: None };
    let Some(Answer::Quote(quote)) = vo.say(ask) else { panic!("no quote") };
    let options = &vo.broker.state().quotes[&quote].options;
    let by =
        |site: u32| options.iter().find(|option| option.sites == [SiteId::new(site)]).unwrap().satisfaction;
    // What is promised does not depend on it: the fast one has ended first in any case.
    assert_eq!((options.len(), options[0].sites[0]), (2, SiteId::new(1)));
    (by(0), by(1))
}

#[test]
fn alternatives_are_judged_by_when_they_are_likely_to_end_where_the_policy_asks_for_it() {
    // By their estimates one is the cheaper and the other the earlier.
    let (slow, fast) = slow_and_fast(FinishBy::Estimate);
    // The job takes a tenth of what it asks for: the slow one has ended before the fast one begins, and is cheaper.
    let (likely_slow, likely_fast) = slow_and_fast(FinishBy::Prediction);
    assert!(likely_slow > slow && likely_fast <= fast, "{slow:?} {fast:?} {likely_slow:?} {likely_fast:?}");
}

#[test]
fn a_queue_is_taken_at_its_word_until_it_has_shown_how_long_it_keeps_jobs() {
    let mut vo = Vo::new(&[]);
    let queue = vo.add_site(Vo::queue_kind(), 0, PriceRules::flat(rate(10)));
    vo.wait = 30 * MINUTE;
    let wait =
        |vo: &Vo| vo.broker.state().site(queue).map(|site| site.queue_wait(span(30 * MINUTE))).unwrap();
    assert_eq!(wait(&vo), span(30 * MINUTE));
    for number in 0..4 {
        vo.submit(vo.job(&format!("j{number}"), 1, 10));
        vo.run_until((number + 1) * 60 * MINUTE);
    }
    assert_eq!(vo.broker.state().totals.done, 4);
    // The sites of these tests start what they are sent at once, and it is sent when its wait should have ended.
    let learnt = vo.broker.state().site(SiteId::new(0)).unwrap().waits.jobs();
    assert_eq!(learnt, 4);
    assert!(wait(&vo) < span(30 * MINUTE), "{}", wait(&vo));
}
