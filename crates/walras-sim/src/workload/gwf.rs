//! Jobs of a trace in the Grid Workload Format of the Grid Workloads Archive.
//!
//! The format has 29 columns divided by blanks, `#` before the header and `-1` for unknown. A dialect has a line of names
//! first and commas between columns: `WorkflowID, JobID, SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies`. Tasks of a
//! workflow are read as jobs by themselves, submitted when the trace says that they were: then their dependencies had been
//! met. [`super::read_flows`] reads them as workflows. What is left out is what [`super::SwfJobs`] leaves out.

use super::csv::columns;
use super::swf::RUN_MIN;
use super::{Job, Report};
use crate::lines::Lines;
use crate::trace::BadLine;
use crate::trace::number::decimal;
use std::io::{self, BufRead};
use walras_model::{Span, Time};

/// How many columns the format has.
const COLUMNS: usize = 29;

/// Where the columns are that a simulation needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) number: usize,
    pub(super) submit: usize,
    pub(super) run: usize,
    pub(super) got: usize,
    pub(super) asked: usize,
    estimate: Option<usize>,
    status: Option<usize>,
    user: Option<usize>,
    pub(super) columns: usize,
}

/// The 29 columns.
const ARCHIVE: Layout = Layout {
    number: 0,
    submit: 1,
    run: 3,
    got: 4,
    asked: 7,
    estimate: Some(8),
    status: Some(10),
    user: Some(11),
    columns: COLUMNS,
};

/// The jobs of a trace in the order of the file.
pub struct GwfJobs<R> {
    lines: Lines<R>,
    layout: Layout,
    report: Report,
    previous: Time,
}

impl<R: BufRead> GwfJobs<R> {
    /// The jobs of a trace that is not packed; see [`super::plain`].
    pub fn new(reader: R) -> GwfJobs<R> {
        let lines = Lines::new(reader);
        GwfJobs { lines, layout: ARCHIVE, report: Report::default(), previous: Time::MIN }
    }

    /// What was read so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Why reading ended before the file did.
    pub fn fault(&self) -> Option<&io::Error> {
        self.lines.fault()
    }
}

impl<R: BufRead> Iterator for GwfJobs<R> {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        while let Some((number, line)) = self.lines.next() {
            let text = String::from_utf8_lossy(line);
            let text = text.trim();
            if text.is_empty() || text.starts_with(['#', ';']) {
                continue;
            }
            let columns = columns(text);
            if let Some(layout) = named(&columns) {
                self.layout = layout;
                continue;
            }
            match job(number, &columns, self.layout, &mut self.report) {
                Ok(Some(job)) => {
                    self.report.noted.submit_inverted += u32::from(job.submit < self.previous);
                    self.previous = job.submit;
                    self.report.jobs += 1;
                    return Some(job);
                }
                Ok(None) => {}
                Err(problem) => self.report.note_bad(BadLine { line: number, problem }),
            }
        }
        None
    }
}

/// The layout that a line of names describes.
pub(super) fn named(columns: &[&str]) -> Option<Layout> {
    let at = |name: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    Some(Layout {
        number: at("JobID")?,
        submit: at("SubmitTime")?,
        run: at("RunTime")?,
        got: at("NProcs")?,
        asked: at("ReqNProcs").or_else(|| at("NProcs"))?,
        estimate: at("ReqTime"),
        status: at("Status"),
        user: at("UserID"),
        columns: columns.len(),
    })
}

