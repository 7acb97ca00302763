//! The windows: blocks in their job's colour, numbered, each with a tooltip that tells all.

use crate::bands::{Band, Bands};
use crate::colour::{Colour, job_colour};
use crate::layout::{Layout, Row};
use crate::number::exact;
use crate::scene::{Scene, WindowStyle, short_money};
use crate::svg::{Element, Rect, Svg};
use crate::text::{Font, clean_name};
use walras_model::quantity::MILLION;
use walras_model::{Alternative, Interval, Money, Placement};

/// A picture draws at most this many blocks of windows; a note tells how many windows it left out.
pub const WINDOW_BLOCKS_MAX: usize = 8_000;

/// In rows at least this high, the blocks of a window are tied together by a line.
const TIE_PITCH_MIN: f64 = 16.0;
/// Blocks at least this high carry their cost on a second line.
const TWO_LINES_MIN: f64 = 28.0;
/// Smaller text cannot be read.
const FONT_SIZE_MIN: f64 = 7.5;
const PADDING: f64 = 3.0;

/// Which windows are drawn.
pub(crate) struct Selection {
    /// Positions in the scene's alternatives, in drawing order.
    drawn: Vec<usize>,
    styles: Vec<WindowStyle>,
    /// How many are not drawn because of the limit.
    pub(crate) beyond_limit: usize,
    /// How many have no part on a row and inside the horizon.
    pub(crate) out_of_sight: usize,
    /// How many are not to be drawn.
    pub(crate) not_asked_for: usize,
}

/// One window about to be drawn.
struct Drawing<'a> {
    alternative: &'a Alternative,
    /// Its place among the scene's.
    place: usize,
    name: String,
    number: usize,
    style: WindowStyle,
    colour: Colour,
    /// Whether tasks are drawn in it, which leave no room for its own label.
    holds_tasks: bool,
}

/// Solid windows first, then outlines, as many as the limit on blocks allows. Solid ones are drawn last,
/// on top.
pub(crate) fn select(scene: &Scene<'_>, layout: &Layout) -> Selection {
    let styles = scene.styles();
    let mut order = scene.asked_for();
    let asked_for = order.len();
    order.sort_by_key(|index| styles[*index] == WindowStyle::Outline);
    order.retain(|index| visible(&scene.alternatives[*index], layout).next().is_some());
    let in_sight = order.len();
    let mut room = WINDOW_BLOCKS_MAX;
    order.retain(|index| {
        let blocks = visible(&scene.alternatives[*index], layout).count();
        let rest = room.checked_sub(blocks);
        room = rest.unwrap_or(room);
        rest.is_some()
    });
    order.reverse();
    Selection {
        beyond_limit: in_sight - order.len(),
        out_of_sight: asked_for - in_sight,
        not_asked_for: styles.len() - asked_for,
        drawn: order,
        styles,
    }
}

/// A placement that has a row and lies, at least in part, inside the horizon.
struct Visible<'a> {
    placement: &'a Placement,
    /// Its place in its window.
    place: usize,
    row: &'a Row,
    shown: Interval,
}

/// Those of a window.
fn visible<'a>(alternative: &'a Alternative, layout: &'a Layout) -> impl Iterator<Item = Visible<'a>> {
    alternative.window.placements().iter().enumerate().filter_map(|(place, placement)| {
        let (row, shown) = (layout.row(placement.node)?, placement.interval.intersection(layout.horizon)?);
        Some(Visible { placement, place, row, shown })
    })
}

/// Gives an element its job's colour in the window's style.
pub(crate) fn paint(element: Element, colour: Colour, style: WindowStyle) -> Element {
    let element = element.set("fill", &colour.hex());
    match style {
        WindowStyle::Solid => element,
        WindowStyle::Outline => element
            .at("fill-opacity", 0.14)
            .set("stroke", &colour.hex())
            .at("stroke-width", 1.25)
            .set("stroke-dasharray", "4 2"),
    }
}

/// Draws what [`select`] chose: ties beneath, then blocks; gives where these lie that share a node.
pub(crate) fn draw_windows(
    svg: &mut Svg,
    scene: &Scene<'_>,
    layout: &Layout,
    selection: &Selection,
) -> Bands {
    let numbers = scene.numbers();
    let with_tasks = scene.jobs_with_tasks();
    let drawing = |index: &usize| {
        let alternative = &scene.alternatives[*index];
        let (number, style) = (numbers[*index], selection.styles[*index]);
        let colour = job_colour(alternative.job.index());
        let holds_tasks = style == WindowStyle::Solid && with_tasks.contains(&alternative.job.index());
        let name = scene.job_name(alternative.job);
        Drawing { alternative, place: *index, name, number, style, colour, holds_tasks }
    };
    let drawings: Vec<Drawing<'_>> = selection.drawn.iter().map(drawing).collect();
    if layout.pitch >= TIE_PITCH_MIN {
        drawings.iter().for_each(|drawing| draw_tie(svg, layout, drawing));
    }
    // What is drawn last matters most.
    let bands = Bands::new(scene, layout, selection.drawn.iter().rev().copied());
    for drawing in &drawings {
        let group = Element::new("g").set("data-window", &drawing.label());
        svg.start(group);
        for Visible { placement, place, row, shown } in visible(drawing.alternative, layout) {
            let tooltip = drawing.tooltip(scene, placement);
            let bar = block_rect(layout, row, shown);
            let rect = bands.of(drawing.place, place).map_or(bar, |band| apart(band, bar));
            draw_block(svg, drawing, rect, placement.cost, &tooltip);
        }
        svg.end("g");
    }
    bands
}

