//! Chance, from a seed.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use walras_core::{Span, Time};

/// A stream of random numbers.
#[derive(Debug)]
pub struct Chance(ChaCha8Rng);

impl Chance {
    /// The stream of a seed and a purpose.
    pub fn new(seed: u64, purpose: u64) -> Chance {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(purpose);
        Chance(generator)
    }

    /// A number from the first up to the second, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        if low >= high { low } else { self.0.random_range(low..=high) }
    }

    /// Whether something of that probability, in thousandths, happens.
    pub fn happens(&mut self, thousandths: i64) -> bool {
        self.between(0, 999) < thousandths
    }

    /// One of several things.
    pub fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let last = i64::try_from(all.len()).ok()?.checked_sub(1)?;
        all.get(usize::try_from(self.between(0, last)).ok()?)
    }

    /// A length of time in milliseconds, both ends included.
    pub fn span(&mut self, low: i64, high: i64) -> Span {
        Span::from_millis(self.between(low, high)).unwrap_or(Span::ZERO)
    }
}

/// A moment moved by milliseconds; the same at the ends of time.
pub fn later(time: Time, millis: i64) -> Time {
    Time::from_millis(time.as_millis().saturating_add(millis)).unwrap_or(time)
}
