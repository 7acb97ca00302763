//! Quantities: integers with types of their own.
//!
//! | type | unit |
//! | --- | --- |
//! | [`Time`], [`Span`] | milliseconds |
//! | [`Money`] | micro-credits |
//! | [`Rate`] | micro-credits per second |
//! | [`Work`] | milliseconds on a node of performance 1 |
//! | [`Performance`], [`Share`], [`Multiplier`], [`Factor`], [`Fixed`] | millionths |
//! | [`Watts`] | milliwatts |
//! | [`Data`], [`Bandwidth`] | bytes, bytes per second |
//!
//! Points and lengths of time stay within [`TIME_LIMIT`], so their sums and differences cannot overflow; everything else is
//! checked. [`Decimal`] is how all of them are read and written.
//!
//! # All roundings
//!
//! | what | function | direction | for whom |
//! | --- | --- | --- | --- |
//! | a run time | [`Work::runtime_on`] | up to a millisecond | the node is not given away too early |
//! | a cost | [`Rate::cost_of`], [`rounding::cost`] | up to a micro-credit | the owner |
//! | the time of a transfer | [`Bandwidth::time_for`] | up to a millisecond | what waits for it |
//! | work done in a time | [`Performance::work_in_millis`] | down to a millisecond | nothing is counted as done that is not |
//! | a share of money: fees, refunds, compensations | [`Share::of`] | towards nothing | who pays |
//! | a share of a time or a count | [`Share::of_count`], [`Multiplier::of_count`] | down | |
//! | which share a part is | [`Share::of_whole`] | down to a millionth | |
//! | a multiple of a price | [`Multiplier::of`] | up to a micro-credit a second | the owner |
//! | a derived budget | [`Factor::of_micros`], [`Factor::least_whole`] | down, and up for its inverse | the budget holds |
//! | a decimal to its unit | [`Decimal::rounded`], [`Decimal::cut`] | to nearest; towards nothing | |
//! | bounds of searches | [`rounding`] | to the safe side | |
//!
//! There is no other. The verifier and the auditor have their own, for they must not share mistakes.
//!
//! ```
//! use walras_model::{Money, Performance, Rate, Span, Work};
//! let work = Work::from_millis(80_000).unwrap();
//! let runtime = work.runtime_on(Performance::from_millionths(2_500_000).unwrap()).unwrap();
//! assert_eq!(runtime, Span::from_millis(32_000).unwrap());
//! let rate = Rate::from_micros_per_second(5_000_000).unwrap();
//! assert_eq!(rate.cost_of(runtime), Some(Money::from_micros(160_000_000)));
//! ```

mod decimal;
mod money;
mod ratio;
pub mod rounding;
mod time;
mod work;

pub use decimal::{Decimal, DecimalError, Fixed};
pub use money::{Money, Rate};
pub use ratio::{Factor, MILLION, Multiplier, Share};
pub use time::{Span, TIME_LIMIT, Time};
pub use work::{Bandwidth, Data, Performance, Watts, Work};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_always_upwards() {
        let work = Work::from_millis(10).unwrap();
        let performance = Performance::from_millionths(3_000_000).unwrap();
        assert_eq!(work.runtime_on(performance), Span::from_millis(4));
        let rate = Rate::from_micros_per_second(1).unwrap();
        assert_eq!(rate.cost_of(Span::from_millis(1).unwrap()), Some(Money::from_micros(1)));
        assert_eq!(rate.cost_of(Span::from_millis(1_000).unwrap()), Some(Money::from_micros(1)));
        assert_eq!(rate.cost_of(Span::from_millis(1_001).unwrap()), Some(Money::from_micros(2)));
        assert_eq!(rate.cost_of(Span::ZERO), Some(Money::ZERO));
        let link = Bandwidth::from_bytes_per_second(1_000_000).unwrap();
        assert_eq!(link.time_for(Data::from_bytes(1_001).unwrap()), Span::from_millis(2));
        assert_eq!(link.time_for(Data::ZERO), Some(Span::ZERO));
        assert_eq!(
            Bandwidth::from_bytes_per_second(1).unwrap().time_for(Data::from_bytes(i64::MAX).unwrap()),
            None
        );
    }

    #[test]
    fn overflow_is_none() {
        let (rate, span) = (Rate::from_micros_per_second(i64::MAX), Span::from_millis(2 * TIME_LIMIT));
        assert_eq!(rate.unwrap().cost_of(span.unwrap()), None);
        let (work, slow) = (Work::from_millis(TIME_LIMIT), Performance::from_millionths(1));
        assert_eq!(work.unwrap().runtime_on(slow.unwrap()), None);
        assert_eq!(Money::MAX.checked_add(Money::from_micros(1)), None);
        assert_eq!(Time::MAX.checked_add(Span::from_millis(1).unwrap()), None);
    }

    #[test]
    fn constructors_refuse_what_cannot_be() {
        assert_eq!(Rate::from_micros_per_second(0), None);
        assert_eq!(Work::from_millis(0), None);
        assert_eq!(Performance::from_millionths(-1), None);
        assert_eq!(Factor::from_millionths(MILLION + 1), None);
        assert_eq!(Span::from_millis(-1), None);
        assert_eq!(Time::from_millis(TIME_LIMIT + 1), None);
    }

    #[test]
    fn display_is_in_the_units_that_people_write() {
        assert_eq!(Money::from_micros(-1_500_000).to_string(), "-1.5");
        assert_eq!(Time::from_millis(17_648).unwrap().to_string(), "17.648");
        assert_eq!(Rate::from_micros_per_second(5_000_000).unwrap().to_string(), "5");
        assert_eq!(Performance::from_millionths(2_500_000).unwrap().to_string(), "2.5");
    }
}
