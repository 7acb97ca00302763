//! How the service is, what happens in it, who has which node when, and why it refuses.

use super::likely::CalibrationView;
use super::why::WhyView;
use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::assign::AssignedView;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// How many entries the journal has.
    pub entries: u64,
    /// What an administrator should look at.
    pub alarms: Vec<String>,
    /// How the sites are.
    pub sites: Vec<SiteStatus>,
    /// How often what was said of jobs was right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<CalibrationView>,
}

/// How a site is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteStatus {
    /// Its name.
    pub name: String,
    /// Whose it is.
    #[serde(default)]
    pub owner: String,
    /// What demand multiplies its prices by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<Num>,
    /// Whether it has failed.
    pub lost: bool,
    /// How many nodes it has; a queue has none of its own.
    pub nodes: u64,
    /// How many of them have failed.
    pub nodes_lost: u64,
    /// How many sell nothing new now.
    pub nodes_drained: u64,
    /// How many are held for somebody now.
    pub nodes_busy: u64,
    /// When it last said what is free.
    pub heard_at: Option<Stamp>,
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
    /// What the last plan came to; of what was assigned to capacity, see `assigned`.
    pub proof: Option<ProofView>,
    /// What was assigned to sites that sell capacity, where that was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned: Option<AssignedView>,
    /// What no plan could beat, where prices were looked for that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundView>,
    /// How content everybody is with the last plan, from 0 to 1, where it was chosen by satisfaction: users and the administrator by name,
    /// owners by site.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub satisfaction: BTreeMap<String, Num>,
    /// How many jobs the last plan served.
    pub served: u32,
    /// How many it left out.
    pub unserved: u32,
    /// When it was made; absent before the first since the service started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Stamp>,
    /// How long after its cycle began, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_in: Option<Num>,
}

/// What no plan of the same jobs can beat, in whatever windows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoundView {
    /// How many jobs it speaks of: those that are served in windows, without workflows; where windows may move, all that are planned, at most 200.
    pub jobs: u32,
    /// No plan that serves them costs less for them, in credits.
    pub cost_least: Num,
    /// How far what they cost is above that, as a share of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Num>,
    /// No plan in which each of them has a window loses less: what they cost, and what the delay of their ends is worth to them, in credits. Where windows may
    /// move, they are planned by that, and within what they were promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_least: Option<Num>,
    /// How far what the plan loses is above that, as a share of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_above: Option<Num>,
    /// Of which cycle's plan it is, where it was worked out beside plans; else of the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// No plan serves more in windows, of all jobs but workflows and those in queues.
    pub jobs_most: u32,
    /// How many searches for one job it took.
    pub searches: u64,
    /// In words.
    pub text: String,
}

/// How good a plan is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProofView {
    /// What is proven.
    pub kind: ProofKind,
    /// How far it is at most from the best, as a share of it; only for a gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Num>,
    /// The best of so many alternatives, which were listed; there may be windows that were not. None where it was held against all
    /// windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<u32>,
    /// In words.
    pub text: String,
}

/// What is proven of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofKind {
    /// It is the best of what it was held against.
    Optimal,
    /// It is at most so far from the best of that.
    Gap,
    /// Nothing: there was nothing to choose from, or each job got the best window that was left when its turn came.
    Nothing,
}

/// What kind of thing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A job was submitted.
    JobQueued,
    /// A job is back in the queue.
    JobReturned,
    /// A job is planned, or planned elsewhere.
    JobPlanned,
    /// A job is in the queue: all that it waited for has happened.
    JobFreed,
    /// A user let a job go that was held.
    JobReleased,
    /// Elements of an array ended before their turn came.
    ElementsCut,
    /// A job has ended.
    JobEnded,
    /// A cycle began.
    CycleOpened,
    /// A cycle has its plan.
    CycleDecided,
    /// A cycle ended without a plan.
    CycleEnded,
    /// Sites are asked to hold a window.
    ReservationAsked,
    /// Every site has confirmed.
    ReservationHeld,
    /// A part runs.
    PartStarted,
    /// A part has ended.
    PartEnded,
    /// Files of a task are on their way to another site, have come, or could not be brought.
    Files,
    /// Tasks got other times.
    Rescheduled,
    /// A window is settled or given up.
    ReservationClosed,
    /// A quote was given.
    QuoteGiven,
    /// A quote could not be honoured.
    QuoteBroken,
    /// A node failed.
    NodeLost,
    /// A node does not answer; what runs there may go on.
    NodeDown,
    /// A node is back.
    NodeBack,
    /// A site has more nodes.
    NodesAdded,
    /// A site does not have a node any more.
    NodeGone,
    /// The owner uses a node.
    NodeTaken,
    /// Nothing new is sold of a node for a while.
    NodeDrained,
    /// A node's time is sold again.
    NodeResumed,
    /// A site failed.
    SiteLost,
    /// A site is back.
    SiteBack,
    /// A site has joined.
    SiteAdded,
    /// Who may run on a site, or what it needs around what it holds, has changed.
    SiteChanged,
    /// A site sells nothing new any more.
    SiteLeaving,
    /// A site that was leaving stays.
    SiteStays,
    /// A site has new prices.
    PricesSet,
    /// The VO has new rules.
    PolicySet,
}

