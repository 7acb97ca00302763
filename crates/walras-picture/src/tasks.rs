//! Tasks of workflows: blocks with their names, drawn over the windows that hold them, and arrows for the data between them.

use crate::bands::{Band, Bands};
use crate::colour::{Colour, DIM, INK, PAGE, job_colour};
use crate::layout::Layout;
use crate::number::exact;
use crate::scene::{Arrow, Scene, TaskColour, TaskMark, WindowStyle};
use crate::svg::{Element, Rect, Svg};
use crate::text::{Font, clean_name};
use crate::windows::{WINDOW_BLOCKS_MAX, apart, block_rect};
use std::collections::BTreeMap;
use walras_model::quantity::MILLION;

/// A picture has at most this many arrows; a note tells how many it left out.
pub const ARROWS_MAX: usize = 1_000;

/// Smaller text cannot be read.
const FONT_SIZE_MIN: f64 = 7.5;
const PADDING: f64 = 3.0;
/// The width of what is drawn of the critical path.
const CRITICAL_WIDTH: f64 = 1.75;

/// Draws the tasks that have a row and lie inside the horizon, as many as a picture may have blocks.
pub(crate) fn draw_tasks(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout, bands: &Bands) {
    let chosen = chosen_of(scene);
    for task in scene.tasks.iter().take(WINDOW_BLOCKS_MAX) {
        let shown = task.interval.intersection(layout.horizon);
        let (Some(row), Some(shown)) = (layout.row(task.node), shown) else { continue };
        let bar = block_rect(layout, row, shown);
        let rect = band_of(scene, &chosen, bands, task).map_or(bar, |band| apart(band, bar));
        draw_task(svg, scene, task, rect);
    }
}

/// By job: the window that was chosen for it.
fn chosen_of(scene: &Scene<'_>) -> BTreeMap<usize, usize> {
    let styles = scene.styles().into_iter().enumerate();
    let chosen = styles.filter(|(_, style)| *style == WindowStyle::Solid).map(|(window, _)| window);
    chosen.filter_map(|window| Some((scene.alternatives.get(window)?.job.index(), window))).collect()
}

/// The band of its node on which a task's window has the place that it is on; none where the node is sold whole.
fn band_of(
    scene: &Scene<'_>,
    chosen: &BTreeMap<usize, usize>,
    bands: &Bands,
    task: &TaskMark<'_>,
) -> Option<Band> {
    let TaskColour::OfJob { job, .. } = task.colour else { return None };
    let window = *chosen.get(&job)?;
    let placements = scene.alternatives.get(window)?.window.placements().iter().enumerate();
    let mut places = placements.filter(|(_, placement)| placement.node == task.node);
    bands.of(window, places.nth(task.part as usize)?.0)
}

fn draw_task(svg: &mut Svg, scene: &Scene<'_>, task: &TaskMark<'_>, rect: Rect) {
    let colour = task.colour.colour();
    let corner = (rect.height * 0.15).min(rect.width / 4.0).min(4.0);
    let block = Element::rect(rect).at("rx", corner).set("fill", &colour.hex());
    let block = mark(block, task.critical);
    let font = Font::bold((rect.height * 0.6).min(12.0));
    let name = font.fit(&clean_name(task.name), rect.width - 2.0 * PADDING);
    let tooltip = tooltip(scene, task);
    let Some(name) = name.filter(|name| !name.is_empty() && font.size >= FONT_SIZE_MIN) else {
        return svg.hinted(block, &tooltip);
    };
    svg.start(Element::new("g").set("fill", colour.text()).set("text-anchor", "middle"));
    svg.words(Element::new("title"), &tooltip);
    svg.empty(block);
    svg.words(Element::text(rect.x + rect.width / 2.0, rect.y + rect.height / 2.0, font), &name);
    svg.end("g");
}

/// Frames a task, darkly on the critical path.
pub(crate) fn mark(block: Element, critical: bool) -> Element {
    let (stroke, width) = if critical { (INK, CRITICAL_WIDTH) } else { (PAGE, 0.75) };
    block.set("stroke", stroke).at("stroke-width", width)
}

fn tooltip(scene: &Scene<'_>, task: &TaskMark<'_>) -> String {
    let unit = scene.unit;
    format!(
        "task {} on {}\n{}–{} {}\ncost {}{}",
        clean_name(task.name),
        scene.node_name(task.node, true),
        unit.time(task.interval.start().as_millis()),
        unit.time(task.interval.end().as_millis()),
        unit.symbol(),
        exact(task.cost.as_micros(), MILLION),
        if task.critical { "\non the critical path" } else { "" },
    )
}

/// The heads of arrows, to be used by [`draw_arrows`].
pub(crate) fn define_heads(svg: &mut Svg) {
    for (id, colour) in [("walras-head", DIM), ("walras-critical", INK)] {
        let head = Element::new("marker")
            .set("id", id)
            .set("viewBox", "0 0 6 6")
            .at("refX", 5.5)
            .at("refY", 3.0)
            .at("markerWidth", 6.0)
            .at("markerHeight", 6.0)
            .set("markerUnits", "userSpaceOnUse")
            .set("orient", "auto");
        svg.start(head);
        svg.empty(Element::new("path").set("d", "M0,0.5L6,3L0,5.5z").set("fill", colour));
        svg.end("marker");
    }
}

/// Draws the first arrows, those of the critical path on top.
pub(crate) fn draw_arrows(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout) {
    let mut arrows: Vec<&Arrow> = scene.arrows.iter().take(ARROWS_MAX).collect();
    arrows.sort_by_key(|arrow| arrow.critical);
    for arrow in arrows {
        let (Some(from), Some(to)) = (layout.row(arrow.from.0), layout.row(arrow.to.0)) else { continue };
        let middle = layout.bar() / 2.0;
        let line = Element::new("line")
            .at("x1", layout.x(arrow.from.1.as_millis()))
            .at("y1", from.y + middle)
            .at("x2", layout.x(arrow.to.1.as_millis()))
            .at("y2", to.y + middle);
        svg.empty(stroke(line, arrow.critical));
    }
}

/// Gives a line the look of an arrow.
pub(crate) fn stroke(line: Element, critical: bool) -> Element {
    if critical {
        let line = line.set("stroke", INK).at("stroke-width", CRITICAL_WIDTH);
        return line.set("marker-end", "url(#walras-critical)");
    }
    let line = line.set("stroke", DIM).at("stroke-width", 0.8).at("stroke-opacity", 0.6);
    line.set("marker-end", "url(#walras-head)")
}

impl TaskColour {
    pub(crate) fn colour(self) -> Colour {
        match self {
            TaskColour::Level(level) => job_colour(level),
            TaskColour::OfJob { job, place } => job_colour(job).shade(place),
        }
    }
}
