//! A timetable as rows of characters: one a node, so many columns for its time.

use crate::client::show::clean;
use walras_api::service::{BarKind, Stamp, TimetableBar, TimetableRow, TimetableView};

/// One column of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) symbol: char,
    pub(super) what: What,
}

/// What a column shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Free,
    Now,
    Owner,
    /// A job; without a number when it may not be seen.
    Job(Option<u64>, BarKind),
}

/// What fills a bar.
fn fill(kind: BarKind) -> char {
    match kind {
        BarKind::Owner => '.',
        BarKind::Planned => ':',
        BarKind::Asked => '-',
        BarKind::Held => '=',
        BarKind::Running => '#',
        BarKind::Ended => '+',
    }
}

/// The name of a row.
pub(super) fn label(row: &TimetableRow) -> String {
    let lost = if row.lost { " lost" } else { "" };
    clean(&format!("{}/{}{lost}", row.site, row.node))
}

/// The column of a point in time, from the left; to the right of all when it is later.
fn column(view: &TimetableView, at: Stamp, columns: usize, up: bool) -> usize {
    let (from, to) = (view.from.time().as_millis(), view.to.time().as_millis());
    let span = i128::from(to) - i128::from(from);
    if span <= 0 {
        return 0;
    }
    let since = (i128::from(at.time().as_millis()) - i128::from(from)).clamp(0, span);
    let wide = since * i128::try_from(columns).unwrap_or(0);
    let column = if up { (wide + span - 1) / span } else { wide / span };
    usize::try_from(column).unwrap_or(columns).min(columns)
}

/// Where now is, when it is within.
pub(super) fn now_column(view: &TimetableView, columns: usize) -> Option<usize> {
    let within = (view.from..view.to).contains(&view.now);
    within.then(|| column(view, view.now, columns, false)).filter(|column| *column < columns)
}

/// A row of so many columns.
pub(super) fn cells(view: &TimetableView, row: &TimetableRow, columns: usize) -> Vec<Cell> {
    let mut cells = vec![Cell { symbol: ' ', what: What::Free }; columns];
    if let Some(now) = now_column(view, columns) {
        cells[now] = Cell { symbol: '|', what: What::Now };
    }
    for bar in row.bars.iter().filter(|bar| bar.end > view.from && bar.start < view.to) {
        let start = column(view, bar.start, columns, false);
        let end = column(view, bar.end, columns, true).max(start + 1).min(columns);
        if start < end {
            paint(&mut cells[start..end], bar);
        }
    }
    cells
}

fn paint(cells: &mut [Cell], bar: &TimetableBar) {
    let what = match bar.kind {
        BarKind::Owner => What::Owner,
        kind => What::Job(bar.job, kind),
    };
    cells.fill(Cell { symbol: fill(bar.kind), what });
    // The number only when it fits whole: half of it would be another job's.
    let number = bar.job.map(|job| job.to_string()).unwrap_or_default();
    if number.len() < cells.len() {
        for (cell, digit) in cells.iter_mut().zip(number.chars()) {
            cell.symbol = digit;
        }
    }
}

/// What the characters mean.
pub(super) const LEGEND: &str = "# runs  = held  - asked for  : planned  + has run  . owner  | now";

#[cfg(test)]
mod tests {
    use super::*;

    fn view(bars: &str) -> TimetableView {
        let text = format!(
            r#"{{"now":"2026-01-01T00:00:40Z","from":"2026-01-01T00:00:00Z","to":"2026-01-01T00:01:40Z",
            "rows":[{{"site":"campus","node":"n1","lost":false,"bars":[{bars}]}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn bar(start: u32, end: u32, kind: &str, job: &str) -> String {
        let at = |second: u32| format!("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60);
        format!(r#"{{"start":"{}","end":"{}","kind":"{kind}","job":{job},"name":null}}"#, at(start), at(end))
    }

    fn row(bars: &str, columns: usize) -> String {
        let view = view(bars);
        cells(&view, &view.rows[0], columns).iter().map(|cell| cell.symbol).collect()
    }

    #[test]
    fn bars_are_where_their_time_is() {
        assert_eq!(row("", 10), "    |     ");
        assert_eq!(row(&bar(10, 30, "ended", "7"), 10), " 7+ |     ");
        assert_eq!(row(&bar(30, 60, "running", "123"), 10), "   ###    ");
        assert_eq!(row(&bar(90, 600, "held", "1"), 20), "        |         1=");
        assert_eq!(row(&bar(50, 51, "owner", "null"), 10), "    |.    ");
        assert_eq!(row(&bar(0, 100, "asked", "null"), 3), "---");
        assert_eq!(row(&bar(0, 100, "running", "5"), 0), "");
        assert_eq!(row(&bar(200, 300, "running", "5"), 10), "    |     ");
    }

    #[test]
    fn a_span_of_nothing_is_no_panic() {
        let mut view = view(&bar(10, 30, "held", "7"));
        view.to = view.from;
        assert_eq!(cells(&view, &view.rows[0], 4).len(), 4);
    }
}
