//! How much work and time an exact search may take.

/// How much work may be done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactLimits {
    /// Passes over all sites to raise the bound.
    pub passes: usize,
    /// Steps of one local search.
    pub work: u64,
    /// Rounds of dives, combining, shaking and neighbourhoods.
    pub rounds: usize,
    /// The most pairs for which the rest is solved as a whole.
    pub pairs_proven: usize,
    /// Nodes of branch and bound in one programme.
    pub nodes: u64,
    /// Where chance comes from.
    pub seed: u64,
    /// The most sets of jobs that are combined at once.
    pub sets: usize,
    /// A relative gap that is good enough.
    pub gap: f64,
}

impl Default for ExactLimits {
    fn default() -> ExactLimits {
        ExactLimits {
            passes: 600,
            work: 20_000_000,
            rounds: 1_000,
            nodes: 100_000,
            pairs_proven: 10_000,
            sets: 6_000,
            seed: 1,
            gap: 0.0,
        }
    }
}

/// How much time is left.
pub trait Watch {
    /// Seconds; infinite for no limit.
    fn seconds_left(&self) -> f64;
}

/// No limit on time: the limits on work end the search, and results repeat exactly.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWatch;

impl Watch for NoWatch {
    fn seconds_left(&self) -> f64 {
        f64::INFINITY
    }
}
