//! Worlds in which history is learnt: what is said of jobs is judged, and touches no promise.

#![allow(clippy::unwrap_used, reason = "a test binary")]

use walras_broker::Broker;
use walras_world::{Settings, live};

/// The checks of a world see every promise, every bill and, through the auditor, the whole journal.
#[test]
fn what_is_said_of_jobs_is_judged_and_no_promise_hangs_on_it() {
    let (mut said, mut waits) = (0, 0);
    for seed in 1..=12 {
        let outcome = live(&Settings { seed, ..Settings::default() });
        assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}");
        let state = outcome.broker.state();
        for calibration in [state.history.calibration(), state.waits.calibration()] {
            assert!(calibration.likely_held <= calibration.announced, "seed {seed}: {calibration:?}");
            assert!(calibration.bound_held <= calibration.bounded, "seed {seed}: {calibration:?}");
        }
        said += state.history.calibration().announced;
        waits += state.waits.calibration().announced;
        // Whoever replays the journal knows the same.
        let mut again = Broker::default();
        outcome.journal.iter().for_each(|entry| again.restore(entry));
        assert_eq!(again.state().history, state.history, "seed {seed}");
        assert_eq!(again.state().waits, state.waits, "seed {seed}");
    }
    assert!(said > 20 && waits > 20, "{said} run times and {waits} waits were judged");
}
