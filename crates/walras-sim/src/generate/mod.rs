//! The generators of the papers' experiments: a slot list and a batch for every cycle.
//!
//! **Problem.** The papers print the ranges of their `SlotGenerator` and `JobGenerator`, but neither the price cap
//! of a job nor whether an end of a range belongs to it.
//!
//! **Method.** What is printed is the default of each parameter. What is not printed was fitted, once, so that all
//! printed averages come out within a few per cent, and is marked *fitted* where it stands: whole numbers are drawn
//! without the upper end of their range, and the price cap is `price_base^performance_min` times a number from
//! `price_spread`.
//!
//! One time unit of the papers is a millisecond here, so that `ceil(length / performance)` is in whole units. A
//! price per unit of time is a thousand times that per second. Real numbers are rounded to millionths.
//!
//! Every slot is on a node of its own: the papers draw a list of slots and no nodes.

mod jobs;
pub mod market;
mod range;
mod resource_lines;
mod slots;

pub use jobs::JobGenerator;
pub use market::MarketGenerator;
pub use range::{RealRange, WholeRange};
pub use resource_lines::ResourceLines;
pub use slots::SlotGenerator;

use walras_model::{Interval, Performance, Rate, Time};

/// Millionths in one.
const MILLION: f64 = 1_000_000.0;
/// Time units (milliseconds) in a second.
const UNITS_PER_SECOND: f64 = 1_000.0;

/// A performance to the millionth.
fn performance(value: f64) -> Option<Performance> {
    Performance::from_millionths(rounded(value * MILLION))
}

/// From one moment to a later one, in milliseconds.
fn interval(start: i64, end: i64) -> Option<Interval> {
    Interval::new(Time::from_millis(start)?, Time::from_millis(end)?)
}

/// A price per time unit as a rate, to a millionth of a credit per thousand units.
fn rate(price_per_unit: f64) -> Option<Rate> {
    Rate::from_micros_per_second(rounded(price_per_unit * MILLION * UNITS_PER_SECOND))
}

/// The nearest whole number.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and the types refuse what is too large")]
fn rounded(value: f64) -> i64 {
    value.round() as i64
}
