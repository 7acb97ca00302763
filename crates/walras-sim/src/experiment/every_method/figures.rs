//! The table of all methods, and what was checked.

use super::cycle::{Record, Row, methods};
use super::optimum::Measure;
use crate::results::{Cell, Figure, Table, TableRow};
use crate::statistics::Sample;

/// What a column is called, and how it is taken of a market.
type Column = (&'static str, fn(&Row) -> f64);

const COLUMNS: [Column; 7] = [
    ("served, %", |row| row.served * 100.0),
    ("cost", |row| row.cost),
    ("finish, s", |row| row.finish),
    ("satisfaction", |row| row.satisfaction),
    ("cost above the optimum, %", |row| row.above[0]),
    ("finish above the optimum, %", |row| row.above[1]),
    ("satisfaction below the optimum, points", |row| row.above[2]),
];

/// Every method in a row: means over all markets with their intervals.
pub(super) fn table(records: &[Record]) -> Table {
    let row = |(place, method): (usize, super::cycle::Method)| {
        let cell = |(_, measure): &Column| {
            let sample = Sample::of(records.iter().filter_map(|record| record.rows.get(place)).map(measure));
            Cell::of(&sample)
        };
        TableRow { name: method.name, cells: COLUMNS.iter().map(cell).collect() }
    };
    Table {
        title: "Every method on the same markets".to_owned(),
        columns: COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect(),
        rows: methods().into_iter().enumerate().map(row).collect(),
    }
}

/// How often the joint optimum is proven, and what that was checked against.
pub(super) fn figures(records: &[Record]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (place, measure) in Measure::ALL.into_iter().enumerate() {
        let proven = Sample::of(records.iter().map(|record| f64::from(u8::from(record.proven[place]))));
        let why = "No paper compares its methods with those of another, or with the joint optimum.";
        let name = format!("{} proven, share of markets", measure.name());
        figures.push(Figure::shown(&name, None, proven.mean(), why));
    }
    let checks = records.iter().map(|record| record.checks).sum();
    figures
        .push(Figure::checked("no method of whole jobs beats a proven joint optimum: comparisons", checks));
    figures
}

pub(super) const NOTES: [&str; 5] = [
    "Cost and finish are means over the jobs that a method serves; satisfaction counts who is not served as not content at all. \
     Compare costs only of methods that serve as many: the columns on the right do, market by market.",
    "Satisfaction is 1 less the loss in the product's form (distance to the ideal): a user's weights of cost and finish are drawn, \
     ideal is what the job would have alone, worst its budget and its deadline.",
    "The joint optimum is over all sites and starts at once, whole jobs, each measure by itself; serving most comes first.",
    "Methods of capacity assign every 10 s, and jobs that find no place wait for the next round; all others plan once, at the first \
     of these moments.",
    "Two tiers may start the tasks of a job apart, which whole jobs may not: they can be below the optimum of whole jobs.",
];
