//! Points and lengths of time.

use std::ops::Sub;

/// Points in time lie within ± this many milliseconds (about 31,000 years).
pub const TIME_LIMIT: i64 = 1_000_000_000_000_000;

/// A point in time, in milliseconds since an origin that the scenario chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// A length of time in milliseconds, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

impl Time {
    /// The earliest point there is.
    pub const MIN: Time = Time(-TIME_LIMIT);
    /// The latest point there is.
    pub const MAX: Time = Time(TIME_LIMIT);

    /// `None` beyond [`TIME_LIMIT`].
    #[inline]
    pub const fn from_millis(millis: i64) -> Option<Time> {
        if millis < -TIME_LIMIT || millis > TIME_LIMIT { None } else { Some(Time(millis)) }
    }

    /// Milliseconds since the origin.
    #[inline]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This point moved later, or `None` past [`TIME_LIMIT`].
    #[inline]
    pub fn checked_add(self, span: Span) -> Option<Time> {
        Time::from_millis(self.0.checked_add(span.0)?)
    }

    /// How long after `earlier` this is, or `None` when it is before it.
    #[inline]
    pub fn span_since(self, earlier: Time) -> Option<Span> {
        Span::from_millis(self.0 - earlier.0)
    }
}

impl Sub for Time {
    type Output = i64;
    /// The signed difference in milliseconds; it cannot overflow within [`TIME_LIMIT`].
    #[inline]
    fn sub(self, other: Time) -> i64 {
        self.0 - other.0
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// `None` when negative or longer than twice [`TIME_LIMIT`].
    #[inline]
    pub const fn from_millis(millis: i64) -> Option<Span> {
        if millis < 0 || millis > 2 * TIME_LIMIT { None } else { Some(Span(millis)) }
    }

    /// The length in milliseconds.
    #[inline]
    pub const fn as_millis(self) -> i64 {
        self.0
    }
}
