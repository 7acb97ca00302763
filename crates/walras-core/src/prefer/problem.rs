//! What there is to agree on: jobs with options, limits that they share, and who has a say.

use super::preference::{Aggregation, Preference, normalised};
use super::weighted::SCALE;
use std::collections::BTreeSet;

/// One alternative of a job, as the compromise sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompromiseOption {
    /// What its user loses by it, between 0 and [`SCALE`].
    pub loss: i64,
    /// How much it takes of which capacities.
    pub takes: Vec<(usize, i64)>,
    /// What it adds to which totals of owners and the administrator.
    pub adds: Vec<(usize, i64)>,
}

/// A job and its options; without any it stays unserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompromiseJob {
    /// The place of its user among the parties.
    pub user: usize,
    /// What it can get.
    pub options: Vec<CompromiseOption>,
}

/// Somebody who has a say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// As they are called.
    pub name: String,
    /// How much they count; only ratios matter.
    pub weight: i64,
    /// What they look at.
    pub voice: Voice,
}

/// What a party looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A user: the mean loss of their jobs; a job that is not served is a loss of one.
    User,
    /// An owner or the administrator: totals over everything that is assigned.
    Collective(Collective),
}

/// Preferences over totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Criteria with weights; a criterion's value is the total of what the chosen options add. Ranges that are not
    /// given reach from the least to the greatest that the options could add up to.
    pub preference: Preference,
    /// The number of the first criterion's total; the others follow.
    pub first_total: usize,
}

/// Jobs, capacities and parties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompromiseProblem {
    pub(super) jobs: Vec<CompromiseJob>,
    pub(super) parties: Vec<Party>,
    /// In millionths of their sum, for each party.
    pub(super) weights: Vec<i64>,
    pub(super) capacities: Vec<i64>,
    pub(super) across: Aggregation,
}

/// Why a problem was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompromiseError {
    /// A party's weight is negative.
    #[error("the weight of {0} is negative")]
    NegativeWeight(String),
    /// No party has a weight.
    #[error("all stakeholders have a weight of zero")]
    NoWeight,
    /// A job's user is no party, or no user.
    #[error("job {0} has no user among the stakeholders")]
    NoSuchUser(usize),
    /// An option takes of a capacity, or adds to a total, that does not exist, or takes less than nothing.
    #[error("an option of job {0} names an unknown capacity or total")]
    BadOption(usize),
    /// A loss is not between 0 and [`SCALE`].
    #[error("an option of job {0} has a loss that is no share")]
    BadLoss(usize),
    /// A lexicographic order with more than four different weights of parties.
    #[error("{0} different weights of stakeholders are too many for a lexicographic order: at most 4")]
    TooManyLevels(usize),
}

/// Lexicographic values of so many levels fit the aggregate.
const LEVELS_MAX: usize = 4;

/// What options share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// How much of it there is.
    pub most: i64,
    /// How much an option takes of it, which is named by the place of its job and its own there.
    pub takes: Vec<((usize, usize), i64)>,
}

/// Who gets what, and how content everybody is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compromise {
    /// For each job its option; `None` when it is not served.
    pub picks: Vec<Option<usize>>,
    /// For each party its loss, between 0 and [`super::SCALE`].
    pub losses: Vec<i64>,
    /// How many jobs are not served.
    pub unserved: u32,
    /// The exact aggregate, less is better; unserved jobs weigh in first.
    pub value: i128,
}

impl CompromiseProblem {
    /// A problem that makes sense, or why it does not.
    pub fn new(
        jobs: Vec<CompromiseJob>,
        parties: Vec<Party>,
        capacities: Vec<i64>,
        across: Aggregation,
    ) -> Result<CompromiseProblem, CompromiseError> {
        if let Some(party) = parties.iter().find(|party| party.weight < 0) {
            return Err(CompromiseError::NegativeWeight(party.name.clone()));
        }
        let raw: Vec<i64> = parties.iter().map(|party| party.weight).collect();
        let weights = normalised(&raw).ok_or(CompromiseError::NoWeight)?;
        let levels: BTreeSet<i64> = weights.iter().copied().collect();
        if across == Aggregation::Lexicographic && levels.len() > LEVELS_MAX {
            return Err(CompromiseError::TooManyLevels(levels.len()));
        }
        let totals = parties.iter().map(Party::totals_end).max().unwrap_or(0);
        for (index, job) in jobs.iter().enumerate() {
            check(index, job, &parties, capacities.len(), totals)?;
        }
        Ok(CompromiseProblem { jobs, parties, weights, capacities, across })
    }

    /// The same problem where options share more than owners said.
    ///
    /// # Panics
    /// When an option is named that does not exist.
    pub fn sharing(mut self, all: &[Shared]) -> CompromiseProblem {
        for shared in all {
            let place = self.capacities.len();
            self.capacities.push(shared.most);
            for ((job, option), units) in &shared.takes {
                self.jobs[*job].options[*option].takes.push((place, *units));
            }
        }
        self
    }

    /// The jobs.
    pub fn jobs(&self) -> &[CompromiseJob] {
        &self.jobs
    }

    /// Those who have a say.
    pub fn parties(&self) -> &[Party] {
        &self.parties
    }

    /// How many totals there are.
    pub(super) fn totals(&self) -> usize {
        self.parties.iter().map(Party::totals_end).max().unwrap_or(0)
    }
}

impl Party {
    /// The number after the last of its totals.
    fn totals_end(&self) -> usize {
        match &self.voice {
            Voice::User => 0,
            Voice::Collective(it) => it.first_total.saturating_add(it.preference.weighted().len()),
        }
    }
}

fn check(
    index: usize,
    job: &CompromiseJob,
    parties: &[Party],
    capacities: usize,
    totals: usize,
) -> Result<(), CompromiseError> {
    if parties.get(job.user).is_none_or(|party| party.voice != Voice::User) {
        return Err(CompromiseError::NoSuchUser(index));
    }
    for option in &job.options {
        let takes = option.takes.iter().all(|(place, units)| *place < capacities && *units >= 0);
        if !takes || option.adds.iter().any(|(place, _)| *place >= totals) {
            return Err(CompromiseError::BadOption(index));
        }
        if !(0..=SCALE).contains(&option.loss) {
            return Err(CompromiseError::BadLoss(index));
        }
    }
    Ok(())
}
