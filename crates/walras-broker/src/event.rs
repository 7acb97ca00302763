//! What has happened: the facts that the broker's state is made of.
//!
//! Events are written to the journal before anything acts on them. Each carries all that its consequences need, so that
//! folding them never has to decide anything.

use crate::account::Account;
use crate::account::Transaction;
use crate::budget::{Budget, Spender};
use crate::id::{CycleNumber, JobNumber, NoticeNumber, QuoteNumber, ReservationNumber};
use crate::input::{Answer, User};
use crate::job::{JobEnd, JobSpec, PartEnd, Why};
use crate::plan::Verdict;
use crate::policy::Policy;
use crate::price::PriceRules;
use crate::quote::QuoteOption;
use crate::rank::Ranked;
use crate::site::{Free, SiteSpec};
use crate::way::{Part, Way};
use serde::{Deserialize, Serialize};
use walras_model::{Explanation, Interval, Money, Multiplier, NodeId, SiteId, TaskId, Time};

/// A request of a client, so that it can be repeated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RequestKey {
    /// Whose request: a user, or the account of a deposit.
    pub by: String,
    /// The client's own name of it.
    pub key: String,
}

/// Where a reservation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A cycle chose it.
    Cycle(CycleNumber),
    /// A user accepted a quote.
    Quote(QuoteNumber),
    /// A spare way took the place of one that failed.
    Spare,
}

