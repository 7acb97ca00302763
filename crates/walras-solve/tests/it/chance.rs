//! Chance from a seed.

/// A stream of numbers below the one asked for.
pub(crate) fn chance(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    }
}
