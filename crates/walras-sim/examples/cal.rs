#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used)]
//! Temporary.
use walras_core::predict::Quantity;
use walras_sim::trace::{evaluate, read_swf};
fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let trace = read_swf(&bytes);
        for quantity in [Quantity::RunTime, Quantity::Wait] {
            let started = std::time::Instant::now();
            let it = evaluate(&trace, quantity);
            println!(
                "{path} {quantity:?} error {:?} est {:?} under {:?} held {:?} of {} tenths {:?} width {:?} {:?}",
                it.all.templates.error_mean(),
                it.all.estimate.error_mean(),
                it.all.templates.under_rate(),
                it.bounds.held_rate(),
                it.bounds.said(),
                it.bounds.held_rates_by_tenth(),
                it.bounds.width(),
                started.elapsed()
            );
        }
    }
}
