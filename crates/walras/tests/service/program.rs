//! The program: started, stopped, killed.

use crate::http::{Answer, Call};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program that is tested.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_walras");

/// Rules by which everything happens within seconds.
const BRISK: &str = r#"
[policy]
cycle_every = 1
lead = 0.8
prepare_within = 0.4
confirm_within = 0.4
offers_within = 0.3
"#;

/// A site with some nodes, for the end of a configuration.
pub(crate) const NORTH: &str = r#"
[[site]]
name = "north"
owner = "olga"
connector = "simulated"
count = 4
price = 0.5
"#;

/// A directory with a configuration, in which services are started.
pub(crate) struct ServiceHome {
    directory: tempfile::TempDir,
}

/// What a failed test leaves is what there is to find its cause by: a chance of time is not met again.
impl Drop for ServiceHome {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.directory.disable_cleanup(true);
            eprintln!("kept to be looked at: {}", self.directory.path().display());
        }
    }
}

/// A running service; killed when dropped.
pub(crate) struct Service {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
}

impl ServiceHome {
    /// With this configuration; `listen` and `data` come before it.
    pub(crate) fn new(config: &str) -> ServiceHome {
        let directory = tempfile::tempdir().unwrap();
        let text = format!("listen = \"127.0.0.1:0\"\ndata = \"data\"\n{config}");
        fs::write(directory.path().join("walras.toml"), text).unwrap();
        ServiceHome { directory }
    }

    /// With this configuration, and everything else such that things happen within seconds.
    pub(crate) fn brisk(config: &str) -> ServiceHome {
        ServiceHome::new(&format!("{config}{BRISK}{NORTH}"))
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// What services said on standard error, all together.
    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.path("log")).unwrap_or_default()).into_owned()
    }

    /// The administrator's token.
    pub(crate) fn token(&self) -> String {
        fs::read_to_string(self.path("data/administrator.token")).unwrap().trim().to_owned()
    }

    /// Starts a service, by way of another program where one is given.
    pub(crate) fn start(&self, level: &str, by: &[&str]) -> Service {
        let log = OpenOptions::new().create(true).append(true).open(self.path("log")).unwrap();
        let mut words = by.to_vec();
        words.extend([PROGRAM, "serve", "--config", "walras.toml"]);
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.directory.path()).env("WALRAS_LOG", level);
        let mut child = command.stdout(Stdio::piped()).stderr(log).stdin(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.trim().rsplit_once("://").and_then(|(_, address)| address.parse().ok());
        let Some(address) = address else {
            let mut rest = String::new();
            let _ = said.read_to_string(&mut rest);
            panic!("the service did not start: {line}{rest}{}", self.log());
        };
        Service { child, address }
    }

    /// Runs another command of the program here.
    pub(crate) fn walras(&self, arguments: &[&str]) -> Output {
        Command::new(PROGRAM).args(arguments).current_dir(self.directory.path()).output().unwrap()
    }

    /// The journal is clean and replays to the same bytes.
    pub(crate) fn check_journal(&self) {
        let audited = self.walras(&["audit", "data"]);
        let said = String::from_utf8_lossy(&audited.stdout).into_owned();
        let error = String::from_utf8_lossy(&audited.stderr).into_owned();
        assert_eq!(audited.status.code(), Some(0), "audit: {said}{error}");
        let replayed = self.walras(&["replay", "data/journal.db"]);
        let said: String = String::from_utf8_lossy(&replayed.stdout).chars().take(4_000).collect();
        assert_eq!(replayed.status.code(), Some(0), "replay: {said}");
        assert!(said.starts_with("identical: "), "{said}");
        let exported = self.walras(&["journal", "export", "data"]);
        let text = String::from_utf8(exported.stdout).unwrap();
        assert!(text.starts_with("{\"format\":\"walras.journal/2\"}\n"), "{text:.100}");
        let count = text.lines().count() - 1;
        assert!(said.starts_with(&format!("identical: {count} entries")), "{count} were exported: {said}");
    }

    /// Nothing has panicked.
    pub(crate) fn check_log(&self) {
        let log = self.log();
        let panicked = log.lines().find(|line| line.contains("panicked"));
        assert_eq!(panicked, None);
    }
}

impl Service {
    /// Asks, and expects an answer.
    pub(crate) fn ask(&self, call: &Call) -> Answer {
        call.ask(self.address).unwrap_or_else(|error| panic!("{call:?}: {error}"))
    }

    /// Asks, and expects this status.
    pub(crate) fn expect(&self, call: &Call, status: u16) -> Answer {
        let answer = self.ask(call);
        assert_eq!(answer.status, status, "{} {}: {}", call.method, call.path, answer.body);
        answer
    }

    /// Kills it at once, as a loss of power would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end, and says how long that took.
    pub(crate) fn stop(&mut self) -> Duration {
        let begun = Instant::now();
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "a graceful stop");
        begun.elapsed()
    }

    /// A new token.
    pub(crate) fn make_token(&self, administrator: &str, role: &str, name: &str) -> String {
        let body = json!({ "role": role, "name": name });
        let made = self.expect(&Call::send("POST", "/v1/tokens", administrator, &body), 201).json();
        made["secret"].as_str().unwrap().to_owned()
    }

    /// A new user with money and a token.
    pub(crate) fn make_user(&self, administrator: &str, name: &str, credits: u32) -> String {
        self.expect(&Call::send("PUT", format!("/v1/users/{name}"), administrator, &json!({})), 200);
        let deposit = json!({ "account": format!("user:{name}"), "amount": credits });
        self.expect(&Call::send("POST", "/v1/deposits", administrator, &deposit), 201);
        self.make_token(administrator, "user", name)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until something holds.
pub(crate) fn wait_for(what: &str, most: Duration, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < most, "{what}: not after {most:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A number from the environment, for `make soak`.
pub(crate) fn number_from(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The lines of a file; none when there is no file.
pub(crate) fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}
