//! Charts of figures: bars and lines, in the style of the Gantt chart.
//!
//! **Problem.** An experiment ends in a handful of averages, or in lines of some hundred points; both should read at
//! a glance, on paper and on a screen, and the same figures should give the same bytes.
//!
//! **Method.** [`bar_chart`] draws panels side by side, each with a scale of its own, and groups of bars within;
//! [`line_chart`] draws lines over one scale; [`dot_chart`] draws many rows with a dot and its interval in every panel;
//! [`scatter_chart`] draws numbered points by two measures in every panel, with the intervals of both. Scales of bars and lines begin at
//! zero where no value is below it; ticks are 1, 2 or 5 times a power of ten. Every bar and every line has a tooltip. Values that are not
//! finite are left out.
//!
//! ```
//! use walras_picture::{BarChart, BarGroup, BarPanel, bar_chart};
//! let group = |label: &str, values| BarGroup { label: label.into(), values };
//! let svg = bar_chart(&BarChart {
//!     id: "time",
//!     title: "Mean time of a job",
//!     subtitle: "25,000 cycles",
//!     series: &["paper", "ours"],
//!     panels: vec![BarPanel {
//!         title: "time units".into(),
//!         groups: vec![group("ALP", vec![59.85, 60.02]), group("AMP", vec![39.01, 38.48])],
//!     }],
//! });
//! assert!(svg.contains("Mean time of a job") && svg.contains("60.02"));
//! ```

mod bars;
mod dots;
mod lines;
mod scale;
mod scatter;

pub use bars::{BarChart, BarGroup, BarPanel, bar_chart};
pub use dots::{DotChart, DotPanel, DotRow, dot_chart};
pub use lines::{Line, LineChart, line_chart};
pub use scatter::{ScatterChart, ScatterPoint, scatter_chart};

use crate::colour::{DIM, INK, LINE, PAGE, job_colour};
use crate::layout::MARGIN;
use crate::number::{grouped, pixels, whole};
use crate::svg::{Element, Rect, Svg};
use crate::text::Font;
use scale::Scale;

const WIDTH: f64 = 960.0;
const PLOT_HEIGHT: f64 = 280.0;
/// Where the legend lies, below title and subtitle.
const LEGEND_MIDDLE: f64 = MARGIN + 62.0;
/// How far lines of the legend lie apart.
const LEGEND_LINE: f64 = 16.0;
/// Where plots begin.
const PLOT_TOP: f64 = LEGEND_MIDDLE + 46.0;
const TITLE_FONT: Font = Font::bold(19.0);
const SUBTITLE_FONT: Font = Font::plain(12.5);
const LABEL_FONT: Font = Font::plain(12.0);
const TICK_FONT: Font = Font::plain(11.0);

/// A plot in pixels: left, right, top, bottom.
#[derive(Clone, Copy, Debug)]
struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Plot {
    /// The height of a value.
    fn y(&self, scale: &Scale, value: f64) -> f64 {
        self.bottom - scale.share(value) * (self.bottom - self.top)
    }

    /// How far right a value lies.
    fn x(&self, scale: &Scale, value: f64) -> f64 {
        self.left + scale.share(value) * (self.right - self.left)
    }
}

/// Opens a chart: page, title, subtitle and legend.
fn open(id: &str, height: f64, [title, subtitle, description]: [&str; 3], names: &[&str]) -> Svg {
    let mut svg = Svg::open_as(id, WIDTH, height, title, description);
    svg.empty(Element::rect(Rect { x: 0.0, y: 0.0, width: WIDTH, height }).set("fill", PAGE));
    let room = WIDTH - 2.0 * MARGIN;
    let fitted = |font: Font, text: &str| font.fit(text, room).unwrap_or_default();
    let text = Element::text(MARGIN, MARGIN + 8.0, TITLE_FONT).set("fill", INK);
    svg.words(text, &fitted(TITLE_FONT, title));
    let text = Element::text(MARGIN, MARGIN + 32.0, SUBTITLE_FONT).set("fill", DIM);
    svg.words(text, &fitted(SUBTITLE_FONT, subtitle));
    draw_legend(&mut svg, names);
    svg
}