impl EventKind {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            EventKind::JobQueued => "job-queued",
            EventKind::JobReturned => "job-returned",
            EventKind::JobPlanned => "job-planned",
            EventKind::JobFreed => "job-freed",
            EventKind::JobReleased => "job-released",
            EventKind::ElementsCut => "elements-cut",
            EventKind::JobEnded => "job-ended",
            EventKind::CycleOpened => "cycle-opened",
            EventKind::CycleDecided => "cycle-decided",
            EventKind::CycleEnded => "cycle-ended",
            EventKind::ReservationAsked => "reservation-asked",
            EventKind::ReservationHeld => "reservation-held",
            EventKind::PartStarted => "part-started",
            EventKind::PartEnded => "part-ended",
            EventKind::Files => "files",
            EventKind::Rescheduled => "rescheduled",
            EventKind::ReservationClosed => "reservation-closed",
            EventKind::QuoteGiven => "quote-given",
            EventKind::QuoteBroken => "quote-broken",
            EventKind::NodeLost => "node-lost",
            EventKind::NodeDown => "node-down",
            EventKind::NodeBack => "node-back",
            EventKind::NodesAdded => "nodes-added",
            EventKind::NodeGone => "node-gone",
            EventKind::NodeTaken => "node-taken",
            EventKind::NodeDrained => "node-drained",
            EventKind::NodeResumed => "node-resumed",
            EventKind::SiteLost => "site-lost",
            EventKind::SiteBack => "site-back",
            EventKind::SiteAdded => "site-added",
            EventKind::SiteChanged => "site-changed",
            EventKind::SiteLeaving => "site-leaving",
            EventKind::SiteStays => "site-stays",
            EventKind::PricesSet => "prices-set",
            EventKind::PolicySet => "policy-set",
        }
    }
}

/// Something that has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventView {
    /// The place of its entry in the journal: where to go on after a break.
    pub position: u64,
    /// When it changed, by the service's time.
    pub at: Stamp,
    /// What kind of thing.
    pub kind: EventKind,
    /// Which job it concerns.
    pub job: Option<u64>,
    /// The user whose job it is, where it concerns a job.
    pub user: Option<String>,
    /// Which site it concerns.
    pub site: Option<String>,
    /// In one sentence.
    pub text: String,
    /// Why, for programs, where there is a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WhyView>,
    /// How many jobs a cycle plans or serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
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
    /// One row a node, in the order of sites and nodes; of many nodes, the first 2,000.
    pub rows: Vec<TimetableRow>,
    /// How many nodes there are, of those that were asked for.
    #[serde(default)]
    pub nodes: u32,
    /// Where sums were asked for and there are more nodes than are listed: all of them by blocks, instead of rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<TimetableBlock>,
}

/// Some hundred nodes of a site that follow each other, as one.
///
/// The time that is shown is divided evenly; for each stretch of it there is how many of the nodes are used in the mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimetableBlock {
    /// The site.
    pub site: String,
    /// The place of its first node among those of the site, from 0: rows of the block are those from `first` on.
    pub first: u32,
    /// How many nodes it has.
    pub nodes: u32,
    /// How many of them have failed.
    pub lost: u32,
    /// How many are held, run or have run.
    pub used: Vec<Num>,
    /// For how many something is planned that may move.
    pub planned: Vec<Num>,
    /// How many their owner uses or does not offer.
    pub owner: Vec<Num>,
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
    /// When the stretch begins; never before what is shown.
    pub start: Stamp,
    /// When the stretch ends; never after what is shown.
    pub end: Stamp,
    /// What it is.
    pub kind: BarKind,
    /// The job; none for the owner's own use, and for jobs that the asker may not see.
    pub job: Option<u64>,
    /// The job's name, where it may be seen.
    pub name: Option<String>,
    /// Whose job it is, where that may be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// What a node's time is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BarKind {
    /// The owner uses it, or does not offer it.
    Owner,
    /// Planned for a job; it may still move.
    Planned,
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
