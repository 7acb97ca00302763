//! The supervisor of one part: a process of its own, so that what runs outlives the service.
//!
//! It becomes its own session and the parent of whatever loses its own, limits what may be used, records that it has begun
//! (once, whoever is first), starts the program with exactly the arguments that it was given, waits, and records how it
//! ended. A program that takes too long or is to stop is asked to end, and killed after a moment, with everything that it
//! has started. No shell of ours sees any of the user's text.
//!
//! The end of a program that could not be started is 127 when there is nothing to run and 126 otherwise; its output says why, as it does of
//! a task that has not written its files.

use super::group::{Group, Used};
use super::part::{Begun, Ended, PartDirectory, Task, make_directory};
use super::process::{Identity, descendants, signal};
use super::program::{CANNOT_RUN, start};
use super::share::ProcessLimits;
use super::shared::{make_ways, missing_output, output_fault, put_inputs};
use crate::clock::wall_millis;
use crate::contract::{PartEnd, SiteError};
use crate::files::Directory;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, getrlimit, pidfd_open, set_child_subreaper, setrlimit, setsid,
    umask,
};
use rustix::thread::set_no_new_privs;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::chown;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitCode, ExitStatus};
use std::time::{Duration, Instant};
use walras_broker::job::NOWHERE;

/// How often it says that it is there.
const SIGN_EVERY: Duration = Duration::from_secs(1);
/// How often it is tried to record the end, once a second.
const TRIES_MAX: u32 = 86_400;

