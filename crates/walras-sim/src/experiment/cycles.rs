//! Running cycles on several threads.

use super::{BrokenLaw, CycleError, ExperimentError, Options};
use crate::parallel::in_order;

/// Cycles that a thread takes at a time.
const CHUNK: u32 = 32;

/// The records of all cycles in order, or the error of the first cycle that failed.
pub(super) fn run<R: Send>(
    options: &Options<'_>,
    cycle: impl Fn(u32) -> Result<R, CycleError> + Sync,
) -> Result<Vec<R>, ExperimentError> {
    run_in_chunks(options, CHUNK, cycle)
}

/// The same for cycles so long that threads take one at a time.
pub(super) fn run_singly<R: Send>(
    options: &Options<'_>,
    cycle: impl Fn(u32) -> Result<R, CycleError> + Sync,
) -> Result<Vec<R>, ExperimentError> {
    run_in_chunks(options, 1, cycle)
}

fn run_in_chunks<R: Send>(
    options: &Options<'_>,
    chunk: u32,
    cycle: impl Fn(u32) -> Result<R, CycleError> + Sync,
) -> Result<Vec<R>, ExperimentError> {
    let progress = |done| (options.progress)(done, options.cycles);
    let one = |number| named(options.seed, number, &cycle);
    in_order(options.cycles, options.threads, chunk, &progress, one).into_iter().collect()
}

fn named<R>(
    seed: u64,
    number: u32,
    cycle: &impl Fn(u32) -> Result<R, CycleError>,
) -> Result<R, ExperimentError> {
    cycle(number).map_err(|error| match error {
        CycleError::Config(error) => ExperimentError::Config(error),
        CycleError::Law(law) => ExperimentError::Law(BrokenLaw { seed, cycle: number, law }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(cycles: u32, threads: usize) -> Options<'static> {
        Options { seed: 9, cycles, threads, progress: &|_, _| {}, solver: None }
    }

    #[test]
    fn records_come_in_order_whatever_the_threads() {
        for threads in [0, 1, 2, 3, 8] {
            for cycles in [0, 1, 31, 32, 33, 500] {
                let records = run(&options(cycles, threads), |number| Ok(number * 2)).unwrap();
                assert_eq!(records, (0..cycles).map(|number| number * 2).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_first_broken_law_is_named() {
        let cycle = |number| if number % 100 == 70 { Err(CycleError::law("no")) } else { Ok(()) };
        let error = run(&options(1_000, 3), cycle).unwrap_err();
        assert_eq!(error.to_string(), "cycle 70 of seed 9 breaks a law: no");
    }
}
