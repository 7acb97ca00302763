//! Findings as sentences.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "findings are told in groups, each of which hands on what is not its own"
)]

use crate::finding::{AllocationFault, EndFault, Finding, Gone, Kind, Thing};
use std::fmt;

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {}: {}", self.position, self.kind)
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Thing::Job => "job",
            Thing::Quote => "quote",
            Thing::Reservation => "reservation",
            Thing::Cycle => "cycle",
        })
    }
}

/// Micro-credits as credits.
struct Credits(i128);

impl fmt::Display for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, part) = (magnitude / 1_000_000, magnitude % 1_000_000);
        if part == 0 {
            return write!(f, "{sign}{whole}");
        }
        write!(f, "{sign}{whole}.{}", format!("{part:06}").trim_end_matches('0'))
    }
}

impl fmt::Display for Kind {
    /// One sentence without its full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::NoEvents => f.write_str("the entry says nothing"),
            Kind::TimeWentBack { before, at } => write!(f, "time went back from {before} s to {at} s"),
            Kind::NumberOutOfOrder { thing, number, expected } => {
                write!(f, "{thing} {number} was given out when {expected} was the next")
            }
            Kind::NotThere { thing, number } => write!(f, "there is no {thing} {number}, or not any more"),
            Kind::NoSuchSite(site) => write!(f, "there is no site {}", site.number()),
            Kind::NoSuchNode(node) => write!(f, "there is no node {}", node.number()),
            Kind::NoSuchUser(name) => write!(f, "there is no user '{name}'"),
            Kind::RequestTwice { by, key } => write!(f, "request '{key}' of {by} was carried out twice"),
            Kind::Unprompted { event } => write!(f, "nobody said what the event '{event}' says"),
            Kind::NodeAlready { node } => write!(f, "node {} was in that state already", node.number()),
            Kind::SiteAlready { site } => write!(f, "site {} was in that state already", site.number()),
            Kind::JobNotFree { job } => write!(f, "job {job} was reserved for when it was not to be"),
            Kind::JobNotReturning { job } => {
                write!(f, "job {job} was returned to a queue that it had not left")
            }
            Kind::JobForgotten { job } => write!(f, "job {job} lost its place, and nobody said why"),
            Kind::WrongEnd { job, why } => write!(f, "job {job} cannot end like this: {why}"),
            Kind::TaskTwice { job, task } => write!(f, "task {} of job {job} was done before", task.number()),
            Kind::CycleStep { .. }
            | Kind::AskedWrongly { .. }
            | Kind::OfferUnasked { .. }
            | Kind::BatchStranger { .. }
            | Kind::BatchOrder { .. }
            | Kind::BatchSize { .. }
            | Kind::WrongRank { .. } => cycle(self, f),
            Kind::QuoteTime { .. }
            | Kind::NoSuchOption { .. }
            | Kind::NotAsQuoted { .. }
            | Kind::Dominated { .. }
            | Kind::WrongOption { .. }
            | Kind::NoReason { .. } => quote(self, f),
            Kind::Unbalanced { .. }
            | Kind::BadPosting { .. }
            | Kind::NoAccount(_)
            | Kind::BelowLimit { .. }
            | Kind::HeldDiffers { .. }
            | Kind::WrongLien { .. }
            | Kind::WrongSettlement { .. }
            | Kind::WrongDeposit { .. }
            | Kind::WrongCompensation { .. }
            | Kind::OverBudget { .. } => money(self, f),
            _ => reservation(self, f),
        }
    }
}

fn cycle(kind: &Kind, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match kind {
        Kind::CycleStep { cycle, step } => write!(f, "cycle {cycle} was {step} out of order"),
        Kind::AskedWrongly { cycle, site } => {
            write!(f, "cycle {cycle} asked site {}, which has failed or was asked already", site.number())
        }
        Kind::OfferUnasked { cycle, site } => {
            write!(f, "cycle {cycle} took an offer of site {} that it did not wait for", site.number())
        }
        Kind::BatchStranger { cycle, job } => {
            write!(
                f,
                "the batch of cycle {cycle} has job {job}, which is not in the queue or stands there twice"
            )
        }
        Kind::BatchOrder { cycle, job } => {
            write!(f, "the batch of cycle {cycle} has job {job} behind one of lower rank")
        }
        Kind::BatchSize { cycle, queued, batch } => {
            write!(f, "the batch of cycle {cycle} has {batch} of {queued} queued jobs")
        }
        Kind::WrongRank { cycle, job, aspect, expected, found } => {
            write!(f, "in cycle {cycle}, the {aspect} of job {job} is {found} and should be {expected}")
        }
        _ => Ok(()),
    }
}

