//! Whether a choice is one: of alternatives that are there, one per job, with the sums that it claims, within
//! the limits that it claims.
//!
//! Whether it is the best is not checked, nor where the limits come from: both would take the chooser.

use super::ClaimedAlternative;
use super::violation::{AlternativeAt, Violation};
use super::wrong::{Figure, NamedAt, WrongChoice};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::quantity::{Money, Span, Time};

/// What somebody says was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimedChoice {
    /// One entry for each job served.
    pub chosen: Vec<ChosenClaim>,
    /// The jobs that have alternatives and were left out.
    pub left_out: Vec<String>,
    /// T* in milliseconds, where there is one.
    pub time_limit: Option<i128>,
    /// B* in micro-credits, where there is one.
    pub budget_limit: Option<i128>,
    /// What all cost together, in micro-credits.
    pub cost: i128,
    /// What all take together, in milliseconds.
    pub time: i128,
    /// When the last one ends.
    pub makespan: Option<Time>,
    /// How many there are.
    pub jobs: u64,
}

/// One claimed choice for one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenClaim {
    /// The job's name.
    pub job: String,
    /// The position of the alternative in the claim.
    pub alternative: usize,
    /// When it starts.
    pub start: Time,
    /// When it ends.
    pub end: Time,
    /// What it costs.
    pub cost: Money,
    /// How long its longest task takes.
    pub time: Span,
}

/// Appends what is wrong with the choice. Time O(n log n).
pub(super) fn check(
    choice: &ClaimedChoice,
    alternatives: &[ClaimedAlternative],
    violations: &mut Vec<Violation>,
) {
    let mut wrong = Vec::new();
    let served = check_chosen(choice, alternatives, &mut wrong);
    check_left_out(choice, alternatives, served, &mut wrong);
    check_sums(choice, alternatives, &mut wrong);
    violations.extend(wrong.into_iter().map(Violation::Choice));
}

/// Checks each entry by itself; gives the jobs that are chosen.
fn check_chosen<'a>(
    choice: &'a ClaimedChoice,
    alternatives: &[ClaimedAlternative],
    wrong: &mut Vec<WrongChoice>,
) -> BTreeSet<&'a str> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, chosen) in choice.chosen.iter().enumerate() {
        let at = NamedAt { index, job: chosen.job.clone() };
        let first = *seen.entry(&chosen.job).or_insert(index);
        if first < index {
            wrong.push(WrongChoice::Twice { at: at.clone(), first });
        }
        match alternatives.get(chosen.alternative) {
            None => wrong.push(WrongChoice::NoSuchAlternative { at, alternative: chosen.alternative }),
            Some(meant) if meant.job != chosen.job => {
                let alternative = AlternativeAt { index: chosen.alternative, job: meant.job.clone() };
                wrong.push(WrongChoice::OtherJobs { at, alternative });
            }
            Some(meant) => wrong.extend(misquoted(&at, chosen, meant)),
        }
    }
    seen.into_keys().collect()
}

/// What an entry repeats wrongly of its alternative.
fn misquoted(at: &NamedAt, chosen: &ChosenClaim, meant: &ClaimedAlternative) -> Vec<WrongChoice> {
    let figures = [
        (Figure::Start(meant.start), Figure::Start(chosen.start)),
        (Figure::End(meant.end), Figure::End(chosen.end)),
        (Figure::Cost(meant.cost.as_micros().into()), Figure::Cost(chosen.cost.as_micros().into())),
        (Figure::Time(longest(meant)), Figure::Time(chosen.time.as_millis().into())),
    ];
    let differing = figures.into_iter().filter(|(expected, claimed)| expected != claimed);
    differing
        .map(|(expected, claimed)| WrongChoice::Misquoted { at: at.clone(), expected, claimed })
        .collect()
}

/// How long the longest task of an alternative takes, in milliseconds.
fn longest(alternative: &ClaimedAlternative) -> i128 {
    let length = |start: Time, end: Time| i128::from(end.as_millis()) - i128::from(start.as_millis());
    alternative.slots.iter().map(|slot| length(slot.start, slot.end)).max().unwrap_or(0)
}

fn check_left_out<'a>(
    choice: &'a ClaimedChoice,
    alternatives: &[ClaimedAlternative],
    mut placed: BTreeSet<&'a str>,
    wrong: &mut Vec<WrongChoice>,
) {
    let with_window: BTreeSet<&str> = alternatives.iter().map(|found| found.job.as_str()).collect();
    for (index, job) in choice.left_out.iter().enumerate() {
        let at = NamedAt { index, job: job.clone() };
        if !with_window.contains(job.as_str()) {
            wrong.push(WrongChoice::LeftOutWithoutWindow { at });
        } else if !placed.insert(job) {
            wrong.push(WrongChoice::LeftOutTwice { at });
        }
    }
    let forgotten = with_window.iter().filter(|job| !placed.contains(*job));
    wrong.extend(forgotten.map(|job| WrongChoice::Forgotten { job: (*job).to_owned() }));
}

/// Adds up the alternatives that are referred to and holds the sums against totals and limits.
fn check_sums(choice: &ClaimedChoice, alternatives: &[ClaimedAlternative], wrong: &mut Vec<WrongChoice>) {
    let meant = || choice.chosen.iter().filter_map(|chosen| alternatives.get(chosen.alternative));
    if meant().count() < choice.chosen.len() {
        return;
    }
    let cost: i128 = meant().map(|found| i128::from(found.cost.as_micros())).sum();
    let time: i128 = meant().map(longest).sum();
    let jobs = u64::try_from(choice.chosen.len()).unwrap_or(u64::MAX);
    let totals = [
        (Figure::Cost(cost), Figure::Cost(choice.cost)),
        (Figure::Time(time), Figure::Time(choice.time)),
        (Figure::Makespan(meant().map(|found| found.end).max()), Figure::Makespan(choice.makespan)),
        (Figure::Jobs(jobs), Figure::Jobs(choice.jobs)),
    ];
    let differing = totals.into_iter().filter(|(expected, claimed)| expected != claimed);
    wrong.extend(differing.map(|(expected, claimed)| WrongChoice::WrongTotal { expected, claimed }));
    if let Some(limit) = choice.time_limit.filter(|limit| time > *limit) {
        wrong.push(WrongChoice::OverLimit { limit: Figure::Time(limit), total: Figure::Time(time) });
    }
    if let Some(limit) = choice.budget_limit.filter(|limit| cost > *limit) {
        wrong.push(WrongChoice::OverLimit { limit: Figure::Cost(limit), total: Figure::Cost(cost) });
    }
}
