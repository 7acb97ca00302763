//! Whether every job of the batch is somewhere in the plan, once.

use super::violation::{AlternativeAt, Violation};
use super::wrong::{NamedAt, WrongAccount};
use super::{Claim, ClaimedAlternative};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::request::Batch;

/// Appends what is wrong with the account. Time O(n log n).
pub(super) fn check(claim: &Claim, batch: &Batch, violations: &mut Vec<Violation>) {
    let mut wrong = Vec::new();
    let first = first_windows(&claim.alternatives, claim.one_each, &mut wrong);
    if let Some(unscheduled) = &claim.unscheduled {
        check_unscheduled(unscheduled, &first, batch, &mut wrong);
    }
    violations.extend(wrong.into_iter().map(Violation::Account));
}

/// The position of each job's first alternative; with `one_each`, notes the others.
fn first_windows<'a>(
    alternatives: &'a [ClaimedAlternative],
    one_each: bool,
    wrong: &mut Vec<WrongAccount>,
) -> BTreeMap<&'a str, usize> {
    let mut first = BTreeMap::new();
    for (index, alternative) in alternatives.iter().enumerate() {
        match first.entry(alternative.job.as_str()) {
            Entry::Vacant(entry) => {
                entry.insert(index);
            }
            Entry::Occupied(entry) if one_each => {
                let at = AlternativeAt { index, job: alternative.job.clone() };
                wrong.push(WrongAccount::SeveralWindows { at, first: *entry.get() });
            }
            Entry::Occupied(_) => {}
        }
    }
    first
}

fn check_unscheduled(
    unscheduled: &[String],
    windows: &BTreeMap<&str, usize>,
    batch: &Batch,
    wrong: &mut Vec<WrongAccount>,
) {
    let known: BTreeSet<&str> = batch.requests().iter().map(|request| request.name.as_str()).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, job) in unscheduled.iter().enumerate() {
        let at = NamedAt { index, job: job.clone() };
        let first = *seen.entry(job).or_insert(index);
        if !known.contains(job.as_str()) {
            wrong.push(WrongAccount::UnknownJob { at });
        } else if first < index {
            wrong.push(WrongAccount::Twice { at, first });
        } else if let Some(alternative) = windows.get(job.as_str()) {
            wrong.push(WrongAccount::HasWindow { at, alternative: *alternative });
        }
    }
    let forgotten = known.iter().filter(|job| !windows.contains_key(*job) && !seen.contains_key(*job));
    wrong.extend(forgotten.map(|job| WrongAccount::Forgotten { job: (*job).to_owned() }));
}
