//! What can be wrong with a plan: data first, and one sentence for each.
//!
//! Amounts that a violation reports as derived are clamped to the range of money.

use super::wrong::{WrongAccount, WrongChoice};
use walras_model::attribute::{Requirement, Value};
use walras_model::interval::Interval;
use walras_model::quantity::{Money, Performance, Rate, Span, Time};

/// Which alternative of a claim is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AlternativeAt {
    /// Its position among the claim's alternatives.
    pub index: usize,
    /// The job that it names.
    pub job: String,
}

/// Which slot of a claim is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SlotAt {
    /// The position of its alternative among the claim's.
    pub alternative: usize,
    /// The job that the alternative names.
    pub job: String,
    /// Its position among the alternative's slots.
    pub index: usize,
    /// The site that it names.
    pub site: String,
    /// The node that it names.
    pub node: String,
}

/// What is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "kind", rename_all = "snake_case"))]
pub enum Violation {
    /// The batch has no job of that name.
    UnknownJob {
        /// The alternative that is wrong, by its place in the claim.
        at: AlternativeAt,
    },
    /// The offers have no site of that name.
    UnknownSite {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
    },
    /// The site has no node of that name.
    UnknownNode {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
    },
    /// There are more or fewer slots than the job has tasks.
    WrongTaskCount {
        /// The alternative that is wrong, by its place in the claim.
        at: AlternativeAt,
        /// The job's tasks.
        expected: u32,
        /// The alternative's slots.
        claimed: usize,
    },
    /// One node has several tasks of one window.
    NodeTwice {
        /// The slot that names the node again.
        at: SlotAt,
        /// The position of the slot that names it first.
        first: usize,
    },
    /// A slot takes another number of units of its node than the job's tasks need there.
    WrongUnits {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// What a task needs.
        expected: u32,
        /// What the slot takes.
        claimed: u32,
    },
    /// The node's owner keeps it for tasks that ask for more of something.
    KeptForOthers {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
    },
    /// More units of a node are taken at some moment than are free.
    Overbooked {
        /// The last of the slots that share that moment.
        at: SlotAt,
        /// The first such moment.
        moment: Time,
        /// How many are taken from then on.
        taken: i64,
        /// How many are free.
        free: i64,
    },
    /// A slot does not start when its window starts.
    StartsApart {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// The window's start.
        expected: Time,
        /// The slot's start.
        claimed: Time,
    },
    /// A slot's end is not after its start.
    EmptyOrReversed {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// Its start.
        start: Time,
        /// Its end.
        end: Time,
    },
    /// A slot is shorter or longer than its node needs for the task.
    WrongRuntime {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// What the node needs; `None` beyond the range of time.
        expected: Option<Span>,
        /// What the slot gives.
        claimed: Span,
    },
    /// The window does not end with its last slot.
    WrongEnd {
        /// The alternative that is wrong, by its place in the claim.
        at: AlternativeAt,
        /// The last slot's end.
        expected: Time,
        /// The window's end.
        claimed: Time,
    },
    /// A slot is not inside one free slot of its node.
    OutsideFreeTime {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// The time that it claims.
        claimed: Interval,
    },
    /// A slot is said to be on capacity and is not, or the other way round.
    WrongOffer {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// Whether its site sells capacity.
        capacity: bool,
    },
    /// A node is slower than the job asks.
    TooSlow {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// What the job asks.
        performance_min: Performance,
        /// What the node has.
        performance: Performance,
    },
    /// A node's attributes are not what the job asks.
    RequirementUnmet {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// What the job asks.
        requirement: Requirement,
        /// The attribute's value, where the node has one.
        value: Option<Value>,
    },
    /// A slot is on a site that is not in the job's list.
    OutsideScope {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
    },
    /// The job must stay on one site and does not.
    SplitSites {
        /// The first slot that is on another site.
        at: SlotAt,
        /// The site where the window's first known slot is.
        first_site: String,
    },
    /// A task starts before the job may.
    BeforeEarliest {
        /// The alternative that is wrong, by its place in the claim.
        at: AlternativeAt,
        /// When the job may start.
        earliest: Time,
        /// When its first task starts.
        start: Time,
    },
    /// A task ends after the job's deadline.
    AfterDeadline {
        /// The alternative that is wrong, by its place in the claim.
        at: AlternativeAt,
        /// When all tasks must have ended.
        deadline: Time,
        /// When the last task ends.
        end: Time,
    },
    /// A slot's cost is not its price per time × its length, rounded up.
    WrongCost {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// What its time costs.
        expected: Money,
        /// What it claims.
        claimed: Money,
    },
    /// A window's cost is not the sum of its slots' costs.
    WrongTotal {
        /// The alternative that is wrong, by its place in the claim.
        at: AlternativeAt,
        /// What its slots claim together.
        expected: Money,
        /// What it claims.
        claimed: Money,
    },
    /// A window costs more than the job may spend.
    OverBudget {
        /// The alternative that is wrong, by its place in the claim.
        at: AlternativeAt,
        /// What the job may spend.
        budget: Money,
        /// What the window costs, derived again where its slots are for sale.
        cost: Money,
    },
    /// A slot costs more per time than the job pays, where the rules cap each slot's price.
    OverPriceCap {
        /// The slot that is wrong, by its place in the claim.
        at: SlotAt,
        /// What the job pays.
        price_max: Rate,
        /// What the slot costs.
        rate: Rate,
    },
    /// Two alternatives share time on a node. Each pair is reported once, with the first node in order.
    Overlap {
        /// The earlier alternative of the two in the claim.
        first: AlternativeAt,
        /// The later one's slot.
        second: SlotAt,
        /// Time that they share.
        shared: Interval,
    },
    /// Jobs of the batch are forgotten, unknown or in two places.
    Account(WrongAccount),
    /// The choice is not one of its alternatives, or its sums or limits are wrong.
    Choice(WrongChoice),
}
