//! A snapshot and the entries after it come to the same broker as all entries do.

#![allow(clippy::unwrap_used, reason = "a test binary")]

use proptest::prelude::*;
use walras_broker::Broker;
use walras_broker::journal::Entry;
use walras_service::journal::chain::Chain;
use walras_service::journal::snapshot::Snapshots;
use walras_world::{Settings, live};

fn fold(broker: &mut Broker, entries: &[Entry]) {
    for entry in entries {
        broker.restore(entry);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_snapshot_anywhere_changes_nothing(
        seed in 1_u64..1_000_000,
        waits: bool,
        shares in prop::collection::vec(0_usize..=1_000, 1..4),
    ) {
        let entries = live(&Settings { seed, waits, ..Settings::default() }).journal;
        let mut places: Vec<usize> = shares.iter().map(|share| entries.len() * share / 1_000).collect();
        places.sort_unstable();
        let mut whole = Broker::default();
        fold(&mut whole, &entries);
        // One life after another, each from the snapshot of the one before.
        let directory = tempfile::tempdir().unwrap();
        let snapshots = Snapshots::open(directory.path()).unwrap();
        let (mut broker, mut done) = (Broker::default(), 0);
        for place in places {
            fold(&mut broker, &entries[done..place]);
            snapshots.save(u64::try_from(place).unwrap(), Chain::default(), broker.state()).unwrap();
            let (position, state) = snapshots.newest(|_| Ok(Chain::default())).unwrap().unwrap();
            prop_assert_eq!(usize::try_from(position).unwrap(), place);
            let again = Broker::from_state(state);
            prop_assert!(again.state() == broker.state(), "the state is another after entry {}", place);
            (broker, done) = (again, place);
        }
        fold(&mut broker, &entries[done..]);
        prop_assert!(broker.state() == whole.state(), "the state is another in the end");
        prop_assert_eq!(broker.outstanding(), whole.outstanding());
        prop_assert_eq!(broker.next_timer(), whole.next_timer());
    }
}
