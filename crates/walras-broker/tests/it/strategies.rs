//! Strategies that the VO gives to workflows whose users ask for none.

use crate::vo::{MINUTE, Vo, at, credits, policy, rate};
use std::collections::BTreeSet;
use walras_broker::id::JobNumber;
use walras_broker::job::{JobSpec, WorkflowSpec};
use walras_broker::journal::{Replay, Scope, basis_of};
use walras_broker::policy::{Policy, StrategyUse};
use walras_broker::quoting::Inquiry;
use walras_broker::strategy_rule::{StrategyBy, StrategyRule, WeeklyHours};
use walras_broker::{Answer, Input};
use walras_core::prefer::Who;
use walras_core::refine::Strategy;
use walras_model::{Task, Work, Workflow};

const HOUR: i64 = 60 * MINUTE;

/// Two tasks of ten minutes, of which nobody says how they are placed.
fn flow(vo: &Vo, name: &str, budget: i64) -> JobSpec {
    let task = |name: &str| Task::new(name, Work::from_millis(10 * MINUTE));
    let workflow = Workflow::new("pair", ["a", "b"].map(task).to_vec(), vec![]).unwrap();
    let mut job = vo.job(name, 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    job.strategy_by = StrategyBy::Nobody;
    (job.request.budget, job.request.deadline) = (Some(credits(budget)), Some(at(vo.now + 5 * HOUR)));
    job
}

fn rule(strategy: Strategy) -> StrategyRule {
    StrategyRule { who: Who::Everybody, hours: None, budget_from: None, budget_below: None, strategy }
}

/// The dear at once, cheap ones by night, everybody else as late as can be.
fn rules() -> Vec<StrategyRule> {
    let night = WeeklyHours::new([true; 7], 20 * HOUR, 8 * HOUR);
    vec![
        StrategyRule { budget_from: Some(rate(100_000)), ..rule(Strategy::Asap) },
        StrategyRule { hours: night, ..rule(Strategy::Cheapest) },
        StrategyRule { who: Who::Group("physics".into()), ..rule(Strategy::Balanced) },
        rule(Strategy::Alap),
    ]
}

fn vo_with(give_strategies: Vec<StrategyRule>) -> Vo {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let strategies = StrategyUse::Windows;
    vo.say(Input::SetPolicy(Box::new(Policy { strategies, give_strategies, sharing: None, ..policy() })));
    vo
}

fn given(vo: &Vo, job: JobNumber) -> (Strategy, StrategyBy) {
    let spec = &vo.broker.state().jobs[&job].spec;
    (spec.workflow.as_ref().unwrap().strategy, spec.strategy_by)
}

#[test]
fn the_first_rule_that_fits_decides_when_it_is_submitted() {
    let mut vo = vo_with(rules());
    vo.join("carl", Some("physics"), 1_000);
    let by = StrategyBy::Rule;
    let mut got = Vec::new();
    for hour in [1, 12, 21] {
        vo.run_until(hour * HOUR);
        for (user, budget) in [("ada", 119), ("ada", 120), ("carl", 5)] {
            let job = JobSpec { user: user.into(), ..flow(&vo, &format!("{user}-{budget}-{hour}"), budget) };
            let number = vo.submit(job);
            got.push(given(&vo, number));
        }
    }
    // 1200 s of work: 0.1 credits for each second of it are 120 credits.
    let (dear, night) = ((Strategy::Asap, by(0)), (Strategy::Cheapest, by(1)));
    let (group, late) = ((Strategy::Balanced, by(2)), (Strategy::Alap, by(3)));
    assert_eq!(got, [night, dear, night, late, dear, group, night, dear, night]);
}

#[test]
fn who_asks_for_a_strategy_has_it_and_what_a_rule_needs_is_not_asked_of_anybody() {
    let mut vo = vo_with(vec![rule(Strategy::Alap)]);
    let mut own = flow(&vo, "own", 5);
    own.strategy_by = StrategyBy::User;
    let own = vo.submit(own);
    assert_eq!(given(&vo, own), (Strategy::Asap, StrategyBy::User));
    let mut open = flow(&vo, "open", 5);
    open.request.deadline = None;
    let open = vo.submit(open);
    assert_eq!(given(&vo, open), (Strategy::Asap, StrategyBy::Nobody));
    let mut plain = vo_with(Vec::new());
    let number = plain.submit(flow(&plain, "plain", 5));
    assert_eq!(given(&plain, number), (Strategy::Asap, StrategyBy::Nobody));
}

/// An array has one budget for all of its elements, so that each has its part of it.
#[test]
fn an_array_is_as_dear_as_its_elements() {
    let mut vo = vo_with(rules());
    vo.run_until(12 * HOUR);
    let mut two = flow(&vo, "two", 239);
    two.array = Some("1-2".parse().unwrap());
    let cheap = vo.submit(two.clone());
    two.request.name = "dear".into();
    two.request.budget = Some(credits(240));
    let dear = vo.submit(two);
    let of = |number: JobNumber| vo.broker.state().arrays[&number].spec.strategy_by;
    assert_eq!((of(cheap), of(dear)), (StrategyBy::Rule(3), StrategyBy::Rule(0)));
}

#[test]
fn a_strategy_that_was_given_chooses_the_window_and_replays_to_the_same() {
    let [dear, .., late] = <[StrategyRule; 4]>::try_from(rules()).unwrap();
    let mut vo = vo_with(vec![dear, late]);
    let late = vo.submit(flow(&vo, "late", 5));
    vo.run_until(5 * MINUTE);
    let dear = vo.submit(flow(&vo, "dear", 200));
    vo.say(Input::SetPolicy(Box::new(Policy {
        give_strategies: Vec::new(),
        ..(*vo.broker.state().policy).clone()
    })));
    vo.run_until(24 * HOUR);
    let starts = [dear, late].map(|job| vo.started(job).expect("it has run"));
    assert!(starts[0] < 30 * MINUTE && starts[1] > 4 * HOUR, "{starts:?}");
    // Told again, under rules that are others by now, it is the same job.
    let again = flow(&vo_with(Vec::new()), "late", 5);
    let told = vo.say(Input::Submit { key: "late".into(), job: Box::new(again) });
    assert_eq!(told, Some(Answer::Job(late)));
    let bases: BTreeSet<u64> = vo.entries.iter().filter_map(basis_of).map(|(_, basis)| basis).collect();
    let mut replay = Replay::new(bases);
    for entry in &vo.entries {
        assert_eq!(replay.entry(entry, Scope::All), None, "{entry:?}");
    }
    assert_eq!(replay.broker().state(), vo.broker.state());
}

#[test]
fn a_quote_has_the_strategy_of_when_it_was_asked_for() {
    let mut vo = vo_with(rules());
    vo.run_until(8 * HOUR - 1_000);
    let job = Box::new(flow(&vo, "quoted", 50));
    let asked = Input::AskQuote { key: "q".into(), job: job.clone(), findings: None, hold: None };
    let Some(Answer::Quote(quote)) = vo.say(asked.clone()) else { panic!("no quote") };
    let spec = vo.broker.state().quotes[&quote].spec.clone();
    assert_eq!(spec.strategy_by, StrategyBy::Rule(1));
    vo.run_until(8 * HOUR + 1_000);
    assert_eq!(vo.say(asked), Some(Answer::Quote(quote)), "the same request");
    let accept = Input::Accept { user: Some("ada".into()), key: "yes".into(), quote, option: 0 };
    let Some(Answer::Accepted { job, .. }) = vo.say(accept) else { panic!("not accepted") };
    assert_eq!(given(&vo, job), (Strategy::Cheapest, StrategyBy::Rule(1)));
    let number = vo.submit(flow(&vo, "later", 50));
    assert_eq!(given(&vo, number), (Strategy::Alap, StrategyBy::Rule(3)));
}

#[test]
fn the_same_again_is_what_was_asked_for() {
    let mut vo = vo_with(rules());
    let job = flow(&vo, "flow", 5);
    let number = vo.submit(job.clone());
    let kept = vo.broker.state().jobs[&number].spec.clone();
    assert_ne!(*kept, job);
    assert_eq!((kept.as_asked(), kept.digest()), (job.clone(), job.digest()));
    // Policies and jobs of before, written and read again, are as they were.
    let text = serde_json::to_string(&Policy::default()).unwrap();
    assert!(!text.contains("give_strategies"));
    let mut own = job;
    own.strategy_by = StrategyBy::User;
    assert!(!serde_json::to_string(&own).unwrap().contains("strategy_by"));
    let read: JobSpec = serde_json::from_str(&serde_json::to_string(&*kept).unwrap()).unwrap();
    assert_eq!(read, *kept);
}

/// What is quoted, and what is said of a job before it is submitted, is as late as what would be planned.
#[test]
fn who_starts_late_is_quoted_late() {
    let mut vo = vo_with(vec![rule(Strategy::Alap)]);
    vo.say(Input::CycleNow);
    let job = flow(&vo, "late", 50);
    let state = vo.broker.state();
    let asked = Inquiry::new(state, at(vo.now), &job, None).unwrap().unwrap().search();
    let told = Inquiry::at_once(state, at(vo.now), &job).unwrap().unwrap().search();
    for found in [asked, told] {
        let starts: Vec<i64> = found.allocations.iter().map(|(it, _)| it.start().as_millis()).collect();
        assert!(!starts.is_empty() && starts.iter().all(|start| *start > 4 * HOUR), "{starts:?}");
    }
    // Where there is nothing late, there is what there is.
    let mut soon = job;
    soon.request.deadline = Some(at(vo.now + 12 * MINUTE));
    let found = Inquiry::at_once(vo.broker.state(), at(vo.now), &soon).unwrap().unwrap().search();
    assert!(!found.allocations.is_empty());
}
