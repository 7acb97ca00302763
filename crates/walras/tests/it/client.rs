//! `walras` as a client, from outside: files, exit codes, and what is never printed. The service is a small fake.

use crate::{printed, walras};
use assert_cmd::Command;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

pub(crate) type Requests = Arc<Mutex<Vec<String>>>;

/// A service that gives the answer of the first of `routes` whose name begins the request, as often as it is asked.
pub(crate) fn fake(routes: &'static [(&'static str, u16, &'static str)]) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Requests::default();
    let seen = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut request = String::new();
            let mut length = 0;
            while !request.ends_with("\r\n\r\n") && reader.read_line(&mut request).unwrap() > 0 {
                let last = request.lines().last().unwrap_or_default().to_lowercase();
                length =
                    last.strip_prefix("content-length:").map_or(length, |size| size.trim().parse().unwrap());
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            request.push_str(&String::from_utf8(body).unwrap());
            let (status, text) = routes
                .iter()
                .find(|(name, ..)| request.starts_with(name))
                .map_or((404, "{}"), |(_, status, text)| (*status, *text));
            seen.lock().unwrap().push(request);
            let length = text.len();
            let head =
                format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            stream.write_all((head + text).as_bytes()).unwrap();
        }
    });
    (url, requests)
}

/// `walras` with a token in its environment.
pub(crate) fn ask(directory: &Path, url: &str, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("walras").unwrap();
    command.current_dir(directory).env("WALRAS_URL", url).env("WALRAS_TOKEN", "hush-hush").env("TZ", "UTC");
    command.env("XDG_CONFIG_HOME", directory).args(arguments).output().unwrap()
}

pub(crate) fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const SUBMITTED: &str = r#"{"job":17,"notes":["nobody is told"],"outlook":{"start":null,"finish":null,"price":null,"sites":[],
"reasons":[{"kind":"budget_too_small","text":"The budget is too small."}],
"changes":[{"kind":"budget","text":"a budget of 60 credits","amount":60}]}}"#;

const JOB: &str = r#"{"job":17,"name":"fit","user":"ada","state":"failed","tasks":2,"workflow":false,
"queued_at":"2026-11-15T12:00:00Z","start":null,"finish":null,"deadline":null,"budget":null,"held":0,"charged":1.5,
"sites":["campus"],"attempts":0,"why":"It ended with exit code 3.","parts":[]}"#;

#[test]
fn a_script_is_submitted_and_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\n#SBATCH --time=10 --gres=gpu:1 --mail-type=END\n#WALRAS budget 40\necho $1\n";
    fs::write(directory.path().join("fit.sh"), script).unwrap();
    let (url, requests) = fake(&[
        ("POST /v1/jobs?outlook=true ", 201, SUBMITTED),
        ("GET /v1/events ", 200, ""),
        ("GET /v1/jobs/17 ", 200, JOB),
    ]);
    let output = ask(directory.path(), &url, &["submit", "fit.sh", "a b", "--wait", "-J", "fit", "--", "-v"]);
    let (code, out, err) = texts(&output);
    assert_eq!((code, out.as_str()), (Some(1), "job 17\njob 17 is failed: It ended with exit code 3.\n"));
    assert_eq!(
        err,
        "walras: nobody is told\nwould not start as things are\nThe budget is too small.\nwould help: a budget of 60 \
         credits\n"
    );
    let request = requests.lock().unwrap()[0].clone();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.to_lowercase().contains("idempotency-key: "), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let here = directory.path().canonicalize().unwrap();
    let expected = serde_json::json!({"walras": "job/1", "name": "fit", "work": 600, "budget": 40,
        "script": script, "command": ["a b", "-v"], "requires": {"gpus": {"min": 1}}, "notify": {"on": ["end"]},
        "env": {"SLURM_GPUS_ON_NODE": "1", "SLURM_GPUS_PER_NODE": "1", "SLURM_SUBMIT_DIR": here}});
    assert_eq!(body, expected);
}

