//! Checks of one alternative as a whole: its names, its edges, its money.

use super::facts::{Facts, NodeLookup, Terms, cost_micros, money};
use super::task::{self, Task};
use super::units::{self, Claimed};
use super::violation::{AlternativeAt, SlotAt, Violation};
use super::{ClaimedAlternative, Rules};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use walras_model::id::NodeId;
use walras_model::offer::Node;

/// A claimed alternative with what its names stand for.
pub(super) struct Window<'a> {
    pub(super) index: usize,
    pub(super) claimed: &'a ClaimedAlternative,
    /// `None` when the batch does not know the job.
    pub(super) terms: Option<&'a Terms<'a>>,
    pub(super) tasks: Vec<Task<'a>>,
}

/// Looks the names of a claimed alternative up.
pub(super) fn resolve<'a>(index: usize, claimed: &'a ClaimedAlternative, facts: &'a Facts<'a>) -> Window<'a> {
    resolve_by(index, claimed, facts, |slot| {
        facts.lookup(&claimed.slots[slot].site, &claimed.slots[slot].node)
    })
}

/// The same where somebody else says what the slots' names stand for, by their places in the claim.
pub(super) fn resolve_by<'a>(
    index: usize,
    claimed: &'a ClaimedAlternative,
    facts: &'a Facts<'a>,
    lookup_of: impl Fn(usize) -> NodeLookup<'a>,
) -> Window<'a> {
    let terms = facts.job(&claimed.job);
    let tasks = (0..).zip(&claimed.slots).map(|(index, slot)| {
        let lookup = lookup_of(index);
        let (source, on_capacity) = match lookup {
            NodeLookup::Known(id, node) if units::is_divided(node) => {
                (facts.free_units(id, (slot.start, slot.end), slot.units), facts.on_capacity(node))
            }
            NodeLookup::Known(id, node) => {
                (facts.free_slot(id, slot.start, slot.end), facts.on_capacity(node))
            }
            NodeLookup::NoSuchSite | NodeLookup::NoSuchNode => (None, false),
        };
        let rate = source.and_then(|source| facts.rate(source, terms));
        let rate = match lookup {
            NodeLookup::Known(_, node) => rate.and_then(|rate| units::price(rate, slot.units, node)),
            NodeLookup::NoSuchSite | NodeLookup::NoSuchNode => rate,
        };
        Task { index, claimed: slot, lookup, source, rate, on_capacity }
    });
    Window { index, claimed, terms, tasks: tasks.collect() }
}

/// Appends what is wrong with the alternative, and with each of its tasks.
pub(super) fn check_whole(window: &Window<'_>, rules: Rules, violations: &mut Vec<Violation>) {
    check(window, violations);
    for task in &window.tasks {
        task::check(task, window, rules, violations);
    }
}

/// Appends what is wrong with the alternative apart from its single tasks.
fn check(window: &Window<'_>, violations: &mut Vec<Violation>) {
    let separate = window.terms.is_some_and(|terms| terms.request.scope.separate_nodes);
    match window.terms {
        None => violations.push(Violation::UnknownJob { at: window.at() }),
        Some(terms) => {
            check_count(window, terms, violations);
            check_limits(window, terms, violations);
            check_budget(window, terms, violations);
            check_one_site(window, terms, violations);
        }
    }
    check_distinct(window, separate, violations);
    check_end(window, violations);
    check_total(window, violations);
}

impl Window<'_> {
    /// Where this alternative stands in the claim.
    pub(super) fn at(&self) -> AlternativeAt {
        AlternativeAt { index: self.index, job: self.claimed.job.clone() }
    }

    /// Where that task stands in the claim.
    pub(super) fn slot_at(&self, task: &Task<'_>) -> SlotAt {
        SlotAt {
            alternative: self.index,
            job: self.claimed.job.clone(),
            index: task.index,
            site: task.claimed.site.clone(),
            node: task.claimed.node.clone(),
        }
    }
}

fn check_count(window: &Window<'_>, terms: &Terms<'_>, violations: &mut Vec<Violation>) {
    let (expected, claimed) = (terms.request.tasks, window.tasks.len());
    if u32::try_from(claimed) != Ok(expected) {
        violations.push(Violation::WrongTaskCount { at: window.at(), expected, claimed });
    }
}

