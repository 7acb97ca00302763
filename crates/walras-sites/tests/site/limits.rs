//! A part is kept within its share of the node, and ended as a whole: real programs, in control groups. A machine that has none is asked to say so.

use crate::bench::{Bench, Options, command, hold, local, now, number};
use crate::isolation::{turn, ways};
use crate::process::{line, runs};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use walras_broker::used::Used;
use walras_model::Span;
use walras_sites::local::{Groups, LimitDemand, LocalOptions, NodeLimits, Supply};
use walras_sites::{Hold, PartEnd, Program, SiteMessage};

const MIB: u64 = 1 << 20;

fn shared(whole: u64) -> Option<Supply> {
    Some(Supply { whole, is_shared: true })
}

/// A node in four units, with so much of everything.
fn quartered(memory: Option<u64>, millicores: Option<u64>, processes: u64) -> NodeLimits {
    let (memory, millicores) = (memory.and_then(shared), millicores.and_then(shared));
    NodeLimits { units: 4, memory, millicores, processes: shared(processes) }
}

fn limited(node: NodeLimits) -> LocalOptions {
    LocalOptions {
        units: vec![4, 4],
        node_limits: vec![node; 2],
        limit_demand: LimitDemand::Required,
        ..local()
    }
}

/// Whether the machine gives limits; one that does not says so.
fn are_there() -> bool {
    let directory = tempfile::tempdir().unwrap();
    let found = Groups::probe(LimitDemand::Preferred, None, directory.path()).unwrap();
    match Groups::probe(LimitDemand::Required, None, directory.path()) {
        Ok(required) => {
            assert!(required == found && found.are_there());
            assert!(found.to_string().starts_with("memory, processors, processes of a job"), "{found}");
            true
        }
        Err(refused) => {
            assert_eq!(refused.to_string(), format!("local.limits: {found}"));
            assert!(found.to_string().contains("none") || found.to_string().contains("not"), "{found}");
            false
        }
    }
}

/// The directories of the control group of a part.
fn group(bench: &Bench, reservation: u64) -> Vec<PathBuf> {
    let task = bench.data.path().join(format!("site/{reservation}/0/task.json"));
    let task: serde_json::Value = serde_json::from_slice(&std::fs::read(task).unwrap()).unwrap();
    let places = task["group"]["places"].as_array().unwrap();
    places.iter().map(|place| place["directory"].as_str().unwrap().into()).collect()
}

/// Everything of it is gone, and what all groups of the site are in where it was the last.
fn assert_gone(directories: &[PathBuf], is_last: bool) {
    assert!(!directories.is_empty());
    for directory in directories {
        assert!(!directory.exists(), "{}", directory.display());
        assert!(!is_last || !directory.parent().unwrap().exists(), "{}", directory.display());
    }
}

fn quarter(from: u32) -> Hold {
    hold(from, now(), 60_000)
}

fn script(text: &str) -> Program {
    command(&["sh", "-c", text])
}

fn python(text: &str) -> Program {
    command(&["python3", "-c", text])
}

/// Uses memory until there is none, and never more than 600 MB of it.
const HOG: &str = "ulimit -v 600000; tail /dev/zero";

#[test]
fn who_uses_too_much_memory_is_ended_and_told_so_and_a_neighbour_is_not() {
    if !are_there() {
        return;
    }
    let mut bench = Bench::local(limited(quartered(Some(128 * MIB), None, 400)));
    // On the same node.
    bench.book(number(1), &[quarter(0)]);
    bench.start(number(1), 1, &bench.gated("calm"));
    for (reservation, text) in [
        (2, HOG.to_owned()),
        // What a script goes on to do after its program was ended is not waited for.
        (3, format!("({HOG}); sleep 50")),
        (4, format!("({HOG}) || true")),
    ] {
        bench.book(number(reservation), &[quarter(0)]);
        let begun = Instant::now();
        let said = bench.start(number(reservation), 1, &script(&text));
        assert_eq!(bench.wait_end(said, 0), PartEnd::OutOfMemory { limit: 32 * MIB }, "{text}");
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert_gone(&group(&bench, reservation), false);
    }
    bench.open_gate();
    let said = bench.wait(Vec::new(), |it| matches!(it, SiteMessage::Ended { .. }));
    let calm = said.iter().any(|it| {
        matches!(it, SiteMessage::Ended { reservation, end: PartEnd::Done, .. } if *reservation == number(1))
    });
    assert!(calm, "{said:?}");
    assert_gone(&group(&bench, 1), true);
}

