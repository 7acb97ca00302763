//! What an audit finds, as sentences without their full stop.

use super::audited::{Credits, end_fault, purpose};
use super::{Context, account_text, spender_text};
use crate::error::echo;
use std::fmt::Write;
use walras_audit::finding::{Gone, Thing};
use walras_audit::{Finding, Kind, Summary};

impl Context<'_> {
    /// A finding with the position of its entry.
    pub fn finding(&self, finding: &Finding) -> String {
        format!("entry {}: {}", finding.position, self.finding_kind(&finding.kind))
    }

    /// What is wrong.
    fn finding_kind(&self, kind: &Kind) -> String {
        match kind {
            Kind::NoEvents => "the entry has no events".to_owned(),
            Kind::TimeWentBack { before, at } => {
                format!("time went back from {} to {}", self.moment(*before), self.moment(*at))
            }
            Kind::NumberOutOfOrder { thing, number, expected } => {
                format!("{} {number} was given out when {expected} was the next", thing_text(*thing))
            }
            Kind::NotThere { thing, number } => {
                format!("there is no {} {number}, or not any more", thing_text(*thing))
            }
            Kind::NoSuchSite(site) => format!("there is no site {}", self.site(*site)),
            Kind::NoSuchNode(node) => format!("there is no node {}", self.node(*node)),
            Kind::NoSuchUser(name) => format!("there is no user '{name}'"),
            Kind::RequestTwice { by, key } => format!("request '{key}' of {by} was carried out twice"),
            Kind::Unprompted { event } => {
                format!("the event '{event}' does not follow from the entry's input")
            }
            Kind::NodeAlready { node } => format!("node {} was in that state already", self.node(*node)),
            Kind::SiteAlready { site } => format!("site {} was in that state already", self.site(*site)),
            Kind::JobNotFree { job } => format!("job {job} was reserved for when it was not to be"),
            Kind::JobNotReturning { job } => {
                format!("job {job} was returned to a queue that it had not left")
            }
            Kind::FreedWrongly { job } => {
                format!("job {job} was let into the queue before all that it waits for had happened")
            }
            Kind::LeftBehind { job } => {
                format!("job {job} waits although all that it waits for has happened, or can never happen")
            }
            Kind::ElementTwice { array, element } => {
                format!("element {element} of array {array} became a job, or ended, twice")
            }
            Kind::TooManyAtOnce { array, live } => {
                format!("{live} elements of array {array} are jobs at once, which is more than it allows")
            }
            Kind::JobForgotten { job } => format!("job {job} lost its place, and no event gives a reason"),
            Kind::WrongEnd { job, why } => format!("job {job} cannot end like this: {}", end_fault(*why)),
            Kind::TooManyNodes { job, nodes, most } => format!(
                "workflows of one user have {nodes} nodes with job {job}, of {most} that they may have"
            ),
            Kind::TaskTwice { job, task } => {
                format!("task {} of job {job} was done before", self.task(*task))
            }
            Kind::CycleStep { .. }
            | Kind::AskedWrongly { .. }
            | Kind::OfferUnasked { .. }
            | Kind::BadRound { .. }
            | Kind::OutOfRound { .. }
            | Kind::BatchStranger { .. }
            | Kind::BatchOrder { .. }
            | Kind::BatchSize { .. }
            | Kind::WrongRank { .. } => self.cycle_finding(kind).unwrap_or_default(),
            Kind::QuoteTime { .. }
            | Kind::NoSuchOption { .. }
            | Kind::NotAsQuoted { .. }
            | Kind::NotHeld { .. }
            | Kind::Dominated { .. }
            | Kind::WrongOption { .. }
            | Kind::NoReason { .. } => self.quote_finding(kind).unwrap_or_default(),
            Kind::Unbalanced { .. }
            | Kind::BadPosting { .. }
            | Kind::NoAccount(_)
            | Kind::BelowLimit { .. }
            | Kind::HeldDiffers { .. }
            | Kind::WrongLien { .. }
            | Kind::WrongSettlement { .. }
            | Kind::WrongDeposit { .. }
            | Kind::WrongCompensation { .. }
            | Kind::OverBudget { .. } => money_finding(kind).unwrap_or_default(),
            Kind::PromiseBroken { .. }
            | Kind::PromiseChanged { .. }
            | Kind::BadPlan { .. }
            | Kind::NotAsPlanned { .. } => self.promise_finding(kind).unwrap_or_default(),
            Kind::BadAllocation { .. }
            | Kind::ReservationStep { .. }
            | Kind::LegStep { .. }
            | Kind::PartStep { .. }
            | Kind::TooSoon { .. }
            | Kind::BeforeOthers { .. }
            | Kind::BeforeFiles { .. }
            | Kind::FilesStep { .. }
            | Kind::RunsTwice { .. }
            | Kind::WrongTime { .. }
            | Kind::BadSchedule { .. }
            | Kind::WrongReason { .. }
            | Kind::LeftThere { .. }
            | Kind::WrongKept { .. } => self.reservation_finding(kind).unwrap_or_default(),
        }
    }

    fn cycle_finding(&self, kind: &Kind) -> Option<String> {
        Some(match kind {
            Kind::CycleStep { cycle, step } => format!("cycle {cycle} was {step} out of order"),
            Kind::AskedWrongly { cycle, site } => {
                format!(
                    "cycle {cycle} asked site {}, which has failed or was asked already",
                    self.site(*site)
                )
            }
            Kind::OfferUnasked { cycle, site } => {
                format!("cycle {cycle} took an offer of site {} that it did not wait for", self.site(*site))
            }
            Kind::BadRound { cycle } => {
                format!(
                    "cycle {cycle} assigned jobs to capacity before it was time, or otherwise than the VO does"
                )
            }
            Kind::OutOfRound { job } => {
                format!(
                    "job {job} has processors of a site that sells capacity, but not as they were assigned"
                )
            }
            Kind::BatchStranger { cycle, job } => {
                format!(
                    "the batch of cycle {cycle} has job {job}, which is not in the queue or stands there twice"
                )
            }
            Kind::BatchOrder { cycle, job } => {
                format!("the batch of cycle {cycle} has job {job} behind one of lower rank")
            }
            Kind::BatchSize { cycle, queued, batch } => {
                format!("the batch of cycle {cycle} has {batch} of {queued} queued jobs")
            }
            Kind::WrongRank { cycle, job, aspect, expected, found } => {
                format!("in cycle {cycle}, the {aspect} of job {job} is {found} and should be {expected}")
            }
            _ => return None,
        })
    }

    fn promise_finding(&self, kind: &Kind) -> Option<String> {
        Some(match kind {
            Kind::PromiseBroken { job } => {
                format!("job {job} is planned where what it was promised is not kept")
            }
            Kind::PromiseChanged { job } => {
                format!("job {job} is promised something else, and what that rested on is still there")
            }
            Kind::BadPlan { job, fault: None } => format!("job {job} is planned when or where it cannot be"),
            Kind::BadPlan { job, fault: Some(fault) } => {
                format!("job {job} is planned where it cannot run: {}", self.allocation_fault(fault))
            }
            Kind::NotAsPlanned { job } => format!("what is reserved for job {job} is not what was planned"),
            _ => return None,
        })
    }

    fn quote_finding(&self, kind: &Kind) -> Option<String> {
        Some(match kind {
            Kind::QuoteTime { quote, until } => {
                format!("quote {quote} binds until {}, and not longer or shorter", self.moment(*until))
            }
            Kind::NoSuchOption { quote, option } => format!("quote {quote} has no alternative {option}"),
            Kind::NotHeld { quote } => format!("what is held for quote {quote} is not what it lists"),
            Kind::NotAsQuoted { quote } => format!("what was reserved is not what quote {quote} promised"),
            Kind::Dominated { quote, option, by } => {
                format!("alternative {option} of quote {quote} is neither sooner nor cheaper than {by}")
            }
            Kind::WrongOption { quote, option } => {
                format!("alternative {option} of quote {quote} is not what its holds say, or one too many")
            }
            Kind::NoReason { quote } => format!("quote {quote} has no alternative and no reason"),
            _ => return None,
        })
    }

    fn reservation_finding(&self, kind: &Kind) -> Option<String> {
        Some(match kind {
            Kind::BadAllocation { reservation, fault } => {
                format!("reservation {reservation} cannot be: {}", self.allocation_fault(fault))
            }
            Kind::ReservationStep { reservation, step } => {
                format!("reservation {reservation} was {step} out of order")
            }
            Kind::LegStep { reservation, site, step } => {
                format!("site {} has {step} reservation {reservation} out of order", self.site(*site))
            }
            Kind::PartStep { reservation, part, step } => {
                format!("part {part} of reservation {reservation} was {step} out of order")
            }
            Kind::TooSoon { reservation, part } => {
                format!("part {part} of reservation {reservation} was started before its time")
            }
            Kind::BeforeOthers { reservation, part, after } => format!(
                "part {part} of reservation {reservation} was started before the data of part {after} was there"
            ),
            Kind::BeforeFiles { reservation, part, file } => {
                format!("part {part} of reservation {reservation} was started before {} had come", echo(file))
            }
            Kind::FilesStep { reservation, task, step } => format!(
                "bringing the files of task {} for reservation {reservation} was {step} out of order",
                task.number()
            ),
            Kind::RunsTwice { reservation, earlier } => {
                format!("reservation {reservation} was started while {earlier} of the same job may still run")
            }
            Kind::WrongTime { reservation, part, at } => {
                let at = self.moment(*at);
                format!("part {part} of reservation {reservation} cannot have started or ended at {at}")
            }
            Kind::BadSchedule { reservation, part, fault } => {
                let fault = self.allocation_fault(fault);
                format!("part {part} of reservation {reservation} was moved where it cannot run: {fault}")
            }
            Kind::WrongReason { reservation } => format!(
                "reservation {reservation} was closed or changed for a reason that the journal does not show"
            ),
            Kind::LeftThere { reservation, place } => {
                let place = match place {
                    Gone::Node(node) => format!("node {}", self.node(*node)),
                    Gone::Site(site) => format!("site {}", self.site(*site)),
                };
                format!("reservation {reservation} still relies on {place}, which is gone")
            }
            Kind::WrongKept { reservation } => format!(
                "reservation {reservation} keeps other results than those of the tasks that ended well"
            ),
            _ => return None,
        })
    }
}