fn job(line: u32, columns: &[&str], layout: Layout, report: &mut Report) -> Result<Option<Job>, String> {
    if columns.len() < layout.columns {
        return Err(format!("{} columns where {} are needed", columns.len(), layout.columns));
    }
    let seconds = |column: usize| number(columns, column, 3);
    let submit = seconds(layout.submit)?.filter(|at| *at >= 0).and_then(Time::from_millis);
    let submit = submit.ok_or_else(|| format!("column {}: no moment of submission", layout.submit + 1))?;
    let cancelled = match layout.status {
        Some(column) => number(columns, column, 0)? == Some(5),
        None => false,
    };
    let run = seconds(layout.run)?.filter(|run| *run >= 0).and_then(Span::from_millis);
    let Some(run) = run else {
        let counted =
            if cancelled { &mut report.left_out.never_started } else { &mut report.left_out.run_unknown };
        *counted += 1;
        return Ok(None);
    };
    if run.as_millis() < RUN_MIN {
        report.left_out.run_short += 1;
        return Ok(None);
    }
    let count =
        |column: usize| number(columns, column, 0).map(|count| count.and_then(|it| u32::try_from(it).ok()));
    let asked = count(layout.asked)?.filter(|count| *count > 0);
    let Some(nodes) = asked.or(count(layout.got)?.filter(|count| *count > 0)) else {
        report.left_out.size_unknown += 1;
        return Ok(None);
    };
    let estimate = match layout.estimate {
        Some(column) => seconds(column)?.filter(|estimate| *estimate > 0).and_then(Span::from_millis),
        None => None,
    };
    report.noted.estimate_missing += u32::from(estimate.is_none());
    let user = layout.user_of(columns);
    let stated = number(columns, layout.number, 0)?.and_then(|number| u64::try_from(number).ok());
    Ok(Some(Job {
        number: stated.unwrap_or(u64::from(line)),
        submit,
        nodes,
        run,
        estimate: estimate.unwrap_or(run),
        user,
        budget: None,
        deadline: None,
    }))
}

impl Layout {
    /// Whose a line is; users of this format may be names.
    pub(super) fn user_of(&self, columns: &[&str]) -> Option<i64> {
        let user = self.user.and_then(|column| decimal(columns[column].trim_start_matches(['U', 'u']), 0));
        user.filter(|user| *user >= 0)
    }
}

/// A number of a column; `None` where it is empty.
pub(super) fn number(columns: &[&str], column: usize, decimals: u32) -> Result<Option<i64>, String> {
    let text = columns[column];
    if text.is_empty() {
        return Ok(None);
    }
    let shown = || text.chars().take(40).flat_map(char::escape_debug).collect::<String>();
    decimal(text, decimals)
        .map(Some)
        .ok_or_else(|| format!("column {}: '{}' is not a plain number", column + 1, shown()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number, submission, nodes, run time and estimate.
    type Seen = (u64, i64, u32, i64, i64);

    fn read(text: &str) -> (Vec<Seen>, Report) {
        let mut reader = GwfJobs::new(text.as_bytes());
        let jobs = reader.by_ref().map(|job| {
            let millis = (job.run.as_millis(), job.estimate.as_millis());
            (job.number, job.submit.as_millis(), job.nodes, millis.0, millis.1)
        });
        (jobs.collect(), reader.report().clone())
    }

    #[test]
    fn the_archives_columns_are_read() {
        let rest = "-1 U7".to_owned() + &" -1".repeat(17);
        let text = format!(
            "# JobID\n3 10 0 60.5 2 -1 -1 4 100 -1 {rest}\n4 5 0 -1 2 -1 -1 4 100 -1 {rest}\n1 2 3\n"
        );
        let (jobs, report) = read(&text);
        assert_eq!(jobs, [(3, 10_000, 4, 60_500, 100_000)]);
        assert_eq!((report.left_out.run_unknown, report.bad, report.bad_lines[0].line), (1, 1, 4));
    }

    #[test]
    fn the_dialect_says_where_its_columns_are() {
        let text = "WorkflowID, JobID  , SubmitTime, RunTime, NProcs, ReqNProcs , Dependencies\n\
                    0 , 1 , 16 , 11 , 1 , 1 ,   \n0, 2, 40, 0, 1, 1, 1\n0, 3, 4, 11, 2, -1, 1 2\n0, x, 4, 11, 2, -1, 1 2\n";
        let (jobs, report) = read(text);
        assert_eq!(jobs, [(1, 16_000, 1, 11_000, 11_000), (3, 4_000, 2, 11_000, 11_000)]);
        assert_eq!((report.left_out.run_short, report.noted.submit_inverted, report.bad), (1, 1, 1));
    }
}
