//! Lengths of time and moments at random.

use walras_model::{Span, Time};
use walras_random::Stream;

/// A length of time in milliseconds, both ends included.
pub fn span(chance: &mut Stream, low: i64, high: i64) -> Span {
    Span::from_millis(chance.between(low, high)).unwrap_or(Span::ZERO)
}

/// A moment moved by milliseconds; the same at the ends of time.
pub fn later(time: Time, millis: i64) -> Time {
    Time::from_millis(time.as_millis().saturating_add(millis)).unwrap_or(time)
}
