//! Random streams: one for each purpose and cycle, so that results depend on the seed alone and not on threads, on how many
//! cycles are run, or on whether the job generator drew one number more.
//!
//! ```
//! use walras_random::Purpose;
//! let draw = |cycle| Purpose::Slots.stream(1, cycle).below(1_000_000);
//! assert_eq!(draw(7), draw(7));
//! assert_ne!(draw(7), draw(8));
//! ```

use crate::Stream;

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
    /// Arrivals, sizes and run times of a synthetic workload.
    Workload,
    /// Budgets and deadlines that a trace does not have.
    Terms,
    /// What fails in a simulation.
    Failures,
    /// Who asks for a quote in a simulation.
    Quotes,
}

impl Purpose {
    /// The stream of this purpose in a cycle.
    pub fn stream(self, seed: u64, cycle: u32) -> Stream {
        let number = match self {
            Purpose::Slots => 0,
            Purpose::Jobs => 1,
            Purpose::Choices => 2,
            Purpose::Sites => 3,
            Purpose::Evolution => 4,
            Purpose::Workload => 5,
            Purpose::Terms => 6,
            Purpose::Failures => 7,
            Purpose::Quotes => 8,
        };
        Stream::open(seed, (u64::from(cycle) << 8) | number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_purpose_and_cycle() {
        let first = |seed, purpose: Purpose, cycle| purpose.stream(seed, cycle).below(u64::MAX);
        let one = first(1, Purpose::Slots, 0);
        assert_eq!(one, first(1, Purpose::Slots, 0));
        assert_ne!(one, first(2, Purpose::Slots, 0));
        assert_ne!(one, first(1, Purpose::Jobs, 0));
        assert_ne!(one, first(1, Purpose::Slots, 1));
    }
}
