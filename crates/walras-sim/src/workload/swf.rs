//! Jobs of a trace in the Standard Workload Format, read line by line.
//!
//! The reader of lines is that of [`crate::trace::swf`], so that what is said of a trace is the same everywhere. A job is
//! simulated when it is known how long it ran, that was at least a second, and how many processors it asked for or else
//! got. One without an estimate is taken to have a perfect one; one that ran for longer than its estimate is killed there.

use super::{Job, LeftOut, Report};
use crate::lines::Lines;
use crate::trace::TraceJob;
use crate::trace::swf::{Line, read_line};
use std::io::{self, BufRead};
use walras_model::{Span, Time};

/// Jobs that ran for less, in milliseconds, are left out.
pub(super) const RUN_MIN: i64 = 1_000;

/// The jobs of a trace in the order of the file.
pub struct SwfJobs<R> {
    lines: Lines<R>,
    report: Report,
    previous: Time,
}

impl<R: BufRead> SwfJobs<R> {
    /// The jobs of a trace that is not packed; see [`super::plain`].
    pub fn new(reader: R) -> SwfJobs<R> {
        SwfJobs { lines: Lines::new(reader), report: Report::default(), previous: Time::MIN }
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

impl<R: BufRead> Iterator for SwfJobs<R> {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        while let Some((number, line)) = self.lines.next() {
            let (job, columns) = match read_line(number, line) {
                Ok(Line::Job(job, columns)) => (job, columns),
                Ok(Line::Nothing) => continue,
                Ok(Line::Header(name, value)) => {
                    self.report.header.push((name, value));
                    continue;
                }
                Err(bad) => {
                    self.report.note_bad(bad);
                    continue;
                }
            };
            self.report.noted.note(self.previous, &job, columns);
            self.previous = job.submit;
            if let Some(job) = simulated(&job, &mut self.report.left_out) {
                self.report.jobs += 1;
                return Some(job);
            }
        }
        None
    }
}

/// A trace's job as one that can be simulated, or its reason is counted.
fn simulated(job: &TraceJob, left_out: &mut LeftOut) -> Option<Job> {
    if job.never_started {
        left_out.never_started += 1;
        return None;
    }
    let Some(run) = job.run else {
        left_out.run_unknown += 1;
        return None;
    };
    if run.as_millis() < RUN_MIN {
        left_out.run_short += 1;
        return None;
    }
    let Some(nodes) = job.features.size else {
        left_out.size_unknown += 1;
        return None;
    };
    let estimate = job.features.estimate.filter(|estimate| *estimate > Span::ZERO).unwrap_or(run);
    let number = u64::try_from(job.number).unwrap_or_else(|_| u64::from(job.line));
    let user = job.features.user;
    Some(Job { number, submit: job.submit, nodes, run, estimate, user, budget: None, deadline: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(submit: i64, run: &str, got: i64, asked: i64, estimate: i64, status: i64) -> String {
        format!("1 {submit} -1 {run} {got} -1 -1 {asked} {estimate} -1 {status} 7 1 -1 -1 -1 -1 -1\n")
    }

    #[test]
    fn what_can_be_simulated_is_and_the_rest_is_counted() {
        let text = [
            "; MaxProcs: 100\n".to_owned(),
            line(5, "60", 8, 4, 100, 1),
            line(5, "60", 8, -1, -1, 1),
            line(5, "0", 8, 4, 100, 1),
            line(5, "0.5", 8, 4, 100, 1),
            line(5, "-1", 8, 4, 100, 0),
            line(5, "-1", 8, 4, 100, 5),
            line(5, "60", -1, -1, 100, 1),
            line(5, "600", 4, 4, 100, 1),
            "nonsense\n".to_owned(),
        ];
        let text = text.concat();
        let mut reader = SwfJobs::new(text.as_bytes());
        let jobs: Vec<(u32, i64, i64, i64)> = reader
            .by_ref()
            .map(|job| (job.nodes, job.run.as_millis(), job.estimate.as_millis(), job.lasts().as_millis()))
            .collect();
        let expected =
            [(4, 60_000, 100_000, 60_000), (8, 60_000, 60_000, 60_000), (4, 600_000, 100_000, 100_000)];
        assert_eq!(jobs, expected);
        let report = reader.report();
        let left_out = LeftOut { never_started: 1, run_unknown: 1, run_short: 2, size_unknown: 1 };
        assert_eq!((report.jobs, report.left_out, report.left_out.all()), (3, left_out, 5));
        assert_eq!((report.bad, report.bad_lines[0].line), (1, 10));
        assert_eq!((report.header("maxprocs"), report.noted.run_past_estimate), (Some("100"), 1));
        assert!(reader.fault().is_none());
    }
}
