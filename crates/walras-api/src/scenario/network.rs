//! The network of a scenario.

use super::quantity;
use super::wire::{LinkEntry, NetworkEntry};
use crate::error::{Problem, Within};
use crate::unit::Unit;
use walras_model::{Bandwidth, Link, Network, Span};

/// Bytes per second within a site where a scenario states nothing: a gigabit.
const WITHIN_SITE: i64 = 125_000_000;
/// And between sites: a tenth of that, after 50 ms.
const BETWEEN_SITES: i64 = 12_500_000;
const LATENCY_MS: i64 = 50;

/// The network where nothing is stated: a gigabit within a site; a tenth of that between sites, after 50 ms.
pub fn usual_network() -> Network {
    let usual = |bytes, latency| Link {
        latency: Span::from_millis(latency).unwrap_or(Span::ZERO),
        bandwidth: Bandwidth::from_bytes_per_second(bytes),
    };
    Network { within_site: usual(WITHIN_SITE, 0), between_sites: usual(BETWEEN_SITES, LATENCY_MS) }
}

/// The network that a scenario states, or the usual one.
pub(super) fn network(entry: Option<NetworkEntry>, unit: Unit) -> Result<Network, Problem> {
    let (within, between) = entry.map_or((None, None), |entry| (entry.within_site, entry.between_sites));
    let usual = usual_network();
    let stated = |entry: Option<LinkEntry>, other| entry.map_or(Ok(other), |entry| link(&entry, unit));
    Ok(Network {
        within_site: stated(within, usual.within_site).in_field("within_site")?,
        between_sites: stated(between, usual.between_sites).in_field("between_sites")?,
    })
}

fn link(entry: &LinkEntry, unit: Unit) -> Result<Link, Problem> {
    // Megabytes to the byte.
    let bytes = entry.bandwidth.rounded(6);
    let bandwidth = bytes.and_then(Bandwidth::from_bytes_per_second).ok_or_else(|| {
        let what = "is not a bandwidth: it must be a number of megabytes per second greater than 0";
        Problem::new(&entry.bandwidth.to_string(), what)
    });
    let bandwidth = Some(bandwidth.in_field("bandwidth")?);
    Ok(Link { latency: quantity::span(entry.latency, unit).in_field("latency")?, bandwidth })
}
