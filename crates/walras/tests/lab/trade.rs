//! Jobs of all kinds, as they should go.

use crate::program::wait_for;
use crate::vo::Vo;
use serde_json::{Value, json};
use std::time::Duration;

/// Work for a shell: it says where it is and when, and takes a second.
const HELLO: &str = "echo $WALRAS_NODE $(date +%s%3N); sleep 1";

/// When the parts of a job began, by their own output, in milliseconds.
fn begun(vo: &Vo, job: u64, parts: u32) -> Vec<i64> {
    let moment = |part| vo.output(job, part).split_whitespace().nth(1).unwrap().parse().unwrap();
    (0..parts).map(moment).collect()
}

fn millis(stamp: &Value) -> i64 {
    let text = stamp.as_str().unwrap();
    let output = std::process::Command::new("date").args(["-u", "-d", text, "+%s%3N"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// Every part lies within its window, and the bill is no more than what was planned.
fn check_done(vo: &Vo, job: u64, parts: u32) {
    let view = vo.job(job);
    let (start, finish) = (millis(&view["start"]), millis(&view["finish"]));
    for moment in begun(vo, job, parts) {
        assert!((start - 1..=finish + 1).contains(&moment), "part began at {moment}: {view}");
    }
    let charged: f64 = view["charged"].to_string().trim_matches('"').parse().unwrap();
    assert!(charged > 0.0, "{view}");
}

#[test]
#[ignore = "needs three Slurm clusters: `make lab-test`"]
fn real_clusters_trade() {
    let checked = |vo: &Vo| {
        let output = vo.place.walras(&["serve", "--config", "walras.toml", "--check"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("cluster east, 3 of 3 nodes for sale") && text.contains("permitted"), "{text}");
    };
    let mut vo = Vo::new();
    checked(&vo);
    // The owner's own: a node of north is busy for a minute, and a job is planned behind it.
    vo.clusters.ask(
        "north",
        &["sbatch", "--exclusive", "-o", "/dev/null", "-w", "n4", "-t", "1", "--wrap", "sleep 40"],
    );
    vo.clusters.ask(
        "north",
        &["sbatch", "--exclusive", "-o", "/dev/null", "-w", "n4", "-t", "1", "--wrap", "sleep 5"],
    );
    let planned =
        || vo.clusters.ask("north", &["squeue", "-h", "-t", "PD", "-o", "%S"]).trim().parse::<i64>();
    wait_for("Slurm has planned the owner's job", Duration::from_secs(30), || planned().is_ok());
    let planned = planned().unwrap();
    let singles: Vec<u64> = (0..4).map(|it| vo.submit(&format!("single {it}"), 1, 6, HELLO)).collect();
    let wrong = vo.submit("wrong", 1, 6, "echo no; exit 7");
    let flow = vo.send(&json!({
        "walras": "job/1", "name": "flow", "budget": 5_000, "command": ["sh", "-c", "echo $WALRAS_TASK; sleep 1"],
        "workflow": {
            "walras": "workflow/1", "name": "flow",
            "tasks": [{ "name": "first", "work": 6 }, { "name": "left", "work": 6 }, { "name": "last", "work": 6 }],
            "edges": [{ "from": "first", "to": "left" }, { "from": "left", "to": "last" }],
        },
    }));
    // More nodes than any two clusters have: a window over all three.
    let wide = vo.submit("wide", 8, 6, HELLO);
    for job in &singles {
        vo.wait(*job, &["done"], 90);
        check_done(&vo, *job, 1);
    }
    let failed = vo.wait(wrong, &["failed"], 60);
    assert_eq!(failed["parts"][0]["exit_code"], 7, "{failed}");
    assert_eq!(vo.output(wrong, 0), "no\n");
    // The service is away while the wide window begins and ends, for longer than the cluster in the east remembers jobs.
    vo.wait(wide, &["reserved"], 90);
    vo.wait(flow, &["done"], 90);
    assert_eq!((0..3).map(|part| vo.output(flow, part)).collect::<String>(), "first\nleft\nlast\n");
    let view = vo.job(wide);
    let sent = millis(&view["start"]) - 2_000;
    while now() < sent {
        std::thread::sleep(Duration::from_millis(50));
    }
    vo.restart(Duration::from_secs(20));
    let view = vo.wait(wide, &["done"], 60);
    assert_eq!(view["sites"].as_array().unwrap().len(), 3, "{view}");
    let begun = begun(&vo, wide, 8);
    let skew = begun.iter().max().unwrap() - begun.iter().min().unwrap();
    // Far less on a quiet machine (docs/performance.md); without the common moment it would be seconds.
    assert!(skew < 2_000, "{skew} ms between the first and the last of {begun:?}");
    check_done(&vo, wide, 8);
    let after = vo.clusters.ask("north", &["squeue", "-h", "-a", "-t", "all", "-o", "%j %S"]);
    let own: Vec<i64> = after.lines().filter_map(|it| it.strip_prefix("wrap ")?.parse().ok()).collect();
    assert!(own.iter().max().unwrap() <= &(planned + 1), "planned at {planned}, started at {own:?}");
    vo.check_end();
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}
