//! One sentence for each thing that can be wrong.
//!
//! The unit of the plan is not known here, so every number says its own.

use super::count::counted;
use super::violation::{AlternativeAt, SlotAt, Violation};
use std::fmt;

impl fmt::Display for AlternativeAt {
    /// The place as a path into the plan, then the job.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "alternatives[{}] (job {})", self.index, self.job)
    }
}

impl fmt::Display for SlotAt {
    /// The place as a path into the plan, then job and node.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SlotAt { alternative, job, index, site, node } = self;
        write!(f, "alternatives[{alternative}].slots[{index}] (job {job}, node {site}/{node})")
    }
}

impl fmt::Display for Violation {
    /// One sentence without a full stop. Time is in seconds, money in credits, whatever the plan's unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Violation as V;
        match self {
            V::UnknownJob { at } => write!(f, "{at} names a job that is not in the batch"),
            V::UnknownSite { at } => write!(f, "{at} names a site that offers nothing"),
            V::UnknownNode { at } => write!(f, "{at} names a node that its site does not have"),
            V::WrongTaskCount { at, expected, claimed } => {
                let (slots, tasks) = (counted(*claimed, "slot"), counted(*expected as usize, "task"));
                write!(f, "{at} has {slots} for a job of {tasks}")
            }
            V::NodeTwice { at, first } => write!(f, "{at} is on the same node as slots[{first}]"),
            V::WrongUnits { at, expected, claimed } => {
                let (taken, needed) =
                    (counted(*claimed as usize, "unit"), counted(*expected as usize, "unit"));
                write!(f, "{at} takes {taken} of its node but a task needs {needed}")
            }
            V::KeptForOthers { at } => {
                write!(f, "{at} is on a node that is kept for tasks that ask for more")
            }
            V::Overbooked { at, moment, taken, free } => {
                write!(
                    f,
                    "{at} is on a node of which {taken} units are taken at {moment} s and {free} are free"
                )
            }
            V::StartsApart { at, expected, claimed } => {
                write!(f, "{at} starts at {claimed} s but its window starts at {expected} s")
            }
            V::EmptyOrReversed { at, start, end } => {
                write!(f, "{at} ends at {end} s, which is not after its start at {start} s")
            }
            V::WrongRuntime { at, expected: Some(expected), claimed } => {
                write!(f, "{at} lasts {claimed} s but its node needs {expected} s")
            }
            V::WrongRuntime { at, expected: None, claimed } => {
                write!(f, "{at} lasts {claimed} s but its node needs longer than time is counted")
            }
            V::WrongEnd { at, expected, claimed } => {
                write!(f, "{at} claims to end at {claimed} s but its last slot ends at {expected} s")
            }
            V::OutsideFreeTime { at, claimed } => {
                write!(f, "{at} takes {claimed} s, which is not inside one free slot of its node")
            }
            V::WrongOffer { at, capacity: true } => {
                write!(f, "{at} does not say that it is on capacity, which is what its site sells")
            }
            V::WrongOffer { at, capacity: false } => {
                write!(f, "{at} says that it is on capacity but its site sells slots of nodes")
            }
            V::TooSlow { at, performance_min, performance } => {
                write!(f, "{at} has performance {performance} but the job asks for {performance_min}")
            }
            V::RequirementUnmet { at, requirement, value: Some(value) } => {
                write!(f, "{at} has {} = {value} but the job asks for {requirement}", requirement.attribute)
            }
            V::RequirementUnmet { at, requirement, value: None } => {
                write!(f, "{at} has no {} but the job asks for {requirement}", requirement.attribute)
            }
            V::OutsideScope { at } => write!(f, "{at} is on a site where the job may not run"),
            V::SplitSites { at, first_site } => {
                write!(f, "{at} leaves the site {first_site} though the job must stay on one site")
            }
            V::BeforeEarliest { at, earliest, start } => {
                write!(f, "{at} starts at {start} s but the job may not start before {earliest} s")
            }
            V::AfterDeadline { at, deadline, end } => {
                write!(f, "{at} ends at {end} s, after the deadline at {deadline} s")
            }
            V::WrongCost { at, expected, claimed } => {
                write!(f, "{at} claims to cost {claimed} credits but its time costs {expected} credits")
            }
            V::WrongTotal { at, expected, claimed } => {
                write!(f, "{at} claims to cost {claimed} credits but its slots add up to {expected} credits")
            }
            V::OverBudget { at, budget, cost } => {
                write!(f, "{at} costs {cost} credits, more than the job's budget of {budget} credits")
            }
            V::OverPriceCap { at, price_max, rate } => {
                write!(
                    f,
                    "{at} costs {rate} credits per second, more than the job's {price_max} credits per second"
                )
            }
            V::Account(wrong) => wrong.fmt(f),
            V::Choice(wrong) => wrong.fmt(f),
            V::Overlap { first, second, shared } => {
                write!(f, "{second} shares {shared} s with {first}")
            }
        }
    }
}
