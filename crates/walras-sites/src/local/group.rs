//! The control group of a part: all that its program has started, however it was started, under common limits, and ended as a whole.
//!
//! A group is a directory in each hierarchy of control groups that the machine has and the service may write to: one in version 2, one for each
//! controller in version 1, both on machines that have both. All of it is files: this module writes and reads them, in either version.
//!
//! The supervisor stays outside. It goes in for the moment in which it starts the program, since what a process starts is where the process is,
//! and comes out again: so the program is inside before its first instruction, and what is too much for the group is never the supervisor's end.
//!
//! Groups outlive who made them. A service that finds a part without a supervisor ends its group, and with it what has left the session and
//! forgotten its home, by which processes are found where there are no groups.

use super::share::PartLimits;
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::process::Child;
use walras_model::Span;

/// In how many microseconds a share of processors is given out.
const PERIOD: u64 = 100_000;
/// The least that the kernel takes for one, in microseconds.
const QUOTA_MIN: u64 = 1_000;
/// Whoever ends last removes the directory that all share; who comes meanwhile makes it again, so often.
const TRIES_MAX: u32 = 20;
/// Groups below groups are looked into so deep.
const DEPTH_MAX: u32 = 16;

/// What is limited or counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Controller {
    Memory,
    Cpu,
    Cpuacct,
    Pids,
}

impl Controller {
    pub(crate) const ALL: [Controller; 4] =
        [Controller::Memory, Controller::Cpu, Controller::Cpuacct, Controller::Pids];

    /// As the kernel calls it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Controller::Memory => "memory",
            Controller::Cpu => "cpu",
            Controller::Cpuacct => "cpuacct",
            Controller::Pids => "pids",
        }
    }
}

/// A directory for groups in one hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Of a site, or of a part of it.
    pub(crate) directory: PathBuf,
    /// Where the supervisor is otherwise.
    pub(crate) home: PathBuf,
    /// Whether it is version 2.
    pub(crate) unified: bool,
    /// What it limits.
    pub(crate) controllers: Vec<Controller>,
}

/// The control group of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) places: Vec<Place>,
    pub(crate) limits: PartLimits,
}

/// What a part has used, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Used {
    /// Processor time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cpu_ms: Option<u64>,
    /// The most memory at a time, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory_peak: Option<u64>,
}

impl Used {
    /// As the broker hears of it.
    pub(crate) fn told(self) -> walras_broker::used::Used {
        let processor = self.cpu_ms.and_then(|millis| Span::from_millis(i64::try_from(millis).ok()?));
        walras_broker::used::Used { processor, memory: self.memory_peak }
    }
}

impl Place {
    fn limits(&self, controller: Controller) -> bool {
        self.controllers.contains(&controller)
    }

    /// Makes the directory, and that which all parts of the site share.
    fn make(&self) -> Result<()> {
        let mut last = Error::from(ErrorKind::NotFound);
        for _ in 0..TRIES_MAX {
            match self.try_make() {
                Err(error) if error.kind() == ErrorKind::NotFound => last = error,
                made => return made,
            }
        }
        Err(last)
    }

    fn try_make(&self) -> Result<()> {
        let site = self.directory.parent().ok_or(ErrorKind::InvalidInput)?;
        make(site)?;
        if self.unified {
            for controller in &self.controllers {
                put(site, "cgroup.subtree_control", &format!("+{}", controller.word()))?;
            }
        }
        make(&self.directory)
    }

    fn apply(&self, limits: &PartLimits) -> Result<()> {
        let put = |file: &str, value: u64| put(&self.directory, file, &value.to_string());
        if let Some(memory) = limits.memory.filter(|_| self.limits(Controller::Memory)) {
            if self.unified {
                put("memory.max", memory)?;
                // No more by another name, and what is too much ends all of it.
                if_there(put("memory.swap.max", 0))?;
                if_there(put("memory.oom.group", 1))?;
            } else {
                put("memory.limit_in_bytes", memory)?;
                if_there(put("memory.memsw.limit_in_bytes", memory))?;
            }
        }
        if let Some(cores) = limits.millicores.filter(|_| self.limits(Controller::Cpu)) {
            let quota = cores.saturating_mul(PERIOD / 1_000).max(QUOTA_MIN);
            if self.unified {
                self::put(&self.directory, "cpu.max", &format!("{quota} {PERIOD}"))?;
            } else {
                put("cpu.cfs_period_us", PERIOD)?;
                put("cpu.cfs_quota_us", quota)?;
            }
        }
        match limits.processes.filter(|_| self.limits(Controller::Pids)) {
            Some(processes) => put("pids.max", processes),
            None => Ok(()),
        }
    }