fn quote(kind: &Kind, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match kind {
        Kind::QuoteTime { quote, until } => {
            write!(f, "quote {quote} binds until {until} s, and not longer or shorter")
        }
        Kind::NoSuchOption { quote, option } => write!(f, "quote {quote} has no alternative {option}"),
        Kind::NotAsQuoted { quote } => write!(f, "what was reserved is not what quote {quote} promised"),
        Kind::Dominated { quote, option, by } => {
            write!(f, "alternative {option} of quote {quote} is neither sooner nor cheaper than {by}")
        }
        Kind::WrongOption { quote, option } => {
            write!(
                f,
                "alternative {option} of quote {quote} is not what its allocation says, or one too many"
            )
        }
        Kind::NoReason { quote } => write!(f, "quote {quote} has no alternative and no reason"),
        _ => Ok(()),
    }
}

fn money(kind: &Kind, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match kind {
        Kind::Unbalanced { sum } => write!(f, "a transaction sums to {} credits", Credits(*sum)),
        Kind::BadPosting { account, purpose, amount } => {
            write!(f, "a posting of {amount} credits to {account} cannot be a {purpose:?} here")
        }
        Kind::NoAccount(account) => write!(f, "there is no account of {account}"),
        Kind::BelowLimit { account, balance, lowest } => {
            let (balance, lowest) = (Credits(*balance), Credits(*lowest));
            write!(f, "the account of {account} has {balance} credits, and may not go below {lowest}")
        }
        Kind::HeldDiffers { held, liens } => {
            write!(f, "{} credits are held for liens of {}", Credits(*held), Credits(*liens))
        }
        Kind::WrongLien { reservation, expected, posted } => {
            let (expected, posted) = (Credits(*expected), Credits(*posted));
            write!(f, "reservation {reservation} costs {expected} credits, and {posted} were held")
        }
        Kind::WrongSettlement { reservation, account, purpose, expected, posted } => {
            let (expected, posted) = (Credits(*expected), Credits(*posted));
            write!(
                f,
                "when reservation {reservation} was settled, {account} had {posted} credits as {purpose:?} instead of {expected}"
            )
        }
        Kind::WrongDeposit { account } => write!(f, "a deposit to {account} was not booked as it was made"),
        Kind::WrongCompensation { quote, most, posted } => {
            let (most, posted) = (Credits(*most), Credits(*posted));
            write!(f, "quote {quote} was broken for {posted} credits; the policy grants at most {most}")
        }
        Kind::OverBudget { spender, left, needed } => {
            let (left, needed) = (Credits(*left), Credits(*needed));
            write!(f, "{needed} credits were held, and the budget of {spender} had {left} left in its period")
        }
        _ => Ok(()),
    }
}

fn reservation(kind: &Kind, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match kind {
        Kind::BadAllocation { reservation, fault } => {
            write!(f, "reservation {reservation} cannot be: {fault}")
        }
        Kind::ReservationStep { reservation, step } => {
            write!(f, "reservation {reservation} was {step} out of order")
        }
        Kind::LegStep { reservation, site, step } => {
            write!(f, "site {} has {step} reservation {reservation} out of order", site.number())
        }
        Kind::PartStep { reservation, part, step } => {
            write!(f, "part {part} of reservation {reservation} was {step} out of order")
        }
        Kind::TooSoon { reservation, part } => {
            write!(f, "part {part} of reservation {reservation} was started before its time")
        }
        Kind::BeforeOthers { reservation, part, after } => {
            write!(
                f,
                "part {part} of reservation {reservation} was started before the data of part {after} was there"
            )
        }
        Kind::RunsTwice { reservation, earlier } => {
            write!(f, "reservation {reservation} was started while {earlier} of the same job may still run")
        }
        Kind::WrongTime { reservation, part, at } => {
            write!(f, "part {part} of reservation {reservation} cannot have started or ended at {at} s")
        }
        Kind::BadSchedule { reservation, part, fault } => {
            write!(f, "part {part} of reservation {reservation} was moved where it cannot run: {fault}")
        }
        Kind::WrongReason { reservation } => {
            write!(
                f,
                "reservation {reservation} was closed or changed for a reason that the journal does not show"
            )
        }
        Kind::LeftThere { reservation, place } => {
            write!(f, "reservation {reservation} still relies on {place}, which is gone")
        }
        Kind::WrongKept { reservation } => {
            write!(f, "reservation {reservation} keeps other results than those of the tasks that ended well")
        }
        _ => Ok(()),
    }
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gone::Node(node) => write!(f, "node {}", node.number()),
            Gone::Site(site) => write!(f, "site {}", site.number()),
        }
    }
}

