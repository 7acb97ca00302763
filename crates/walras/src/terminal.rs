//! A line on standard error that says how far long work has come, when somebody is there to see it.

use std::io::{IsTerminal, Write as _};

/// The line.
pub(crate) struct StatusLine {
    visible: bool,
}

impl StatusLine {
    /// A line that is written only on a terminal.
    pub(crate) fn new() -> StatusLine {
        StatusLine { visible: std::io::stderr().is_terminal() }
    }

    /// Whether anybody sees it.
    pub(crate) fn is_visible(&self) -> bool {
        self.visible
    }

    /// Says this instead of what was said before.
    pub(crate) fn show(&self, text: &str) {
        self.write(&format!("\r\x1b[K{text}"));
    }

    /// Says nothing any more.
    pub(crate) fn clear(&self) {
        self.write("\r\x1b[K");
    }

    /// That nobody reads it is no reason to stop.
    fn write(&self, text: &str) {
        if self.visible {
            let mut error = std::io::stderr().lock();
            let _ = error.write_all(text.as_bytes()).and_then(|()| error.flush());
        }
    }
}
