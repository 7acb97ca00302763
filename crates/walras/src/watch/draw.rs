//! A scene on a screen of any size.

use super::cursor::{Cursor, dim};
use super::gantt::{self, LEGEND, What};
use super::header::header;
use super::scene::{Panel, Scene, Show};
use super::sheet;
use crate::client::columns::{price, where_or_why};
use crate::client::show::{clean, cut, time_in};
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
const KEYS: &str = "? help  arrows choose  Enter open  f filter  / find  +/- zoom  n j e  q quit";
const KEYS_WITH_HINTS: &str = "? help  h what to try  arrows choose  Enter open  f filter  / find  q quit";
/// Screens of fewer lines do without the list of keys.
const KEYS_FROM: u16 = 12;
/// Fewer lines of nodes than this do without the legend.
const LEGEND_FROM: u16 = 5;
/// Fewer columns than this do without dates.
const DATES_FROM: usize = 50;
/// The widest name of a node.
const LABEL_MAX: usize = 20;
/// Fewer columns than this do without the users of jobs.
const USERS_FROM: usize = 96;
/// So much is shown of what jobs are looked for by.
const SEARCH_SHOWN: usize = 12;
/// How many lines of jobs are enough.
const JOB_LINES: u16 = 9;
/// How many lines of events there are beside the rest.
const EVENT_LINES: u16 = 5;

