//! Jobs of all kinds, as they should go.

use crate::program::{PROGRAM, lines, wait_for};
use crate::vo::Vo;
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

/// Work for a shell: it says where it is and when, and takes a second.
const HELLO: &str = "echo $WALRAS_NODE $(date +%s%3N) $WALRAS_PEERS; sleep 1";

/// When the parts of a job began, by their own output, in milliseconds.
fn begun(vo: &Vo, job: u64, parts: u32) -> Vec<i64> {
    let moment = |part| vo.output(job, part).split_whitespace().nth(1).unwrap().parse().unwrap();
    (0..parts).map(moment).collect()
}

pub(crate) fn millis(stamp: &Value) -> i64 {
    let text = stamp.as_str().unwrap();
    let output = Command::new("date").args(["-u", "-d", text, "+%s%3N"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

fn amount(value: &Value) -> f64 {
    value.to_string().trim_matches('"').parse().unwrap()
}

/// Every part lies within its window, and something is paid for it, within its budget.
fn check_done(vo: &Vo, job: u64, parts: u32) {
    let view = vo.job(job);
    let (start, finish) = (millis(&view["start"]), millis(&view["finish"]));
    for moment in begun(vo, job, parts) {
        assert!((start - 1..=finish + 1).contains(&moment), "part began at {moment}: {view}");
    }
    assert!(amount(&view["charged"]) > 0.0 && amount(&view["charged"]) <= amount(&view["budget"]), "{view}");
}

/// The owner of the north uses a node for a minute at most, and has planned to use it once more after that; gives when.
fn owners_plan(vo: &Vo) -> i64 {
    for seconds in ["sleep 40", "sleep 5"] {
        let words = ["sbatch", "--exclusive", "-o", "/dev/null", "-w", "n4", "-t", "1", "--wrap", seconds];
        vo.clusters.ask("north", &words);
    }
    let planned =
        || vo.clusters.ask("north", &["squeue", "-h", "-t", "PD", "-o", "%S"]).trim().parse::<i64>();
    wait_for("Slurm has planned the owner's job", Duration::from_secs(30), || planned().is_ok());
    planned().unwrap()
}

/// An array, by a script as Slurm's users write them; gives the job's number.
fn script(vo: &Vo) -> u64 {
    let marks = vo.home.path("elements");
    let text = format!(
        "#!/bin/sh\n#SBATCH --job-name=many --array=1-6 --time=0:05\n#WALRAS budget 3000\n\
         echo \"$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT, $SLURM_JOB_NUM_NODES $SLURM_NTASKS $1\" >>{}\n",
        marks.display()
    );
    std::fs::write(vo.home.path("many.sh"), text).unwrap();
    let mut submit = Command::new(PROGRAM);
    submit.args(["submit", "many.sh", "a b"]).current_dir(vo.home.path("."));
    submit.env("WALRAS_URL", format!("http://{}", vo.service.address)).env("WALRAS_TOKEN", vo.user());
    let said = submit.output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    let number = text.split(|it: char| !it.is_ascii_digit()).find(|it| !it.is_empty());
    number.unwrap_or_else(|| panic!("no number in {text}")).parse().unwrap()
}

/// Twenty windows over three clusters, one of which has Slurm's default settings: when their parts begin.
#[test]
#[ignore = "needs minutes: `make lab-test`"]
fn windows_over_three_clusters_begin_together() {
    let vo = Vo::new();
    let mut skews = Vec::new();
    for round in 0..20 {
        let wide = vo.submit(&format!("wide {round}"), 8, 5, HELLO);
        let view = vo.wait(wide, &["done"], 120);
        assert_eq!(view["sites"].as_array().unwrap().len(), 3, "{view}");
        let moments = begun(&vo, wide, 8);
        skews.push(moments.iter().max().unwrap() - moments.iter().min().unwrap());
    }
    println!("milliseconds between the first and the last of eight parts: {skews:?}");
    assert!(skews.iter().all(|skew| *skew < 2_000), "{skews:?}");
    vo.check_end();
}

/// Thirty jobs of all kinds beside the owner's own, with the service away for a while.
#[test]
fn real_clusters_trade() {
    let mut vo = Vo::new();
    let output = vo.home.walras(&["serve", "--config", "walras.toml", "--check"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("cluster east, 3 of 3 nodes for sale") && text.contains("permitted"), "{text}");
    let planned = owners_plan(&vo);
    // More nodes than any two clusters have: a window over all three.
    let wide = vo.submit("wide", 8, 5, HELLO);
    let pairs: Vec<u64> = (0..3).map(|it| vo.submit(&format!("pair {it}"), 2, 5, HELLO)).collect();
    let flow = vo.send(&json!({
        "walras": "job/1", "name": "flow", "budget": 5_000, "command": ["sh", "-c", "echo $WALRAS_TASK; sleep 1"],
        "workflow": {
            "walras": "workflow/1", "name": "flow",
            "tasks": [{ "name": "first", "work": 5 }, { "name": "left", "work": 5 }, { "name": "last", "work": 5 }],
            "edges": [{ "from": "first", "to": "left" }, { "from": "left", "to": "last" }],
        },
    }));
    let array = script(&vo);
    let singles: Vec<u64> = (0..15).map(|it| vo.submit(&format!("single {it}"), 1, 5, HELLO)).collect();
    let codes: Vec<(u64, i64)> = (7..10)
        .map(|it| (vo.submit(&format!("code {it}"), 1, 5, &format!("echo no; exit {it}")), it))
        .collect();
    let cancelled = vo.submit("cancelled", 1, 5, HELLO);
    vo.cancel(cancelled);
    // The service is away while the wide window begins and ends, and others with it, for longer than the cluster in the east remembers jobs.
    let view = vo.wait(wide, &["reserved"], 90);
    while now() < millis(&view["start"]) - 2_000 {
        std::thread::sleep(Duration::from_millis(50));
    }
    vo.restart(Duration::from_secs(15));
    let view = vo.wait(wide, &["done"], 90);
    assert_eq!(view["sites"].as_array().unwrap().len(), 3, "{view}");
    check_done(&vo, wide, 8);
    let told = vo.output(wide, 0);
    assert_eq!(told.split_whitespace().skip(2).filter(|it| it.contains('/')).count(), 8, "{told}");
    let moments = begun(&vo, wide, 8);
    let skew = moments.iter().max().unwrap() - moments.iter().min().unwrap();
    println!("{skew} ms between the first and the last of eight parts on three clusters");
    // Far less on a quiet machine (docs/performance.md); without the common moment it would be seconds.
    assert!(skew < 2_000, "{skew} ms between the first and the last of {moments:?}");
    for job in &singles {
        vo.wait(*job, &["done"], 150);
        check_done(&vo, *job, 1);
    }
    for job in &pairs {
        vo.wait(*job, &["done"], 90);
        check_done(&vo, *job, 2);
    }
    for (job, code) in codes {
        let failed = vo.wait(job, &["failed"], 90);
        assert_eq!((&failed["parts"][0]["exit_code"], vo.output(job, 0).as_str()), (&json!(code), "no\n"));
    }
    vo.wait(flow, &["done"], 90);
    assert_eq!((0..3).map(|part| vo.output(flow, part)).collect::<String>(), "first\nleft\nlast\n");
    vo.wait(array, &["done"], 120);
    let mut elements = lines(&vo.home.path("elements"));
    elements.sort();
    let expected: Vec<String> = (1..=6).map(|it| format!("{it} of 6, 1 1 a b")).collect();
    assert_eq!(elements, expected);
    assert_eq!(vo.state(cancelled), "cancelled");
    // Nothing of ours was in the owner's way.
    let after = vo.clusters.ask("north", &["squeue", "-h", "-a", "-t", "all", "-o", "%j %S"]);
    let own: Vec<i64> = after.lines().filter_map(|it| it.strip_prefix("wrap ")?.parse().ok()).collect();
    assert!(own.iter().max().unwrap() <= &(planned + 1), "planned at {planned}, started at {own:?}");
    vo.check_end();
}

pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}
