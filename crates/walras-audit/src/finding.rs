//! What an audit finds: which entry broke which promise, as data.

use serde::Serialize;
use walras_broker::account::{Account, Purpose};
use walras_broker::budget::Spender;
use walras_broker::id::{CycleNumber, JobNumber, QuoteNumber, ReservationNumber};
use walras_core::refine::Strategy;
use walras_model::{Money, NodeId, SiteId, TaskId, Time};

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The position of the entry that broke it.
    pub position: u64,
    /// What is wrong.
    pub kind: FindingKind,
}

/// What the broker numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thing {
    /// A job.
    Job,
    /// A quote.
    Quote,
    /// A reservation.
    Reservation,
    /// A cycle.
    Cycle,
}

/// What is wrong. Amounts are in micro-credits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the fields are named by what they hold, and every kind says what it means")]
pub enum FindingKind {
    /// An entry says nothing.
    NoEvents,
    /// Time went back.
    TimeWentBack { before: Time, at: Time },
    /// A number was not the next of its kind.
    NumberOutOfOrder { thing: Thing, number: u64, expected: u64 },
    /// Something happened to a thing that is not there, or not any more.
    NotThere { thing: Thing, number: u64 },
    /// There is no such site.
    NoSuchSite(SiteId),
    /// There is no such node.
    NoSuchNode(NodeId),
    /// There is no such user.
    NoSuchUser(String),
    /// One request was carried out twice.
    RequestTwice { by: String, key: String },
    /// A workflow whose user asked for no strategy has another than the VO's rules give it.
    WrongStrategy { job: String, expected: Strategy },
    /// An event says that somebody said something, and the entry's input says otherwise.
    Unprompted { event: &'static str },

    /// The postings do not sum to zero.
    Unbalanced { sum: i128 },
    /// A posting's purpose does not fit its account, its sign or its event.
    BadPosting { account: Account, purpose: Purpose, amount: Money },
    /// There is no such account.
    NoAccount(Account),
    /// An account is below its limit.
    BelowLimit { account: Account, balance: i128, lowest: i128 },
    /// What is held is not the sum of the open liens.
    HeldDiffers { held: i128, liens: i128 },
    /// A lien is not what the holds cost.
    WrongLien { reservation: ReservationNumber, expected: i128, posted: i128 },
    /// A reservation was not settled as it had to be.
    WrongSettlement {
        reservation: ReservationNumber,
        account: Account,
        purpose: Purpose,
        expected: i128,
        posted: i128,
    },
    /// A deposit was not booked as it was made.
    WrongDeposit { account: Account },
    /// A broken quote was not paid for as the policy says.
    WrongCompensation { quote: QuoteNumber, most: i128, posted: i128 },
    /// A budget was overspent.
    OverBudget { spender: Spender, left: i128, needed: i128 },

    /// A job was reserved for although it was not to be.
    JobNotFree { job: JobNumber },
    /// A job was returned to the queue although it was not out of it.
    JobNotReturning { job: JobNumber },
    /// A job was freed, or let go, before all that it waits for had happened.
    FreedWrongly { job: JobNumber },
    /// A job waits although all that it waits for has happened, or can never happen.
    LeftBehind { job: JobNumber },
    /// An element of an array became a job although it was one, or had ended.
    ElementTwice { array: JobNumber, element: JobNumber },
    /// More elements of an array were jobs at once than it allows.
    TooManyAtOnce { array: JobNumber, live: u32 },
    /// A job is in no reservation, and nobody said why.
    JobForgotten { job: JobNumber },
    /// A job ended in a way that nothing explains.
    WrongEnd { job: JobNumber, why: EndFault },
    /// Workflows of one user were planned on more nodes than they may have at a time.
    TooManyNodes { job: JobNumber, nodes: usize, most: usize },
    /// A task of a workflow was run although it was done.
    TaskTwice { job: JobNumber, task: TaskId },

    /// A step of a cycle came out of order.
    CycleStep { cycle: CycleNumber, step: &'static str },
    /// A site was asked that had failed, or was asked twice.
    AskedWrongly { cycle: CycleNumber, site: SiteId },
    /// A site's offer was taken that nobody waited for.
    OfferUnasked { cycle: CycleNumber, site: SiteId },
    /// Jobs were assigned to sites that sell capacity by another method than the VO's, too soon, or such as are not assigned.
    BadRound { cycle: CycleNumber },
    /// A job has processors of a site that sells capacity, and not as a round has assigned them.
    OutOfRound { job: JobNumber },
    /// A job in the batch was not in the queue, or stands in the batch twice.
    BatchStranger { cycle: CycleNumber, job: JobNumber },
    /// A job in the batch stands before one that goes before it.
    BatchOrder { cycle: CycleNumber, job: JobNumber },
    /// A job was left out of a batch that had room, or the batch is too large.
    BatchSize { cycle: CycleNumber, queued: usize, batch: usize },
    /// A rank does not follow from the journal.
    WrongRank { cycle: CycleNumber, job: JobNumber, aspect: &'static str, expected: i128, found: i128 },

    /// What was reserved could not be.
    BadAllocation { reservation: ReservationNumber, fault: AllocationFault },
    /// A step of a reservation came out of order.
    ReservationStep { reservation: ReservationNumber, step: &'static str },
    /// A site's step came out of order.
    LegStep { reservation: ReservationNumber, site: SiteId, step: &'static str },
    /// A part's step came out of order.
    PartStep { reservation: ReservationNumber, part: u32, step: &'static str },
    /// A part was started before its time.
    TooSoon { reservation: ReservationNumber, part: u32 },
    /// A part was started before what it waits for.
    BeforeOthers { reservation: ReservationNumber, part: u32, after: u32 },
    /// A part was started before the files that it reads had come.
    BeforeFiles { reservation: ReservationNumber, part: u32, file: String },
    /// Files were brought that nobody brings, or from where they are not.
    FilesStep { reservation: ReservationNumber, task: TaskId, step: &'static str },
    /// A part was started while an earlier attempt of its job may still run.
    RunsTwice { reservation: ReservationNumber, earlier: ReservationNumber },
    /// A part started or ended at a moment that cannot be.
    WrongTime { reservation: ReservationNumber, part: u32, at: Time },
    /// Parts were moved to where they cannot run.
    BadSchedule { reservation: ReservationNumber, part: u32, fault: AllocationFault },
    /// A reservation was closed or changed for a reason that the journal does not show.
    WrongReason { reservation: ReservationNumber },
    /// A reservation still relies on a place that is gone.
    LeftThere { reservation: ReservationNumber, place: Gone },
    /// The kept results are not those of the tasks that ended well.
    WrongKept { reservation: ReservationNumber },

    /// A node was said to be as it was already.
    NodeAlready { node: NodeId },
    /// A site was said to be as it was already, or joined twice.
    SiteAlready { site: SiteId },

    /// A quote was used after it had ended, or ended before.
    QuoteTime { quote: QuoteNumber, until: Time },
    /// What a job is planned for does not keep what it is promised.
    PromiseBroken { job: JobNumber },
    /// A promise is another than before, and nothing that it rested on has changed.
    PromiseChanged { job: JobNumber },
    /// A job was planned at a time when nobody decides, or where it cannot run.
    BadPlan { job: JobNumber, fault: Option<AllocationFault> },
    /// What was reserved is not what was planned.
    NotAsPlanned { job: JobNumber },
    /// A quote has no such alternative.
    NoSuchOption { quote: QuoteNumber, option: u32 },
    /// What was reserved is not what was quoted.
    NotAsQuoted { quote: QuoteNumber },
    /// What is held for a quote is not what it lists, or is held although the quote has ended.
    NotHeld { quote: QuoteNumber },
    /// One alternative of a quote is no better than another in any allocation.
    Dominated { quote: QuoteNumber, option: usize, by: usize },
    /// An alternative's times, price or sites are not those of its allocation; or there are too many.
    WrongOption { quote: QuoteNumber, option: usize },
    /// A quote without alternatives says no reason.
    NoReason { quote: QuoteNumber },
}

/// A place that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gone {
    /// A node failed, or its owner took it.
    Node(NodeId),
    /// A site failed.
    Site(SiteId),
}

/// Why a job could not end as it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndFault {
    /// Its reservation is not closed.
    Reserved,
    /// Not all of it was done.
    NotDone,
    /// No part of it failed.
    NotFailed,
    /// It had attempts left, or went on without any.
    Attempts,
    /// Its deadline had not passed.
    InTime,
    /// Nobody cancelled it.
    NotCancelled,
    /// It was not held for a quote, or is still.
    NotOffered,
    /// It is held for a quote, and no job yet.
    Offered,
    /// What it waits for may yet be.
    NotInVain,
}

/// What is wrong with an alternative to run a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the fields are named by what they hold, and every fault says what it means")]
pub enum AllocationFault {
    /// It holds or runs nothing.
    Empty,
    /// A site has two legs.
    SiteTwice(SiteId),
    /// There is no such site.
    NoSite(SiteId),
    /// The site has failed.
    SiteLost(SiteId),
    /// A site sells nothing new any more.
    SiteLeaving(SiteId),
    /// The node is not the site's.
    NotOfSite { node: NodeId, site: SiteId },
    /// A hold in a queue names a node, or one elsewhere names none, or the alternative has both.
    NotAQueue(SiteId),
    /// The node has failed.
    NodeLost(NodeId),
    /// The owner uses the node then.
    NodeTaken(NodeId),
    /// Nothing new may be sold of the node then.
    NodeDrained(NodeId),
    /// The node is held for another reservation then, or twice for this one; or more of its units are than there are.
    DoubleBooked { node: NodeId, other: ReservationNumber },
    /// Another number of a node's units is held than the job's tasks need there.
    WrongUnits { node: NodeId, needed: u32, held: u32 },
    /// The node's owner keeps it for tasks that ask for more of something.
    KeptForOthers(NodeId),
    /// A hold starts in the past.
    Past(Time),
    /// A hold's cost does not follow from its rate.
    WrongCost { expected: i128, cost: i128 },
    /// It ends after the deadline.
    AfterDeadline,
    /// It starts before the job may.
    BeforeEarliest,
    /// It costs more than the job may still spend.
    OverBudget { limit: i128, cost: i128 },
    /// It holds another number of nodes than the job has tasks.
    WrongCount,
    /// Two of its tasks are on one node, and each is to have its own.
    NotSeparate(NodeId),
    /// Its holds do not start together.
    StartsApart,
    /// A hold or a part is not as long as its work takes there.
    WrongLength { expected: i128, length: i128 },
    /// A node is too slow.
    TooSlow(SiteId),
    /// A node lacks what the job asks for.
    Unmet(SiteId),
    /// The job may not run on that site, or on several.
    OutOfScope(SiteId),
    /// A part lies outside what is held for it.
    PartOutside(u32),
    /// Its parts are not the tasks that are left.
    WrongTasks,
    /// A part starts before its data is there, or does not wait for it.
    BeforeData(u32),
    /// Two parts run on one node at once.
    PartsOverlap(u32),
    /// Sites may let go before, or not until after, it starts.
    WrongExpiry,
    /// It is none of the job's spare alternatives.
    NotASpare,
    /// A part that has begun was moved, or the parts are not the same.
    Moved,
}
