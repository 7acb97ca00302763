//! Chance from a seed.

/// A generator (SplitMix64) that gives the same numbers for the same seed.
pub(crate) struct Chance(u64);

impl Chance {
    /// From a seed.
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0)
    }

    /// Any number.
    pub(crate) fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
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
