//! Groups of bars in panels side by side.

use super::scale::Scale;
use super::{
    LABEL_FONT, MARGIN, PLOT_HEIGHT, PLOT_TOP, Plot, TICK_FONT, WIDTH, colour, draw_centred, draw_scale,
    figure, open,
};
use crate::colour::{DIM, INK};
use crate::number::real_count;
use crate::svg::{Element, Rect, Svg};
use crate::text::Font;

/// Bars to compare.
#[derive(Clone, Debug)]
pub struct BarChart<'a> {
    /// What ids in the picture begin with; unique on a page.
    pub id: &'a str,
    /// The heading.
    pub title: &'a str,
    /// What helps to read it.
    pub subtitle: &'a str,
    /// What the bars of each group are, in their order.
    pub series: &'a [&'a str],
    /// Plots, each with a scale of its own.
    pub panels: Vec<BarPanel>,
}

/// One plot.
#[derive(Clone, Debug)]
pub struct BarPanel {
    /// What is measured, and in what.
    pub title: String,
    /// The groups from left to right.
    pub groups: Vec<BarGroup>,
}

/// Bars that stand together.
#[derive(Clone, Debug)]
pub struct BarGroup {
    /// What they belong to.
    pub label: String,
    /// One for each series.
    pub values: Vec<f64>,
}

/// Room for the labels of a panel's scale.
const SCALE_WIDTH: f64 = 56.0;
const BAR_WIDTH_MAX: f64 = 64.0;
/// The share of a group's room that its bars take.
const BARS_SHARE: f64 = 0.72;
/// Scales reach beyond the highest bar by this factor, so that its label has room.
const LABEL_ROOM: f64 = 1.06;
const PANEL_FONT: Font = Font::bold(12.5);

/// Draws a bar chart as one self-contained SVG; the same chart always gives the same text.
pub fn bar_chart(chart: &BarChart<'_>) -> String {
    let height = PLOT_TOP + PLOT_HEIGHT + 44.0;
    let words = [chart.title, chart.subtitle, &describe(chart)];
    let mut svg = open(chart.id, height, words, chart.series);
    let room = (WIDTH - 2.0 * MARGIN) / real_count(chart.panels.len().max(1));
    for (index, panel) in chart.panels.iter().enumerate() {
        let left = MARGIN + room * real_count(index);
        let right = left + room - if index + 1 < chart.panels.len() { 16.0 } else { 0.0 };
        let plot = Plot { left: left + SCALE_WIDTH, right, top: PLOT_TOP, bottom: PLOT_TOP + PLOT_HEIGHT };
        draw_panel(&mut svg, chart, panel, &plot);
    }
    svg.finish()
}

/// All values, for those who cannot see them.
fn describe(chart: &BarChart<'_>) -> String {
    let mut text = format!("Bar chart. {}.", chart.subtitle);
    for panel in &chart.panels {
        for group in &panel.groups {
            let values = chart.series.iter().zip(&group.values);
            let values: Vec<String> =
                values.map(|(name, value)| format!("{name} {}", figure(*value))).collect();
            text += &format!(" {}, {}: {}.", panel.title, group.label, values.join(", "));
        }
    }
    text
}

fn draw_panel(svg: &mut Svg, chart: &BarChart<'_>, panel: &BarPanel, plot: &Plot) {
    let values = panel.groups.iter().flat_map(|group| group.values.iter());
    let scale = Scale::from_zero(values.map(|value| value * LABEL_ROOM), 6.0);
    let title = PANEL_FONT.fit(&panel.title, plot.right - plot.left).unwrap_or_default();
    svg.words(Element::text(plot.left, PLOT_TOP - 20.0, PANEL_FONT).set("fill", INK), &title);
    draw_scale(svg, plot, &scale);
    let room = (plot.right - plot.left) / real_count(panel.groups.len().max(1));
    for (index, group) in panel.groups.iter().enumerate() {
        let middle = plot.left + room * (real_count(index) + 0.5);
        draw_group(svg, chart, panel, group, (plot, &scale, middle, room));
    }
}

fn draw_group(
    svg: &mut Svg,
    chart: &BarChart<'_>,
    panel: &BarPanel,
    group: &BarGroup,
    (plot, scale, middle, room): (&Plot, &Scale, f64, f64),
) {
    let count = real_count(group.values.len().max(1));
    let width = (room * BARS_SHARE / count).min(BAR_WIDTH_MAX);
    let zero = plot.y(scale, 0.0);
    for (index, (value, name)) in group.values.iter().zip(chart.series).enumerate() {
        if !value.is_finite() {
            continue;
        }
        let (x, y) = (middle + width * (real_count(index) - count / 2.0), plot.y(scale, *value));
        let bar = Rect { x: x + 1.5, y: y.min(zero), width: width - 3.0, height: (zero - y).abs() };
        let tooltip = format!("{}, {}, {name}: {}", panel.title, group.label, figure(*value));
        svg.hinted(Element::rect(bar).at("rx", 2.0).set("fill", &colour(index)), &tooltip);
        let label = figure(*value);
        if TICK_FONT.width(&label) <= width * 1.25 {
            draw_centred(svg, x + width / 2.0, y.min(zero) - 9.0, TICK_FONT, INK, &label);
        }
    }
    let label = LABEL_FONT.fit(&group.label, room - 4.0).unwrap_or_default();
    draw_centred(svg, middle, plot.bottom + 18.0, LABEL_FONT, DIM, &label);
}
