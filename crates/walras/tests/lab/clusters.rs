//! The clusters themselves: started, asked, broken.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The three clusters, which are gone when this is dropped.
pub(crate) struct Clusters {
    directory: tempfile::TempDir,
}

/// All there are.
pub(crate) const ALL: [&str; 3] = ["north", "south", "east"];

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/lab")
}

impl Clusters {
    pub(crate) fn start() -> Clusters {
        // Paths of sockets are short, and everybody may pass through them.
        let open = std::fs::Permissions::from_mode(0o711);
        let directory = tempfile::Builder::new().prefix("lab").permissions(open).tempdir_in("/tmp").unwrap();
        let clusters = Clusters { directory };
        clusters.lab(&["up"]);
        clusters
    }

    /// Calls the script, which must succeed.
    pub(crate) fn lab(&self, arguments: &[&str]) -> String {
        let output = Command::new(script()).args(arguments).env("WALRAS_LAB", self.path()).output().unwrap();
        assert!(output.status.success(), "scripts/lab {arguments:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Where everything of theirs is.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("lab")
    }

    /// Calls a program of Slurm's on one of them.
    pub(crate) fn slurm(&self, cluster: &str, words: &[&str]) -> Output {
        let conf = self.path().join(cluster).join("slurm.conf");
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("SLURM_CONF", conf).env("TZ", "UTC").env("SLURM_TIME_FORMAT", "%s");
        command.output().unwrap()
    }

    /// What such a program prints.
    pub(crate) fn ask(&self, cluster: &str, words: &[&str]) -> String {
        let output = self.slurm(cluster, words);
        assert!(output.status.success(), "{cluster}: {words:?}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The names of our reservations on a cluster.
    pub(crate) fn reservations(&self, cluster: &str) -> Vec<String> {
        let text = self.ask(cluster, &["scontrol", "-o", "show", "reservation"]);
        let names = text.lines().filter_map(|line| line.strip_prefix("ReservationName=")?.split(' ').next());
        names.filter(|name| name.starts_with("walras-")).map(str::to_owned).collect()
    }

    /// The names of our jobs that wait or run on a cluster.
    pub(crate) fn jobs(&self, cluster: &str) -> Vec<String> {
        let text = self.ask(cluster, &["squeue", "-h", "-a", "-o", "%j"]);
        text.lines().filter(|name| name.starts_with("walras-")).map(str::to_owned).collect()
    }

    /// Kills a controller as a loss of power would, and starts it again.
    pub(crate) fn restart_controller(&self, cluster: &str) {
        self.lab(&["ctld-stop", cluster, "KILL"]);
        self.lab(&["ctld-start", cluster]);
    }
}

impl Drop for Clusters {
    fn drop(&mut self) {
        let purged = Command::new(script()).arg("purge").env("WALRAS_LAB", self.path()).status();
        if !std::thread::panicking() {
            assert!(purged.unwrap().success());
        }
    }
}

pub(crate) fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