/// The slots, not the window's own edges, say when the job really runs.
fn check_limits(window: &Window<'_>, terms: &Terms<'_>, violations: &mut Vec<Violation>) {
    let slots = &window.claimed.slots;
    let start = slots.iter().map(|slot| slot.start).min();
    let end = slots.iter().map(|slot| slot.end).max();
    if let (Some(start), Some(earliest)) = (start, terms.request.earliest)
        && start < earliest
    {
        violations.push(Violation::BeforeEarliest { at: window.at(), earliest, start });
    }
    if let (Some(end), Some(deadline)) = (end, terms.request.deadline)
        && end > deadline
    {
        violations.push(Violation::AfterDeadline { at: window.at(), deadline, end });
    }
}

/// What counts is what the slots really cost, wherever that can be derived: a false cost hides nothing.
fn check_budget(window: &Window<'_>, terms: &Terms<'_>, violations: &mut Vec<Violation>) {
    let Some(budget) = terms.budget else { return };
    let cost: i128 = window.tasks.iter().map(real_cost).sum();
    if cost > budget {
        let (budget, cost) = (money(budget), money(cost));
        violations.push(Violation::OverBudget { at: window.at(), budget, cost });
    }
}

fn real_cost(task: &Task<'_>) -> i128 {
    let derived = task.rate.and_then(|rate| cost_micros(rate, task.millis()));
    derived.unwrap_or(i128::from(task.claimed.cost.as_micros()))
}

fn check_one_site(window: &Window<'_>, terms: &Terms<'_>, violations: &mut Vec<Violation>) {
    if !terms.request.scope.same_site {
        return;
    }
    let site = |task: &Task<'_>| task.node().map(|node| node.site);
    let mut known = window.tasks.iter().filter(|task| task.node().is_some());
    let Some(first) = known.next() else { return };
    if let Some(other) = known.find(|task| site(task) != site(first)) {
        let first_site = first.claimed.site.clone();
        violations.push(Violation::SplitSites { at: window.slot_at(other), first_site });
    }
}

/// Of nodes that are sold in units, several tasks may have some, unless the job wants `separate` ones.
fn check_distinct(window: &Window<'_>, separate: bool, violations: &mut Vec<Violation>) {
    let alone = |of: &Node| separate || !units::is_divided(of);
    let whole = window.tasks.iter().filter_map(|task| match task.lookup {
        NodeLookup::Known(node, of) => Some(node).filter(|_| alone(of)),
        NodeLookup::NoSuchSite | NodeLookup::NoSuchNode => None,
    });
    let mut nodes: Vec<NodeId> = whole.collect();
    nodes.sort_unstable();
    if nodes.windows(2).all(|pair| pair[0] != pair[1]) {
        return;
    }
    let mut first_on: BTreeMap<NodeId, usize> = BTreeMap::new();
    for task in &window.tasks {
        let NodeLookup::Known(node, of) = task.lookup else { continue };
        if !alone(of) {
            continue;
        }
        match first_on.entry(node) {
            Entry::Vacant(entry) => {
                entry.insert(task.index);
            }
            Entry::Occupied(entry) => {
                violations.push(Violation::NodeTwice { at: window.slot_at(task), first: *entry.get() });
            }
        }
    }
}

fn check_end(window: &Window<'_>, violations: &mut Vec<Violation>) {
    let Some(expected) = window.claimed.slots.iter().map(|slot| slot.end).max() else { return };
    let claimed = window.claimed.end;
    if claimed != expected {
        violations.push(Violation::WrongEnd { at: window.at(), expected, claimed });
    }
}

fn check_total(window: &Window<'_>, violations: &mut Vec<Violation>) {
    let sum: i128 = window.claimed.slots.iter().map(|slot| i128::from(slot.cost.as_micros())).sum();
    let claimed = window.claimed.cost;
    if i128::from(claimed.as_micros()) != sum {
        violations.push(Violation::WrongTotal { at: window.at(), expected: money(sum), claimed });
    }
}

/// What a window claims of nodes that are sold in units, as far as it is free at all.
pub(super) fn claimed_by(window: &Window<'_>) -> Vec<Claimed> {
    let claimed = |task: &Task<'_>| {
        let NodeLookup::Known(id, node) = task.lookup else { return None };
        let interval = task.interval().filter(|_| units::is_divided(node) && task.source.is_some())?;
        let (from, until) = (interval.start(), interval.end());
        Some(Claimed { node: id, from, until, units: task.claimed.units, at: window.slot_at(task) })
    };
    window.tasks.iter().filter_map(claimed).collect()
}
