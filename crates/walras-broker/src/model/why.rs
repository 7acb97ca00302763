//! Why a job is not running, or not running any more; and how its parts end.

use super::account::Unpayable;
use super::budget::Overspent;
use super::element::ArrayCounts;
use super::gate::{Dependency, Waits};
use super::id::JobNumber;
use super::mismatch::Mismatch;
use super::moving::MoveFault;
use serde::{Deserialize, Serialize};
use walras_model::{Explanation, Money, NodeId, SiteId, Span, TaskId, Time};

/// How a part ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartEnd {
    /// It ended well; a program's exit code was 0.
    Done,
    /// By itself, with that code.
    Failed(i32),
    /// It needed more time than it had.
    TimedOut,
    /// Its node or its site failed.
    Lost,
    /// The owner took the node back.
    TakenBack,
    /// What watched over it is gone, on a machine that goes on: it may have done that itself.
    Vanished,
    /// It ended well, and a file that it should have written is not there.
    NoOutput {
        /// The place of the file among the outputs of its task, or of its job where that is no workflow.
        file: u32,
        /// What is wrong with it.
        fault: OutputFault,
    },
    /// It used more memory than it may.
    OutOfMemory {
        /// How much that is, in bytes.
        limit: u64,
    },
}

impl PartEnd {
    /// The code that its program ended with, where that was not 0; 125 where it left no output.
    pub fn code(self) -> Option<i32> {
        match self {
            PartEnd::Failed(code) => Some(code),
            PartEnd::NoOutput { .. } => Some(125),
            PartEnd::Done | PartEnd::TimedOut | PartEnd::Lost | PartEnd::TakenBack | PartEnd::Vanished => {
                None
            }
            PartEnd::OutOfMemory { .. } => None,
        }
    }
}

/// Why a file that a task, or a job on one node, should have written is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputFault {
    /// There is nothing of that name. Journals of before say so of what is no plain file, too.
    NotThere,
    /// It is a directory.
    Directory,
    /// It is neither a file nor a directory: a pipe, a socket, a device.
    Special,
    /// It is a link, or lies behind one: no link is followed.
    Link,
    /// The system does not let anybody look.
    Refused,
}

/// Why a site refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteRefusal {
    /// The time is taken.
    Busy,
    /// It was prepared, but that has expired.
    Expired,
    /// The price is not what it was.
    PriceChanged,
    /// It knows of no such reservation.
    Unknown,
    /// Its owner does not take the job.
    Unwilling,
    /// It has no account for the job's user.
    NoAccount,
    /// Its owner needs what was held, of a node of which others hold something too.
    TakenBack,
}

/// Why a job is assigned to no site that sells capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unassigned {
    /// The next round has not come.
    NotDue,
    /// It may not start yet.
    NotYet {
        /// When it may.
        earliest: Time,
    },
    /// It would fit if others had not the processors.
    NoRoom,
    /// No site that it may use has as many processors that are alike, free or not; nor all together, where it may be split.
    TooWide {
        /// How many it needs.
        tasks: u32,
        /// How many there are at most.
        most: u64,
    },
    /// It ends too late everywhere.
    TooLate {
        /// The shortest time in which it could be done.
        fastest: Span,
        /// How long it may take.
        within: Span,
    },
    /// It costs too much everywhere where it would end in time.
    TooDear {
        /// The least cost.
        cheapest: Money,
        /// What it may cost.
        budget: Money,
    },
    /// Its cost or run time leaves the range of numbers.
    OutOfRange,
}

impl Unassigned {
    /// Whether waiting alone may help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Unassigned::NotDue | Unassigned::NotYet { .. } | Unassigned::NoRoom)
    }
}

/// Why a job is not running, or not running any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// No window, and what would help.
    NoFit(Box<Explanation>),
    /// There are windows, but the VO's limits left none for it.
    LeftOut,
    /// There are windows, but an owner's quota left none for it.
    OverQuota,
    /// Workflows of its user have all the nodes that they may have at a time.
    NodesHad {
        /// How many they have.
        had: u32,
        /// How many they may have.
        most: u32,
    },
    /// Room is made for a job that has waited too long.
    MakingRoom(JobNumber),
    /// It is assigned to no site that sells capacity, and none that sells windows takes it.
    Unassigned(Unassigned),
    /// Owners' rules of access refuse every window.
    NotAdmitted,
    /// The account does not hold enough.
    NoMoney(Unpayable),
    /// A budget does not allow it.
    OverBudget(Overspent),
    /// What was planned does not hold any more; with everything that does not.
    Outdated(Vec<Mismatch>),
    /// A site refused.
    Refused {
        /// The site that refused.
        site: SiteId,
        /// What kept the site from it.
        refusal: SiteRefusal,
    },
    /// Sites did not answer in time.
    Silent(Vec<SiteId>),
    /// A node failed.
    NodeLost(NodeId),
    /// A site failed.
    SiteLost(SiteId),
    /// The owner needed a node.
    TakenBack(NodeId),
    /// A part ended badly; with its place and how.
    PartEnded {
        /// Its place among the parts.
        part: u32,
        /// How it ended.
        end: PartEnd,
    },
    /// A task took so long that the others do not fit any more.
    Late,
    /// The moment to start was missed.
    StartMissed,
    /// The files of a task could not be brought to where they are read; it runs again. Journals of before say it so.
    FilesLost(TaskId),
    /// A file of a task could not be brought to where it is read. The task runs again, unless the file would be the same.
    NotBrought {
        /// The name of the task that wrote it.
        task: String,
        /// Where it is read.
        to: SiteId,
        /// Which file, and what is wrong with it.
        fault: MoveFault,
    },
    /// A task, or a job on one node, ended well without a file that it should have written.
    NoOutput {
        /// Its place among the parts.
        part: u32,
        /// The file.
        file: String,
        /// What is wrong with it.
        fault: OutputFault,
    },
    /// Planning took too long.
    NotPlanned,
    /// The deadline cannot be kept any more.
    DeadlinePassed,
    /// It failed so often that it was given up; the last time because of this.
    TooOften(Box<Why>),
    /// Its user cancelled it.
    Cancelled,
    /// It was held for a quote, and not taken.
    NotTaken,
    /// It waits for other jobs, or for its user's word.
    Waits(Box<Waits>),
    /// What it waits for can never be.
    NeverMet(Dependency),
    /// Not all elements of an array ended well.
    Elements(ArrayCounts),
}

impl Why {
    /// Whether a part of the job vanished, which it may have done itself.
    pub fn is_vanishing(&self) -> bool {
        matches!(self, Why::PartEnded { end: PartEnd::Vanished, .. })
    }

    /// Whether the job has not failed by itself, so that its attempts count.
    pub fn is_failure(&self) -> bool {
        !matches!(
            self,
            Why::Refused { refusal: SiteRefusal::NoAccount, .. }
                | Why::NoFit(_)
                | Why::LeftOut
                | Why::OverQuota
                | Why::NodesHad { .. }
                | Why::MakingRoom(_)
                | Why::Unassigned(_)
                | Why::NotAdmitted
                | Why::NoMoney(_)
                | Why::OverBudget(_)
                | Why::Outdated(_)
                | Why::NotPlanned
                | Why::Cancelled
                | Why::NotTaken
                | Why::Waits(_)
                | Why::NeverMet(_)
                | Why::Elements(_)
        )
    }
}
