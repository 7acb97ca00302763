//! What one user can do to the others, over and over until it is told to end.

use crate::client::try_call;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const STREAM: &str = "GET /v1/events HTTP/1.1\r\n";

/// One way to be in everybody's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attack {
    /// None: what everything is compared with.
    Nothing,
    /// Short jobs that can be paid, as fast as they are taken.
    Jobs,
    /// The same of a user without money.
    Penniless,
    /// Quotes, sixteen at a time.
    Quotes,
    /// Workflows of 44,000 tasks, as jobs and as quotes.
    Workflows,
    /// Streams that nobody reads.
    Streams,
    /// A thousand streams of ten users that nobody reads, while each of these users sends jobs that all of their streams hear of.
    Deaf,
    /// Streams of all that is remembered, opened and closed at once, while short jobs see to it that this is much.
    Returns,
    /// Bodies that are sent to the half.
    Bodies,
    /// Sixteen readers of long lists, with twenty thousand jobs in the queue.
    Lists,
}

impl Attack {
    pub(crate) const ALL: [Attack; 10] = [
        Attack::Nothing,
        Attack::Jobs,
        Attack::Penniless,
        Attack::Quotes,
        Attack::Workflows,
        Attack::Streams,
        Attack::Deaf,
        Attack::Returns,
        Attack::Bodies,
        Attack::Lists,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Attack::Nothing => "nothing",
            Attack::Jobs => "jobs",
            Attack::Penniless => "penniless",
            Attack::Quotes => "quotes",
            Attack::Workflows => "workflows",
            Attack::Streams => "streams",
            Attack::Deaf => "deaf",
            Attack::Returns => "returns",
            Attack::Bodies => "bodies",
            Attack::Lists => "lists",
        }
    }

    /// How many users they are.
    pub(crate) fn users(self) -> usize {
        if self == Attack::Deaf { 10 } else { 1 }
    }

    /// How many do it at a time.
    fn threads(self) -> usize {
        match self {
            Attack::Nothing => 0,
            Attack::Jobs | Attack::Penniless | Attack::Workflows | Attack::Returns => 4,
            Attack::Quotes | Attack::Lists => 16,
            Attack::Streams | Attack::Bodies => 2,
            Attack::Deaf => 10,
        }
    }
}

/// How often it was tried, and how often it was let.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) tried: AtomicU64,
    pub(crate) let_in: AtomicU64,
}

impl Counts {
    fn count(&self, good: bool) {
        self.tried.fetch_add(1, Ordering::Relaxed);
        self.let_in.fetch_add(u64::from(good), Ordering::Relaxed);
    }
}

/// Whoever attacks.
pub(crate) struct Attacker {
    pub(crate) address: SocketAddr,
    /// One of each user.
    pub(crate) tokens: Vec<String>,
    pub(crate) done: Arc<AtomicBool>,
    pub(crate) counts: Arc<Counts>,
}

pub(crate) fn short_job() -> Value {
    json!({"walras": "job/1", "name": "flood", "work": 10, "budget": 100, "command": ["true"]})
}

/// Two hundred layers of 220 tasks, each of which waits for one of the layer before.
fn workflow() -> Value {
    let name = |number: usize| format!("t{number}");
    let task = |number: usize| json!({"name": name(number), "work": 10 + number % 60});
    let edge = |number: usize| json!({"from": name(number - 220), "to": name(number)});
    let tasks: Vec<Value> = (0..44_000).map(task).collect();
    let edges: Vec<Value> = (220..44_000).map(edge).collect();
    let workflow = json!({"walras": "workflow/1", "tasks": tasks, "edges": edges});
    json!({"walras": "job/1", "name": "wide", "budget": 100_000_000, "workflow": workflow})
}

impl Attacker {
    /// Begins; ends with `done`.
    pub(crate) fn begin(self, attack: Attack) -> Vec<JoinHandle<()>> {
        let attacker = Arc::new(self);
        if attack == Attack::Lists {
            attacker.fill();
        }
        let thread = |number: usize| {
            let attacker = attacker.clone();
            std::thread::spawn(move || attacker.repeat(attack, number))
        };
        (0..attack.threads()).map(thread).collect()
    }

