//! Sites by their words: `100`, or `campus:100,cloud:200:1.5:2` with speed and price.

use crate::record::Site;
use std::collections::BTreeSet;
use walras_model::{Decimal, Performance, Rate};

/// At most so many nodes in all.
const NODES_MAX: u64 = 1_000_000;

/// Reads sites, divided by commas: a number of nodes, or `NAME:NODES[:SPEED[:PRICE]]`. Speed and price are 1 without; the
/// price is in credits a second.
pub fn sites_of(words: &str) -> Result<Vec<Site>, String> {
    let mut sites = Vec::new();
    for (place, part) in words.split(',').enumerate() {
        sites.push(site(part.trim(), place).map_err(|why| format!("site '{}': {why}", part.trim()))?);
    }
    let names: BTreeSet<&str> = sites.iter().map(|site| site.name.as_str()).collect();
    if names.len() < sites.len() {
        return Err("two sites have the same name".to_owned());
    }
    if sites.iter().map(|site| u64::from(site.nodes)).sum::<u64>() > NODES_MAX {
        return Err(format!("there may be {NODES_MAX} nodes in all"));
    }
    Ok(sites)
}

fn site(part: &str, place: usize) -> Result<Site, String> {
    let mut words = part.split(':');
    let first = words.next().unwrap_or_default();
    let (name, nodes) = match words.next() {
        Some(nodes) => (first.to_owned(), nodes),
        None => (format!("site{}", place + 1), first),
    };
    let nodes: u32 =
        nodes.parse().ok().filter(|nodes| *nodes > 0).ok_or("needs a number of nodes of at least 1")?;
    if name.is_empty() || name.len() > 60 || name.chars().any(char::is_control) {
        return Err("needs a name of 1 to 60 characters".to_owned());
    }
    let mut site = Site::plain(&name, nodes);
    if let Some(speed) = words.next() {
        let read = millionths(speed).filter(|speed| *speed > 0).and_then(Performance::from_millionths);
        site.speed = read.ok_or_else(|| format!("'{speed}' is not a speed"))?;
    }
    if let Some(price) = words.next() {
        let read = millionths(price).and_then(Rate::from_micros_per_second);
        site.price = read.ok_or_else(|| format!("'{price}' is not a price"))?;
    }
    match words.next() {
        Some(_) => Err("has more than NAME:NODES:SPEED:PRICE".to_owned()),
        None => Ok(site),
    }
}

fn millionths(text: &str) -> Option<i64> {
    Decimal::plain(text).ok()?.units(6).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sites_or_say_what_is_wrong() {
        let sites = sites_of("slow:100:0.8:0.6, 50,cloud:7").unwrap();
        let seen: Vec<(&str, u32, i64, i64)> = sites
            .iter()
            .map(|it| (it.name.as_str(), it.nodes, it.speed.as_millionths(), it.price.as_micros_per_second()))
            .collect();
        let expected = [
            ("slow", 100, 800_000, 600_000),
            ("site2", 50, 1_000_000, 1_000_000),
            ("cloud", 7, 1_000_000, 1_000_000),
        ];
        assert_eq!(seen, expected);
        for wrong in ["", "a:0", "a:b", ":3", "a:3:0", "a:3:x", "a:3:1:-1", "a:3:1:1:1", "a:1,a:2", "2000000"]
        {
            assert!(sites_of(wrong).is_err(), "{wrong}");
        }
    }
}
