//! A window over three clusters of which one fails in the last seconds, or the service does: it begins nowhere, and nothing is charged.

use crate::program::{lines, wait_for};
use crate::trade::{millis, now};
use crate::vo::Vo;
use std::time::Duration;

/// Asks for a window over all three, and waits until it is held; gives its job, and when it begins.
fn held(vo: &Vo, name: &str) -> (u64, i64) {
    let script = format!("echo {name} >> {}; sleep 1", vo.home.path("marks").display());
    let job = vo.submit(name, 8, 6, &script);
    let view = vo.wait(job, &["reserved"], 120);
    assert_eq!(view["sites"].as_array().unwrap().len(), 3, "{view}");
    (job, millis(&view["start"]))
}

fn count(vo: &Vo, name: &str) -> usize {
    lines(&vo.home.path("marks")).iter().filter(|line| *line == name).count()
}

fn sleep_until(moment: i64) {
    std::thread::sleep(Duration::from_millis(u64::try_from(moment - now()).unwrap_or(0)));
}

/// Long after the window should have begun nothing of it has, and nothing was charged.
fn check_nothing_began(vo: &Vo, job: u64, name: &str, start: i64) {
    sleep_until(start + 1_500);
    let view = vo.job(job);
    assert_eq!((count(vo, name), view["charged"].to_string().trim_matches('"')), (0, "0"), "{view}");
}

#[test]
#[ignore = "needs minutes: `make lab-test`"]
fn windows_begin_on_all_clusters_or_on_none() {
    let mut vo = Vo::new();
    // The controller of one dies before the supervisors come up.
    let (controller, start) = held(&vo, "controller");
    vo.clusters.lab(&["ctld-stop", "east", "KILL"]);
    check_nothing_began(&vo, controller, "controller", start);
    vo.clusters.lab(&["ctld-start", "east"]);
    vo.wait(controller, &["done"], 180);
    assert_eq!(count(&vo, "controller"), 8, "every part has begun once");

    // All nodes of one die then.
    let (node, start) = held(&vo, "node");
    for name in ["s1", "s2", "s3"] {
        vo.clusters.lab(&["node-stop", "south", name, "KILL"]);
    }
    check_nothing_began(&vo, node, "node", start);
    for name in ["s1", "s2", "s3"] {
        vo.clusters.lab(&["node-start", "south", name]);
    }
    vo.wait(node, &["done"], 240);
    assert_eq!(count(&vo, "node"), 8, "every part has begun once");

    // The service is away from before all are ready until after the start.
    let (service, start) = held(&vo, "service");
    vo.restart(Duration::from_millis(u64::try_from(start + 2_000 - now()).unwrap_or(0)));
    check_nothing_began(&vo, service, "service", start);
    vo.wait(service, &["done"], 180);
    assert_eq!(count(&vo, "service"), 8, "every part has begun once");
    wait_for("all is well", Duration::from_secs(60), || vo.trouble("east").is_null());
    vo.check_end();
}
