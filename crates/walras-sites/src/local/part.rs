//! The directory of a part that runs on this machine, and what is in it.
//!
//! | name | what | who writes it |
//! | --- | --- | --- |
//! | `task.json` | what to run, and under which limits | the connector |
//! | `control` | a pipe; a byte in it means: stop | the connector makes it |
//! | `begun.json` | which supervisor has begun, and when; its time of change says when it was last there | whoever is first, once |
//! | `ended.json` | how and when it ended | whoever is first, once |
//! | `script` | the text of the job's program | the supervisor |
//! | `work-…/` | the program's own directory, by a name that nobody can guess: its output is here | the program |
//! | `tmp/` | its `/tmp`, where it runs in namespaces of its own, or `TMPDIR` behind a fence as the service; gone when it ends | the program |
//!
//! A file that is written once is written under another name, made durable, and linked to its own: it is there whole or not
//! at all, and the second to come sees that there was a first.

use super::account::Account;
use super::fence::Fence;
use super::group::{Group, Used};
use super::isolation::Cage;
use super::process::Identity;
use super::share::ProcessLimits;
use super::told::{Placed, Usual, environment, filled_in, outputs_of};
use crate::contract::{JobNumber, PartEnd, SiteError, Start, StartPart, Stream};
use rustix::fs::{AtFlags, CWD, OFlags, Timespec, Timestamps, UTIME_NOW, utimensat};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use walras_broker::job::NOWHERE;

/// The largest control file that is read.
const BYTES_MAX: u64 = 64 << 20;
/// Where output goes that has no name of its own.
pub(crate) const OUTPUT: &str = "output";

/// What a supervisor is asked to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Task {
    /// The argument vector; the arguments of the script, where there is one.
    pub(crate) command: Vec<String>,
    /// The text of a program that begins with `#!`.
    pub(crate) script: Option<String>,
    /// The file for what it prints, by its path in the program's directory.
    pub(crate) output: String,
    /// The same for its complaints; in one file with the rest, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// Where it begins; in its own directory, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) directory: Option<String>,
    /// Why it is not run at all; its output says so.
    pub(crate) refused: Option<String>,
    /// All that its environment holds, beside its home.
    pub(crate) environment: Vec<(String, String)>,
    /// It must not begin before this, in milliseconds since 1970; at once, without.
    #[serde(default)]
    pub(crate) begins: i64,
    /// When it must have ended, in milliseconds since 1970.
    pub(crate) until: i64,
    /// How long it has between being asked to end and being killed, in milliseconds.
    pub(crate) grace: u64,
    /// What it may use.
    pub(crate) limits: ProcessLimits,
    /// As whom it runs; as the service does, without.
    pub(crate) uid: Option<u32>,
    /// With which group.
    pub(crate) gid: Option<u32>,
    /// The namespaces that it runs in; those of the service, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cage: Option<Cage>,
    /// What it is kept behind; nothing, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fence: Option<Fence>,
    /// The control group that it runs in; that of the service, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<Group>,
    /// What its own directory is called.
    #[serde(default = "plain_work")]
    pub(crate) work: String,
    /// The directory that it shares with the other tasks of its workflow, in which it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shared: Option<PathBuf>,
    /// Where the files lie that come with its job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) brought: Option<PathBuf>,
    /// Whether it begins only when it was told that all sites of its window are ready.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) together: bool,
    /// Whether nothing else runs on its hold, which ends with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) alone: bool,
    /// What these are called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) inputs: Vec<String>,
    /// The files without which it has not ended well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outputs: Vec<String>,
}

fn plain_work() -> String {
    "work".to_owned()
}

/// What surrounds every program of a site.
pub(crate) struct Surroundings<'a> {
    /// Where programs are looked for, and in which language they speak.
    pub(crate) usual: Usual<'a>,
    /// How long a program has between being asked to end and being killed.
    pub(crate) grace: Duration,
}

