//! The capacity of a site as the core's offer.

use super::values::Entries;
use super::wire::CapacityEntry;
use super::{offers, quantity};
use crate::error::{Problem, Within};
use crate::number::Number;
use crate::unit::Unit;
use std::collections::BTreeMap;
use walras_model::capacity::PROCESSORS_MAX;
use walras_model::market::Capacity;
use walras_model::{CapacityOffer, Interval, NodeId, Performance, Rate, SiteId, Slot};

/// What the site offers.
pub(super) fn offer(
    entry: CapacityEntry,
    site: SiteId,
    horizon: Interval,
    unit: Unit,
) -> Result<CapacityOffer, Problem> {
    let processors = quantity::count(entry.processors, "a number of processors", PROCESSORS_MAX);
    let capacity = Capacity {
        processors: processors.in_field("processors")?,
        speed: speed(entry.mips, entry.performance, unit)?,
        price: price(entry.price, horizon, unit).in_field("price")?,
        prices: entry
            .prices
            .map(|entries| prices(entries, horizon, unit))
            .transpose()
            .in_field("prices")?
            .unwrap_or_default(),
    };
    Ok(CapacityOffer {
        site,
        capacity,
        watts: entry.watts.map(quantity::watts).transpose().in_field("watts")?,
        attributes: offers::attributes(entry.attributes).in_field("attributes")?,
    })
}

/// A speed in MIPS is the performance itself where times are in seconds: work is then in millions of instructions.
fn speed(mips: Option<Number>, performance: Option<Number>, unit: Unit) -> Result<Performance, Problem> {
    match (mips, performance, unit) {
        (Some(mips), None, Unit::Seconds) => quantity::mips(mips).in_field("mips"),
        (Some(mips), None, Unit::Milliseconds) => {
            let what = "is a speed in millions of instructions per second, but `unit` is ms: \
                        give `performance`, or times in seconds";
            Err(Problem::new(&mips.to_string(), what)).in_field("mips")
        }
        (None, Some(performance), _) => quantity::performance(performance).in_field("performance"),
        (Some(_), Some(performance), _) => {
            let what = "is given beside `mips`: the speed is either `mips` or `performance`, not both";
            Err(Problem::new(&performance.to_string(), what)).in_field("performance")
        }
        (None, None, _) => {
            Err(Problem::new("capacity", "needs a speed: the key `mips` or the key `performance`"))
        }
    }
}

/// A price at which a processor can be paid for the whole horizon.
fn price(number: Number, horizon: Interval, unit: Unit) -> Result<Rate, Problem> {
    let rate = quantity::rate(number, unit)?;
    match Slot::new(NodeId::new(0), horizon, rate) {
        Some(_) => Ok(rate),
        None => {
            let what = "is too high a price: a processor must not be worth more than 9 * 10^9 credits over the horizon";
            Err(Problem::new(&number.to_string(), what))
        }
    }
}

fn prices(
    entries: Entries<Number>,
    horizon: Interval,
    unit: Unit,
) -> Result<BTreeMap<String, Rate>, Problem> {
    let mut prices = BTreeMap::new();
    for (user, number) in entries.0 {
        let rate = quantity::name(&user, "a user").and_then(|()| price(number, horizon, unit));
        if prices.insert(user.clone(), rate.in_field(&user)?).is_some() {
            return Err(Problem::new(&user, "is there twice: a user has one price")).in_field(&user);
        }
    }
    Ok(prices)
}
