//! Independent streams from one seed.
//!
//! **Problem.** A result must depend on the seed alone: not on the number of threads, and not on whether somebody else drew one
//! number more.
//!
//! **Method.** ChaCha is a function of a key, a stream number and a position. The seed is the key; whoever draws has a stream
//! number of their own, so any stream can be opened without the others having been read.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A stream of random numbers.
///
/// ```
/// use walras_random::Stream;
/// let draw = |stream| Stream::open(1, stream).below(1_000_000);
/// assert_eq!(draw(7), draw(7));
/// assert_ne!(draw(7), draw(8));
/// ```
#[derive(Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// A stream of a seed by its number.
    pub fn open(seed: u64, stream: u64) -> Stream {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Stream(generator)
    }

    /// A whole number below `bound`; 0 where that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.0.random_range(0..bound) }
    }

    /// A number from the first up to the second, both included; the first where that is none.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        if low >= high { low } else { self.0.random_range(low..=high) }
    }

    /// Whether something of that probability, in thousandths, happens.
    pub fn happens(&mut self, thousandths: i64) -> bool {
        self.between(0, 999) < thousandths
    }

    /// Whether something of that probability, in millionths, happens: by the same draw as [`Stream::happens`], and by another only where that
    /// one leaves it open, so that whole thousandths draw what they do there.
    pub fn happens_in_million(&mut self, millionths: i64) -> bool {
        let within = millionths.saturating_sub(1_000 * self.between(0, 999));
        within >= 1_000 || (within > 0 && self.between(0, 999) < within)
    }

    /// One of several things.
    pub fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let last = i64::try_from(all.len()).ok()?.checked_sub(1)?;
        all.get(usize::try_from(self.between(0, last)).ok()?)
    }

    /// A position in a list of that length.
    pub fn index(&mut self, length: usize) -> usize {
        let drawn = self.below(u64::try_from(length).unwrap_or(u64::MAX));
        usize::try_from(drawn).unwrap_or(0)
    }

    /// A real number from 0 up to 1, without 1.
    pub fn share(&mut self) -> f64 {
        self.0.random()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(seed: u64, stream: u64) -> Vec<u64> {
        let mut stream = Stream::open(seed, stream);
        (0..4).map(|_| stream.below(u64::MAX)).collect()
    }

    #[test]
    fn streams_differ_by_seed_and_number() {
        let one = first(1, 0);
        assert_eq!(one, first(1, 0));
        assert_ne!(one, first(2, 0));
        assert_ne!(one, first(1, 1));
    }

    #[test]
    fn draws_stay_in_their_ranges() {
        let mut stream = Stream::open(3, 9);
        assert_eq!(stream.below(0), 0);
        for _ in 0..1_000 {
            assert!(stream.below(7) < 7);
            assert!(stream.index(3) < 3);
            assert!((-2..=5).contains(&stream.between(-2, 5)));
            assert!((0.0..1.0).contains(&stream.share()));
            assert!(!stream.happens(0) && stream.happens(1_000));
            assert!(!stream.happens_in_million(0) && stream.happens_in_million(1_000_000));
        }
    }

    #[test]
    fn millionths_that_are_thousandths_draw_the_same() {
        let (mut one, mut other) = (Stream::open(4, 1), Stream::open(4, 1));
        for thousandths in (0..=1_000).chain(-1..3) {
            for _ in 0..20 {
                assert_eq!(one.happens(thousandths), other.happens_in_million(1_000 * thousandths));
            }
        }
        assert_eq!(one.below(u64::MAX), other.below(u64::MAX));
    }

    #[test]
    fn what_is_finer_than_a_thousandth_happens_as_often() {
        let mut stream = Stream::open(4, 2);
        let happened = (0..1_000_000).filter(|_| stream.happens_in_million(2_500)).count();
        assert!((2_300..2_700).contains(&happened), "{happened}");
    }
}
