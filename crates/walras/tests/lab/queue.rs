//! Clusters on which nothing is reserved: jobs wait in Slurm's own queues.

use crate::clusters::ALL;
use crate::program::{lines, wait_for};
use crate::vo::Vo;
use serde_json::json;
use std::time::Duration;

#[test]
fn jobs_wait_in_the_clusters_own_queues() {
    let mut vo = Vo::of_queues();
    let output = vo.home.walras(&["serve", "--config", "walras.toml", "--check"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("cluster east") && text.contains("jobs wait in Slurm's own queue"), "{text}");
    // Owners use the south and the north for a while: whoever wants to begin soon goes to the east.
    for (cluster, nodes) in [("north", "4"), ("south", "3")] {
        let words =
            ["sbatch", "--exclusive", "-o", "/dev/null", "-N", nodes, "-t", "1", "--wrap", "sleep 25"];
        vo.clusters.ask(cluster, &words);
    }
    let marks = vo.home.path("marks");
    let script = |name: &str, seconds: u32| {
        format!("echo {name} >> {}; echo $WALRAS_NODE $(date +%s%3N); sleep {seconds}", marks.display())
    };
    let count = |name: &str| lines(&marks).iter().filter(|line| *line == name).count();
    let pair = vo.submit("pair", 2, 5, &script("pair", 2));
    let code = vo.submit("code", 1, 5, &format!("{}; exit 7", script("code", 1)));
    let singles: Vec<u64> =
        (0..4).map(|it| vo.submit(&format!("single {it}"), 1, 5, &script("single", 1))).collect();
    let cancelled = vo.submit("cancelled", 1, 60, &script("cancelled", 60));
    wait_for("something waits in Slurm", Duration::from_secs(60), || {
        ALL.iter().any(|it| !vo.clusters.jobs(it).is_empty())
    });
    // The service is away while jobs begin and end, for longer than the east remembers them; one controller is killed.
    wait_for("a pair runs", Duration::from_secs(90), || count("pair") == 2);
    vo.clusters.restart_controller("east");
    vo.restart(Duration::from_secs(14));
    assert!(ALL.iter().all(|cluster| vo.clusters.reservations(cluster).is_empty()), "nothing is reserved");
    vo.wait(pair, &["done"], 90);
    let told: Vec<String> = (0..2).map(|part| vo.output(pair, part)).collect();
    let words: Vec<(&str, i64)> = told
        .iter()
        .map(|line| line.trim().split_once(' ').map(|(node, at)| (node, at.parse().unwrap())).unwrap())
        .collect();
    assert!(words[0].0 != words[1].0 && !words[0].0.is_empty(), "{told:?}");
    assert!((words[0].1 - words[1].1).abs() < 1_500, "one job of Slurm's begins together: {told:?}");
    let failed = vo.wait(code, &["failed"], 90);
    assert_eq!(failed["parts"][0]["exit_code"], json!(7), "{failed}");
    for job in &singles {
        vo.wait(*job, &["done"], 120);
    }
    vo.wait(cancelled, &["running"], 90);
    vo.cancel(cancelled);
    assert_eq!((count("pair"), count("single"), count("code")), (2, 4, 1), "every part begins once");
    vo.check_end();
}
