//! A scene as text, for files and pipes.

use super::gantt::{self, LEGEND};
use super::header::header;
use super::scene::Scene;
use crate::client::columns::jobs_table;
use crate::client::show::time_in;

/// How many columns the time of a node gets.
const COLUMNS: usize = 72;

/// Status, nodes over time, and jobs.
pub(super) fn text(scene: &Scene) -> String {
    let mut text: String = header(scene, None).map(|line| format!("{line}\n")).concat();
    let view = &scene.snapshot.timetable;
    let labels: Vec<String> = view.rows.iter().map(gantt::label).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
    let (from, to) = (time_in(view.from, &scene.zone), time_in(view.to, &scene.zone));
    let half = COLUMNS / 2;
    text.push_str(&format!("\n{:width$} {from:<half$}{to:>half$}\n", ""));
    for (row, label) in view.rows.iter().zip(&labels) {
        let cells: String = gantt::cells(view, row, COLUMNS).iter().map(|cell| cell.symbol).collect();
        text.push_str(format!("{label:width$} {cells}").trim_end());
        text.push('\n');
    }
    text.push_str(&format!("{LEGEND}\n\n{}", jobs_table(&scene.snapshot.jobs, None, None)));
    text
}

#[cfg(test)]
mod tests {
    use super::super::draw::tests::scene;

    #[test]
    fn a_picture_in_text() {
        insta::assert_snapshot!(super::text(&scene()), @r"
        walras 0.1.0  2026-11-15 12:30:00 (time x60)  http://127.0.0.1:7878
        nodes 1/3 (33%)  ada 950.5, 25 held  queued 3  reserved 2  running 1  ended 17
        cycle 12 planned: 5 served, 1 left out, best of the listed alternatives; next 2026-11-15 12:31:00

                       2026-11-15 12:18:00                                  2026-11-15 13:18:00
        campus/c1      15++++++17#######################     ..................................
        campus/c2 lost               |
        cloud/g1                     |           18======================-------------
        # runs  = held  - asked for  : planned  + has run  . owner  | now

        job  name      user  state     tasks  start  finish  price  where, why
         18  scan      ada   reserved      2  -      -        12.5  cloud
         17  fit       ada   running       2  -      -        12.5  campus
         16  too-dear  ada   queued        2  -      -        12.5  No window is within the budget.
        ");
    }
}
