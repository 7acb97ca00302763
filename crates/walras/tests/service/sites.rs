//! Sites join while the service runs, by the API and by the file, and stay over restarts; what has joined stays what it is.

use crate::http::Call;
use crate::program::{Service, ServiceHome, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const WEST: &str = "name = \"west\"\nowner = \"wim\"\nconnector = \"simulated\"\ncount = 2\nprice = 0.25\n";

fn names(service: &Service, token: &str) -> Vec<String> {
    let sites = service.expect(&Call::get("/v1/sites", token), 200).json();
    sites["sites"].as_array().unwrap().iter().map(|site| site["name"].as_str().unwrap().to_owned()).collect()
}

/// A job that names its site, once it is done.
fn runs_on(service: &Service, user: &str, site: &str) {
    let job = json!({ "walras": "job/1", "name": "one", "work": 1, "budget": 5, "sites": [site] });
    let number = service.expect(&Call::send("POST", "/v1/jobs", user, &job), 201).json()["job"].clone();
    wait_for("the job ends", Duration::from_secs(60), || {
        let job: Value = service.expect(&Call::get(format!("/v1/jobs/{number}"), user), 200).json();
        job["state"] == "done"
    });
}

/// Changes the configuration and lets the service read it again.
fn reload(home: &ServiceHome, service: &Service, from: &str, to: &str) {
    let path = home.path("walras.toml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&path, text.replacen(from, to, 1)).unwrap();
    kill_process(Pid::from_child(&service.child), Signal::HUP).unwrap();
}

#[test]
fn sites_join_while_the_service_runs_and_stay() {
    let home = ServiceHome::brisk("");
    let mut service = home.start("warn", &[]);
    let token = home.token();
    let user = service.make_user(&token, "ada", 1_000);
    fs::write(home.path("west.toml"), format!("[[site]]\n{WEST}")).unwrap();
    let url = format!("http://{}", service.address);
    let add = || {
        home.walras(&["site", "add", "west.toml", "--url", &url, "--token-file", "data/administrator.token"])
    };
    let added = add();
    let said = String::from_utf8_lossy(&added.stdout).into_owned();
    assert_eq!(
        said,
        "site west of wim has joined with 2 nodes\n",
        "{}",
        String::from_utf8_lossy(&added.stderr)
    );
    assert_eq!(add().status.code(), Some(2), "there is one of that name");
    runs_on(&service, &user, "west");
    let call = Call::send("POST", "/v1/sites", &user, &json!({}));
    service.expect(&call, 403);
    let bad = json!({ "name": "bad", "owner": "wim", "connector": "simulated", "count": 2 });
    let refused = service.expect(&Call::send("POST", "/v1/sites", &token, &bad), 422).json();
    assert_eq!(refused["code"], "bad-site", "{refused}");

    // By the file: one more before the others, for the order is that of joining.
    let east = WEST.replace("west", "east");
    reload(&home, &service, "[[site]]", &format!("[[site]]\n{east}[[site]]"));
    wait_for("it joins", Duration::from_secs(30), || names(&service, &token).len() == 3);
    wait_for("it is said", Duration::from_secs(30), || {
        home.log().contains("walras.toml: site east has joined")
    });
    runs_on(&service, &user, "east");

    // What takes a start says so.
    reload(&home, &service, "connector = \"simulated\"", "connector = \"local\"");
    let later = "site east: connector = \"local\" takes effect with the next start";
    wait_for("it is said", Duration::from_secs(30), || home.log().contains(later));
    reload(&home, &service, "connector = \"local\"", "connector = \"simulated\"");
    fs::write(home.path("change.toml"), "connector = \"local\"").unwrap();
    let change =
        ["site", "change", "west", "change.toml", "--url", &url, "--token-file", "data/administrator.token"];
    let refused = home.walras(&change);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2)
            && said.contains("its connector too, takes effect with the next start"),
        "{said}"
    );

    // What has joined stays what it is: said when it is read again, by a check, and by a start.
    reload(&home, &service, "owner = \"olga\"", "owner = \"otto\"");
    let problem = "site north: its owner is not what it was when it joined";
    wait_for("it is refused", Duration::from_secs(30), || home.log().contains(problem));
    for arguments in [&["serve", "--check"][..], &["serve"]] {
        if arguments.len() == 1 {
            service.stop();
        }
        let checked = home.walras(arguments);
        let said = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert_eq!((checked.status.code(), said.contains(problem)), (Some(2), true), "{arguments:?}: {said}");
    }
    let path = home.path("walras.toml");
    let text = fs::read_to_string(&path).unwrap().replace("owner = \"otto\"", "owner = \"olga\"");
    fs::write(&path, text).unwrap();
    let service = home.start("warn", &[]);
    assert_eq!(names(&service, &token), ["north", "west", "east"]);
    for site in ["west", "east", "north"] {
        runs_on(&service, &user, site);
    }
    let log = service.expect(&Call::get("/v1/log", &token), 200).json();
    let joined: Vec<String> = log["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["text"].as_str().unwrap().starts_with("added site"))
        .map(|line| format!("{} {}", line["role"].as_str().unwrap(), line["text"].as_str().unwrap()))
        .collect();
    assert_eq!(
        joined,
        [
            "configuration added site east of wim",
            "administrator added site west of wim",
            "configuration added site north of olga"
        ]
    );
    changes_and_leaves(&home, service, &token, &user);
}

/// By the file and by its owner, over a restart.
fn changes_and_leaves(home: &ServiceHome, mut service: Service, token: &str, user: &str) {
    let price = |service: &Service, site: &str| {
        service.expect(&Call::get(format!("/v1/sites/{site}/prices"), token), 200).json()["base"].clone()
    };
    reload(home, &service, "price = 0.25", "price = 0.5");
    wait_for("it has another price", Duration::from_secs(30), || price(&service, "east") == json!(0.5));
    wait_for("it is said", Duration::from_secs(30), || home.log().contains("site east has other prices"));
    let url = format!("http://{}", service.address);
    let walras = |arguments: &[&str]| {
        let done =
            home.walras(&[arguments, &["--url", &url, "--token-file", "data/administrator.token"]].concat());
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    fs::write(home.path("change.toml"), "[prices]\nbase = 0.125\n").unwrap();
    assert_eq!(walras(&["site", "change", "west", "change.toml"]), "site west has changed\n");
    assert_eq!(price(&service, "west"), json!(0.125));
    let said = walras(&["site", "remove", "west"]);
    assert!(said.starts_with("site west leaves"), "{said}");
    assert!(walras(&["sites"]).lines().any(|line| line.starts_with("west") && line.contains("leaves")));
    // The file's leaves when its table goes; a start without it is a start.
    let path = home.path("walras.toml");
    let text = fs::read_to_string(&path).unwrap();
    let east = format!("[[site]]\n{}", WEST.replace("west", "east").replace("0.25", "0.5"));
    assert!(text.contains(&east), "{text}");
    reload(home, &service, &east, "");
    wait_for("it is said", Duration::from_secs(30), || home.log().contains("site east leaves"));
    service.stop();
    let service = home.start("warn", &[]);
    let url = format!("http://{}", service.address);
    assert_eq!(names(&service, token), ["north", "west", "east"]);
    runs_on(&service, user, "north");
    // Added again, it stays.
    let add = ["site", "add", "west.toml", "--url", &url, "--token-file", "data/administrator.token"];
    assert!(home.walras(&add).status.success());
    assert_eq!(price(&service, "west"), json!(0.25));
    runs_on(&service, user, "west");
    let mut service = service;
    service.stop();
    home.check_journal();
    home.check_log();
}
