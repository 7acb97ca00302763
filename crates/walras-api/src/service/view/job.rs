//! Jobs: where they are, and why.

use super::likely::LikelyView;
use super::stage::PartStage;
use super::used::UsedView;
use super::why::{ChangeView, FitView, WhyView};
use crate::described::JsonSchema;
use crate::error::echo_message;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// Its user has not let it go.
    Held,
    /// It waits for other jobs, and is not planned before.
    Waiting,
    /// It waits for a cycle.
    Queued,
    /// It is part of the batch that is being planned.
    Planning,
    /// It has a window that may still move, and a promise.
    Planned,
    /// Sites are asked to hold its window.
    Reserving,
    /// It has its window and waits for its start.
    Reserved,
    /// Something of it runs.
    Running,
    /// It ended well.
    Done,
    /// It failed by itself.
    Failed,
    /// Its user cancelled it.
    Cancelled,
    /// It could not be run.
    GivenUp,
}

impl JobState {
    /// Whether nothing of it runs yet.
    pub fn is_ahead(self) -> bool {
        !self.is_over() && self != JobState::Running
    }

    /// All of them, in the order in which a job comes to them.
    pub const ALL: [JobState; 12] = [
        JobState::Held,
        JobState::Waiting,
        JobState::Queued,
        JobState::Planning,
        JobState::Planned,
        JobState::Reserving,
        JobState::Reserved,
        JobState::Running,
        JobState::Done,
        JobState::Failed,
        JobState::Cancelled,
        JobState::GivenUp,
    ];

    /// States with commas between them, in letters of any case and with spaces around them; or which word is none, and what there are.
    ///
    /// ```
    /// use walras_api::service::JobState;
    /// assert_eq!(JobState::listed("Running, GIVEN-UP"), Ok(vec![JobState::Running, JobState::GivenUp]));
    /// assert!(JobState::listed("running,").is_err() && JobState::listed("given up").is_err());
    /// ```
    pub fn listed(text: &str) -> Result<Vec<JobState>, String> {
        let state = |word: &str| {
            let word = word.trim_matches(' ');
            let known = JobState::ALL.into_iter().find(|state| state.text().eq_ignore_ascii_case(word));
            known.ok_or_else(|| {
                let all = JobState::ALL.map(JobState::text).join(", ");
                format!("'{}' is no state of a job: expected {all}", echo_message(word))
            })
        };
        text.split(',').map(state).collect()
    }

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            JobState::Held => "held",
            JobState::Waiting => "waiting",
            JobState::Queued => "queued",
            JobState::Planning => "planning",
            JobState::Planned => "planned",
            JobState::Reserving => "reserving",
            JobState::Reserved => "reserved",
            JobState::Running => "running",
            JobState::Done => "done",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
            JobState::GivenUp => "given-up",
        }
    }

    /// Whether nothing more will happen to it.
    pub fn is_over(self) -> bool {
        matches!(self, JobState::Done | JobState::Failed | JobState::Cancelled | JobState::GivenUp)
    }
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobView {
    /// Its number.
    pub job: u64,
    /// What people call it: its number; an element by its array and index, as `17_3`; an array with what is pending, as `17_[3-9]`.
    #[serde(default)]
    pub id: String,
    /// Its elements, where it is an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<ArrayView>,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// Where it is.
    pub state: JobState,
    /// How many nodes it needs at once; for a workflow, how many tasks it has.
    pub tasks: u32,
    /// Whether it is a workflow.
    pub workflow: bool,
    /// When it was submitted.
    pub queued_at: Stamp,
    /// When it starts or started, as far as that is known: reserved or planned.
    pub start: Option<Stamp>,
    /// When it is likely to start, by how long jobs like it waited, while it has no window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likely_start: Option<Stamp>,
    /// How long it is likely to run, where there is a history to say so; none once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likely: Option<LikelyView>,
    /// When it should have ended, or has.
    pub finish: Option<Stamp>,
    /// When it must have ended.
    pub deadline: Option<Stamp>,
    /// The most that it may cost, in credits.
    pub budget: Option<Num>,
    /// What is held for it now, in credits.
    pub held: Num,
    /// What it was charged so far, in credits.
    pub charged: Num,
    /// Where it runs or ran.
    pub sites: Vec<String>,
    /// The files that are wanted back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// The number of its reservation, or of its last.
    pub reservation: Option<u64>,
    /// How many reservations failed that it could do nothing about.
    pub attempts: u32,
    /// Why it is where it is, in one sentence.
    pub why: Option<String>,
    /// The same for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WhyView>,
    /// What it was promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<PromiseView>,
    /// How content everybody was with the plan that gave it its window, from 0 to 1, where plans are chosen by satisfaction: users and the
    /// administrator by name, owners by site; only for a single job.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub satisfaction: BTreeMap<String, Num>,
    /// How the tasks of a workflow are placed, and who chose that; none once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<StrategyView>,
    /// The search that it asks for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// What is started and ends by itself; only for a single job.
    pub parts: Vec<PartView>,
}