/// A fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The rules are these.
    PolicySet(Box<Policy>),
    /// A user is there.
    UserSet(User),
    /// A site is there.
    SiteAdded(SiteSpec),
    /// A site's prices are these.
    PricesSet {
        /// Which site.
        site: SiteId,
        /// The rules.
        prices: PriceRules,
    },
    /// Spending is limited.
    BudgetSet {
        /// Whose.
        spender: Spender,
        /// How much.
        budget: Option<Budget>,
    },
    /// Money came in, or went out.
    Deposited {
        /// The request.
        key: RequestKey,
        /// Whose account.
        account: Account,
        /// How it was booked.
        transaction: Transaction,
    },
    /// A job is in the queue.
    JobQueued {
        /// Its number.
        job: JobNumber,
        /// The request.
        key: RequestKey,
        /// What was submitted.
        spec: Box<JobSpec>,
    },
    /// A job is back in the queue.
    JobReturned {
        /// Which job.
        job: JobNumber,
        /// Why.
        why: Why,
    },
    /// A job is no more.
    JobEnded {
        /// Which job.
        job: JobNumber,
        /// How.
        end: JobEnd,
    },
    /// A cycle has begun: who is in its batch, and why in that order.
    CycleOpened {
        /// Its number.
        cycle: CycleNumber,
        /// The batch, highest rank first.
        batch: Vec<Ranked>,
        /// The sites that are asked.
        asked: Vec<SiteId>,
        /// Until when they may answer.
        until: Time,
        /// The sites' demand factors, in millionths.
        demand: Vec<Multiplier>,
    },
    /// A site has said what is free.
    OffersReceived {
        /// Which site.
        site: SiteId,
        /// For which cycle.
        cycle: CycleNumber,
        /// What is free.
        free: Free,
    },
    /// All that will be known is known; planning begins.
    CycleClosed {
        /// Which cycle.
        cycle: CycleNumber,
        /// Until when the plan must be there.
        until: Time,
    },
    /// The plan was looked at; reservations follow.
    CycleDecided {
        /// Which cycle.
        cycle: CycleNumber,
        /// What the plan came to.
        verdict: Box<Verdict>,
    },
    /// The cycle ended without a plan: there was nobody to plan for, or it took too long.
    CycleEnded(CycleNumber),
    /// Sites are asked to prepare; the price is held.
    ReservationAsked {
        /// Its number.
        reservation: ReservationNumber,
        /// For which job.
        job: JobNumber,
        /// Where it comes from.
        origin: Origin,
        /// What is to be held.
        way: Box<Way>,
        /// Other ways to run the job.
        spares: Vec<Way>,
        /// How the lien was booked.
        transaction: Transaction,
        /// Until when all sites must have prepared.
        until: Time,
        /// When what sites have prepared expires.
        expiry: Time,
    },
    /// A site has prepared.
    LegPrepared {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Which site.
        site: SiteId,
    },
    /// All sites have prepared and are asked to confirm.
    Confirming {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Until when all must have.
        until: Time,
    },
    /// A site has confirmed.
    LegConfirmed {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Which site.
        site: SiteId,
    },
    /// All sites have confirmed: the job has its window.
    ReservationHeld(ReservationNumber),
    /// Parts are to be started.
    PartsDue {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which parts.
        parts: Vec<u32>,
    },
    /// A part runs.
    PartStarted {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which part.
        part: u32,
        /// Since when.
        at: Time,
    },
    /// A part has ended.
    PartEnded {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// Which part.
        part: u32,
        /// When.
        at: Time,
        /// How.
        end: PartEnd,
    },
    /// The parts that have not started run at other times or places.
    Rescheduled {
        /// Of which reservation.
        reservation: ReservationNumber,
        /// All parts.
        parts: Vec<Part>,
        /// Why.
        why: Why,
    },
    /// The reservation is over, one way or another: sites are told, and money is settled.
    ReservationClosed {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Why; `None` when the job ended well.
        why: Option<Why>,
        /// How it was settled.
        transaction: Transaction,
        /// Tasks whose results are kept.
        kept: Vec<TaskId>,
    },
    /// A site holds and runs nothing of the reservation any more.
    LegReleased {
        /// Which reservation.
        reservation: ReservationNumber,
        /// Which site.
        site: SiteId,
    },
    /// A quote was given.
    QuoteGiven {
        /// Its number.
        quote: QuoteNumber,
        /// The request.
        key: RequestKey,
        /// For what.
        spec: Box<JobSpec>,
        /// The alternatives, none better than another in every way.
        options: Vec<QuoteOption>,
        /// Until when it binds.
        until: Time,
        /// Why there is no alternative, and what would help.
        why: Option<Box<Explanation>>,
    },
    /// A quote was accepted; a reservation follows.
    QuoteAccepted {
        /// Which quote.
        quote: QuoteNumber,
        /// The request.
        key: RequestKey,
        /// Which alternative.
        option: u32,
        /// The job that it has become.
        job: JobNumber,
        /// Its reservation.
        reservation: ReservationNumber,
    },
    /// A quote could not be honoured.
    QuoteBroken {
        /// Which quote.
        quote: QuoteNumber,
        /// The request.
        key: RequestKey,
        /// Which alternative.
        option: u32,
        /// Why.
        why: Why,
        /// What the user got for it.
        compensation: Money,
        /// How that was booked.
        transaction: Transaction,
    },
    /// A quote binds no more.
    QuoteExpired(QuoteNumber),
    /// A node failed.
    NodeLost {
        /// Which node.
        node: NodeId,
        /// When.
        at: Time,
    },
    /// A node is back.
    NodeBack {
        /// Which node.
        node: NodeId,
        /// When.
        at: Time,
    },
    /// An owner uses a node.
    NodeTaken {
        /// Which node.
        node: NodeId,
        /// When.
        interval: Interval,
    },
    /// A site failed.
    SiteLost {
        /// Which site.
        site: SiteId,
        /// When.
        at: Time,
    },
    /// A site is back.
    SiteBack {
        /// Which site.
        site: SiteId,
        /// When.
        at: Time,
    },
    /// A notice has reached its user.
    Noticed(NoticeNumber),
}

/// What an input came to, before it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The facts; none when there is nothing new.
    pub events: Vec<Event>,
    /// What whoever sent the input is told.
    pub answer: Answer,
}
