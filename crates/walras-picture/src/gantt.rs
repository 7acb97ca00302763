//! The Gantt chart, put together.

use crate::axis::axis;
use crate::colour::{ALERT, DIM, INK, PAGE};
use crate::layout::{AXIS_HEIGHT, Layout, MARGIN, width_of};
use crate::legend::Legend;
use crate::marks::{self, OwnersWork};
use crate::number::{counted, grouped, pixels, real_count, whole};
use crate::scene::Scene;
use crate::svg::{Element, Rect, Svg};
use crate::tasks::{self, ARROWS_MAX};
use crate::text::{Font, clean_name};
use crate::windows::{self, Selection, WINDOW_BLOCKS_MAX};

const TITLE_FONT: Font = Font::bold(19.0);
const SUBTITLE_FONT: Font = Font::plain(12.5);
const NOTE_FONT: Font = Font::plain(12.0);
const NOTE_HEIGHT: f64 = 18.0;
/// Ticks closer than this would run into each other.
const TICK_DISTANCE_MIN: f64 = 76.0;
/// Where the legend begins, below title and subtitle.
const LEGEND_TOP: f64 = MARGIN + 52.0;

/// Draws a scene as one self-contained SVG.
///
/// Rows shrink as nodes become many and labels thin out to what can be read. What does not fit at all
/// (nodes beyond about a thousand, windows beyond [`WINDOW_BLOCKS_MAX`] blocks) is counted in a note under
/// the chart. The same scene always gives the same text. Time O(n log n) in slots, nodes and placements.
///
/// ```
/// use walras_model::{Batch, Interval, Offers, Time};
/// use walras_picture::{Scene, gantt};
/// let horizon = Interval::new(Time::from_millis(0).unwrap(), Time::from_millis(600_000).unwrap()).unwrap();
/// let offers = Offers::new(horizon, vec![], vec![], vec![]).unwrap();
/// let svg = gantt(&Scene::new("Nothing for sale", &offers, &Batch::default(), &[]));
/// assert!(svg.starts_with("<svg ") && svg.contains("Nothing for sale"));
/// ```
pub fn gantt(scene: &Scene<'_>) -> String {
    let prices = scene.prices();
    let legend = Legend::new(scene, width_of(scene));
    let layout = Layout::new(scene, &prices, LEGEND_TOP + legend.height() + 12.0 + AXIS_HEIGHT);
    let axis = axis(layout.horizon, scene.unit, whole((layout.plot.1 - layout.plot.0) / TICK_DISTANCE_MIN));
    let work = marks::owners_work(scene, &layout);
    let selection = windows::select(scene, &layout);
    let notes = notes(scene, &layout, &work, &selection);
    let height = layout.bottom + AXIS_HEIGHT + NOTE_HEIGHT * real_count(notes.len()) + MARGIN / 2.0;

    let mut svg = Svg::open(layout.width, height, &clean_name(scene.title), &describe(scene));
    marks::draw_definitions(&mut svg, !scene.arrows.is_empty());
    svg.empty(Element::rect(Rect { x: 0.0, y: 0.0, width: layout.width, height }).set("fill", PAGE));
    draw_title(&mut svg, scene, &layout);
    legend.draw(&mut svg, LEGEND_TOP);
    marks::draw_headers(&mut svg, scene, &layout);
    marks::draw_rows(&mut svg, scene, &layout, &prices);
    marks::draw_owners_work(&mut svg, scene, &layout, &work);
    marks::draw_axis(&mut svg, scene, &layout, &axis);
    let bands = windows::draw_windows(&mut svg, scene, &layout, &selection);
    tasks::draw_tasks(&mut svg, scene, &layout, &bands);
    tasks::draw_arrows(&mut svg, scene, &layout);
    draw_notes(&mut svg, &notes, layout.bottom + AXIS_HEIGHT);
    svg.finish()
}

fn draw_title(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout) {
    let room = layout.width - 2.0 * MARGIN;
    let title = TITLE_FONT.fit(&clean_name(scene.title), room).unwrap_or_default();
    svg.words(Element::text(MARGIN, MARGIN + 8.0, TITLE_FONT).set("fill", INK), &title);
    let text = Element::text(MARGIN, MARGIN + 32.0, SUBTITLE_FONT).set("fill", DIM);
    svg.words(text, &subtitle(scene, room));
}

