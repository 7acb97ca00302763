//! Quantities: integers with types of their own.
//!
//! | type | unit |
//! | --- | --- |
//! | [`Time`], [`Span`] | milliseconds |
//! | [`Money`] | micro-credits |
//! | [`Rate`] | micro-credits per second |
//! | [`Work`] | milliseconds on a node of performance 1 |
//! | [`Performance`], [`Factor`], [`Decimal`] | millionths |
//! | [`Watts`] | milliwatts |
//! | [`Data`], [`Bandwidth`] | bytes, bytes per second |
//!
//! Rounding happens in three named functions and nowhere else: [`Work::runtime_on`], [`Rate::cost_of`] and
//! [`Bandwidth::time_for`], all upwards. Points and lengths of time stay within [`TIME_LIMIT`], so their sums and differences cannot
//! overflow; everything else is checked.
//!
//! ```
//! use walras_model::{Money, Performance, Rate, Span, Work};
//! let work = Work::from_millis(80_000).unwrap();
//! let runtime = work.runtime_on(Performance::from_millionths(2_500_000).unwrap()).unwrap();
//! assert_eq!(runtime, Span::from_millis(32_000).unwrap());
//! let rate = Rate::from_micros_per_second(5_000_000).unwrap();
//! assert_eq!(rate.cost_of(runtime), Some(Money::from_micros(160_000_000)));
//! ```

use std::fmt;
use std::ops::{Add, Sub};

/// Points in time lie within ± this many milliseconds (about 31,000 years).
pub const TIME_LIMIT: i64 = 1_000_000_000_000_000;

/// How many millionths make one.
pub const MILLION: i64 = 1_000_000;

const MILLIS_PER_SECOND: i64 = 1_000;

/// A point in time, in milliseconds since an origin that the scenario chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// A length of time in milliseconds, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

/// An amount of money in micro-credits; negative amounts are debts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

/// A price per time, in micro-credits per second; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(i64);

/// An amount of computing: milliseconds on a node of performance 1; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Work(i64);

/// Speed relative to the reference node, in millionths; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Performance(i64);

/// A share of at most one, in millionths; positive. The budget factor k is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(i64);

/// Electrical power in milliwatts, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Watts(i64);

/// An amount of data in bytes, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Data(i64);

/// How fast data moves, in bytes per second; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bandwidth(i64);

/// A number that a node's attribute carries, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(i64);

/// `a / b` rounded up, for `a >= 0` and `b > 0`.
const fn div_ceil(a: i128, b: i128) -> i128 {
    (a + b - 1) / b
}

impl Time {
    /// The earliest point there is.
    pub const MIN: Time = Time(-TIME_LIMIT);
    /// The latest point there is.
    pub const MAX: Time = Time(TIME_LIMIT);

    /// `None` beyond [`TIME_LIMIT`].
    pub const fn from_millis(millis: i64) -> Option<Time> {
        if millis < -TIME_LIMIT || millis > TIME_LIMIT { None } else { Some(Time(millis)) }
    }

    /// Milliseconds since the origin.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This point moved later, or `None` past [`TIME_LIMIT`].
    pub fn checked_add(self, span: Span) -> Option<Time> {
        Time::from_millis(self.0.checked_add(span.0)?)
    }

    /// How long after `earlier` this is, or `None` when it is before it.
    pub fn span_since(self, earlier: Time) -> Option<Span> {
        Span::from_millis(self.0 - earlier.0)
    }
}

impl Sub for Time {
    type Output = i64;
    /// The signed difference in milliseconds; it cannot overflow within [`TIME_LIMIT`].
    fn sub(self, other: Time) -> i64 {
        self.0 - other.0
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// `None` when negative or longer than twice [`TIME_LIMIT`].
    pub const fn from_millis(millis: i64) -> Option<Span> {
        if millis < 0 || millis > 2 * TIME_LIMIT { None } else { Some(Span(millis)) }
    }

    /// The length in milliseconds.
    pub const fn as_millis(self) -> i64 {
        self.0
    }
}

impl Money {
    /// Nothing.
    pub const ZERO: Money = Money(0);
    /// The largest amount.
    pub const MAX: Money = Money(i64::MAX);

    /// An amount of that many micro-credits.
    pub const fn from_micros(micros: i64) -> Money {
        Money(micros)
    }

