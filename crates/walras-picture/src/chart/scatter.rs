//! Points by two measures at a time: many things, and what they trade against what.

use super::scale::Scale;
use super::{
    LABEL_FONT, MARGIN, PLOT_HEIGHT, PLOT_TOP, Plot, TICK_FONT, WIDTH, colour, draw_centred, figure, open,
};
use crate::colour::{DIM, INK, LINE, PAGE};
use crate::number::counted;
use crate::svg::{Element, Svg};
use crate::text::Font;

/// Things to compare by a few measures, two in every panel.
#[derive(Clone, Debug)]
pub struct ScatterChart<'a> {
    /// What ids in the picture begin with; unique on a page.
    pub id: &'a str,
    /// The heading.
    pub title: &'a str,
    /// What helps to read it.
    pub subtitle: &'a str,
    /// What the colours stand for.
    pub series: &'a [&'a str],
    /// The measures.
    pub measures: &'a [&'a str],
    /// The panels, from left to right: which measure runs to the right, and which upwards, by position.
    pub panels: &'a [(usize, usize)],
    /// The things, in the order of their numbers.
    pub points: Vec<ScatterPoint>,
}

/// One thing.
#[derive(Clone, Debug)]
pub struct ScatterPoint {
    /// What it is.
    pub label: String,
    /// Its colour, by position in the series.
    pub series: usize,
    /// Whether it is drawn as a ring: for what should be compared with care.
    pub hollow: bool,
    /// For every measure the value, and how far its interval reaches to either side.
    pub values: Vec<(f64, f64)>,
}

/// Room for the labels of a vertical scale, and between a panel and the next.
const SCALE_WIDTH: f64 = 40.0;
const GAP: f64 = 18.0;
const NUMBER_FONT: Font = Font::plain(9.0);
/// How large a number is, for finding a place that is free.
const NUMBER_SIZE: (f64, f64) = (11.0, 9.0);
const DOT: f64 = 4.0;
/// The key below the panels: its columns, and how high a line is.
const KEY_COLUMNS: usize = 3;
const KEY_LINE: f64 = 18.0;

/// Draws points with their intervals, numbered, as one self-contained SVG; the same chart always gives the same text. Values
/// that are not finite are left out.
pub fn scatter_chart(chart: &ScatterChart<'_>) -> String {
    let bottom = PLOT_TOP + PLOT_HEIGHT;
    let lines = chart.points.len().div_ceil(KEY_COLUMNS);
    let height = bottom + 76.0 + KEY_LINE * lines as f64;
    let mut svg = open(chart.id, height, [chart.title, chart.subtitle, &describe(chart)], chart.series);
    let count = chart.panels.len().max(1) as f64;
    let width = (WIDTH - 2.0 * MARGIN - GAP * (count - 1.0)) / count;
    for (index, pair) in chart.panels.iter().enumerate() {
        let left = MARGIN + index as f64 * (width + GAP);
        let plot = Plot { left: left + SCALE_WIDTH, right: left + width, top: PLOT_TOP, bottom };
        draw_panel(&mut svg, chart, *pair, &plot);
    }
    draw_key(&mut svg, chart, bottom + 72.0);
    svg.finish()
}

fn describe(chart: &ScatterChart<'_>) -> String {
    let mut text = format!(
        "{} by {}. {}.",
        counted(chart.points.len(), "point"),
        chart.measures.join(", "),
        chart.subtitle
    );
    for point in &chart.points {
        text += &format!(" {}: {}.", point.label, told(chart, point));
    }
    text
}

/// All measures of a point that are known.
fn told(chart: &ScatterChart<'_>, point: &ScatterPoint) -> String {
    let known = chart.measures.iter().zip(&point.values).filter(|(_, (value, _))| value.is_finite());
    let one = |(name, (value, half)): (&&str, &(f64, f64))| match half.is_finite() && *half > 0.0 {
        true => format!("{name} {} ± {}", figure(*value), figure(*half)),
        false => format!("{name} {}", figure(*value)),
    };
    known.map(one).collect::<Vec<_>>().join(", ")
}

impl ScatterPoint {
    /// A measure, and how far it reaches to either side.
    fn of(&self, measure: usize) -> (f64, f64) {
        let (value, half) = self.values.get(measure).copied().unwrap_or((f64::NAN, 0.0));
        (value, if half.is_finite() { half } else { 0.0 })
    }
}