/// The summary, and the scene's note where it fits.
fn subtitle(scene: &Scene<'_>, room: f64) -> String {
    let summary = summary(scene);
    let both = scene.note.map(|note| format!("{summary} · {}", clean_name(note)));
    both.filter(|both| SUBTITLE_FONT.width(both) <= room).unwrap_or(summary)
}

/// `6 nodes at 1 site · 3 jobs · 8 windows · 0–600 s`.
fn summary(scene: &Scene<'_>) -> String {
    let horizon = scene.offers.horizon();
    let (start, end) = (horizon.start().as_millis(), horizon.end().as_millis());
    let mut shown = Vec::new();
    if scene.tasks.is_empty() || !scene.batch.requests().is_empty() {
        shown.push(counted(scene.batch.requests().len(), "job"));
        shown.push(counted(scene.alternatives.len(), "window"));
    }
    if !scene.tasks.is_empty() {
        shown.push(counted(scene.tasks.len(), "task"));
    }
    let processors: usize =
        scene.offers.capacities().iter().map(|offer| offer.capacity.processors as usize).sum();
    let nodes = counted(scene.offers.nodes().len().saturating_sub(processors), "node");
    let nodes = match processors {
        0 => nodes,
        _ => format!("{nodes} and {}", counted(processors, "processor")),
    };
    format!(
        "{nodes} at {} · {} · {}–{} {}",
        counted(scene.offers.sites().len(), "site"),
        shown.join(" · "),
        scene.unit.time(start),
        scene.unit.time(end),
        scene.unit.symbol(),
    )
}

/// What the picture shows, for those who cannot see it.
fn describe(scene: &Scene<'_>) -> String {
    let without = scene.counts().iter().filter(|count| **count == 0).count();
    format!(
        "Gantt chart: nodes as rows grouped by site, time from left to right, owners' work hatched, windows \
         coloured by job. {}. {} without a window.",
        summary(scene),
        counted(without, "job")
    )
}

/// What the picture does not show.
fn notes(scene: &Scene<'_>, layout: &Layout, work: &OwnersWork<'_>, selection: &Selection) -> Vec<String> {
    let mut notes = Vec::new();
    let mut not_drawn = |count: usize, of: String, reason: &str| {
        if count > 0 {
            notes.push(format!("Not drawn: {} of {of}; {reason}.", grouped(count)));
        }
    };
    let windows = || counted(scene.alternatives.len(), "window");
    let limit = format!("a picture has at most {} blocks", grouped(WINDOW_BLOCKS_MAX));
    let nodes = counted(scene.offers.nodes().len(), "node");
    not_drawn(layout.nodes_left_out(), nodes, "there is no room");
    not_drawn(selection.not_asked_for, windows(), scene.only.map_or("", |only| only.reason));
    not_drawn(selection.beyond_limit, windows(), &limit);
    let tasks = counted(scene.tasks.len(), "task");
    not_drawn(scene.tasks.len().saturating_sub(WINDOW_BLOCKS_MAX), tasks, &limit);
    let arrows = counted(scene.arrows.len(), "transfer");
    let arrows_max = format!("a picture has at most {} arrows", grouped(ARROWS_MAX));
    not_drawn(scene.arrows.len().saturating_sub(ARROWS_MAX), arrows, &arrows_max);
    not_drawn(selection.out_of_sight, windows(), "they use no node and time that the picture shows");
    if let Some(distance) = work.joined_below {
        let distance = pixels(distance);
        notes.push(format!("Owners' work that is less than {distance} pixels apart is drawn as one block."));
    }
    notes
}

fn draw_notes(svg: &mut Svg, notes: &[String], top: f64) {
    for (index, note) in notes.iter().enumerate() {
        let middle = top + NOTE_HEIGHT * (real_count(index) + 0.5);
        svg.words(Element::text(MARGIN, middle, NOTE_FONT).set("fill", ALERT), note);
    }
}
