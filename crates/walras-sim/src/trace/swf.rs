//! The Standard Workload Format: one job a line, 18 columns, `-1` for unknown, `;` before the header.
//!
//! Real traces hold surprises, and each has its place here. Lines that cannot be read (too few columns, text where
//! a number belongs) or that no cluster can have written (a run time of -5) are reported with their numbers and
//! counted ([`BadLine`]). What is odd but possible is kept and counted ([`Noted`]): run times of nothing, jobs
//! cancelled before they started, allocations other than the request, run times beyond the estimate, submissions
//! out of order, missing estimates, more than 18 columns.
//!
//! ```
//! use walras_sim::trace::read_swf;
//! let text = "; Computer: a cluster\n1 0 10 60 4 -1 -1 4 3600 -1 1 7 2 -1 -1 -1 -1 -1\n2 0 0 x\n";
//! let trace = read_swf(text.as_bytes());
//! assert_eq!(trace.jobs.len(), 1);
//! assert_eq!(trace.bad_lines[0].to_string(), "line 3: 4 columns where 18 are needed");
//! assert_eq!(trace.header("Computer"), Some("a cluster"));
//! ```

use super::number::decimal;
use walras_core::predict::JobFeatures;
use walras_model::{Span, Time};

/// How many columns a line must have.
const COLUMNS: usize = 18;
/// Users wait and jobs run for at most this many seconds: about 32 years.
const SECONDS_MAX: i64 = 1_000_000_000;

/// What a trace holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The jobs in the order of the file.
    pub jobs: Vec<TraceJob>,
    /// The lines that hold no job that could have been.
    pub bad_lines: Vec<BadLine>,
    /// What is odd but possible.
    pub noted: Noted,
    header: Vec<(String, String)>,
}

/// One job of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceJob {
    /// Its line, from 1.
    pub line: u32,
    /// Its number in the trace.
    pub number: i64,
    /// When it was submitted.
    pub submit: Time,
    /// From submission to start.
    pub wait: Option<Span>,
    /// From start to end.
    pub run: Option<Span>,
    /// Processors that it got.
    pub allocated: Option<u32>,
    /// What is known before it runs; the size is what it asked for, else what it got.
    pub features: JobFeatures,
    /// Whether it was cancelled before it started.
    pub never_started: bool,
}

/// A line that was not used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BadLine {
    /// Its number, from 1.
    pub line: u32,
    /// What is wrong and what would be right.
    pub problem: String,
}

/// How many jobs are odd in some way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// The run time is not known.
    pub run_unknown: u32,
    /// The run time is nothing.
    pub run_zero: u32,
    /// Cancelled before they started.
    pub never_started: u32,
    /// There is no estimate.
    pub estimate_missing: u32,
    /// They ran longer than estimated.
    pub run_past_estimate: u32,
    /// They got another number of processors than they asked for.
    pub allocated_otherwise: u32,
    /// Submitted before the job of the line above.
    pub submit_inverted: u32,
    /// The line has more than 18 columns; the rest is not read.
    pub columns_more: u32,
}

impl Trace {
    /// What the header says under a name such as `Computer` or `Acknowledge`.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.header.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The same trace as a cluster would have written it that ends jobs at their estimates, as the service does: of those that ran longer
    /// it is only known that they needed more.
    pub fn ended_at_estimates(mut self) -> Trace {
        for job in &mut self.jobs {
            let past =
                job.features.estimate.and_then(|it| Span::from_millis(it.as_millis().saturating_add(1)));
            job.run = job.run.map(|run| past.map_or(run, |past| run.min(past)));
        }
        self
    }
}

impl Noted {
    /// Counts what is odd in a job that follows one submitted then.
    pub(crate) fn note(&mut self, previous: Time, job: &TraceJob, columns: usize) {
        let features = &job.features;
        let past = features.estimate.zip(job.run).is_some_and(|(estimate, run)| run > estimate);
        let otherwise = features.size.zip(job.allocated).is_some_and(|(asked, got)| asked != got);
        let noted = self;
        noted.run_unknown += u32::from(job.run.is_none());
        noted.run_zero += u32::from(job.run == Some(Span::ZERO));
        noted.never_started += u32::from(job.never_started);
        noted.estimate_missing += u32::from(features.estimate.is_none());
        noted.run_past_estimate += u32::from(past);
        noted.allocated_otherwise += u32::from(otherwise);
        noted.submit_inverted += u32::from(job.submit < previous);
        noted.columns_more += u32::from(columns > COLUMNS);
    }
}

