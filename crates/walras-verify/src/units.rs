//! Nodes that are sold in units: how many a task needs, what they cost, and whether more are claimed than are free.
//!
//! **Problem.** Several tasks may share such a node, of one alternative or of several. Find every node of which more is claimed at some moment
//! than is free of it.
//!
//! **Method.** Needs and prices are derived again here. Then a sweep over time for every node: at every moment at which a claim begins or
//! ends or the number of free units changes, the sum of what is claimed from there on is held against it. The claim that is reported is the
//! last of those that share the first such moment.
//!
//! **Complexity.** O(p log p + s) for p claimed and s offered slots.

use super::facts::{Facts, passes};
use super::violation::{SlotAt, Violation};
use std::collections::BTreeMap;
use walras_model::attribute::{Requirement, Test, Value};
use walras_model::id::NodeId;
use walras_model::need::TaskNeed;
use walras_model::offer::Node;
use walras_model::quantity::{Rate, Time};
use walras_model::request::Request;

/// Whether a node is sold in units.
pub(super) fn is_divided(node: &Node) -> bool {
    node.division.units() > 1
}

/// How much of which resource of a node a requirement uses, in millionths, and how much there is; nothing where it is a test.
fn uses<'a>(requirement: &'a Requirement, node: &'a Node) -> Vec<(i128, i128)> {
    let Some(amount) = least_amount(requirement) else { return Vec::new() };
    let named = requirement.attribute.split('|').filter_map(|name| node.division.resources().get(name));
    named.map(|all| (i128::from(amount), i128::from(*all) * 1_000_000)).collect()
}

/// What a requirement asks for, in millionths, where it names an amount; of several that would do, the least.
fn least_amount(requirement: &Requirement) -> Option<i64> {
    let numbers: Vec<i64> = match &requirement.test {
        Test::Equals(Value::Number(number)) => vec![number.as_millionths()],
        Test::Range { min: Some(least), .. } => vec![least.as_millionths()],
        Test::OneOf(values) => {
            let number =
                |value: &Value| if let Value::Number(it) = value { Some(it.as_millionths()) } else { None };
            values.iter().filter_map(number).collect()
        }
        Test::Equals(Value::Text(_) | Value::Flag(_)) | Test::Range { min: None, .. } => Vec::new(),
    };
    numbers.into_iter().min()
}

/// Whether a requirement is for a node without anybody beside.
fn is_exclusive(requirement: &Requirement) -> bool {
    requirement.attribute == "exclusive" && matches!(requirement.test, Test::Equals(Value::Flag(true)))
}

/// Whether a node can meet a requirement: it has enough of what is used, or passes the test.
pub(super) fn is_met(requirement: &Requirement, node: &Node) -> bool {
    if is_exclusive(requirement) {
        return true;
    }
    let uses = uses(requirement, node);
    if uses.is_empty() {
        passes(requirement, &node.attributes)
    } else {
        uses.iter().any(|(need, all)| need <= all)
    }
}

/// The fewest units that have everything that is required, and of a workflow everything that any of its tasks needs which the node can run: tried
/// one after the other, since there are few.
pub(super) fn needed(request: &Request, node: &Node) -> Option<u32> {
    let runs: Vec<&TaskNeed> = request.scope.needs.iter().filter(|need| can_run(need, node)).collect();
    let enough = |units: &u32| {
        let all_have =
            runs.iter().all(|need| have(&need.requires, node, *units) && have_room(need, node, *units));
        have(&request.requires, node, *units) && all_have
    };
    (node.division.least_units()..=node.division.units()).find(enough)
}

/// Whether so many units of a node have all that is required of what they count.
fn have(requires: &[Requirement], node: &Node, units: u32) -> bool {
    let all_units = i128::from(node.division.units());
    requires.iter().all(|requirement| {
        if is_exclusive(requirement) {
            return units == node.division.units();
        }
        let uses = uses(requirement, node);
        uses.is_empty() || uses.iter().any(|(need, all)| need * all_units <= all * i128::from(units))
    })
}

