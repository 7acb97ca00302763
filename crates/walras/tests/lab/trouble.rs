//! Everything is broken once: nothing runs twice, nothing is charged that did not run, nothing is left behind.

use crate::program::{lines, wait_for};
use crate::vo::Vo;
use std::time::Duration;

#[test]
#[ignore = "needs three Slurm clusters, and minutes: `make lab-test`"]
fn clusters_break_and_nothing_is_lost() {
    let mut vo = Vo::new();
    let marks = vo.home.path("marks");
    let script = |name: &str, seconds: u32| format!("echo {name} >> {}; sleep {seconds}", marks.display());
    let count = |name: &str| lines(&marks).iter().filter(|line| *line == name).count();

    // The controller of one of three dies when it is to be asked: none starts, and nothing is charged.
    vo.clusters.lab(&["ctld-stop", "east", "KILL"]);
    let wide = vo.submit("wide", 8, 6, &script("wide", 1));
    // That nothing happens is seen only by waiting: longer than the service needs to notice and to plan again.
    std::thread::sleep(Duration::from_secs(9));
    assert_eq!((count("wide"), vo.job(wide)["charged"].to_string().trim_matches('"')), (0, "0"));
    // Everybody can see since when, and why.
    let said = vo.trouble("east");
    assert_eq!(said["kind"], "unreachable", "{said}");
    assert!(said["since"].is_string() && said["why"].as_str().unwrap().contains("does not answer"), "{said}");
    let since = "walras_site_trouble_since_seconds{site=\"east\",trouble=\"unreachable\"} ";
    let metrics = vo.metrics();
    let line = metrics.lines().find_map(|line| line.strip_prefix(since)).unwrap();
    assert!(line.parse::<i64>().unwrap() > 0, "{line}");
    vo.clusters.lab(&["ctld-start", "east"]);
    wait_for("all is well again", Duration::from_secs(90), || vo.trouble("east").is_null());

    // A reservation is deleted behind our back: the job has another window.
    let twice = vo.submit("twice", 1, 30, &script("twice", 8));
    let robbed = vo.submit("robbed", 1, 6, &script("robbed", 1));
    vo.wait(robbed, &["reserved", "running"], 60);
    let number = vo.job(robbed)["reservation"].as_u64().unwrap();
    for cluster in crate::clusters::ALL {
        for name in
            vo.clusters.reservations(cluster).iter().filter(|name| name.contains(&format!("-{number}-")))
        {
            vo.clusters.slurm(cluster, &["scancel", &format!("--name={name}")]);
            vo.clusters.slurm(cluster, &["scontrol", "delete", &format!("ReservationName={name}")]);
        }
    }

    // The broker is killed between asking and being answered.
    let orphaned = vo.submit("orphaned", 2, 6, &script("orphaned", 1));
    wait_for("it is asked for", Duration::from_secs(60), || {
        !vo.job(orphaned)["reservation"].is_null() || vo.state(orphaned) == "done"
    });
    vo.restart(Duration::from_millis(200));

    // Controllers are killed within a second of a start: Slurm starts such jobs again, and we do not.
    wait_for("it runs", Duration::from_secs(90), || count("twice") > 0);
    for cluster in crate::clusters::ALL {
        vo.clusters.restart_controller(cluster);
    }

    // A controller is frozen: the others go on, and what runs ends.
    let pid = std::fs::read_to_string(
        vo.clusters.lab(&["conf", "south"]).trim().replace("slurm.conf", "slurmctld.pid"),
    );
    let pid = pid.unwrap().trim().to_owned();
    assert!(std::process::Command::new("kill").args(["-STOP", &pid]).status().unwrap().success());
    let cancelled = vo.submit("cancelled", 1, 60, &script("cancelled", 60));
    let cold = vo.submit("cold", 1, 6, &script("cold", 1));
    // One of them is cancelled while it runs.
    wait_for("it runs", Duration::from_secs(90), || count("cancelled") > 0);
    vo.cancel(cancelled);
    vo.wait(cold, &["done"], 90);
    assert!(std::process::Command::new("kill").args(["-CONT", &pid]).status().unwrap().success());

    for (job, name, parts) in
        [(wide, "wide", 8), (robbed, "robbed", 1), (orphaned, "orphaned", 2), (twice, "twice", 1)]
    {
        vo.wait(job, &["done"], 120);
        assert_eq!(count(name), parts, "{name}: every part begins once");
    }
    vo.check_end();
}
