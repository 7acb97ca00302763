//! What a job waits for before it is planned: other jobs, earlier ones of its own name, its user's word.
//!
//! A job waits only for jobs whose numbers were given out before its own, so that no circle can come about.
//!
//! ```
//! use walras_broker::gate::{Condition, Outlook, Which};
//! assert_eq!(Condition::Ok.after_end(true), Outlook::Met);
//! assert_eq!(Condition::Ok.after_end(false), Outlook::Never);
//! assert_eq!(Condition::Started.after_end(false), Outlook::Met);
//! assert_eq!("18_3".parse::<Which>().unwrap().to_string(), "18_3");
//! ```

use super::id::JobNumber;
use super::indices::Indices;
use super::ranks::Ranks;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A job waits for at most so many others.
pub const AFTER_MAX: usize = 1_000;

/// What must have happened before a job is planned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// What must have become of other jobs, in order and each once.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub after: BTreeSet<Dependency>,
    /// Whether all earlier jobs of the same name and user must have ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub singleton: bool,
    /// Whether its user must let it go first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
}

impl Gate {
    /// Whether it stands open.
    pub fn is_open(&self) -> bool {
        self.after.is_empty() && !self.singleton && !self.held
    }
}

/// What must have become of another job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dependency {
    /// The job or the element that is waited for.
    pub on: Which,
    /// What must have become of that job.
    pub condition: Condition,
}

/// A job, or one element of an array: `17`, `18_3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Which {
    /// The job or the array.
    pub job: JobNumber,
    /// The element's index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<u32>,
}

impl Which {
    /// A job as a whole.
    pub const fn whole(job: JobNumber) -> Which {
        Which { job, element: None }
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element {
            Some(element) => write!(f, "{}_{element}", self.job),
            None => self.job.fmt(f),
        }
    }
}

/// Text that names no job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a job's number, or an array's with an index after an underscore: 17 or 18_3")]
pub struct NoWhich;

impl FromStr for Which {
    type Err = NoWhich;

    fn from_str(text: &str) -> Result<Which, NoWhich> {
        // Signs and blanks are no part of a number.
        fn number<N: FromStr>(text: &str) -> Result<N, NoWhich> {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits).ok_or(NoWhich)
        }
        match text.split_once('_') {
            None => Ok(Which::whole(JobNumber::new(number(text)?))),
            Some((job, element)) => {
                Ok(Which { job: JobNumber::new(number(job)?), element: Some(number(element)?) })
            }
        }
    }
}

/// What must have become of a job that another waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// It ended well.
    Ok,
    /// It ended, one way or another.
    Any,
    /// It ended, and not well.
    Failed,
    /// It began, or ended without having begun.
    Started,
}

/// Whether a condition holds, or can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// It holds.
    Met,
    /// It never will.
    Never,
    /// It may yet.
    Open,
}

impl Condition {
    /// All of them, in the order in which they are written.
    pub const ALL: [Condition; 4] = [Condition::Ok, Condition::Any, Condition::Failed, Condition::Started];

    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Condition::Ok => "ok",
            Condition::Any => "any",
            Condition::Failed => "failed",
            Condition::Started => "started",
        }
    }

    /// Once the job has ended, well or not.
    pub const fn after_end(self, well: bool) -> Outlook {
        match (self, well) {
            (Condition::Any | Condition::Started, _) | (Condition::Ok, true) | (Condition::Failed, false) => {
                Outlook::Met
            }
            (Condition::Ok, false) | (Condition::Failed, true) => Outlook::Never,
        }
    }

    /// While the job has not ended.
    pub const fn while_open(self, begun: bool) -> Outlook {
        match self {
            Condition::Started if begun => Outlook::Met,
            Condition::Ok | Condition::Any | Condition::Failed | Condition::Started => Outlook::Open,
        }
    }
}

/// What a job still waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// Other jobs, by the number that each of them has or will have.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub on: BTreeSet<(JobNumber, Dependency)>,
    /// What can never be met, once something cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<Dependency>,
    /// Whether earlier jobs of its name had not ended when it came.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub singleton: bool,
    /// Whether its user has not let it go.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
}

impl Waits {
    /// Whether there is nothing.
    pub fn is_none(&self) -> bool {
        *self == Waits::default()
    }

    /// Something has become of a job.
    pub(crate) fn hear(&mut self, number: JobNumber, outlook: impl Fn(Condition) -> Outlook) {
        let own = |(of, _): &(JobNumber, Dependency)| *of == number;
        let told: Vec<(JobNumber, Dependency)> = self.on.iter().filter(|it| own(it)).copied().collect();
        for awaited in told {
            match outlook(awaited.1.condition) {
                Outlook::Open => {}
                Outlook::Met => {
                    self.on.remove(&awaited);
                }
                Outlook::Never => {
                    self.on.remove(&awaited);
                    self.never = self.never.or(Some(awaited.1));
                }
            }
        }
    }
}

/// How a job ended that others may still name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Whose it was.
    pub user: Arc<str>,
    /// Whether it ended well.
    pub well: bool,
    /// What there was of it, where it was an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<Arc<PastArray>>,
}

/// What is remembered of an array that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastArray {
    /// Its elements.
    pub indices: Indices,
    /// Those that did not end well.
    pub unwell: Ranks,
}

/// What becomes of a job that waits for what can never be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NeverMet {
    /// It is given up.
    #[default]
    Cancel,
    /// It waits until its user cancels it.
    Wait,
}

impl NeverMet {
    /// Whether it is the usual rule.
    pub fn is_usual(&self) -> bool {
        *self == NeverMet::default()
    }
}
