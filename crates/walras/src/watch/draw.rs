//! A scene on a screen of any size.

use super::gantt::{self, LEGEND, What};
use super::scene::{Panel, Scene};
use crate::client::jobs::{price, where_or_why};
use crate::client::show::{clean, time_in};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use walras_api::service::{BarKind, JobState, JobView};

/// Colours of jobs: readable with black on them.
const COLOURS: [Color; 10] = [
    Color::Indexed(75),
    Color::Indexed(114),
    Color::Indexed(215),
    Color::Indexed(176),
    Color::Indexed(80),
    Color::Indexed(222),
    Color::Indexed(210),
    Color::Indexed(147),
    Color::Indexed(150),
    Color::Indexed(181),
];
const KEYS: &str = "q quit  arrows scroll  +/- zoom  n nodes  j jobs  e events";
/// Screens of fewer lines do without the list of keys.
const KEYS_FROM: u16 = 12;
/// Fewer lines of nodes than this do without the legend.
const LEGEND_FROM: u16 = 5;
/// Fewer columns than this do without dates.
const DATES_FROM: usize = 50;
/// The widest name of a node.
const LABEL_MAX: usize = 20;
/// How many lines of jobs are enough.
const JOB_LINES: u16 = 9;
/// How many lines of events there are beside the rest.
const EVENT_LINES: u16 = 5;

