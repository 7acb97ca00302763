//! Checks of one claimed slot: its time, its node, its price.

use super::facts::{NodeLookup, Terms, cost_micros, money, runtime_millis};
use super::units;
use super::violation::Violation;
use super::window::Window;
use super::{ClaimedSlot, Rules};
use walras_model::interval::Interval;
use walras_model::offer::{Node, Slot};
use walras_model::quantity::{Rate, Span};
use walras_model::request::Request;

/// A claimed slot with what its names stand for.
pub(super) struct Task<'a> {
    pub(super) index: usize,
    pub(super) claimed: &'a ClaimedSlot,
    pub(super) lookup: NodeLookup<'a>,
    /// The free slot that holds all of its time, where there is one.
    pub(super) source: Option<Slot>,
    /// What that costs per time, where it is known.
    pub(super) rate: Option<Rate>,
    /// Whether its node is a processor of a site that sells capacity.
    pub(super) on_capacity: bool,
}

impl<'a> Task<'a> {
    /// Its node, where there is one of that name.
    pub(super) fn node(&self) -> Option<&'a Node> {
        match self.lookup {
            NodeLookup::Known(_, node) => Some(node),
            NodeLookup::NoSuchSite | NodeLookup::NoSuchNode => None,
        }
    }

    /// Its claimed length; negative when reversed.
    pub(super) fn millis(&self) -> i128 {
        i128::from(self.claimed.end.as_millis()) - i128::from(self.claimed.start.as_millis())
    }

    /// Its claimed time, unless that is empty or reversed.
    pub(super) fn interval(&self) -> Option<Interval> {
        Interval::new(self.claimed.start, self.claimed.end)
    }
}

/// Appends what is wrong with one slot of a window.
pub(super) fn check(task: &Task<'_>, window: &Window<'_>, rules: Rules, violations: &mut Vec<Violation>) {
    check_edges(task, window, violations);
    match task.lookup {
        NodeLookup::NoSuchSite => violations.push(Violation::UnknownSite { at: window.slot_at(task) }),
        NodeLookup::NoSuchNode => violations.push(Violation::UnknownNode { at: window.slot_at(task) }),
        NodeLookup::Known(_, node) => {
            check_free(task, window, violations);
            check_offer(task, window, violations);
            if let Some(terms) = window.terms {
                check_runtime(task, node, terms, window, violations);
                check_node(task, node, terms, window, violations);
                violations.extend(wrong_units(task, node, terms.request, window));
            }
        }
    }
    if let Some(rate) = task.rate {
        check_price(task, rate, window, rules, violations);
    }
}

fn check_edges(task: &Task<'_>, window: &Window<'_>, violations: &mut Vec<Violation>) {
    let (start, end) = (task.claimed.start, task.claimed.end);
    if start != window.claimed.start {
        violations.push(Violation::StartsApart {
            at: window.slot_at(task),
            expected: window.claimed.start,
            claimed: start,
        });
    }
    if start >= end {
        violations.push(Violation::EmptyOrReversed { at: window.slot_at(task), start, end });
    }
}

fn check_free(task: &Task<'_>, window: &Window<'_>, violations: &mut Vec<Violation>) {
    if let (Some(claimed), None) = (task.interval(), task.source) {
        violations.push(Violation::OutsideFreeTime { at: window.slot_at(task), claimed });
    }
}

/// Who reads a plan must know what was bought: a reserved node, or one of many processors.
fn check_offer(task: &Task<'_>, window: &Window<'_>, violations: &mut Vec<Violation>) {
    if task.claimed.capacity != task.on_capacity {
        violations.push(Violation::WrongOffer { at: window.slot_at(task), capacity: task.on_capacity });
    }
}

/// Too long is as wrong as too short: somebody pays for it.
fn check_runtime(
    task: &Task<'_>,
    node: &Node,
    terms: &Terms<'_>,
    window: &Window<'_>,
    violations: &mut Vec<Violation>,
) {
    let Some(interval) = task.interval() else { return };
    let needed = runtime_millis(terms.request.work, node.performance);
    if task.millis() != needed {
        violations.push(Violation::WrongRuntime {
            at: window.slot_at(task),
            expected: i64::try_from(needed).ok().and_then(Span::from_millis),
            claimed: interval.span(),
        });
    }
}

/// Whether the node is what the job asks for, whatever the time.
fn check_node(
    task: &Task<'_>,
    node: &Node,
    terms: &Terms<'_>,
    window: &Window<'_>,
    violations: &mut Vec<Violation>,
) {
    let (performance, performance_min) = (node.performance, terms.request.performance_min);
    if performance.as_millionths() < performance_min.as_millionths() {
        violations.push(Violation::TooSlow { at: window.slot_at(task), performance_min, performance });
    }
    if terms.sites.as_ref().is_some_and(|sites| !sites.contains(&node.site)) {
        violations.push(Violation::OutsideScope { at: window.slot_at(task) });
    }
    if !units::is_open_to(terms.request, node) {
        violations.push(Violation::KeptForOthers { at: window.slot_at(task) });
    }
    for requirement in &terms.request.requires {
        let value = node.attributes.get(&requirement.attribute);
        if !units::is_met(requirement, node) {
            violations.push(Violation::RequirementUnmet {
                at: window.slot_at(task),
                requirement: requirement.clone(),
                value: value.cloned(),
            });
        }
    }
}

/// Holds the claimed cost and the rules against the price of the free slot that the task is cut from.
fn check_price(
    task: &Task<'_>,
    rate: Rate,
    window: &Window<'_>,
    rules: Rules,
    violations: &mut Vec<Violation>,
) {
    let claimed = task.claimed.cost;
    // A length of time times a rate fits 128 bits with room to spare.
    let expected = cost_micros(rate, task.millis()).unwrap_or(i128::MAX);
    if i128::from(claimed.as_micros()) != expected {
        violations.push(Violation::WrongCost {
            at: window.slot_at(task),
            expected: money(expected),
            claimed,
        });
    }
    let price_max = window.terms.and_then(|terms| terms.request.price_max).filter(|_| rules.price_cap);
    if let Some(price_max) = price_max
        && rate.as_micros_per_second() > price_max.as_micros_per_second()
    {
        violations.push(Violation::OverPriceCap { at: window.slot_at(task), price_max, rate });
    }
}

/// What is wrong with the number of units that a task claims: it takes what it needs, and what somebody else needs of a node is not its own.
fn wrong_units(task: &Task<'_>, node: &Node, request: &Request, window: &Window<'_>) -> Option<Violation> {
    let claimed = task.claimed.units;
    let expected = units::needed(request, node)?;
    (claimed != expected).then(|| Violation::WrongUnits { at: window.slot_at(task), expected, claimed })
}