#[test]
fn a_dry_run_sends_nothing() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("small.stg"), "2\n0 3 0\n1 5 1 0\n").unwrap();
    let job = "walras: job/1\nname: flow\nworkflow: small.stg\nearliest: 2026-11-15T12:30:00Z\n";
    fs::write(directory.path().join("flow.yaml"), job).unwrap();
    let shown = printed(directory.path(), &["submit", "--dry-run", "flow.yaml"]);
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["job"]["workflow"]["tasks"][1]["work"], 5_000);
    assert_eq!(shown["left_out"], serde_json::json!([]));
}

#[test]
fn what_is_not_understood_is_an_error_unless_it_may_be_ignored() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("fit.sh"), "#!/bin/sh\n#SBATCH -t 1\n#SBATCH --signal=USR1@60\n")
        .unwrap();
    let (url, requests) = fake(&[("POST /v1/jobs?outlook=true ", 201, "{\"job\": 17}")]);
    let (code, out, err) = texts(&ask(directory.path(), &url, &["submit", "fit.sh"]));
    assert_eq!((code, out.as_str(), requests.lock().unwrap().len()), (Some(2), "", 0));
    insta::assert_snapshot!(err, @"walras: fit.sh:3:1: #SBATCH: --signal=USR1@60 is not understood, and what runs may depend on it; --ignore-unknown goes on without it");
    let (code, out, err) = texts(&ask(directory.path(), &url, &["submit", "--ignore-unknown", "fit.sh"]));
    assert_eq!((code, out.as_str()), (Some(0), "job 17\n"));
    assert_eq!(err, "fit.sh:3: --signal=USR1@60 is not understood and is left out\n");
    // Options go over what a file says, also a job file.
    fs::write(directory.path().join("a.yaml"), "{walras: job/1, name: a, work: 1, requires: {os: linux}}")
        .unwrap();
    let call = ["submit", "--dry-run", "a.yaml", "-t", "2", "--mem=1G", "--comment=x"];
    let shown: serde_json::Value = serde_json::from_str(&printed(directory.path(), &call)).unwrap();
    let expected = serde_json::json!({"os": "linux", "memory_gb": {"min": 1}});
    assert_eq!((&shown["job"]["work"], &shown["job"]["requires"]), (&120.into(), &expected));
    assert_eq!(shown["job"]["comment"], "x");
}

#[test]
fn a_wrong_file_is_named_before_anything_is_sent() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("good.yaml"), "{walras: job/1, name: a, work: 1}").unwrap();
    fs::write(directory.path().join("bad.yaml"), "walras: job/1\nname: a\nwork: -1\n").unwrap();
    fs::write(directory.path().join("bad.sh"), "#!/bin/sh\n#WALRAS colour red\n").unwrap();
    fs::write(directory.path().join("job.txt"), "walras: job/1").unwrap();
    let (url, requests) = fake(&[]);
    let complaint = |file: &str| {
        let (code, out, err) = texts(&ask(directory.path(), &url, &["submit", "good.yaml", file]));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        err
    };
    insta::assert_snapshot!(complaint("bad.yaml"), @"walras: bad.yaml:3:7: work: -1 is not an amount of work: it must be greater than 0");
    assert!(
        complaint("bad.sh")
            .starts_with("walras: bad.sh:2:1: #WALRAS: colour is not understood: expected one of ")
    );
    insta::assert_snapshot!(complaint("job.txt"), @"walras: job.txt: a job file ends in .yaml, .yml or .json, and a script begins with #!");
    assert!(requests.lock().unwrap().is_empty());
}

