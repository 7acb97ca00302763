//! Where a job that has a window would pay less for asking for a little less.
//!
//! **Problem.** A task takes as many units of a node as the dearest of its needs makes it. Who asks for 16 GB where units have 12 pays two of
//! them, and may not know that 12 GB would cost half.
//!
//! **Method.** In the same window nothing but the units changes: it starts when it did, on the same nodes, and has room for less where it had
//! room for more. So no search is needed to say what it costs with other amounts. For each amount that is asked for: the most below it with which
//! the window costs less, all others as they are. Where several needs bind at once, no single one helps: then the needs that make it more than one
//! unit less on some node are lowered together, as little as that takes.
//!
//! What is named would be let in wherever the owner keeps nodes for tasks that ask for so much of something, and nothing is named of whole nodes.
//!
//! **Complexity.** O(a · k · log u) for a amounts asked for, k kinds of nodes in the window and u units of a node; O(a · k²) for needs together.

use super::lesser::with_amount;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::division::price_of_units;
use walras_model::offer::Node;
use walras_model::quantity::{Fixed, MILLION, Money, Rate, Span};
use walras_model::request::Request;
use walras_model::{Attributes, Division, Requirement, amount_asked};

/// What one task of a window has: of which node, at what price of the whole, for how long.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// How its node is sold.
    pub division: &'a Division,
    /// What it states.
    pub attributes: &'a Attributes,
    /// What all units of it cost together, per time.
    pub rate: Rate,
    /// How long the task has it.
    pub span: Span,
}

impl<'a> Taken<'a> {
    /// Some time of a node at the price of the whole.
    pub fn of(node: &'a Node, rate: Rate, span: Span) -> Taken<'a> {
        Taken { division: &node.division, attributes: &node.attributes, rate, span }
    }
}

/// Less of something for less money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cheaper {
    /// By name: what the job would ask for, and what it asks for now.
    pub resources: BTreeMap<String, (Fixed, Fixed)>,
    /// What the window would cost.
    pub cost: Money,
    /// How much less that is.
    pub saves: Money,
}

/// Tasks that differ in nothing, and how many there are.
type Kind<'a> = (Taken<'a>, i64);

/// Where a job would pay less in the same window for asking for less: a single change of each need that has one, or else of several together.
pub fn cheaper(request: &Request, tasks: &[Taken<'_>]) -> Vec<Cheaper> {
    let kinds = kinds_of(tasks);
    if !kinds.iter().any(|(it, _)| it.division.is_divided()) {
        return Vec::new();
    }
    let Some(now) = cost(&request.requires, &kinds) else { return Vec::new() };
    let case = Case { request, kinds, now };
    let single: Vec<Cheaper> =
        (0..request.requires.len()).filter_map(|place| case.with_less_of(place)).collect();
    if single.is_empty() { case.with_less_of_several().into_iter().collect() } else { single }
}

struct Case<'a> {
    request: &'a Request,
    kinds: Vec<Kind<'a>>,
    now: Money,
}