/// The legend, in as many lines as it takes.
fn draw_legend(svg: &mut Svg, names: &[&str]) {
    let width = |name: &str| 18.0 + LABEL_FONT.width(name);
    let (mut x, mut line) = (MARGIN, 0);
    let mut places = Vec::new();
    for name in names {
        if x > MARGIN && x + width(name) > WIDTH - MARGIN {
            (x, line) = (MARGIN, line + 1);
        }
        places.push((x, line));
        x += width(name) + 18.0;
    }
    let middle = |of: u32| LEGEND_MIDDLE + (f64::from(of) - f64::from(line) / 2.0) * LEGEND_LINE;
    for (index, (name, (x, line))) in names.iter().zip(places).enumerate() {
        let y = middle(line);
        let swatch = Rect { x, y: y - 6.0, width: 12.0, height: 12.0 };
        svg.empty(Element::rect(swatch).at("rx", 2.5).set("fill", &colour(index)));
        svg.words(Element::text(x + 18.0, y, LABEL_FONT).set("fill", INK), name);
    }
}

/// The colour of a series.
fn colour(index: usize) -> String {
    job_colour(index).hex()
}

/// Grid lines and labels of a vertical scale.
fn draw_scale(svg: &mut Svg, plot: &Plot, scale: &Scale) {
    for tick in scale.ticks() {
        let y = plot.y(scale, tick);
        let line = Element::new("line").at("x1", plot.left).at("x2", plot.right).at("y1", y).at("y2", y);
        svg.empty(line.set("stroke", LINE).set("stroke-width", "1"));
        let text = Element::text(plot.left - 8.0, y, TICK_FONT).set("text-anchor", "end");
        svg.words(text.set("fill", DIM), &figure(tick));
    }
}

/// Text whose middle lies at `x`.
fn draw_centred(svg: &mut Svg, x: f64, y: f64, font: Font, fill: &str, text: &str) {
    svg.words(Element::text(x, y, font).set("text-anchor", "middle").set("fill", fill), text);
}

