//! Random streams: one for each purpose and cycle.
//!
//! **Problem.** A result must depend on the seed alone: not on the number of threads, not on how many cycles are
//! run, and not on whether the job generator drew one number more.
//!
//! **Method.** ChaCha is a function of a key, a stream number and a position. The seed is the key; the cycle and
//! the purpose make the stream number; so any stream can be opened without the others having been read.
//!
//! ```
//! use walras_sim::random::{Purpose, Stream};
//! let draw = |cycle| Stream::open(1, Purpose::Slots, cycle).below(1_000_000);
//! assert_eq!(draw(7), draw(7));
//! assert_ne!(draw(7), draw(8));
//! ```

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The slot list.
    Slots,
    /// The batch.
    Jobs,
    /// Choices at random, for the comparison with the best.
    Choices,
    /// Sites with capacity.
    Sites,
    /// Genetic algorithms.
    Evolution,
}

/// A stream of random numbers.
#[derive(Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of this purpose in this cycle.
    pub fn open(seed: u64, purpose: Purpose, cycle: u32) -> Stream {
        let number = match purpose {
            Purpose::Slots => 0,
            Purpose::Jobs => 1,
            Purpose::Choices => 2,
            Purpose::Sites => 3,
            Purpose::Evolution => 4,
        };
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream((u64::from(cycle) << 8) | number);
        Stream(generator)
    }

    /// A whole number below `bound`; 0 where that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.0.random_range(0..bound) }
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

    fn first(seed: u64, purpose: Purpose, cycle: u32) -> Vec<u64> {
        let mut stream = Stream::open(seed, purpose, cycle);
        (0..4).map(|_| stream.below(u64::MAX)).collect()
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_cycle() {
        let one = first(1, Purpose::Slots, 0);
        assert_eq!(one, first(1, Purpose::Slots, 0));
        assert_ne!(one, first(2, Purpose::Slots, 0));
        assert_ne!(one, first(1, Purpose::Jobs, 0));
        assert_ne!(one, first(1, Purpose::Slots, 1));
    }

    #[test]
    fn draws_stay_in_their_ranges() {
        let mut stream = Stream::open(3, Purpose::Choices, 9);
        assert_eq!(stream.below(0), 0);
        for _ in 0..1_000 {
            assert!(stream.below(7) < 7);
            assert!(stream.index(3) < 3);
            assert!((0.0..1.0).contains(&stream.share()));
        }
    }
}