/// Runs what a part's directory says, and waits for it. For a process of its own: it changes what the process is.
pub fn supervise(directory: &Path) -> ExitCode {
    match run(directory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "walras: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(directory: &Path) -> Result<(), SiteError> {
    let wrong = |error: std::io::Error| SiteError::file(directory, error);
    let part = PartDirectory(std::path::absolute(directory).map_err(wrong)?);
    let task: Task = part.read("task.json")?.ok_or_else(|| wrong(ErrorKind::NotFound.into()))?;
    // A process that leads its group already was started by hand, and may stay where it is.
    let _ = setsid();
    let own = Identity::own().ok_or(SiteError::Missing("/proc"))?;
    set_child_subreaper(Pid::from_raw(own.pid)).map_err(|error| wrong(error.into()))?;
    umask(Mode::from_raw_mode(0o077));
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let control = openat(CWD, part.control(), flags, Mode::empty()).map_err(|error| wrong(error.into()))?;
    let begun = Begun { supervisor: Some(own.clone()), at: wall_millis() };
    if !part.write_once("begun.json", &begun).map_err(wrong)? {
        return Ok(());
    }
    set_no_new_privs(true).map_err(|error| wrong(error.into()))?;
    let end = execute(&part, &task, begun.at, &control);
    let used = task.group.as_ref().map(end_group);
    kill_all(own.pid);
    if task.has_temporary() {
        // What cannot be removed now goes with the directory.
        let _ = std::fs::remove_dir_all(part.temporary());
    }
    record(&part, &Ended { at: wall_millis(), end, used }, &control).map_err(wrong)
}

/// Records how it ended; on a full disk, when there is room again.
pub(crate) fn record(part: &PartDirectory, ended: &Ended, control: &OwnedFd) -> std::io::Result<()> {
    let mut tries = 0;
    loop {
        let written = part.write_once("ended.json", ended);
        tries += 1;
        let mut watched = [PollFd::new(control, PollFlags::IN)];
        let pause = Timespec { tv_sec: 1, tv_nsec: 0 };
        // Nobody wants to know any more when it is to stop.
        if written.is_ok()
            || tries >= TRIES_MAX
            || poll(&mut watched, Some(&pause)).is_ok_and(|ready| ready > 0)
        {
            return written.map(|_| ());
        }
    }
}

/// Starts the program of a part that has begun, and waits for it.
pub(crate) fn execute(part: &PartDirectory, task: &Task, begun: i64, control: &OwnedFd) -> PartEnd {
    // A disk that takes no file is no fault of the program's.
    let Ok((mut output, error)) = open_outputs(part, task) else { return PartEnd::Lost };
    if let Some(Err(error)) = task.group.as_ref().map(Group::make) {
        let _ = writeln!(output, "walras: {error}");
        return PartEnd::Lost;
    }
    let work = part.work_of(Some(task));
    // Before it is limited how much may be used.
    make_ways(task, &work);
    let brought = put_inputs(task, &work).and_then(|()| limit(&task.limits));
    let started = brought
        .map_err(|error| (CANNOT_RUN, error))
        .and_then(|()| start(part, task, &output, error.as_ref().unwrap_or(&output)));
    match started {
        Ok(child) => {
            let end = watch(child, control, part, (task, begun));
            match missing_output(task, &work).filter(|_| end == PartEnd::Done) {
                Some((file, missing)) => {
                    let _ = writeln!(output, "walras: it should have written {missing}");
                    PartEnd::NoOutput { file, fault: output_fault(&missing) }
                }
                None => end,
            }
        }
        Err((code, error)) => {
            let _ = writeln!(output, "walras: {error}");
            PartEnd::Failed(code)
        }
    }
}

/// Makes the program's directory, goes there, and opens new files for what it prints.
fn open_outputs(part: &PartDirectory, task: &Task) -> std::io::Result<(File, Option<File>)> {
    let work = part.work_of(Some(task));
    let temporary = task.has_temporary().then(|| part.temporary());
    for own in temporary.iter().chain([&work]) {
        make_directory(own, false)?;
        if task.uid.is_some() || task.gid.is_some() {
            chown(own, task.uid, task.gid)?;
        }
    }
    std::env::set_current_dir(&work)?;
    let own = task.account().map(|account| (account.uid, account.gid));
    let directory = Directory::new(work, own);
    let new_file = |name: &str| match name {
        NOWHERE => File::options().write(true).open(NOWHERE),
        name => directory.create(name).map_err(std::io::Error::other),
    };
    let error = task.error.as_deref().map(new_file).transpose()?;
    Ok((new_file(&task.output)?, error))
}

fn limit(limits: &ProcessLimits) -> Result<(), String> {
    let limits = [
        (Resource::As, limits.address_space, "address space"),
        (Resource::Nofile, limits.open_files, "open files"),
        (Resource::Nproc, limits.processes, "processes"),
        (Resource::Fsize, limits.file_size, "file size"),
        (Resource::Cpu, limits.cpu_seconds, "processor time"),
        (Resource::Core, Some(0), "core files"),
    ];
    for (resource, most, what) in limits {
        let Some(most) = most else { continue };
        let most = Some(getrlimit(resource).maximum.map_or(most, |hard| hard.min(most)));
        let new = Rlimit { current: most, maximum: most };
        setrlimit(resource, new).map_err(|error| format!("cannot limit {what}: {error}"))?;
    }
    Ok(())
}

/// What comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Ended,
    OutOfMemory,
    AskedToStop,
    TimeUp,
}

/// Waits for the program; ends it when its time is up or when it is to stop.
fn watch(mut child: Child, control: &OwnedFd, part: &PartDirectory, (task, begun): (&Task, i64)) -> PartEnd {
    let Ok(ended) = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()) else {
        let _ = child.kill();
        let _ = child.wait();
        return PartEnd::Lost;
    };
    let started = wall_millis();
    let left = u64::try_from(task.until.saturating_sub(started)).unwrap_or(0);
    let is_over = || task.group.as_ref().is_some_and(Group::was_out_of_memory);
    let look = || {
        part.give_sign();
        is_over()
    };
    let first = wait_for(ended.as_fd(), Some(control.as_fd()), Duration::from_millis(left), look);
    if first == First::OutOfMemory {
        // There is no room left to end well in.
        signal(&descendants(i32::try_from(std::process::id()).unwrap_or(0)), Signal::KILL);
    } else if first != First::Ended {
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        let mut below = descendants(own);
        // What makes the namespaces would end at once, and everything inside with it.
        below.retain(|pid| task.cage.is_none() || u32::try_from(*pid) != Ok(child.id()));
        signal(&below, Signal::TERM);
        if wait_for(ended.as_fd(), None, Duration::from_millis(task.grace), look) != First::Ended {
            signal(&descendants(own), Signal::KILL);
        }
    }
    match (first, child.wait()) {
        (First::TimeUp, _) if is_cut_short(begun, started, task.until) => PartEnd::Lost,
        (First::TimeUp, _) => PartEnd::TimedOut,
        (First::Ended | First::OutOfMemory, _) if is_over() => PartEnd::OutOfMemory {
            limit: task.group.as_ref().and_then(|group| group.limits.memory).unwrap_or(0),
        },
        (_, Ok(status)) => end_of(status),
        (_, Err(_)) => PartEnd::Lost,
    }
}