    /// How many of its processes were ended for want of memory.
    fn out_of_memory(&self) -> u64 {
        let file = if self.unified { "memory.events" } else { "memory.oom_control" };
        let said = self.limits(Controller::Memory).then(|| number(&self.directory, file, "oom_kill"));
        said.flatten().unwrap_or(0)
    }
}

impl Group {
    /// Makes it, with its limits.
    pub(crate) fn make(&self) -> Result<()> {
        for place in &self.places {
            place.make().and_then(|()| place.apply(&self.limits)).map_err(|error| named(place, &error))?;
        }
        Ok(())
    }

    /// Starts something inside. Nothing else of this process may start anything meanwhile.
    pub(crate) fn start(&self, start: impl FnOnce() -> Result<Child>) -> Result<Child> {
        let own = std::process::id();
        let go = |to: fn(&Place) -> &Path| {
            let mut went = Ok(());
            for place in &self.places {
                let done = put(to(place), "cgroup.procs", &own.to_string());
                went = went.and(done.map_err(|error| named(place, &error)));
            }
            went
        };
        let started = go(|place| &place.directory).and_then(|()| start());
        match (go(|place| &place.home), started) {
            (Ok(()), started) => started,
            (Err(error), Ok(mut child)) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Puts a process inside.
    pub(crate) fn take(&self, pid: u32) -> Result<()> {
        self.places.iter().try_for_each(|place| put(&place.directory, "cgroup.procs", &pid.to_string()))
    }

    /// Ends everything in it, and removes it once nothing is left; whether nothing is.
    pub(crate) fn end(&self) -> bool {
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        for place in self.places.iter().filter(|place| place.limits(Controller::Pids)) {
            // Where nothing can end all of it at once, nothing new must begin in it.
            let _ = put(&place.directory, "pids.max", "0");
        }
        let mut left = false;
        for place in &self.places {
            let inside = processes(&place.directory, DEPTH_MAX);
            let others: Vec<i32> = inside.iter().copied().filter(|pid| *pid != own).collect();
            if others.is_empty() {
                continue;
            }
            left = true;
            if others.len() < inside.len() || put(&place.directory, "cgroup.kill", "1").is_err() {
                for pid in others.into_iter().filter_map(Pid::from_raw) {
                    // It may have ended meanwhile.
                    let _ = kill_process(pid, Signal::KILL);
                }
            }
        }
        if !left {
            self.places.iter().for_each(|place| remove(&place.directory, DEPTH_MAX));
        }
        !left
    }

    /// Removes what the parts of the site share, where this was the last.
    pub(crate) fn leave(&self) {
        for site in self.places.iter().filter_map(|place| place.directory.parent()) {
            // One in which others are stays.
            let _ = std::fs::remove_dir(site);
        }
    }

    /// Whether anything in it was ended because it had used all the memory that there was for it.
    pub(crate) fn was_out_of_memory(&self) -> bool {
        self.limits.memory.is_some() && self.places.iter().any(|place| place.out_of_memory() > 0)
    }

    /// What was used so far.
    pub(crate) fn used(&self) -> Used {
        let mut used = Used::default();
        for place in &self.places {
            let (of, unified) = (&place.directory, place.unified);
            let cpu = if unified {
                number(of, "cpu.stat", "usage_usec").map(|micros| micros / 1_000)
            } else if place.limits(Controller::Cpuacct) {
                alone(of, "cpuacct.usage").map(|nanos| nanos / 1_000_000)
            } else {
                None
            };
            let peak = if unified { "memory.peak" } else { "memory.max_usage_in_bytes" };
            let memory = place.limits(Controller::Memory).then(|| alone(of, peak)).flatten();
            used = Used { cpu_ms: used.cpu_ms.max(cpu), memory_peak: used.memory_peak.max(memory) };
        }
        used
    }
}

fn named(place: &Place, error: &Error) -> Error {
    Error::new(error.kind(), format!("control group {}: {error}", place.directory.display()))
}

fn make(directory: &Path) -> Result<()> {
    match std::fs::create_dir(directory) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes to a file of a group, which the kernel has made.
pub(crate) fn put(directory: &Path, file: &str, value: &str) -> Result<()> {
    let mut file = OpenOptions::new().write(true).open(directory.join(file))?;
    // What the kernel refuses it refuses at once, of the whole.
    file.write_all(value.as_bytes())
}

/// What some kernels do not have.
fn if_there(done: Result<()>) -> Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// The number after a word, in a file of words and numbers.
fn number(directory: &Path, file: &str, word: &str) -> Option<u64> {
    let text = std::fs::read_to_string(directory.join(file)).ok()?;
    text.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' ')?.trim().parse().ok())
}

fn alone(directory: &Path, file: &str) -> Option<u64> {
    std::fs::read_to_string(directory.join(file)).ok()?.trim().parse().ok()
}

fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    directories.map(|entry| entry.path()).collect()
}

