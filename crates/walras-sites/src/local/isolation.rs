//! What keeps the programs of different users apart on this machine.
//!
//! Two things do, each by itself and best together. Under an account of their own, users cannot read each other's files or reach each
//! other's processes. In namespaces of its own, which `bwrap` makes (bubblewrap), a program sees no processes but its own, has its own
//! `/tmp` and shared memory, and where the service keeps its data it finds nothing but its own directory, under its usual path. Programs
//! that run as the service does see all files as they are and can change none but their own.
//!
//! Where users share an account and there are no namespaces, programs are kept behind a [`Fence`], which Linux itself has; wholly where that
//! account is not the service's.
//!
//! In either case nothing that is run gains privileges (`no_new_privs`), and the supervisor is out of reach: it has another account, or
//! it is in another namespace.
//!
//! Which of them the machine gives is tried out, once, when a site is opened: see [`Isolation`].

use super::account::{Account, Accounts};
use super::fence::{Fence, NAMES, Own};
use super::part::PartDirectory;
use crate::contract::SiteError;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where the programs are looked for that keep others apart.
const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// What a site wants of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Without it the site does not open.
    Required,
    /// What the machine gives.
    Preferred,
    /// As required, by Landlock alone.
    Landlock,
    /// Neither namespaces nor Landlock, also where there could be.
    Off,
}

/// What the machine gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    accounts: Accounts,
    cage: Result<Cage, String>,
    fence: Result<Fence, String>,
}

/// A way to run programs in namespaces of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cage {
    bwrap: PathBuf,
    setpriv: PathBuf,
    /// What there is nothing of inside: directories and files.
    hidden: Vec<PathBuf>,
    /// Whether programs run as the service does.
    as_service: bool,
}

/// What a program finds of its own inside.
pub(crate) struct Inside<'a> {
    pub(crate) part: &'a PartDirectory,
    pub(crate) work: &'a Path,
    /// What it shares with the other tasks of its workflow.
    pub(crate) shared: Option<&'a Path>,
    /// Where it begins.
    pub(crate) begins: &'a Path,
    pub(crate) script: bool,
}

impl Inside<'_> {
    /// What is its own where it runs behind a fence.
    pub(crate) fn spawn_behind(&self, fence: &Fence, command: &mut Command) -> std::io::Result<Child> {
        let (temporary, script) = (self.part.temporary(), self.part.script());
        let directories = [self.work, &temporary].into_iter().chain(self.shared).collect();
        fence.spawn(command, &Own { directories, script: self.script.then_some(script.as_path()) })
    }
}

fn find(program: &str) -> Result<PathBuf, String> {
    let places = PROGRAMS.split(':').map(|place| Path::new(place).join(program));
    places.into_iter().find(|path| path.is_file()).ok_or_else(|| format!("there is no {program}"))
}

impl Isolation {
    /// Tries out what the machine gives; `hidden` is what no program may see.
    pub fn probe(accounts: &Accounts, demand: Demand, hidden: &[PathBuf]) -> Result<Isolation, SiteError> {
        let account = accounts.any();
        if let Some(account) = account {
            can_be(account)?;
        }
        let as_service = matches!(accounts, Accounts::Service);
        let cage = match demand {
            Demand::Off | Demand::Landlock => Err("they are not wanted".to_owned()),
            Demand::Required | Demand::Preferred => {
                Cage::new(hidden, as_service).and_then(|cage| cage.probe(account).map(|()| cage))
            }
        };
        let fence = if demand == Demand::Off {
            Err("it is not wanted".to_owned())
        } else if accounts.are_own() || cage.is_ok() {
            Err("it is not needed".to_owned())
        } else {
            let own = rustix::process::geteuid().as_raw();
            Fence::probe(hidden, account.map_or(own, |account| account.uid))
        };
        let isolation = Isolation { accounts: accounts.clone(), cage, fence };
        if matches!(demand, Demand::Required | Demand::Landlock) && !isolation.is_there() {
            return Err(SiteError::Setup { key: "local.isolation", why: isolation.to_string() });
        }
        Ok(isolation)
    }

    /// Whether users are kept apart at all.
    pub fn is_there(&self) -> bool {
        self.accounts.are_own() || self.cage.is_ok() || (self.fence.is_ok() && !self.is_service())
    }

    fn is_service(&self) -> bool {
        matches!(self.accounts, Accounts::Service)
    }

    pub(crate) fn cage(&self) -> Option<Cage> {
        self.cage.clone().ok()
    }