/// A number as a label: thousands set apart, otherwise at most two decimals.
fn figure(value: f64) -> String {
    if value.abs() < 1_000.0 {
        return pixels(value);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", grouped(whole(value.abs().round())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_read_well() {
        assert_eq!(figure(59.85), "59.85");
        assert_eq!(figure(0.0), "0");
        assert_eq!(figure(11_945.98), "11,946");
        assert_eq!(figure(-1_200.0), "-1,200");
    }

    fn bars(value: f64) -> String {
        let group = |label: &str| BarGroup { label: label.into(), values: vec![value, 2.0] };
        let panel = |title: &str| BarPanel { title: title.into(), groups: vec![group("a<b"), group("c")] };
        let panels = vec![panel("one"), panel("two")];
        bar_chart(&BarChart { id: "x", title: "T & <T>", subtitle: "s", series: &["p", "q"], panels })
    }

    fn lines(points: Vec<(f64, f64)>) -> String {
        let lines = vec![Line { name: "l<", points }];
        line_chart(&LineChart { id: "x", title: "T", subtitle: "s", x_title: "x", y_title: "y", lines })
    }

    /// Counts elements; panics unless the picture is well formed.
    fn count(svg: &str, name: &str) -> usize {
        use quick_xml::events::Event;
        let mut reader = quick_xml::Reader::from_str(svg);
        let mut count = 0;
        loop {
            match reader.read_event().unwrap() {
                Event::Start(start) | Event::Empty(start) => {
                    count += usize::from(start.name().as_ref() == name)
                }
                Event::Eof => return count,
                _ => {}
            }
        }
    }

    /// Whose name does not fit into a line has its place in the next, and not beyond the page.
    #[test]
    fn every_series_is_named_within_the_page() {
        let names = ["one name after the other"; 9];
        let mut svg = Svg::open_as("x", WIDTH, 100.0, "t", "d");
        draw_legend(&mut svg, &names);
        let text = svg.finish();
        let lefts =
            text.split("<text x=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
        let lefts: Vec<f64> = lefts.collect();
        assert_eq!(lefts.len(), names.len(), "{text}");
        let widest = LABEL_FONT.width(names[0]);
        assert!(lefts.iter().all(|left| left + widest <= WIDTH - MARGIN), "{lefts:?}");
    }

    #[test]
    fn every_bar_is_drawn_once_and_names_are_escaped() {
        let svg = bars(1.5);
        // The page, two swatches, and two panels of two groups of two bars.
        assert_eq!(count(&svg, "rect"), 1 + 2 + 8);
        assert!(svg.contains("T &amp; &lt;T&gt;") && svg.contains("x-title") && !svg.contains("a<b"));
        assert_eq!(svg, bars(1.5));
        assert_eq!(count(&bars(f64::NAN), "rect"), 1 + 2 + 4);
    }

    #[test]
    fn every_finite_value_is_a_dot() {
        let row = |label: &str, value| DotRow {
            label: label.into(),
            series: 0,
            values: vec![(value, 0.5), (2.0, 0.0)],
        };
        let panel = |title: &str, reference| DotPanel { title: title.into(), reference };
        let svg = dot_chart(&DotChart {
            id: "x",
            title: "T",
            subtitle: "s",
            series: &["one <"],
            panels: vec![panel("a", 1.0), panel("b", f64::NAN)],
            rows: vec![row("r<", 1.5), row("q", f64::NAN)],
        });
        assert_eq!(count(&svg, "circle"), 3);
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
        assert!(svg.contains("r&lt;, a: 1.5 ± 0.5"));
    }

    #[test]
    fn a_scatter_has_a_dot_in_every_panel_where_both_measures_are_known() {
        let point = |label: &str, values: [f64; 3], hollow| ScatterPoint {
            label: label.into(),
            series: 0,
            hollow,
            values: values.map(|value| (value, 0.25)).into(),
        };
        let draw = || {
            scatter_chart(&ScatterChart {
                id: "x",
                title: "T",
                subtitle: "s",
                series: &["one <"],
                measures: &["a", "b", "c"],
                panels: &[(0, 1), (0, 2)],
                points: vec![point("r<", [1.5, 2.0, 3.0], false), point("q", [2.5, 4.0, f64::NAN], true)],
            })
        };
        let svg = draw();
        assert_eq!(svg, draw());
        // Two dots in the first panel, one in the second, and two in the key; two lines for each dot but those of the key.
        assert_eq!(count(&svg, "circle"), 3 + 2);
        assert_eq!(svg.matches("stroke-opacity").count(), 2 * 3);
        assert!(
            svg.contains("1 r&lt;: a 1.5 ± 0.25, b 2 ± 0.25, c 3 ± 0.25") && !svg.contains("NaN"),
            "{svg}"
        );
        assert!(svg.contains("2 q"));
    }

    /// Numbers of points that lie on each other are left out where there is no room, and the key has all.
    #[test]
    fn numbers_of_a_scatter_cover_nothing() {
        let point = |number: u32| ScatterPoint {
            label: format!("p{number}"),
            series: 0,
            hollow: false,
            values: vec![(1.0, 0.0), (1.0, 0.0)],
        };
        let svg = scatter_chart(&ScatterChart {
            id: "x",
            title: "T",
            subtitle: "s",
            series: &["one"],
            measures: &["a", "b"],
            panels: &[(0, 1)],
            points: (0..30).map(point).collect(),
        });
        assert_eq!(count(&svg, "circle"), 60);
        let numbers = svg.matches("font-size=\"9\"").count();
        assert!((1..30).contains(&numbers), "{numbers}");
    }

    #[test]
    fn few_points_have_dots_and_many_have_none() {
        assert_eq!(count(&lines(vec![(1.0, 2.0), (2.0, f64::NAN), (3.0, 4.0)]), "circle"), 2);
        assert_eq!(count(&lines(vec![]), "polyline"), 1);
        let many = (0..300).map(|index| (f64::from(index), f64::from(index % 7))).collect();
        assert_eq!(count(&lines(many), "circle"), 0);
    }
}
