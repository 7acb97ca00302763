//! Captured output of Slurm 22.05, and the shapes of 24.11 where they differ.

use super::*;
use crate::slurm::amount::Used;
use crate::slurm::settings::settings;
use proptest::prelude::*;

const NODES_22: &[u8] = include_bytes!("fixtures/nodes-22.05.txt");
const NODES_24: &[u8] = include_bytes!("fixtures/nodes-24.11.txt");
const JOBS_22: &[u8] = include_bytes!("fixtures/jobs-22.05.txt");
const RESERVATIONS_22: &[u8] = include_bytes!("fixtures/reservations-22.05.txt");
const RESERVATIONS_24: &[u8] = include_bytes!("fixtures/reservations-24.11.txt");
const JOBS_WITH_USES_22: &[u8] = include_bytes!("fixtures/jobs-with-uses-22.05.txt");
const JOBS_WITH_USES_24: &[u8] = include_bytes!("fixtures/jobs-with-uses-24.11.txt");
const RESERVED_CORES_22: &[u8] = include_bytes!("fixtures/reservations-of-cores-22.05.txt");
const RESERVED_CORES_24: &[u8] = include_bytes!("fixtures/reservations-of-cores-24.11.txt");
const SETTINGS_22: &[u8] = include_bytes!("fixtures/settings-22.05.txt");

fn names<T>(parsed: &Parsed<T>, name: impl Fn(&T) -> String) -> Vec<String> {
    parsed.items.iter().map(name).collect()
}

#[test]
fn nodes_are_read() {
    let parsed = nodes(NODES_22);
    assert_eq!(names(&parsed, |node| node.name.clone()), ["n1", "n2", "n3", "n4"]);
    let fast = &parsed.items[2];
    assert_eq!((fast.processors, fast.memory, fast.weight, fast.gpus), (Some(2), Some(1_000), 20, 0));
    assert_eq!(fast.features, ["performance=2.0", "price=3"]);
    assert_eq!(fast.partitions, ["all", "fast"]);
    let usable: Vec<bool> = parsed.items.iter().map(|node| node.usable).collect();
    // Idle, allocated, drained, not responding.
    assert_eq!(usable, [true, true, false, false], "{:?}", names(&parsed, |node| node.state.clone()));
    let later = nodes(NODES_24);
    assert_eq!((later.items[0].gpus, later.items[0].usable), (4, true));
    assert_eq!(later.items[0].features, ["a100", "performance=3"]);
    assert!(!later.items[1].usable, "a state that nobody knows is not sold");
    assert_eq!(later.left_out, ["g3: no state"]);
}

#[test]
fn states_that_are_not_known_are_not_usable() {
    for state in ["IDLE", "MIXED+PLANNED", "ALLOCATED+COMPLETING", "RESERVED", "IDLE+RESERVED"] {
        assert!(is_usable(state), "{state}");
    }
    for state in
        ["DOWN*", "IDLE*", "IDLE+DRAIN", "IDLE+CLOUD+POWERED_DOWN", "FUTURE", "", "IDLE+", "IDLE+MAINT"]
    {
        assert!(!is_usable(state), "{state}");
    }
    for (state, down, unknown) in
        [("DOWN*", true, false), ("IDLE", false, false), ("UNKNOWN", false, true), ("UNKNOWN*", false, true)]
    {
        assert_eq!((is_down(state), is_unknown(state)), (down, unknown), "{state}");
    }
}

#[test]
fn jobs_are_read() {
    let parsed = jobs(JOBS_22);
    let of = |id: &str| parsed.items.iter().find(|job| job.id == id).unwrap();
    assert_eq!((of("2").state, of("2").end), (JobState::Active, Some(1_794_835_687)));
    assert_eq!(of("2").nodes, ["n2"]);
    assert_eq!((of("3").state, of("3").start), (JobState::Pending, Some(1_794_835_687)));
    assert_eq!(of("3").nodes, ["n2"]);
    assert_eq!((of("1").start, of("1").reservation.as_deref()), (None, Some("walras-x-1-0")));
    assert_eq!((of("4").state, of("4").end), (JobState::Active, None));
    assert_eq!(of("4").nodes, ["n1", "n3", "n4"]);
    assert_eq!(of("5").state, JobState::Stopped);
    // The second line of a name is no job.
    assert_eq!(of("1").name, "a");
    assert_eq!(parsed.left_out, ["b|c: no job"]);
    assert_eq!(parsed.blocked, None);
}

#[test]
fn reservations_are_read() {
    let parsed = reservations(RESERVATIONS_22);
    let first = &parsed.items[0];
    assert_eq!((first.name.as_str(), first.start, first.end), ("walras-x-1-0", 1_794_835_686, 1_794_835_716));
    assert_eq!((first.nodes.clone(), first.overlaps), (vec!["n1".to_owned()], false));
    assert_eq!(parsed.items[1].nodes, ["n2", "n3"]);
    assert!(parsed.items[1].overlaps);
    // One of licences alone has no nodes.
    assert_eq!((parsed.items.len(), parsed.blocked), (2, None));
    assert_eq!(reservations(b"No reservations in the system\n"), Parsed::default());
    assert_eq!(reservations(RESERVATIONS_24).items.len(), 1);
}

