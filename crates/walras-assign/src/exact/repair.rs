//! From the relaxed solution, in which several sites may take a job and some jobs are taken by none, to a placing.

use super::placing::{NONE, Placing};
use super::table::Table;

/// Keeps for every job the cheapest of its takers, then places the others where they regret it least to wait.
pub(super) fn repair(table: &Table, takers: &[Vec<u32>], depth: usize, work: &mut u64) -> Placing {
    let mut placing = Placing::new(table);
    for (job, sites) in takers.iter().enumerate() {
        if sites.is_empty() {
            continue;
        }
        // Pairs come cheapest first, so the first taker among them is the cheapest.
        if let Some(pair) = table.pairs(job).iter().find(|pair| sites.contains(&pair.site)) {
            placing.put(job, pair);
        }
    }
    place_missing(table, &mut placing, depth, work);
    placing
}

/// Puts every job on the site that has most of it, as far as there is room, then places the others.
pub(super) fn round(table: &Table, sites: &[Option<u32>], depth: usize, work: &mut u64) -> Placing {
    let mut placing = Placing::new(table);
    for (job, site) in sites.iter().enumerate() {
        let Some(site) = *site else { continue };
        let pair = table.pairs(job).iter().find(|pair| pair.site == site);
        if let Some(pair) = pair.filter(|pair| placing.room(site as usize) >= i64::from(pair.takes)) {
            placing.put(job, pair);
        }
    }
    place_missing(table, &mut placing, depth, work);
    placing
}

/// Places jobs without a place, those first whose second choice is worst.
pub(super) fn place_missing(table: &Table, placing: &mut Placing, depth: usize, work: &mut u64) {
    let mut missing: Vec<(i64, usize)> = (0..table.jobs())
        .filter(|job| placing.sites[*job] == NONE)
        .map(|job| {
            let pairs = table.pairs(job);
            let regret = match pairs {
                [best, second, ..] => second.cost - best.cost,
                _ => i64::MAX,
            };
            (-regret, job)
        })
        .collect();
    missing.sort_unstable();
    for (_, job) in missing {
        placing.move_one(table, job, depth, work);
    }
}
