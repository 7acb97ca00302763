//! What is wrong with what people and sites send: the details of a refusal, as data.

use super::gate::Dependency;
use serde::{Deserialize, Serialize};
use walras_core::prefer::Criterion;
use walras_model::{Money, NodeId, SiteId, Time};

/// What is wrong with a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadJob {
    /// It has no tasks.
    NoTasks,
    /// Its budget is below zero.
    NegativeBudget(Money),
    /// A delay costs less than nothing.
    NegativeDelayCost(Money),
    /// Its command has too many arguments.
    TooManyArguments {
        /// How many it has.
        arguments: usize,
        /// How many it may have.
        most: usize,
    },
    /// Its command is too long.
    CommandTooLong {
        /// How long it is, in bytes.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// Its script is too long.
    ScriptTooLong {
        /// How long it is, in bytes.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// The file for what it prints is not in its directory.
    BadOutput(String),
    /// A variable of its environment has a name or a value that cannot be, or one that the sites set.
    BadVariable(String),
    /// The variables of its environment are too many, or too long.
    EnvironmentTooLarge {
        /// How long they are, in bytes.
        bytes: usize,
        /// How long they may be.
        most: usize,
    },
    /// The directory in which its programs begin cannot be one.
    BadDirectory(String),
    /// Nobody could be told of it there.
    BadAddress(String),
    /// What is noted of it is too long.
    CommentTooLong {
        /// How long it is, in bytes.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// It names a site that is not there.
    NoSite(SiteId),
    /// Its workflow has too many tasks.
    TooManyTasks {
        /// How many it has.
        tasks: usize,
        /// How many it may have.
        most: usize,
    },
    /// It, or a task of its workflow, has a file whose name leads out of its directory.
    OutsideFile(String),
    /// Two tasks of its workflow write the same file.
    WrittenTwice(String),
    /// A task of its workflow reads a file that no task before it writes, and that does not come with the job.
    NoSource(String),
    /// The tasks of its workflow say what more tasks run than there are.
    TooManyPrograms {
        /// How many there are.
        programs: usize,
        /// How many there may be.
        most: usize,
    },
    /// The files that come with it are too large.
    FilesTooLarge {
        /// How large they are, in bytes.
        bytes: usize,
        /// How large they may be.
        most: usize,
    },
    /// It, or a task of its workflow, reads and writes too many files.
    TooManyFiles {
        /// How many these are.
        files: usize,
        /// How many there may be.
        most: usize,
    },
    /// Its strategy needs a deadline, and it has none.
    NeedsDeadline,
    /// Its strategy needs a budget or a price cap, and it has neither.
    NeedsBudget,
    /// Its own search lists no alternative.
    NoAlternatives,
    /// Its own search goes by an attribute whose name is too long.
    LongCriterion {
        /// How long it is, in bytes.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// It weighs a criterion of which nothing is known here: no history, no deadline, no node that states it.
    UnknownOfJobs(Criterion),
    /// It waits for a job that its user does not have, or that ended too long ago to be known.
    NoDependency(Dependency),
    /// It waits for an element of a job that is no array, or that the array does not have.
    NoElement(Dependency),
    /// It waits for something that can never be any more.
    NeverMet(Dependency),
    /// It waits for too many others.
    TooManyDependencies {
        /// How many it waits for.
        dependencies: usize,
        /// How many it may wait for.
        most: usize,
    },
    /// A quote was asked for, and it could not be planned at once: it waits for something.
    QuoteWaits,
    /// A quote was asked for, and it is an array.
    QuoteOfArray,
    /// It cannot be written to the journal.
    Unwritable,
}

/// What is wrong with a site, or with what it offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadSite {
    /// A queue has no nodes of its own; this one names some.
    QueueWithNodes(usize),
    /// Every site but a queue has nodes; this one has none.
    NoNodes,
    /// A site of this name has left, and was another: with another owner, kind or nodes.
    OtherBefore,
    /// It offers its time in another way than it joined with.
    OtherKind,
    /// A queue has no nodes that could be drained or reclaimed.
    QueueHasNoNodes,
    /// No node was named that could be drained, resumed or reclaimed.
    NoNodesNamed,
    /// The node is not one of the site's.
    OtherNode(NodeId),
    /// That is over already.
    Over(Time),
    /// A node has as many times at which it is drained as there may be.
    DrainedTooOften {
        /// The node that is drained too often.
        node: NodeId,
        /// How many there may be.
        most: usize,
    },
}

/// What is wrong with a name or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadName {
    /// It is empty.
    Empty,
    /// It is too long.
    TooLong {
        /// How long it is, in bytes.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// It has a control character.
    Control,
    /// Another has it.
    Taken,
}

/// What is wrong with an amount, or with what goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadAmount {
    /// A balance's lower limit is above zero.
    LowestAboveZero(Money),
    /// A balance's lower limit is above what is on the account already.
    LowestAboveBalance {
        /// The limit.
        lowest: Money,
        /// What is on the account.
        balance: Money,
    },
    /// A user has no share.
    NoShare,
    /// A budget is below zero.
    NegativeBudget(Money),
    /// A budget's period has no length.
    NoPeriod,
    /// A deposit moves nothing.
    NothingDeposited,
    /// A deposit is larger than one may be.
    TooLarge {
        /// The amount.
        amount: Money,
        /// The most that moves at once.
        most: Money,
    },
}

/// What there can be too many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Countable {
    /// Jobs that have not ended.
    Jobs,
    /// Quotes that bind.
    Quotes,
    /// Quotes of one user that sites hold.
    HeldQuotes,
    /// Sites.
    Sites,
    /// Nodes of all sites.
    Nodes,
    /// Free intervals in one offer.
    FreeIntervals,
}