/// Draws the scene.
pub(super) fn draw(scene: &Scene, area: Rect, buffer: &mut Buffer) {
    let head = header(scene);
    let mut place = Place { area, next: area.y };
    if area.height >= KEYS_FROM {
        place.area.height -= 1;
        buffer.set_stringn(area.x, area.bottom() - 1, KEYS, area.width.into(), dim());
    }
    for (index, line) in head.iter().enumerate() {
        let style = if index == 0 { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
        place.line(buffer, line, style);
    }
    if let Some(note) = &scene.note {
        place.line(buffer, note, Style::new().fg(Color::Cyan));
    }
    if let Some(trouble) = &scene.trouble {
        place.line(buffer, &clean(trouble), Style::new().fg(Color::Red));
    }
    let left = place.left();
    let rows = scene.snapshot.timetable.rows.len();
    let nodes_wanted = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
    match scene.panel {
        Panel::Nodes => nodes(scene, &mut place, buffer, left, scene.scroll),
        Panel::Jobs => jobs(scene, &mut place, buffer, left),
        Panel::Events => events(scene, &mut place, buffer, left, scene.scroll),
        Panel::All => {
            let event_lines = if left >= 3 * EVENT_LINES { EVENT_LINES } else { 0 };
            // Half of the screen, and more where enough is left for the jobs.
            let rest = left - event_lines;
            let node_lines = nodes_wanted.min((rest / 2).max(rest.saturating_sub(JOB_LINES)));
            nodes(scene, &mut place, buffer, node_lines, 0);
            let job_lines = place.left().saturating_sub(event_lines);
            jobs(scene, &mut place, buffer, job_lines);
            events(scene, &mut place, buffer, event_lines, 0);
        }
    }
}

/// Where the next line goes.
struct Place {
    area: Rect,
    next: u16,
}

impl Place {
    fn left(&self) -> u16 {
        self.area.bottom().saturating_sub(self.next)
    }

    fn line(&mut self, buffer: &mut Buffer, text: &str, style: Style) {
        if self.left() > 0 && self.area.width > 0 {
            buffer.set_stringn(self.area.x, self.next, text, self.area.width.into(), style);
            self.next += 1;
        }
    }

    /// Leaves lines empty up to there.
    fn skip_to(&mut self, end: u16) {
        self.next = self.next.max(end.min(self.area.bottom()));
    }
}

fn dim() -> Style {
    Style::new().fg(Color::DarkGray)
}

/// The first lines: how the service is.
pub(super) fn header(scene: &Scene) -> [String; 3] {
    let status = &scene.snapshot.status;
    let time = |stamp| time_in(stamp, &scene.zone);
    let speed = if status.speed == 1 { String::new() } else { format!(" (time x{})", status.speed) };
    let closed = if status.writable { "" } else { "  takes no submissions" };
    let cycle = &status.cycle;
    let state = if cycle.open { "planning" } else { "planned" };
    let proof = cycle.proof.as_ref().map_or_else(String::new, |proof| format!(", {}", clean(&proof.text)));
    let next = cycle.next_at.map_or_else(String::new, |next| format!("; next {}", time(next)));
    [
        format!("walras {}  {}{speed}{closed}", clean(&status.version), time(status.now)),
        format!(
            "queued {}  reserved {}  running {}  ended {}",
            status.queued, status.reserved, status.running, status.ended
        ),
        format!(
            "cycle {} {state}: {} served, {} left out{proof}{next}",
            cycle.cycle, cycle.served, cycle.unserved
        ),
    ]
}

fn nodes(scene: &Scene, place: &mut Place, buffer: &mut Buffer, lines: u16, scroll: usize) {
    if lines == 0 || place.left() == 0 {
        return;
    }
    let end = place.next + lines.min(place.left());
    let view = &scene.snapshot.timetable;
    let labels: Vec<String> = view.rows.iter().map(gantt::label).collect();
    let widest = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
    let label_width = widest.min(LABEL_MAX).min(usize::from(place.area.width) / 3);
    let columns = usize::from(place.area.width).saturating_sub(label_width + 1);
    axis(scene, place, buffer, label_width, columns);
    let legend = lines >= LEGEND_FROM;
    for (row, label) in view.rows.iter().zip(&labels).skip(scroll) {
        if place.next + u16::from(legend) >= end {
            break;
        }
        let y = place.next;
        let style = if row.lost { Style::new().fg(Color::Red) } else { Style::new() };
        let label: String = label.chars().take(label_width).collect();
        place.line(buffer, &label, style);
        for (x, cell) in gantt::cells(view, row, columns).iter().enumerate() {
            put(buffer, place.area.x, label_width + 1 + x, y, cell.symbol, style_of(cell.what));
        }
    }
    if legend && place.next < end {
        place.line(buffer, LEGEND, dim());
    }
    place.skip_to(end);
}

/// When the picture begins and ends, and where now is.
fn axis(scene: &Scene, place: &mut Place, buffer: &mut Buffer, label_width: usize, columns: usize) {
    let view = &scene.snapshot.timetable;
    let text = |stamp| {
        let text = time_in(stamp, &scene.zone);
        match text.split_once(' ') {
            Some((_, hour)) if columns < DATES_FROM => hour.to_owned(),
            _ => text,
        }
    };
    let (from, to) = (text(view.from), text(view.to));
    let half = columns / 2;
    let rest = columns - half;
    let y = place.next;
    place.line(buffer, &format!("{:label_width$} {from:<half$}{to:>rest$}", ""), dim());
    // Between the two, where there is room.
    let now = gantt::now_column(view, columns).filter(|now| place.next > y && *now > from.len());
    if let Some(now) = now.filter(|now| now + to.len() + 1 < columns) {
        put(buffer, place.area.x, label_width + 1 + now, y, '|', style_of(What::Now));
    }
}

/// One character, when it is on the screen.
fn put(buffer: &mut Buffer, left: u16, column: usize, y: u16, symbol: char, style: Style) {
    let x = u16::try_from(column).unwrap_or(u16::MAX).saturating_add(left);
    if let Some(cell) = buffer.cell_mut((x, y)) {
        cell.set_char(symbol).set_style(style);
    }
}

fn style_of(what: What) -> Style {
    match what {
        What::Free => Style::new(),
        What::Now => Style::new().fg(Color::Red),
        What::Owner => Style::new().fg(Color::Gray).bg(Color::DarkGray),
        What::Job(None, _) => Style::new().fg(Color::Black).bg(Color::Gray),
        What::Job(Some(job), kind) => {
            let colour = COLOURS[usize::try_from(job % 10).unwrap_or_default()];
            match kind {
                BarKind::Asked | BarKind::Planned | BarKind::Ended => Style::new().fg(colour),
                _ => Style::new().fg(Color::Black).bg(colour),
            }
        }
    }
}

fn jobs(scene: &Scene, place: &mut Place, buffer: &mut Buffer, lines: u16) {
    let end = place.next + lines.min(place.left());
    if end > place.next {
        place.line(buffer, &job_line(["job", "name", "user", "state", "price", "where, why"]), dim());
    }
    for job in scene.snapshot.jobs.iter().skip(scene.scroll) {
        if place.next >= end {
            break;
        }
        place.line(buffer, &job_text(job), state_style(job.state));
    }
    if scene.snapshot.jobs.is_empty() && place.next < end {
        place.line(buffer, "no jobs", dim());
    }
    place.skip_to(end);
}

fn job_text(job: &JobView) -> String {
    let (number, price, place) = (job.job.to_string(), price(job), where_or_why(job));
    clean(&job_line([&number, &job.name, &job.user, job.state.text(), &price, &place]))
}

fn job_line([job, name, user, state, price, place]: [&str; 6]) -> String {
    let cut = |text: &str, length: usize| text.chars().take(length).collect::<String>();
    format!("{job:>6}  {:<16}  {:<10}  {state:<9}  {price:>10}  {place}", cut(name, 16), cut(user, 10))
}

fn state_style(state: JobState) -> Style {
    match state {
        JobState::Running => Style::new().fg(Color::Green),
        JobState::Failed | JobState::GivenUp => Style::new().fg(Color::Red),
        JobState::Done | JobState::Cancelled => dim(),
        _ => Style::new(),
    }
}

/// The newest at the bottom.
fn events(scene: &Scene, place: &mut Place, buffer: &mut Buffer, lines: u16, scroll: usize) {
    let lines = usize::from(lines.min(place.left()));
    if lines == 0 {
        return;
    }
    place.line(buffer, "what happens", dim());
    let newest = scene.events.len().saturating_sub(scroll);
    let first = newest.saturating_sub(lines - 1);
    for line in scene.events.iter().take(newest).skip(first) {
        place.line(buffer, &clean(line), Style::new());
    }
}

#[cfg(test)]
pub(super) mod tests;
