//! Reasons for programs: a kind, and the fields that go with it, beside the sentence for people.

use super::stage::PartStage;
use crate::described::JsonSchema;
use crate::number::Num;
use crate::plan::ReasonKind;
use crate::sentence::ChangeKind;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_broker::gate::Condition;

/// Why a job is where it is; which fields are there depends on the kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhyView {
    /// What kind of reason.
    pub kind: WhyKind,
    /// The site that refused or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The sites that did not answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<String>,
    /// The node that failed or was taken back, as `SITE/NODE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The job that room is made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<u64>,
    /// The part that ended badly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<u32>,
    /// How the part ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_state: Option<PartStage>,
    /// The code that the part ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How much memory the part may use, in bytes, where it used more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The task that wrote what could not be brought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The file that is not there, or could not be brought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Why the site refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<RefusalKind>,
    /// The account or the budget that does not hold enough: `user:NAME`, `group:NAME`, `vo` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Why it was assigned to no site that sells capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unassigned: Option<UnassignedKind>,
    /// What is there, in credits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available: Option<Num>,
    /// What is needed, in credits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<Num>,
    /// What stands in the way of a job that fits nowhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<FitView>,
    /// What would help it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeView>,
    /// What does not hold any more about a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mismatches: Vec<MismatchView>,
    /// The jobs that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<AwaitedView>,
    /// Whether it waits for its user's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// Whether it waits for earlier jobs of its name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub singleton: bool,
    /// What it waits for and can never be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<AwaitedView>,
    /// How many elements of an array ended in each state.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub elements: BTreeMap<String, u32>,
    /// The last of too many failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Box<WhyView>>,
}

impl WhyView {
    /// A reason without further fields.
    pub(crate) fn plain(kind: WhyKind) -> WhyView {
        WhyView {
            kind,
            site: None,
            sites: Vec::new(),
            node: None,
            job: None,
            part: None,
            part_state: None,
            exit_code: None,
            memory: None,
            task: None,
            file: None,
            refusal: None,
            account: None,
            unassigned: None,
            available: None,
            needed: None,
            reasons: Vec::new(),
            changes: Vec::new(),
            mismatches: Vec::new(),
            waits_for: Vec::new(),
            held: false,
            singleton: false,
            never: None,
            elements: BTreeMap::new(),
            last: None,
        }
    }
}

/// Why a job is not running, or not running any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhyKind {
    /// No window fits: see `reasons` and `changes`.
    NoFit,
    /// The VO's limits left no window for it.
    LeftOut,
    /// An owner's quota left no window for it.
    OverQuota,
    /// Workflows of its user have all the nodes that they may have at a time.
    NodesHad,
    /// Room is made for a job that has waited too long: see `job`.
    MakingRoom,
    /// It is assigned to no site that sells capacity: see `unassigned`.
    Unassigned,
    /// Owners' rules of access refuse every window.
    NotAdmitted,
    /// The account does not hold enough: see `account`, `available` and `needed`.
    NoMoney,
    /// A budget does not allow it: see `account`, `available` and `needed`.
    OverBudget,
    /// What was planned does not hold any more: see `mismatches`.
    Outdated,
    /// A site refused: see `site` and `refusal`.
    Refused,
    /// Sites did not answer in time: see `sites`.
    Silent,
    /// A node failed: see `node`.
    NodeLost,
    /// A site failed: see `site`.
    SiteLost,
    /// The owner needed a node: see `node`.
    TakenBack,
    /// A part ended badly: see `part`, `part_state`, `exit_code` and `memory`.
    PartEnded,
    /// A task took so long that the others do not fit any more.
    Late,
    /// The moment to start was missed.
    StartMissed,
    /// A file of a task could not be brought to where it is read: see `task`, `file` and `site`.
    FilesLost,
    /// A task ended well without a file that it should have written: see `part` and `file`.
    NoOutput,
    /// Planning took too long.
    NotPlanned,
    /// The deadline cannot be kept any more.
    DeadlinePassed,
    /// It failed too often: see `last`.
    TooOften,
    /// Its user cancelled it.
    Cancelled,
    /// It was held for a quote, and not taken.
    NotTaken,
    /// It waits for other jobs, or for its user's word: see `waits_for`, `held`, `singleton` and `never`.
    Waits,
    /// What it waits for can never be: see `never`.
    NeverMet,
    /// Not all elements of an array ended well: see `elements`.
    Elements,
}