fn draw_panel(svg: &mut Svg, chart: &ScatterChart<'_>, (across, up): (usize, usize), plot: &Plot) {
    let scale = |measure: usize, steps: f64| {
        let ends = |point: &ScatterPoint| {
            let (value, half) = point.of(measure);
            [value - half, value + half]
        };
        Scale::of(chart.points.iter().flat_map(ends), steps)
    };
    let scales = (scale(across, 5.0), scale(up, 6.0));
    draw_frame(svg, chart, ((across, up), plot), &scales);
    let place = |point: &ScatterPoint| {
        let ((x, _), (y, _)) = (point.of(across), point.of(up));
        (x.is_finite() && y.is_finite()).then(|| (plot.x(&scales.0, x), plot.y(&scales.1, y)))
    };
    let placed: Vec<(usize, &ScatterPoint, (f64, f64))> =
        (1..).zip(&chart.points).filter_map(|(number, point)| Some((number, point, place(point)?))).collect();
    // Intervals lie below all dots.
    for (_, point, (x, y)) in &placed {
        let ((value, half), (above, high)) = (point.of(across), point.of(up));
        let ends = (plot.x(&scales.0, value - half), plot.x(&scales.0, value + half));
        let line = |from: (f64, f64), to: (f64, f64)| {
            let line = Element::new("line").at("x1", from.0).at("y1", from.1).at("x2", to.0).at("y2", to.1);
            line.set("stroke", &colour(point.series)).set("stroke-opacity", "0.35")
        };
        svg.empty(line((ends.0, *y), (ends.1, *y)));
        let ends = (plot.y(&scales.1, above - high), plot.y(&scales.1, above + high));
        svg.empty(line((*x, ends.0), (*x, ends.1)));
    }
    for (number, point, (x, y)) in &placed {
        let dot = Element::new("circle").at("cx", *x).at("cy", *y).at("r", DOT);
        let dot = dot.set("stroke", &colour(point.series)).set("stroke-width", "1.5");
        let fill = if point.hollow { PAGE.to_owned() } else { colour(point.series) };
        svg.hinted(dot.set("fill", &fill), &format!("{number} {}: {}", point.label, told(chart, point)));
    }
    draw_numbers(svg, &placed);
}

fn draw_frame(
    svg: &mut Svg,
    chart: &ScatterChart<'_>,
    ((across, up), plot): ((usize, usize), &Plot),
    scales: &(Scale, Scale),
) {
    let name = |measure: usize| chart.measures.get(measure).copied().unwrap_or_default();
    for tick in scales.0.ticks() {
        let x = plot.x(&scales.0, tick);
        let line = Element::new("line").at("x1", x).at("x2", x).at("y1", plot.top).at("y2", plot.bottom);
        svg.empty(line.set("stroke", LINE).set("stroke-width", "1"));
        draw_centred(svg, x, plot.bottom + 16.0, TICK_FONT, DIM, &figure(tick));
    }
    super::draw_scale(svg, plot, &scales.1);
    let title = Element::text(plot.left - SCALE_WIDTH, plot.top - 16.0, LABEL_FONT).set("fill", DIM);
    svg.words(title, name(up));
    draw_centred(svg, (plot.left + plot.right) / 2.0, plot.bottom + 36.0, LABEL_FONT, DIM, name(across));
}

/// Numbers beside their dots, where nothing else is; who has no room is found by pointing at the dot.
fn draw_numbers(svg: &mut Svg, placed: &[(usize, &ScatterPoint, (f64, f64))]) {
    let mut taken: Vec<(f64, f64, f64)> = placed.iter().map(|(_, _, (x, y))| (*x, *y, DOT)).collect();
    for (number, _, (x, y)) in placed {
        let around = [(1.0, -0.7), (-1.0, -0.7), (1.0, 0.7), (-1.0, 0.7), (0.0, -1.2), (0.0, 1.2)];
        let at = |(right, down): &(f64, f64)| (x + right * 9.0, y + down * 9.0);
        let free = |(x, y): &(f64, f64)| {
            taken.iter().all(|(other, height, half)| {
                (x - other).abs() >= NUMBER_SIZE.0 / 2.0 + half
                    || (y - height).abs() >= NUMBER_SIZE.1 / 2.0 + half
            })
        };
        let Some((x, y)) = around.iter().map(at).find(free) else { continue };
        draw_centred(svg, x, y, NUMBER_FONT, INK, &number.to_string());
        taken.push((x, y, NUMBER_SIZE.1 / 2.0));
    }
}

/// What the numbers stand for, column by column.
fn draw_key(svg: &mut Svg, chart: &ScatterChart<'_>, top: f64) {
    let lines = chart.points.len().div_ceil(KEY_COLUMNS).max(1);
    let width = (WIDTH - 2.0 * MARGIN) / KEY_COLUMNS as f64;
    for (place, point) in chart.points.iter().enumerate() {
        let x = MARGIN + (place / lines) as f64 * width;
        let y = top + (place % lines) as f64 * KEY_LINE;
        let dot = Element::new("circle").at("cx", x + DOT).at("cy", y).at("r", DOT);
        let fill = if point.hollow { PAGE.to_owned() } else { colour(point.series) };
        let dot = dot.set("stroke", &colour(point.series)).set("stroke-width", "1.5").set("fill", &fill);
        svg.empty(dot);
        let text = LABEL_FONT.fit(&format!("{} {}", place + 1, point.label), width - 24.0);
        let words = Element::text(x + 14.0, y, LABEL_FONT).set("fill", INK);
        svg.words(words, &text.unwrap_or_default());
    }
}
