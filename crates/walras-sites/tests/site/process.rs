//! Processes and what they write, as the tests see them from outside.

use std::path::Path;
use std::time::{Duration, Instant};

/// Waits until a file has a whole line, and gives it.
pub(crate) fn line(path: &Path) -> String {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            return text.trim().to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{}: {text:?}", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process is there and has not ended.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}