#[test]
fn memory_is_limited_however_users_are_kept_apart() {
    if !are_there() {
        return;
    }
    let _turn = turn();
    for options in ways() {
        let node = quartered(Some(256 * MIB), None, 400);
        let way = format!("{:?}, {:?}", options.accounts, options.isolation);
        let options = LocalOptions { units: vec![4, 4], node_limits: vec![node; 2], ..options };
        let mut bench = Bench::local(options);
        assert_eq!(bench.run(1, &script("echo fine")), PartEnd::Done);
        assert_eq!(bench.run(2, &script(HOG)), PartEnd::OutOfMemory { limit: 64 * MIB }, "{way}");
        // Nobody leaves its group.
        let leaves = r#"for file in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs); do echo $$ > $file; done 2> /dev/null
            grep -c walras- /proc/self/cgroup"#;
        assert_eq!(bench.run(3, &script(leaves)), PartEnd::Done, "{way}");
        assert_eq!(bench.printed(3).trim(), group(&bench, 3).len().to_string(), "{way}");
    }
}

#[test]
fn a_part_starts_only_so_many_processes() {
    if !are_there() {
        return;
    }
    let mut bench = Bench::local(limited(quartered(None, None, 160)));
    let text = "import os, time\nstarted = []\nfor _ in range(200):\n    try:\n        pid = os.fork()\n    except OSError:\n        break\n    \
                if pid == 0:\n        time.sleep(50)\n        os._exit(0)\n    started.append(pid)\nprint(len(started), *started)\n";
    assert_eq!(bench.run(1, &python(text)), PartEnd::Done);
    let printed = bench.printed(1);
    let numbers: Vec<i32> = printed.split_whitespace().map(|it| it.parse().unwrap()).collect();
    // It itself is the fortieth.
    assert_eq!(numbers.first(), Some(&39), "{printed}");
    assert!(!numbers.iter().skip(1).any(|pid| runs(&pid.to_string())));
    assert_gone(&group(&bench, 1), true);
}

#[test]
fn processors_are_shared_out_and_what_was_used_is_written_down() {
    if !are_there() {
        return;
    }
    let mut bench = Bench::local(limited(quartered(None, Some(800), 400)));
    // Two that would take a processor each, for a second and a half.
    let text = "import os, resource, time\nfor _ in range(2):\n    if os.fork() == 0:\n        end = time.monotonic() + 1.5\n        \
                while time.monotonic() < end:\n            pass\n        os._exit(0)\nos.wait(); os.wait()\n\
                used = resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(int(1000 * (used.ru_utime + used.ru_stime)))\n";
    bench.book(number(1), &[quarter(0)]);
    let said = bench.start(number(1), 1, &python(text));
    let said = bench.wait(said, |it| matches!(it, SiteMessage::Ended { .. }));
    let told = said.iter().find_map(|it| match it {
        SiteMessage::Ended { end: PartEnd::Done, used, .. } => *used,
        _ => None,
    });
    let millis: u64 = bench.printed(1).trim().parse().unwrap();
    // A fifth of one, of which there is a little at the start and at the end.
    assert!((50..600).contains(&millis), "{millis} ms");
    let ended = std::fs::read(bench.data.path().join("site/1/0/ended.json")).unwrap();
    let ended: serde_json::Value = serde_json::from_slice(&ended).unwrap();
    assert!(ended["used"]["cpu_ms"].as_u64().unwrap() >= millis, "{ended} {millis}");
    assert!(ended["used"]["memory_peak"].as_u64().unwrap() > 1_000_000, "{ended}");
    // The broker hears the same.
    let processor = Span::from_millis(ended["used"]["cpu_ms"].as_i64().unwrap());
    assert_eq!(told, Some(Used { processor, memory: ended["used"]["memory_peak"].as_u64() }));
}

