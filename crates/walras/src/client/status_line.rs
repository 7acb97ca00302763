//! One line at the bottom of a terminal that is written again and again; nothing in a pipe.

use super::show::{clean, cut};
use std::io::{IsTerminal, Write};

/// A line that is only there while something is waited for.
pub(crate) struct StatusLine {
    /// How wide the terminal is; none where there is none.
    width: Option<usize>,
    shown: String,
}

impl StatusLine {
    /// On standard error, where that is a terminal and it is `wanted`.
    pub(crate) fn new(wanted: bool) -> StatusLine {
        let terminal = wanted && std::io::stderr().is_terminal();
        StatusLine { width: terminal.then(|| terminal_width().unwrap_or(80)), shown: String::new() }
    }

    /// Whether anybody sees it.
    pub(crate) fn is_seen(&self) -> bool {
        self.width.is_some()
    }

    /// Shows another text.
    pub(crate) fn show(&mut self, text: &str) {
        let Some(width) = self.width else { return };
        let text = cut(&clean(text), width.saturating_sub(1));
        if text != self.shown {
            self.write(&text);
            self.shown = text;
        }
    }

    /// Takes the line away, before something else is printed.
    pub(crate) fn clear(&mut self) {
        if !self.shown.is_empty() {
            self.write("");
            self.shown.clear();
        }
    }

    fn write(&self, text: &str) {
        // Whoever looked may have gone, which is no matter.
        let _ = write!(std::io::stderr(), "\r\x1b[2K{text}").and_then(|()| std::io::stderr().flush());
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// How many columns the terminal has.
pub(crate) fn terminal_width() -> Option<usize> {
    let (columns, _) = ratatui::crossterm::terminal::size().ok()?;
    (columns > 0).then(|| usize::from(columns))
}

/// How many lines the terminal has.
pub(crate) fn terminal_height() -> Option<usize> {
    let (_, lines) = ratatui::crossterm::terminal::size().ok()?;
    (lines > 0).then(|| usize::from(lines))
}

/// How wide a table may be: as wide as the terminal it goes to, however wide in a pipe.
pub(crate) fn table_width() -> Option<usize> {
    std::io::stdout().is_terminal().then(terminal_width).flatten()
}