/// How the tasks of a workflow are placed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StrategyView {
    /// asap, alap, cheapest, fastest or balanced.
    pub name: String,
    /// Who chose it.
    pub by: StrategyByKind,
    /// The place of the VO's rule that gave it, from 0 on, as the rules were then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<u32>,
}

/// Who chose a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyByKind {
    /// The user.
    User,
    /// Nobody: it is the usual one.
    Nobody,
    /// A rule of the VO.
    Policy,
}

impl StrategyView {
    /// It, and who chose it, for people.
    pub fn text(&self) -> String {
        let by = match (self.by, self.rule) {
            (StrategyByKind::User, _) => "asked for".to_owned(),
            (StrategyByKind::Nobody, _) => "the usual one".to_owned(),
            (StrategyByKind::Policy, None) => "given by the VO".to_owned(),
            (StrategyByKind::Policy, Some(rule)) => format!("given by the VO's rule {rule}"),
        };
        format!("{} ({by})", self.name)
    }
}

/// The elements of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArrayView {
    /// Their indices, and how many may run at once, as in a job file.
    pub elements: String,
    /// How many there are.
    pub count: u32,
    /// How many may run at once, where that is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// How many wait for their turn.
    pub pending: u32,
    /// Which, as ranges; only the first of many.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pending_elements: String,
    /// How many of the others are in each state.
    pub states: BTreeMap<String, u32>,
    /// How many elements the request has changed, where it named several or the whole array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<u32>,
}

/// What a job was promised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromiseView {
    /// It starts no later.
    pub start: Stamp,
    /// It has ended by then.
    pub finish: Stamp,
    /// It costs no more, in credits.
    pub cost: Num,
}

/// What is started and ends by itself: one of the parallel tasks of a job, or one task of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartView {
    /// Its place among the job's parts, from 0 on.
    pub part: u32,
    /// The task of the workflow.
    pub task: Option<String>,
    /// The name of the site where it is to run, runs or ran.
    pub site: String,
    /// On which node; none in a queue.
    pub node: Option<String>,
    /// When it starts or started.
    pub start: Stamp,
    /// When it should have ended, or has.
    pub end: Stamp,
    /// How far it is, or how it ended.
    pub state: PartStage,
    /// The code that it failed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What it used, where it has ended and its site counts that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<UsedView>,
}

/// Jobs, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobsView {
    /// The jobs.
    pub jobs: Vec<JobView>,
    /// Where to go on: the `before` of the next request. None when there are no more.
    pub next: Option<u64>,
}

/// Why a job is where it is, and what would help.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplanationView {
    /// Its number.
    pub job: u64,
    /// Where it is.
    pub state: JobState,
    /// In one sentence.
    pub summary: String,
    /// What stood in the way when it was last planned.
    pub reasons: Vec<FitView>,
    /// The smallest change of each kind that would have helped then.
    pub changes: Vec<ChangeView>,
    /// Its place in the queue and what that is made of, while it waits.
    pub rank: Option<RankView>,
    /// What has happened to it, oldest first.
    pub history: Vec<HappeningView>,
}

/// A place in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankView {
    /// From 1 on.
    pub place: u32,
    /// Among so many.
    pub of: u32,
    /// The weighted sum.
    pub score: i64,
    /// Whether it has waited so long that it goes before all that have not.
    pub overdue: bool,
    /// What the sum is made of, before weighting, in millionths.
    pub aspects: BTreeMap<String, i64>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HappeningView {
    /// When it happened, by the service's time.
    pub at: Stamp,
    /// What, in one sentence.
    pub text: String,
    /// Why, for programs, where there is a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WhyView>,
}

/// What became of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubmittedView {
    /// The job's number.
    pub job: u64,
    /// What the next plan would do with it, where that was asked for and found in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<OutlookView>,
    /// What it asks for and does not get, though it is taken, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What the next plan would do with a job, as things are: when and where it would run, or why it would not. Nothing is promised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutlookView {
    /// Which jobs it waits for, and others for their user's word or for earlier jobs of their name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Those of them that have to fail before it can start: its times hold if they do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
    /// How many elements it has, where it is an array: times and price are those of the first that start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<u32>,
    /// When it would start; without it, there are reasons, or what it waits for cannot be foreseen, or no site has said yet what is free.
    pub start: Option<Stamp>,
    /// When it would have ended.
    pub finish: Option<Stamp>,
    /// Of an array, about when its last element would have ended at the earliest: if each takes as long as the first, and all nodes that fit were
    /// its own from the first start on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_finish: Option<Stamp>,
    /// How many of its elements could have ended by its deadline at most, by the same estimate, where that is not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_time: Option<u32>,
    /// What it would cost at most, in credits.
    pub price: Option<Num>,
    /// Where it would run.
    pub sites: Vec<String>,
    /// Why it would not run.
    pub reasons: Vec<FitView>,
    /// What would help it.
    pub changes: Vec<ChangeView>,
}