/// A line along the common start, from a window's first row to its last.
fn draw_tie(svg: &mut Svg, layout: &Layout, drawing: &Drawing<'_>) {
    let heights = || visible(drawing.alternative, layout).map(|it| it.row.y + layout.bar() / 2.0);
    let (upper, lower) = (heights().fold(f64::INFINITY, f64::min), heights().fold(0.0, f64::max));
    if upper >= lower {
        return;
    }
    let start = drawing.alternative.window.start().max(layout.horizon.start());
    let x = layout.x(start.as_millis()) + 2.0;
    let line = Element::new("line").at("x1", x).at("x2", x).at("y1", upper).at("y2", lower);
    let line = line.set("stroke", &drawing.colour.hex()).at("stroke-width", (layout.pitch / 20.0).min(2.0));
    svg.empty(match drawing.style {
        WindowStyle::Solid => line,
        // Faint, since it crosses the labels of other outlines.
        WindowStyle::Outline => line.set("stroke-dasharray", "4 2").at("stroke-opacity", 0.45),
    });
}

/// Where a block lies: a little apart from its neighbours, and never too thin to be seen.
pub(crate) fn block_rect(layout: &Layout, row: &Row, shown: Interval) -> Rect {
    let (start, end) = (layout.x(shown.start().as_millis()), layout.x(shown.end().as_millis()));
    let inset = if end - start > 4.0 { 0.75 } else { 0.0 };
    let width = (end - start - 2.0 * inset).max(0.75);
    Rect { x: start + inset, y: row.y, width, height: layout.bar() }
}

/// The same for a part of a node: a little apart from what lies above and below.
pub(crate) fn apart(band: Band, bar: Rect) -> Rect {
    let rect = band.within(bar);
    let inset = if rect.height > 4.0 { 0.5 } else { 0.0 };
    Rect { y: rect.y + inset, height: rect.height - 2.0 * inset, ..rect }
}

fn draw_block(svg: &mut Svg, drawing: &Drawing<'_>, rect: Rect, cost: Money, tooltip: &str) {
    let corner = (rect.height * 0.15).min(rect.width / 4.0).min(4.0);
    let block = Element::rect(rect).at("rx", corner);
    if drawing.holds_tasks {
        let pale = block.set("fill", &drawing.colour.shade(2).hex()).at("fill-opacity", 0.45);
        return svg.hinted(pale.set("stroke", &drawing.colour.hex()).at("stroke-width", 1.0), tooltip);
    }
    let block = paint(block, drawing.colour, drawing.style);
    let lines = block_lines(drawing, rect, cost);
    if lines.is_empty() {
        return svg.hinted(block, tooltip);
    }
    svg.start(Element::new("g").set("fill", drawing.text_colour().as_str()).set("text-anchor", "middle"));
    svg.words(Element::new("title"), tooltip);
    svg.empty(block);
    for (middle, font, text) in lines {
        svg.words(Element::text(rect.x + rect.width / 2.0, middle, font), &text);
    }
    svg.end("g");
}

/// The lines of text that fit in a block, with the heights of their middles.
fn block_lines(drawing: &Drawing<'_>, rect: Rect, cost: Money) -> Vec<(f64, Font, String)> {
    let room = rect.width - 2.0 * PADDING;
    let middle = rect.y + rect.height / 2.0;
    let font = Font::bold((rect.height * 0.86).min(13.0));
    let suffix = format!("·{}", drawing.number);
    let label = font.fit_with_suffix(&drawing.name, &suffix, room).filter(|_| font.size >= FONT_SIZE_MIN);
    let Some(label) = label else {
        return Vec::new();
    };
    let cost = short_money(cost);
    let small = Font::plain(11.0);
    if rect.height >= TWO_LINES_MIN {
        let mut lines = vec![(middle, font, label)];
        if small.width(&cost) <= room {
            lines[0].0 -= 6.5;
            lines.push((middle + 8.0, small, cost));
        }
        return lines;
    }
    let both = format!("{label}  {cost}");
    let fits = font.width(&both) <= room;
    vec![(middle, font, if fits { both } else { label })]
}

impl Drawing<'_> {
    /// `J1·2`: the second window of J1.
    fn label(&self) -> String {
        format!("{}·{}", self.name, self.number)
    }

    fn text_colour(&self) -> String {
        match self.style {
            WindowStyle::Solid => self.colour.text().to_owned(),
            WindowStyle::Outline => self.colour.darker().hex(),
        }
    }

    fn tooltip(&self, scene: &Scene<'_>, placement: &Placement) -> String {
        let unit = scene.unit;
        let money = |money: Money| exact(money.as_micros(), MILLION);
        let window = &self.alternative.window;
        let node = scene.offers.node(placement.node);
        let units = match node.division.is_divided() {
            true => format!(" ({} of {} units)", placement.units, node.division.units()),
            false => String::new(),
        };
        format!(
            "{}: window {} of {}\nnode {} at {}{units}\n{}–{} {}\ncost {} on this node, {} on all {}",
            self.label(),
            self.number,
            self.name,
            clean_name(&node.name),
            clean_name(&scene.offers.site_of(placement.node).name),
            unit.time(placement.interval.start().as_millis()),
            unit.time(placement.interval.end().as_millis()),
            unit.symbol(),
            money(placement.cost),
            money(window.cost()),
            window.placements().len(),
        )
    }
}
