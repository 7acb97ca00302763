//! What the verifiers say of an alternative, with the broker's ids in place of the names that they know.

use crate::model::allocation::{Allocation, Hold};
use crate::model::mismatch::{Mismatch, NodeOrQueue, TaskMismatch};
use crate::plan::Remaining;
use walras_model::{NodeId, SiteId, TaskId};
use walras_verify::tasks::TaskViolation;
use walras_verify::{SlotAt, Violation};

/// What the verifier says of a window, with ids in place of the names that it knows; `holds` in the order of the claim.
pub(crate) fn of_window(
    violation: Violation,
    allocation: &Allocation,
    holds: &[(SiteId, &Hold)],
) -> Mismatch {
    use Violation as V;
    let hold = |at: &SlotAt| holds.get(at.index).and_then(|(site, hold)| Some((*site, hold.node?, *hold)));
    let on = |at: &SlotAt, make: &dyn Fn(SiteId, NodeId, &Hold) -> Mismatch| {
        hold(at).map_or(Mismatch::Inconsistent, |(site, node, hold)| make(site, node, hold))
    };
    match violation {
        V::UnknownSite { at } => on(&at, &|site, _, _| Mismatch::NoSite(site)),
        V::UnknownNode { at } => on(&at, &|site, node, _| Mismatch::NoNode { site, node }),
        V::WrongTaskCount { expected, claimed, .. } => Mismatch::WrongCount {
            tasks: expected,
            holds: u32::try_from(claimed).unwrap_or(u32::MAX),
            parts: u32::try_from(allocation.parts.len()).unwrap_or(u32::MAX),
        },
        V::NodeTwice { at, .. } => on(&at, &|_, node, _| Mismatch::NodeTwice(node)),
        V::WrongUnits { at, expected, claimed } => {
            on(&at, &|_, node, _| Mismatch::WrongUnits { node, held: claimed, expected })
        }
        V::KeptForOthers { at } => on(&at, &|_, node, _| Mismatch::KeptForOthers(node)),
        V::Overbooked { at, .. } => {
            on(&at, &|_, node, hold| Mismatch::NotFree { node, interval: hold.interval })
        }
        V::StartsApart { at, expected, claimed } => {
            on(&at, &|_, node, _| Mismatch::StartsApart { node, start: claimed, expected })
        }
        V::WrongRuntime { at, expected, claimed } => on(&at, &|_, node, _| Mismatch::WrongLength {
            place: NodeOrQueue::Node(node),
            held: claimed,
            expected,
        }),
        V::OutsideFreeTime { at, .. } => {
            on(&at, &|_, node, hold| Mismatch::NotFree { node, interval: hold.interval })
        }
        V::TooSlow { at, performance_min: least, performance } => {
            on(&at, &|_, node, _| Mismatch::TooSlow { place: NodeOrQueue::Node(node), performance, least })
        }
        V::RequirementUnmet { at, requirement, .. } => on(&at, &|_, node, _| Mismatch::RequirementUnmet {
            place: NodeOrQueue::Node(node),
            requirement: requirement.clone(),
        }),
        V::OutsideScope { at } => on(&at, &|site, _, _| Mismatch::OutsideScope(site)),
        V::SplitSites { .. } => Mismatch::SeveralSites,
        V::BeforeEarliest { earliest, start, .. } => Mismatch::BeforeEarliest { start, earliest },
        V::AfterDeadline { deadline, end, .. } => Mismatch::AfterDeadline { end, deadline },
        V::WrongCost { at, expected, claimed } => {
            on(&at, &|_, node, hold| match hold.rate.cost_of(hold.interval.span()) {
                Some(was) if was == claimed => Mismatch::PriceChanged { node, was, now: expected },
                _ => Mismatch::WrongCost { cost: claimed, expected: Some(expected) },
            })
        }
        V::WrongTotal { expected, claimed, .. } => Mismatch::WrongTotal { cost: claimed, expected },
        V::OverBudget { budget, cost, .. } => Mismatch::OverBudget { cost, budget },
        // Of one alternative without a choice, made from intervals, sums and slots that are no capacity, none of these is said.
        V::UnknownJob { .. }
        | V::EmptyOrReversed { .. }
        | V::WrongEnd { .. }
        | V::WrongOffer { .. }
        | V::OverPriceCap { .. }
        | V::Overlap { .. }
        | V::Account(_)
        | V::Choice(_) => Mismatch::Inconsistent,
    }
}

/// What the verifier says of a task, with ids in place of the names that it knows.
pub(crate) fn of_task(violation: TaskViolation, remaining: &Remaining) -> Mismatch {
    use TaskViolation as V;
    let id = |name: &str| -> Option<TaskId> {
        let place = remaining.workflow.tasks().iter().position(|task| task.name == name)?;
        remaining.tasks.get(place).copied()
    };
    let on = |task: &str, fault: TaskMismatch| {
        id(task).map_or(Mismatch::WrongTasks, |task| Mismatch::Task { task, fault })
    };
    match violation {
        V::UnknownTask { .. }
        | V::TaskTwice { .. }
        | V::TaskMissing { .. }
        | V::WrongGang { .. }
        | V::NodeTwice { .. } => Mismatch::WrongTasks,
        V::UnknownNode { task, .. } => on(&task, TaskMismatch::NotHeld),
        V::WrongRuntime { task, expected, claimed, .. } => {
            on(&task, TaskMismatch::WrongLength { planned: claimed, expected })
        }
        V::OutsideFreeTime { task, .. } => on(&task, TaskMismatch::OutsideHold),
        V::TooFewCores { task, needed, .. } => on(&task, TaskMismatch::TooFewCores(needed)),
        V::TooLittleMemory { task, needed, .. } => on(&task, TaskMismatch::TooLittleMemory(needed)),
        V::RequirementUnmet { task, requirement, .. } => {
            on(&task, TaskMismatch::RequirementUnmet(requirement))
        }
        V::WrongCost { task, expected, claimed } => {
            on(&task, TaskMismatch::WrongCost { cost: claimed, expected })
        }
        V::BeforeData { task, from, arrives, start } => match id(&from) {
            Some(from) => on(&task, TaskMismatch::BeforeData { from, arrives, start }),
            None => Mismatch::WrongTasks,
        },
        V::Overlap { first, second, .. } => match id(&first) {
            Some(first) => on(&second, TaskMismatch::Overlaps(first)),
            None => Mismatch::WrongTasks,
        },
        V::WrongTotal { expected, claimed } => Mismatch::WrongTotal { cost: claimed, expected },
        // A part that ends before it starts lies outside its hold, and no terms are given to be broken.
        V::Reversed { .. } | V::BeforeEarliest { .. } | V::AfterDeadline { .. } | V::OverBudget { .. } => {
            Mismatch::Inconsistent
        }
    }
}