impl fmt::Display for EndFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndFault::Reserved => "its reservation is not closed",
            EndFault::NotDone => "not all of it was done",
            EndFault::NotFailed => "no part of it failed",
            EndFault::Attempts => "it is given up when its attempts are used up, and not before",
            EndFault::InTime => "its deadline had not passed",
            EndFault::NotCancelled => "its user did not cancel it",
        })
    }
}

impl fmt::Display for AllocationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocationFault::Empty => f.write_str("it holds or runs nothing"),
            AllocationFault::SiteTwice(site) => write!(f, "site {} has two legs", site.number()),
            AllocationFault::NoSite(site) => write!(f, "there is no site {}", site.number()),
            AllocationFault::SiteLost(site) => write!(f, "site {} has failed", site.number()),
            AllocationFault::NotOfSite { node, site } => {
                write!(f, "node {} is not one of site {}", node.number(), site.number())
            }
            AllocationFault::NotAQueue(site) => {
                write!(f, "site {} does not offer its time like this", site.number())
            }
            AllocationFault::NodeLost(node) => write!(f, "node {} has failed", node.number()),
            AllocationFault::NodeTaken(node) => write!(f, "the owner of node {} uses it then", node.number()),
            AllocationFault::DoubleBooked { node, other } => {
                write!(f, "node {} is held for reservation {other} then", node.number())
            }
            AllocationFault::Past(start) => write!(f, "it starts at {start} s, which is past"),
            AllocationFault::WrongCost { expected, cost } => {
                write!(f, "a hold costs {} credits instead of {}", Credits(*cost), Credits(*expected))
            }
            AllocationFault::AfterDeadline => f.write_str("it ends after the deadline"),
            AllocationFault::BeforeEarliest => f.write_str("it starts before the job may"),
            AllocationFault::OverBudget { limit, cost } => {
                write!(f, "it costs {} credits, and the job may spend {}", Credits(*cost), Credits(*limit))
            }
            AllocationFault::WrongCount => f.write_str("the job has another number of tasks"),
            AllocationFault::StartsApart => f.write_str("its holds do not start together"),
            AllocationFault::WrongLength { expected, length } => {
                write!(f, "{length} ms are planned for what takes {expected} ms")
            }
            AllocationFault::TooSlow(site) => write!(f, "a node of site {} is too slow", site.number()),
            AllocationFault::Unmet(site) => {
                write!(f, "a node of site {} lacks what the job asks for", site.number())
            }
            AllocationFault::OutOfScope(site) => {
                write!(f, "the job may not run on site {} then", site.number())
            }
            AllocationFault::PartOutside(part) => write!(f, "part {part} lies outside what is held for it"),
            AllocationFault::WrongTasks => f.write_str("its parts are not what is left of the job"),
            AllocationFault::BeforeData(part) => write!(f, "part {part} does not wait for its data"),
            AllocationFault::PartsOverlap(part) => write!(f, "part {part} runs beside another on one node"),
            AllocationFault::WrongExpiry => {
                f.write_str("what is prepared must expire after now and not after the start")
            }
            AllocationFault::NotASpare => f.write_str("it is none of the job's spare ways"),
            AllocationFault::Moved => f.write_str("what has begun stays where it is"),
        }
    }
}
