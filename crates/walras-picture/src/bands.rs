//! Nodes that are sold in units, as bands: a task takes as much of its node's height as it takes of the node.
//!
//! **Problem.** Tasks share such a node at the same time, and must not be drawn over each other, nor over what the owner uses.
//!
//! **Method.** What is free lies at the top of the band. Windows are taken in the order in which they matter; each gets the first height at
//! which nothing lies that was placed before. Where units are so scattered that there is none, the height at which the fewest lie.
//!
//! **Complexity.** O(n²) in the windows of one node, of which a picture has few; nodes that are sold whole cost nothing.

use crate::layout::Layout;
use crate::number::real;
use crate::scene::Scene;
use crate::svg::Rect;
use std::collections::BTreeMap;
use walras_model::{Interval, NodeId, Placement};

/// Some units of a node that lie one below the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    first: u32,
    units: u32,
    /// How many the node has.
    of: u32,
}

impl Band {
    /// So many units at the bottom of a node, all but those that are free.
    pub(crate) fn below(free: u32, of: u32) -> Band {
        Band { first: free.min(of), units: of.saturating_sub(free), of }
    }

    /// Its part of a row's bar.
    pub(crate) fn within(self, bar: Rect) -> Rect {
        let part = |units: u32| bar.height * real(units.into()) / real(self.of.max(1).into());
        Rect { y: bar.y + part(self.first), height: part(self.units), ..bar }
    }

    fn meets(self, other: Band) -> bool {
        self.first < other.first + other.units && other.first < self.first + self.units
    }
}

/// Where each placement lies that shares its node, by the places of its window and its own.
#[derive(Debug, Default)]
pub(crate) struct Bands(BTreeMap<(usize, usize), Band>);

impl Bands {
    /// Those of some windows of a scene, the most important first.
    pub(crate) fn new(scene: &Scene<'_>, layout: &Layout, windows: impl Iterator<Item = usize>) -> Bands {
        let free = free_by_node(scene);
        let mut placed: BTreeMap<NodeId, Vec<(Interval, Band)>> = BTreeMap::new();
        let mut bands = Bands::default();
        for window in windows {
            let placements = scene.alternatives[window].window.placements();
            let shown = placements.iter().enumerate().filter(|(_, it)| layout.row(it.node).is_some());
            for (place, placement) in shown {
                let Some(free) = free.get(&placement.node) else { continue };
                let of = scene.offers.node(placement.node).division.units();
                let on_node = placed.entry(placement.node).or_default();
                let band = band_for(placement, free, on_node, of);
                on_node.push((placement.interval, band));
                bands.0.insert((window, place), band);
            }
        }
        bands
    }

    /// The band of a placement; none where its node is sold whole.
    pub(crate) fn of(&self, window: usize, place: usize) -> Option<Band> {
        self.0.get(&(window, place)).copied()
    }
}

/// How many units of each node that is sold in units are free, and when.
fn free_by_node(scene: &Scene<'_>) -> BTreeMap<NodeId, Vec<(Interval, u32)>> {
    let mut free: BTreeMap<NodeId, Vec<(Interval, u32)>> = BTreeMap::new();
    for slot in scene.offers.slots() {
        if scene.offers.node(slot.node()).division.is_divided() {
            let interval = Interval::new(slot.start(), slot.end());
            free.entry(slot.node()).or_default().extend(interval.map(|interval| (interval, slot.units())));
        }
    }
    free
}

fn band_for(placement: &Placement, free: &[(Interval, u32)], placed: &[(Interval, Band)], of: u32) -> Band {
    let there = |interval: Interval| interval.overlaps(placement.interval);
    let beside: Vec<Band> = placed.iter().filter(|(it, _)| there(*it)).map(|(_, band)| *band).collect();
    let least = free.iter().filter(|(it, _)| there(*it)).map(|(_, units)| *units).min().unwrap_or(of);
    let units = placement.units.min(of);
    let band = |first: u32| Band { first, units, of };
    // Somewhere at the top, or right below something else.
    let firsts = std::iter::once(0).chain(beside.iter().map(|it| it.first + it.units));
    let possible = firsts.filter(|first| first + units <= least.max(units));
    let crowd = |first: &u32| beside.iter().filter(|it| band(*first).meets(**it)).count();
    band(possible.min_by_key(|first| (crowd(first), *first)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(first: u32, units: u32) -> Band {
        Band { first, units, of: 8 }
    }

    #[test]
    fn a_band_is_its_part_of_the_bar() {
        let bar = Rect { x: 1.0, y: 10.0, width: 5.0, height: 40.0 };
        let part = band(2, 4).within(bar);
        assert!((part.y - 20.0).abs() < 1e-9 && (part.height - 20.0).abs() < 1e-9);
        let used = Band::below(6, 8).within(bar);
        assert!((used.y - 40.0).abs() < 1e-9 && (used.height - 10.0).abs() < 1e-9);
    }

    #[test]
    fn bands_meet_where_they_share_a_unit() {
        assert!(band(0, 4).meets(band(3, 1)) && !band(0, 4).meets(band(4, 4)));
    }
}
