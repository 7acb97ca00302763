//! What the broker wants done, as data. Whoever performs it repeats it until it is acknowledged; sites and users know
//! each by its number, so that doing it twice does no harm.

use super::allocation::Hold;
use super::id::{CycleNumber, JobNumber, NoticeNumber, ReservationNumber};
use super::notice::{Letter, News};
use super::particulars::Particulars;
use super::program::TaskProgram;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use walras_model::{Interval, NodeId, SiteId, TaskId, Time};

/// Something to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Ask a site what is free.
    AskOffers {
        /// The site that is asked.
        site: SiteId,
        /// For which cycle.
        cycle: CycleNumber,
        /// Over which time.
        horizon: Interval,
        /// Which numbers the nodes have that the site has got since it joined, and has now.
        later_nodes: Vec<(NodeId, String)>,
    },
    /// Make a plan: [`crate::plan::plan`] of [`crate::Broker::problem`].
    Plan(CycleNumber),
    /// Hold time on a site until it expires. A site that has released a number never holds it again.
    Prepare {
        /// The site that is to hold it.
        site: SiteId,
        /// Under which number.
        reservation: ReservationNumber,
        /// The job and its user; a site that has no account for them refuses.
        customer: Customer,
        /// What to hold. Parts name their hold by its place in this list.
        holds: Vec<Hold>,
        /// The site gives the time back by itself then, unless it was asked to confirm before.
        expiry: Time,
    },
    /// Keep what was prepared.
    Confirm {
        /// The site that has prepared.
        site: SiteId,
        /// The number under which it was prepared.
        reservation: ReservationNumber,
    },
    /// Run parts on what is held.
    Start {
        /// The site that holds their time.
        site: SiteId,
        /// The number under which it is held.
        reservation: ReservationNumber,
        /// The job that the parts are of; sites know its files by it.
        job: JobNumber,
        /// Which parts, each with the place of its hold and when it must have ended.
        parts: Vec<StartPart>,
        /// How many parts the job has, on all sites.
        size: u32,
        /// Where all of them are, those of other sites too.
        peers: Arc<[Peer]>,
        /// What to run.
        program: Box<Program>,
        /// Whether they begin only when the site was told that all sites of their window are ready ([`Effect::Go`]), and never without.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        together: bool,
    },
    /// All sites of a window are ready: what was to be started begins at its time.
    Go {
        /// The site that holds its parts back.
        site: SiteId,
        /// The number under which their time is held.
        reservation: ReservationNumber,
    },
    /// Bring files of a task from one site to another: [`crate::Input::Moved`] says what came of it.
    Move(Box<FileMove>),
    /// Say what has become of the parts that run.
    Observe {
        /// The site where they run.
        site: SiteId,
        /// The number under which their time is held.
        reservation: ReservationNumber,
    },
    /// Give up what is held; nothing runs on it.
    Release {
        /// The site that holds it.
        site: SiteId,
        /// The number under which it is held.
        reservation: ReservationNumber,
    },
    /// Stop what runs, and give up what is held.
    Cancel {
        /// The site where it runs.
        site: SiteId,
        /// The number under which it is held.
        reservation: ReservationNumber,
    },
    /// Tell a user.
    Notify {
        /// By this number.
        notice: NoticeNumber,
        /// The user who is told: whose job it is.
        user: String,
        /// About which job.
        job: JobNumber,
        /// What has happened to it.
        news: Box<News>,
        /// What goes to somebody by mail or by a call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        letter: Option<Box<Letter>>,
    },
}

/// For whom time is held: a site may have no account for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    /// The number of the job that the time is for.
    pub job: JobNumber,
    /// Whose it is.
    pub user: String,
    /// The user's group.
    pub group: Option<String>,
}

/// Where one part of a job is, by names that people and programs know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// Its place among the parts.
    pub part: u32,
    /// On which site.
    pub site: String,
    /// On which node; in a queue nobody knows.
    pub node: Option<String>,
}

/// Files to be brought to a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMove {
    /// For which reservation.
    pub reservation: ReservationNumber,
    /// The job that has written and reads them.
    pub job: JobNumber,
    /// Whose job it is.
    pub user: String,
    /// Which task has written them.
    pub task: TaskId,
    /// What it is called.
    pub name: String,
    /// Where they are.
    pub from: SiteId,
    /// Where they are read.
    pub to: SiteId,
    /// Their paths in the directory that the job's tasks share.
    pub files: Vec<String>,
}

/// What a job runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The job's name.
    pub name: String,
    /// Whose job it is.
    pub user: String,
    /// An argument vector; the arguments of the script, where there is one.
    pub command: Vec<String>,
    /// The text of a program.
    pub script: Option<String>,
    /// The name of the file for what it prints.
    pub output: Option<String>,
    /// What it finds around it.
    #[serde(default, skip_serializing_if = "Particulars::is_plain")]
    pub particulars: Particulars,
    /// Its place in an array, where it is an element of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<ArrayPlace>,
    /// Whether its parts are the tasks of a workflow, which share a directory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares: bool,
}

/// The place of an element in its array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayPlace {
    /// The array's number.
    pub array: JobNumber,
    /// The element's index.
    pub index: u32,
    /// How many elements there are.
    pub count: u32,
    /// The lowest index of all.
    pub lowest: u32,
    /// The highest index of all.
    pub highest: u32,
    /// How far apart they are, where all are equally; 1 otherwise.
    pub step: u32,
}

/// A part to be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartPart {
    /// Its place among the parts.
    pub part: u32,
    /// The place of its hold.
    pub hold: u32,
    /// The name of its task, in a workflow.
    pub task: Option<String>,
    /// What that task runs, where it says so itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<TaskProgram>>,
    /// Its place in the gang, where its task takes several nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gang: Option<GangPlace>,
    /// When it should begin, and not before.
    pub start: Time,
    /// When it should have ended.
    pub end: Time,
}

/// A part's place among those of a task that takes several nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GangPlace {
    /// From 0 on. The first leaves the task's files.
    pub rank: u32,
    /// Where all of the gang are, by rank.
    pub peers: Arc<[Peer]>,
}

impl Effect {
    /// The site that it is for; `None` when it is not for a site.
    pub fn site(&self) -> Option<SiteId> {
        match self {
            Effect::AskOffers { site, .. }
            | Effect::Prepare { site, .. }
            | Effect::Confirm { site, .. }
            | Effect::Start { site, .. }
            | Effect::Go { site, .. }
            | Effect::Observe { site, .. }
            | Effect::Release { site, .. }
            | Effect::Cancel { site, .. } => Some(*site),
            Effect::Plan(_) | Effect::Move(_) | Effect::Notify { .. } => None,
        }
    }
}
