//! The figures as three tables: compared, laws, shown.

use std::fmt::Write as _;
use walras_sim::report;
use walras_sim::results::{Figure, FigureKind, Results};

/// A colour of the terminal for every kind; red is for what does not come out.
fn colour(kind: FigureKind, within: Option<bool>) -> &'static str {
    match (kind, within) {
        (_, Some(false)) => "31",
        (FigureKind::Compared, Some(true)) => "32",
        (FigureKind::Compared, None) => "0",
        (FigureKind::Law, _) => "34",
        (FigureKind::Shown, _) => "2",
    }
}

/// All of it; in colours where somebody sees them.
pub(super) fn of_results(results: &Results, colours: bool) -> String {
    let paint = |kind: FigureKind, within: Option<bool>, text: &str| match colours {
        true => format!("\x1b[{}m{text}\x1b[0m", colour(kind, within)),
        false => text.to_owned(),
    };
    let widths = widths(results);
    let mut text = format!("{}: seed {}, {} cycles\n", results.experiment, results.seed, results.cycles);
    for table in &results.tables {
        let _ = write!(text, "\n{}\n{}", table.title, aligned(&report::rows(table)));
    }
    for kind in FigureKind::ALL {
        let groups = report::groups(results, kind);
        if groups.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}: {}", kind.name(), results.verdict(kind));
        let _ = writeln!(text, "{}", line(&report::HEADINGS.map(str::to_owned), widths));
        for group in groups {
            if let Some(why) = group.why {
                let _ = writeln!(text, "{}", paint(kind, None, &format!("  {why}")));
            }
            for figure in group.figures {
                let row = line(&report::cells(figure), widths);
                let _ = writeln!(text, "{}", paint(kind, figure.within, &row));
            }
        }
    }
    let disagreements = report::disagreements(results);
    if !disagreements.is_empty() {
        text += "\nwhat does not come out, and why:\n";
    }
    for (name, why) in disagreements {
        let _ = writeln!(text, "  {name}: {why}");
    }
    text
}

/// Columns of text, the first to the left and the others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ =
                if column == 0 { write!(text, "{cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        text.push('\n');
    }
    text
}

fn widths(results: &Results) -> [usize; 7] {
    let mut widths = report::HEADINGS.map(|heading| heading.chars().count());
    let rows = results.figures.iter().map(|figure: &Figure| report::cells(figure));
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(&row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    widths
}

fn line(
    [name, paper, ours, interval, difference, tolerance, within]: &report::Cells,
    widths: [usize; 7],
) -> String {
    let [w0, w1, w2, w3, w4, w5, _] = widths;
    format!(
        "{name:<w0$}  {paper:>w1$}  {ours:>w2$}  {interval:>w3$}  {difference:>w4$}  {tolerance:>w5$}  {within}"
    )
}