    /// The amount in micro-credits.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The sum, or `None` on overflow.
    pub fn checked_add(self, other: Money) -> Option<Money> {
        self.0.checked_add(other.0).map(Money)
    }

    /// The difference, or `None` on overflow.
    pub fn checked_sub(self, other: Money) -> Option<Money> {
        self.0.checked_sub(other.0).map(Money)
    }
}

impl Add for Money {
    type Output = Money;
    /// For amounts whose sum is known to fit; saturates instead of wrapping.
    fn add(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }
}

impl std::iter::Sum for Money {
    fn sum<I: Iterator<Item = Money>>(amounts: I) -> Money {
        amounts.fold(Money::ZERO, Add::add)
    }
}

impl Rate {
    /// `None` unless positive.
    pub const fn from_micros_per_second(micros: i64) -> Option<Rate> {
        if micros > 0 { Some(Rate(micros)) } else { None }
    }

    /// Micro-credits per second.
    pub const fn as_micros_per_second(self) -> i64 {
        self.0
    }

    /// What `span` costs at this rate, rounded up to a micro-credit; `None` on overflow.
    ///
    /// This is the one place where money is rounded.
    pub fn cost_of(self, span: Span) -> Option<Money> {
        i64::try_from(self.cost_of_millis(i128::from(span.0))?).ok().map(Money)
    }

    /// The same before it is narrowed to the range of money.
    pub fn cost_of_millis(self, millis: i128) -> Option<i128> {
        let product = i128::from(self.0).checked_mul(millis)?;
        Some(div_ceil(product, i128::from(MILLIS_PER_SECOND)))
    }
}

impl Work {
    /// `None` unless positive and within [`TIME_LIMIT`].
    pub const fn from_millis(millis: i64) -> Option<Work> {
        if millis > 0 && millis <= TIME_LIMIT { Some(Work(millis)) } else { None }
    }

    /// Milliseconds on a node of performance 1.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// How long this takes at that performance, rounded up to a millisecond; `None` past [`TIME_LIMIT`].
    ///
    /// This is the one place where time is rounded.
    pub fn runtime_on(self, performance: Performance) -> Option<Span> {
        let millis = i64::try_from(self.millis_on(performance)).ok()?;
        if millis > TIME_LIMIT { None } else { Some(Span(millis)) }
    }

    /// The same before it is narrowed to the range of time.
    pub fn millis_on(self, performance: Performance) -> i128 {
        // The same in 64 bits, several times faster, for less than 285 years of work.
        if let Some(scaled) = self.0.checked_mul(MILLION) {
            return i128::from(scaled / performance.0) + i128::from(scaled % performance.0 != 0);
        }
        div_ceil(i128::from(self.0) * i128::from(MILLION), i128::from(performance.0))
    }
}

impl Performance {
    /// The reference node's.
    pub const ONE: Performance = Performance(MILLION);

    /// `None` unless positive.
    pub const fn from_millionths(millionths: i64) -> Option<Performance> {
        if millionths > 0 { Some(Performance(millionths)) } else { None }
    }

    /// In millionths of the reference node's.
    pub const fn as_millionths(self) -> i64 {
        self.0
    }
}

impl Factor {
    /// The whole.
    pub const ONE: Factor = Factor(MILLION);

    /// `None` unless positive and at most one.
    pub const fn from_millionths(millionths: i64) -> Option<Factor> {
        if millionths > 0 && millionths <= MILLION { Some(Factor(millionths)) } else { None }
    }

    /// In millionths.
    pub const fn as_millionths(self) -> i64 {
        self.0
    }
}

impl Watts {
    /// `None` when negative.
    pub const fn from_milliwatts(milliwatts: i64) -> Option<Watts> {
        if milliwatts < 0 { None } else { Some(Watts(milliwatts)) }
    }

    /// In milliwatts.
    pub const fn as_milliwatts(self) -> i64 {
        self.0
    }
}

impl Data {
    /// No data.
    pub const ZERO: Data = Data(0);

    /// `None` when negative.
    pub const fn from_bytes(bytes: i64) -> Option<Data> {
        if bytes < 0 { None } else { Some(Data(bytes)) }
    }

    /// In bytes.
    pub const fn as_bytes(self) -> i64 {
        self.0
    }
}

impl Bandwidth {
    /// `None` unless positive.
    pub const fn from_bytes_per_second(bytes: i64) -> Option<Bandwidth> {
        if bytes > 0 { Some(Bandwidth(bytes)) } else { None }
    }

