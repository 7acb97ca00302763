//! What an audit finds wrong with a reservation or an end, as clauses.

use super::Context;
use crate::unit::MONEY_DECIMALS;
use std::fmt;
use walras_audit::finding::{AllocationFault, EndFault};
use walras_broker::account::Purpose;

/// Micro-credits as credits.
pub(super) struct Credits(pub(super) i128);

impl fmt::Display for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        walras_model::Decimal::new(self.0, MONEY_DECIMALS).fmt(f)
    }
}

/// What a posting is for, with its article.
pub(super) fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Deposit => "a deposit",
        Purpose::Lien => "a lien",
        Purpose::Charge => "a charge",
        Purpose::Refund => "a refund",
        Purpose::Income => "an income",
        Purpose::Fee => "a fee",
        Purpose::Compensation => "a compensation",
    }
}

pub(super) fn end_fault(fault: EndFault) -> &'static str {
    match fault {
        EndFault::Reserved => "its reservation is not closed",
        EndFault::NotDone => "not all of it was done",
        EndFault::NotFailed => "no part of it failed",
        EndFault::Attempts => "it is given up when its attempts are used up, and not before",
        EndFault::InTime => "its deadline had not passed",
        EndFault::NotCancelled => "its user did not cancel it",
        EndFault::NotOffered => "it was not held for a quote, or its reservation is not closed",
        EndFault::NotInVain => "what it waits for may yet be",
        EndFault::Offered => "it is held for a quote that nobody has accepted",
    }
}

impl Context<'_> {
    /// What is wrong with what was reserved.
    pub(super) fn allocation_fault(&self, fault: &AllocationFault) -> String {
        match fault {
            AllocationFault::Empty => "it holds or runs nothing".to_owned(),
            AllocationFault::SiteTwice(site) => format!("site {} is asked twice", self.site(*site)),
            AllocationFault::NoSite(site) => format!("there is no site {}", self.site(*site)),
            AllocationFault::SiteLeaving(site) => {
                format!("site {} sells nothing new any more", self.site(*site))
            }
            AllocationFault::SiteLost(site) => format!("site {} has failed", self.site(*site)),
            AllocationFault::NotOfSite { node, site } => {
                format!("node {} is not one of site {}", self.node(*node), self.site(*site))
            }
            AllocationFault::NotAQueue(site) => {
                format!("site {} does not offer its time like this", self.site(*site))
            }
            AllocationFault::NodeLost(node) => format!("node {} has failed", self.node(*node)),
            AllocationFault::NodeTaken(node) => {
                format!("the owner of node {} uses it then", self.node(*node))
            }
            AllocationFault::NodeDrained(node) => {
                format!("nothing new is sold of node {} then", self.node(*node))
            }
            AllocationFault::WrongUnits { node, needed, held } => {
                format!("of the units of node {}, {held} are held instead of {needed}", self.node(*node))
            }
            AllocationFault::KeptForOthers(node) => {
                format!("node {} is kept for tasks that ask for more", self.node(*node))
            }
            AllocationFault::DoubleBooked { node, other } => {
                format!("node {} is held for reservation {other} then", self.node(*node))
            }
            AllocationFault::Past(start) => format!("it starts at {}, which has passed", self.moment(*start)),
            AllocationFault::WrongCost { expected, cost } => {
                format!("a hold costs {} credits instead of {}", Credits(*cost), Credits(*expected))
            }
            AllocationFault::AfterDeadline => "it ends after the deadline".to_owned(),
            AllocationFault::BeforeEarliest => "it starts before the job may".to_owned(),
            AllocationFault::OverBudget { limit, cost } => {
                format!("it costs {} credits, and the job may spend {}", Credits(*cost), Credits(*limit))
            }
            AllocationFault::WrongCount => "the job has another number of tasks".to_owned(),
            AllocationFault::NotSeparate(node) => {
                format!("two tasks are on node {}, and each is to have its own", self.node(*node))
            }
            AllocationFault::StartsApart => "its holds do not start together".to_owned(),
            AllocationFault::WrongLength { expected, length } => {
                format!("{length} ms are planned for what takes {expected} ms")
            }
            AllocationFault::TooSlow(site) => format!("a node of site {} is too slow", self.site(*site)),
            AllocationFault::Unmet(site) => {
                format!("a node of site {} lacks what the job asks for", self.site(*site))
            }
            AllocationFault::OutOfScope(site) => {
                format!("the job may not run on site {} then", self.site(*site))
            }
            AllocationFault::PartOutside(part) => format!("part {part} lies outside what is held for it"),
            AllocationFault::WrongTasks => "its parts are not what is left of the job".to_owned(),
            AllocationFault::BeforeData(part) => format!("part {part} does not wait for its data"),
            AllocationFault::PartsOverlap(part) => format!("part {part} runs beside another on one node"),
            AllocationFault::WrongExpiry => {
                "what is prepared must expire after now and not after the start".to_owned()
            }
            AllocationFault::NotASpare => "it is none of the job's spare alternatives".to_owned(),
            AllocationFault::Moved => "what has begun stays where it is".to_owned(),
        }
    }
}
