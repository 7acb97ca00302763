//! One fixture per thing that can be wrong with the account of the batch and with the choice.

use super::fixture::{self, Fixture, at, money, seconds};
use crate::{AlternativeAt, Figure, NamedAt, Violation, WrongAccount, WrongChoice};

/// Changes the right choice and expects exactly this violation and sentence.
#[track_caller]
fn check(mutate: impl FnOnce(&mut Fixture), expected: Violation, sentence: &str) {
    let mut fixture = fixture::chosen();
    mutate(&mut fixture);
    fixture.expect(sentence, std::slice::from_ref(&expected));
    assert_eq!(expected.to_string(), sentence);
}

#[track_caller]
fn account(mutate: impl FnOnce(&mut Fixture), expected: WrongAccount, sentence: &str) {
    check(mutate, Violation::Account(expected), sentence);
}

#[track_caller]
fn choice(mutate: impl FnOnce(&mut Fixture), expected: WrongChoice, sentence: &str) {
    check(mutate, Violation::Choice(expected), sentence);
}

fn named(index: usize, job: &str) -> NamedAt {
    NamedAt { index, job: job.into() }
}

fn unscheduled(fixture: &mut Fixture) -> &mut Vec<String> {
    fixture.claim.unscheduled.as_mut().unwrap()
}

#[test]
fn a_right_choice_is_clean() {
    fixture::chosen().expect("chosen", &[]);
    let mut unlimited = fixture::chosen();
    unlimited.choice().time_limit = None;
    unlimited.choice().budget_limit = None;
    unlimited.expect("unlimited", &[]);
}

#[test]
fn the_account_of_the_batch() {
    account(
        |f| unscheduled(f).clear(),
        WrongAccount::Forgotten { job: "idle".into() },
        "job idle has no window and is not among the unscheduled",
    );
    account(
        |f| unscheduled(f).push("nobody".into()),
        WrongAccount::UnknownJob { at: named(1, "nobody") },
        "unscheduled[1] names the job nobody, which is not in the batch",
    );
    account(
        |f| unscheduled(f).push("idle".into()),
        WrongAccount::Twice { at: named(1, "idle"), first: 0 },
        "unscheduled[1] (job idle) repeats unscheduled[0]",
    );
    account(
        |f| unscheduled(f).push("fold".into()),
        WrongAccount::HasWindow { at: named(1, "fold"), alternative: 3 },
        "unscheduled[1] (job fold) has a window: alternatives[3]",
    );
    account(
        |f| f.claim.one_each = true,
        WrongAccount::SeveralWindows { at: AlternativeAt { index: 1, job: "sim".into() }, first: 0 },
        "alternatives[1] (job sim) is one more beside alternatives[0], and on the fly each job has one",
    );
}

#[test]
fn what_is_chosen() {
    choice(
        |f| f.choice().chosen[1].alternative = 4,
        WrongChoice::NoSuchAlternative { at: named(1, "fold"), alternative: 4 },
        "chosen[1] (job fold) refers to alternatives[4], which is not there",
    );
    choice(
        |f| {
            f.choice().chosen[1].job = "render".into();
            f.choice().left_out = vec!["fold".into()];
        },
        WrongChoice::OtherJobs {
            at: named(1, "render"),
            alternative: AlternativeAt { index: 3, job: "fold".into() },
        },
        "chosen[1] (job render) refers to another job's window, alternatives[3] (job fold)",
    );
    choice(
        |f| {
            let again = f.chosen_claim(0);
            let choice = f.choice();
            choice.chosen.push(again);
            (choice.time_limit, choice.budget_limit) = (None, None);
            (choice.cost, choice.time, choice.jobs) = (1_516_185_700, 236_364, 3);
        },
        WrongChoice::Twice { at: named(2, "sim"), first: 0 },
        "chosen[2] (job sim) is one more beside chosen[0]",
    );
}

#[test]
fn what_is_repeated() {
    let misquoted = |expected, claimed| WrongChoice::Misquoted { at: named(1, "fold"), expected, claimed };
    choice(
        |f| f.choice().chosen[1].start = at(201.0),
        misquoted(Figure::Start(at(200.0)), Figure::Start(at(201.0))),
        "chosen[1] (job fold) says a start at 201 s but its window has a start at 200 s",
    );
    choice(
        |f| f.choice().chosen[1].end = at(321.0),
        misquoted(Figure::End(at(320.0)), Figure::End(at(321.0))),
        "chosen[1] (job fold) says an end at 321 s but its window has an end at 320 s",
    );
    choice(
        |f| f.choice().chosen[1].cost = money(1.0),
        misquoted(Figure::Cost(286_365_300), Figure::Cost(1_000_000)),
        "chosen[1] (job fold) says a cost of 1 credits but its window has a cost of 286.3653 credits",
    );
    choice(
        |f| f.choice().chosen[1].time = seconds(121.0),
        misquoted(Figure::Time(120_000), Figure::Time(121_000)),
        "chosen[1] (job fold) says a time of 121 s but its window has a time of 120 s",
    );
}

#[test]
fn who_is_left_out() {
    choice(
        |f| f.choice().left_out.push("sim".into()),
        WrongChoice::LeftOutTwice { at: named(1, "sim") },
        "left_out[1] names the job sim, which is chosen or left out already",
    );
    choice(
        |f| f.choice().left_out.push("render".into()),
        WrongChoice::LeftOutTwice { at: named(1, "render") },
        "left_out[1] names the job render, which is chosen or left out already",
    );
    choice(
        |f| f.choice().left_out.push("idle".into()),
        WrongChoice::LeftOutWithoutWindow { at: named(1, "idle") },
        "left_out[1] names the job idle, which has no window",
    );
    choice(
        |f| f.choice().left_out.clear(),
        WrongChoice::Forgotten { job: "render".into() },
        "job render has a window and is neither chosen nor left out",
    );
}

#[test]
fn sums_and_limits() {
    let total = |expected, claimed| WrongChoice::WrongTotal { expected, claimed };
    choice(
        |f| f.choice().cost -= 1,
        total(Figure::Cost(812_185_700), Figure::Cost(812_185_699)),
        "totals claim a cost of 812.185699 credits but what is chosen comes to a cost of 812.1857 credits",
    );
    choice(
        |f| f.choice().time += 1,
        total(Figure::Time(156_364), Figure::Time(156_365)),
        "totals claim a time of 156.365 s but what is chosen comes to a time of 156.364 s",
    );
    choice(
        |f| f.choice().makespan = None,
        total(Figure::Makespan(Some(at(320.0))), Figure::Makespan(None)),
        "totals claim no makespan but what is chosen comes to a makespan of 320 s",
    );
    choice(
        |f| f.choice().jobs = 1,
        total(Figure::Jobs(2), Figure::Jobs(1)),
        "totals claim 1 job but what is chosen comes to 2 jobs",
    );
    choice(
        |f| f.choice().time_limit = Some(156_363),
        WrongChoice::OverLimit { limit: Figure::Time(156_363), total: Figure::Time(156_364) },
        "what is chosen comes to a time of 156.364 s, more than the limit, a time of 156.363 s",
    );
    choice(
        |f| f.choice().budget_limit = Some(812_185_699),
        WrongChoice::OverLimit { limit: Figure::Cost(812_185_699), total: Figure::Cost(812_185_700) },
        "what is chosen comes to a cost of 812.1857 credits, more than the limit, a cost of 812.185699 credits",
    );
}
