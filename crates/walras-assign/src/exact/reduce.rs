//! Which pairs can still matter.
//!
//! Forcing a pair costs its site at least the [loss](super::knapsack::Worth::loss) at the present prices. Added to the
//! bound, this bounds every solution that uses the pair: above the cost of a known solution, the pair is out, for good and
//! with proof. Below, the loss says how promising the pair is.

use super::dual::Dual;
use super::table::Table;
use walras_model::market::Pair;

/// The pairs of every job whose loss is at most `most`, with their losses, least first.
pub(super) fn promising(table: &Table, dual: &mut Dual, most: i64) -> Vec<Vec<(i64, Pair)>> {
    let worths: Vec<_> = (0..table.sites()).map(|site| dual.worth(table, site)).collect();
    let mut jobs = Vec::with_capacity(table.jobs());
    for job in 0..table.jobs() {
        let price = dual.prices[job];
        let mut kept = Vec::new();
        for pair in table.pairs(job) {
            if pair.cost - price > most {
                break;
            }
            let loss = worths[pair.site as usize].loss(pair.takes, price - pair.cost);
            if loss <= most {
                kept.push((loss, *pair));
            }
        }
        kept.sort_unstable_by_key(|(loss, pair)| (*loss, pair.cost, pair.site));
        jobs.push(kept);
    }
    jobs
}

/// A table of at most `width` pairs per job, the most promising, and those of a placing.
///
/// A job that has no place, and of whose pairs none is promising, keeps its cheapest: every job has some pair.
pub(super) fn core(table: &Table, promising: &[Vec<(i64, Pair)>], width: usize, sites: &[u32]) -> Table {
    let jobs = promising.iter().enumerate().map(|(job, kept)| {
        let mut pairs: Vec<Pair> = kept.iter().take(width).map(|(_, pair)| *pair).collect();
        let home = sites[job];
        if !pairs.iter().any(|pair| pair.site == home) {
            pairs.extend(table.pairs(job).iter().find(|pair| pair.site == home));
        }
        if pairs.is_empty() {
            pairs.extend(table.pairs(job).iter().take(width));
        }
        pairs
    });
    Table::part(table.capacities.clone(), jobs.collect(), table.shift)
}

#[cfg(test)]
mod tests {
    use super::super::placing::NONE;
    use super::*;

    #[test]
    fn a_job_without_a_place_or_promise_keeps_its_cheapest_pairs() {
        let pair = |site, cost| Pair { site, takes: 1, cost };
        let table = Table::part(vec![1, 1, 1], vec![vec![pair(0, 5), pair(1, 3), pair(2, 4)]], 0);
        let core = core(&table, &[Vec::new()], 2, &[NONE]);
        assert_eq!(core.pairs(0), [pair(1, 3), pair(2, 4)]);
    }
}