    /// In bytes per second.
    pub const fn as_bytes_per_second(self) -> i64 {
        self.0
    }

    /// How long `data` takes, rounded up to a millisecond; `None` past [`TIME_LIMIT`].
    ///
    /// This is the one place where the time of a transfer is rounded.
    pub fn time_for(self, data: Data) -> Option<Span> {
        let millis = div_ceil(i128::from(data.0) * i128::from(MILLIS_PER_SECOND), i128::from(self.0));
        let millis = i64::try_from(millis).ok()?;
        if millis > TIME_LIMIT { None } else { Some(Span(millis)) }
    }
}

impl Decimal {
    /// That many millionths.
    pub const fn from_millionths(millionths: i64) -> Decimal {
        Decimal(millionths)
    }

    /// In millionths.
    pub const fn as_millionths(self) -> i64 {
        self.0
    }
}

/// Writes `units / per_unit` as a plain decimal without trailing zeros.
fn write_decimal(f: &mut fmt::Formatter<'_>, units: i64, per_unit: u64) -> fmt::Result {
    let magnitude = units.unsigned_abs();
    let sign = if units < 0 { "-" } else { "" };
    let (whole, part) = (magnitude / per_unit, magnitude % per_unit);
    if part == 0 {
        return f.pad(&format!("{sign}{whole}"));
    }
    let digits = per_unit.ilog10() as usize;
    let fraction = format!("{part:0digits$}");
    f.pad(&format!("{sign}{whole}.{}", fraction.trim_end_matches('0')))
}

macro_rules! display_as_decimal {
    ($($name:ident / $per_unit:literal),* $(,)?) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_decimal(f, self.0, $per_unit)
            }
        }
    )*};
}

// Time in seconds, money in credits, and so on: the units that people write.
display_as_decimal!(
    Time / 1_000,
    Span / 1_000,
    Work / 1_000,
    Watts / 1_000,
    Money / 1_000_000,
    Rate / 1_000_000,
    Performance / 1_000_000,
    Factor / 1_000_000,
    Decimal / 1_000_000,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_always_upwards() {
        let work = Work::from_millis(10).unwrap();
        let performance = Performance::from_millionths(3_000_000).unwrap();
        assert_eq!(work.runtime_on(performance), Span::from_millis(4));
        let rate = Rate::from_micros_per_second(1).unwrap();
        assert_eq!(rate.cost_of(Span(1)), Some(Money(1)));
        assert_eq!(rate.cost_of(Span(1_000)), Some(Money(1)));
        assert_eq!(rate.cost_of(Span(1_001)), Some(Money(2)));
        assert_eq!(rate.cost_of(Span::ZERO), Some(Money::ZERO));
        let link = Bandwidth::from_bytes_per_second(1_000_000).unwrap();
        assert_eq!(link.time_for(Data(1_001)), Span::from_millis(2));
        assert_eq!(link.time_for(Data::ZERO), Some(Span::ZERO));
        assert_eq!(Bandwidth(1).time_for(Data(i64::MAX)), None);
    }

    #[test]
    fn overflow_is_none() {
        assert_eq!(Rate(i64::MAX).cost_of(Span(2 * TIME_LIMIT)), None);
        assert_eq!(Work(TIME_LIMIT).runtime_on(Performance(1)), None);
        assert_eq!(Money::MAX.checked_add(Money(1)), None);
        assert_eq!(Time::MAX.checked_add(Span(1)), None);
    }

    #[test]
    fn constructors_refuse_what_makes_no_sense() {
        assert_eq!(Rate::from_micros_per_second(0), None);
        assert_eq!(Work::from_millis(0), None);
        assert_eq!(Performance::from_millionths(-1), None);
        assert_eq!(Factor::from_millionths(MILLION + 1), None);
        assert_eq!(Span::from_millis(-1), None);
        assert_eq!(Time::from_millis(TIME_LIMIT + 1), None);
    }

    #[test]
    fn display_is_in_the_units_that_people_write() {
        assert_eq!(Money(-1_500_000).to_string(), "-1.5");
        assert_eq!(Time(17_648).to_string(), "17.648");
        assert_eq!(Rate(5_000_000).to_string(), "5");
        assert_eq!(Performance(2_500_000).to_string(), "2.5");
    }
}
