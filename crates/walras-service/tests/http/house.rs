//! A service with users, owners, sites and something in it, for tests to call.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use walras_service::config::Config;
use walras_service::serve::serve;

const CONFIG: &str = r#"
listen = "127.0.0.1:0"
data = "DATA"
[limits]
requests_per_second = 100000
burst = 100000
[policy]
cycle_every = 3600
lead = 3600
prepare_within = 5
confirm_within = 5
offers_within = 5
horizon = 86400
[[site]]
name = "north"
owner = "olga"
connector = "simulated"
count = 2
price = 0.5
[[site]]
name = "south"
owner = "otto"
connector = "simulated"
count = 2
price = 1.5
"#;

/// A running service.
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) administrator: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _data: TempDir,
}

/// Ten minutes in a second, on two nodes of one simulated site; `POLICY` and `SIMULATED` are what is tried.
const LIVELY: &str = r#"
listen = "127.0.0.1:0"
data = "DATA"
[clock]
speed = 600
[limits]
requests_per_second = 100000
burst = 100000
[policy]
cycle_every = 300
prepare_within = 3000
confirm_within = 3000
offers_within = 3000
plan_within = 60000
grace = 12000
attempts_max = 100
horizon = 864000
POLICY
[[site]]
name = "north"
owner = "olga"
connector = "simulated"
count = 2
price = 0.001
simulated = SIMULATED
"#;

impl House {
    pub(crate) fn open() -> House {
        House::with(CONFIG)
    }

    /// One in which time runs fast, and jobs end within seconds.
    pub(crate) fn fast() -> House {
        let rules = "[clock]\nspeed = 60\n[policy]\ncycle_every = 60\nlead = 60\nprepare_within = 30\n\
                     confirm_within = 30\noffers_within = 20\nmoney = { fee = 0.1 }\n";
        let (before, rest) = CONFIG.split_once("[policy]").unwrap();
        let (_, sites) = rest.split_once("[[site]]").unwrap();
        House::with(&format!("{before}{rules}[[site]]{sites}"))
    }

    /// One in which ten minutes pass in a second, with one more line of its policy, and what its site is like.
    pub(crate) fn lively(policy: &str, simulated: &str) -> House {
        House::with(&LIVELY.replace("POLICY", policy).replace("SIMULATED", simulated))
    }

    /// With another configuration, whose directory is called `DATA`.
    pub(crate) fn with(config: &str) -> House {
        let data = tempfile::tempdir().unwrap();
        let text = config.replace("DATA", data.path().to_str().unwrap());
        let config = Config::parse(&text, "test.toml").unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (sender, started) = channel();
        let thread = std::thread::spawn(move || {
            let stopped = async {
                let _ = stopped.await;
            };
            let tell = |started: &walras_service::serve::Started| sender.send(started.clone()).unwrap();
            serve(&config, "test.toml", std::path::Path::new("/bin/false"), tell, stopped).unwrap();
        });
        let started = started.recv_timeout(Duration::from_secs(20)).unwrap();
        let administrator = std::fs::read_to_string(&started.token_file).unwrap().trim().to_owned();
        let address = started.address;
        House { address, administrator, stop: Some(stop), thread: Some(thread), _data: data }
    }

    /// Makes a token; gives its number and its secret.
    pub(crate) fn token(&self, role: &str, name: &str) -> (u64, String) {
        let body = json!({"role": role, "name": name});
        let made = self.call("post", "/v1/tokens", Some(&self.administrator), Some(&body)).json(201);
        (made["token"]["token"].as_u64().unwrap(), made["secret"].as_str().unwrap().to_owned())
    }

    /// Adds a user with money.
    pub(crate) fn user(&self, name: &str) -> String {
        let admin = Some(self.administrator.as_str());
        self.call("put", &format!("/v1/users/{name}"), admin, Some(&json!({"group": "physics"}))).json(200);
        let deposit = json!({"account": format!("user:{name}"), "amount": 1000});
        self.call("post", "/v1/deposits", admin, Some(&deposit)).json(201);
        self.token("user", name).1
    }

    /// Signs a browser in; gives the cookie that it keeps.
    pub(crate) fn sign_in(&self, token: &str) -> String {
        let answer = self.call("post", "/v1/session", None, Some(&json!({"token": token})));
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.cookie()
    }

    pub(crate) fn call(&self, method: &str, path: &str, token: Option<&str>, body: Option<&Value>) -> Answer {
        let headers = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        self.call_with(method, path, &headers, body)
    }

    pub(crate) fn call_with(&self, method: &str, path: &str, headers: &str, body: Option<&Value>) -> Answer {
        self.send(method, path, headers, body.map(Value::to_string))
    }

    /// Sends a body to the letter.
    pub(crate) fn raw(&self, method: &str, path: &str, token: &str, body: &str) -> Answer {
        self.send(method, path, &format!("Authorization: Bearer {token}\r\n"), Some(body.to_owned()))
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: Option<String>) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let kind = body.as_ref().map_or(String::new(), |body| {
            format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len())
        });
        let method = method.to_uppercase();
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}{kind}\r\n");
        stream.write_all(format!("{head}{}", body.unwrap_or_default()).as_bytes()).unwrap();
        // A stream of events never ends: its head is enough.
        let streams = path.starts_with("/v1/events");
        let mut bytes = Vec::new();
        let mut part = [0_u8; 65_536];
        loop {
            let count = stream.read(&mut part).unwrap_or(0);
            bytes.extend_from_slice(&part[..count]);
            let head = bytes.windows(4).any(|it| it == b"\r\n\r\n");
            if count == 0 || (streams && head) {
                return Answer::read(&bytes);
            }
        }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// What the service answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn read(bytes: &[u8]) -> Answer {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text.as_str(), ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// The cookie that it sets, as a browser sends it back.
    pub(crate) fn cookie(&self) -> String {
        let line = self.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        line.split(';').next().unwrap().to_owned()
    }

    /// Its body, when it has this status.
    pub(crate) fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A job that anybody may send.
pub(crate) fn job(name: &str) -> Value {
    json!({"walras": "job/1", "name": name, "work": 60, "budget": 500})
}
