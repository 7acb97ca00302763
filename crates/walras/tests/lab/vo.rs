//! A VO over the clusters: a service, a user with money, jobs, and what must hold in the end.

use crate::clusters::{ALL, Clusters};
use crate::http::Call;
use crate::program::{Service, ServiceHome, wait_for};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

/// Everything happens within seconds; sites have time to answer on a busy machine.
const CONFIG: &str = r#"
[policy]
cycle_every = 2
horizon = 1800
lead = 2
offers_within = 3
prepare_within = 4
confirm_within = 3
grace = 10

[journal]
repeat_seconds = 1

"#;

pub(crate) struct Vo {
    pub(crate) clusters: Clusters,
    pub(crate) home: ServiceHome,
    pub(crate) service: Service,
    administrator: String,
    user: String,
}

impl Drop for Vo {
    /// What went wrong can be looked at afterwards.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let kept = concat!(env!("CARGO_TARGET_TMPDIR"), "/lab-failed");
            let _ = std::fs::remove_dir_all(kept);
            let copied = Command::new("cp").arg("-a").arg(self.home.path(".")).arg(kept).status();
            let clusters = Command::new("cp").arg("-a").arg(self.clusters.path()).arg(kept).status();
            eprintln!("what service and clusters have left is in {kept} ({copied:?}, {clusters:?})");
        }
    }
}

/// What a user has at first.
const CREDITS: u32 = 100_000;

impl Vo {
    pub(crate) fn new() -> Vo {
        Vo::with(Clusters::start(), "")
    }

    /// With more in the table of every cluster.
    pub(crate) fn with(clusters: Clusters, more: &str) -> Vo {
        // Shorter margins, so that all is over soon.
        Vo::selling(clusters, &format!("[site.slurm]\nbefore_seconds = 6\nafter_seconds = 3\n{more}"))
    }

    /// On which nothing is reserved: jobs wait in the clusters' own queues.
    pub(crate) fn of_queues() -> Vo {
        Vo::selling(Clusters::start(), "kind = \"queue\"\ncount = 3\n\n[site.slurm]\nlook_seconds = 1\n")
    }

    /// With the largest node of the north in so many units.
    pub(crate) fn in_units(units: u32) -> Vo {
        let clusters = Clusters::start();
        let more = "[site.slurm]\nbefore_seconds = 6\nafter_seconds = 3\n";
        let sites = clusters.lab(&["sites"]).replace("[site.slurm]\n", more);
        let (all, node) =
            ("partitions = [\"all\"]\n", format!("[[site.nodes]]\nname = \"n4\"\nunits = {units}\n"));
        // The north comes first.
        Vo::over(clusters, &sites.replacen(all, &format!("{all}{node}"), 1))
    }

    /// With this in the place of where every cluster's own table begins.
    fn selling(clusters: Clusters, table: &str) -> Vo {
        let sites = clusters.lab(&["sites"]).replace("[site.slurm]\n", table);
        Vo::over(clusters, &sites)
    }

    fn over(clusters: Clusters, sites: &str) -> Vo {
        let home = ServiceHome::new(&format!("{CONFIG}{sites}"));
        let service = home.start("info", &[]);
        let administrator = home.token();
        let user = service.make_user(&administrator, "ada", CREDITS);
        Vo { clusters, home, service, administrator, user }
    }

    /// Submits a job of so many tasks that run a shell's script for some seconds of work; gives its number.
    pub(crate) fn submit(&self, name: &str, tasks: u32, work: u32, script: &str) -> u64 {
        self.send(&json!({ "walras": "job/1", "name": name, "tasks": tasks, "work": work, "budget": 5_000, "command": ["sh", "-c", script] }))
    }

    pub(crate) fn send(&self, job: &Value) -> u64 {
        let name = job["name"].as_str().unwrap();
        let made = self.service.expect(&Call::send("POST", "/v1/jobs", &self.user, job).keyed(name), 201);
        made.json()["job"].as_u64().unwrap()
    }

    /// Makes another user, and gives their token.
    pub(crate) fn make_user(&self, name: &str) -> String {
        self.service.make_user(&self.administrator, name, CREDITS)
    }

    /// The user's token.
    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    pub(crate) fn job(&self, job: u64) -> Value {
        self.service.expect(&Call::get(format!("/v1/jobs/{job}"), &self.user), 200).json()
    }

    pub(crate) fn state(&self, job: u64) -> String {
        self.job(job)["state"].as_str().unwrap().to_owned()
    }

    /// Waits until a job is in one of these states.
    pub(crate) fn wait(&self, job: u64, states: &[&str], seconds: u64) -> Value {
        let mut last = Value::Null;
        let begun = std::time::Instant::now();
        while begun.elapsed() < Duration::from_secs(seconds) {
            last = self.job(job);
            if states.contains(&last["state"].as_str().unwrap()) {
                return last;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("job {job} is not {states:?} after {seconds} s: {last}\n{}", self.home.log());
    }

    pub(crate) fn cancel(&self, job: u64) {
        self.service
            .expect(&Call { method: "DELETE", ..Call::get(format!("/v1/jobs/{job}"), &self.user) }, 200);
    }

    pub(crate) fn output(&self, job: u64, part: u32) -> String {
        self.service.expect(&Call::get(format!("/v1/jobs/{job}/output?part={part}"), &self.user), 200).body
    }

    /// What is said to be wrong with a site.
    pub(crate) fn trouble(&self, site: &str) -> Value {
        let call = Call::get(format!("/v1/sites/{site}"), &self.administrator);
        self.service.expect(&call, 200).json()["trouble"].clone()
    }

    /// What Prometheus would read.
    pub(crate) fn metrics(&self) -> String {
        self.service.expect(&Call::get("/metrics", &self.administrator), 200).body
    }

    /// Kills the service, and starts it again after a while. Real clusters keep time of their own, so that the while must pass.
    pub(crate) fn restart(&mut self, after: Duration) {
        self.service.kill();
        std::thread::sleep(after);
        self.service = self.home.start("info", &[]);
    }

    /// Nothing is left anywhere, and every credit is accounted for.
    pub(crate) fn check_end(mut self) {
        for cluster in ALL {
            let left = || (self.clusters.reservations(cluster), self.clusters.jobs(cluster));
            wait_for("nothing of ours is left", Duration::from_secs(30), || {
                left() == (Vec::new(), Vec::new())
            });
        }
        let accounts = self.service.expect(&Call::get("/v1/accounts", &self.administrator), 200).json();
        let held: Vec<&Value> =
            accounts["accounts"].as_array().unwrap().iter().filter(|it| it["account"] == "held").collect();
        assert!(held.iter().all(|it| it["balance"].to_string().trim_matches('"') == "0"), "{accounts}");
        let stopped = self.service.stop();
        assert!(stopped < Duration::from_secs(5), "{stopped:?}");
        self.home.check_journal();
        self.home.check_log();
    }
}
