//! The assignment of whole jobs to sites, proven best or with a proven gap, at every size.
mod dual;
mod knapsack;
mod placing;
mod reduce;
mod repair;
mod table;

use super::instance::{Instance, Serve};
use dual::{Dual, tatonnement};
use placing::Placing;
use table::{Nowhere, Table};

/// prototype
pub fn trial(instance: &Instance, iterations: usize, out: u32, log: &mut dyn FnMut(&str)) -> (i64, i64) {
    let mut table = match instance.serve() {
        Serve::All => Table::new(instance, Nowhere::Closed),
        Serve::Most => Table::new(instance, Nowhere::Room(out)),
    };
    log(&format!("table {} jobs {} sites {} pairs shift {}", table.jobs(), table.sites(), table.pairs_all(), table.shift));
    let mut work = 20_000_000;
    let mut best = Placing::new(&table);
    repair::place_missing(&table, &mut best, 1, &mut work);
    log(&format!("greedy {} missing {} work {work}", best.cost >> table.shift, best.missing));
    let prices = tatonnement(&table, best.cost, 200);
    log("tatonnement");
    let mut dual = Dual::new(&table, prices);
    let mut bound = i64::MIN;
    let mut best_prices = dual.prices.clone();
    let (mut length, mut stalled) = (1.0, 0);
    for iteration in 0..iterations {
        let value = dual.evaluate(&table);
        if value > bound {
            bound = value;
            best_prices.copy_from_slice(&dual.prices);
            stalled = 0;
        } else {
            stalled += 1;
            if stalled >= 20 {
                length /= 2.0;
                stalled = 0;
                dual.restart(&best_prices);
                if length < 0.001 { break; }
                continue;
            }
        }
        if iteration % 50 == 0 {
            let gap = best.cost - value;
            let kept = reduce::promising(&table, &mut dual, gap);
            let n: usize = kept.iter().map(|k| k.len()).sum();
            let core = reduce::core(&table, &kept, 10, &best.sites);
            let mut work = 20_000_000;
            let mut placing = repair::repair(&core, &dual.takers, 1, &mut work);
            let rep = placing.cost;
            let miss = placing.missing;
            placing.improve(&core, 2, &mut work);
            log(&format!("{iteration}: bound {} now {} best {} missing {} length {length} keep {n} repaired {} {miss} improved {} {} work {work}", bound >> table.shift, value >> table.shift, best.cost >> table.shift, best.missing, rep >> table.shift, placing.cost >> table.shift, placing.missing));
            if placing.cost < best.cost {
                best = placing;
            }
        }
        if !dual.step(length, (best.cost - value) as f64) {
            break;
        }
    }
    dual.restart(&best_prices);
    dual.evaluate(&table);
    let kept = reduce::promising(&table, &mut dual, best.cost - bound);
    let n: usize = kept.iter().map(|k| k.len()).sum();
    log(&format!("end: bound {} best {} missing {} gap {:.4}% keep {n}", bound as f64 / (1_i64 << table.shift) as f64, best.cost >> table.shift, best.missing, (best.cost - bound) as f64 / best.cost as f64 * 100.0));
    (best.cost >> table.shift, bound >> table.shift)
}
