//! Notices: what users are told when something happens to a job of theirs.

use super::id::JobNumber;
use super::job::{JobEnd, Why};
use super::notify::Occasion;
use serde::{Deserialize, Serialize};
use walras_core::agenda::Promise;
use walras_model::{Money, SiteId, Time};

/// A notice on its way to a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The user who is told: whose job it is.
    pub user: String,
    /// About which job.
    pub job: JobNumber,
    /// What has happened to it.
    pub news: News,
    /// What goes to somebody by mail or by a call, where the job's user wants that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letter: Option<Box<Letter>>,
}

/// What goes to somebody by mail or by a call, with what is needed of a job that is gone by then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// When it happened.
    pub at: Time,
    /// What the job is called.
    pub name: String,
    /// Of what somebody wants to be told.
    pub occasion: Occasion,
    /// By mail to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<String>,
    /// By a call to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
}

/// What has happened to a job that its user is told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum News {
    /// It is planned, and this is promised.
    Promised {
        /// When it starts by the plan of that moment.
        start: Time,
        /// What it is promised.
        promise: Promise,
        /// Whether an earlier promise could not be kept.
        renewed: bool,
    },
    /// Every site has confirmed.
    Held {
        /// Where it will run.
        sites: Vec<SiteId>,
        /// When it starts.
        start: Time,
        /// When it has ended.
        end: Time,
        /// What it costs at most.
        cost: Money,
    },
    /// It has begun; only told where somebody wants to know.
    Begun,
    /// Its reservation is given up.
    ReservationLost(Why),
    /// Tasks of it got other times.
    Rescheduled(Why),
    /// It has ended.
    Ended(JobEnd),
}
