//! The program of a part as it is started: its own text or a command, with exactly the arguments that it was given, where it begins, and
//! kept apart from others by what the site has for that.

use super::isolation::Inside;
use super::part::{PartDirectory, Task};
use rustix::fs::{CWD, Mode, OFlags, openat};
use std::fs::{File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::fd::IntoRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Nothing to run, or no such program.
const NOT_FOUND: i32 = 127;
/// It cannot be run.
pub(super) const CANNOT_RUN: i32 = 126;

/// Starts the program with its arguments; or how that ends, and why.
pub(super) fn start(
    part: &PartDirectory,
    task: &Task,
    output: &File,
    error: &File,
) -> Result<Child, (i32, String)> {
    if let Some(why) = &task.refused {
        return Err((CANNOT_RUN, why.clone()));
    }
    let (program, arguments) = match (&task.script, task.command.split_first()) {
        (Some(text), _) => {
            let script = write_script(part, text, task).map_err(|error| (CANNOT_RUN, error))?;
            (script, task.command.as_slice())
        }
        (None, Some((program, arguments))) if !program.is_empty() => (program.clone(), arguments),
        _ => {
            return Err((NOT_FOUND, "nothing to run: the job has neither a command nor a script".to_owned()));
        }
    };
    let work = part.work_of(Some(task));
    let begins = task.directory.as_deref().map(Path::new);
    if begins.is_none()
        && let Some(shared) = &task.shared
    {
        // Who may not pass through the directories above begins there all the same.
        std::env::set_current_dir(shared)
            .map_err(|error| (CANNOT_RUN, format!("the directory that the tasks share: {error}")))?;
    }
    if let Some(missing) = begins.filter(|directory| !directory.is_dir()) {
        return Err((CANNOT_RUN, format!("there is no directory {} on this site", missing.display())));
    }
    let shared = task.shared.as_deref();
    let inside = Inside {
        part,
        work: &work,
        shared,
        begins: begins.or(shared).unwrap_or(&work),
        script: task.script.is_some(),
    };
    let mut command = match &task.cage {
        Some(cage) => {
            let mut command = cage.command(&inside, task.account());
            command.arg(program);
            command
        }
        None => {
            let mut command = as_account(Command::new(program), task);
            if let Some(directory) = begins {
                command.current_dir(directory);
            }
            command
        }
    };
    let copy = |file: &File| file.try_clone().map_err(|error| (CANNOT_RUN, error.to_string()));
    // What was submitted lies where the tasks of a workflow share it.
    let submitted = task.shared.as_ref().map_or(work.as_os_str(), |shared| shared.as_ref());
    command.args(arguments).env_clear().env("SLURM_SUBMIT_DIR", submitted);
    if let Ok(processors) = std::thread::available_parallelism() {
        let share = task.group.as_ref().and_then(|group| group.limits.millicores);
        let share = share.map_or(u64::MAX, |millicores| millicores.div_ceil(1_000).max(1));
        command.env("SLURM_CPUS_ON_NODE", share.min(processors.get() as u64).to_string());
    }
    command.envs(task.environment.iter().map(|(name, value)| (name, value)));
    command.env("HOME", &work).process_group(0);
    if task.fence.is_some() && task.has_temporary() {
        command.env("TMPDIR", part.temporary());
    }
    command.stdin(Stdio::null()).stdout(copy(output)?).stderr(copy(error)?);
    let mut spawn = || match &task.fence {
        Some(fence) => inside.spawn_behind(fence, &mut command),
        None => command.spawn(),
    };
    let started = match &task.group {
        Some(group) => group.start(spawn),
        None => spawn(),
    };
    started.map_err(|error| {
        let code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { CANNOT_RUN };
        (code, format!("cannot run {:?}: {error}", command.get_program()))
    })
}

fn as_account(mut command: Command, task: &Task) -> Command {
    if let Some(gid) = task.gid {
        command.gid(gid);
    }
    if let Some(uid) = task.uid {
        command.uid(uid);
    }
    command
}

/// Writes the script down, and says by what name the program finds it.
fn write_script(part: &PartDirectory, text: &str, task: &Task) -> Result<String, String> {
    if !text.starts_with("#!") {
        return Err("the script does not say by what to run it: its first line must begin with #!".to_owned());
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let written = openat(CWD, part.script(), flags, Mode::from_raw_mode(0o700)).map_err(std::io::Error::from);
    let written = written.map(File::from).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        match (&task.fence, task.uid) {
            // Others of the same account know its name, and could lock its own program out.
            (Some(_), Some(_)) => {
                std::os::unix::fs::fchown(&file, None, task.gid)?;
                file.set_permissions(Permissions::from_mode(0o750))?;
            }
            (None, Some(_)) | (_, None) => std::os::unix::fs::fchown(&file, task.uid, task.gid)?,
        }
        Ok(())
    });
    let opened = written.and_then(|()| if task.passes_through() { inherited(part) } else { Ok(None) });
    let opened = opened.map_err(|error| format!("cannot write the script: {error}"))?;
    let beside = || "../script".to_owned();
    // From another directory it is found by its whole path.
    let elsewhere = task.directory.is_some() || task.shared.is_some();
    let whole = || part.script().to_str().map(str::to_owned).filter(|_| elsewhere);
    Ok(opened.or_else(whole).unwrap_or_else(beside))
}

/// The name of an open file, by which an interpreter finds the script although it may not pass through the directories above it: many
/// make an absolute path of the name that they are given.
fn inherited(part: &PartDirectory) -> std::io::Result<Option<String>> {
    let open = openat(CWD, part.script(), OFlags::RDONLY, Mode::empty())?;
    // It stays open: what is started has it too.
    Ok(Some(format!("/dev/fd/{}", open.into_raw_fd())))
}
