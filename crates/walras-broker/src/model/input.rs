//! What can happen to the broker: requests of people, answers of sites, plans, and time.

pub use super::message::SiteMessage;

use super::account::{Account, Unpayable};
use super::budget::{Budget, Overspent, Spender};
use super::chain::{BadChain, ChainMember};
use super::decision::{Decision, PlanBound};
use super::id::{CycleNumber, JobNumber, NoticeNumber, QuoteNumber, ReservationNumber};
use super::job::{JobSpec, Why};
use super::moving::MoveEnd;
use super::policy::{BadPolicy, Policy};
use super::price::{BadPrices, PriceRules};
use super::quote::Findings;
use super::ranks::Ranks;
use super::refusal::{BadAmount, BadJob, BadName, BadSite, Countable};
use super::sharing::OverLimit;
use super::site::{SiteSpec, SiteTerms};
use super::wish::{BadWish, Wish, Wisher};
use serde::{Deserialize, Serialize};
use walras_model::{Interval, Money, NodeId, SiteId, Span, TaskId, Time};

/// Something that happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// The administrator sets the rules.
    SetPolicy(Box<Policy>),
    /// Somebody joins, or their terms change.
    SetUser(User),
    /// A site joins; one that leaves stays after all.
    AddSite(Box<SiteSpec>),
    /// What may change of a site does.
    ChangeSite {
        /// The site that changes.
        site: SiteId,
        /// What it is from now on.
        terms: Box<SiteTerms>,
    },
    /// A site leaves: it sells nothing new, and is gone when what it holds has ended.
    RemoveSite(SiteId),
    /// An owner changes prices.
    SetPrices {
        /// Of which site.
        site: SiteId,
        /// The new rules.
        prices: PriceRules,
    },
    /// An owner sells nothing new of some nodes for a while; what is held stays.
    Drain {
        /// Of which site.
        site: SiteId,
        /// The nodes that are drained; all of them are that site's.
        nodes: Vec<NodeId>,
        /// The time of which nothing new is sold; up to the end of time, where it lasts until they resume.
        interval: Interval,
    },
    /// An owner sells these nodes' time again.
    Resume {
        /// Of which site.
        site: SiteId,
        /// The nodes that are sold again; all of them are that site's.
        nodes: Vec<NodeId>,
    },
    /// An owner needs some nodes, whatever is held there.
    Reclaim {
        /// Of which site.
        site: SiteId,
        /// The nodes that the owner needs; all of them are that site's.
        nodes: Vec<NodeId>,
        /// The time that the owner needs.
        interval: Interval,
    },
    /// The administrator limits spending; no amount lifts the limit.
    SetBudget {
        /// Whose spending it is.
        spender: Spender,
        /// What may be spent in a period; `None` lifts the limit.
        budget: Option<Budget>,
    },
    /// An owner or the administrator says what they want of plans; nothing, without.
    SetWish {
        /// Who wants it.
        of: Wisher,
        /// What they want of plans; `None` takes back what they wanted before.
        wish: Option<Wish>,
    },
    /// Money comes in, or goes out when negative.
    Deposit {
        /// The client's own name of the request; the same key is the same request.
        key: String,
        /// The account that gets it.
        account: Account,
        /// What the account gets; negative where it is taken out.
        amount: Money,
    },
    /// A user submits a job.
    Submit {
        /// The client's own name of the request.
        key: String,
        /// The job.
        job: Box<JobSpec>,
    },
    /// A user asks what a job would cost, and when it would run.
    AskQuote {
        /// The client's own name of the request.
        key: String,
        /// The job.
        job: Box<JobSpec>,
        /// What was found before asking, from a [`crate::quoting::Inquiry`]; without it the broker searches itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        findings: Option<Box<Findings>>,
        /// Sites are to hold the alternatives for so long.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hold: Option<Span>,
    },
    /// A user asks what a whole chain of jobs would cost, and when it would run.
    AskChain {
        /// The client's own name of the request.
        key: String,
        /// The jobs, each after those it waits for.
        members: Vec<ChainMember>,
    },
    /// A user takes one of a quote's alternatives.
    Accept {
        /// Who says so; whoever the quote was given to, without.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<String>,
        /// The client's own name of the request.
        key: String,
        /// The quote, by the number that it was given with.
        quote: QuoteNumber,
        /// Which alternative, from 0 on.
        option: u32,
    },
    /// A user does not want a job any more.
    CancelJob {
        /// Who says so.
        user: String,
        /// The job or the array that is cancelled.
        job: JobNumber,
    },
    /// A user does not want some elements of an array any more.
    CancelElements {
        /// Who says so.
        user: String,
        /// The array that they are of.
        array: JobNumber,
        /// Which; those that have ended are left as they are.
        elements: Ranks,
    },
    /// A user lets a job go that they had held.
    Release {
        /// Who says so.
        user: String,
        /// The job or the array that is let go.
        job: JobNumber,
    },
    /// Plan now, and not only when it is time.
    CycleNow,
    /// A site says something.
    Site {
        /// The site that says it.
        site: SiteId,
        /// What the site says. It may come late, twice or in any order.
        message: SiteMessage,
    },
    /// A plan for the open cycle.
    Decided {
        /// Of which cycle.
        cycle: CycleNumber,
        /// The plan; nothing about it is trusted.
        decision: Box<Decision>,
    },
    /// What no plan could beat was worked out beside the plan of a cycle.
    Bounded {
        /// Of which cycle.
        cycle: CycleNumber,
        /// What no plan could beat.
        bound: PlanBound,
    },
    /// Files of a task were brought to a site, or could not be.
    Moved {
        /// For which reservation.
        reservation: ReservationNumber,
        /// The task that has written them.
        task: TaskId,
        /// The site that they were to be brought to.
        to: SiteId,
        /// What came of it.
        end: MoveEnd,
    },
    /// A notice has reached its user.
    Noticed(NoticeNumber),
    /// Nobody listened to the sites for a while, and somebody does again: what they have to say of that time is on its way.
    ServiceBack,
    /// Time has passed.
    Tick,
}

