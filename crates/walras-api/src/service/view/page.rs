//! What the web page asks for beside the rest: who is signed in, jobs read as they are written, and how the market was.

use super::people::MeView;
use super::system::{BoundView, ProofView, StatusView};
use super::why::WhyView;
use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::assign::AssignedView;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What answers at this address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RootView {
    /// Always `walras`.
    pub service: String,
    /// Its version.
    pub version: String,
    /// Where the API is described for programs.
    pub openapi: String,
    /// Where it is described for people.
    pub docs: String,
}

/// Who is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionView {
    /// Nobody, without.
    pub me: Option<MeView>,
    /// Where people sign in beside tokens: what they call it. A browser goes to `/sign-in`.
    #[serde(default)]
    pub provider: Option<String>,
}

/// A code that signs in once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeView {
    /// The code.
    pub code: String,
    /// For how many seconds it is good.
    pub seconds: u32,
}

/// A job as it was written, read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftView {
    /// The job as it is submitted; none when something is wrong with it.
    pub job: Option<serde_json::Map<String, serde_json::Value>>,
    /// What is wrong with it.
    pub problem: Option<ProblemView>,
    /// Directives of a script that were left out.
    pub left_out: Vec<LeftOutView>,
}

/// What is wrong with something that somebody wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemView {
    /// In which line, from 1 on, where that is known.
    pub line: Option<u32>,
    /// At which character of the line, from 1 on.
    pub column: Option<u32>,
    /// The field that it is about, like `requires.memory`; empty when it is about everything.
    pub field: String,
    /// In one sentence.
    pub text: String,
}

/// A directive that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutView {
    /// In which line, from 1 on.
    pub line: u32,
    /// What it says.
    pub directive: String,
}

/// How the market was since the service started, and is. The service looks every few seconds: this is what it saw last, and
/// asking for it costs the market nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryView {
    /// How the service is.
    pub status: StatusView,
    /// The sites, in the order of the samples' lists.
    pub sites: Vec<String>,
    /// Oldest first. The longer the service runs, the further apart they are.
    pub samples: Vec<SampleView>,
}

/// How the market was at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SampleView {
    /// The moment that the figures are of.
    pub at: Stamp,
    /// Jobs that waited.
    pub queued: u64,
    /// Jobs with a window, that had not started.
    pub reserved: u64,
    /// Jobs that ran.
    pub running: u64,
    /// Jobs that had ended.
    pub ended: u64,
    /// Every site.
    pub sites: Vec<SiteSample>,
}

/// How a site was at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteSample {
    /// How many nodes it has.
    pub nodes: u32,
    /// How many of them worked for the market.
    pub sold: u32,
    /// The mean price of what it offered, in credits a second; none when it offered nothing.
    pub price: Option<Num>,
    /// What was on its owner's account, in credits; only for its owner and administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<Num>,
}

/// Decisions, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionsView {
    /// The decisions.
    pub decisions: Vec<DecisionView>,
    /// Where to go on: the `before` of the next request. None when there are no more.
    pub next: Option<u64>,
}

/// What one cycle decided, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionView {
    /// The cycle's number.
    pub cycle: u64,
    /// Its place in the journal.
    pub position: u64,
    /// When the plan was decided on.
    pub at: Stamp,
    /// How many jobs are served.
    pub served: u32,
    /// What all that was chosen costs, in credits.
    pub cost: Num,
    /// What is proven of it.
    pub proof: ProofView,
    /// What no plan could beat, where prices were looked for that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundView>,
    /// What was assigned to sites that sell capacity, where that was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned: Option<AssignedView>,
    /// How content everybody is, from 0 to 1: users and the administrator by name, owners by site.
    pub satisfaction: BTreeMap<String, Num>,
    /// Every job that the plan says something of.
    pub jobs: Vec<DecidedJobView>,
}

/// What a decision says of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecidedJobView {
    /// Its number.
    pub job: u64,
    /// Its name; none of jobs that are not known any more.
    pub name: Option<String>,
    /// Its user; none of jobs that are not known any more.
    pub user: Option<String>,
    /// What becomes of it.
    pub outcome: DecidedOutcome,
    /// The alternative that was chosen, and after it the others that were kept ready.
    pub alternatives: Vec<DecidedAlternative>,
    /// Why it was left out, in one sentence.
    pub why: Option<String>,
    /// The same for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WhyView>,
}

/// What a decision makes of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedOutcome {
    /// Its window is reserved.
    Reserved,
    /// Its window may still move.
    Planned,
    /// It has none.
    LeftOut,
}

/// An alternative for a job, as a decision has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecidedAlternative {
    /// When it starts.
    pub start: Stamp,
    /// When it has ended.
    pub finish: Stamp,
    /// What it costs at most, in credits.
    pub cost: Num,
    /// On which nodes, as `SITE/NODE`; the site alone in a queue.
    pub nodes: Vec<String>,
}