impl Case<'_> {
    /// The most of one thing below what is asked for with which the window costs less.
    fn with_less_of(&self, place: usize) -> Option<Cheaper> {
        let own = amount_asked(&self.request.requires[place].test)?;
        let names = || self.request.requires[place].attribute.split('|');
        let of_units = |(it, _): &Kind<'_>| -> Vec<Fixed> {
            let counted = names().filter_map(|name| it.division.resources().get(name));
            counted.flat_map(|amount| amounts(it.division, *amount)).collect()
        };
        let all: BTreeSet<Fixed> = self.kinds.iter().flat_map(of_units).filter(|it| *it < own).collect();
        let all: Vec<Fixed> = all.into_iter().collect();
        // Less costs no more: those that cost less come first.
        let costs_less = |amount: &Fixed| self.saved(&[(place, *amount)]).is_some();
        let count = all.partition_point(costs_less);
        self.named(&[(place, *all.get(count.checked_sub(1)?)?)])
    }

    /// A unit less on some node for lowering all needs that are in the way of it, as few as there can be, and as little.
    fn with_less_of_several(&self) -> Option<Cheaper> {
        let each = self.kinds.iter().filter_map(|(it, _)| self.named(&self.unit_less(it)?));
        each.min_by(|one, other| {
            let amounts =
                |of: &Cheaper| of.resources.values().map(|(amount, _)| *amount).collect::<Vec<Fixed>>();
            (one.resources.len(), amounts(other)).cmp(&(other.resources.len(), amounts(one)))
        })
    }

    /// What to lower for a unit less on a node.
    fn unit_less(&self, on: &Taken<'_>) -> Option<Vec<(usize, Fixed)>> {
        let least = on.division.units_of_all(&self.request.requires, on.attributes)?.checked_sub(1)?;
        let mut changes = Vec::new();
        for (place, requirement) in self.request.requires.iter().enumerate() {
            let alone = std::slice::from_ref(requirement);
            if on.division.units_of_all(alone, on.attributes)? <= least {
                continue;
            }
            let counted =
                requirement.attribute.split('|').filter_map(|name| on.division.resources().get(name));
            let most = counted.map(|amount| amount_of(on.division, *amount, least)).max()?;
            changes.push((place, most));
        }
        Some(changes)
    }

    /// What it saves to ask for these amounts instead, where it does.
    fn saved(&self, changes: &[(usize, Fixed)]) -> Option<(Money, Money)> {
        let cost = cost(&changed(self.request, changes)?.requires, &self.kinds)?;
        let saves = self.now.checked_sub(cost).filter(|saves| *saves > Money::ZERO)?;
        Some((cost, saves))
    }

    /// The same with what is changed by name, where every node still lets the job in.
    fn named(&self, changes: &[(usize, Fixed)]) -> Option<Cheaper> {
        let (cost, saves) = self.saved(changes)?;
        let lesser = changed(self.request, changes)?;
        let admits = |(it, _): &Kind<'_>| it.division.admits(lesser.asked());
        let named = |(place, amount): &(usize, Fixed)| {
            let requirement = &self.request.requires[*place];
            Some((requirement.attribute.clone(), (*amount, amount_asked(&requirement.test)?)))
        };
        let resources = changes.iter().map(named).collect::<Option<BTreeMap<_, _>>>()?;
        (*amounts_least(&resources)? > Fixed::from_millionths(0) && self.kinds.iter().all(admits))
            .then_some(Cheaper { resources, cost, saves })
    }
}

fn amounts_least(resources: &BTreeMap<String, (Fixed, Fixed)>) -> Option<&Fixed> {
    resources.values().map(|(amount, _)| amount).min()
}

/// The same request for other amounts; `None` where one of them cannot be.
fn changed(request: &Request, changes: &[(usize, Fixed)]) -> Option<Request> {
    let mut lesser = request.clone();
    for (place, amount) in changes {
        let requirement: &mut Requirement = lesser.requires.get_mut(*place)?;
        requirement.test = with_amount(&requirement.test, *amount)?;
    }
    Some(lesser)
}

/// What a window costs when its tasks ask for this; `None` where some node does not have it.
fn cost(requires: &[Requirement], kinds: &[Kind<'_>]) -> Option<Money> {
    let mut sum = Money::ZERO;
    for (it, count) in kinds {
        let units = it.division.units_of_all(requires, it.attributes)?;
        let each = price_of_units(it.rate, units, it.division.units()).cost_of(it.span)?;
        sum = sum.checked_add(Money::from_micros(each.as_micros().checked_mul(*count)?))?;
    }
    Some(sum)
}

fn kinds_of<'a>(tasks: &[Taken<'a>]) -> Vec<Kind<'a>> {
    let mut kinds: Vec<Kind<'a>> = Vec::new();
    for task in tasks {
        let is_alike = |(it, _): &&mut Kind<'a>| {
            (it.rate, it.span) == (task.rate, task.span)
                && it.division == task.division
                && it.attributes == task.attributes
        };
        match kinds.iter_mut().find(is_alike) {
            Some((_, count)) => *count += 1,
            None => kinds.push((*task, 1)),
        }
    }
    kinds
}

/// What each number of units of a node has of something of which all have so much.
fn amounts(division: &Division, amount: u64) -> impl Iterator<Item = Fixed> {
    (1..=division.units()).map(move |units| amount_of(division, amount, units))
}

/// What so many units have of something of which all have so much: units divide it.
fn amount_of(division: &Division, amount: u64, units: u32) -> Fixed {
    let unit = i64::try_from(amount / u64::from(division.units())).unwrap_or(i64::MAX);
    Fixed::from_millionths(unit.saturating_mul(MILLION).saturating_mul(i64::from(units)))
}
