//! What `watch` shows, and how keys change it.

use jiff::tz::TimeZone;
use std::collections::VecDeque;
use walras_api::service::{AccountView, JobState, JobView, StatusView, TimetableView};

/// How many events are kept.
const EVENTS_MAX: usize = 1_000;
/// The longest text that jobs are looked for by.
const SEARCH_MAX: usize = 40;

/// What the service said.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub(super) status: StatusView,
    pub(super) timetable: TimetableView,
    pub(super) jobs: Vec<JobView>,
    /// The account of whoever looks.
    pub(super) account: Option<AccountView>,
    /// What is known of the job that is open.
    pub(super) details: Option<Details>,
}

/// Everything about one job, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Details {
    pub(super) job: u64,
    pub(super) explanation: String,
    /// The end of what it printed.
    pub(super) output: String,
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

/// A sheet of text over everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sheet {
    Help,
    /// What to try, in the demo.
    Hints,
    /// Why a job is where it is.
    Explanation(u64),
    /// What it printed.
    Output(u64),
}

/// Which jobs are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    All,
    /// What has not ended.
    Open,
    Running,
    /// What waits for a window or its start.
    Waiting,
    Ended,
}

impl Show {
    fn next(self) -> Show {
        match self {
            Show::All => Show::Open,
            Show::Open => Show::Running,
            Show::Running => Show::Waiting,
            Show::Waiting => Show::Ended,
            Show::Ended => Show::All,
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Show::All => "all",
            Show::Open => "not ended",
            Show::Running => "running",
            Show::Waiting => "waiting",
            Show::Ended => "ended",
        }
    }

    fn takes(self, state: JobState) -> bool {
        match self {
            Show::All => true,
            Show::Open => !state.is_over(),
            Show::Running => state == JobState::Running,
            Show::Waiting => !state.is_over() && state != JobState::Running,
            Show::Ended => state.is_over(),
        }
    }
}

/// Everything that is shown.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) snapshot: Snapshot,
    /// Oldest first.
    pub(super) events: VecDeque<String>,
    pub(super) zone: TimeZone,
    /// Where the service is.
    pub(super) address: String,
    pub(super) panel: Panel,
    /// How many lines are above what is shown, of nodes and events.
    pub(super) scroll: usize,
    /// The job that is chosen, by its number: it stays chosen while others come and go.
    pub(super) selected: Option<u64>,
    pub(super) show: Show,
    /// Only jobs in whose id, name or user this is.
    pub(super) search: String,
    /// Whether keys are part of that.
    pub(super) typing: bool,
    pub(super) sheet: Option<Sheet>,
    /// How many lines of the sheet are above what is shown.
    pub(super) sheet_scroll: usize,
    /// A line for whoever looks.
    pub(super) note: Option<String>,
    /// What to try, where somebody has said so.
    pub(super) hints: Option<String>,
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
    Bottom,
    /// Open the chosen job.
    Open,
    /// The other side of the sheet.
    Turn,
    /// Close what is open, or forget what is looked for; at last, quit.
    Back,
    Help,
    Hints,
    /// Show other jobs.
    Filter,
    /// Look for a name.
    Search,
    Type(char),
    Erase,
    /// What is typed is what is looked for.
    Typed,
}

impl Scene {
    pub(super) fn new(snapshot: Snapshot, zone: TimeZone, address: &str) -> Scene {
        Scene {
            snapshot,
            events: VecDeque::new(),
            zone,
            address: address.to_owned(),
            panel: Panel::All,
            scroll: 0,
            selected: None,
            show: Show::All,
            search: String::new(),
            typing: false,
            sheet: None,
            sheet_scroll: 0,
            note: None,
            hints: None,
            trouble: None,
        }
    }

    /// One more event.
    pub(super) fn push_event(&mut self, line: String) {
        if self.events.len() == EVENTS_MAX {
            self.events.pop_front();
        }
        self.events.push_back(line);
    }

    /// The jobs that are shown, newest first.
    pub(super) fn jobs(&self) -> Vec<&JobView> {
        let search = self.search.to_lowercase();
        let found = |job: &&JobView| {
            let texts = [&job.id, &job.name, &job.user];
            search.is_empty() || texts.iter().any(|text| text.to_lowercase().contains(&search))
        };
        let all = self.snapshot.jobs.iter().filter(|job| self.show.takes(job.state));
        all.filter(found).collect()
    }

    /// The place of the chosen job among those that are shown: the first, when it is not there.
    pub(super) fn place(&self) -> usize {
        let chosen = |job: &&JobView| Some(job.job) == self.selected;
        self.jobs().iter().position(chosen).unwrap_or(0)
    }

    /// The job whose sheet is open.
    pub(super) fn opened(&self) -> Option<u64> {
        match self.sheet {
            Some(Sheet::Explanation(job) | Sheet::Output(job)) => Some(job),
            Some(Sheet::Help | Sheet::Hints) | None => None,
        }
    }

