//! Figures as rows of text, for the terminal and the page alike.

use crate::results::{Cell, Figure, FigureKind, Results, Table, TableRow};

/// What the columns are.
pub const HEADINGS: [&str; 7] = ["figure", "paper", "ours", "95% ±", "difference", "tolerance", "within"];

/// One row: name, the paper's figure, ours, half of its interval, the difference in per cent, the tolerance, whether it is
/// kept.
pub type Cells = [String; 7];

/// The row of a figure; what there is not is a dash.
pub fn cells(figure: &Figure) -> Cells {
    let dash = || "–".to_owned();
    [
        figure.name.clone(),
        figure.paper.map_or_else(dash, number),
        figure.ours.map_or_else(dash, number),
        figure.interval.map_or_else(dash, number),
        figure.difference_percent().map_or_else(dash, |percent| format!("{percent:+.1}%")),
        figure.tolerance.map_or_else(dash, |tolerance| tolerance.to_string()),
        figure.within.map_or_else(dash, |within| if within { "yes" } else { "NO" }.to_owned()),
    ]
}

/// A table's rows as text, the heading first: a mean with half of its interval.
pub fn rows(table: &Table) -> Vec<Vec<String>> {
    let cell = |cell: &Cell| match (cell.value, cell.interval) {
        (None, _) => "–".to_owned(),
        (Some(value), None) => number(value),
        (Some(value), Some(interval)) => format!("{} ± {}", number(value), number(interval)),
    };
    let row = |row: &TableRow| std::iter::once(row.name.clone()).chain(row.cells.iter().map(cell)).collect();
    let heading = std::iter::once(String::new()).chain(table.columns.iter().cloned()).collect();
    std::iter::once(heading).chain(table.rows.iter().map(row)).collect()
}

/// Figures that stand together, with what is said of all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'a> {
    /// Why they are not comparable, or do not come out.
    pub why: Option<&'a str>,
    /// The figures, in order.
    pub figures: Vec<&'a Figure>,
}

/// The figures of a kind: what is judged in one group, what is shown by the reason.
pub fn groups(results: &Results, kind: FigureKind) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for figure in results.of_kind(kind) {
        let why = figure.why.as_deref().filter(|_| kind == FigureKind::Shown);
        match groups.iter_mut().find(|group| group.why == why) {
            Some(group) => group.figures.push(figure),
            None => groups.push(Group { why, figures: vec![figure] }),
        }
    }
    groups
}

/// Why compared figures do not come out: name and reason.
pub fn disagreements(results: &Results) -> Vec<(&str, &str)> {
    let failed = results.of_kind(FigureKind::Compared).filter(|figure| figure.within == Some(false));
    failed.filter_map(|figure| Some((figure.name.as_str(), figure.why.as_deref()?))).collect()
}

/// A number with the digits that matter: whole where the paper's are, otherwise two decimals, three below one.
fn number(value: f64) -> String {
    let is_whole = value.fract().abs() < f64::EPSILON && value.abs() >= 100.0;
    match value.abs() {
        _ if is_whole => format!("{value:.0}"),
        below if below < 1.0 => format!("{value:.3}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Tolerance;

    #[test]
    fn rows_read_well() {
        let figure = Figure::compared("time", 59.85, Some(60.019_66), Tolerance::relative(59.85, 0.02));
        assert_eq!(cells(&figure), ["time", "59.85", "60.02", "–", "+0.3%", "±2%", "yes"]);
        let figure = Figure::compared("share", 0.343, Some(0.2), Tolerance::Between(0.3, 0.36));
        assert_eq!(cells(&figure), ["share", "0.343", "0.200", "–", "-41.7%", "0.3–0.36", "NO"]);
        let figure = Figure::shown("cycles", None, Some(8_143.0), "");
        assert_eq!(cells(&figure), ["cycles", "–", "8143", "–", "–", "–", "–"]);
    }
}
