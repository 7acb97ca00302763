//! The legend: what fills mean, which job has which colour, and which jobs have no window.

use crate::colour::{ALERT, DIM, FREE, INK, LINE, job_colour};
use crate::layout::MARGIN;
use crate::marks::BUSY_FILL;
use crate::number::{grouped, real_count};
use crate::scene::{Scene, WindowStyle};
use crate::svg::{Element, Rect, Svg};
use crate::tasks::{mark, stroke};
use crate::text::Font;
use crate::windows::paint;
use std::collections::BTreeSet;
use walras_model::JobId;

const FONT: Font = Font::plain(12.0);
const LINE_HEIGHT: f64 = 20.0;
const SWATCH: f64 = 12.0;
const AFTER_SWATCH: f64 = 6.0;
const BETWEEN: f64 = 18.0;
/// Room that `+ 1,234 more` needs.
const MORE_WIDTH: f64 = 100.0;
const NAME_WIDTH_MAX: f64 = 170.0;
const FILL_LINES_MAX: usize = 2;
const JOB_LINES_MAX: usize = 3;
const UNSCHEDULED_LINES_MAX: usize = 2;

/// A legend, laid out.
pub(crate) struct Legend {
    lines: Vec<Vec<Placed>>,
}

/// One entry: a swatch and what it means.
struct Entry {
    swatch: Swatch,
    text: String,
    colour: &'static str,
}

enum Swatch {
    None,
    Free,
    Busy,
    Job(usize, WindowStyle),
    /// A task of the critical path.
    Critical,
    /// Data that moves.
    Arrow,
}

struct Placed {
    x: f64,
    entry: Entry,
}

impl Legend {
    pub(crate) fn new(scene: &Scene<'_>, width: f64) -> Legend {
        let room = width - 2.0 * MARGIN;
        let counts = scene.counts();
        let drawn: BTreeSet<usize> =
            scene.asked_for().into_iter().map(|place| scene.alternatives[place].job.index()).collect();
        let with: Vec<usize> = (0..counts.len()).filter(|job| drawn.contains(job)).collect();
        let without: Vec<usize> = (0..counts.len()).filter(|job| counts[*job] == 0).collect();
        let mut lines = flow(fills(scene, &with), room, FILL_LINES_MAX);
        lines.extend(flow(jobs(scene, &with, &counts), room, JOB_LINES_MAX));
        lines.extend(flow(unscheduled(scene, &without), room, UNSCHEDULED_LINES_MAX));
        Legend { lines }
    }

    pub(crate) fn height(&self) -> f64 {
        LINE_HEIGHT * real_count(self.lines.len())
    }

    /// Draws the legend from height `top` on.
    pub(crate) fn draw(&self, svg: &mut Svg, top: f64) {
        for (index, line) in self.lines.iter().enumerate() {
            let middle = top + LINE_HEIGHT * (real_count(index) + 0.5);
            for placed in line {
                draw_entry(svg, MARGIN + placed.x, middle, &placed.entry);
            }
        }
    }
}

impl Entry {
    fn new(swatch: Swatch, text: String) -> Entry {
        Entry { swatch, text, colour: INK }
    }

    fn words(text: String, colour: &'static str) -> Entry {
        Entry { swatch: Swatch::None, text, colour }
    }

    fn indent(&self) -> f64 {
        if matches!(self.swatch, Swatch::None) { 0.0 } else { SWATCH + AFTER_SWATCH }
    }

    fn width(&self) -> f64 {
        self.indent() + FONT.width(&self.text)
    }
}

fn fills(scene: &Scene<'_>, with: &[usize]) -> Vec<Entry> {
    let mut entries = vec![
        Entry::new(Swatch::Free, "free time".to_owned()),
        Entry::new(Swatch::Busy, "owners' work".to_owned()),
    ];
    if scene.tasks.iter().any(|task| task.critical) {
        entries.push(Entry::new(Swatch::Critical, "critical path".to_owned()));
    }
    if !scene.arrows.is_empty() {
        entries.push(Entry::new(Swatch::Arrow, "data between nodes".to_owned()));
    }
    let Some(job) = with.first().copied() else {
        return entries;
    };
    if scene.chosen.is_some() {
        entries.push(Entry::new(Swatch::Job(job, WindowStyle::Solid), "chosen window".to_owned()));
        let styles = scene.styles();
        if scene.asked_for().iter().any(|place| styles[*place] == WindowStyle::Outline) {
            entries.push(Entry::new(Swatch::Job(job, WindowStyle::Outline), "other alternative".to_owned()));
        }
    }
    if !scene.jobs_with_tasks().is_empty() {
        entries.push(Entry::words("tasks have shades of their job's colour".to_owned(), DIM));
    }
    let name = JobId::from_index(job).map(|job| scene.job_name(job)).unwrap_or_default();
    let name = FONT.fit(&name, 80.0).unwrap_or_default();
    let hint = format!("{name}·2 is the second window of {name}, with what it costs on that node");
    entries.push(Entry::words(hint, DIM));
    entries
}