    /// Does what a key asks for; false when that is the end.
    pub(super) fn apply(&mut self, wish: Wish) -> bool {
        match wish {
            Wish::Back => return self.back(),
            Wish::Type(character) if self.search.chars().count() < SEARCH_MAX => self.search.push(character),
            Wish::Type(_) => {}
            Wish::Erase => {
                self.search.pop();
            }
            Wish::Typed => self.typing = false,
            Wish::Help => self.open(Sheet::Help),
            Wish::Hints if self.hints.is_some() => self.open(Sheet::Hints),
            Wish::Hints => {}
            Wish::Down(lines) => self.go(lines, true),
            Wish::Up(lines) => self.go(lines, false),
            Wish::Top => self.go(usize::MAX, false),
            Wish::Bottom => self.go(usize::MAX, true),
            Wish::Turn | Wish::Open if self.sheet.is_some() => self.turn(),
            Wish::Open => {
                if let Some(job) = self.jobs().get(self.place()).map(|job| job.job) {
                    self.selected = Some(job);
                    self.open(Sheet::Explanation(job));
                }
            }
            Wish::Turn => {}
            Wish::Filter => self.show = self.show.next(),
            Wish::Search => self.typing = true,
            // The same key again goes back.
            Wish::Show(panel) => {
                self.panel = if panel == self.panel { Panel::All } else { panel };
                (self.sheet, self.scroll) = (None, 0);
            }
        }
        true
    }

    fn open(&mut self, sheet: Sheet) {
        (self.sheet, self.sheet_scroll) = (Some(sheet), 0);
    }

    fn turn(&mut self) {
        match self.sheet {
            Some(Sheet::Explanation(job)) => self.open(Sheet::Output(job)),
            Some(Sheet::Output(job)) => self.open(Sheet::Explanation(job)),
            Some(Sheet::Help | Sheet::Hints) | None => self.sheet = None,
        }
    }

    fn back(&mut self) -> bool {
        if self.sheet.take().is_some() {
            return true;
        }
        let filtered = self.typing || !self.search.is_empty() || self.show != Show::All;
        (self.typing, self.show) = (false, Show::All);
        self.search.clear();
        filtered
    }

    /// So many lines down or up: in the sheet, among jobs, or among what else has the screen.
    fn go(&mut self, lines: usize, down: bool) {
        let moved = |from: usize, last: usize| match down {
            true => from.saturating_add(lines).min(last),
            false => from.min(last).saturating_sub(lines),
        };
        if self.sheet.is_some() {
            // The drawing knows how long it is.
            self.sheet_scroll = moved(self.sheet_scroll, 100_000);
            return;
        }
        match self.panel {
            Panel::All | Panel::Jobs => {
                let jobs = self.jobs();
                let place = moved(self.place(), jobs.len().saturating_sub(1));
                self.selected = jobs.get(place).map(|job| job.job);
            }
            Panel::Nodes => {
                self.scroll = moved(self.scroll, self.snapshot.timetable.rows.len().saturating_sub(1));
            }
            Panel::Events => self.scroll = moved(self.scroll, self.events.len().saturating_sub(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::tests::scene;
    use super::*;

    #[test]
    fn choosing_stays_within_and_stays_with_the_job() {
        let mut scene = scene();
        scene.apply(Wish::Up(5));
        assert_eq!(scene.selected, Some(18));
        scene.apply(Wish::Down(1));
        assert_eq!(scene.selected, Some(17));
        scene.snapshot.jobs.remove(0);
        assert_eq!((scene.place(), scene.selected), (0, Some(17)));
        scene.apply(Wish::Down(1_000));
        assert_eq!(scene.selected, Some(16));
        scene.apply(Wish::Show(Panel::Events));
        scene.apply(Wish::Bottom);
        assert_eq!((scene.panel, scene.scroll), (Panel::Events, 1));
        scene.apply(Wish::Show(Panel::Events));
        assert_eq!((scene.panel, scene.scroll), (Panel::All, 0));
    }

    #[test]
    fn a_job_is_opened_turned_and_closed() {
        let mut scene = scene();
        scene.apply(Wish::Down(1));
        scene.apply(Wish::Open);
        assert_eq!((scene.sheet, scene.opened()), (Some(Sheet::Explanation(17)), Some(17)));
        scene.apply(Wish::Down(3));
        assert_eq!(scene.sheet_scroll, 3);
        scene.apply(Wish::Turn);
        assert_eq!((scene.sheet, scene.sheet_scroll), (Some(Sheet::Output(17)), 0));
        assert!(scene.apply(Wish::Back), "it closes the sheet");
        assert!(!scene.apply(Wish::Back), "nothing is open: it is the end");
    }

    #[test]
    fn jobs_are_filtered_by_state_and_by_what_is_typed() {
        let mut scene = scene();
        let shown = |scene: &Scene| scene.jobs().iter().map(|job| job.job).collect::<Vec<_>>();
        scene.apply(Wish::Filter);
        scene.apply(Wish::Filter);
        assert_eq!((scene.show, shown(&scene)), (Show::Running, vec![17]));
        scene.apply(Wish::Back);
        scene.apply(Wish::Search);
        "Dear".chars().for_each(|character| {
            scene.apply(Wish::Type(character));
        });
        assert_eq!(shown(&scene), [16]);
        scene.apply(Wish::Erase);
        scene.apply(Wish::Typed);
        assert!(!scene.typing && scene.search == "Dea");
        assert!(scene.apply(Wish::Back) && scene.search.is_empty());
        assert_eq!(shown(&scene), [18, 17, 16]);
    }

    #[test]
    fn hints_are_there_where_somebody_gave_some() {
        let mut scene = scene();
        scene.apply(Wish::Hints);
        assert_eq!(scene.sheet, None);
        scene.hints = Some("try".to_owned());
        scene.apply(Wish::Hints);
        assert_eq!(scene.sheet, Some(Sheet::Hints));
        scene.apply(Wish::Open);
        assert_eq!(scene.sheet, None, "Enter closes what is only read");
    }

    #[test]
    fn only_so_many_events_are_kept() {
        let mut scene = scene();
        (0..2_000).for_each(|number| scene.push_event(number.to_string()));
        assert_eq!((scene.events.len(), scene.events.back().map(String::as_str)), (EVENTS_MAX, Some("1999")));
    }
}
