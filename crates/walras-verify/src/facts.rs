//! What offers and requests say, arranged for lookup, and the arithmetic that the checks need.
//!
//! All arithmetic is on plain 128-bit integers: milliseconds, micro-credits, millionths.

use super::Rules;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::attribute::{Attributes, Requirement, Test, Value};
use walras_model::id::{NodeId, SiteId};
use walras_model::market::Capacity;
use walras_model::offer::{Node, Offers, Slot};
use walras_model::quantity::{Money, Performance, Rate, Time, Work};
use walras_model::request::{Batch, Request};

/// Offers and requests by name and by node. Where a name stands twice, the first counts.
pub(super) struct Facts<'a> {
    offers: &'a Offers,
    jobs: BTreeMap<&'a str, Terms<'a>>,
    sites: BTreeMap<&'a str, SiteId>,
    nodes: BTreeMap<(SiteId, &'a str), NodeId>,
    /// Free slots in order of nodes, those of each in order of start.
    free: Vec<Slot>,
    /// Per node: where its own end among them.
    ends: Vec<usize>,
    /// The sites that sell capacity, and for how much.
    capacities: BTreeMap<SiteId, &'a Capacity>,
}

/// What one job asks for.
pub(super) struct Terms<'a> {
    pub(super) request: &'a Request,
    /// S in micro-credits, or no limit.
    pub(super) budget: Option<i128>,
    /// The sites where it may run, or all.
    pub(super) sites: Option<BTreeSet<SiteId>>,
}

/// What a site's and a node's name stand for.
#[derive(Clone, Copy)]
pub(super) enum NodeLookup<'a> {
    NoSuchSite,
    NoSuchNode,
    Known(NodeId, &'a Node),
}

impl<'a> Facts<'a> {
    /// Time O((jobs + nodes) log (jobs + nodes) + slots).
    pub(super) fn new(offers: &'a Offers, batch: &'a Batch, rules: Rules) -> Facts<'a> {
        let mut facts = Facts::unnamed(offers, batch, rules);
        for (number, site) in (0..).zip(offers.sites()) {
            facts.sites.entry(&site.name).or_insert(SiteId::new(number));
        }
        for (number, node) in (0..).zip(offers.nodes()) {
            facts.nodes.entry((node.site, &node.name)).or_insert(NodeId::new(number));
        }
        facts
    }

    /// The same without the names of sites and nodes, where nobody asks for these.
    pub(super) fn unnamed(offers: &'a Offers, batch: &'a Batch, rules: Rules) -> Facts<'a> {
        let mut facts = Facts {
            offers,
            jobs: BTreeMap::new(),
            sites: BTreeMap::new(),
            nodes: BTreeMap::new(),
            free: offers.slots().to_vec(),
            ends: vec![0; offers.nodes().len()],
            capacities: offers.capacities().iter().map(|offer| (offer.site, &offer.capacity)).collect(),
        };
        for request in batch.requests() {
            facts.jobs.entry(&request.name).or_insert_with(|| Terms::new(request, rules));
        }
        // Those of a node stay in order.
        facts.free.sort_by_key(Slot::node);
        for slot in &facts.free {
            facts.ends[slot.node().index()] += 1;
        }
        let mut sum = 0;
        for end in &mut facts.ends {
            sum += *end;
            *end = sum;
        }
        facts
    }

    /// What the job of that name asks for.
    pub(super) fn job(&self, name: &str) -> Option<&Terms<'a>> {
        self.jobs.get(name)
    }

    /// What these names stand for.
    pub(super) fn lookup(&self, site: &str, node: &str) -> NodeLookup<'a> {
        let Some(site) = self.sites.get(site) else { return NodeLookup::NoSuchSite };
        match self.nodes.get(&(*site, node)) {
            Some(id) => NodeLookup::Known(*id, self.offers.node(*id)),
            None => NodeLookup::NoSuchNode,
        }
    }

    /// What a node's id stands for.
    pub(super) fn lookup_of(&self, node: NodeId) -> NodeLookup<'a> {
        self.offers.nodes().get(node.index()).map_or(NodeLookup::NoSuchNode, |of| NodeLookup::Known(node, of))
    }

    /// The one free slot of `node` that holds all of `[start, end)`. An empty interval is in none.
    pub(super) fn free_slot(&self, node: NodeId, start: Time, end: Time) -> Option<Slot> {
        let free = self.slots_of(node);
        let started = free.partition_point(|slot| slot.start() <= start);
        let slot = free[..started].last()?;
        (start < end && end <= slot.end()).then_some(*slot)
    }

    /// The first of the free slots of `node` in which so many units are free at one price for all of `[start, end)`. An empty interval is in
    /// none.
    pub(super) fn free_units(&self, node: NodeId, (start, end): (Time, Time), units: u32) -> Option<Slot> {
        let free = self.slots_of(node);
        let first = free.partition_point(|slot| slot.start() <= start).checked_sub(1)?;
        let mut reached = start;
        for slot in &free[first..] {
            let goes_on = slot.start() <= reached && reached < slot.end();
            if start >= end || !goes_on || slot.units() < units || slot.rate() != free[first].rate() {
                return None;
            }
            reached = slot.end();
            if reached >= end {
                return Some(free[first]);
            }
        }
        None
    }

    /// The free slots of a node, in order of time.
    pub(super) fn slots_of(&self, node: NodeId) -> &[Slot] {
        let Some(end) = self.ends.get(node.index()) else { return &[] };
        let begin = node.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.free[begin..*end]
    }

    /// Whether a node is a processor of a site that sells capacity.
    pub(super) fn on_capacity(&self, node: &Node) -> bool {
        self.capacities.contains_key(&node.site)
    }

    /// What a slot costs the one who pays for a job; `None` when that is not known because the job is not.
    pub(super) fn rate(&self, slot: Slot, terms: Option<&Terms<'_>>) -> Option<Rate> {
        let site = self.offers.nodes().get(slot.node().index())?.site;
        let Some(capacity) = self.capacities.get(&site) else { return Some(slot.rate()) };
        if capacity.prices.is_empty() {
            return Some(capacity.price);
        }
        let user = terms?.request.user.as_ref();
        Some(user.and_then(|user| capacity.prices.get(user)).map_or(capacity.price, |price| *price))
    }
}

