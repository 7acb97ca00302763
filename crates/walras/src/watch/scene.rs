//! What `watch` shows, and how keys change it.

use jiff::tz::TimeZone;
use std::collections::VecDeque;
use walras_api::service::{JobView, StatusView, TimetableView};

/// How many events are kept.
const EVENTS_MAX: usize = 1_000;

/// What the service said.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub(super) status: StatusView,
    pub(super) timetable: TimetableView,
    pub(super) jobs: Vec<JobView>,
}

/// What has the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Panel {
    /// Nodes, jobs and events.
    All,
    Nodes,
    Jobs,
    Events,
}

/// Everything that is shown.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) snapshot: Snapshot,
    /// Oldest first.
    pub(super) events: VecDeque<String>,
    pub(super) zone: TimeZone,
    pub(super) panel: Panel,
    /// How many lines are above what is shown.
    pub(super) scroll: usize,
    /// A line for whoever looks.
    pub(super) note: Option<String>,
    /// What went wrong when the service was asked last.
    pub(super) trouble: Option<String>,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Show(Panel),
    Down(usize),
    Up(usize),
    Top,
}

impl Scene {
    pub(super) fn new(snapshot: Snapshot, zone: TimeZone) -> Scene {
        let events = VecDeque::new();
        Scene { snapshot, events, zone, panel: Panel::All, scroll: 0, note: None, trouble: None }
    }

    /// One more event.
    pub(super) fn push_event(&mut self, line: String) {
        if self.events.len() == EVENTS_MAX {
            self.events.pop_front();
        }
        self.events.push_back(line);
    }

    pub(super) fn apply(&mut self, wish: Wish) {
        match wish {
            // The same key again goes back.
            Wish::Show(panel) if panel == self.panel => self.panel = Panel::All,
            Wish::Show(panel) => self.panel = panel,
            Wish::Down(lines) => self.scroll = (self.scroll + lines).min(self.lines().saturating_sub(1)),
            Wish::Up(lines) => self.scroll = self.scroll.saturating_sub(lines),
            Wish::Top => self.scroll = 0,
        }
        self.scroll = self.scroll.min(self.lines().saturating_sub(1));
    }

    /// How many lines there are of what is scrolled.
    fn lines(&self) -> usize {
        match self.panel {
            Panel::All | Panel::Jobs => self.snapshot.jobs.len(),
            Panel::Nodes => self.snapshot.timetable.rows.len(),
            Panel::Events => self.events.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::tests::scene;
    use super::*;

    #[test]
    fn scrolling_stays_within() {
        let mut scene = scene();
        scene.apply(Wish::Up(5));
        assert_eq!(scene.scroll, 0);
        scene.apply(Wish::Down(1_000));
        assert_eq!(scene.scroll, scene.snapshot.jobs.len() - 1);
        scene.apply(Wish::Show(Panel::Events));
        assert_eq!((scene.panel, scene.scroll), (Panel::Events, 1));
        scene.apply(Wish::Show(Panel::Events));
        assert_eq!(scene.panel, Panel::All);
    }

    #[test]
    fn only_so_many_events_are_kept() {
        let mut scene = scene();
        (0..2_000).for_each(|number| scene.push_event(number.to_string()));
        assert_eq!((scene.events.len(), scene.events.back().map(String::as_str)), (EVENTS_MAX, Some("1999")));
    }
}
