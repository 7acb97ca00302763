//! The job of a hold: our own supervisor, which Slurm starts on the node a little before the hold begins.
//!
//! It waits for the moment of each part and runs the parts one after another as they fall due, so that starts, cancels and ends need no
//! controller, and several sites begin at the same moment to some milliseconds. What it is to do lies in the hold's directory, on a file
//! system that the service and the node share:
//!
//! | name | what | who writes it |
//! | --- | --- | --- |
//! | `hold.json` | until when the node is ours; in a queue, how long | the connector |
//! | `stop` | nothing begins any more, and what runs is to end | the connector |
//! | `go` | what it says is empty until all sites of a window are ready ([`super::go`]) | the connector |
//! | `PART/` | what to run and what became of it, as on a local site ([`crate::local`]) | both |
//!
//! Slurm starts jobs twice, forgets them and revives what was cancelled. So a part begins once for ever: whoever first writes down that it
//! has begun runs it, and a second supervisor of the same hold waits for the first, or ends what that one has left.

use super::go::{self, is_told_to_go};
use crate::clock::wall_millis;
use crate::contract::{PartEnd, SiteError};
use crate::local::part::{Begun, Ended, PartDirectory, Task};
use crate::local::process::Identity;
use crate::local::supervise::{execute, kill_all, record};
use rustix::fs::Mode;
use rustix::process::{Pid, set_child_subreaper, umask};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the directory is looked at, in milliseconds. Files are opened anew each time: network file systems remember.
const LOOK_EVERY: i64 = 50;
/// Exit codes above this one are those of programs that a signal has ended.
const BY_SIGNAL: i32 = 128;
/// Slurm sends its signals to all processes of a job within this time, in milliseconds.
const TOLD_WITHIN: i64 = 500;

/// What programs are told of where they are, and what Slurm calls it.
const WHERE: [(&str, &str); 7] = [
    ("WALRAS_NODE", "SLURMD_NODENAME"),
    ("SLURMD_NODENAME", "SLURMD_NODENAME"),
    ("SLURM_NODEID", "SLURM_NODEID"),
    ("WALRAS_NODES", "SLURM_JOB_NODELIST"),
    ("SLURM_NODELIST", "SLURM_JOB_NODELIST"),
    ("SLURM_JOB_NODELIST", "SLURM_JOB_NODELIST"),
    ("SLURM_JOB_PARTITION", "SLURM_JOB_PARTITION"),
];

/// What Slurm's own programs go by: they are to find the job of Slurm's, not that of ours which has the same number.
const OF_SLURM: [&str; 3] = ["SLURM_JOB_ID", "SLURM_JOBID", "SLURM_CPUS_ON_NODE"];

/// What the supervisor of a hold knows before any part of it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HoldFile {
    /// When the node is no longer ours, in milliseconds since 1970.
    pub(super) until: i64,
    /// In a queue, where nobody knows when it begins: how long the node is ours from then on, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lasts: Option<i64>,
}

/// Runs the parts of a hold's directory until its time is over or it is to stop. For a process of its own.
pub fn supervise_hold(directory: &Path) -> ExitCode {
    match run(directory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "walras: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Supervisor {
    directory: PathBuf,
    own: Identity,
    /// When the node is no longer ours.
    until: i64,
    /// In a queue: how long a part has from its own begin on. Slurm has chosen the node, and another supervisor of this hold may be on another one.
    lasts: Option<i64>,
    /// Slurm wants it to end.
    told: Arc<AtomicBool>,
    control: OwnedFd,
}

fn run(directory: &Path) -> Result<(), SiteError> {
    let wrong = |error: std::io::Error| SiteError::file(directory, error);
    let directory = std::path::absolute(directory).map_err(wrong)?;
    let hold: HoldFile = PartDirectory(directory.clone())
        .read("hold.json")?
        .ok_or_else(|| wrong(ErrorKind::NotFound.into()))?;
    let own = Identity::own().ok_or(SiteError::Missing("/proc"))?;
    set_child_subreaper(Pid::from_raw(own.pid)).map_err(|error| wrong(error.into()))?;
    umask(Mode::from_raw_mode(0o077));
    let told = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        signal_hook::flag::register(signal, told.clone()).map_err(wrong)?;
    }
    let (control, bell) = std::io::pipe().map_err(wrong)?;
    watch(directory.clone(), told.clone(), bell);
    let until = hold.lasts.map_or(hold.until, |lasts| wall_millis().saturating_add(lasts));
    let lasts = hold.lasts;
    let supervisor = Supervisor { directory, own, until, lasts, told, control: control.into() };
    while !supervisor.is_over() {
        let Some(wait) = supervisor.step()? else { break };
        std::thread::sleep(Duration::from_millis(u64::try_from(wait).unwrap_or(0)));
    }
    supervisor.leave()
}

/// Rings when what runs is to end, for as long as this process lives.
fn watch(directory: PathBuf, told: Arc<AtomicBool>, mut bell: PipeWriter) {
    std::thread::spawn(move || {
        while !told.load(Ordering::Relaxed) && !is_to_stop(&directory) {
            std::thread::sleep(Duration::from_millis(LOOK_EVERY.unsigned_abs()));
        }
        let _ = bell.write_all(b"x");
    });
}

fn is_to_stop(directory: &Path) -> bool {
    std::fs::File::open(directory.join("stop")).is_ok()
}

impl Supervisor {
    fn is_over(&self) -> bool {
        wall_millis() >= self.until || self.told.load(Ordering::Relaxed) || is_to_stop(&self.directory)
    }

