//! How much time sites have offered.
//!
//! A site says what is free in every cycle. Between two such answers it has offered what it called free in the first, and what was held there
//! anyhow: each node's share of the time between is counted once, by day. Time O(free + reservations).

use crate::journal::OfferedRecord;
use std::collections::BTreeMap;
use walras_broker::State;
use walras_broker::site::Free;
use walras_model::interval::{complement, merge};
use walras_model::{Interval, NodeId, SiteId, Span, Time};

/// A day in milliseconds.
pub const DAY: i64 = 86_400_000;
/// Nodes of larger sites are counted together.
const NODES_MAX: usize = 2_000;

/// The day of a moment, counted from the beginning of 1970 in UTC.
pub fn day_of(time: Time) -> i64 {
    time.as_millis().div_euclid(DAY)
}

/// A stretch of time, day by day.
pub fn by_day(stretch: Interval) -> impl Iterator<Item = (i64, Interval)> {
    let last = day_of(stretch.end());
    (day_of(stretch.start())..=last).filter_map(move |day| {
        let start = Time::from_millis(day.checked_mul(DAY)?)?;
        let end = Time::from_millis(day.checked_add(1)?.checked_mul(DAY)?)?;
        Some((day, Interval::new(start, end)?.intersection(stretch)?))
    })
}

/// What a site has offered since it last said what is free; it says so again now.
pub fn offered(state: &State, site: SiteId, now: Time) -> Vec<OfferedRecord> {
    let Some((since, free)) = state.site(site).and_then(|site| site.free.clone()) else { return Vec::new() };
    // Nobody knows what a site would have offered that was not asked for long.
    let longest = state.policy.quotes.offers_age_max.as_millis().saturating_mul(2);
    let from = Time::from_millis(now.as_millis().saturating_sub(longest)).map_or(since, |at| at.max(since));
    let Some(stretch) = Interval::new(from, now) else { return Vec::new() };
    let mut records = Vec::new();
    for (day, stretch) in by_day(stretch) {
        let mut record = |node, millis| records.push(OfferedRecord { day, site, node, millis });
        match &*free {
            Free::Slots(_) => {
                let nodes = on_nodes(state, site, &free, stretch);
                if nodes.len() > NODES_MAX {
                    record(None, nodes.values().sum());
                } else {
                    nodes.iter().for_each(|(node, millis)| record(Some(*node), *millis));
                }
            }
            Free::Capacity(units) | Free::Queue { units, .. } => {
                record(None, stretch.span().as_millis().saturating_mul(i64::from(*units)));
            }
        }
    }
    records
}

/// How long each node was for sale or held for us in a stretch of time, in milliseconds.
fn on_nodes(state: &State, site: SiteId, free: &Free, stretch: Interval) -> BTreeMap<NodeId, i64> {
    let mut times: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
    let mut add = |node, interval: Interval| {
        if let Some(part) = interval.intersection(stretch) {
            times.entry(node).or_default().push(part);
        }
    };
    if let Free::Slots(slots) = free {
        for slot in slots {
            let drained = state.node(slot.node).map_or(&[][..], |node| &node.drained);
            complement(slot.interval, drained).into_iter().for_each(|part| add(slot.node, part));
        }
    }
    for reservation in state.reservations.values() {
        for (_, hold) in reservation.holds_left().filter(|(at, _)| *at == site) {
            hold.node.into_iter().for_each(|node| add(node, hold.interval));
        }
    }
    let length = |times: Vec<Interval>| merge(&times).iter().map(|time| time.span().as_millis()).sum();
    times.into_iter().map(|(node, times)| (node, length(times))).collect()
}

/// So many milliseconds as a span.
pub fn span(millis: i64) -> Span {
    Span::from_millis(millis).unwrap_or(Span::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_cut_at_midnight() {
        let at = |millis| Time::from_millis(millis).unwrap();
        let stretch = Interval::new(at(DAY - 5), at(2 * DAY)).unwrap();
        let cut: Vec<(i64, i64)> =
            by_day(stretch).map(|(day, part)| (day, part.span().as_millis())).collect();
        assert_eq!(cut, [(0, 5), (1, DAY)]);
    }
}