/// Whether a program was started so long after its part had begun, by a machine that was slow, that it had not even 99 hundredths of
/// the time: then it is not its own fault that it needed more.
fn is_cut_short(begun: i64, started: i64, until: i64) -> bool {
    let left = i128::from(until) - i128::from(started);
    let planned = i128::from(until) - i128::from(begun);
    left * 100 < planned * 99
}

/// Waits until a process has ended, a byte comes through the pipe, or time is up; looks meanwhile, again and again, whether there is no
/// memory left for it.
fn wait_for(
    ended: BorrowedFd<'_>,
    control: Option<BorrowedFd<'_>>,
    most: Duration,
    is_over: impl Fn() -> bool,
) -> First {
    let begun = Instant::now();
    loop {
        if is_over() {
            return First::OutOfMemory;
        }
        let left = most.saturating_sub(begun.elapsed()).min(SIGN_EVERY);
        let seconds = i64::try_from(left.as_secs()).unwrap_or(i64::MAX);
        let timeout = Timespec { tv_sec: seconds, tv_nsec: left.subsec_nanos().into() };
        let mut watched = vec![PollFd::from_borrowed_fd(ended, PollFlags::IN)];
        watched.extend(control.map(|control| PollFd::from_borrowed_fd(control, PollFlags::IN)));
        // Interrupted waits are begun again; nothing else can go wrong with what is open.
        let _ = poll(&mut watched, Some(&timeout));
        let ready = |place: usize| watched.get(place).is_some_and(|it| !it.revents().is_empty());
        if ready(0) {
            return First::Ended;
        }
        if ready(1) {
            return First::AskedToStop;
        }
        if begun.elapsed() >= most {
            return First::TimeUp;
        }
    }
}

fn end_of(status: ExitStatus) -> PartEnd {
    match (status.code(), status.signal()) {
        (Some(0), _) => PartEnd::Done,
        (Some(code), _) => PartEnd::Failed(code),
        (None, Some(signal)) => PartEnd::Failed(128 + signal),
        (None, None) => PartEnd::Lost,
    }
}

/// Ends what is left in a part's control group, until nothing is, and says what all of it used.
fn end_group(group: &Group) -> Used {
    let used = group.used();
    let mut pause = Duration::from_millis(1);
    while !group.end() {
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(200));
    }
    group.leave();
    used
}

/// Kills what is left below this process until nothing is: only then the part has ended.
pub(crate) fn kill_all(own: i32) {
    let mut pause = Duration::from_millis(1);
    loop {
        let left = descendants(own);
        if left.is_empty() {
            return;
        }
        signal(&left, Signal::KILL);
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(200));
    }
}

#[cfg(test)]
mod tests {
    use super::is_cut_short;

    #[test]
    fn a_slow_machine_is_no_fault_of_the_program() {
        assert!(!is_cut_short(1_000, 1_000, 11_000));
        assert!(!is_cut_short(1_000, 1_100, 11_000));
        assert!(is_cut_short(1_000, 1_101, 11_000));
        // Not even begun when its time was up.
        assert!(is_cut_short(1_000, 12_000, 11_000));
    }
}
