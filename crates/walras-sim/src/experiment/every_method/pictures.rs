//! Cost, finish and satisfaction of every method, side by side.

use super::cycle::{Family, methods};
use crate::experiment::Picture;
use crate::results::{Cell, Results};
use walras_picture::{DotChart, DotPanel, DotRow, dot_chart};

/// The panels: title, and the column of the table.
const PANELS: [(&str, usize); 4] =
    [("jobs served in %", 0), ("cost of a job", 1), ("finish in seconds", 2), ("satisfaction", 3)];

/// The one picture.
pub(super) fn pictures(results: &Results) -> Vec<Picture> {
    let Some(table) = results.tables.first() else { return Vec::new() };
    let title = "Every method of every paper on the same markets";
    let families =
        ["windows, four choices", "windows, satisfaction", "capacity", "two tiers", "joint optimum"];
    let value = |cell: &Cell| (cell.value.unwrap_or(f64::NAN), cell.interval.unwrap_or(0.0));
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
    debug_assert_eq!(Family::Optimum as usize + 1, families.len(), "every family has its colour");
    let svg = dot_chart(&DotChart {
        id: "every-method",
        title,
        subtitle: "Means over all markets with 95% intervals; dashed: the joint optimum of that measure",
        series: &families,
        panels: PANELS.iter().map(panel).collect(),
        rows: methods().into_iter().zip(&table.rows).map(row).collect(),
    });
    vec![Picture { file: "every-method.svg".into(), caption: title.to_owned(), svg }]
}
