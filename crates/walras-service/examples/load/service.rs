//! The service under load, in a process of its own.

use crate::client::Client;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use walras_service::config::Config;

/// A service in another process.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) administrator: String,
    /// From the start of the process to the first answer.
    pub(crate) ready: Duration,
}

/// What the other process does.
pub(crate) fn serve(directory: &Path) {
    let config = Config::read(&directory.join("walras.toml")).unwrap();
    let executable = std::env::current_exe().unwrap();
    let started = |started: &walras_service::serve::Started| {
        std::fs::write(directory.join("address.draft"), started.address.to_string()).unwrap();
        std::fs::rename(directory.join("address.draft"), directory.join("address")).unwrap();
    };
    let stop = std::future::pending();
    walras_service::serve::serve(&config, "walras.toml", &executable, started, stop).unwrap();
}

impl Service {
    /// Starts one in a directory that has a configuration.
    pub(crate) fn start(directory: &Path) -> Service {
        let address = directory.join("address");
        let _ = std::fs::remove_file(&address);
        let begun = Instant::now();
        let mut command = Command::new(std::env::current_exe().unwrap());
        let child = command.arg("serve").arg(directory).stdin(Stdio::null()).spawn().unwrap();
        let address: SocketAddr = loop {
            if let Ok(text) = std::fs::read_to_string(&address) {
                break text.parse().unwrap();
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let token = std::fs::read_to_string(directory.join("data/administrator.token")).unwrap();
        let administrator = token.trim().to_owned();
        let mut client = Client::open(address, &administrator);
        assert_eq!(client.call("GET", "/v1/status", None).0, 200);
        Service { child, address, administrator, ready: begun.elapsed() }
    }

    /// Its resident memory in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.amount("VmRSS:")
    }

    /// The most that it ever was.
    pub(crate) fn memory_peak(&self) -> u64 {
        self.amount("VmHWM:")
    }

    fn amount(&self, of: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(of)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024
    }

    /// Users with money, and a token for each.
    pub(crate) fn users(&self, count: usize) -> Vec<String> {
        (0..count).map(|number| self.user(&format!("user{number}"), 1_000_000_000)).collect()
    }

    /// A user with so much money, and a token.
    pub(crate) fn user(&self, name: &str, amount: u64) -> String {
        let mut client = Client::open(self.address, &self.administrator);
        assert_eq!(client.call("PUT", &format!("/v1/users/{name}"), Some(&json!({}))).0, 200);
        let deposit = json!({"account": format!("user:{name}"), "amount": amount});
        if amount > 0 {
            assert_eq!(client.call("POST", "/v1/deposits", Some(&deposit)).0, 201);
        }
        let (status, body) = client.call("POST", "/v1/tokens", Some(&json!({"role": "user", "name": name})));
        assert_eq!(status, 201);
        let made: Value = serde_json::from_slice(&body).unwrap();
        made["secret"].as_str().unwrap().to_owned()
    }

    pub(crate) fn status(&self) -> Value {
        let (status, body) = Client::open(self.address, &self.administrator).call("GET", "/v1/status", None);
        assert_eq!(status, 200);
        serde_json::from_slice(&body).unwrap()
    }

    /// Kills it.
    pub(crate) fn kill(self) {
        drop(self);
    }
}

/// Also where whoever measures fails: nothing is left running.
impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory with a configuration: four sites of 250 nodes each, and cycles all the time.
pub(crate) fn directory(speed: u32, cycle: u32) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut text = format!(
        "listen = \"127.0.0.1:0\"\n[clock]\nspeed = {speed}\n[limits]\nrequests_per_second = 1000000\nburst = 1000000\nlisteners_each = 5000\nrequests_at_once = 5000\n\
         connections = 20000\nlisteners = 20000\n[policy]\ncycle_every = {cycle}\nlead = {cycle}\nprepare_within = {half}\n\
         confirm_within = {half}\noffers_within = {half}\nplan_within = {long}\ngrace = {long}\nhorizon = {horizon}\n\
         sharing = {{ user = {{ jobs = 1000000, keys = 4000000, bytes = 4000000000, quotes = 1000000, node_time = 1e10 }} }}\n",
        half = cycle / 2,
        long = cycle * 20,
        horizon = cycle * 2_000,
    );
    text += &sites(250);
    std::fs::write(directory.path().join("walras.toml"), text).unwrap();
    directory
}

fn sites(nodes: u32) -> String {
    let site = |name: &&str| {
        format!(
            "[[site]]\nname = \"{name}\"\nowner = \"{name}\"\nconnector = \"simulated\"\ncount = {nodes}\nprice = 0.001\n"
        )
    };
    ["north", "south", "east", "west"].iter().map(site).collect()
}

/// A directory with a configuration of four sites of 25 nodes each, ten seconds in one of the wall's, and every limit as it is
/// unless it is set.
pub(crate) fn ordinary() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        "listen = \"127.0.0.1:0\"\n[clock]\nspeed = 10\n[policy]\ncycle_every = 10\nlead = 10\nprepare_within = 5\n\
         confirm_within = 5\noffers_within = 5\nplan_within = 200\ngrace = 100\nhorizon = 20000\n{}",
        sites(25)
    );
    std::fs::write(directory.path().join("walras.toml"), text).unwrap();
    directory
}