/// The processes of a group and of those below it.
fn processes(directory: &Path, depth: u32) -> Vec<i32> {
    let text = std::fs::read_to_string(directory.join("cgroup.procs")).unwrap_or_default();
    // One that is not seen from here has no number.
    let mut all: Vec<i32> =
        text.lines().filter_map(|line| line.parse().ok()).filter(|pid| *pid > 0).collect();
    if depth > 0 {
        all.extend(below(directory).iter().flat_map(|group| processes(group, depth - 1)));
    }
    all
}

/// Removes a group with those below it; one that is in use stays.
fn remove(directory: &Path, depth: u32) {
    if depth > 0 {
        below(directory).iter().for_each(|group| remove(group, depth - 1));
    }
    let _ = std::fs::remove_dir(directory);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(root: &Path, unified: bool, controllers: &[Controller]) -> Place {
        let directory = root.join("walras-1/7-0");
        Place { directory, home: root.to_owned(), unified, controllers: controllers.to_vec() }
    }

    /// A directory with files as the kernel would have made them.
    fn files(place: &Place, names: &[&str]) {
        std::fs::create_dir_all(&place.directory).unwrap();
        for name in names {
            std::fs::write(place.directory.join(name), "").unwrap();
        }
    }

    fn read(place: &Place, file: &str) -> String {
        std::fs::read_to_string(place.directory.join(file)).unwrap()
    }

    const LIMITS: PartLimits =
        PartLimits { memory: Some(512 << 20), millicores: Some(1_500), processes: Some(64) };

    #[test]
    fn version_two_is_told_in_its_words() {
        let root = tempfile::tempdir().unwrap();
        let place = place(root.path(), true, &[Controller::Memory, Controller::Cpu, Controller::Pids]);
        files(&place, &["memory.max", "memory.swap.max", "memory.oom.group", "cpu.max", "pids.max"]);
        std::fs::write(root.path().join("walras-1/cgroup.subtree_control"), "").unwrap();
        let group = Group { places: vec![place.clone()], limits: LIMITS };
        group.make().unwrap();
        let told = ["memory.max", "memory.swap.max", "memory.oom.group", "cpu.max", "pids.max"]
            .map(|file| read(&place, file));
        assert_eq!(told, ["536870912", "0", "1", "150000 100000", "64"]);
        assert!(!group.was_out_of_memory());
        std::fs::write(place.directory.join("memory.events"), "low 0\noom 2\noom_kill 1\n").unwrap();
        std::fs::write(place.directory.join("cpu.stat"), "usage_usec 2500000\nuser_usec 7\n").unwrap();
        std::fs::write(place.directory.join("memory.peak"), "4096\n").unwrap();
        assert!(group.was_out_of_memory());
        assert_eq!(group.used(), Used { cpu_ms: Some(2_500), memory_peak: Some(4_096) });
    }

    #[test]
    fn version_one_is_told_in_its_words_and_only_what_a_hierarchy_limits() {
        let root = tempfile::tempdir().unwrap();
        let place = place(root.path(), false, &[Controller::Memory]);
        files(&place, &["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]);
        let group = Group { places: vec![place.clone()], limits: LIMITS };
        group.make().unwrap();
        assert_eq!(read(&place, "memory.limit_in_bytes"), "536870912");
        assert_eq!(read(&place, "memory.memsw.limit_in_bytes"), "536870912");
        std::fs::write(place.directory.join("memory.oom_control"), "under_oom 0\noom_kill 3\n").unwrap();
        assert!(group.was_out_of_memory());
        // Without a limit of ours it was the machine's memory that was used up.
        let unlimited = Group { limits: PartLimits::default(), ..group };
        assert!(!unlimited.was_out_of_memory());
    }

    #[test]
    fn a_hierarchy_that_is_not_there_is_an_error_that_names_it() {
        let root = tempfile::tempdir().unwrap();
        let place = place(&root.path().join("gone"), false, &[Controller::Pids]);
        let error = Group { places: vec![place], limits: LIMITS }.make().unwrap_err();
        assert!(error.to_string().contains("gone/walras-1/7-0"), "{error}");
    }
}
