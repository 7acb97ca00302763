//! What the service says: the shapes of its answers, for servers and clients alike.
//!
//! Money is in credits, spans are in seconds, both as exact decimals; points in time are RFC 3339 in UTC. The comments of
//! these types are the descriptions in the OpenAPI document.

use super::stamp::Stamp;
use crate::number::Num;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// It waits for a cycle.
    Queued,
    /// It is part of the batch that is being planned.
    Planning,
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
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Planning => "planning",
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
    /// When it starts or started, as far as that is known.
    pub start: Option<Stamp>,
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
    /// The number of its reservation, or of its last.
    pub reservation: Option<u64>,
    /// How many reservations failed that it could do nothing about.
    pub attempts: u32,
    /// Why it is where it is, in one sentence.
    pub why: Option<String>,
    /// What is started and ends by itself; only for a single job.
    pub parts: Vec<PartView>,
}

/// What is started and ends by itself: one of the parallel tasks of a job, or one task of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartView {
    /// Its place.
    pub part: u32,
    /// The task of the workflow.
    pub task: Option<String>,
    /// Where.
    pub site: String,
    /// On which node; none in a queue.
    pub node: Option<String>,
    /// When it starts or started.
    pub start: Stamp,
    /// When it should have ended, or has.
    pub end: Stamp,
    /// How far it is: waiting, due, running, or how it ended.
    pub state: String,
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
    pub reasons: Vec<String>,
    /// The smallest change of each kind that would have helped then.
    pub changes: Vec<ChangeView>,
    /// Its place in the queue and what that is made of, while it waits.
    pub rank: Option<RankView>,
    /// What has happened to it, oldest first.
    pub history: Vec<HappeningView>,
}

/// A change that would make a job fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// What to change: budget, deadline, performance, tasks and so on.
    pub kind: String,
    /// To what, in one sentence.
    pub text: String,
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
    /// When.
    pub at: Stamp,
    /// What, in one sentence.
    pub text: String,
}

/// A quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuoteView {
    /// Its number.
    pub quote: u64,
    /// The name of the job.
    pub name: String,
    /// Until when it binds.
    pub until: Stamp,
    /// The alternatives, none at once later and dearer than another.
    pub options: Vec<OptionView>,
    /// Why there is none.
    pub reasons: Vec<String>,
    /// The smallest change of each kind that would help.
    pub changes: Vec<ChangeView>,
}

/// One of a quote's alternatives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionView {
    /// Its number, from 0 on.
    pub option: u32,
    /// When it starts; only expected, in a queue.
    pub start: Stamp,
    /// When it has ended.
    pub finish: Stamp,
    /// What it costs at most, in credits.
    pub price: Num,
    /// Where it runs.
    pub sites: Vec<String>,
    /// How well it suits the user, from 0 to 1.
    pub satisfaction: Num,
    /// The job ends in the time that it asks for with at least this probability, where history says so.
    pub confidence: Option<Num>,
}

/// What became of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubmittedView {
    /// The job's number.
    pub job: u64,
}

/// What became of an accepted quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptedView {
    /// The job's number.
    pub job: u64,
    /// The number of its reservation.
    pub reservation: u64,
}

/// Free time that is for sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferView {
    /// Where.
    pub site: String,
    /// On which node; none in a queue.
    pub node: Option<String>,
    /// From when.
    pub start: Stamp,
    /// Until when; in a queue, when the wait is expected to end.
    pub end: Stamp,
    /// Credits a second.
    pub price: Num,
    /// Speed relative to the reference node.
    pub performance: Num,
}

/// What is for sale, as the sites said last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OffersView {
    /// The offers, by site, node and time.
    pub offers: Vec<OfferView>,
    /// Whether there are more than are listed.
    pub more: bool,
}

/// A site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteView {
    /// Its name.
    pub name: String,
    /// Who earns what it sells.
    pub owner: String,
    /// How it offers its time: slots, capacity or queue.
    pub kind: String,
    /// What is behind it: simulated or local.
    pub connector: String,
    /// Whether it has failed.
    pub lost: bool,
    /// The factor that follows demand.
    pub demand: Num,
    /// Its nodes.
    pub nodes: Vec<NodeView>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeView {
    /// Its name.
    pub name: String,
    /// What the owner's prices may name it by.
    pub class: Option<String>,
    /// Speed relative to the reference node.
    pub performance: Num,
    /// Its base price, in credits a second.
    pub price: Num,
    /// Whether it has failed.
    pub lost: bool,
}

/// The sites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SitesView {
    /// In the order in which they joined.
    pub sites: Vec<SiteView>,
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountView {
    /// Whose: `user:NAME`, `owner:NAME`, `fee`, `outside`.
    pub account: String,
    /// What is on it, in credits.
    pub balance: Num,
    /// What is held for reservations beside it, in credits.
    pub held: Num,
    /// What may be spent now, in credits.
    pub available: Num,
    /// Limits on spending that count for it.
    pub budgets: Vec<BudgetView>,
}

/// A limit on spending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetView {
    /// Whose: `user:NAME`, `group:NAME`, `vo`.
    pub spender: String,
    /// How long a period lasts, in seconds.
    pub period: Num,
    /// What may be spent in it, in credits.
    pub amount: Num,
    /// What is left of it now, in credits.
    pub left: Num,
}

/// Accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountsView {
    /// All of them.
    pub accounts: Vec<AccountView>,
}

/// What has moved on an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementView {
    /// Whose.
    pub account: String,
    /// Newest first.
    pub lines: Vec<StatementLine>,
    /// Where to go on: the `before` of the next request. None when there are no more.
    pub next: Option<u64>,
}

/// One movement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementLine {
    /// Its number, in the order of the journal.
    pub line: u64,
    /// When.
    pub at: Stamp,
    /// What for: deposit, lien, charge, refund, compensation and so on.
    pub purpose: String,
    /// How much, in credits; negative when it left the account.
    pub amount: Num,
    /// What was on the account after it.
    pub balance: Num,
    /// The job that it was for.
    pub job: Option<u64>,
}

/// A user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserView {
    /// Their name.
    pub name: String,
    /// For budgets and rules of access.
    pub group: Option<String>,
    /// What they may use, against the others.
    pub share: u32,
    /// How low their balance may go, in credits.
    pub lowest: Num,
}

/// The users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsersView {
    /// By name.
    pub users: Vec<UserView>,
}

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Submits jobs and pays.
    User,
    /// Sets prices and earns.
    Owner,
    /// Sets the rules.
    Administrator,
}

impl Role {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Owner => "owner",
            Role::Administrator => "administrator",
        }
    }
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenView {
    /// Its number.
    pub token: u64,
    /// What it allows.
    pub role: Role,
    /// Whose it is: the name of a user or of an owner.
    pub name: String,
    /// When it was made.
    pub made_at: Stamp,
    /// When it expires, if ever.
    pub expires_at: Option<Stamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Stamp>,
}

/// The tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokensView {
    /// Oldest first.
    pub tokens: Vec<TokenView>,
}

/// A new token. Its secret is shown this once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenMade {
    /// What it allows.
    pub token: TokenView,
    /// What to send with every request: `Authorization: Bearer SECRET`.
    pub secret: String,
}

/// Who is asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MeView {
    /// What they may do.
    pub role: Role,
    /// Their name.
    pub name: String,
}

/// How the service is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusView {
    /// The service's time.
    pub now: Stamp,
    /// How much faster than a clock it runs.
    pub speed: u32,
    /// The version of Walras.
    pub version: String,
    /// Whether submissions are taken.
    pub writable: bool,
    /// How many jobs wait.
    pub queued: u64,
    /// How many have a window.
    pub reserved: u64,
    /// How many run.
    pub running: u64,
    /// How many have ended, one way or another.
    pub ended: u64,
    /// The latest cycle.
    pub cycle: CycleView,
}

/// A cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CycleView {
    /// Its number; 0 before the first.
    pub cycle: u64,
    /// Whether it is open still.
    pub open: bool,
    /// When the next one begins.
    pub next_at: Option<Stamp>,
    /// What the last plan came to: optimal, or how far it is at most from the best.
    pub proof: Option<String>,
    /// How many jobs the last plan served.
    pub served: u32,
    /// How many it left out.
    pub unserved: u32,
}

/// Something that has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventView {
    /// The place of its entry in the journal: where to go on after a break.
    pub position: u64,
    /// When.
    pub at: Stamp,
    /// What kind of thing: `job-queued`, `reservation-held`, `part-ended` and so on.
    pub kind: String,
    /// Which job it concerns.
    pub job: Option<u64>,
    /// Whose job.
    pub user: Option<String>,
    /// Which site it concerns.
    pub site: Option<String>,
    /// In one sentence.
    pub text: String,
}

/// Who has which node when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimetableView {
    /// The service's time.
    pub now: Stamp,
    /// What is shown begins here.
    pub from: Stamp,
    /// And ends here.
    pub to: Stamp,
    /// One row a node, in the order of sites and nodes.
    pub rows: Vec<TimetableRow>,
}

/// A node's time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimetableRow {
    /// The site.
    pub site: String,
    /// The node.
    pub node: String,
    /// Whether it has failed.
    pub lost: bool,
    /// What it is used for, in order.
    pub bars: Vec<TimetableBar>,
}

/// A stretch of a node's time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimetableBar {
    /// From when.
    pub start: Stamp,
    /// Until when.
    pub end: Stamp,
    /// What it is.
    pub kind: BarKind,
    /// The job; none for the owner's own use, and for jobs that the asker may not see.
    pub job: Option<u64>,
    /// The job's name, where it may be seen.
    pub name: Option<String>,
}

/// What a node's time is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BarKind {
    /// The owner uses it, or does not offer it.
    Owner,
    /// Asked for, not yet confirmed.
    Asked,
    /// Held for a job.
    Held,
    /// A job runs.
    Running,
    /// A job has run.
    Ended,
}

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorView {
    /// What kind of refusal: `bad-request`, `not-found`, `forbidden`, `no-money`, `key-used` and so on.
    pub code: String,
    /// One sentence for people: what was wrong, and what would be right.
    pub message: String,
    /// The number under which the service's log knows the request.
    pub trace: String,
}
