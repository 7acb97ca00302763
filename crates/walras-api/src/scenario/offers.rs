//! Sites and nodes of a scenario as the core's offers.

use super::capacity;
use super::values::{Entries, List, Pair, Scalar};
use super::wire::{NodeEntry, SiteEntry};
use super::{Unique, quantity};
use crate::error::{Problem, Within};
use crate::number::Number;
use crate::unit::Unit;
use std::collections::BTreeMap;
use walras_model::capacity::PROCESSORS_MAX;
use walras_model::division::{AMOUNT_MAX, UNITS_MAX};
use walras_model::interval::complement;
use walras_model::offer::slots_of_node;
use walras_model::{
    Attributes, BadDivision, CapacityOffer, Division, Interval, Node, NodeId, Offers, OffersError, SaleTerms,
    Site, SiteId, Slot,
};

/// What is put together while the sites are read.
#[derive(Default)]
struct OffersDraft {
    sites: Vec<Site>,
    nodes: Vec<Node>,
    slots: Vec<Slot>,
    capacities: Vec<CapacityOffer>,
}

/// The offers of all sites over the horizon.
pub(super) fn offers(horizon: Pair, entries: Vec<SiteEntry>, unit: Unit) -> Result<Offers, Problem> {
    let horizon = quantity::interval(horizon, unit).in_field("horizon")?;
    let mut draft = OffersDraft::default();
    add_sites(&mut draft, entries, horizon, unit).in_field("sites")?;
    let OffersDraft { sites, nodes, slots, capacities } = draft;
    let counts = (nodes.len(), capacities.iter().map(|offer| u64::from(offer.capacity.processors)).sum());
    let offers = Offers::new(horizon, sites, nodes, slots);
    let offers = offers.and_then(|offers| offers.with_capacity(capacities));
    offers.map_err(|error| refused(&error, counts)).in_field("sites")
}

fn add_sites(
    draft: &mut OffersDraft,
    entries: Vec<SiteEntry>,
    horizon: Interval,
    unit: Unit,
) -> Result<(), Problem> {
    if entries.is_empty() {
        return Err(Problem::new("[]", "is an empty list: there must be at least one site"));
    }
    let mut names = Unique::new("site");
    for (index, entry) in entries.into_iter().enumerate() {
        names.insert(&entry.name, index).in_item(index)?;
        let site = SiteId::from_index(draft.sites.len()).ok_or_else(|| too_many("sites")).in_item(index)?;
        draft.sites.push(Site { name: entry.name });
        match (entry.nodes, entry.capacity) {
            (Some(nodes), None) => add_nodes(draft, site, nodes.0, horizon, unit).in_field("nodes"),
            (None, Some(entry)) => capacity::offer(entry, site, horizon, unit)
                .map(|offer| draft.capacities.push(offer))
                .in_field("capacity"),
            (Some(_), Some(_)) => {
                let what = "is given beside `nodes`: a site offers either `nodes` or `capacity`, not both";
                Err(Problem::new("`capacity`", what)).in_field("capacity")
            }
            (None, None) => Err(Problem::new("a site", "needs the key `nodes` or the key `capacity`")),
        }
        .in_item(index)?;
    }
    Ok(())
}

fn add_nodes(
    draft: &mut OffersDraft,
    site: SiteId,
    entries: Vec<NodeEntry>,
    horizon: Interval,
    unit: Unit,
) -> Result<(), Problem> {
    if entries.is_empty() {
        return Err(Problem::new("[]", "is an empty list: a site must have at least one node"));
    }
    let mut names = Unique::new("node");
    for (index, entry) in entries.into_iter().enumerate() {
        names.insert(&entry.name, index).in_item(index)?;
        add_node(draft, site, entry, horizon, unit).in_item(index)?;
    }
    Ok(())
}