    pub(crate) fn fence(&self) -> Option<Fence> {
        self.fence.clone().ok()
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.accounts.are_own(), &self.cage) {
            (false, Err(why)) if self.fence.is_ok() && self.is_service() => {
                write!(
                    f,
                    "in part: jobs of different users can lock each other and the service out of files whose names they know, \
                     and can neither read nor write them nor end each other's programs, by Landlock; no namespaces: {why}"
                )
            }
            (false, Err(why)) if self.fence.is_ok() => {
                write!(f, "files and signals by Landlock; no namespaces: {why}")
            }
            (true, Ok(_)) => f.write_str("accounts of their own, in namespaces by bwrap"),
            (false, Ok(_)) => f.write_str("namespaces by bwrap"),
            (true, Err(why)) => write!(f, "accounts of their own; no namespaces: {why}"),
            (false, Err(why)) => {
                let more =
                    if self.is_service() { ", and all that the service can, its tokens too" } else { "" };
                write!(
                    f,
                    "none: jobs of different users can read each other's files{more}; no namespaces: {why}"
                )?;
                match &self.fence {
                    Err(why) => write!(f, "; no Landlock: {why}"),
                    Ok(_) => Ok(()),
                }
            }
        }
    }
}

/// Whether the service may run programs under an account.
fn can_be(account: Account) -> Result<(), SiteError> {
    let own = rustix::process::geteuid();
    if own.as_raw() == account.uid {
        return Ok(());
    }
    let refused = |why: String| Err(SiteError::Setup { key: "local.uid", why });
    if !own.is_root() {
        return refused("only a service that runs as root can run programs as somebody else".to_owned());
    }
    let mut trial = Command::new("true");
    trial.uid(account.uid).gid(account.gid).current_dir("/").stdin(Stdio::null());
    match trial.status() {
        Ok(_) => Ok(()),
        Err(error) => refused(format!("nothing can be run as account {}: {error}", account.uid)),
    }
}

impl Cage {
    fn new(hidden: &[PathBuf], as_service: bool) -> Result<Cage, String> {
        let (bwrap, setpriv) = (find("bwrap")?, find("setpriv")?);
        let hidden = hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
        Ok(Cage { bwrap, setpriv, hidden, as_service })
    }

    /// Runs a program that does nothing.
    fn probe(&self, account: Option<Account>) -> Result<(), String> {
        let mut trial = Command::new(&self.bwrap);
        trial.args(self.outside()).arg("--").args(self.change(account)).arg("true");
        trial.current_dir("/").stdin(Stdio::null());
        let said = trial.output().map_err(|error| format!("{}: {error}", self.bwrap.display()))?;
        if said.status.success() {
            return Ok(());
        }
        let error = String::from_utf8_lossy(&said.stderr);
        Err(error.lines().next().unwrap_or("bwrap says nothing").to_owned())
    }

    /// The machine as it is, without what others have there.
    fn outside(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> =
            ["--die-with-parent", "--unshare-pid", "--unshare-ipc"].map(OsString::from).to_vec();
        let mut add = |more: &[&str]| words.extend(more.iter().map(OsString::from));
        if self.as_service {
            add(&["--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"]);
        } else {
            add(&["--dev-bind", "/", "/"]);
        }
        add(&["--proc", "/proc", "--perms", "1777", "--tmpfs", "/dev/shm"]);
        if self.as_service && Path::new("/run").is_dir() {
            // Sockets of others, through which one could do what the service may.
            add(&["--tmpfs", "/run"]);
            if let Some(names) = Path::new(NAMES).canonicalize().ok().filter(|path| path.starts_with("/run"))
            {
                words.push("--ro-bind".into());
                words.extend([names.clone().into_os_string(), names.into_os_string()]);
            }
        }
        words
    }

    /// What becomes another account, and cannot become more.
    fn change(&self, account: Option<Account>) -> Vec<OsString> {
        let mut words = vec![self.setpriv.clone().into_os_string()];
        if let Some(Account { uid, gid }) = account {
            words.extend([format!("--reuid={uid}"), format!("--regid={gid}")].map(OsString::from));
            words.extend(["--clear-groups", "--bounding-set=-all"].map(OsString::from));
        }
        words.extend(["--no-new-privs", "--"].map(OsString::from));
        words
    }

    /// What runs a program in namespaces of its own; the program and its arguments are yet to be said.
    pub(crate) fn command(&self, inside: &Inside<'_>, account: Option<Account>) -> Command {
        let mut command = Command::new(&self.bwrap);
        command.args(self.outside());
        let part = &inside.part.0;
        for shared in ["/tmp", "/var/tmp"].into_iter().filter(|path| Path::new(path).is_dir()) {
            command.arg("--bind").arg(part.join("tmp")).arg(shared);
        }
        for hidden in &self.hidden {
            if hidden.is_dir() {
                command.args(["--perms", "0755", "--tmpfs"]).arg(hidden);
            } else if hidden.exists() {
                command.args(["--ro-bind", "/dev/null"]).arg(hidden);
            }
        }
        command.args(["--perms", "0755", "--dir"]).arg(part);
        command.arg("--bind").args([inside.work, inside.work]);
        if let Some(shared) = inside.shared {
            command.arg("--bind").args([shared, shared]);
        }
        if inside.script {
            let script = inside.part.script();
            command.arg("--ro-bind").args([&script, &script]);
        }
        command.arg("--chdir").arg(inside.begins).arg("--").args(self.change(account));
        command
    }
}