/// A program that leaves something behind that has another session, no environment and no parent; it writes the numbers of both down.
fn leaves_something(bench: &Bench) -> Program {
    let text = r#"env -i setsid -f sh -c 'echo $$ > "$0.left"; exec sleep 300' "$0"
        while [ ! -s "$0.left" ]; do sleep 0.02; done; echo $PPID > "$0.supervisor"; exec sleep 300"#;
    command(&["sh", "-c", text, bench.data.path().join("pid").to_str().unwrap()])
}

fn pid(bench: &Bench, of: &str) -> String {
    line(&bench.data.path().join(format!("pid.{of}")))
}

fn kill(pid: &str) {
    assert!(Command::new("kill").args(["-9", pid]).status().unwrap().success());
}

#[test]
fn what_leaves_its_session_and_forgets_its_home_ends_with_the_part() {
    if !are_there() {
        return;
    }
    let mut bench = Bench::local(local());
    for supervisor_is_killed in [false, true] {
        let reservation = 1 + u64::from(supervisor_is_killed);
        for of in ["left", "supervisor"] {
            let _ = std::fs::remove_file(bench.data.path().join(format!("pid.{of}")));
        }
        bench.book(number(reservation), &[quarter(0)]);
        let said = bench.start(number(reservation), 1, &leaves_something(&bench));
        let (supervisor, left) = (pid(&bench, "supervisor"), pid(&bench, "left"));
        assert!(runs(&left));
        if supervisor_is_killed {
            kill(&supervisor);
            assert_eq!(bench.wait_end(said, 0), PartEnd::Vanished);
        }
        bench.cancel(number(reservation));
        assert!(!runs(&left), "supervisor killed: {supervisor_is_killed}");
        assert_gone(&group(&bench, reservation), true);
    }
}

/// The service and the supervisor are killed; what is there afterwards is found by its group, also where nobody knows of it any more.
#[test]
fn groups_are_found_again_after_a_restart() {
    if !are_there() {
        return;
    }
    for is_known in [true, false] {
        let mut bench = Bench::local(local());
        let before = bench.back_up();
        bench.book(number(7), &[quarter(0)]);
        bench.start(number(7), 1, &leaves_something(&bench));
        let (supervisor, left) = (pid(&bench, "supervisor"), pid(&bench, "left"));
        // A service that comes while a part runs leaves it alone.
        bench.reopen();
        bench.site.poll(now()).unwrap();
        assert!(runs(&supervisor) && runs(&left));
        let directories = group(&bench, 7);
        assert!(directories.iter().all(|directory| directory.exists()));
        kill(&supervisor);
        if is_known {
            bench.reopen();
            bench.wait(Vec::new(), |it| matches!(it, SiteMessage::Ended { end: PartEnd::Vanished, .. }));
        } else {
            bench.put_back(before);
            bench.poll_until(|| !runs(&left));
        }
        assert!(!runs(&left));
        assert_gone(&directories, true);
    }
}

#[test]
fn where_no_limits_are_wanted_there_are_no_groups() {
    let mut bench = Bench::local(LocalOptions { limit_demand: LimitDemand::Off, ..local() });
    assert_eq!(bench.run(1, &script("cat /proc/self/cgroup")), PartEnd::Done);
    assert!(!bench.printed(1).contains("walras-"), "{}", bench.printed(1));
    let Options::Local(options) = bench.options.clone() else { panic!("a local site") };
    let nowhere = LocalOptions { cgroup: Some(Path::new("/no/such/group").into()), ..options };
    let nowhere = LocalOptions { limit_demand: LimitDemand::Preferred, ..nowhere };
    // As far as the machine can: what it cannot is no reason not to run.
    let mut bench = Bench::local(nowhere.clone());
    assert_eq!(bench.run(1, &script("exit 5")), PartEnd::Failed(5));
    let refused =
        Groups::probe(LimitDemand::Required, nowhere.cgroup.as_deref(), bench.data.path()).unwrap_err();
    assert!(refused.to_string().starts_with("local.limits: none"), "{refused}");
}