fn add_node(
    draft: &mut OffersDraft,
    site: SiteId,
    entry: NodeEntry,
    horizon: Interval,
    unit: Unit,
) -> Result<(), Problem> {
    let id = NodeId::from_index(draft.nodes.len()).ok_or_else(|| too_many("nodes"))?;
    let performance = quantity::performance(entry.performance).in_field("performance")?;
    let rate = quantity::rate(entry.price, unit).in_field("price")?;
    let watts = entry.watts.map(quantity::watts).transpose().in_field("watts")?;
    let mut attributes = attributes(entry.attributes).in_field("attributes")?;
    let division = division(entry.resources, entry.units, &mut attributes)?;
    let division = on_terms(division, entry.least_units, entry.only_for)?;
    let least = division.least_price();
    if rate < least {
        let (units, least) = (division.units(), unit.rate_text(least));
        let what =
            format!("is too low a price for {units} units, which are dearer than the node: at least {least}");
        return Err(Problem::new(&entry.price.to_string(), what)).in_field("price");
    }
    let free = free_time(entry.free, entry.busy, horizon, unit)?;
    let slots = slots_of_node(id, rate, &free).ok_or_else(|| {
        let what = "is too high a price: one free interval must not be worth more than 9 * 10^9 credits";
        Problem::new(&entry.price.to_string(), what)
    });
    let units = division.units();
    draft.slots.extend(slots.in_field("price")?.into_iter().map(|slot| slot.with_units(units)));
    draft.nodes.push(Node { division, name: entry.name, site, performance, watts, attributes });
    Ok(())
}

/// How a node is sold, and what it counts, which is said among its attributes too.
fn division(
    resources: Option<Entries<Number>>,
    units: Option<Number>,
    attributes: &mut Attributes,
) -> Result<Division, Problem> {
    let counted = resources.map_or(Ok(BTreeMap::new()), amounts).in_field("resources")?;
    let written = units.map_or_else(|| "1".to_owned(), |units| units.to_string());
    let units = units.map_or(Ok(1), |units| quantity::count(units, "a number of units", UNITS_MAX));
    let division = Division::new(units.in_field("units")?, counted);
    let division = division.and_then(|division| division.state_in(attributes).map(|()| division));
    division
        .map_err(|wrong| Problem::new(&written, format!("is no way to sell this node: {wrong}")))
        .in_field("units")
}

/// Amounts of resources by name.
fn amounts(entries: Entries<Number>) -> Result<BTreeMap<String, u64>, Problem> {
    let mut amounts = BTreeMap::new();
    for (name, amount) in entries.0 {
        let most = i64::try_from(AMOUNT_MAX).unwrap_or(i64::MAX);
        let checked = quantity::name(&name, "a resource");
        let checked = checked.and_then(|()| quantity::whole(amount, "an amount of a resource", 1, most));
        let amount = checked.in_field(&name)?;
        if amounts.insert(name.clone(), amount.unsigned_abs()).is_some() {
            let problem = Problem::new(&name, "is there twice: a node has each resource once");
            return Err(problem).in_field(&name);
        }
    }
    Ok(amounts)
}

/// To whom a node is sold.
fn on_terms(
    division: Division,
    least_units: Option<Number>,
    only_for: Option<Entries<Number>>,
) -> Result<Division, Problem> {
    let (written, named) = (least_units.map(|least| least.to_string()), only_for.as_ref().map(names_of));
    let least = least_units.map_or(Ok(1), |least| quantity::count(least, "a number of units", UNITS_MAX));
    let least_units = least.in_field("least_units")?;
    let only_for = only_for.map_or(Ok(BTreeMap::new()), amounts).in_field("only_for")?;
    division.on_terms(SaleTerms { least_units, only_for }).or_else(|wrong| {
        let (field, written) = match wrong {
            BadDivision::LeastUnits { .. } => ("least_units", written),
            _ => ("only_for", named),
        };
        let problem = Problem::new(&written.unwrap_or_default(), format!("cannot be: {wrong}"));
        Err(problem).in_field(field)
    })
}