/// Draws the scene.
pub(super) fn draw(scene: &Scene, area: Rect, buffer: &mut Buffer) {
    let head = header(scene, Some(area.width.into()));
    let mut cursor = Cursor { area, next: area.y };
    if area.height >= KEYS_FROM {
        cursor.area.height -= 1;
        let keys = if scene.hints.is_some() { KEYS_WITH_HINTS } else { KEYS };
        let keys = if scene.typing { format!("find: {}_", clean(&scene.search)) } else { keys.to_owned() };
        buffer.set_stringn(area.x, area.bottom() - 1, keys, area.width.into(), dim());
    }
    for (index, line) in head.iter().enumerate() {
        let style = if index == 0 { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
        cursor.line(buffer, line, style);
    }
    if let Some(note) = &scene.note {
        cursor.line(buffer, note, Style::new().fg(Color::Cyan));
    }
    if let Some(trouble) = &scene.trouble {
        cursor.line(buffer, &clean(trouble), Style::new().fg(Color::Red));
    }
    if let Some(sheet) = scene.sheet {
        return sheet::draw(scene, sheet, &mut cursor, buffer);
    }
    let left = cursor.left();
    let rows = scene.snapshot.timetable.rows.len();
    let nodes_wanted = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
    match scene.panel {
        Panel::Nodes => nodes(scene, &mut cursor, buffer, left, scene.scroll),
        Panel::Jobs => jobs(scene, &mut cursor, buffer, left),
        Panel::Events => events(scene, &mut cursor, buffer, left, scene.scroll),
        Panel::All => {
            let event_lines = if left >= 3 * EVENT_LINES { EVENT_LINES } else { 0 };
            // Half of the screen, and more where enough is left for the jobs.
            let rest = left - event_lines;
            let node_lines = nodes_wanted.min((rest / 2).max(rest.saturating_sub(JOB_LINES)));
            nodes(scene, &mut cursor, buffer, node_lines, 0);
            let job_lines = cursor.left().saturating_sub(event_lines);
            jobs(scene, &mut cursor, buffer, job_lines);
            events(scene, &mut cursor, buffer, event_lines, 0);
        }
    }
}

fn nodes(scene: &Scene, cursor: &mut Cursor, buffer: &mut Buffer, lines: u16, scroll: usize) {
    if lines == 0 || cursor.left() == 0 {
        return;
    }
    let end = cursor.next + lines.min(cursor.left());
    let view = &scene.snapshot.timetable;
    let labels: Vec<String> = view.rows.iter().map(gantt::label).collect();
    let widest = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
    let label_width = widest.min(LABEL_MAX).min(usize::from(cursor.area.width) / 3);
    let columns = usize::from(cursor.area.width).saturating_sub(label_width + 1);
    axis(scene, cursor, buffer, label_width, columns);
    let legend = lines >= LEGEND_FROM;
    let room = usize::from(end.saturating_sub(cursor.next).saturating_sub(legend.into()));
    let left = view.rows.len().saturating_sub(scroll);
    // The last line says how many there is no room for.
    let shown = if left > room { room.saturating_sub(1) } else { left };
    for (row, label) in view.rows.iter().zip(&labels).skip(scroll).take(shown) {
        let y = cursor.next;
        let style = if row.lost { Style::new().fg(Color::Red) } else { Style::new() };
        let label: String = label.chars().take(label_width).collect();
        cursor.line(buffer, &label, style);
        for (x, cell) in gantt::cells(view, row, columns).iter().enumerate() {
            put(buffer, cursor.area.x, label_width + 1 + x, y, cell.symbol, style_of(cell.what));
        }
    }
    if shown < left && room > 0 {
        let how = if scene.panel == Panel::Nodes { "arrows" } else { "n" };
        cursor.line(buffer, &format!("… and {} more ({how})", left - shown), dim());
    }
    if legend && cursor.next < end {
        cursor.line(buffer, LEGEND, dim());
    }
    cursor.skip_to(end);
}

/// When the picture begins and ends, and where now is.
fn axis(scene: &Scene, cursor: &mut Cursor, buffer: &mut Buffer, label_width: usize, columns: usize) {
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
    let y = cursor.next;
    cursor.line(buffer, &format!("{:label_width$} {from:<half$}{to:>rest$}", ""), dim());
    // Between the two, where there is room.
    let now = gantt::now_column(view, columns).filter(|now| cursor.next > y && *now > from.len());
    if let Some(now) = now.filter(|now| now + to.len() + 1 < columns) {
        put(buffer, cursor.area.x, label_width + 1 + now, y, '|', style_of(What::Now));
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

fn jobs(scene: &Scene, cursor: &mut Cursor, buffer: &mut Buffer, lines: u16) {
    let end = cursor.next + lines.min(cursor.left());
    let width = usize::from(cursor.area.width);
    if end > cursor.next {
        let filtered = filtered(scene);
        let last = if filtered.is_empty() { "where, why" } else { filtered.as_str() };
        cursor.line(buffer, &job_line(["job", "name", "user", "state", "price", last], width), dim());
    }
    let (jobs, chosen) = (scene.jobs(), scene.place());
    let room = usize::from(end.saturating_sub(cursor.next));
    // The chosen one is always on the screen.
    let first = (chosen + 1).saturating_sub(room);
    for (index, job) in jobs.iter().enumerate().skip(first).take(room) {
        let style = state_style(job.state);
        let is_chosen = scene.selected.is_some() && index == chosen;
        let style = if is_chosen { style.add_modifier(Modifier::REVERSED) } else { style };
        cursor.line(buffer, &cut(&job_text(job, width), width), style);
    }
    if jobs.is_empty() && cursor.next < end {
        cursor.line(buffer, "no jobs", dim());
    }
    cursor.skip_to(end);
}

/// Which jobs are not shown, where some are not.
fn filtered(scene: &Scene) -> String {
    let show = (scene.show != Show::All).then(|| format!("[{}]", scene.show.text()));
    let search = cut(&clean(&scene.search), SEARCH_SHOWN);
    let search = (!search.is_empty()).then(|| format!("[with '{search}']"));
    show.into_iter().chain(search).collect::<Vec<_>>().join(" ")
}

fn job_text(job: &JobView, width: usize) -> String {
    let (price, place) = (price(job), where_or_why(job));
    clean(&job_line([&job.id, &job.name, &job.user, job.state.text(), &price, &place], width))
}

/// One line of the list; where there is little room, without the user.
fn job_line([job, name, user, state, price, place]: [&str; 6], width: usize) -> String {
    if width < USERS_FROM {
        return format!("{:>6}  {:<14}  {state:<9}  {price:>8}  {place}", cut(job, 12), cut(name, 14));
    }
    format!(
        "{:>6}  {:<16}  {:<10}  {state:<9}  {price:>10}  {place}",
        cut(job, 16),
        cut(name, 16),
        cut(user, 10)
    )
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
fn events(scene: &Scene, cursor: &mut Cursor, buffer: &mut Buffer, lines: u16, scroll: usize) {
    let lines = usize::from(lines.min(cursor.left()));
    if lines == 0 {
        return;
    }
    cursor.line(buffer, "what happens", dim());
    let newest = scene.events.len().saturating_sub(scroll);
    let first = newest.saturating_sub(lines - 1);
    for line in scene.events.iter().take(newest).skip(first) {
        cursor.line(buffer, &clean(line), Style::new());
    }
}

#[cfg(test)]
pub(super) mod tests;
