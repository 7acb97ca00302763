//! Dots with intervals: many things in rows, a few measures in panels beside each other.

use super::scale::Scale;
use super::{LABEL_FONT, MARGIN, PLOT_TOP, Plot, TICK_FONT, WIDTH, colour, draw_centred, figure, open};
use crate::colour::{DIM, INK, LINE};
use crate::number::counted;
use crate::svg::{Element, Svg};

/// Things to compare by several measures.
#[derive(Clone, Debug)]
pub struct DotChart<'a> {
    /// What ids in the picture begin with; unique on a page.
    pub id: &'a str,
    /// The heading.
    pub title: &'a str,
    /// What helps to read it.
    pub subtitle: &'a str,
    /// What the colours stand for.
    pub series: &'a [&'a str],
    /// The measures, from left to right.
    pub panels: Vec<DotPanel>,
    /// The things, from top to bottom.
    pub rows: Vec<DotRow>,
}

/// One measure.
#[derive(Clone, Debug)]
pub struct DotPanel {
    /// What it is.
    pub title: String,
    /// A value to compare with, drawn as a dashed line; none where it is not finite.
    pub reference: f64,
}

/// One thing.
#[derive(Clone, Debug)]
pub struct DotRow {
    /// What it is.
    pub label: String,
    /// Its colour, by position in the series.
    pub series: usize,
    /// For every panel the value, and how far its interval reaches to either side.
    pub values: Vec<(f64, f64)>,
}

/// How high a row is.
const ROW: f64 = 20.0;
/// Room for the labels of rows.
const LABELS: f64 = 256.0;
/// Between panels.
const GAP: f64 = 26.0;

/// Draws dots with their intervals as one self-contained SVG; the same chart always gives the same text. Values that are not
/// finite are left out.
pub fn dot_chart(chart: &DotChart<'_>) -> String {
    let bottom = PLOT_TOP + ROW * chart.rows.len() as f64;
    let words = [chart.title, chart.subtitle, &describe(chart)];
    let mut svg = open(chart.id, bottom + 44.0, words, chart.series);
    for (index, row) in chart.rows.iter().enumerate() {
        let label = LABEL_FONT.fit(&row.label, LABELS - 12.0).unwrap_or_default();
        svg.words(Element::text(MARGIN, middle(index), LABEL_FONT).set("fill", INK), &label);
    }
    let count = chart.panels.len().max(1) as f64;
    let width = (WIDTH - 2.0 * MARGIN - LABELS - GAP * (count - 1.0)) / count;
    for (index, panel) in chart.panels.iter().enumerate() {
        let left = MARGIN + LABELS + index as f64 * (width + GAP);
        let plot = Plot { left, right: left + width, top: PLOT_TOP, bottom };
        draw_panel(&mut svg, chart, (index, panel), &plot);
    }
    svg.finish()
}

/// Where a row lies.
fn middle(row: usize) -> f64 {
    PLOT_TOP + ROW * (row as f64 + 0.5)
}

fn describe(chart: &DotChart<'_>) -> String {
    let mut text =
        format!("{} by {}. {}.", counted(chart.rows.len(), "row"), chart.series.join(", "), chart.subtitle);
    for row in &chart.rows {
        let values: Vec<String> = chart
            .panels
            .iter()
            .zip(&row.values)
            .filter(|(_, value)| value.0.is_finite())
            .map(|(panel, value)| format!("{} {}", panel.title, figure(value.0)))
            .collect();
        text += &format!(" {}: {}.", row.label, values.join(", "));
    }
    text
}

fn draw_panel(svg: &mut Svg, chart: &DotChart<'_>, (index, panel): (usize, &DotPanel), plot: &Plot) {
    let ends = |row: &DotRow| {
        let (value, half) = row.values.get(index).copied().unwrap_or((f64::NAN, 0.0));
        [value - half, value + half]
    };
    let scale = Scale::of(chart.rows.iter().flat_map(ends).chain([panel.reference]), 4.0);
    svg.words(Element::text(plot.left, PLOT_TOP - 16.0, LABEL_FONT).set("fill", DIM), &panel.title);
    for tick in scale.ticks() {
        let x = plot.x(&scale, tick);
        svg.empty(upright(plot, x).set("stroke", LINE).set("stroke-width", "1"));
        draw_centred(svg, x, plot.bottom + 16.0, TICK_FONT, DIM, &figure(tick));
    }
    if panel.reference.is_finite() {
        let line = upright(plot, plot.x(&scale, panel.reference)).set("stroke", INK).set("stroke-width", "1");
        svg.hinted(
            line.set("stroke-dasharray", "4 3"),
            &format!("{}: {}", panel.title, figure(panel.reference)),
        );
    }
    for (place, row) in chart.rows.iter().enumerate() {
        let Some((value, half)) = row.values.get(index).copied().filter(|(value, _)| value.is_finite())
        else {
            continue;
        };
        let (y, fill) = (middle(place), colour(row.series));
        let half = if half.is_finite() { half } else { 0.0 };
        let line = Element::new("line")
            .at("x1", plot.x(&scale, value - half))
            .at("x2", plot.x(&scale, value + half))
            .at("y1", y)
            .at("y2", y);
        svg.empty(line.set("stroke", &fill).set("stroke-width", "2"));
        let dot = Element::new("circle").at("cx", plot.x(&scale, value)).at("cy", y).at("r", 4.0);
        let hint = format!("{}, {}: {} ± {}", row.label, panel.title, figure(value), figure(half));
        svg.hinted(dot.set("fill", &fill), &hint);
    }
}

/// A line from top to bottom.
fn upright(plot: &Plot, x: f64) -> Element {
    Element::new("line").at("x1", x).at("x2", x).at("y1", plot.top).at("y2", plot.bottom)
}
