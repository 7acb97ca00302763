//! What can be wrong with a plan beyond its windows: the account of the batch, and the choice.

use super::count::counted;
use super::violation::AlternativeAt;
use std::fmt;
use walras_model::quantity::{Money, Time};

/// An entry of a list that names a job.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct NamedAt {
    /// Its position in the list.
    pub index: usize,
    /// The job that it names.
    pub job: String,
}

/// What is wrong with the account of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "wrong", rename_all = "snake_case"))]
pub enum WrongAccount {
    /// A job of the batch has neither a window nor an entry among those without.
    Forgotten {
        /// The job.
        job: String,
    },
    /// The batch has no job of that name.
    UnknownJob {
        /// The entry of the unscheduled.
        at: NamedAt,
    },
    /// A job is among the unscheduled twice.
    Twice {
        /// The later entry.
        at: NamedAt,
        /// The position of the earlier one.
        first: usize,
    },
    /// A job is among the unscheduled and has a window.
    HasWindow {
        /// The entry of the unscheduled.
        at: NamedAt,
        /// The position of the job's first alternative.
        alternative: usize,
    },
    /// A job has several windows where each may have one.
    SeveralWindows {
        /// The later alternative.
        at: AlternativeAt,
        /// The position of the job's first one.
        first: usize,
    },
}

/// What is wrong with the choice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "wrong", rename_all = "snake_case"))]
pub enum WrongChoice {
    /// There is no alternative with that number.
    NoSuchAlternative {
        /// The chosen entry.
        at: NamedAt,
        /// The number.
        alternative: usize,
    },
    /// The alternative is another job's.
    OtherJobs {
        /// The chosen entry.
        at: NamedAt,
        /// The alternative that it refers to.
        alternative: AlternativeAt,
    },
    /// A job was given two alternatives.
    Twice {
        /// The later entry.
        at: NamedAt,
        /// The position of the earlier one.
        first: usize,
    },
    /// The entry repeats its alternative wrongly.
    Misquoted {
        /// The chosen entry.
        at: NamedAt,
        /// What it repeats wrongly.
        expected: Figure,
        /// What it says.
        claimed: Figure,
    },
    /// A job that is said to be left out is chosen, or is said so twice.
    LeftOutTwice {
        /// The entry of those left out.
        at: NamedAt,
    },
    /// A job that is said to be left out has nothing to choose from.
    LeftOutWithoutWindow {
        /// The entry of those left out.
        at: NamedAt,
    },
    /// A job with alternatives is neither chosen nor left out.
    Forgotten {
        /// The job.
        job: String,
    },
    /// A total is not the sum of the chosen ones.
    WrongTotal {
        /// What the chosen alternatives come to.
        expected: Figure,
        /// What the plan says.
        claimed: Figure,
    },
    /// The chosen ones together break a limit.
    OverLimit {
        /// The limit.
        limit: Figure,
        /// What they come to.
        total: Figure,
    },
}

/// A number that a choice states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Figure {
    /// When it starts.
    Start(Time),
    /// When it ends.
    End(Time),
    /// An amount in micro-credits.
    Cost(i128),
    /// A length of time in milliseconds.
    Time(i128),
    /// When the last one ends.
    Makespan(Option<Time>),
    /// How many jobs.
    Jobs(u64),
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Start(time) => write!(f, "a start at {time} s"),
            Figure::End(time) => write!(f, "an end at {time} s"),
            Figure::Cost(micros) => write!(f, "a cost of {} credits", decimal(*micros, 1_000_000)),
            Figure::Time(millis) => write!(f, "a time of {} s", decimal(*millis, 1_000)),
            Figure::Makespan(Some(time)) => write!(f, "a makespan of {time} s"),
            Figure::Makespan(None) => f.write_str("no makespan"),
            Figure::Jobs(jobs) => f.write_str(&counted(usize::try_from(*jobs).unwrap_or(usize::MAX), "job")),
        }
    }
}

/// A count of small units as a plain decimal of the large one; sums may be beyond the range of [`Money`].
fn decimal(count: i128, per_unit: i128) -> String {
    if let (1_000_000, Ok(micros)) = (per_unit, i64::try_from(count)) {
        return Money::from_micros(micros).to_string();
    }
    let sign = if count < 0 { "-" } else { "" };
    let (whole, part) = (count.abs() / per_unit, count.abs() % per_unit);
    let width = per_unit.to_string().len() - 1;
    let text = format!("{sign}{whole}.{part:0width$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for WrongAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use WrongAccount as W;
        match self {
            W::Forgotten { job } => write!(f, "job {job} has no window and is not among the unscheduled"),
            W::UnknownJob { at } => {
                write!(f, "unscheduled[{}] names the job {}, which is not in the batch", at.index, at.job)
            }
            W::Twice { at, first } => {
                write!(f, "unscheduled[{}] (job {}) repeats unscheduled[{first}]", at.index, at.job)
            }
            W::HasWindow { at, alternative } => {
                let NamedAt { index, job } = at;
                write!(f, "unscheduled[{index}] (job {job}) has a window: alternatives[{alternative}]")
            }
            W::SeveralWindows { at, first } => {
                write!(f, "{at} is one more beside alternatives[{first}], and on the fly each job has one")
            }
        }
    }
}

impl fmt::Display for WrongChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use WrongChoice as W;
        match self {
            W::NoSuchAlternative { at, alternative } => {
                write!(f, "chosen[{}] (job {}) refers to alternatives[{alternative}]", at.index, at.job)?;
                f.write_str(", which is not there")
            }
            W::OtherJobs { at, alternative } => {
                let NamedAt { index, job } = at;
                write!(f, "chosen[{index}] (job {job}) refers to another job's window, {alternative}")
            }
            W::Twice { at, first } => {
                write!(f, "chosen[{}] (job {}) is one more beside chosen[{first}]", at.index, at.job)
            }
            W::Misquoted { at, expected, claimed } => {
                let NamedAt { index, job } = at;
                write!(f, "chosen[{index}] (job {job}) says {claimed} but its window has {expected}")
            }
            W::LeftOutTwice { at } => {
                let NamedAt { index, job } = at;
                write!(f, "left_out[{index}] names the job {job}, which is chosen or left out already")
            }
            W::LeftOutWithoutWindow { at } => {
                write!(f, "left_out[{}] names the job {}, which has no window", at.index, at.job)
            }
            W::Forgotten { job } => write!(f, "job {job} has a window and is neither chosen nor left out"),
            W::WrongTotal { expected, claimed } => {
                write!(f, "totals claim {claimed} but what is chosen comes to {expected}")
            }
            W::OverLimit { limit, total } => {
                write!(f, "what is chosen comes to {total}, more than the limit, {limit}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_sums_are_written_out() {
        assert_eq!(Figure::Cost(1_500_000).to_string(), "a cost of 1.5 credits");
        assert_eq!(
            Figure::Cost(i128::from(i64::MAX) * 1_000).to_string(),
            "a cost of 9223372036854775.807 credits"
        );
        assert_eq!(Figure::Time(-1_500).to_string(), "a time of -1.5 s");
        assert_eq!(Figure::Time(2_000).to_string(), "a time of 2 s");
    }
}
