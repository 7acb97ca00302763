//! The directory that all tasks of one run of a workflow share on a site, and the files that come with a job.
//!
//! They are a job's and not a reservation's: what a task has written is there for those that follow it, also when another reservation runs
//! them. In the site's own directory:
//!
//! | name | what |
//! | --- | --- |
//! | `runs/<job>/files-…/` | the directory that the tasks share, by a name that nobody can guess |
//! | `runs/<job>/user` | whose job it is |
//! | `runs/<job>/inputs/` | the files that come with the job, as they were submitted |

use super::account::Account;
use super::part::{PartDirectory, Task, make_directory};
use super::sweep::set_aside;
use crate::contract::{JobNumber, OutputFault, SiteError};
use crate::files::{Directory, FileFault};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

/// Where the directories of runs are.
pub(super) const RUNS: &str = "runs";
const INPUTS: &str = "inputs";
const USER: &str = "user";
const SHARED: &str = "files-";

/// A name that nobody can guess.
pub(super) fn unguessable(prefix: &str) -> Result<String, SiteError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| SiteError::Missing("a source of random numbers"))?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{prefix}{digits}"))
}

/// The runs of a site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    /// The site's own directory.
    pub(crate) site: &'a Path,
    /// Whether programs come to their directories through those above them.
    pub(crate) open: bool,
}

impl Runs<'_> {
    fn of(&self, job: JobNumber) -> PathBuf {
        self.site.join(RUNS).join(job.to_string())
    }

    /// Makes the directory of a job. One of the same number that another user's has left is set aside: a service that was put back from a backup
    /// gives numbers out again.
    fn claim(&self, job: JobNumber, user: &str) -> Result<(), SiteError> {
        let own = PartDirectory(self.of(job));
        let wrong = |error: std::io::Error| own.wrong(&error);
        match own.read::<String>(USER)? {
            Some(whose) if whose == user => return Ok(()),
            Some(_) => set_aside(&self.site.join(RUNS), job)?,
            None => {}
        }
        make_directory(&self.site.join(RUNS), self.open).map_err(wrong)?;
        make_directory(&own.0, self.open).map_err(wrong)?;
        own.write_once(USER, &user).map_err(wrong)?;
        Ok(())
    }

    /// The directory that the tasks of a job share, where there is one.
    fn find(&self, job: JobNumber, account: Option<Account>) -> Option<Directory> {
        let entries = std::fs::read_dir(self.of(job)).ok()?.flatten();
        let shared = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.starts_with(SHARED));
        let path = entries.map(|entry| entry.path()).find(|path| path.file_name().is_some_and(shared))?;
        Some(Directory::new(path, account.map(|account| (account.uid, account.gid))))
    }

    /// The same, made where there is none. Only the site's own thread calls it.
    pub(crate) fn directory(
        &self,
        job: JobNumber,
        user: &str,
        account: Option<Account>,
    ) -> Result<Directory, SiteError> {
        self.claim(job, user)?;
        if let Some(there) = self.find(job, account) {
            return Ok(there);
        }
        let path = self.of(job).join(unguessable(SHARED)?);
        let made = make_directory(&path, false)
            .and_then(|()| account.map_or(Ok(()), |it| chown(&path, Some(it.uid), Some(it.gid))));
        made.map_err(|error| SiteError::file(&path, error))?;
        Ok(Directory::new(path, account.map(|account| (account.uid, account.gid))))
    }

    /// Writes the files that come with a job down, once, and says where they are; nothing where none do.
    pub(crate) fn bring(
        &self,
        job: JobNumber,
        user: &str,
        inputs: &BTreeMap<String, String>,
    ) -> Result<Option<PathBuf>, SiteError> {
        if inputs.is_empty() {
            return Ok(None);
        }
        self.claim(job, user)?;
        let path = self.of(job).join(INPUTS);
        let wrong = |error: std::io::Error| SiteError::file(&path, error);
        make_directory(&path, false).map_err(wrong)?;
        let brought = Directory::new(path.clone(), None);
        for (name, text) in inputs.iter().filter(|(name, _)| brought.has(name).is_err()) {
            let bytes = STANDARD.decode(text).map_err(|error| wrong(std::io::Error::other(error)))?;
            brought.put(name, &mut bytes.as_slice()).map_err(|error| wrong(std::io::Error::other(error)))?;
        }
        Ok(Some(path))
    }
}

/// Where the program of a task begins, and its files are: the directory that the tasks share, or its own.
pub(crate) fn directory_of(task: &Task, work: &Path) -> Directory {
    let owner = task.account().map(|account| (account.uid, account.gid));
    Directory::new(task.shared.clone().unwrap_or_else(|| work.to_owned()), owner)
}

/// Puts the files that come with a job where its program begins, as far as they are not there.
pub(crate) fn put_inputs(task: &Task, work: &Path) -> Result<(), String> {
    let Some(from) = &task.brought else { return Ok(()) };
    let (from, to) = (Directory::new(from.clone(), None), directory_of(task, work));
    for name in task.inputs.iter().filter(|name| to.has(name).is_err()) {
        to.fetch(name, &from).map_err(|fault| fault.to_string())?;
    }
    Ok(())
}

/// Makes the directories that the files of a task lie in, so that it may write them at once. One that cannot be made is no trouble of its own: the file is
/// missed when the task has ended, if it was not written all the same.
pub(crate) fn make_ways(task: &Task, work: &Path) {
    let to = directory_of(task, work);
    for name in &task.outputs {
        let _ = to.make_way(name);
    }
}

/// The first file that a task should have written and has not, by its place among them, with what is wrong with it.
pub(crate) fn missing_output(task: &Task, work: &Path) -> Option<(u32, FileFault)> {
    let written = directory_of(task, work);
    task.outputs.iter().zip(0..).find_map(|(name, place)| Some((place, written.has(name).err()?)))
}

/// The same without the words of the system.
pub(crate) fn output_fault(fault: &FileFault) -> OutputFault {
    match fault {
        FileFault::Outside(_) => OutputFault::Link,
        FileFault::NotThere(_) => OutputFault::NotThere,
        FileFault::Directory(_) => OutputFault::Directory,
        FileFault::Special(_) => OutputFault::Special,
        FileFault::TooLarge { .. } | FileFault::Damaged(_) | FileFault::System { .. } => OutputFault::Refused,
    }
}
