//! Old directories of a local site: output is kept for some days, and then removed.

use std::path::Path;
use std::time::{Duration, SystemTime};

/// Removes the directories of reservations that are not held and in which nothing has ended for that long.
pub(crate) fn sweep(directory: &Path, keep: Duration, is_held: impl Fn(u64) -> bool) {
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