impl<'a> Terms<'a> {
    fn new(request: &'a Request, rules: Rules) -> Terms<'a> {
        let sites = request.scope.sites.as_ref().map(|sites| sites.iter().copied().collect());
        Terms { request, budget: budget_micros(request, rules), sites }
    }
}

/// ceil(work / performance), in milliseconds.
pub(super) fn runtime_millis(work: Work, performance: Performance) -> i128 {
    let scaled = i128::from(work.as_millis()) * 1_000_000;
    divide_upwards(scaled, i128::from(performance.as_millionths()))
}

/// ceil(rate × time), in micro-credits; `None` beyond 128 bits.
pub(super) fn cost_micros(rate: Rate, millis: i128) -> Option<i128> {
    let product = i128::from(rate.as_micros_per_second()).checked_mul(millis)?;
    Some(divide_upwards(product, 1_000))
}

/// S: the budget given, or floor(k · tasks · ceil(price_max · t)) with t = ceil(work / performance_min), or
/// `None` for no limit.
///
/// Under a price cap (ALP) only a given budget binds. What does not fit 128 bits is no limit: it is far beyond
/// any amount of money even with the smallest k.
fn budget_micros(request: &Request, rules: Rules) -> Option<i128> {
    if let Some(budget) = request.budget {
        return Some(i128::from(budget.as_micros()));
    }
    if rules.price_cap {
        return None;
    }
    let per_task = cost_micros(request.price_max?, runtime_millis(request.work, request.performance_min))?;
    let in_millionths = per_task
        .checked_mul(i128::from(request.tasks))?
        .checked_mul(i128::from(rules.budget_factor.as_millionths()))?;
    Some(in_millionths / 1_000_000)
}

/// Whether a node whose attribute has this value (or none) passes.
pub(super) fn passes(requirement: &Requirement, attributes: &Attributes) -> bool {
    // One of several attributes is enough.
    requirement
        .attribute
        .split('|')
        .filter_map(|name| attributes.get(name))
        .any(|value| is_met(requirement, value))
}

fn is_met(requirement: &Requirement, value: &Value) -> bool {
    match (&requirement.test, value) {
        (Test::Equals(wanted), _) => same(wanted, value),
        (Test::OneOf(wanted), _) => wanted.iter().any(|one| same(one, value)),
        (Test::Range { min, max }, Value::Number(number)) => {
            let number = number.as_millionths();
            let too_low = min.is_some_and(|min| number < min.as_millionths());
            let too_high = max.is_some_and(|max| number > max.as_millionths());
            !too_low && !too_high
        }
        (Test::Range { .. }, Value::Text(_) | Value::Flag(_)) => false,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => a.as_millionths() == b.as_millionths(),
        (Value::Flag(a), Value::Flag(b)) => a == b,
        _ => false,
    }
}

/// That many micro-credits, clamped to the range of money; for reports, never for comparisons.
pub(super) fn money(micros: i128) -> Money {
    let least = i128::from(i64::MIN);
    let most = i128::from(i64::MAX);
    Money::from_micros(i64::try_from(micros.clamp(least, most)).unwrap_or(i64::MAX))
}

/// `a / b` towards more, for `a >= 0` and `b > 0`.
fn divide_upwards(a: i128, b: i128) -> i128 {
    a / b + i128::from(a % b > 0)
}