/// Whether so many units of a node have the cores and the memory that a task needs, as far as they count them.
fn have_room(need: &TaskNeed, node: &Node, units: u32) -> bool {
    let of = |name: &str, amount: i128, each: i128| {
        let all = node.division.resources().get(name);
        all.is_none_or(|all| {
            amount * i128::from(node.division.units()) <= i128::from(*all) * each * i128::from(units)
        })
    };
    let bytes = need.memory.map_or(0, |memory| i128::from(memory.as_bytes()));
    of("cores", i128::from(need.cores), 1) && of("memory_gb", bytes, 1_000_000_000)
}

/// Whether a node can run a task with all of its units.
fn can_run(need: &TaskNeed, node: &Node) -> bool {
    let stated = |name: &str| match node.attributes.get(name) {
        Some(Value::Number(number)) => Some(i128::from(number.as_millionths())),
        Some(Value::Text(_) | Value::Flag(_)) | None => None,
    };
    let bytes = need.memory.map_or(0, |memory| i128::from(memory.as_bytes()));
    let cores = stated("cores").is_none_or(|cores| cores >= i128::from(need.cores) * 1_000_000);
    let memory = stated("memory_gb").is_none_or(|memory| memory * 1_000 >= bytes);
    let required = need.requires.iter().all(|requirement| is_met(requirement, node));
    cores && memory && required && have_room(need, node, node.division.units())
}

/// Whether its owner lets a job come to a node: some may be kept for those that ask for enough of something.
pub(super) fn is_open_to(request: &Request, node: &Node) -> bool {
    let Some(only_for) = node.division.only_for() else { return true };
    only_for.iter().any(|(resource, least)| {
        let least = i128::from(*least) * 1_000_000;
        let of_it = |it: &&Requirement| it.attribute.split('|').any(|name| name == resource);
        let asked = request.requires.iter().chain(&request.scope.asks);
        asked.filter(of_it).filter_map(least_amount).any(|asked| i128::from(asked) >= least)
    })
}

/// The price of so many units of a node that costs so much: the least whole number of micro-credits that is no less than their part.
pub(super) fn price(rate: Rate, units: u32, node: &Node) -> Option<Rate> {
    let all = i128::from(node.division.units());
    let part = i128::from(rate.as_micros_per_second()) * i128::from(units);
    let least = (part + all - 1) / all;
    Rate::from_micros_per_second(i64::try_from(least).ok()?)
}

/// What one slot of one alternative claims of a node.
pub(super) struct Claimed {
    /// The node that is claimed.
    pub(super) node: NodeId,
    /// From when on.
    pub(super) from: Time,
    /// When the claim ends; that moment is not part of it.
    pub(super) until: Time,
    /// How many of its units.
    pub(super) units: u32,
    /// Where that is said.
    pub(super) at: SlotAt,
}

/// Appends every node of which more is claimed at some moment than is free.
pub(super) fn check_all(claimed: Vec<Claimed>, facts: &Facts<'_>, violations: &mut Vec<Violation>) {
    let mut by_node: BTreeMap<NodeId, Vec<Claimed>> = BTreeMap::new();
    for claim in claimed {
        by_node.entry(claim.node).or_default().push(claim);
    }
    for (node, claims) in by_node {
        let mut changes: BTreeMap<Time, (i64, i64)> = BTreeMap::new();
        for slot in facts.slots_of(node) {
            changes.entry(slot.start()).or_default().0 += i64::from(slot.units());
            changes.entry(slot.end()).or_default().0 -= i64::from(slot.units());
        }
        for claim in &claims {
            changes.entry(claim.from).or_default().1 += i64::from(claim.units);
            changes.entry(claim.until).or_default().1 -= i64::from(claim.units);
        }
        let (mut free, mut taken) = (0, 0);
        for (moment, (freed, claimed)) in changes {
            free += freed;
            taken += claimed;
            if taken > free {
                let there = |claim: &&Claimed| claim.from <= moment && moment < claim.until;
                violations.extend(claims.iter().rfind(there).map(|claim| Violation::Overbooked {
                    at: claim.at.clone(),
                    moment,
                    taken,
                    free,
                }));
                break;
            }
        }
    }
}
