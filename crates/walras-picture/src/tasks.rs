//! Tasks of workflows: blocks with their names, drawn over the windows that hold them.

use crate::colour::{PAGE, job_colour};
use crate::layout::Layout;
use crate::number::exact;
use crate::scene::{Scene, TaskMark};
use crate::svg::{Element, Rect, Svg};
use crate::text::{Font, clean_name};
use crate::windows::{WINDOW_BLOCKS_MAX, block_rect};
use walras_model::quantity::MILLION;

/// Smaller text cannot be read.
const FONT_SIZE_MIN: f64 = 7.5;
const PADDING: f64 = 3.0;

/// Draws the tasks that have a row and lie inside the horizon, as many as a picture may have blocks.
pub(crate) fn draw_tasks(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout) {
    for task in scene.tasks.iter().take(WINDOW_BLOCKS_MAX) {
        let shown = task.interval.intersection(layout.horizon);
        let (Some(row), Some(shown)) = (layout.row(task.node), shown) else { continue };
        draw_task(svg, scene, task, block_rect(layout, row, shown));
    }
}

fn draw_task(svg: &mut Svg, scene: &Scene<'_>, task: &TaskMark<'_>, rect: Rect) {
    let colour = job_colour(task.colour);
    let corner = (rect.height * 0.15).min(rect.width / 4.0).min(4.0);
    let block = Element::rect(rect).at("rx", corner).set("fill", &colour.hex());
    let block = block.set("stroke", PAGE).at("stroke-width", 0.75);
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

fn tooltip(scene: &Scene<'_>, task: &TaskMark<'_>) -> String {
    let unit = scene.unit;
    format!(
        "task {} on {}\n{}–{} {}\ncost {}",
        clean_name(task.name),
        scene.node_name(task.node, true),
        unit.time(task.interval.start().as_millis()),
        unit.time(task.interval.end().as_millis()),
        unit.symbol(),
        exact(task.cost.as_micros(), MILLION),
    )
}