/// A user of the VO.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Unique among the users.
    pub name: String,
    /// For budgets and rules of access.
    #[serde(default)]
    pub group: Option<String>,
    /// What they may use, against the others; also how much they count in a compromise. At least 1.
    pub share: u32,
    /// How low their balance may go; zero or negative.
    #[serde(default = "zero")]
    pub lowest: Money,
}

const fn zero() -> Money {
    Money::ZERO
}

/// A request of a client, so that it can be repeated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RequestKey {
    /// Whose request: a user, or the account of a deposit.
    pub by: String,
    /// The client's own name of it.
    pub key: String,
}

/// What an input comes to for whoever sent it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It was taken in; there is nothing else to say.
    Done,
    /// So much came in, or went out.
    Deposited(Money),
    /// The job has this number.
    Job(JobNumber),
    /// The quote has this number.
    Quote(QuoteNumber),
    /// The job of an accepted quote, and its reservation.
    Accepted {
        /// The job.
        job: JobNumber,
        /// The reservation.
        reservation: ReservationNumber,
    },
    /// The jobs of an accepted quote for a chain.
    Chain(Vec<JobNumber>),
    /// The quote cannot be honoured.
    Broken {
        /// What stood in the way when it was to be accepted.
        why: Why,
        /// What the user gets for it.
        compensation: Money,
    },
    /// The site has the number.
    Site(SiteId),
}

/// Why an input changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{self:?}")]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// There is no such user.
    NoUser(String),
    /// There is no such site.
    NoSite(SiteId),
    /// There is no such account.
    NoAccount(Account),
    /// There is no such job, or it has ended.
    NoJob(JobNumber),
    /// There is no such quote, or it has expired.
    NoQuote(QuoteNumber),
    /// The quote has no such alternative.
    NoOption(u32),
    /// The time of the quote's alternative has begun.
    OptionPast(u32),
    /// What was found for a quote cannot be had any more.
    Outdated,
    /// The job is somebody else's.
    NotYours(JobNumber),
    /// The job is not held by its user.
    NotHeld(JobNumber),
    /// The key was used for another request.
    KeyUsed(String),
    /// A name or a key cannot be taken.
    BadName {
        /// Its beginning.
        name: String,
        /// What is wrong with it.
        fault: BadName,
    },
    /// The job cannot be taken.
    BadJob(BadJob),
    /// The jobs are no chain that could be quoted.
    BadChain(BadChain),
    /// A job of a chain has no window, so that there is no quote.
    ChainUnfit {
        /// The first that has none, by its place from 0 on.
        member: u32,
        /// From when on it was looked for one, for those that it waits for.
        from: Option<Time>,
    },
    /// The site, or what it offers, cannot be taken.
    BadSite(BadSite),
    /// The policy contradicts itself.
    BadPolicy(BadPolicy),
    /// The prices contradict themselves.
    BadPrices(BadPrices),
    /// An amount, or what goes with it, is out of bounds.
    BadAmount(BadAmount),
    /// What an owner or the administrator wants cannot be weighed.
    BadWish(BadWish),
    /// There is not enough money.
    NoMoney(Unpayable),
    /// A budget does not allow it.
    OverBudget(Overspent),
    /// There are as many of them as there may be.
    TooMany {
        /// What there would be too many of.
        what: Countable,
        /// How many there may be.
        most: usize,
    },
    /// A user or a group has as much here as they may.
    OverLimit(OverLimit),
    /// A quote cannot be held for so long, or for no time at all.
    BadHold {
        /// For how long it was to be held.
        asked: Span,
        /// The longest that it can.
        most: Span,
    },
    /// The decision is not for the open cycle.
    NoCycle(CycleNumber),
}
