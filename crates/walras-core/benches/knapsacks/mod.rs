//! Multiple-choice knapsacks, drawn from a seed.

#![allow(unreachable_pub, clippy::unwrap_used, reason = "a module of benchmarks")]

use walras_core::choose::knapsack::{Candidate, Knapsack};

/// How value and weight hang together.
#[derive(Clone, Copy, Debug)]
pub enum KnapsackKind {
    /// Not at all.
    Random,
    /// The value falls as the weight grows, as cost falls when time grows.
    Correlated,
}

// Its own stream, not `walras_random`: docs/performance.md records what HiGHS took for these very instances.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: i128) -> i128 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        i128::from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16) % bound
    }
}

/// One candidate of each of `jobs` classes; limits at the mean weight, as T* is. Weights are times of some
/// minutes to hours in milliseconds, values are costs of some to hundreds of credits in micro-credits.
pub fn problem(kind: KnapsackKind, jobs: usize, alternatives: usize, limits: usize, seed: u64) -> Knapsack {
    let mut draw = Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let candidate = |draw: &mut Draw| {
        let takes: Vec<i128> = (0..limits).map(|_| 60_000 + draw.below(7_200_000)).collect();
        let value = match kind {
            KnapsackKind::Random => 1_000_000 + draw.below(400_000_000),
            KnapsackKind::Correlated => {
                let weight: i128 = takes.iter().sum::<i128>() / takes.len().max(1) as i128;
                400_000_000 - weight * 50 + draw.below(40_000_000)
            }
        };
        Candidate { value, takes }
    };
    let classes: Vec<Vec<Candidate>> =
        (0..jobs).map(|_| (0..alternatives).map(|_| candidate(&mut draw)).collect()).collect();
    let mean = |limit: usize| {
        let of = |class: &Vec<Candidate>| {
            class.iter().map(|it| it.takes[limit]).sum::<i128>() / alternatives as i128
        };
        classes.iter().map(of).sum::<i128>() * 3 / 4
    };
    Knapsack { limits: (0..limits).map(mean).collect(), classes }
}