#[test]
fn times_from_now_count_from_the_services_clock() {
    const STATUS: &str = r#"{"now":"2030-01-01T00:00:00Z","speed":60,"version":"0.1.0","writable":true,"queued":0,"reserved":0,
    "running":0,"ended":0,"cycle":{"cycle":0,"open":false,"next_at":null,"proof":null,"served":0,"unserved":0},"entries":0,"alarms":[],"sites":[]}"#;
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.yaml"), "{walras: job/1, name: a, work: 1, deadline: 2h}").unwrap();
    let (url, requests) =
        fake(&[("GET /v1/status ", 200, STATUS), ("POST /v1/jobs?outlook=true ", 201, "{\"job\": 1}")]);
    let (code, out, _) = texts(&ask(directory.path(), &url, &["submit", "a.yaml"]));
    assert_eq!((code, out.as_str()), (Some(0), "job 1\n"));
    assert!(requests.lock().unwrap()[1].contains("\"deadline\":\"2030-01-01T02:00:00.000Z\""));
}

#[test]
fn refusals_have_their_exit_codes_and_no_secret_is_printed() {
    let directory = tempfile::tempdir().unwrap();
    let (url, requests) = fake(&[
        ("GET /v1/jobs/1 ", 404, r#"{"code":"not-found","message":"There is no job 1.","trace":"t"}"#),
        ("GET /v1/users ", 403, r#"{"code":"forbidden","message":"Only an administrator may.","trace":"t"}"#),
        ("GET /v1/sites ", 503, r#"{"code":"busy","message":"Not now.","trace":"t"}"#),
        (
            "POST /v1/quotes/3/accept ",
            409,
            r#"{"code":"gone","message":"The quote has expired.","trace":"t"}"#,
        ),
        ("PATCH /v1/policy ", 422, r#"{"code":"bad-request","message":"No.","trace":"t"}"#),
        ("GET /v1/policy ", 200, r#"{"b": 0.10, "a": []}"#),
    ]);
    fs::write(directory.path().join("p.yaml"), "a: 1").unwrap();
    let of = |arguments: &[&str]| {
        let (code, out, err) = texts(&ask(directory.path(), &url, arguments));
        assert!(!format!("{out}{err}").contains("hush"), "{out}{err}");
        format!("{} {out}{err}", code.unwrap())
    };
    insta::assert_snapshot!(of(&["job", "1"]), @"1 walras: There is no job 1. (not-found, trace t)");
    insta::assert_snapshot!(of(&["user", "list"]), @"3 walras: Only an administrator may. (forbidden, trace t)");
    insta::assert_snapshot!(of(&["sites"]), @"4 walras: Not now. (busy, trace t)");
    insta::assert_snapshot!(of(&["accept", "3"]), @"1 walras: The quote has expired. (gone, trace t)");
    insta::assert_snapshot!(of(&["policy", "--set", "p.yaml"]), @"2 walras: No. (bad-request, trace t)");
    insta::assert_snapshot!(of(&["policy"]), @r#"
    0 {
      "b": 0.10,
      "a": []
    }
    "#);
    assert!(requests.lock().unwrap().iter().all(|request| request.contains("Bearer hush-hush")));
}

#[test]
fn nobody_there_and_plain_http_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, _, err) = texts(&ask(directory.path(), &format!("http://{free}"), &["jobs", "--all"]));
    assert!(code == Some(4) && err.contains("cannot be reached") && !err.contains("hush"), "{err}");
    let (code, _, err) = texts(&ask(directory.path(), "http://walras.example", &["jobs"]));
    assert!(code == Some(2) && err.contains("use https, or --insecure") && !err.contains("hush"), "{err}");
}

#[test]
fn completions_and_the_manual_are_generated() {
    let directory = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(printed(directory.path(), &["completions", shell]).contains("submit"), "{shell}");
    }
    printed(directory.path(), &["man", "pages"]);
    assert!(fs::read_to_string(directory.path().join("pages/walras-submit.1")).unwrap().contains("dry"));
    assert_eq!(walras(directory.path(), &["completions", "cmd.exe"]).status.code(), Some(2));
}
