//! A service on this machine, as its own process, and somebody who uses it by the command line.

use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Sixteen nodes of this machine, and words of batch systems.
const CONFIG: &str = r#"
listen = "127.0.0.1:0"
data = "data"

[policy]
cycle_every = 1
horizon = 7200
lead = 1
offers_within = 5
plan_within = 30
prepare_within = 10
confirm_within = 10

[batch.account.physics]
group = "physics"
budget = 900

[batch.partition.short]
sites = ["here"]

[batch.qos.high]
priority = 10

[[site]]
name = "here"
owner = "you"
connector = "local"
count = 16
price = 0.01
attributes = { cores = 8, memory_gb = 16, gpus = 2, gpu_type = "a100", ib = true }
"#;

/// A service on this machine, and who uses it.
pub(crate) struct Vo {
    directory: tempfile::TempDir,
    service: Option<Child>,
    url: String,
    token: String,
}

impl Drop for Vo {
    fn drop(&mut self) {
        if let Some(service) = &mut self.service {
            let _ = service.kill();
            let _ = service.wait();
        }
    }
}

impl Vo {
    pub(crate) fn open() -> Vo {
        Vo::with("")
    }

    /// With more in its configuration, before the sites.
    pub(crate) fn with(more: &str) -> Vo {
        let directory = tempfile::tempdir().unwrap();
        let (before, sites) = CONFIG.split_once("[[site]]").unwrap();
        fs::write(directory.path().join("walras.toml"), format!("{before}{more}\n[[site]]{sites}")).unwrap();
        let mut vo = Vo { directory, service: None, url: String::new(), token: String::new() };
        vo.start();
        vo.token = fs::read_to_string(vo.path().join("data/administrator.token")).unwrap();
        vo.done(&["user", "set", "ada", "--group", "physics"]);
        vo.done(&["deposit", "user:ada", "1000"]);
        vo.token = vo.done(&["token", "make", "user", "ada"]);
        vo
    }

    /// Starts the service, with whatever is there already.
    pub(crate) fn start(&mut self) {
        let mut command = Command::new(cargo_bin("walras"));
        command.current_dir(self.path()).args(["serve", "--config", "walras.toml"]);
        let mut service = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines: Vec<String> =
            BufReader::new(service.stdout.take().unwrap()).lines().take(2).map(Result::unwrap).collect();
        self.url = format!("http://{}", lines[0].split_once("://").expect("it says where it listens").1);
        self.service = Some(service);
    }

    /// Ends the service as a power cut would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut service) = self.service.take() {
            service.kill().unwrap();
            service.wait().unwrap();
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// `walras` as ada calls it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo_bin("walras"));
        command.current_dir(self.path()).args(arguments).env("LAB", "7").env("TZ", "UTC");
        command.env("WALRAS_URL", &self.url).env("WALRAS_TOKEN", self.token.trim());
        command.env("XDG_CONFIG_HOME", self.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn walras(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self.command(arguments).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// What it printed, when it was content.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let output = self.walras(arguments, "");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// Submits a script by its text; its number.
    pub(crate) fn submit(&self, name: &str, text: &str, arguments: &[&str]) -> String {
        fs::write(self.path().join(name), text).unwrap();
        let printed = self.done(&[&["submit", name], arguments].concat());
        printed.trim().strip_prefix("job ").unwrap().to_owned()
    }

    /// Exit code and complaint of a call that is refused.
    pub(crate) fn refused(&self, arguments: &[&str], input: &str) -> (Option<i32>, String) {
        let output = self.walras(arguments, input);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}
