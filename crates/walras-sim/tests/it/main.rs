//! The experiments from outside: laws, averages, determinism, files.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod assigned;
mod baseline;
mod determinism;
mod drive;
mod every_method;
mod failing;
mod files;
mod laws;
mod metabroker;
mod multicriteria;
mod owned;
mod packing;
mod pinned;
mod rolling;
mod two_tier;
mod wholes;

use walras_sim::experiment::{Experiment, Options, Reproduction};

/// A run of an experiment with its default configuration.
fn run(experiment: Experiment, seed: u64, cycles: u32, threads: usize) -> Reproduction {
    experiment
        .run(
            None,
            &Options { seed, cycles, threads, progress: &|_, _| {}, solver: walras_solve::solver().ok() },
        )
        .unwrap()
}
