//! Lines over one scale.

use super::scale::Scale;
use super::{
    LABEL_FONT, MARGIN, PLOT_HEIGHT, PLOT_TOP, Plot, TICK_FONT, WIDTH, colour, draw_centred, draw_scale,
    figure, open,
};
use crate::colour::{DIM, LINE};
use crate::number::{counted, pixels};
use crate::svg::{Element, Svg};

/// Lines to compare.
#[derive(Clone, Debug)]
pub struct LineChart<'a> {
    /// What ids in the picture begin with; unique on a page.
    pub id: &'a str,
    /// The heading.
    pub title: &'a str,
    /// What helps to read it.
    pub subtitle: &'a str,
    /// What runs from left to right.
    pub x_title: &'a str,
    /// What runs upwards.
    pub y_title: &'a str,
    /// The lines.
    pub lines: Vec<Line<'a>>,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// What it is.
    pub name: &'a str,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
}

/// Room for the labels of the vertical scale.
const SCALE_WIDTH: f64 = 44.0;
/// Lines of at most so many points have a dot and a tooltip at each of them.
const DOTS_MAX: usize = 40;

/// Draws a line chart as one self-contained SVG; the same chart always gives the same text.
pub fn line_chart(chart: &LineChart<'_>) -> String {
    let names: Vec<&str> = chart.lines.iter().map(|line| line.name).collect();
    let words = [chart.title, chart.subtitle, &describe(chart)];
    let mut svg = open(chart.id, PLOT_TOP + PLOT_HEIGHT + 66.0, words, &names);
    let points = || chart.lines.iter().flat_map(|line| line.points.iter());
    let across = Scale::of(points().map(|point| point.0), 12.0);
    let upwards = Scale::from_zero(points().map(|point| point.1), 7.0);
    let bottom = PLOT_TOP + PLOT_HEIGHT;
    let plot = Plot { left: MARGIN + SCALE_WIDTH, right: WIDTH - MARGIN - 8.0, top: PLOT_TOP, bottom };
    draw_scale(&mut svg, &plot, &upwards);
    draw_across(&mut svg, &plot, &across);
    svg.words(Element::text(MARGIN, PLOT_TOP - 20.0, LABEL_FONT).set("fill", DIM), chart.y_title);
    draw_centred(&mut svg, (plot.left + plot.right) / 2.0, bottom + 42.0, LABEL_FONT, DIM, chart.x_title);
    for (index, line) in chart.lines.iter().enumerate() {
        draw_line(&mut svg, line, &colour(index), (&plot, &across, &upwards));
    }
    svg.finish()
}

fn describe(chart: &LineChart<'_>) -> String {
    let mut text = format!("Line chart of {} over {}. {}.", chart.y_title, chart.x_title, chart.subtitle);
    for line in &chart.lines {
        let values = line.points.iter().map(|point| point.1).filter(|value| value.is_finite());
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        if low <= high {
            let count = counted(line.points.len(), "point");
            text += &format!(" {}: {count} from {} to {}.", line.name, figure(low), figure(high));
        }
    }
    text
}

fn draw_across(svg: &mut Svg, plot: &Plot, scale: &Scale) {
    for tick in scale.ticks() {
        let x = plot.x(scale, tick);
        let line = Element::new("line").at("x1", x).at("x2", x);
        svg.empty(line.at("y1", plot.bottom).at("y2", plot.bottom + 5.0).set("stroke", LINE));
        draw_centred(svg, x, plot.bottom + 18.0, TICK_FONT, DIM, &figure(tick));
    }
}

fn draw_line(svg: &mut Svg, line: &Line<'_>, colour: &str, (plot, across, upwards): (&Plot, &Scale, &Scale)) {
    let finite = |point: &&(f64, f64)| point.0.is_finite() && point.1.is_finite();
    let points: Vec<&(f64, f64)> = line.points.iter().filter(finite).collect();
    let place = |(x, y): &(f64, f64)| (plot.x(across, *x), plot.y(upwards, *y));
    let places: Vec<(f64, f64)> = points.iter().map(|point| place(point)).collect();
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{},{}", pixels(*x), pixels(*y))).collect();
    let few = places.len() <= DOTS_MAX;
    let drawn =
        Element::new("polyline").set("points", &path.join(" ")).set("fill", "none").set("stroke", colour);
    let drawn = drawn.set("stroke-width", if few { "2" } else { "1.3" }).set("stroke-linejoin", "round");
    svg.hinted(drawn, line.name);
    if !few {
        return;
    }
    for ((x, y), point) in places.iter().zip(points) {
        let dot = Element::new("circle").at("cx", *x).at("cy", *y).at("r", 3.5).set("fill", colour);
        svg.hinted(dot, &format!("{}: {} at {}", line.name, figure(point.1), figure(point.0)));
    }
}
