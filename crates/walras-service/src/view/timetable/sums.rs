//! Nodes' time in sums: how many of some hundred nodes are used in each of a few hundred stretches of time.
//!
//! A use of a node is spread over the stretches that it touches: linear in uses times stretches touched, which are no more than
//! `STEPS`.

use super::{Stretch, Use};
use crate::view::site_name;
use std::collections::BTreeMap;
use walras_api::Num;
use walras_api::service::{BarKind, TimetableBlock};
use walras_broker::State;
use walras_model::{Interval, NodeId, SiteId};

/// At most so many nodes are one block.
const BLOCK: usize = 500;
/// The time that is shown is divided into so many stretches.
const STEPS: usize = 360;

/// Milliseconds of nodes in each stretch.
type Load = [i64; STEPS];

/// What the nodes of a block are used for.
struct Sums {
    site: SiteId,
    first: usize,
    nodes: u32,
    lost: u32,
    used: Load,
    planned: Load,
    owner: Load,
}

/// The nodes of a site, or of all, by blocks; those of a site are of one size, but for the last.
pub(super) fn blocks(
    state: &State,
    site: Option<SiteId>,
    uses: &[Use<'_>],
    shown: Interval,
) -> Vec<TimetableBlock> {
    let mut sums: Vec<Sums> = Vec::new();
    let mut places: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut by_site: BTreeMap<SiteId, Vec<(NodeId, bool)>> = BTreeMap::new();
    for (node, of) in (Stretch { site, first: 0, most: usize::MAX }).nodes(state) {
        by_site.entry(of.site).or_default().push((node, of.lost));
    }
    for (site, nodes) in by_site {
        let size = nodes.len().div_ceil(nodes.len().div_ceil(BLOCK));
        for (number, block) in nodes.chunks(size).enumerate() {
            places.extend(block.iter().map(|(node, _)| (*node, sums.len())));
            let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            sums.push(Sums {
                site,
                first: number * size,
                nodes: count(block.len()),
                lost: count(block.iter().filter(|(_, lost)| *lost).count()),
                used: [0; STEPS],
                planned: [0; STEPS],
                owner: [0; STEPS],
            });
        }
    }
    for it in uses {
        let Some(block) = places.get(&it.node).and_then(|place| sums.get_mut(*place)) else { continue };
        let load = match it.kind {
            BarKind::Owner => &mut block.owner,
            BarKind::Planned => &mut block.planned,
            BarKind::Asked | BarKind::Held | BarKind::Running | BarKind::Ended => &mut block.used,
        };
        spread(load, it.interval, shown);
    }
    sums.into_iter().map(|sums| view(state, sums, shown)).collect()
}

/// Where a stretch of time begins, in milliseconds after what is shown does.
fn edge(step: usize, whole: i64) -> i64 {
    let edge = i128::from(whole) * step as i128 / STEPS as i128;
    i64::try_from(edge).unwrap_or(whole)
}

/// Adds a time to the stretches in which it lies.
fn spread(load: &mut Load, interval: Interval, shown: Interval) {
    let whole = shown.span().as_millis();
    let from = interval.start().as_millis() - shown.start().as_millis();
    let to = interval.end().as_millis() - shown.start().as_millis();
    let place = i128::from(from.max(0)) * STEPS as i128 / i128::from(whole.max(1));
    // The edge before may be rounded down to just after it.
    let mut step = usize::try_from(place).unwrap_or(STEPS).min(STEPS - 1);
    while step < STEPS && edge(step, whole) < to {
        let within = to.min(edge(step + 1, whole)) - from.max(edge(step, whole));
        load[step] += within.max(0);
        step += 1;
    }
}

fn view(state: &State, sums: Sums, shown: Interval) -> TimetableBlock {
    let whole = shown.span().as_millis();
    let means = |load: &Load| -> Vec<Num> {
        let mean = |(step, busy): (usize, &i64)| {
            let wide = (edge(step + 1, whole) - edge(step, whole)).max(1);
            // Hundredths of a node.
            Num::from_units(i128::from(*busy) * 100 / i128::from(wide), 2)
        };
        load.iter().enumerate().map(mean).collect()
    };
    TimetableBlock {
        site: site_name(state, sums.site),
        first: u32::try_from(sums.first).unwrap_or(u32::MAX),
        nodes: sums.nodes,
        lost: sums.lost,
        used: means(&sums.used),
        planned: means(&sums.planned),
        owner: means(&sums.owner),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Time;

    fn interval(from: i64, to: i64) -> Interval {
        Interval::new(Time::from_millis(from).unwrap(), Time::from_millis(to).unwrap()).unwrap()
    }

    /// Whatever is spread over whatever time, nothing of it is lost and nothing is counted twice.
    #[test]
    fn a_time_is_spread_without_loss() {
        for whole in [1, 7, 359, 360, 361, 1_000, 3_600_000, 86_400_001] {
            let shown = interval(1_000, 1_000 + whole);
            for (from, to) in [(0, whole), (0, 1), (whole / 3, whole / 2 + 1), (whole - 1, whole)] {
                let mut load = [0; STEPS];
                spread(&mut load, interval(1_000 + from, 1_000 + to), shown);
                assert_eq!(load.iter().sum::<i64>(), to - from, "{from} to {to} of {whole}");
                let wide = |step| edge(step + 1, whole) - edge(step, whole);
                assert!((0..STEPS).all(|step| load[step] <= wide(step)), "{from} to {to} of {whole}");
            }
        }
    }
}