/// What a line of a trace holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Nothing, or a comment that is no entry of the header.
    Nothing,
    /// An entry of the header, by its name.
    Header(String, String),
    /// A job, and how many columns it has.
    Job(TraceJob, usize),
}

/// Reads a trace; what cannot be read is in [`Trace::bad_lines`].
pub fn read_swf(bytes: &[u8]) -> Trace {
    let mut trace = Trace::default();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        match read_line(number, line) {
            Ok(Line::Nothing) => {}
            Ok(Line::Header(name, value)) => trace.header.push((name, value)),
            Ok(Line::Job(job, columns)) => {
                let previous = trace.jobs.last().map_or(Time::MIN, |previous| previous.submit);
                trace.noted.note(previous, &job, columns);
                trace.jobs.push(job);
            }
            Err(bad) => trace.bad_lines.push(bad),
        }
    }
    trace
}

/// Reads one line by itself.
pub(crate) fn read_line(number: u32, line: &[u8]) -> Result<Line, BadLine> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    if let Some(comment) = text.strip_prefix(';') {
        return Ok(entry(comment).map_or(Line::Nothing, |(name, value)| Line::Header(name, value)));
    }
    if text.is_empty() {
        return Ok(Line::Nothing);
    }
    let columns: Vec<&str> = text.split_ascii_whitespace().collect();
    let job = job(number, &columns).map_err(|problem| BadLine { line: number, problem })?;
    Ok(Line::Job(job, columns.len()))
}

/// `Computer: IBM SP2`
fn entry(comment: &str) -> Option<(String, String)> {
    let (name, value) = comment.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let one_word = !name.is_empty() && name.chars().all(char::is_alphanumeric);
    one_word.then(|| (name.to_owned(), value.to_owned()))
}

fn job(line: u32, columns: &[&str]) -> Result<TraceJob, String> {
    if columns.len() < COLUMNS {
        return Err(format!("{} columns where {COLUMNS} are needed", columns.len()));
    }
    let row = Row(columns);
    row.all_numbers()?;
    let (wait, run) = (row.seconds(3, "wait time")?, row.seconds(4, "run time")?);
    let allocated = row.processors(5, "number of allocated processors")?;
    let requested = row.processors(8, "number of requested processors")?;
    // Zero is how some logs write that there is no estimate.
    let estimate = row.seconds(9, "requested time")?.filter(|estimate| *estimate > Span::ZERO);
    let cancelled = row.known(11).is_some_and(|status| status == CANCELLED);
    let submit = row.submit()?;
    Ok(TraceJob {
        line,
        number: decimal(columns[0], 0).unwrap_or(-1),
        submit,
        wait,
        run,
        allocated,
        features: JobFeatures {
            user: row.known(12),
            group: row.known(13),
            executable: row.known(14),
            size: requested.or(allocated),
            queue: row.known(15),
            partition: row.known(16),
            estimate,
            estimate_class: None,
            memory: row.known(10),
        },
        never_started: cancelled && run.is_none_or(|run| run == Span::ZERO),
    })
}

/// The status of a job that was cancelled.
const CANCELLED: i64 = 5;