fn jobs(scene: &Scene<'_>, with: &[usize], counts: &[usize]) -> Vec<Entry> {
    let entry = |job: &usize| {
        let text = format!("{} × {}", name_of(scene, *job), grouped(counts[*job]));
        Entry::new(Swatch::Job(*job, WindowStyle::Solid), text)
    };
    with.iter().map(entry).collect()
}

fn unscheduled(scene: &Scene<'_>, without: &[usize]) -> Vec<Entry> {
    if without.is_empty() {
        return Vec::new();
    }
    let heading = Entry::words("without a window:".to_owned(), ALERT);
    let names = without.iter().map(|job| Entry::words(name_of(scene, *job), ALERT));
    std::iter::once(heading).chain(names).collect()
}

fn name_of(scene: &Scene<'_>, job: usize) -> String {
    let name = JobId::from_index(job).map(|job| scene.job_name(job)).unwrap_or_default();
    FONT.fit(&name, NAME_WIDTH_MAX).unwrap_or_default()
}

/// Fills lines from left to right; what does not fit in `lines_max` lines becomes `+ n more`.
fn flow(entries: Vec<Entry>, room: f64, lines_max: usize) -> Vec<Vec<Placed>> {
    let mut full: Vec<Vec<Placed>> = Vec::new();
    let mut line: Vec<Placed> = Vec::new();
    let mut x = 0.0;
    let mut left = entries.len();
    for entry in entries {
        let on_last_line = full.len() + 1 == lines_max;
        let reserved = if on_last_line && left > 1 { MORE_WIDTH } else { 0.0 };
        if x + entry.width() > room - reserved && !line.is_empty() {
            if on_last_line {
                line.push(Placed { x, entry: Entry::words(format!("+ {} more", grouped(left)), DIM) });
                break;
            }
            full.push(std::mem::take(&mut line));
            x = 0.0;
        }
        let after = x + entry.width() + BETWEEN;
        line.push(Placed { x, entry });
        x = after;
        left -= 1;
    }
    full.extend(Some(line).filter(|line| !line.is_empty()));
    full
}

fn draw_entry(svg: &mut Svg, x: f64, middle: f64, entry: &Entry) {
    let rect = Rect { x, y: middle - SWATCH / 2.0, width: SWATCH, height: SWATCH };
    let swatch = Element::rect(rect).at("rx", 2.5);
    match entry.swatch {
        Swatch::None => {}
        Swatch::Free => svg.empty(swatch.set("fill", FREE).set("stroke", LINE)),
        Swatch::Busy => svg.empty(swatch.set("fill", BUSY_FILL).set("stroke", LINE)),
        Swatch::Critical => svg.empty(mark(swatch.set("fill", FREE), true)),
        Swatch::Arrow => {
            let line = Element::new("line").at("x1", x).at("y1", middle + 4.0);
            svg.empty(stroke(line.at("x2", x + SWATCH).at("y2", middle - 4.0), false));
        }
        Swatch::Job(job, style) => svg.empty(paint(swatch, job_colour(job), style)),
    }
    svg.words(Element::text(x + entry.indent(), middle, FONT).set("fill", entry.colour), &entry.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize) -> Vec<Entry> {
        (0..count)
            .map(|job| Entry::new(Swatch::Job(job, WindowStyle::Solid), format!("J{job} × 1")))
            .collect()
    }

    #[test]
    fn few_entries_take_one_line() {
        let lines = flow(entries(3), 500.0, 2);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].len(), 3);
        assert!(flow(Vec::new(), 500.0, 2).is_empty());
    }

    #[test]
    fn many_entries_wrap_and_the_rest_is_counted() {
        let lines = flow(entries(100), 500.0, 2);
        assert_eq!(lines.len(), 2);
        let shown: usize = lines.iter().map(Vec::len).sum::<usize>() - 1;
        let last = &lines[1][lines[1].len() - 1];
        assert_eq!(last.entry.text, format!("+ {} more", 100 - shown));
        assert!(last.x + last.entry.width() <= 500.0);
    }
}
