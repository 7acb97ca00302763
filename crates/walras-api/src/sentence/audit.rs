//! What an audit finds, as sentences without their full stop.

use super::audited::{Credits, end_fault, purpose};
use super::{Context, account_text, spender_text};
use crate::error::echo;
use std::fmt::Write;
use walras_audit::finding::{Gone, Thing};
use walras_audit::{Finding, FindingKind, Summary};

impl Context<'_> {
    /// A finding with the position of its entry.
    pub fn finding(&self, finding: &Finding) -> String {
        format!("entry {}: {}", finding.position, self.finding_kind(&finding.kind))
    }

    /// What is wrong.
    fn finding_kind(&self, kind: &FindingKind) -> String {
        match kind {
            FindingKind::NoEvents => "the entry has no events".to_owned(),
            FindingKind::TimeWentBack { before, at } => {
                format!("time went back from {} to {}", self.moment(*before), self.moment(*at))
            }
            FindingKind::NumberOutOfOrder { thing, number, expected } => {
                format!("{} {number} was given out when {expected} was the next", thing_text(*thing))
            }
            FindingKind::NotThere { thing, number } => {
                format!("there is no {} {number}, or not any more", thing_text(*thing))
            }
            FindingKind::NoSuchSite(site) => format!("there is no site {}", self.site(*site)),
            FindingKind::NoSuchNode(node) => format!("there is no node {}", self.node(*node)),
            FindingKind::NoSuchUser(name) => format!("there is no user '{name}'"),
            FindingKind::RequestTwice { by, key } => format!("request '{key}' of {by} was carried out twice"),
            FindingKind::WrongStrategy { job, expected } => {
                format!(
                    "the workflow '{}' has another strategy than the VO's rules give it: {expected}",
                    echo(job)
                )
            }
            FindingKind::Unprompted { event } => {
                format!("the event '{event}' does not follow from the entry's input")
            }
            FindingKind::NodeAlready { node } => {
                format!("node {} was in that state already", self.node(*node))
            }
            FindingKind::SiteAlready { site } => {
                format!("site {} was in that state already", self.site(*site))
            }
            FindingKind::JobNotFree { job } => format!("job {job} was reserved for when it was not to be"),
            FindingKind::JobNotReturning { job } => {
                format!("job {job} was returned to a queue that it had not left")
            }
            FindingKind::FreedWrongly { job } => {
                format!("job {job} was let into the queue before all that it waits for had happened")
            }
            FindingKind::LeftBehind { job } => {
                format!("job {job} waits although all that it waits for has happened, or can never happen")
            }
            FindingKind::ElementTwice { array, element } => {
                format!("element {element} of array {array} became a job, or ended, twice")
            }
            FindingKind::TooManyAtOnce { array, live } => {
                format!("{live} elements of array {array} are jobs at once, which is more than it allows")
            }
            FindingKind::JobForgotten { job } => {
                format!("job {job} lost its place, and no event gives a reason")
            }
            FindingKind::WrongEnd { job, why } => {
                format!("job {job} cannot end like this: {}", end_fault(*why))
            }
            FindingKind::TooManyNodes { job, nodes, most } => format!(
                "workflows of one user have {nodes} nodes with job {job}, of {most} that they may have"
            ),
            FindingKind::TaskTwice { job, task } => {
                format!("task {} of job {job} was done before", self.task(*task))
            }
            FindingKind::CycleStep { .. }
            | FindingKind::AskedWrongly { .. }
            | FindingKind::OfferUnasked { .. }
            | FindingKind::BadRound { .. }
            | FindingKind::OutOfRound { .. }
            | FindingKind::BatchStranger { .. }
            | FindingKind::BatchOrder { .. }
            | FindingKind::BatchSize { .. }
            | FindingKind::WrongRank { .. } => self.cycle_finding(kind).unwrap_or_default(),
            FindingKind::QuoteTime { .. }
            | FindingKind::NoSuchOption { .. }
            | FindingKind::NotAsQuoted { .. }
            | FindingKind::NotHeld { .. }
            | FindingKind::Dominated { .. }
            | FindingKind::WrongOption { .. }
            | FindingKind::NoReason { .. } => self.quote_finding(kind).unwrap_or_default(),
            FindingKind::Unbalanced { .. }
            | FindingKind::BadPosting { .. }
            | FindingKind::NoAccount(_)
            | FindingKind::BelowLimit { .. }
            | FindingKind::HeldDiffers { .. }
            | FindingKind::WrongLien { .. }
            | FindingKind::WrongSettlement { .. }
            | FindingKind::WrongDeposit { .. }
            | FindingKind::WrongCompensation { .. }
            | FindingKind::OverBudget { .. } => money_finding(kind).unwrap_or_default(),
            FindingKind::PromiseBroken { .. }
            | FindingKind::PromiseChanged { .. }
            | FindingKind::BadPlan { .. }
            | FindingKind::NotAsPlanned { .. } => self.promise_finding(kind).unwrap_or_default(),
            FindingKind::BadAllocation { .. }
            | FindingKind::ReservationStep { .. }
            | FindingKind::LegStep { .. }
            | FindingKind::PartStep { .. }
            | FindingKind::TooSoon { .. }
            | FindingKind::BeforeOthers { .. }
            | FindingKind::BeforeFiles { .. }
            | FindingKind::FilesStep { .. }
            | FindingKind::RunsTwice { .. }
            | FindingKind::WrongTime { .. }
            | FindingKind::BadSchedule { .. }
            | FindingKind::WrongReason { .. }
            | FindingKind::LeftThere { .. }
            | FindingKind::WrongKept { .. } => self.reservation_finding(kind).unwrap_or_default(),
        }
    }

    fn cycle_finding(&self, kind: &FindingKind) -> Option<String> {
        Some(match kind {
            FindingKind::CycleStep { cycle, step } => format!("cycle {cycle} was {step} out of order"),
            FindingKind::AskedWrongly { cycle, site } => {
                format!(
                    "cycle {cycle} asked site {}, which has failed or was asked already",
                    self.site(*site)
                )
            }
            FindingKind::OfferUnasked { cycle, site } => {
                format!("cycle {cycle} took an offer of site {} that it did not wait for", self.site(*site))
            }
            FindingKind::BadRound { cycle } => {
                format!(
                    "cycle {cycle} assigned jobs to capacity before it was time, or otherwise than the VO does"
                )
            }
            FindingKind::OutOfRound { job } => {
                format!(
                    "job {job} has processors of a site that sells capacity, but not as they were assigned"
                )
            }
            FindingKind::BatchStranger { cycle, job } => {
                format!(
                    "the batch of cycle {cycle} has job {job}, which is not in the queue or stands there twice"
                )
            }
            FindingKind::BatchOrder { cycle, job } => {
                format!("the batch of cycle {cycle} has job {job} behind one of lower rank")
            }
            FindingKind::BatchSize { cycle, queued, batch } => {
                format!("the batch of cycle {cycle} has {batch} of {queued} queued jobs")
            }
            FindingKind::WrongRank { cycle, job, aspect, expected, found } => {
                format!("in cycle {cycle}, the {aspect} of job {job} is {found} and should be {expected}")
            }
            _ => return None,
        })
    }

    fn promise_finding(&self, kind: &FindingKind) -> Option<String> {
        Some(match kind {
            FindingKind::PromiseBroken { job } => {
                format!("job {job} is planned where what it was promised is not kept")
            }
            FindingKind::PromiseChanged { job } => {
                format!("job {job} is promised something else, and what that rested on is still there")
            }
            FindingKind::BadPlan { job, fault: None } => {
                format!("job {job} is planned when or where it cannot be")
            }
            FindingKind::BadPlan { job, fault: Some(fault) } => {
                format!("job {job} is planned where it cannot run: {}", self.allocation_fault(fault))
            }
            FindingKind::NotAsPlanned { job } => {
                format!("what is reserved for job {job} is not what was planned")
            }
            _ => return None,
        })
    }

    fn quote_finding(&self, kind: &FindingKind) -> Option<String> {
        Some(match kind {
            FindingKind::QuoteTime { quote, until } => {
                format!("quote {quote} binds until {}, and not longer or shorter", self.moment(*until))
            }
            FindingKind::NoSuchOption { quote, option } => {
                format!("quote {quote} has no alternative {option}")
            }
            FindingKind::NotHeld { quote } => format!("what is held for quote {quote} is not what it lists"),
            FindingKind::NotAsQuoted { quote } => {
                format!("what was reserved is not what quote {quote} promised")
            }
            FindingKind::Dominated { quote, option, by } => {
                format!("alternative {option} of quote {quote} is neither sooner nor cheaper than {by}")
            }
            FindingKind::WrongOption { quote, option } => {
                format!("alternative {option} of quote {quote} is not what its holds say, or one too many")
            }
            FindingKind::NoReason { quote } => format!("quote {quote} has no alternative and no reason"),
            _ => return None,
        })
    }

    fn reservation_finding(&self, kind: &FindingKind) -> Option<String> {
        Some(match kind {
            FindingKind::BadAllocation { reservation, fault } => {
                format!("reservation {reservation} cannot be: {}", self.allocation_fault(fault))
            }
            FindingKind::ReservationStep { reservation, step } => {
                format!("reservation {reservation} was {step} out of order")
            }
            FindingKind::LegStep { reservation, site, step } => {
                format!("site {} has {step} reservation {reservation} out of order", self.site(*site))
            }
            FindingKind::PartStep { reservation, part, step } => {
                format!("part {part} of reservation {reservation} was {step} out of order")
            }
            FindingKind::TooSoon { reservation, part } => {
                format!("part {part} of reservation {reservation} was started before its time")
            }
            FindingKind::BeforeOthers { reservation, part, after } => format!(
                "part {part} of reservation {reservation} was started before the data of part {after} was there"
            ),
            FindingKind::BeforeFiles { reservation, part, file } => {
                format!("part {part} of reservation {reservation} was started before {} had come", echo(file))
            }
            FindingKind::FilesStep { reservation, task, step } => format!(
                "bringing the files of task {} for reservation {reservation} was {step} out of order",
                task.number()
            ),
            FindingKind::RunsTwice { reservation, earlier } => {
                format!("reservation {reservation} was started while {earlier} of the same job may still run")
            }
            FindingKind::WrongTime { reservation, part, at } => {
                let at = self.moment(*at);
                format!("part {part} of reservation {reservation} cannot have started or ended at {at}")
            }
            FindingKind::BadSchedule { reservation, part, fault } => {
                let fault = self.allocation_fault(fault);
                format!("part {part} of reservation {reservation} was moved where it cannot run: {fault}")
            }
            FindingKind::WrongReason { reservation } => format!(
                "reservation {reservation} was closed or changed for a reason that the journal does not show"
            ),
            FindingKind::LeftThere { reservation, place } => {
                let place = match place {
                    Gone::Node(node) => format!("node {}", self.node(*node)),
                    Gone::Site(site) => format!("site {}", self.site(*site)),
                };
                format!("reservation {reservation} still relies on {place}, which is gone")
            }
            FindingKind::WrongKept { reservation } => format!(
                "reservation {reservation} keeps other results than those of the tasks that ended well"
            ),
            _ => return None,
        })
    }
}

