//! Work, and the speed, power and data of what does it.

use super::MILLION;
use super::rounding::{down, up_counts};
use super::time::{Span, TIME_LIMIT};

const MILLIS_PER_SECOND: i128 = 1_000;

/// An amount of computing: milliseconds on a node of performance 1; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Work(i64);

/// Speed relative to the reference node, in millionths; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Performance(i64);

/// Electrical power in milliwatts, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Watts(i64);

/// An amount of data in bytes, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Data(i64);

/// How fast data moves, in bytes per second; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bandwidth(i64);

impl Work {
    /// `None` unless positive and within [`TIME_LIMIT`].
    #[inline]
    pub const fn from_millis(millis: i64) -> Option<Work> {
        if millis > 0 && millis <= TIME_LIMIT { Some(Work(millis)) } else { None }
    }

    /// Milliseconds on a node of performance 1.
    #[inline]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// How long this takes at that performance, rounded up to a millisecond; `None` past [`TIME_LIMIT`].
    ///
    /// This is the one place where a run time is rounded.
    #[inline]
    pub fn runtime_on(self, performance: Performance) -> Option<Span> {
        let millis = i64::try_from(self.millis_on(performance)).ok()?;
        if millis > TIME_LIMIT { None } else { Span::from_millis(millis) }
    }

    /// The same before it is narrowed to the range of time.
    #[inline]
    pub fn millis_on(self, performance: Performance) -> i128 {
        // The same in 64 bits, several times faster, for less than 285 years of work.
        if let Some(scaled) = self.0.checked_mul(MILLION) {
            return i128::from(scaled / performance.0) + i128::from(scaled % performance.0 != 0);
        }
        up_counts(i128::from(self.0) * i128::from(MILLION), i128::from(performance.0))
    }
}

impl Performance {
    /// The reference node's.
    pub const ONE: Performance = Performance(MILLION);

    /// `None` unless positive.
    #[inline]
    pub const fn from_millionths(millionths: i64) -> Option<Performance> {
        if millionths > 0 { Some(Performance(millionths)) } else { None }
    }

    /// In millionths of the reference node's.
    #[inline]
    pub const fn as_millionths(self) -> i64 {
        self.0
    }

    /// How many milliseconds of work are done in that many milliseconds, rounded down: what is half done does not count.
    #[inline]
    pub fn work_in_millis(self, millis: i64) -> i128 {
        down(i128::from(millis) * i128::from(self.0), i128::from(MILLION))
    }
}

impl Watts {
    /// `None` when negative.
    #[inline]
    pub const fn from_milliwatts(milliwatts: i64) -> Option<Watts> {
        if milliwatts < 0 { None } else { Some(Watts(milliwatts)) }
    }

    /// In milliwatts.
    #[inline]
    pub const fn as_milliwatts(self) -> i64 {
        self.0
    }
}

impl Data {
    /// No data.
    pub const ZERO: Data = Data(0);

    /// `None` when negative.
    #[inline]
    pub const fn from_bytes(bytes: i64) -> Option<Data> {
        if bytes < 0 { None } else { Some(Data(bytes)) }
    }

    /// In bytes.
    #[inline]
    pub const fn as_bytes(self) -> i64 {
        self.0
    }
}

impl Bandwidth {
    /// `None` unless positive.
    #[inline]
    pub const fn from_bytes_per_second(bytes: i64) -> Option<Bandwidth> {
        if bytes > 0 { Some(Bandwidth(bytes)) } else { None }
    }

    /// In bytes per second.
    #[inline]
    pub const fn as_bytes_per_second(self) -> i64 {
        self.0
    }

    /// How long `data` takes, rounded up to a millisecond; `None` past [`TIME_LIMIT`].
    ///
    /// This is the one place where the time of a transfer is rounded.
    #[inline]
    pub fn time_for(self, data: Data) -> Option<Span> {
        let millis = up_counts(i128::from(data.0) * MILLIS_PER_SECOND, i128::from(self.0));
        let millis = i64::try_from(millis).ok()?;
        if millis > TIME_LIMIT { None } else { Span::from_millis(millis) }
    }
}