    /// Does what is due, and says how many milliseconds nothing is; nothing more ever, without.
    fn step(&self) -> Result<Option<i64>, SiteError> {
        let mut next: Option<(i64, PartDirectory, Task)> = None;
        for part in self.parts()? {
            match part.begun()? {
                Some(begun) => {
                    // Where it runs nobody can tell from here: what Slurm sees of its end is seen by the connector.
                    let here = |first: &Identity| first.is_of_this_run();
                    if self.lasts.is_some() && !begun.supervisor.as_ref().is_none_or(here) {
                        return Ok(None);
                    }
                    if part.ended()?.is_none() && self.is_busy(&part, &begun)? {
                        return Ok(Some(LOOK_EVERY));
                    }
                    // Slurm's own end of this job is then that of the part.
                    if part.ended()?.is_some() && part.read::<Task>("task.json")?.is_some_and(|it| it.alone) {
                        return Ok(None);
                    }
                }
                None => {
                    let Some(task) = part.read::<Task>("task.json")? else { continue };
                    if next.as_ref().is_none_or(|(begins, ..)| task.begins < *begins) {
                        next = Some((task.begins, part, task));
                    }
                }
            }
        }
        let Some((begins, part, task)) = next else { return Ok(Some(LOOK_EVERY)) };
        let left = begins - wall_millis();
        if left > 0 {
            self.say_ready(&part, &task)?;
            return Ok(Some(left.min(LOOK_EVERY)));
        }
        if task.together && !is_told_to_go(&self.directory) {
            go::give_up(&part).map_err(|error| part.wrong(&error))?;
            return Ok(Some(LOOK_EVERY));
        }
        self.run_part(&part, &task)?;
        Ok(Some(0))
    }

    /// Says that a part can begin with those of other sites, as long as it can.
    fn say_ready(&self, part: &PartDirectory, task: &Task) -> Result<(), SiteError> {
        if !task.together || go::is_ready(part) {
            return Ok(());
        }
        go::say_ready(part).map_err(|error| part.wrong(&error))
    }

    /// Nothing begins here any more: whoever has not been told to begin with it need not be.
    fn leave(&self) -> Result<(), SiteError> {
        for part in self.parts()? {
            if part.begun()?.is_none() {
                go::unsay_ready(&part);
            }
        }
        Ok(())
    }

    /// The directories of parts, in the order of their numbers.
    fn parts(&self) -> Result<Vec<PartDirectory>, SiteError> {
        let wrong = |error: std::io::Error| SiteError::file(&self.directory, error);
        let mut all = Vec::new();
        for entry in std::fs::read_dir(&self.directory).map_err(wrong)? {
            let path = entry.map_err(wrong)?.path();
            let number = path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
            all.extend(number.map(|number| (number, PartDirectory(path))));
        }
        all.sort_by_key(|(number, _)| *number);
        Ok(all.into_iter().map(|(_, part)| part).collect())
    }

    /// Whether a part that has begun still runs. One that has lost its supervisor, on this same node, ends here.
    fn is_busy(&self, part: &PartDirectory, begun: &Begun) -> Result<bool, SiteError> {
        let Some(first) = &begun.supervisor else { return Ok(false) };
        if first.is_alive() {
            return Ok(true);
        }
        let orphans = first.orphans(&part.work());
        if !orphans.is_empty() {
            crate::local::process::signal(&orphans, rustix::process::Signal::KILL);
            return Ok(true);
        }
        // On a node that goes on a supervisor does not end by itself.
        let end = if first.is_of_this_run() { PartEnd::Vanished } else { PartEnd::Lost };
        let gone = Ended { at: wall_millis(), end, used: None };
        part.write_once("ended.json", &gone).map_err(|error| part.wrong(&error))?;
        Ok(false)
    }

    /// What a program is told of where it is, where only Slurm knows.
    fn told_where(&self, task: &Task) -> Task {
        let mut task = task.clone();
        let queued = if self.lasts.is_some() { WHERE.as_slice() } else { &[] };
        for (name, from) in queued.iter().copied().chain(OF_SLURM.map(|name| (name, name))) {
            task.environment.retain(|(other, _)| other != name);
            task.environment.extend(std::env::var(from).ok().map(|value| (name.to_owned(), value)));
        }
        task
    }

    /// Whether Slurm wants this to end; of what a signal has ended, whether it says so in a moment.
    fn is_told_within(&self, end: PartEnd) -> bool {
        let signalled = matches!(end, PartEnd::Failed(code) if code > BY_SIGNAL);
        let looks = if signalled { TOLD_WITHIN / LOOK_EVERY } else { 0 };
        for _ in 0..looks {
            if self.told.load(Ordering::Relaxed) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(LOOK_EVERY.unsigned_abs()));
        }
        self.told.load(Ordering::Relaxed)
    }

    fn run_part(&self, part: &PartDirectory, task: &Task) -> Result<(), SiteError> {
        let wrong = |error: std::io::Error| part.wrong(&error);
        let begun = Begun { supervisor: Some(self.own.clone()), at: wall_millis() };
        if !part.write_once("begun.json", &begun).map_err(wrong)? {
            return Ok(());
        }
        let until = self.lasts.map_or(self.until, |lasts| begun.at.saturating_add(lasts));
        let task = Task { until: task.until.min(until), ..self.told_where(task) };
        let end = execute(part, &task, begun.at, &self.control);
        kill_all(self.own.pid);
        // What Slurm ends early is no fault of the program's, which may hear of it before we do.
        let end = if end != PartEnd::Done && self.is_told_within(end) { PartEnd::Lost } else { end };
        record(part, &Ended { at: wall_millis(), end, used: None }, &self.control).map_err(wrong)
    }
}