impl Task {
    /// What to run for a part, in its place; when is yet to be said.
    pub(crate) fn new(
        start: &Start<'_>,
        part: &StartPart,
        placed: &Placed<'_>,
        site: &Surroundings<'_>,
    ) -> Task {
        let program = start.program;
        let said = &program.particulars;
        let name = |pattern: &str| filled_in(pattern, start, part, placed.node);
        let output = program.output.as_deref().map_or_else(|| OUTPUT.to_owned(), name);
        let error = said.error.as_deref().map(name).filter(|error| *error != output);
        let bad = [Some(&output), error.as_ref()].into_iter().flatten().find_map(|name| {
            bad_file_name(name).map(|why| format!("bad name of the output file {name:?}: {why}"))
        });
        // What a task says itself goes over what its job says for all.
        let own = part.program.as_deref().filter(|own| own.runs());
        let (command, script) =
            own.map_or((&program.command, &program.script), |own| (&own.command, &own.script));
        Task {
            alone: false,
            together: start.together,
            command: command.clone(),
            script: script.clone(),
            output: if bad.is_some() { OUTPUT.to_owned() } else { output },
            error: error.filter(|_| bad.is_none()),
            directory: said.directory.clone(),
            refused: bad,
            environment: environment(start, part, placed, &site.usual),
            begins: 0,
            until: 0,
            grace: u64::try_from(site.grace.as_millis()).unwrap_or(u64::MAX),
            limits: ProcessLimits::default(),
            uid: None,
            gid: None,
            cage: None,
            fence: None,
            group: None,
            work: plain_work(),
            shared: None,
            brought: None,
            inputs: said.inputs.keys().cloned().collect(),
            outputs: outputs_of(start, part),
        }
    }

    /// The name of the file with what it prints to a stream; none where that is thrown away.
    pub(crate) fn file_of(&self, stream: Stream) -> Option<&str> {
        let name = match (stream, &self.error) {
            (Stream::Error, Some(error)) => error,
            (Stream::Error, None) | (Stream::Output, _) => &self.output,
        };
        Some(name.as_str()).filter(|name| *name != NOWHERE)
    }

    /// Whether it is of a job, by what is told its program.
    pub(crate) fn is_of(&self, job: JobNumber) -> bool {
        let job = job.to_string();
        self.environment.iter().any(|(name, value)| name == "WALRAS_JOB" && *value == job)
    }

    /// As whom it runs; as the service does, without.
    pub(crate) fn account(&self) -> Option<Account> {
        Some(Account { uid: self.uid?, gid: self.gid? })
    }

    /// Whether it has a directory for what is of use only while it runs.
    pub(crate) fn has_temporary(&self) -> bool {
        self.cage.is_some() || (self.fence.is_some() && !self.passes_through())
    }

    /// Whether the program itself comes to its directory through those above it.
    pub(crate) fn passes_through(&self) -> bool {
        self.uid.is_some() && self.cage.is_none()
    }
}

/// Who has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// The supervisor; none when the part was given up before any had begun.
    pub(crate) supervisor: Option<Identity>,
    /// When, in milliseconds since 1970.
    pub(crate) at: i64,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// When, in milliseconds since 1970.
    pub(crate) at: i64,
    /// Whether it ended well, and if not, how.
    pub(crate) end: PartEnd,
    /// What it used, where that is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) used: Option<Used>,
}

/// The directory of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartDirectory(pub(crate) PathBuf);

/// Makes a directory and those above it; with `open`, others may pass through it.
pub fn make_directory(path: &Path, open: bool) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(if open { 0o711 } else { 0o700 }).create(path)?;
    // Whatever the service's umask says.
    if open { std::fs::set_permissions(path, Permissions::from_mode(0o711)) } else { Ok(()) }
}

impl PartDirectory {
    /// The program's own directory, once it is known what to run.
    pub(crate) fn work(&self) -> PathBuf {
        let task: Option<Task> = self.read("task.json").ok().flatten();
        self.work_of(task.as_ref())
    }

    pub(crate) fn work_of(&self, task: Option<&Task>) -> PathBuf {
        self.0.join(task.map_or("work", |task| task.work.as_str()))
    }

    /// The control group that its program was started in.
    pub(crate) fn group(&self) -> Option<Group> {
        let task: Option<Task> = self.read("task.json").ok().flatten();
        task?.group
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.0.join("tmp")
    }

    pub(crate) fn control(&self) -> PathBuf {
        self.0.join("control")
    }

    pub(crate) fn script(&self) -> PathBuf {
        self.0.join("script")
    }

    /// Makes the directory and writes down what to run. Doing it again changes nothing.
    pub(crate) fn write(&self, task: &Task) -> Result<(), SiteError> {
        let wrong = |error: std::io::Error| self.wrong(&error);
        make_directory(&self.0, task.passes_through()).map_err(wrong)?;
        match rustix::fs::mkfifoat(CWD, self.control(), rustix::fs::Mode::from_raw_mode(0o600)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(wrong(error.into())),
        }
        self.write_once("task.json", task).map_err(wrong)?;
        Ok(())
    }

