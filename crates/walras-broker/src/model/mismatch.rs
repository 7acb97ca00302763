//! What does not hold any more about an alternative that was planned or quoted: data for the journal, with ids, times and money.
//!
//! Between planning and reserving the world goes on. Before anything is reserved the alternative is checked once more;
//! what is wrong with it then is kept as it is here, so that sentences can be reworded without touching the journal.

use serde::{Deserialize, Serialize};
use walras_model::{Data, Interval, Money, NodeId, Performance, Requirement, SiteId, Span, TaskId, Time};

/// One thing that does not hold about an alternative.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mismatch {
    /// It holds nothing, or runs nothing.
    Empty,
    /// There is no such site.
    NoSite(SiteId),
    /// The site has failed.
    SiteLost(SiteId),
    /// A site sells nothing new any more.
    SiteLeaving(SiteId),
    /// The site has no such node.
    NoNode {
        /// The site that was planned on.
        site: SiteId,
        /// The node that it does not have.
        node: NodeId,
    },
    /// Its start is not in the future.
    StartPassed(Time),
    /// A part lies outside what is held for it; with its place among the parts.
    PartOutside(u32),
    /// None of its nodes has any free time.
    NothingFree,
    /// The free time of its nodes cannot be offered, because it contradicts itself.
    NotOffered,
    /// A node is not free for all of the time.
    NotFree {
        /// The node that is not free.
        node: NodeId,
        /// The time that was planned.
        interval: Interval,
    },
    /// A node's time has another price now.
    PriceChanged {
        /// The node whose price has changed.
        node: NodeId,
        /// What its time was to cost.
        was: Money,
        /// What it costs now.
        now: Money,
    },
    /// A hold's cost does not follow from its own rate and length.
    WrongCost {
        /// What was planned.
        cost: Money,
        /// What rate and length come to; `None` beyond the range of money.
        expected: Option<Money>,
    },
    /// The whole does not cost what its holds cost together.
    WrongTotal {
        /// What it is said to cost.
        cost: Money,
        /// What the holds cost.
        expected: Money,
    },
    /// The job must stay on one site, and the nodes are on several.
    SeveralSites,
    /// The job may not run on that site.
    OutsideScope(SiteId),
    /// A node or queue is slower than the job asks.
    TooSlow {
        /// The node or queue that is too slow.
        place: NodeOrQueue,
        /// What it has.
        performance: Performance,
        /// What the job asks.
        least: Performance,
    },
    /// A node or queue lacks what the job requires.
    RequirementUnmet {
        /// The node or queue that lacks it.
        place: NodeOrQueue,
        /// What the job requires.
        requirement: Requirement,
    },
    /// There are more or fewer holds or parts than tasks.
    WrongCount {
        /// The job's tasks.
        tasks: u32,
        /// The holds.
        holds: u32,
        /// The parts.
        parts: u32,
    },
    /// One node is held twice.
    NodeTwice(NodeId),
    /// Another number of a node's units is held than is needed.
    WrongUnits {
        /// The node whose units are held.
        node: NodeId,
        /// How many are held.
        held: u32,
        /// How many are needed.
        expected: u32,
    },
    /// A node's owner keeps it for tasks that ask for more of something.
    KeptForOthers(NodeId),
    /// A node's hold does not start with the window.
    StartsApart {
        /// The node whose hold it is.
        node: NodeId,
        /// When its hold starts.
        start: Time,
        /// When the window starts.
        expected: Time,
    },
    /// A hold is shorter or longer than the work takes there.
    WrongLength {
        /// The node or queue of the hold.
        place: NodeOrQueue,
        /// How long it is held.
        held: Span,
        /// What the work takes; `None` beyond the range of time.
        expected: Option<Span>,
    },
    /// Only the tasks of one parallel job go to one queue.
    NotForQueues,
    /// The site has no queue.
    NotAQueue(SiteId),
    /// It ends after the deadline.
    AfterDeadline {
        /// When it ends.
        end: Time,
        /// When it must have ended.
        deadline: Time,
    },
    /// It starts before the job may.
    BeforeEarliest {
        /// When it starts.
        start: Time,
        /// When it may start.
        earliest: Time,
    },
    /// It costs more than the job may spend.
    OverBudget {
        /// What it costs.
        cost: Money,
        /// What the job may spend.
        budget: Money,
    },
    /// Its parts are not the tasks that are left of the workflow, or do not wait for each other as these do.
    WrongTasks,
    /// A task cannot run where and when it was planned.
    Task {
        /// Which task of the job's workflow.
        task: TaskId,
        /// What is wrong with its place or its time.
        fault: TaskMismatch,
    },
    /// It contradicts itself.
    Inconsistent,
}

/// A node, or a queue, which has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeOrQueue {
    /// A node.
    Node(NodeId),
    /// The queue of a site.
    Queue(SiteId),
}

/// Why a task of a workflow cannot run where and when it was planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskMismatch {
    /// It is on no node that is held.
    NotHeld,
    /// It has more or less time than it needs.
    WrongLength {
        /// The time that was planned.
        planned: Span,
        /// What it needs; `None` beyond the range of time.
        expected: Option<Span>,
    },
    /// It is not inside what is held of its node.
    OutsideHold,
    /// Its node states fewer cores than it uses.
    TooFewCores(u32),
    /// Its node states less memory than it needs.
    TooLittleMemory(Data),
    /// Its node lacks what it requires.
    RequirementUnmet(Requirement),
    /// It costs something else than its time.
    WrongCost {
        /// What was planned.
        cost: Money,
        /// What its time costs.
        expected: Money,
    },
    /// It starts before the data of another task is there.
    BeforeData {
        /// The other task.
        from: TaskId,
        /// When its data arrives.
        arrives: Time,
        /// When this one starts.
        start: Time,
    },
    /// Another task runs on its node at the same time.
    Overlaps(TaskId),
}