/// What must have become of another job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AwaitedView {
    /// Which job, or which element of an array: `17`, `18_3`.
    pub job: String,
    /// What must have become of it before this job may run.
    pub condition: ConditionKind,
}

/// What must have become of a job that another waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConditionKind {
    /// It ended well.
    Ok,
    /// It ended, one way or another.
    Any,
    /// It ended, and not well.
    Failed,
    /// It began.
    Started,
}

impl ConditionKind {
    /// The same as the broker has it.
    pub(crate) fn of(condition: Condition) -> ConditionKind {
        match condition {
            Condition::Ok => ConditionKind::Ok,
            Condition::Any => ConditionKind::Any,
            Condition::Failed => ConditionKind::Failed,
            Condition::Started => ConditionKind::Started,
        }
    }
}

/// Why a site refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// The time is taken.
    Busy,
    /// What it had prepared has expired.
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

/// One thing that stands in the way of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FitView {
    /// What it is.
    pub kind: ReasonKind,
    /// In one sentence.
    pub text: String,
    /// What there is: nodes, credits, credits a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available: Option<Num>,
    /// What it would take, of the same kind; the shortest run time, in seconds, where slots are too short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<Num>,
    /// The job's deadline, where it is too early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Stamp>,
    /// When the first window ends, where the deadline is too early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_end: Option<Stamp>,
}

/// A change that would make a job fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// What to change.
    pub kind: ChangeKind,
    /// To what, as a phrase.
    pub text: String,
    /// To what number: credits, credits a second, tasks, performance, or how much of a resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Num>,
    /// To what moment, for a deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Stamp>,
    /// Of which resource a task would take so much, as the job names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// One thing that does not hold any more about a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MismatchView {
    /// What it is.
    pub kind: MismatchKind,
    /// In words.
    pub text: String,
    /// The site that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The node that it is about, as `SITE/NODE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The task of the workflow that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The moment that was planned: a start, or the end where it is after the deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Stamp>,
    /// The moment that it should keep, or the end of what was planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Stamp>,
    /// What was planned: credits, seconds, performance or a count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Num>,
    /// What it is now, or would have to be, of the same kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Num>,
}

impl MismatchView {
    /// One without further fields.
    pub(crate) fn plain(kind: MismatchKind, text: String) -> MismatchView {
        MismatchView {
            kind,
            text,
            site: None,
            node: None,
            task: None,
            at: None,
            until: None,
            planned: None,
            expected: None,
        }
    }
}

/// What does not hold any more about a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MismatchKind {
    /// Its time has been taken, or its node is gone.
    NotFree,
    /// Its time has another price.
    PriceChanged,
    /// Its start has passed.
    StartPassed,
    /// It breaks a limit of the job: deadline, earliest start or budget.
    OverLimit,
    /// It is not what the job asks for.
    Unfit,
    /// It contradicts itself.
    Inconsistent,
}

/// Why a job was assigned to no site that sells capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnassignedKind {
    /// The next round has not come.
    NotDue,
    /// It may not start yet.
    NotYet,
    /// Others have the processors.
    NoRoom,
    /// No site has as many processors, free or not.
    TooWide,
    /// It ends too late everywhere.
    TooLate,
    /// It costs too much everywhere where it would end in time: see `available` and `needed`.
    TooDear,
    /// Its cost or run time leaves the range of numbers.
    OutOfRange,
}