fn money_finding(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::Unbalanced { sum } => {
            format!("a transaction sums to {} credits instead of 0", Credits(*sum))
        }
        Kind::BadPosting { account, purpose: of, amount } => {
            let (account, of) = (account_text(account), purpose(*of));
            format!("a posting of {amount} credits to {account} cannot be {of} here")
        }
        Kind::NoAccount(account) => format!("{} does not exist", account_text(account)),
        Kind::BelowLimit { account, balance, lowest } => {
            let (balance, lowest) = (Credits(*balance), Credits(*lowest));
            format!("{} has {balance} credits, and may not go below {lowest}", account_text(account))
        }
        Kind::HeldDiffers { held, liens } => {
            format!("{} credits are held for liens of {}", Credits(*held), Credits(*liens))
        }
        Kind::WrongLien { reservation, expected, posted } => {
            let (expected, posted) = (Credits(*expected), Credits(*posted));
            format!("reservation {reservation} costs {expected} credits, and {posted} were held")
        }
        Kind::WrongSettlement { reservation, account, purpose: of, expected, posted } => {
            let (expected, posted) = (Credits(*expected), Credits(*posted));
            let (account, of) = (account_text(account), purpose(*of));
            format!(
                "when reservation {reservation} was settled, {account} had {posted} credits as {of} instead of {expected}"
            )
        }
        Kind::WrongDeposit { account } => {
            format!("a deposit to {} was not booked as it was made", account_text(account))
        }
        Kind::WrongCompensation { quote, most, posted } => {
            let (most, posted) = (Credits(*most), Credits(*posted));
            format!("quote {quote} was broken for {posted} credits; the policy grants at most {most}")
        }
        Kind::OverBudget { spender, left, needed } => {
            let (left, needed) = (Credits(*left), Credits(*needed));
            let spender = spender_text(spender);
            format!("{needed} credits were held, and the budget of {spender} had {left} left in its period")
        }
        _ => return None,
    })
}

fn thing_text(thing: Thing) -> &'static str {
    match thing {
        Thing::Job => "job",
        Thing::Quote => "quote",
        Thing::Reservation => "reservation",
        Thing::Cycle => "cycle",
    }
}

/// What an audit has read, in a few lines.
pub fn summary_text(summary: &Summary) -> String {
    let mut text = String::new();
    let open = summary.open_jobs.len();
    let _ = writeln!(
        text,
        "{} entries, {} cycles, {} reservations",
        summary.entries, summary.cycles, summary.reservations
    );
    let _ = writeln!(
        text,
        "{} jobs: {} done, {} failed, {} cancelled, {} given up, {open} open",
        summary.jobs, summary.done, summary.failed, summary.cancelled, summary.given_up
    );
    let (accepted, broken) = (summary.quotes_accepted, summary.quotes_broken);
    let _ = writeln!(text, "{} quotes: {accepted} accepted, {broken} broken", summary.quotes);
    let _ = write!(
        text,
        "{} micro-credits charged: {} to owners, {} to the VO; {} held",
        summary.charges, summary.income, summary.fees, summary.held
    );
    text
}
