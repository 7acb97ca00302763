//! The same seed gives the same bytes, whatever else changes.

use crate::run;
use std::sync::atomic::{AtomicU32, Ordering};
use walras_sim::experiment::{Experiment, Options};
use walras_sim::report;

#[test]
fn results_do_not_depend_on_threads() {
    for (experiment, cycles) in [(Experiment::SlotSearch, 130), (Experiment::BatchOptimisation, 70)] {
        let one = report::files(&run(experiment, 5, cycles, 1)).unwrap();
        for threads in [2, 3] {
            assert_eq!(one, report::files(&run(experiment, 5, cycles, threads)).unwrap());
        }
        assert_ne!(one, report::files(&run(experiment, 6, cycles, 2)).unwrap());
    }
}

#[test]
fn a_cycle_does_not_depend_on_how_many_there_are() {
    let times = |cycles| run(Experiment::SlotSearch, 8, cycles, 2).results.series[0].y.clone();
    let (short, long) = (times(50), times(120));
    assert!(short.len() > 5 && long.len() > short.len());
    assert_eq!(short, long[..short.len()]);
}

#[test]
fn progress_reaches_the_end() {
    let (calls, most) = (AtomicU32::new(0), AtomicU32::new(0));
    let progress = |done: u32, total: u32| {
        assert_eq!(total, 70);
        calls.fetch_add(1, Ordering::Relaxed);
        most.fetch_max(done, Ordering::Relaxed);
    };
    let options =
        Options { seed: 1, cycles: 70, threads: 2, progress: &progress, solver: walras_solve::solver().ok() };
    Experiment::SlotSearch.run(None, &options).unwrap();
    assert_eq!((calls.into_inner(), most.into_inner()), (3, 70));
}
