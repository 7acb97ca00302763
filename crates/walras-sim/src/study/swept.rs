//! A sweep as one page: what each policy made of every point.

use super::page::{cell, head};
use super::{Point, Run, Study, over_seeds};
use crate::report::escape;
use std::fmt::Write as _;
use walras_picture::{Line, LineChart, line_chart};

/// A point of a sweep, and what became of it.
#[derive(Clone, Copy, Debug)]
pub struct Swept<'a> {
    /// The point.
    pub point: &'a Point,
    /// The study there.
    pub study: &'a Study,
    /// Its runs.
    pub runs: &'a [Run],
}

/// A figure that is drawn and listed: its name for people, and its value.
type Shown = (&'static str, fn(&super::Metrics) -> f64);

const SHOWN: [Shown; 6] = [
    ("mean wait, hours", |it| it.wait.mean / 3_600.0),
    ("95th percentile of waits, hours", |it| it.wait.p95 / 3_600.0),
    ("mean bounded slowdown", |it| it.slowdown.mean),
    ("utilisation", |it| it.utilisation),
    ("credits for a node-second of work", |it| it.cost_of_work),
    ("share of deadlines that were missed", |it| it.deadline_misses),
];

/// The page: pictures of figures that differ, against the points in their order, and all of them as a table.
pub fn sweep_page(swept: &[Swept<'_>]) -> String {
    let mut page = head(&format!("{} points of a sweep", swept.len()));
    page += "</header>\n";
    for (place, (name, figure)) in SHOWN.iter().enumerate().filter(|(_, (_, figure))| differs(swept, *figure))
    {
        let _ =
            writeln!(page, "<figure aria-label=\"{name}\">\n{}</figure>", chart(swept, place, name, *figure));
    }
    page += "<h2>All points</h2>\n";
    page += &table(swept);
    page += "<p>± is half the width of the 95% confidence interval over seeds; \
             <code>sweep.csv</code> has all figures, and every point has a report in its own directory.</p>\n";
    page + "</main>\n</body>\n</html>\n"
}

/// Whether a figure is not the same everywhere: what nobody varies is not drawn.
fn differs(swept: &[Swept<'_>], figure: fn(&super::Metrics) -> f64) -> bool {
    let mut values = swept.iter().flat_map(|it| it.runs).map(|run| figure(&run.metrics));
    let first = values.next().unwrap_or(0.0);
    values.any(|value| value.total_cmp(&first).is_ne())
}

/// Where a point lies: by its number where one option is varied and is a number, else by its place.
fn positions(swept: &[Swept<'_>]) -> (String, Vec<f64>) {
    let number = |it: &Swept<'_>| match it.point.0.as_slice() {
        [(_, value)] => value.parse::<f64>().ok(),
        _ => None,
    };
    let numbers: Option<Vec<f64>> = swept.iter().map(number).collect();
    let option = swept.first().and_then(|it| it.point.0.first()).map(|(option, _)| option.clone());
    match option.zip(numbers) {
        Some(found) => found,
        None => (
            "point of the sweep, as in the table".to_owned(),
            (1..=swept.len()).map(|it| it as f64).collect(),
        ),
    }
}

fn policies(swept: &[Swept<'_>]) -> Vec<String> {
    swept.first().map(|it| it.study.policies.iter().map(ToString::to_string).collect()).unwrap_or_default()
}

fn chart(swept: &[Swept<'_>], place: usize, name: &str, figure: fn(&super::Metrics) -> f64) -> String {
    let (x_title, positions) = positions(swept);
    let policies = policies(swept);
    let lines = policies.iter().map(|policy| {
        let points = swept.iter().zip(&positions);
        Line {
            name: policy,
            points: points.map(|(it, x)| (*x, over_seeds(it.runs, policy, figure).0)).collect(),
        }
    });
    line_chart(&LineChart {
        id: &format!("sweep{place}"),
        title: name,
        subtitle: "Mean over seeds, for every policy",
        x_title: &x_title,
        y_title: name,
        lines: lines.collect(),
    })
}

fn table(swept: &[Swept<'_>]) -> String {
    let mut table = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">#</th>\
                                  <th scope=\"col\">point</th><th scope=\"col\">policy</th>",
    );
    for (name, _) in SHOWN {
        let _ = write!(table, "<th scope=\"col\">{name}</th>");
    }
    table += "</tr></thead>\n<tbody>\n";
    for (it, place) in swept.iter().zip(1..) {
        for policy in policies(swept) {
            let _ = write!(
                table,
                "<tr><td>{place}</td><th scope=\"row\">{}</th><td>{}</td>",
                escape(&it.point.words()),
                escape(&policy)
            );
            for (_, figure) in SHOWN {
                let (mean, half) = over_seeds(it.runs, &policy, figure);
                let _ = write!(table, "<td>{}</td>", cell(mean, half));
            }
            table += "</tr>\n";
        }
    }
    table + "</tbody>\n</table></div>\n"
}