/// The columns of a line; they count from 1, as in the format's description.
struct Row<'a>(&'a [&'a str]);

impl Row<'_> {
    fn all_numbers(&self) -> Result<(), String> {
        for (index, text) in self.0[..COLUMNS].iter().enumerate() {
            if decimal(text, 0).is_none() {
                let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
                return Err(format!("column {}: '{shown}' is not a plain number", index + 1));
            }
        }
        Ok(())
    }

    /// A number that is not negative, as -1 stands for unknown.
    fn known(&self, column: usize) -> Option<i64> {
        decimal(self.0[column - 1], 0).filter(|value| *value >= 0)
    }

    fn seconds(&self, column: usize, what: &str) -> Result<Option<Span>, String> {
        let text = self.0[column - 1];
        match decimal(text, 3) {
            Some(-1_000) => Ok(None),
            Some(millis) if (0..=SECONDS_MAX * 1_000).contains(&millis) => Ok(Span::from_millis(millis)),
            _ => Err(format!(
                "column {column}: a {what} of {text} s is impossible: it must lie within 0 and {SECONDS_MAX}, or be \
                 -1 for unknown"
            )),
        }
    }

    fn processors(&self, column: usize, what: &str) -> Result<Option<u32>, String> {
        let text = self.0[column - 1];
        match decimal(text, 0) {
            // Jobs that never started got none.
            Some(-1 | 0) => Ok(None),
            Some(count) if count > 0 && u32::try_from(count).is_ok() => Ok(u32::try_from(count).ok()),
            _ => {
                Err(format!("column {column}: a {what} of {text} is impossible: it must be positive, or -1"))
            }
        }
    }

    fn submit(&self) -> Result<Time, String> {
        let millis = decimal(self.0[1], 3).filter(|millis| *millis >= 0);
        millis.and_then(Time::from_millis).ok_or_else(|| {
            format!("column 2: a submission at {} s is impossible: it must not be negative", self.0[1])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A good line with some columns replaced.
    fn line(changes: &[(usize, &str)]) -> String {
        let mut columns = [
            "1", "100", "10", "60", "4", "-1", "-1", "4", "3600", "-1", "1", "7", "2", "3", "1", "-1", "-1",
            "-1",
        ];
        for (column, text) in changes {
            columns[column - 1] = text;
        }
        columns.join(" ")
    }

    fn problem(line: &str) -> String {
        let trace = read_swf(line.as_bytes());
        assert!(trace.jobs.is_empty(), "{line}");
        trace.bad_lines[0].to_string()
    }

    #[test]
    fn a_line_is_a_job() {
        let trace = read_swf(line(&[]).as_bytes());
        let job = trace.jobs[0];
        assert_eq!(job.submit, Time::from_millis(100_000).unwrap());
        assert_eq!((job.wait, job.run), (Span::from_millis(10_000), Span::from_millis(60_000)));
        let expected = JobFeatures {
            user: Some(7),
            group: Some(2),
            executable: Some(3),
            size: Some(4),
            queue: Some(1),
            partition: None,
            estimate: Span::from_millis(3_600_000),
            estimate_class: None,
            memory: None,
        };
        assert_eq!(job.features, expected);
        assert_eq!(trace.noted, Noted::default());
    }

    #[test]
    fn what_is_odd_is_kept_and_counted() {
        let text = [
            line(&[(4, "0")]),
            line(&[(4, "-1"), (11, "5")]),
            line(&[(2, "50"), (8, "-1"), (9, "-1")]),
            line(&[(4, "9999"), (5, "8")]) + " {1,2} q_1d 1:ppn=4",
        ];
        let trace = read_swf(text.join("\r\n").as_bytes());
        assert!(trace.bad_lines.is_empty());
        assert!(trace.jobs[1].never_started);
        assert_eq!(trace.jobs[2].features.size, Some(4));
        let expected = Noted {
            run_unknown: 1,
            run_zero: 1,
            never_started: 1,
            estimate_missing: 1,
            run_past_estimate: 1,
            allocated_otherwise: 1,
            submit_inverted: 1,
            columns_more: 1,
        };
        assert_eq!(trace.noted, expected);
    }

    #[test]
    fn what_cannot_be_is_reported_with_its_line() {
        let lines = [
            line(&[(4, "-5")]),
            line(&[(4, "1e9")]),
            line(&[(3, "-2")]),
            line(&[(2, "-1")]),
            line(&[(5, "-3")]),
            line(&[(12, "alice")]),
            line(&[(4, "99999999999999999999")]),
            "1 2 3".to_owned(),
        ];
        let problems: Vec<String> = lines.iter().map(|line| problem(line)).collect();
        insta::assert_snapshot!(problems.join("\n"), @r"
        line 1: column 4: a run time of -5 s is impossible: it must lie within 0 and 1000000000, or be -1 for unknown
        line 1: column 4: '1e9' is not a plain number
        line 1: column 3: a wait time of -2 s is impossible: it must lie within 0 and 1000000000, or be -1 for unknown
        line 1: column 2: a submission at -1 s is impossible: it must not be negative
        line 1: column 5: a number of allocated processors of -3 is impossible: it must be positive, or -1
        line 1: column 12: 'alice' is not a plain number
        line 1: column 4: '99999999999999999999' is not a plain number
        line 1: 3 columns where 18 are needed
        ");
    }

    #[test]
    fn bytes_that_are_no_text_are_no_reason_to_stop() {
        let mut bytes = b"; Note: \xff\xfe\n\xff 1\n".to_vec();
        bytes.extend(line(&[]).bytes());
        let trace = read_swf(&bytes);
        assert_eq!((trace.jobs.len(), trace.bad_lines.len()), (1, 1));
        assert_eq!(trace.bad_lines[0].line, 2);
    }
}
