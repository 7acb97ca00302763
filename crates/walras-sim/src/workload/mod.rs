//! Workloads: the jobs that a simulation is fed with, whatever they come from.
//!
//! **Problem.** Traces, models and files say the same in different words, and real traces hold what no simulator can run.
//! Policies can only be compared when all of them get the same jobs.
//!
//! **Method.** Everything becomes a [`Job`]: when it comes, how many nodes it wants, how long it would run on a node of
//! performance 1 and how long its user says that it will. Sources are iterators, so that a trace is never in memory as a
//! whole: [`SwfJobs`] and [`GwfJobs`] read line by line ([`plain`] unpacks gzip on the way), [`Synthetic`] draws from a model, [`read_jobs`] reads
//! our own files, and workflows ([`read_flows`], [`read_list`]) become jobs by [`rigid`].
//! [`Jobs`] are gone through once for every run, and [`Merged`] makes one workload of several.
//! [`InOrder`] puts what was written out of order into order, [`Slice`] takes a part and scales its load, and
//! [`Terms`] adds budgets and deadlines by a rule. What was left out is counted, with its line.
//!
//! ```
//! use walras_sim::workload::{InOrder, Slice, SwfJobs};
//! let text = "1 50 -1 60 4 -1 -1 4 3600 -1 1 7 2 -1 -1 -1 -1 -1\n2 0 -1 -1 4 -1 -1 4 60 -1 1 7 2 -1 -1 -1 -1 -1\n";
//! let mut reader = SwfJobs::new(text.as_bytes());
//! let jobs: Vec<_> = Slice::default().of(InOrder::new(reader.by_ref())).collect();
//! assert_eq!((jobs.len(), jobs[0].nodes, jobs[0].estimate.as_millis()), (1, 4, 3_600_000));
//! assert_eq!(reader.report().left_out.run_unknown, 1);
//! ```

mod csv;
mod file;
mod flows;
mod gwf;
mod gwf_flows;
mod order;
mod slice;
mod source;
mod swf;
mod synthetic;
mod terms;

pub use file::read_jobs;
pub use flows::{Arrivals, Listed, Workflows, read_list, rigid};
pub use gwf::GwfJobs;
pub use gwf_flows::{BadFlows, TracedFlow, TracedFlows, read_flows};
pub use order::InOrder;
pub use slice::{Slice, offered_load};
pub use source::{HELD_MAX, JobIterator, Jobs, Merged};
pub use swf::SwfJobs;
pub use synthetic::{Model, Synthetic};
pub use terms::Terms;

pub use crate::lines::plain;

use crate::trace::{BadLine, Noted};
use serde::Serialize;
use walras_model::{Money, Span, Time};

/// A job of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number in its source.
    pub number: u64,
    /// When it is submitted.
    pub submit: Time,
    /// How many nodes it needs at once; at least one.
    pub nodes: u32,
    /// How long it would run on nodes of performance 1; longer than nothing.
    pub run: Span,
    /// How long its user says; it is killed then. Longer than nothing.
    pub estimate: Span,
    /// Whose it is, by a number.
    pub user: Option<i64>,
    /// What it may cost.
    pub budget: Option<Money>,
    /// When it must have ended to be of use.
    pub deadline: Option<Time>,
}

impl Job {
    /// How long it runs on a node of performance 1, as it is killed at its estimate.
    pub fn lasts(&self) -> Span {
        self.run.min(self.estimate)
    }

    /// Node-milliseconds that it takes on nodes of performance 1.
    pub fn area(&self) -> i128 {
        i128::from(self.nodes) * i128::from(self.lasts().as_millis())
    }
}

/// At most so many lines that cannot be read are kept with their text; the others are only counted.
pub const BAD_LINES_MAX: usize = 100;

/// What a source held beside jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many jobs were handed on.
    pub jobs: u64,
    /// How many lines cannot be read.
    pub bad: u64,
    /// The first of them.
    pub bad_lines: Vec<BadLine>,
    /// What is odd but possible.
    pub noted: Noted,
    /// Jobs that cannot be simulated.
    pub left_out: LeftOut,
    /// The header, by names.
    pub header: Vec<(String, String)>,
}

/// How many jobs cannot be simulated, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// They never started, by what the trace says of them.
    pub never_started: u64,
    /// Nobody knows how long they ran.
    pub run_unknown: u64,
    /// They ran for less than a second.
    pub run_short: u64,
    /// Nobody knows how many processors they want.
    pub size_unknown: u64,
}

impl LeftOut {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.never_started + self.run_unknown + self.run_short + self.size_unknown
    }
}

impl Report {
    /// What the header says under a name such as `MaxProcs`.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.header.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    fn note_bad(&mut self, bad: BadLine) {
        self.bad += 1;
        if self.bad_lines.len() < BAD_LINES_MAX {
            self.bad_lines.push(bad);
        }
    }
}
