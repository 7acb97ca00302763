//! Processes of this machine, by what `/proc` says of them.
//!
//! A process number is used again some day; together with when the process started and since when the machine runs it names
//! one process for ever.

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One process, for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Its number.
    pub(crate) pid: i32,
    /// When it started, in ticks since the machine did.
    pub(crate) started: u64,
    /// Which run of the machine.
    pub(crate) boot: String,
}

/// What is said of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) session: i32,
    pub(crate) started: u64,
    /// It has ended, and nobody has asked how.
    pub(crate) zombie: bool,
}

fn boot() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// What is said of a process; nothing when there is none of that number.
pub(crate) fn stat(pid: i32) -> Option<Stat> {
    parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name may hold anything, so what follows counts from its last parenthesis.
fn parse(text: &str) -> Option<Stat> {
    let (pid, rest) = text.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Stat {
        pid: pid.parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

/// All processes that there are.
fn all() -> Vec<Stat> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers.filter_map(stat).filter(|stat| !stat.zombie).collect()
}

impl Identity {
    /// This process.
    pub(crate) fn own() -> Option<Identity> {
        let pid = i32::try_from(std::process::id()).ok()?;
        Some(Identity { pid, started: stat(pid)?.started, boot: boot() })
    }

    /// A process of this machine's run that is not there: that of whom nobody knows who they are.
    pub(crate) fn of_nobody() -> Identity {
        Identity { pid: i32::MAX, started: 0, boot: boot() }
    }

    /// Whether it still runs.
    pub(crate) fn is_alive(&self) -> bool {
        let stat = stat(self.pid).filter(|stat| !stat.zombie);
        stat.is_some_and(|stat| stat.started == self.started) && boot() == self.boot
    }

    /// Whether the machine has not been started again since.
    pub(crate) fn is_of_this_run(&self) -> bool {
        boot() == self.boot
    }

    /// What a supervisor that is gone has left behind: processes of its session, and those whose home is the part's.
    pub(crate) fn orphans(&self, home: &Path) -> Vec<i32> {
        if boot() != self.boot {
            return Vec::new();
        }
        // Somebody else has the number by now when it is in use, so nothing of the session is left.
        let reused = stat(self.pid).is_some_and(|stat| stat.started != self.started);
        let ours = |stat: &Stat| {
            let of_session = !reused && stat.session == self.pid && stat.pid != self.pid;
            stat.started >= self.started && (of_session || has_home(stat.pid, home))
        };
        all().into_iter().filter(ours).map(|stat| stat.pid).collect()
    }
}

fn has_home(pid: i32, home: &Path) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let mut entries = environment.split(|byte| *byte == 0);
    entries.any(|entry| entry.strip_prefix(b"HOME=") == Some(home.as_os_str().as_encoded_bytes()))
}

/// All processes below one.
pub(crate) fn descendants(of: i32) -> Vec<i32> {
    let all = all();
    let mut found = vec![of];
    let mut looked = 0;
    while let Some(parent) = found.get(looked).copied() {
        looked += 1;
        let children = all.iter().filter(|stat| stat.parent == parent).map(|stat| stat.pid);
        let new: Vec<i32> = children.filter(|pid| !found.contains(pid)).collect();
        found.extend(new);
    }
    found.remove(0);
    found
}

/// Sends a signal to each.
pub(crate) fn signal(pids: &[i32], signal: Signal) {
    for pid in pids.iter().filter_map(|pid| Pid::from_raw(*pid)) {
        // It may have ended meanwhile.
        let _ = kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_be_called_anything() {
        let line = "12 (a) b (c) S 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0";
        let stat = Stat { pid: 12, parent: 3, session: 5, started: 777, zombie: false };
        assert_eq!(parse(line), Some(stat));
        assert_eq!(parse("12 (a"), None);
    }

    #[test]
    fn this_process_is_alive_and_another_of_its_number_is_not() {
        let own = Identity::own().unwrap();
        assert!(own.is_alive());
        assert!(!Identity { started: own.started + 1, ..own.clone() }.is_alive());
        assert!(!Identity { boot: "another".to_owned(), ..own }.is_alive());
    }
}
