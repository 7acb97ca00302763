//! The world finds mistakes: each deliberate one breaks a promise within the seeds of `make test`.

use std::panic::catch_unwind;
use walras_broker::sabotage::{Sabotage, commit};
use walras_world::{Settings, live};

/// The seeds that `make test` lives through.
const SEEDS: u64 = 1_000;

/// The first seed that finds a mistake, and what it says.
fn found(mistake: Sabotage) -> Option<(u64, String)> {
    (1..=SEEDS).find_map(|seed| {
        let lived = catch_unwind(|| {
            commit(Some(mistake));
            let outcome = live(&Settings { seed, ..Settings::default() });
            commit(None);
            outcome.wrong
        });
        commit(None);
        match lived {
            Ok(wrong) => wrong.first().map(|wrong| (seed, wrong.clone())),
            Err(_) => Some((seed, "an assertion of the broker's own".to_owned())),
        }
    })
}

#[test]
fn every_deliberate_mistake_is_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut missed = Vec::new();
    for mistake in Sabotage::ALL {
        match found(mistake) {
            Some((seed, wrong)) => println!("{mistake:?}: seed {seed}: {wrong}"),
            None => missed.push(mistake),
        }
    }
    let _ = std::panic::take_hook();
    assert_eq!(missed, []);
}
