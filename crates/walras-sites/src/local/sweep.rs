//! Old directories of a site: output is kept for some days, and then removed.
//!
//! A site whose memory was put back from a backup gives numbers out again that it had given before: what is in their directories is set
//! aside, in `before/`, and is never taken for what is new.

use super::part::make_directory;
use super::shared::RUNS;
use crate::contract::SiteError;
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Where directories are set aside.
const BEFORE: &str = "before";

/// Removes what a site has kept for long enough: directories of reservations that are not held, of runs that nothing uses, and of both what
/// was set aside.
pub(crate) fn sweep(
    site: &Path,
    keep: Duration,
    is_held: impl Fn(u64) -> bool,
    is_used: impl Fn(u64) -> bool,
) {
    let runs = site.join(RUNS);
    remove_old(site, keep, is_held);
    remove_old(&runs, keep, is_used);
    for before in [site.join(BEFORE), runs.join(BEFORE)] {
        remove_old(&before, keep, |_| false);
    }
}

/// Sets a directory aside that is called by a number: what the site has no memory of.
pub(crate) fn set_aside(site: &Path, number: impl Display) -> Result<(), SiteError> {
    let (from, to) = (site.join(number.to_string()), site.join(BEFORE).join(number.to_string()));
    let removed = match std::fs::remove_dir_all(&to) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    };
    let moved = removed.and_then(|()| make_directory(&site.join(BEFORE), false));
    moved.and_then(|()| std::fs::rename(&from, &to)).map_err(|error| SiteError::file(&from, error))?;
    tracing::warn!("{} is of before this memory was put back: it is {} now", from.display(), to.display());
    Ok(())
}

/// Removes directories called by numbers that are not held and in which nothing has ended for that long.
fn remove_old(directory: &Path, keep: Duration, is_held: impl Fn(u64) -> bool) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
        let age = latest_change(&path).and_then(|at| SystemTime::now().duration_since(at).ok());
        if number.is_none_or(&is_held) || age.is_none_or(|age| age < keep) {
            continue;
        }
        if let Err(error) = std::fs::remove_dir_all(&path) {
            tracing::warn!("{}: {error}", path.display());
        }
    }
}

/// When a reservation's directory, or that of one of its parts, last changed.
fn latest_change(directory: &Path) -> Option<SystemTime> {
    let modified = |path: &Path| path.symlink_metadata().and_then(|it| it.modified()).ok();
    let parts = std::fs::read_dir(directory).ok()?.flatten();
    parts.filter_map(|entry| modified(&entry.path())).chain(modified(directory)).max()
}
