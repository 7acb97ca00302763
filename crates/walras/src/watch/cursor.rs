//! Where lines go on a screen.

use crate::client::show::cut;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// Where the next line goes.
pub(super) struct Cursor {
    pub(super) area: Rect,
    pub(super) next: u16,
}

impl Cursor {
    /// How many lines are left.
    pub(super) fn left(&self) -> u16 {
        self.area.bottom().saturating_sub(self.next)
    }

    /// One more line, when there is room.
    pub(super) fn line(&mut self, buffer: &mut Buffer, text: &str, style: Style) {
        if self.left() > 0 && self.area.width > 0 {
            let width = self.area.width.into();
            buffer.set_stringn(self.area.x, self.next, cut(text, width), width, style);
            self.next += 1;
        }
    }

    /// Leaves lines empty up to there.
    pub(super) fn skip_to(&mut self, end: u16) {
        self.next = self.next.max(end.min(self.area.bottom()));
    }
}

/// What matters less.
pub(super) fn dim() -> Style {
    Style::new().fg(Color::DarkGray)
}
