//! What users are told of windows that move while they wait: what concerns them, and not every step.

use super::house::House;
use super::searching::until;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Jobs take half of what they ask for, so that all who wait move up with each that ends.
const HALF: &str = "{takes_min = 0.5, takes_max = 0.5}";
const JOBS: u64 = 8;

/// What somebody hears.
struct Stream(BufReader<TcpStream>);

impl Stream {
    /// Listens, from now on or from after a position.
    fn open(house: &House, token: &str, after: Option<u64>) -> Stream {
        let mut stream = TcpStream::connect(house.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let last = after.map(|position| format!("Last-Event-ID: {position}\r\n")).unwrap_or_default();
        // Whoever speaks the older protocol gets a body without lengths of its pieces.
        let head = format!("GET /v1/events HTTP/1.0\r\nAuthorization: Bearer {token}\r\n{last}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut stream = Stream(BufReader::new(stream));
        assert!(stream.line().contains("200"));
        while !stream.line().is_empty() {}
        stream
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream has ended");
        line.trim_end().to_owned()
    }

    /// Everything until something has been said so often.
    fn until(&mut self, kind: &str, times: u64) -> Vec<Value> {
        let (mut heard, mut left) = (Vec::new(), times);
        let end = Instant::now() + Duration::from_secs(120);
        while left > 0 {
            assert!(Instant::now() < end, "{heard:?}");
            let line = self.line();
            let Some(data) = line.strip_prefix("data: ").filter(|data| *data != "{}") else { continue };
            let event: Value = serde_json::from_str(data).unwrap();
            left -= u64::from(event["kind"] == json!(kind));
            heard.push(event);
        }
        heard
    }
}

/// The texts of a history, or of a stream, that are of a job's window while it waits.
fn of_windows(lines: &[Value], job: u64) -> Vec<String> {
    let begins = [
        format!("Job {job} is planned for "),
        format!("Job {job} starts "),
        format!("What job {job} was promised"),
    ];
    let texts = lines.iter().map(|line| line["text"].as_str().unwrap().to_owned());
    texts.filter(|text| begins.iter().any(|begin| text.starts_with(begin))).collect()
}

#[test]
fn users_are_told_of_moves_that_concern_them_and_not_of_every_step() {
    let house = House::lively("", HALF);
    let ada = house.user("ada");
    let mut live = Stream::open(&house, &ada, None);
    for number in 0..JOBS {
        let name = format!("job-{number}");
        let body = json!({"walras": "job/1", "name": name, "work": 600, "tasks": 2, "budget": 500});
        house.call("post", "/v1/jobs", Some(&ada), Some(&body)).json(201);
    }
    let heard = live.until("job-ended", JOBS);

    // Whoever comes back hears the same from where they were.
    let half = heard[heard.len() / 2]["position"].as_u64().unwrap();
    let later = |event: &&Value| event["position"].as_u64() > Some(half);
    let expected: Vec<Value> = heard.iter().filter(later).cloned().collect();
    let ended = expected.iter().filter(|event| event["kind"] == json!("job-ended")).count() as u64;
    assert_eq!(Stream::open(&house, &ada, Some(half)).until("job-ended", ended), expected);

    // A job's history has what its user was told; and with every step, more.
    let (mut told, mut steps) = (0, 0);
    for job in 1..=JOBS {
        let history = |query: &str| -> Vec<Value> {
            let path = format!("/v1/jobs/{job}/explanation{query}");
            let view = house.call("get", &path, Some(&ada), None).json(200);
            view["history"].as_array().unwrap().clone()
        };
        let own: Vec<Value> = heard.iter().filter(|event| event["job"] == json!(job)).cloned().collect();
        let (plain, all) = (history(""), history("?steps=true"));
        assert_eq!(of_windows(&plain, job), of_windows(&own, job));
        assert_eq!(of_windows(&all, job), of_windows(&own, job));
        let silent = |line: &&Value| line["text"].as_str().unwrap().ends_with("; nobody was told.");
        assert_eq!(plain.iter().filter(silent).count(), 0, "{plain:?}");
        assert_eq!(all.len(), plain.len() + all.iter().filter(silent).count(), "{all:?}");
        (told, steps) = (told + of_windows(&own, job).len(), steps + all.iter().filter(silent).count());
    }
    assert!(steps > 0, "no window has moved by so little that it was nothing to tell");
    // Each is told of its first window, and of a few moves.
    let last = of_windows(&heard, JOBS);
    assert!(
        last.iter()
            .any(|text| text.contains(" min earlier, at ") && text.contains(", for the same price; it")),
        "{last:?}"
    );
    // How many of them are told depends on how often a plan is made, and so on the machine.
    assert!(told > 0, "nobody was told of any window");
}

/// Where windows may move, what no plan could beat is worked out beside plans, and shown with the cycle that it is of.
#[test]
fn what_no_plan_could_beat_is_shown_while_jobs_wait() {
    let house = House::lively("", HALF);
    let ada = house.user("ada");
    for name in ["one", "two", "three", "four", "five", "six"] {
        let body = json!({"walras": "job/1", "name": name, "work": 6_000, "tasks": 2, "budget": 500});
        house.call("post", "/v1/jobs", Some(&ada), Some(&body)).json(201);
    }
    let ask = || house.call("get", "/v1/status", Some(&ada), None).json(200);
    let status = until(ask, |status| status["cycle"]["bound"].is_object());
    let bound = &status["cycle"]["bound"];
    let amount = |name: &str| bound[name].as_f64().unwrap_or_else(|| panic!("{name}: {status}"));
    assert!(amount("jobs") >= 1.0 && amount("searches") >= 1.0, "{status}");
    // Nodes cost the same at all times: nothing is cheaper than the plan, and delays come on top.
    assert!(amount("above") == 0.0 && amount("cost_least") > 0.0, "{status}");
    assert!(amount("loss_least") >= amount("cost_least") && amount("loss_above") >= 0.0, "{status}");
    assert!(amount("of") >= 1.0 && amount("of") <= status["cycle"]["cycle"].as_f64().unwrap(), "{status}");
    let begin = format!("in cycle {} within what was promised no plan of ", bound["of"]);
    assert!(bound["text"].as_str().unwrap().starts_with(&begin), "{status}");
    let metrics = house.call("get", "/metrics", Some(&house.administrator), None).body;
    let searches = metrics.lines().find_map(|line| line.strip_prefix("walras_plan_bound_searches_total "));
    assert!(searches.unwrap().parse::<u64>().unwrap() >= 1, "{metrics}");
    assert!(metrics.contains("\nwalras_plan_loss_above_bound_ratio "), "{metrics}");
}
