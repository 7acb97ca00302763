//! Figures as rows of text, for the terminal and the page alike.

use crate::results::Figure;

/// What the columns are.
pub const HEADINGS: [&str; 6] = ["figure", "paper", "ours", "difference", "tolerance", "within"];

/// One row: name, the paper's figure, ours, the difference in per cent, the tolerance, whether it is kept.
pub type Cells = [String; 6];

/// The row of a figure; what there is not is a dash.
pub fn cells(figure: &Figure) -> Cells {
    let dash = || "–".to_owned();
    [
        figure.name.clone(),
        figure.paper.map_or_else(dash, number),
        figure.ours.map_or_else(dash, number),
        figure.difference_percent().map_or_else(dash, |percent| format!("{percent:+.1}%")),
        figure.tolerance.map_or_else(dash, |tolerance| tolerance.to_string()),
        figure.within.map_or_else(dash, |within| if within { "yes" } else { "NO" }.to_owned()),
    ]
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
        assert_eq!(cells(&figure), ["time", "59.85", "60.02", "+0.3%", "±2%", "yes"]);
        let figure = Figure::compared("share", 0.343, Some(0.2), Tolerance::Between(0.3, 0.36));
        assert_eq!(cells(&figure), ["share", "0.343", "0.200", "-41.7%", "0.3–0.36", "NO"]);
        let figure = Figure::shown("cycles", None, Some(8_143.0));
        assert_eq!(cells(&figure), ["cycles", "–", "8143", "–", "–", "–"]);
    }
}