/// Of 24.11 the shapes are those of its sources: GPUs are written otherwise, and stand among what a job has where they are accounted for.
#[test]
fn what_jobs_have_of_nodes_is_read() {
    for bytes in [JOBS_WITH_USES_22, JOBS_WITH_USES_24] {
        let parsed = jobs_with_uses(bytes);
        let of = |name: &str| parsed.items.iter().find(|job| job.name == name).unwrap();
        let part = |cpus, memory_mib, gpus| Takes::Part(Used { cpus, memory_mib, gpus });
        assert_eq!((of("a|b").takes, of("a|b").nodes.len()), (part(1, 1_500, 1), 1));
        assert_eq!(of("wide").takes, Takes::AtMost(Used { cpus: 2, memory_mib: 300, gpus: 0 }));
        assert_eq!((of("alone").takes, of("next").takes), (Takes::Whole, Takes::Whole));
        assert_eq!((of("planned").takes, of("planned").start), (part(1, 900, 0), Some(1_795_119_167)));
        assert_eq!((of("gpus").takes, of("gpus-per-task").takes), (part(1, 100, 4), part(2, 200, 2)));
        assert_eq!((of("held").start, parsed.blocked.clone(), parsed.left_out.len()), (None, None, 0));
    }
    // Columns that another version leaves out are not guessed.
    assert!(jobs_with_uses(b"7|RUNNING|1|2|n1|(null)|(null)|1|1\n").blocked.is_some());
}

#[test]
fn cores_that_are_reserved_are_read() {
    for bytes in [RESERVED_CORES_22, RESERVED_CORES_24] {
        let parsed = reservations(bytes);
        let cores = |place: usize, node: &str| {
            let it = &parsed.items[place];
            (it.reserved.cores, it.reserved.cores_of(node, it.nodes.len()))
        };
        assert_eq!(cores(0, "n4"), (Some(2), Some(2)));
        assert_eq!((cores(1, "n3"), cores(1, "n4")), ((Some(2), Some(1)), (Some(2), Some(1))));
        assert_eq!(cores(2, "n4"), (Some(6), None), "a whole node's are not named");
    }
}

#[test]
fn settings_are_read() {
    let read = settings(SETTINGS_22);
    assert_eq!(read.cluster.as_deref(), Some("north"));
    assert_eq!(read.version.as_deref(), Some("22.05.8"));
    assert_eq!((read.backfill_window, read.backfill_every), (86_400, 1));
    assert_eq!(settings(b"").backfill_every, 30);
    assert_eq!((read.counts_memory(), read.gives_no_cores()), (false, None));
    let with = |plugin: &str, how: &str| {
        settings(format!("SelectType = {plugin}\nSelectTypeParameters = {how}\n").as_bytes())
    };
    assert!(with("select/cons_tres", "CR_CORE_MEMORY,CR_ONE_TASK_PER_CORE").counts_memory());
    let linear = with("select/linear", "CR_MEMORY").gives_no_cores().unwrap();
    assert!(
        linear.starts_with("the cluster gives out whole nodes (SelectType=select/linear): expected"),
        "{linear}"
    );
    for how in ["CR_SOCKET_MEMORY", "CR_MEMORY"] {
        assert!(with("select/cons_tres", how).gives_no_cores().unwrap().contains(how), "{how}");
    }
    for (plugin, how) in [("", ""), ("select/cons_tres", "NONE")] {
        assert!(with(plugin, how).gives_no_cores().is_some());
    }
}

#[test]
fn what_takes_time_and_is_not_understood_keeps_everything_from_being_sold() {
    let endless = b"7|RUNNING|1|2|n[1-2000000]|(null)|(null)|x\n";
    assert_eq!(jobs(endless).blocked.as_deref(), Some("job 7: more than 1000000 hosts"));
    assert!(jobs(b"7|RUNNING|1|2|n1\xff|(null)|(null)|x\n").blocked.is_some());
    assert_eq!(jobs(b"7|RUNNING|1|2|n1").blocked.as_deref(), Some("7|RUNNING|1|2|n1: not all of a job"));
    let moved = b"ReservationName=r StartTime=soon EndTime=2 Nodes=n1\n";
    assert_eq!(reservations(moved).blocked.as_deref(), Some("r: no start or end"));
    assert!(reservations(b"ReservationName=r StartTime=1 EndTime=2 Nodes=n[1\n").blocked.is_some());
    assert!(reservations(b"something else\n").blocked.is_some());
}

#[test]
fn gpus_are_counted() {
    for (gres, count) in [
        ("(null)", 0),
        ("gpu:4", 4),
        ("gpu:a100:4(S:0-1)", 4),
        ("gpu:2,gpu:v100:1", 3),
        ("gpu", 1),
        ("tmpdisk:4", 0),
    ] {
        assert_eq!(gpus(gres), count, "{gres}");
    }
}

/// Captured output with a piece of it replaced by anything.
fn broken(fixture: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let piece = (0..=fixture.len(), 0_usize..80, proptest::collection::vec(any::<u8>(), 0..20));
    piece.prop_map(move |(from, long, with)| {
        let to = (from + long).min(fixture.len());
        [&fixture[..from], &with, &fixture[to..]].concat()
    })
}

proptest! {
    #[test]
    fn anything_is_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        nodes(&bytes);
        jobs(&bytes);
        jobs_with_uses(&bytes);
        reservations(&bytes);
        settings(&bytes);
    }

    #[test]
    fn broken_output_is_answered(
        node in broken(NODES_22), job in broken(JOBS_22), use_ in broken(JOBS_WITH_USES_22), reservation in broken(RESERVATIONS_22), setting in broken(SETTINGS_22)
    ) {
        prop_assert!(nodes(&node).items.iter().all(|node| is_plain(&node.name)));
        prop_assert!(jobs(&job).left_out.len() <= NAMED_MAX);
        prop_assert!(jobs_with_uses(&use_).left_out.len() <= NAMED_MAX);
        prop_assert!(reservations(&reservation).left_out.iter().all(|it| !it.chars().any(char::is_control)));
        prop_assert!(settings(&setting).backfill_every > 0);
    }
}
