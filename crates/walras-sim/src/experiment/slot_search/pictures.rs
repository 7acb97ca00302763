//! The papers' pictures, drawn from our figures.

use crate::experiment::Picture;
use crate::results::Results;
use walras_picture::{BarChart, BarGroup, BarPanel, Line, LineChart, bar_chart, line_chart};

/// Figures 4, 5 and 6.
pub(super) fn pictures(results: &Results) -> Vec<Picture> {
    let time = ("time of a job, in time units", "time");
    let cost = ("cost of a job, in credits", "cost");
    let four = bars(results, "figure-4", "Figure 4: least total time under B*", "min time", [time, cost]);
    let six = bars(results, "figure-6", "Figure 6: least total cost under T*", "min cost", [cost, time]);
    vec![four, comparison(results), six]
}

/// ALP and AMP, the paper's bar beside ours.
fn bars(results: &Results, id: &str, title: &str, problem: &str, panels: [(&str, &str); 2]) -> Picture {
    let group = |measure: &str, search: &str| {
        let figure = results.figure(&format!("{problem}: {measure}, {search}"));
        let value = |pick: Option<f64>| pick.unwrap_or(f64::NAN);
        let values = figure.map_or(vec![], |figure| vec![value(figure.paper), value(figure.ours)]);
        BarGroup { label: search.to_owned(), values }
    };
    let panel = |(title, measure): (&str, &str)| BarPanel {
        title: title.to_owned(),
        groups: ["ALP", "AMP"].map(|search| group(measure, search)).into(),
    };
    let svg = bar_chart(&BarChart {
        id,
        title,
        subtitle: "Mean over counted cycles of the mean over the jobs of a cycle",
        series: &["paper", "ours"],
        panels: panels.map(panel).into(),
    });
    Picture { file: format!("{id}.svg"), caption: title.to_owned(), svg }
}

/// The times of the first experiments.
fn comparison(results: &Results) -> Picture {
    let title = "Figure 5: mean time of a job in the first counted experiments";
    let lines = results.series.iter().map(|series| Line {
        name: &series.name,
        points: series.x.iter().copied().zip(series.y.iter().copied()).collect(),
    });
    let svg = line_chart(&LineChart {
        id: "figure-5",
        title,
        subtitle: "Least total time under B*: alternatives found by ALP and by AMP on the same slot lists",
        x_title: "counted experiment",
        y_title: "time units",
        lines: lines.collect(),
    });
    Picture { file: "figure-5.svg".into(), caption: title.to_owned(), svg }
}
