//! Figures 2 to 5 as lines, and the regimes as bars.

use super::Deadlines;
use super::figures::regime_name;
use super::methods::Method;
use crate::experiment::Picture;
use crate::generate::market::Prices;
use crate::results::Results;
use walras_picture::{BarChart, BarGroup, BarPanel, Line, LineChart, bar_chart, line_chart};

/// All pictures.
pub(super) fn pictures(results: &Results) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for (number, deadlines) in (2..).zip(Deadlines::ALL) {
        let class = deadlines.name();
        let title = format!("Figure {number}a: what users spend, {class} deadlines");
        pictures.push(lines(results, &format!("figure-{number}a"), &title, class, "spending", "credits"));
        let title = format!("Figure {number}b: jobs completed, {class} deadlines");
        pictures.push(lines(results, &format!("figure-{number}b"), &title, class, "jobs", "jobs of 50"));
    }
    let title = "Figure 5: iterations of the genetic algorithms, tight deadlines";
    pictures.push(lines(results, "figure-5", title, "tight", "iterations", "generations"));
    pictures.push(savings(results));
    pictures
}

/// One measure of all methods that have it, over the number of sites.
fn lines(results: &Results, id: &str, title: &str, class: &str, measure: &str, unit: &str) -> Picture {
    let named = Method::ALL.map(|method| (method.name(), format!("{class} {measure}: {}", method.name())));
    let lines = named.iter().filter_map(|(name, series)| {
        let series = results.series.iter().find(|line| line.name == *series)?;
        Some(Line { name, points: series.x.iter().copied().zip(series.y.iter().copied()).collect() })
    });
    let svg = line_chart(&LineChart {
        id,
        title,
        subtitle: "Means over all cycles; their 95% intervals are in results.json",
        x_title: "sites",
        y_title: unit,
        lines: lines.collect(),
    });
    Picture { file: format!("{id}.svg"), caption: title.to_owned(), svg }
}

/// By how much each method saves over its rival, under every regime.
fn savings(results: &Results) -> Picture {
    let title = "Where the claims hold: savings at the largest number of sites, relaxed deadlines";
    let rivals =
        ["MMC below greedy by price", "MMC below greedy by cost", "LPGA below HGA", "exact below LPGA"];
    let spreads: Vec<f64> = results.config["speed_spreads"]
        .as_array()
        .map(|spreads| spreads.iter().filter_map(serde_json::Value::as_f64).collect())
        .unwrap_or_default();
    let panel = |prices: Prices, name: &str| {
        let group = |spread: &f64| {
            let regime = regime_name(prices, *spread);
            let value = |rival: &str| {
                let figure = results.figure(&format!("{regime}: {rival}, %"));
                figure.and_then(|figure| figure.ours).unwrap_or(f64::NAN)
            };
            BarGroup { label: format!("±{}%", spread * 100.0), values: rivals.map(value).into() }
        };
        BarPanel { title: format!("saving in %, {name}"), groups: spreads.iter().map(group).collect() }
    };
    let svg = bar_chart(&BarChart {
        id: "regimes",
        title,
        subtitle: "By the spread of speeds; over the cycles in which both complete as many jobs",
        series: &rivals,
        panels: vec![
            panel(Prices::PerSite, "prices per site"),
            panel(Prices::PerPair, "prices per pair"),
            panel(Prices::BySpeed, "prices by speed"),
        ],
    });
    Picture { file: "regimes.svg".into(), caption: title.to_owned(), svg }
}
