//! Programs kept from others' files and processes by Landlock, which Linux has for everybody: it needs neither root nor a program.
//!
//! A program behind a fence reads the machine beside what is hidden, writes in its own directories alone, and neither sends signals to
//! what runs outside nor looks into it. What a fence cannot give is a `/tmp` of one's own: there is none, and `TMPDIR` names another place.
//! Shared memory is reached by those who know its name. Sockets with a path are open to who may connect to them before Linux 7.1, so that
//! there is no fence for an account with a session, whose manager would run anything outside.
//!
//! Landlock leaves open who may change the mode of a file, its owner and its times: those of an account may, of all its files whose names they
//! know. Where programs have an account that is not the service's, that is nothing of others: what is theirs there has names that nobody can
//! guess, and scripts belong to the service. Programs that run as the service can lock it and others out of what they need, so that
//! a fence keeps users apart in part alone there.
//!
//! Rules only ever allow, and what is allowed for a directory is allowed for all below. So a hidden path is left out by allowing what lies
//! beside it, and beside each directory above: with `/srv/data` hidden, all of `/` but `/srv`, and all of `/srv` but `data`. Links are not
//! followed for that: what they lead to is allowed where it lies.
//!
//! One thread goes behind the fence, starts the program, and ends; the supervisor stays outside. Time and rules in proportion to the
//! entries of the directories above what is hidden.

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use serde::{Deserialize, Serialize};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{Builder, scope};

/// What is hidden from everybody: what programs leave for each other, and sockets of others.
const HIDDEN: [&str; 6] = ["/tmp", "/var/tmp", "/run", "/var/run", "/dev/shm", "/dev/mqueue"];
/// Where programs find memory that they share, by its name.
const MEMORY: &str = "/dev/shm";
/// Where it is said who knows the names of the network; often a link to what is hidden.
pub(super) const NAMES: &str = "/etc/resolv.conf";
/// More is not allowed one by one.
const PATHS_MAX: usize = 20_000;

/// What programs are kept behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fence {
    /// What there is nothing of inside, by its true path.
    hidden: Vec<PathBuf>,
}

/// What a program has of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own<'a> {
    /// Directories with which it does what it likes.
    pub(crate) directories: Vec<&'a Path>,
    /// The file that it is.
    pub(crate) script: Option<&'a Path>,
}

fn reads() -> BitFlags<AccessFs> {
    AccessFs::from_read(ABI::V5)
}

/// What one does with a device.
fn uses() -> BitFlags<AccessFs> {
    reads() | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev
}

/// What one does with memory whose name one knows.
fn shares() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::MakeReg | AccessFs::RemoveFile
}

/// Allows something below a path; what is not there needs no rule.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    what: BitFlags<AccessFs>,
) -> std::result::Result<RulesetCreated, RulesetError> {
    let Ok(open) = PathFd::new(path) else { return Ok(rules) };
    let fitting = if path.is_dir() { what } else { what & AccessFs::from_file(ABI::V5) };
    rules.add_rule(PathBeneath::new(open, fitting))
}

/// What lies below a directory beside what is hidden.
fn beside(directory: &Path, hidden: &[PathBuf], found: &mut Vec<PathBuf>) -> Result<()> {
    // Of what cannot be listed nothing is allowed.
    let Ok(entries) = std::fs::read_dir(directory) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if hidden.contains(&path) || entry.file_type()?.is_symlink() {
            continue;
        }
        if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            beside(&path, hidden, found)?;
        } else if found.len() < PATHS_MAX {
            found.push(path);
        } else {
            let why = format!("more than {PATHS_MAX} files and directories lie beside what is hidden");
            return Err(Error::other(why));
        }
    }
    Ok(())
}

impl Fence {
    /// One that hides some paths from programs of an account; tried out by running a program that does nothing.
    pub(crate) fn probe(hidden: &[PathBuf], account: u32) -> std::result::Result<Fence, String> {
        if account == 0 {
            return Err("programs of root are not kept by it".to_owned());
        }
        let session = PathBuf::from(format!("/run/user/{account}/bus"));
        if session.exists() {
            return Err(format!("programs could reach the session of their account ({})", session.display()));
        }
        let all = hidden.iter().map(PathBuf::as_path).chain(HIDDEN.map(Path::new));
        let fence = Fence { hidden: all.filter_map(|path| path.canonicalize().ok()).collect() };
        let mut trial = Command::new("true");
        trial.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let ended = fence.spawn(&mut trial, &Own::default()).and_then(|mut child| child.wait());
        match ended {
            Ok(ended) if ended.success() => Ok(fence),
            Ok(_) => Err("a program that does nothing fails behind it".to_owned()),
            Err(error) => Err(format!("{error} (Linux 6.12 has all of it)")),
        }
    }

    /// Starts a program behind it.
    pub(crate) fn spawn(&self, command: &mut Command, own: &Own<'_>) -> Result<Child> {
        scope(|scope| {
            let inside = Builder::new().spawn_scoped(scope, || {
                self.enter(own)?;
                command.spawn()
            })?;
            inside.join().unwrap_or_else(|_| Err(Error::other("what was to go behind the fence has stopped")))
        })
    }

    /// The calling thread goes behind it, with all that it will start.
    fn enter(&self, own: &Own<'_>) -> Result<()> {
        let mut open = Vec::new();
        beside(Path::new("/"), &self.hidden, &mut open)?;
        self.close(&open, own).map_err(Error::other)
    }

    fn close(&self, open: &[PathBuf], own: &Own<'_>) -> std::result::Result<(), RulesetError> {
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V5))?
            .scope(Scope::from_all(ABI::V6))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::ResolveUnix)?
            .create()?;
        for path in open {
            rules = allow(rules, path, if path.starts_with("/dev") { uses() } else { reads() })?;
        }
        rules = allow(rules, Path::new(MEMORY), shares())?;
        rules = allow(rules, Path::new(NAMES), AccessFs::ReadFile.into())?;
        for directory in &own.directories {
            rules = allow(rules, directory, AccessFs::from_all(ABI::V9))?;
        }
        if let Some(script) = own.script {
            rules = allow(rules, script, reads())?;
        }
        rules.restrict_self().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::beside;
    use std::path::PathBuf;

    #[test]
    fn what_is_hidden_is_left_out_and_all_beside_it_is_there() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for directory in ["srv/data/site", "srv/pub", "usr/bin", "home"] {
            std::fs::create_dir_all(root.join(directory)).unwrap();
        }
        std::fs::write(root.join("srv/file"), "").unwrap();
        // A link that leads to what is hidden.
        std::os::unix::fs::symlink(root.join("srv/data"), root.join("usr-data")).unwrap();
        let hidden = ["srv/data", "home", "nowhere/at/all"].map(|path| root.join(path));
        let mut found = Vec::new();
        beside(&root, &hidden, &mut found).unwrap();
        found.sort();
        let expected: Vec<PathBuf> = ["srv/file", "srv/pub", "usr"].map(|path| root.join(path)).to_vec();
        assert_eq!(found, expected);
    }
}