    fn repeat(&self, attack: Attack, number: usize) {
        match attack {
            Attack::Nothing => {}
            Attack::Jobs | Attack::Penniless => self.ask(number, "POST", "/v1/jobs", Some(&short_job())),
            Attack::Quotes => self.ask(number, "POST", "/v1/quotes", Some(&short_job())),
            Attack::Workflows => {
                let path = if number == 0 { "/v1/quotes" } else { "/v1/jobs" };
                self.ask(number, "POST", path, Some(&workflow()));
            }
            Attack::Lists => self.ask(number, "GET", "/v1/jobs?limit=1000", None),
            Attack::Streams => drop(self.hold(number, STREAM, 0, usize::MAX)),
            Attack::Returns if number == 0 => self.ask(number, "POST", "/v1/jobs", Some(&short_job())),
            Attack::Returns => {
                while !self.done.load(Ordering::Relaxed) {
                    drop(self.hold(number, "GET /v1/events?after=0 HTTP/1.1\r\n", 0, 1));
                }
            }
            Attack::Deaf => {
                let open = self.hold(number, STREAM, 0, 100);
                self.ask(number, "POST", "/v1/jobs", Some(&short_job()));
                drop(open);
            }
            Attack::Bodies => drop(self.hold(
                number,
                "POST /v1/jobs HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 8388608\r\n",
                7 << 20,
                usize::MAX,
            )),
        }
    }

    /// The same again and again.
    fn ask(&self, number: usize, method: &str, path: &str, body: Option<&Value>) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = None;
        let token = self.token(number);
        while !self.done.load(Ordering::Relaxed) {
            let status = try_call(&mut stream, self.address, token, method, path, &body);
            self.counts.count(status.is_some_and(|status| status < 300));
        }
    }

    fn token(&self, number: usize) -> &str {
        &self.tokens[number % self.tokens.len()]
    }

    /// Opens what it can, at most so many, leaves it open, and tries for more.
    fn hold(&self, number: usize, head: &str, body: usize, most: usize) -> Vec<TcpStream> {
        let mut open = Vec::new();
        let (body, token) = (vec![b' '; body], self.token(number));
        while open.len() < most && !self.done.load(Ordering::Relaxed) {
            let Ok(mut stream) = TcpStream::connect(self.address) else { continue };
            let head = format!("{head}Host: flood\r\nAuthorization: Bearer {token}\r\n\r\n");
            let limit = Some(Duration::from_millis(200));
            let set = stream.set_write_timeout(limit).and(stream.set_read_timeout(limit));
            let sent = set.and_then(|()| stream.write_all(head.as_bytes()).and(stream.write_all(&body)));
            let mut first = [0; 12];
            // A stream is answered with 200; half a body is let in while it is not answered.
            let answer = stream.read_exact(&mut first).ok().map(|()| first.ends_with(b"200"));
            let good = sent.is_ok() && answer.unwrap_or(!body.is_empty());
            self.counts.count(good);
            if good {
                open.push(stream);
            }
        }
        open
    }

    /// Twenty thousand jobs that wait: some must not start yet, some may cost next to nothing.
    fn fill(&self) {
        let cheap = json!({"walras": "job/1", "name": "cheap", "work": 10, "budget": 0.000001});
        let early = json!({"walras": "job/1", "name": "early", "work": 10_000, "budget": 10_000,
            "earliest": "2100-01-01T00:00:00Z"});
        let fill = |job: &Value| {
            let (body, mut stream, mut count) = (job.to_string(), None, 0);
            while count < 5_000 {
                let status = try_call(&mut stream, self.address, self.token(0), "POST", "/v1/jobs", &body);
                match status {
                    Some(201) => count += 1,
                    // As fast as one is let.
                    Some(429) => std::thread::sleep(Duration::from_millis(5)),
                    other => panic!("a job was answered with {other:?}"),
                }
            }
        };
        std::thread::scope(|scope| {
            for job in [&cheap, &early, &cheap, &early] {
                scope.spawn(|| fill(job));
            }
        });
    }
}
