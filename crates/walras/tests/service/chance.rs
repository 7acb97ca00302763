//! Chance from a seed.

use walras_random::Draws;

/// A generator that gives the same numbers for the same seed.
pub(crate) struct Chance(Draws);

impl Chance {
    /// From a seed.
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(Draws::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0))
    }

    /// Any number.
    pub(crate) fn any(&mut self) -> u64 {
        self.0.any()
    }

    /// At least `from`, below `to`.
    pub(crate) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.any() % (to - from)
    }

    /// A place in a list of this length.
    pub(crate) fn place(&mut self, length: usize) -> usize {
        let place = self.any() % u64::try_from(length).unwrap();
        usize::try_from(place).unwrap()
    }
}
