//! A node of a real cluster that is sold in units: tasks side by side on it, beside an owner's job.

use crate::program::wait_for;
use crate::vo::Vo;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a program says of itself: where it is, with how many processors, from when on, until when.
const PART: &str = "echo $WALRAS_NODE $SLURM_CPUS_ON_NODE $(date +%s%3N); sleep 8; date +%s%3N";

/// Submits a task that takes so many of the four units: GPUs are on that node alone.
fn submit(vo: &Vo, name: &str, units: u32) -> u64 {
    vo.send(&json!({
        "walras": "job/1", "name": name, "tasks": 1, "work": 45, "budget": 5_000, "command": ["sh", "-c", PART],
        "resources": { "cores": 1, "gpus": units },
    }))
}

/// Node, processors, begin and end.
fn told(vo: &Vo, job: u64) -> (String, i64, i64, i64) {
    let output = vo.output(job, 0);
    let words: Vec<&str> = output.split_whitespace().collect();
    let [node, cpus, begun, ended] = words[..] else { panic!("{output}") };
    (node.to_owned(), cpus.parse().unwrap(), begun.parse().unwrap(), ended.parse().unwrap())
}

/// The cores that running jobs have of the node, by name.
fn cores(vo: &Vo) -> Vec<(String, BTreeSet<u32>)> {
    let text = vo.clusters.ask("north", &["scontrol", "-d", "-o", "show", "job"]);
    let of = |line: &str| {
        let value = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key));
        let (name, state, ids) = (value("JobName=")?, value("JobState=")?, value("CPU_IDs=")?);
        let range = |item: &str| {
            let (from, to) = item.split_once('-').unwrap_or((item, item));
            from.parse::<u32>().unwrap()..=to.parse::<u32>().unwrap()
        };
        (state == "RUNNING").then(|| (name.to_owned(), ids.split(',').flat_map(range).collect()))
    };
    text.lines().filter_map(of).collect()
}

#[test]
fn parts_of_a_node_run_side_by_side_beside_its_owners_job() {
    let vo = Vo::in_units(4);
    let output = vo.home.walras(&["serve", "--config", "walras.toml", "--check"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let sold = "sold in parts: n4 in 4 units of 1 cores, 1 gpus, 2 memory_gb";
    assert!(text.contains(sold), "{text}{}", String::from_utf8_lossy(&output.stderr));
    // The owner has a core and a little more than a unit's memory: two units until it ends.
    let owners = [
        "sbatch",
        "-J",
        "owner",
        "-o",
        "/dev/null",
        "-w",
        "n4",
        "-n",
        "1",
        "--mem=2100",
        "-t",
        "4",
        "--wrap",
        "sleep 600",
    ];
    vo.clusters.ask("north", &owners);
    wait_for("the owner's job runs", Duration::from_secs(20), || !cores(&vo).is_empty());
    let (one, two) = (submit(&vo, "one", 1), submit(&vo, "two", 1));
    // Beside the owner's and one of them there is no room for two units more.
    let wide = submit(&vo, "wide", 2);
    let mut beside = 0;
    let begun = std::time::Instant::now();
    while [one, two, wide].iter().any(|job| vo.state(*job) != "done") {
        assert!(
            begun.elapsed() < Duration::from_secs(180),
            "{:?}\n{}",
            [one, two, wide].map(|job| vo.job(job)),
            vo.home.log()
        );
        let running = cores(&vo);
        let all: Vec<u32> = running.iter().flat_map(|(_, cores)| cores).copied().collect();
        let apart: BTreeSet<u32> = all.iter().copied().collect();
        assert!(all.len() == apart.len() && all.len() <= 4, "no core has two: {running:?}");
        let ours = running.iter().filter(|(name, _)| name.starts_with("walras-")).count();
        if running.iter().any(|(name, _)| name == "owner") {
            beside = beside.max(ours);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(beside, 2, "both were there at once, with the owner's job");
    let (one, two, wide) = (told(&vo, one), told(&vo, two), told(&vo, wide));
    for (part, cpus) in [(&one, 1), (&two, 1), (&wide, 2)] {
        assert_eq!((part.0.as_str(), part.1), ("n4", cpus), "{part:?}");
    }
    assert!(one.2 < two.3 && two.2 < one.3, "side by side: {one:?} {two:?}");
    let alone = |other: &(String, i64, i64, i64)| wide.3 <= other.2 || other.3 <= wide.2;
    assert!(alone(&one) && alone(&two), "{wide:?} beside {one:?} and {two:?}");
    vo.clusters.ask("north", &["scancel", "--name=owner"]);
    vo.check_end();
}
