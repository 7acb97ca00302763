//! The gains as bars, and against the number of alternatives.

use super::PaperProblem;
use crate::experiment::Picture;
use crate::results::Results;
use walras_picture::{BarChart, BarGroup, BarPanel, Line, LineChart, bar_chart, line_chart};

/// Both pictures.
pub(super) fn pictures(results: &Results) -> Vec<Picture> {
    vec![gains(results), by_alternatives(results)]
}

/// The gain of each problem, the paper's beside ours.
fn gains(results: &Results) -> Picture {
    let title = "Gain of the best combination over a random one";
    let group = |problem: PaperProblem| {
        let figure =
            |reading: &str| results.figure(&format!("{}: gain, {reading} reading, %", problem.title()));
        let value = |pick: Option<f64>| pick.unwrap_or(f64::NAN);
        let ours = |reading: &str| value(figure(reading).and_then(|figure| figure.ours));
        let paper = value(figure("plain").and_then(|figure| figure.paper));
        let values = vec![paper, ours("plain"), ours("fitted")];
        BarGroup { label: problem.title().to_owned(), values }
    };
    let groups = PaperProblem::ALL.map(group).into();
    let svg = bar_chart(&BarChart {
        id: "gains",
        title,
        subtitle: "Problems 1 and 3 under T*, problems 2 and 4 under B*; the paper's generator is not printed",
        series: &["paper", "plain reading", "fitted reading"],
        panels: vec![BarPanel { title: "gain in %".into(), groups }],
    });
    Picture { file: "gains.svg".into(), caption: title.to_owned(), svg }
}

/// The gain against the number of alternatives, a line for each problem.
fn by_alternatives(results: &Results) -> Picture {
    let title = "Gain against the number of alternatives per job";
    let lines = results.series.iter().map(|series| Line {
        name: &series.name,
        points: series.x.iter().copied().zip(series.y.iter().copied()).collect(),
    });
    let svg = line_chart(&LineChart {
        id: "gains-by-alternatives",
        title,
        subtitle: "The more there is to choose from, the more choosing well is worth",
        x_title: "alternatives per job, at most",
        y_title: "gain in %",
        lines: lines.collect(),
    });
    Picture { file: "gains-by-alternatives.svg".into(), caption: title.to_owned(), svg }
}
