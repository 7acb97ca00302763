//! What lies beneath the windows: sites, rows with their labels, owners' work and the axis.

use crate::axis::Axis;
use crate::bands::Band;
use crate::colour::{BAND, BUSY, DIM, FREE, HATCH, INK, LINE};
use crate::layout::{AXIS_HEIGHT, Columns, HEADER_HEIGHT_NAMED, Header, Layout, MARGIN, Row};
use crate::number::{counted, grouped, short, whole};
use crate::scene::Scene;
use crate::svg::{Element, Rect, Svg};
use crate::text::{Font, clean_name};
use walras_model::interval::complement;
use walras_model::quantity::MILLION;
use walras_model::{Interval, Rate, Slot};

/// At most so many blocks of owners' work are drawn; where there are more, near ones are joined.
const OWNER_BLOCKS_MAX: usize = 10_000;
/// How owners' work is filled.
pub(crate) const BUSY_FILL: &str = "url(#walras-busy)";

const HEADER_FONT: Font = Font::bold(12.5);
const TICK_FONT: Font = Font::plain(11.0);
const SMALL_FONT: Font = Font::plain(10.5);
/// Taller pictures repeat the tick labels in each site's band.
const TALL: f64 = 900.0;

/// Owners' work to draw.
pub(crate) struct OwnersWork<'a> {
    blocks: Vec<(&'a Row, Vec<Interval>)>,
    /// Where some units of a node are in use.
    parts: Vec<(&'a Row, Interval, Band)>,
    /// Set when blocks closer than this many pixels are drawn as one.
    pub(crate) joined_below: Option<f64>,
}

/// The time of each row that its node does not offer.
pub(crate) fn owners_work<'a>(scene: &Scene<'_>, layout: &'a Layout) -> OwnersWork<'a> {
    let mut free = vec![Vec::new(); scene.offers.nodes().len()];
    for slot in scene.offers.slots() {
        free[slot.node().index()].extend(Interval::new(slot.start(), slot.end()));
    }
    let busy = |row: &'a Row| (row, complement(layout.horizon, &free[row.node.index()]));
    let mut blocks: Vec<(&Row, Vec<Interval>)> = layout.rows.iter().map(busy).collect();
    let mut pixels = 0.5;
    let mut joined_below = None;
    while blocks.iter().map(|(_, busy)| busy.len()).sum::<usize>() > OWNER_BLOCKS_MAX {
        let millis = i64::try_from(whole(layout.millis_per_pixel() * pixels)).unwrap_or(i64::MAX);
        blocks.iter_mut().for_each(|(_, busy)| *busy = joined(busy, millis));
        joined_below = Some(pixels);
        pixels *= 2.0;
    }
    OwnersWork { blocks, parts: parts(scene, layout), joined_below }
}

/// The times at which not all units of a node are free.
fn parts<'a>(scene: &Scene<'_>, layout: &'a Layout) -> Vec<(&'a Row, Interval, Band)> {
    let part = |slot: &Slot| {
        let of = scene.offers.node(slot.node()).division.units();
        let shown = Interval::new(slot.start(), slot.end())?.intersection(layout.horizon)?;
        (slot.units() < of).then_some((layout.row(slot.node())?, shown, Band::below(slot.units(), of)))
    };
    scene.offers.slots().iter().filter_map(part).take(OWNER_BLOCKS_MAX).collect()
}

/// Blocks in order, those less than `gap` milliseconds apart made one.
fn joined(blocks: &[Interval], gap: i64) -> Vec<Interval> {
    let mut wide: Vec<Interval> = Vec::new();
    for block in blocks {
        let near = wide.last().copied().filter(|last| block.start() - last.end() <= gap);
        let merged = near.and_then(|last| Interval::new(last.start(), block.end()));
        if merged.is_some() {
            wide.pop();
        }
        wide.push(merged.unwrap_or(*block));
    }
    wide
}

