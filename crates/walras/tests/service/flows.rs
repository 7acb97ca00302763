//! Workflows of real commands over two local sites: files go where they are read, a service that is killed goes on, and nothing runs twice.

use crate::http::Call;
use crate::program::{Service, ServiceHome, lines, wait_for};
use serde_json::{Value, json};
use std::time::Duration;

/// Ten seconds of the service are one of ours. Three nodes on each of two sites: a task that wants a lab runs there.
const CONFIG: &str = r#"
clock = { speed = 10 }
journal = { repeat_seconds = 1 }

[policy]
cycle_every = 3
lead = 8
prepare_within = 4
confirm_within = 4
offers_within = 3
grace = 300
horizon = 3600
network = { between_sites = { bandwidth = 0.001, latency = 1 } }
"#;

const LONG: Duration = Duration::from_secs(180);

fn home() -> ServiceHome {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let site = |name: &str| {
        format!(
            "[[site]]\nname = \"{name}\"\nowner = \"olga\"\nconnector = \"local\"\ncount = 3\nprice = 0.1\n\
             attributes = {{ lab = \"{name}\" }}\n[site.local]\nisolation = \"off\"\nuid = {uid}\ngid = {gid}\n"
        )
    };
    ServiceHome::new(&format!("{CONFIG}{}{}", site("east"), site("west")))
}

/// A task of the mosaic: it says that it has run, and then does its work.
fn task(home: &ServiceHome, name: &str, lab: &str, work: &str, files: (&[&str], &[&str])) -> Value {
    let script = format!("#!/bin/sh\nset -e\necho {name} >> {}\n{work}\n", home.path("trail").display());
    json!({
        "name": name, "work": 30, "requires": {"lab": lab}, "script": script,
        "env": {"TASK": name}, "inputs": files.0, "outputs": files.1,
    })
}

/// Two images are projected, their difference is fitted, and all become one.
fn mosaic(home: &ServiceHome) -> Value {
    let tasks = json!([
        task(home, "project1", "east", "mkdir -p p; tr a-z A-Z < raw1 > p/1", (&["raw1"], &["p/1"])),
        task(home, "project2", "west", "mkdir -p p; tr xyz zyx < raw2 > p/2", (&["raw2"], &["p/2"])),
        task(home, "diff", "east", "cat p/1 p/2 | sort > diff", (&["p/1", "p/2"], &["diff"])),
        task(home, "fit", "west", "wc -c < diff | tr -d ' ' > fit; echo $TASK >> fit", (&["diff"], &["fit"])),
        task(home, "add", "east", "cat p/1 p/2 fit > mosaic", (&["p/1", "p/2", "fit"], &["mosaic"])),
    ]);
    json!({
        "walras": "job/1", "name": "mosaic", "outputs": ["mosaic"],
        "inputs": {"raw1": "YWJjCg==", "raw2": "eHl6Cg=="},
        "workflow": {"walras": "workflow/1", "tasks": tasks, "edges": [
            {"from": "project2", "to": "diff", "bytes": 4},
            {"from": "diff", "to": "fit", "bytes": 8},
        ]},
    })
}

fn submit(service: &Service, token: &str, job: &Value) -> u64 {
    let made = service.expect(&Call::send("POST", "/v1/jobs", token, job).keyed("flow"), 201).json();
    made["job"].as_u64().unwrap_or_else(|| panic!("{made}"))
}

fn view(service: &Service, token: &str, job: u64) -> Value {
    service.expect(&Call::get(format!("/v1/jobs/{job}"), token), 200).json()
}

/// The job once it has ended.
fn ended(service: &Service, token: &str, job: u64) -> Value {
    let over =
        |view: &Value| ["done", "failed", "cancelled", "given-up"].contains(&view["state"].as_str().unwrap());
    wait_for("the workflow ends", LONG, || over(&view(service, token, job)));
    view(service, token, job)
}