fn money_finding(kind: &FindingKind) -> Option<String> {
    Some(match kind {
        FindingKind::Unbalanced { sum } => {
            format!("a transaction sums to {} credits instead of 0", Credits(*sum))
        }
        FindingKind::BadPosting { account, purpose: of, amount } => {
            let (account, of) = (account_text(account), purpose(*of));
            format!("a posting of {amount} credits to {account} cannot be {of} here")
        }
        FindingKind::NoAccount(account) => format!("{} does not exist", account_text(account)),
        FindingKind::BelowLimit { account, balance, lowest } => {
            let (balance, lowest) = (Credits(*balance), Credits(*lowest));
            format!("{} has {balance} credits, and may not go below {lowest}", account_text(account))
        }
        FindingKind::HeldDiffers { held, liens } => {
            format!("{} credits are held for liens of {}", Credits(*held), Credits(*liens))
        }
        FindingKind::WrongLien { reservation, expected, posted } => {
            let (expected, posted) = (Credits(*expected), Credits(*posted));
            format!("reservation {reservation} costs {expected} credits, and {posted} were held")
        }
        FindingKind::WrongSettlement { reservation, account, purpose: of, expected, posted } => {
            let (expected, posted) = (Credits(*expected), Credits(*posted));
            let (account, of) = (account_text(account), purpose(*of));
            format!(
                "when reservation {reservation} was settled, {account} had {posted} credits as {of} instead of {expected}"
            )
        }
        FindingKind::WrongDeposit { account } => {
            format!("a deposit to {} was not booked as it was made", account_text(account))
        }
        FindingKind::WrongCompensation { quote, most, posted } => {
            let (most, posted) = (Credits(*most), Credits(*posted));
            format!("quote {quote} was broken for {posted} credits; the policy grants at most {most}")
        }
        FindingKind::OverBudget { spender, left, needed } => {
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
    if summary.promises_renewed > 0 {
        let _ = writeln!(
            text,
            "promises given anew, since what they rested on was gone: {}",
            summary.promises_renewed
        );
    }
    let _ = write!(
        text,
        "{} micro-credits charged: {} to owners, {} to the VO; {} held",
        summary.charges, summary.income, summary.fees, summary.held
    );
    text
}
