//! The demo's directory: what it holds, and what people are told about it.

use crate::failure::Failure;
use crate::files;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Files that are written where they are missing, so that people can read and change them.
const FILES: [(&str, &str); 10] = [
    ("walras.toml", include_str!("../../demo/walras.toml")),
    ("jobs/single.yaml", include_str!("../../demo/jobs/single.yaml")),
    ("jobs/parallel.yaml", include_str!("../../demo/jobs/parallel.yaml")),
    ("jobs/bag.yaml", include_str!("../../demo/jobs/bag.yaml")),
    ("jobs/gpu.yaml", include_str!("../../demo/jobs/gpu.yaml")),
    ("jobs/impossible.yaml", include_str!("../../demo/jobs/impossible.yaml")),
    ("jobs/quoted.yaml", include_str!("../../demo/jobs/quoted.yaml")),
    ("jobs/workflow.yaml", include_str!("../../demo/jobs/workflow.yaml")),
    ("jobs/hello.yaml", include_str!("../../demo/jobs/hello.yaml")),
    ("jobs/report.sh", include_str!("../../demo/jobs/report.sh")),
];
/// The longest token file.
const TOKEN_BYTES_MAX: usize = 1 << 12;

/// The directory.
pub(super) struct DemoHome {
    pub(super) directory: PathBuf,
    /// Whether the demo has run here before.
    pub(super) found: bool,
}

impl DemoHome {
    /// Makes what is missing.
    pub(super) fn open(directory: &Path) -> Result<DemoHome, Failure> {
        let home =
            DemoHome { directory: directory.to_owned(), found: directory.join("data/journal.db").exists() };
        for inner in ["jobs", "tokens"] {
            let path = directory.join(inner);
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
            made.map_err(|error| Failure::Input(format!("{}: cannot be made: {error}", path.display())))?;
        }
        for (name, text) in FILES {
            let path = directory.join(name);
            if !path.exists() {
                files::write(&path, text)?;
            }
        }
        Ok(home)
    }

    pub(super) fn config(&self) -> PathBuf {
        self.directory.join("walras.toml")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.directory.join("service.log")
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.directory.join("data/journal.db")
    }

    pub(super) fn job(&self, name: &str) -> PathBuf {
        self.directory.join("jobs").join(name)
    }

    fn token_file(&self, name: &str) -> PathBuf {
        self.directory.join("tokens").join(name)
    }

    /// The token of somebody, when there is one.
    pub(super) fn token(&self, name: &str) -> Option<String> {
        files::read_text(&self.token_file(name), TOKEN_BYTES_MAX).ok()
    }

    /// Keeps a token where only this user can read it.
    pub(super) fn keep_token(&self, name: &str, secret: &str) -> Result<(), Failure> {
        let path = self.token_file(name);
        let cannot = |error| Failure::Input(format!("{}: cannot be written: {error}", path.display()));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(cannot(error)),
            _ => {}
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        file.and_then(|mut file| writeln!(file, "{secret}")).map_err(cannot)
    }
}