fn history(service: &Service, token: &str, job: u64) -> Vec<String> {
    let told = service.expect(&Call::get(format!("/v1/jobs/{job}/explanation"), token), 200).json();
    let told = told["history"].as_array().cloned().unwrap_or_default();
    told.iter().map(|line| line["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_mosaic_of_two_sites_survives_a_killed_service_and_nothing_runs_twice() {
    let home = home();
    let mut service = home.start("warn", &[]);
    let administrator = home.token();
    let ada = service.make_user(&administrator, "ada", 1_000_000);
    let job = submit(&service, &ada, &mosaic(&home));
    // In the middle: both images are there, and the one of the other site is on its way or has come.
    let trail = home.path("trail");
    wait_for("the first tasks run", LONG, || lines(&trail).len() >= 2);
    service.kill();
    service = home.start("warn", &[]);
    let end = ended(&service, &ada, job);
    let told = history(&service, &ada, job);
    assert_eq!(end["state"], "done", "{end}\n{told:#?}\n{}", home.log());
    let mut ran = lines(&trail);
    ran.sort();
    assert_eq!(ran, ["add", "diff", "fit", "project1", "project2"], "each once");
    let file = format!("/v1/jobs/{job}/file?name=mosaic");
    let found = service.expect(&Call::get(&file, &ada), 200);
    assert_eq!(found.body, "ABC\nzyx\n8\nfit\n");
    let moved = |task: &str, to: &str, bytes: u32| {
        let text = format!("One file of task {task} has come to {to}: {bytes} bytes.");
        told.iter().filter(|line| **line == text).count()
    };
    assert_eq!(moved("project2", "east", 4), 1, "{told:#?}");
    assert_eq!(moved("diff", "west", 8), 1, "{told:#?}");
    assert_eq!(moved("fit", "east", 6), 1, "{told:#?}");
    assert_eq!(told.iter().filter(|line| line.contains("has come to")).count(), 3, "{told:#?}");
    // Nobody else may have it, and nothing else is there.
    let eve = service.make_user(&administrator, "eve", 1);
    service.expect(&Call::get(&file, &eve), 404);
    for wrong in ["../mosaic", "/etc/passwd", "nothing", "p"] {
        service.expect(&Call::get(format!("/v1/jobs/{job}/file?name={wrong}"), &ada), 404);
    }
    service.stop();
    home.check_journal();
    home.check_log();
}

/// What every part of a gang does: it waits until all of them are there, says who and where it is, and the first gathers what all said.
const GANG: &str = r#"#!/bin/sh
set -e
echo "$SLURM_PROCID" >> TRAIL
wait_for() {
    n=0
    while [ "$(ls $1.* | wc -l)" -lt "$SLURM_NTASKS" ]; do
        n=$((n + 1))
        [ $n -lt 100 ] || exit 7
        sleep 0.05
    done
}
touch "here.$SLURM_PROCID"
wait_for here
echo "$SLURM_PROCID of $SLURM_NTASKS, node $SLURM_NODEID of $SLURM_NNODES, $SEED" > "part.$SLURM_PROCID"
echo "$WALRAS_NODE" > "node.$SLURM_PROCID"
echo "$SLURM_JOB_NODELIST" > "list.$SLURM_PROCID"
mv "part.$SLURM_PROCID" "said.$SLURM_PROCID"
if [ "$SLURM_PROCID" = 0 ]; then
    wait_for said
    cat said.0 said.1 said.2 > all
    cat node.0 node.1 node.2 | paste -sd, - > nodes
    sort -u list.0 list.1 list.2 >> nodes
fi
"#;

/// A task before, a gang on three of the four nodes of a site, and one after it that reads what the gang has written, on the other site.
fn with_gang(home: &ServiceHome) -> Value {
    let script = GANG.replace("TRAIL", &home.path("trail").display().to_string());
    let tasks = json!([
        task(home, "before", "east", "echo 42 > seed", (&[], &["seed"])),
        {"name": "gang", "work": 60, "nodes": 3, "requires": {"lab": "east"}, "script": script,
         "env": {"SEED": "seeded"}, "inputs": ["seed"], "outputs": ["all", "nodes"]},
        task(home, "after", "east", "cat seed all nodes > result", (&["seed", "all", "nodes"], &["result"])),
    ]);
    json!({
        "walras": "job/1", "name": "gang", "outputs": ["result"],
        "workflow": {"walras": "workflow/1", "tasks": tasks},
    })
}

#[test]
fn a_gang_of_real_programs_runs_together_and_knows_who_it_is() {
    let home = home();
    let mut service = home.start("warn", &[]);
    let administrator = home.token();
    let ada = service.make_user(&administrator, "ada", 1_000_000);
    let job = submit(&service, &ada, &with_gang(&home));
    let end = ended(&service, &ada, job);
    assert_eq!(end["state"], "done", "{end}\n{:#?}\n{}", history(&service, &ada, job), home.log());
    let mut ran = lines(&home.path("trail"));
    ran.sort();
    assert_eq!(ran, ["0", "1", "2", "after", "before"], "each once");
    let found = service.expect(&Call::get(format!("/v1/jobs/{job}/file?name=result"), &ada), 200);
    let said: Vec<&str> = found.body.lines().collect();
    let part = |rank: usize| format!("{rank} of 3, node {rank} of 3, seeded");
    assert_eq!(said[..4], ["42".to_owned(), part(0), part(1), part(2)], "{said:?}");
    // All have been told of the same nodes, in the order of their ranks; and all are different.
    assert_eq!((said.len(), said[4]), (6, said[5]), "{said:?}");
    let mut nodes: Vec<&str> = said[4].split(',').collect();
    nodes.dedup();
    assert_eq!(nodes.len(), 3, "{said:?}");
    // Wider than the nodes of a site, or than what one user's workflows may have of all, is refused with what there is.
    for (nodes, why) in [(4, "no site has so many"), (100_001, "nodes")] {
        let mut wide = with_gang(&home);
        wide["workflow"]["tasks"][1]["nodes"] = json!(nodes);
        let refused =
            service.ask(&Call::send("POST", "/v1/jobs", &ada, &wide).keyed(&format!("wide-{nodes}")));
        assert!(refused.status >= 400 && refused.body.contains(why), "{nodes}: {}", refused.body);
        let named = refused.body.contains("task gang") && refused.body.contains("has the most, 3");
        assert!(named || nodes > 4, "{}", refused.body);
    }
    service.stop();
    home.check_journal();
    home.check_log();
}
