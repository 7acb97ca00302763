//! Cost, finish and satisfaction of every method: against each other, and side by side.

use super::cycle::{Family, methods};
use crate::experiment::Picture;
use crate::results::{Cell, Results, Table};
use walras_picture::{DotChart, DotPanel, DotRow, ScatterChart, ScatterPoint, dot_chart, scatter_chart};

/// The papers, in the order of [`Family`].
const FAMILIES: [&str; 5] =
    ["windows, four choices", "windows, satisfaction", "capacity", "two tiers", "joint optimum"];
/// Whoever serves a smaller share of the jobs chose the easy ones: their cost and finish are not those of the others.
const SERVED_MIN: f64 = 90.0;
/// The panels: title, and the column of the table.
const PANELS: [(&str, usize); 4] =
    [("jobs served in %", 0), ("cost of a job", 1), ("finish in seconds", 2), ("satisfaction", 3)];

/// Both pictures.
pub(super) fn pictures(results: &Results) -> Vec<Picture> {
    debug_assert_eq!(Family::Optimum as usize + 1, FAMILIES.len(), "every family has its colour");
    let Some(table) = results.tables.first() else { return Vec::new() };
    vec![against_each_other(table), side_by_side(table)]
}

fn value(cell: &Cell) -> (f64, f64) {
    (cell.value.unwrap_or(f64::NAN), cell.interval.unwrap_or(0.0))
}

/// Cost against finish, and either against satisfaction.
fn against_each_other(table: &Table) -> Picture {
    let title = "Cost against finish against satisfaction, by every method";
    let point = |(method, row): (super::cycle::Method, &crate::results::TableRow)| ScatterPoint {
        label: method.name,
        series: method.family as usize,
        hollow: row.cells.first().is_none_or(|served| value(served).0 < SERVED_MIN),
        values: PANELS.iter().skip(1).filter_map(|(_, column)| row.cells.get(*column).map(value)).collect(),
    };
    let svg = scatter_chart(&ScatterChart {
        id: "every-method-scatter",
        title,
        subtitle: "Means over all markets with 95% intervals; rings: methods that serve fewer than nine jobs in ten",
        series: &FAMILIES,
        measures: &PANELS.map(|(name, _)| name)[1..],
        panels: &[(0, 1), (0, 2), (1, 2)],
        points: methods().into_iter().zip(&table.rows).map(point).collect(),
    });
    Picture { file: "cost-finish-satisfaction.svg".into(), caption: title.to_owned(), svg }
}

/// Every measure in a panel of its own, beside its joint optimum.
fn side_by_side(table: &Table) -> Picture {
    let title = "Every method of every paper on the same markets";
    let row = |(method, row): (super::cycle::Method, &crate::results::TableRow)| DotRow {
        label: method.name,
        series: method.family as usize,
        values: PANELS.iter().filter_map(|(_, column)| row.cells.get(*column).map(value)).collect(),
    };
    let optimum = |name: &str, column: usize| {
        table.rows.iter().find(|row| row.name == name).and_then(|row| row.cells.get(column)?.value)
    };
    let reference = |column: usize| match column {
        1 => optimum("joint optimum of cost", column),
        2 => optimum("joint optimum of finish", column),
        3 => optimum("joint optimum of satisfaction", column),
        _ => None,
    };
    let panel = |(title, column): &(&str, usize)| DotPanel {
        title: (*title).to_owned(),
        reference: reference(*column).unwrap_or(f64::NAN),
    };
    let svg = dot_chart(&DotChart {
        id: "every-method",
        title,
        subtitle: "Means over all markets with 95% intervals; dashed: the joint optimum of that measure",
        series: &FAMILIES,
        panels: PANELS.iter().map(panel).collect(),
        rows: methods().into_iter().zip(&table.rows).map(row).collect(),
    });
    Picture { file: "every-method.svg".into(), caption: title.to_owned(), svg }
}
