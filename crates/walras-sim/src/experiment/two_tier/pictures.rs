//! Figures 3 and 4.

use super::TIERS;
use crate::experiment::Picture;
use crate::results::Results;
use walras_picture::{Line, LineChart, line_chart};

pub(super) fn pictures(results: &Results) -> Vec<Picture> {
    let tiers = |what: &str| TIERS.map(|tiers| format!("{what}, N = {tiers}")).to_vec();
    let nodes = "j: nodes are j · N";
    vec![
        picture(
            results,
            "success-by-interval",
            "Jobs placed against the interval factor (figure 3)",
            ["h: the interval is h times the longest critical path", "share of jobs placed"],
            &["success against h".to_owned()],
        ),
        picture(
            results,
            "collisions-by-nodes",
            "Collisions against the number of nodes (figure 4a)",
            [nodes, "collisions a job"],
            &tiers("collisions"),
        ),
        picture(
            results,
            "success-by-nodes",
            "Jobs placed against the number of nodes (figure 4b)",
            [nodes, "share of jobs placed"],
            &tiers("success"),
        ),
    ]
}

fn picture(
    results: &Results,
    file: &str,
    title: &str,
    [x_title, y_title]: [&str; 2],
    names: &[String],
) -> Picture {
    let chosen = results.series.iter().filter(|series| names.contains(&series.name));
    let lines = chosen.map(|series| Line {
        name: &series.name,
        points: series.x.iter().copied().zip(series.y.iter().copied()).collect(),
    });
    let subtitle = "The critical jobs method alone, as soon as possible";
    let svg = line_chart(&LineChart { id: file, title, subtitle, x_title, y_title, lines: lines.collect() });
    Picture { file: format!("{file}.svg"), caption: title.to_owned(), svg }
}
