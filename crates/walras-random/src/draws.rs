//! Numbers for algorithms that try things: small, fast, and copied with the state of a search.

/// A sequence of numbers (SplitMix64, Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`; 0 when there is none.
    pub fn below(&mut self, count: usize) -> usize {
        let wide = u128::from(self.any()) * (count as u128);
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_from_the_seed_and_stay_below() {
        let first = |seed| Draws::new(seed).any();
        // The reference implementation's first number for this seed.
        assert_eq!(first(1_234_567), 6_457_827_717_110_365_317);
        assert_ne!(first(1), first(2));
        let mut draws = Draws::new(7);
        assert!((0..1_000).all(|_| draws.below(5) < 5));
        assert_eq!(draws.below(0), 0);
    }
}