fn names_of(entries: &Entries<Number>) -> String {
    let names: Vec<&str> = entries.0.iter().map(|(name, _)| name.as_str()).collect();
    names.join(", ")
}

/// When a node is free within the horizon.
fn free_time(
    free: Option<List<Pair>>,
    busy: Option<List<Pair>>,
    horizon: Interval,
    unit: Unit,
) -> Result<Vec<Interval>, Problem> {
    match (free, busy) {
        (None, None) => Ok(vec![horizon]),
        (Some(free), None) => {
            let free = disjoint(&free.0, unit).in_field("free")?;
            Ok(free.into_iter().filter_map(|interval| interval.intersection(horizon)).collect())
        }
        (None, Some(busy)) => Ok(complement(horizon, &disjoint(&busy.0, unit).in_field("busy")?)),
        (Some(_), Some(busy)) => {
            let what = "given beside `free`: a node has either `free` or `busy`, not both";
            Err(Problem::new(&format!("{} busy intervals", busy.0.len()), what)).in_field("busy")
        }
    }
}

/// The intervals, none of which may overlap another; they may touch and come in any order.
fn disjoint(pairs: &[Pair], unit: Unit) -> Result<Vec<Interval>, Problem> {
    let mut placed = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        placed.push((quantity::interval(*pair, unit).in_item(index)?, index));
    }
    placed.sort_unstable();
    for neighbours in placed.windows(2) {
        let ((first, one), (second, other)) = (neighbours[0], neighbours[1]);
        if first.overlaps(second) {
            let (earlier, later) = (one.min(other), one.max(other));
            let show = |Pair(start, end): Pair| format!("[{start}, {end}]");
            let what = format!("overlaps {}, item {earlier} of the same list", show(pairs[earlier]));
            return Err(Problem::new(&show(pairs[later]), what)).in_item(later);
        }
    }
    Ok(placed.into_iter().map(|(interval, _)| interval).collect())
}

pub(super) fn attributes(entries: Option<Entries<Scalar>>) -> Result<Attributes, Problem> {
    let mut attributes = Attributes::new();
    for (name, scalar) in entries.into_iter().flat_map(|entries| entries.0) {
        let value =
            quantity::name(&name, "an attribute").and_then(|()| quantity::value(scalar)).and_then(|value| {
                match attributes.contains_key(&name) {
                    false => Ok(value),
                    true => Err(Problem::new(&name, "is there twice: a node has each attribute once")),
                }
            });
        let value = value.in_field(&name)?;
        attributes.insert(name, value);
    }
    Ok(attributes)
}

/// The core's refusal in words. Only the first two can follow from a file: the others are checked before.
fn refused(error: &OffersError, (nodes, processors): (usize, u64)) -> Problem {
    let what = match error {
        OffersError::TooDear => "offer too much: all free time must not be worth more than 9 * 10^12 credits",
        OffersError::TooManyProcessors => {
            let what = format!("are too many: all sites together may offer at most {PROCESSORS_MAX}");
            return Problem::new(&format!("{processors} processors"), what);
        }
        OffersError::Overlap { .. } => "have overlapping free time",
        OffersError::BeyondHorizon(_) => "have free time beyond the horizon",
        OffersError::ProcessorTooDear(_) => "are too dear",
        OffersError::WrongUnits { .. }
        | OffersError::UnknownSite(_)
        | OffersError::UnknownNode(_)
        | OffersError::CapacityOnUnknownSite(_)
        | OffersError::CapacityBesideOthers(_) => "do not belong together",
    };
    let nodes = format!("{nodes} node{}", if nodes == 1 { "" } else { "s" });
    let what_there_is = match processors {
        0 => nodes,
        1 => format!("{nodes} and 1 processor"),
        _ => format!("{nodes} and {processors} processors"),
    };
    Problem::new(&what_there_is, what)
}

fn too_many(what: &str) -> Problem {
    Problem::new(&format!("more than {} {what}", u32::MAX), "are too many")
}