    /// Writes a file unless it is there; whether it was not.
    pub(crate) fn write_once<T: Serialize>(&self, name: &str, value: &T) -> std::io::Result<bool> {
        let draft = self.0.join(format!(".{name}.{}", std::process::id()));
        // Of an earlier try, or of whoever else may write here: nothing is written through what they have put there.
        match std::fs::remove_file(&draft) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(&serde_json::to_vec(value)?)?;
        file.sync_all()?;
        let linked = std::fs::hard_link(&draft, self.0.join(name));
        std::fs::remove_file(&draft)?;
        match linked {
            Ok(()) => File::open(&self.0).and_then(|directory| directory.sync_all()).map(|()| true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads a file; nothing when it is not there.
    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, SiteError> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        let value = serde_json::from_slice(&bytes);
        value.map(Some).map_err(|error| SiteError::file(&self.0.join(name), error))
    }

    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, SiteError> {
        let file = match open_output(&self.0.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.wrong(&error)),
        };
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(|error| self.wrong(&error))?;
        Ok(Some(bytes))
    }

    /// Reads a file that a supervisor writes. It may run as the user, who can put anything in its place: what nobody understands is `forged`,
    /// given when it came to be, in milliseconds since 1970. It ends that part, and troubles no other.
    fn claimed<T: DeserializeOwned>(
        &self,
        name: &str,
        forged: impl Fn(i64) -> T,
    ) -> Result<Option<T>, SiteError> {
        let there = match std::fs::symlink_metadata(self.0.join(name)) {
            Ok(there) => there,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.wrong(&error)),
        };
        let since = changed(&there);
        if !there.is_file() {
            return Ok(Some(forged(since)));
        }
        let bytes = self.bytes(name)?;
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes).unwrap_or_else(|_| forged(since))))
    }

    /// Gives a file to an account.
    pub(crate) fn give(&self, name: &str, account: Account) -> std::io::Result<()> {
        lchown(self.0.join(name), Some(account.uid), Some(account.gid))
    }

    pub(crate) fn begun(&self) -> Result<Option<Begun>, SiteError> {
        self.claimed("begun.json", |at| Begun { supervisor: Some(Identity::of_nobody()), at })
    }

    pub(crate) fn ended(&self) -> Result<Option<Ended>, SiteError> {
        self.claimed("ended.json", |at| Ended { at, end: PartEnd::Vanished, used: None })
    }

    /// The supervisor is there; whoever finds it gone knows until when it was. Where that cannot be said it is not.
    pub(crate) fn give_sign(&self) {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let both = Timestamps { last_access: now, last_modification: now };
        let _ = utimensat(CWD, self.0.join("begun.json"), &both, AtFlags::empty());
    }

    /// When the supervisor was last there, in milliseconds since 1970.
    pub(crate) fn last_sign(&self) -> Option<i64> {
        let at = std::fs::metadata(self.0.join("begun.json")).and_then(|it| it.modified()).ok()?;
        i64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
    }

    /// Asks the supervisor to stop; whether one was there to hear it.
    pub(crate) fn ask_to_stop(&self) -> bool {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let pipe = rustix::fs::open(self.control(), flags, rustix::fs::Mode::empty());
        // The pipe is open for as long as there is a supervisor; a full one has been told often enough.
        pipe.is_ok_and(|pipe| File::from(pipe).write_all(b"x").is_ok())
    }

    pub(crate) fn wrong(&self, error: &std::io::Error) -> SiteError {
        SiteError::file(&self.0, error)
    }
}

/// When a file last changed by the file system's own word, in milliseconds since 1970: users can set every other time of it, and not this one.
pub(crate) fn changed(file: &Metadata) -> i64 {
    file.ctime().saturating_mul(1_000).saturating_add(file.ctime_nsec() / 1_000_000)
}

/// Opens what a program has printed. It could have put anything in the file's place: only a plain file is opened, no link is
/// followed, and nothing is waited for.
pub fn open_output(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, rustix::fs::Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(ErrorKind::InvalidInput.into()) }
}

/// Why what a program prints does not go to a file of that name in its directory; nothing when it does.
///
/// ```
/// use walras_sites::local::bad_file_name;
/// assert_eq!(bad_file_name("logs/result.txt"), None);
/// assert!(bad_file_name("../result.txt").is_some());
/// ```
pub fn bad_file_name(name: &str) -> Option<&'static str> {
    let steps = || name.split('/');
    if name == NOWHERE {
        None
    } else if name.is_empty() || name.len() > 200 {
        Some("it must have 1 to 200 bytes")
    } else if steps().any(|step| step.starts_with('.')) {
        Some("no part of it may begin with a dot")
    } else if steps().any(str::is_empty) || name.contains('\\') {
        Some("it must be a relative path")
    } else if name.chars().any(char::is_control) {
        Some("it must not contain control characters")
    } else {
        None
    }
}