/// The pattern that fills owners' work, and the heads of arrows where there are some.
pub(crate) fn draw_definitions(svg: &mut Svg, arrows: bool) {
    svg.start(Element::new("defs"));
    let pattern = Element::new("pattern")
        .set("id", "walras-busy")
        .at("width", 6.0)
        .at("height", 6.0)
        .set("patternUnits", "userSpaceOnUse")
        .set("patternTransform", "rotate(45)");
    svg.start(pattern);
    svg.empty(Element::rect(Rect { x: 0.0, y: 0.0, width: 6.0, height: 6.0 }).set("fill", BUSY));
    svg.empty(Element::rect(Rect { x: 0.0, y: 0.0, width: 1.5, height: 6.0 }).set("fill", HATCH));
    svg.end("pattern");
    if arrows {
        crate::tasks::define_heads(svg);
    }
    svg.end("defs");
}

/// The bands that carry the sites' names.
pub(crate) fn draw_headers(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout) {
    for header in &layout.headers {
        let Header { y, height, .. } = *header;
        let band = Rect { x: MARGIN, y, width: layout.width - 2.0 * MARGIN, height: height - layout.gap() };
        svg.empty(Element::rect(band).at("rx", (height / 6.0).min(4.0)).set("fill", BAND));
        if height >= HEADER_HEIGHT_NAMED {
            draw_site_name(svg, scene, layout, header);
        }
    }
}

fn draw_site_name(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout, header: &Header) {
    let middle = header.y + (header.height - layout.gap()) / 2.0;
    let on_capacity = scene.offers.capacities().iter().any(|offer| offer.site == header.site);
    let count = if on_capacity {
        format!("capacity: {}", grouped(header.nodes))
    } else {
        counted(header.nodes, "node")
    };
    let room = layout.plot.0 - MARGIN - 8.0 - SMALL_FONT.width(&count) - 20.0;
    let name = clean_name(&scene.offers.sites()[header.site.index()].name);
    let name = HEADER_FONT.fit(&name, room).unwrap_or_default();
    let text = Element::text(MARGIN + 8.0, middle, HEADER_FONT).set("fill", INK);
    svg.words(text, &name);
    let text = Element::text(layout.columns.performance, middle, SMALL_FONT);
    svg.words(text.set("fill", DIM).set("text-anchor", "end"), &count);
}

/// Every row's free time and, where there is room, its labels.
pub(crate) fn draw_rows(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout, prices: &[Option<(Rate, Rate)>]) {
    for row in &layout.rows {
        let price = prices[row.node.index()];
        let (left, right) = layout.plot;
        let bar = Rect { x: left, y: row.y, width: right - left, height: layout.bar() };
        svg.hinted(Element::rect(bar).set("fill", FREE), &scene.node_line(row.node, price));
        if row.labelled {
            draw_label(svg, scene, layout, row, price);
        }
    }
}

fn draw_label(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout, row: &Row, price: Option<(Rate, Rate)>) {
    let Columns { font, name_width, with_site, price: price_edge, performance } = layout.columns;
    let middle = row.y + layout.bar() / 2.0;
    let node = scene.offers.node(row.node);
    let name = font.fit(&scene.node_name(row.node, with_site), name_width).unwrap_or_default();
    svg.words(Element::text(MARGIN + 8.0, middle, font).set("fill", INK), &name);
    let price = price.map_or("–".to_owned(), |range| scene.unit.price_range(range, short));
    let speed = short(node.performance.as_millionths(), MILLION);
    for (edge, words, colour) in [(price_edge, price, INK), (performance, speed, DIM)] {
        let words = font.fit(&words, 120.0).unwrap_or_default();
        let text = Element::text(edge, middle, font).set("fill", colour).set("text-anchor", "end");
        svg.words(text, &words);
    }
}

/// Owners' work, hatched.
pub(crate) fn draw_owners_work(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout, work: &OwnersWork<'_>) {
    svg.start(Element::new("g").set("fill", BUSY_FILL));
    let whole = work.blocks.iter().flat_map(|(row, blocks)| blocks.iter().map(|block| (*row, *block, None)));
    let parts = work.parts.iter().map(|(row, block, band)| (*row, *block, Some(*band)));
    for (row, block, band) in whole.chain(parts) {
        let name = clean_name(&scene.offers.node(row.node).name);
        let (start, end) = (block.start().as_millis(), block.end().as_millis());
        let x = layout.x(start);
        let bar = Rect { x, y: row.y, width: layout.x(end) - x, height: layout.bar() };
        let rect = band.map_or(bar, |band| band.within(bar));
        let unit = scene.unit;
        let (from, to) = (unit.time(start), unit.time(end));
        let part = if band.is_some() { "a part of " } else { "" };
        svg.hinted(
            Element::rect(rect),
            &format!("owner's work on {part}{name}: {from}–{to} {}", unit.symbol()),
        );
    }
    svg.end("g");
}

/// Lines at the ticks, tick labels above and below the rows, and what the columns are.
pub(crate) fn draw_axis(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout, axis: &Axis) {
    svg.start(Element::new("g").set("stroke", "#0b1f33").at("stroke-opacity", 0.13));
    for tick in &axis.ticks {
        let x = layout.x(tick.at);
        svg.empty(
            Element::new("line")
                .at("x1", x)
                .at("x2", x)
                .at("y1", layout.top - 5.0)
                .at("y2", layout.bottom + 4.0),
        );
    }
    svg.end("g");
    let tall = layout.bottom - layout.top > TALL;
    draw_tick_labels(svg, layout, axis, layout.top - AXIS_HEIGHT / 2.0 - 2.0);
    draw_tick_labels(svg, layout, axis, layout.bottom + AXIS_HEIGHT / 2.0);
    for header in layout.headers.iter().skip(1).filter(|header| tall && header.height > 16.0) {
        draw_tick_labels(svg, layout, axis, header.y + (header.height - layout.gap()) / 2.0);
    }
    draw_column_heads(svg, scene, layout, axis);
}

fn draw_tick_labels(svg: &mut Svg, layout: &Layout, axis: &Axis, middle: f64) {
    svg.start(Element::new("g").set("fill", DIM).set("text-anchor", "middle"));
    for tick in &axis.ticks {
        let half = TICK_FONT.width(&tick.label) / 2.0;
        let x = layout.x(tick.at).min(layout.width - 4.0 - half);
        svg.words(Element::text(x, middle, TICK_FONT), &tick.label);
    }
    svg.end("g");
}

fn draw_column_heads(svg: &mut Svg, scene: &Scene<'_>, layout: &Layout, axis: &Axis) {
    let Columns { price, performance, .. } = layout.columns;
    let above = layout.top - AXIS_HEIGHT / 2.0 - 2.0;
    let below = layout.bottom + AXIS_HEIGHT / 2.0;
    svg.start(Element::new("g").set("fill", DIM));
    svg.words(Element::text(MARGIN + 8.0, above, SMALL_FONT), "node");
    let per_time = format!("price/{}", scene.unit.symbol());
    for (edge, words) in [(price, per_time.as_str()), (performance, "perf.")] {
        svg.words(Element::text(edge, above, SMALL_FONT).set("text-anchor", "end"), words);
    }
    svg.words(Element::text(performance, below, SMALL_FONT).set("text-anchor", "end"), &axis.title);
    svg.end("g");
    let edge = Element::new("line").at("x1", MARGIN).at("x2", layout.width - MARGIN).set("stroke", LINE);
    svg.empty(edge.at("y1", layout.top - 3.0).at("y2", layout.top - 3.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Time;

    #[test]
    fn near_blocks_are_joined() {
        let time = |millis| Time::from_millis(millis).unwrap();
        let interval = |start, end| Interval::new(time(start), time(end)).unwrap();
        let blocks = [interval(0, 10), interval(12, 20), interval(30, 40)];
        assert_eq!(joined(&blocks, 2), [interval(0, 20), interval(30, 40)]);
        assert_eq!(joined(&blocks, 1), blocks);
        assert_eq!(joined(&blocks, 100), [interval(0, 40)]);
    }
}
