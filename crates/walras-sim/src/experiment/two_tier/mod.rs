//! Application-level scheduling by the critical jobs method: table 3 and figures 3 and 4 of the two-tier paper of
//! Toporkov et al.
//!
//! **Problem.** What does it bring to send the next job before the last one's time is over (two tiers, k = 0.75) instead
//! of after it? How does the chance that a job can be placed depend on the length of its interval (figure 3), and on the
//! number of nodes (figure 4)?
//!
//! **Method.** Jobs are random layered graphs. A job's interval is h times its longest critical path on the fastest
//! node. *Table 3*: 1,000 jobs on nodes with owners' tasks, each in an interval that the job-flow tier gives it; the next one
//! is sent after all, or after k, of the interval of the one before, and finds the tasks of earlier jobs in its way. Planning
//! and execution are both simulated (`flow`): the authors name "the simulation of connected job-flow and application levels"
//! as future work. Times, loads, collisions and jobs sent back are outcomes. *Figure 3*: one job on fresh nodes for every h.
//! *Figure 4*: one job of N tiers on J = j · N nodes.
//!
//! A cycle is the whole of the paper's experiment; ten cycles are ten independent runs, and figures are their means with
//! confidence intervals. Everything that the paper does not print is a parameter and marked *fitted*.

mod cycle;
mod draw;
mod figures;
mod flow;
mod notes;
mod pictures;

use super::{Experiment, ExperimentError, Findings, Options, Reproduction, cycles};
use crate::config::{self, Check, ConfigError};
use crate::generate::{RealRange, WholeRange};
use serde::{Deserialize, Serialize};

/// The name by which the experiment is called.
pub const NAME: &str = "two-tier";
/// What it does, in a line.
pub const SUMMARY: &str =
    "Critical jobs, one after the other and in two tiers; success against time and nodes";

/// How jobs and nodes are drawn. All of it is *fitted*: the paper prints none of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Environment {
    /// Tasks of a tier.
    pub tasks_per_tier: WholeRange,
    /// Work of a task in time units on a node of performance 1.
    pub work: WholeRange,
    /// Tasks of the tier before that a task waits for.
    pub parents: WholeRange,
    /// Time units that data takes between nodes.
    pub transfer: WholeRange,
    /// Performances of nodes.
    pub performance: RealRange,
    /// Time units between owners' tasks on a node.
    pub owners_gap: WholeRange,
    /// Time units that owners' tasks take.
    pub owners_length: WholeRange,
}

impl Default for Environment {
    fn default() -> Self {
        Environment {
            tasks_per_tier: WholeRange(2, 5),
            work: WholeRange(100, 300),
            parents: WholeRange(1, 3),
            transfer: WholeRange(2, 20),
            performance: RealRange(1.0, 3.0),
            owners_gap: WholeRange(100, 500),
            owners_length: WholeRange(10, 60),
        }
    }
}

impl Environment {
    fn check(&self, check: Check<'_>) -> Result<(), ConfigError> {
        self.tasks_per_tier.check(check.field("tasks_per_tier"), 1, 50)?;
        self.work.check(check.field("work"), 1, 1_000_000)?;
        self.parents.check(check.field("parents"), 1, 50)?;
        self.transfer.check(check.field("transfer"), 0, 1_000_000)?;
        self.performance.check(check.field("performance"), 0.001, 1_000.0)?;
        self.owners_gap.check(check.field("owners_gap"), 1, 1_000_000)?;
        self.owners_length.check(check.field("owners_length"), 1, 1_000_000)
    }
}

/// Every parameter of the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Jobs and nodes of table 3: owners' tasks are rare, and jobs narrow.
    pub table_3: Environment,
    /// Jobs and nodes of figures 3 and 4: owners' tasks are frequent, and jobs wide, so that time and nodes are scarce.
    pub figures: Environment,
    /// Tiers of a job's graph in table 3 and figure 3 (*fitted*).
    pub tiers: WholeRange,
    /// Credits per time unit and performance (*fitted*).
    pub price: f64,
    /// Jobs of a cycle in table 3.
    pub jobs_per_cycle: u32,
    /// Nodes in table 3 (*fitted*).
    pub nodes: u32,
    /// The interval factor h in table 3 (*fitted*).
    pub interval_factor: f64,
    /// k: the share of its predecessor's interval after which a job is sent.
    pub k: f64,
    /// Run times in fact, as shares of the estimates.
    pub facts: RealRange,
    /// The share of jobs that are run as late as possible instead of as soon as possible.
    pub late_share: f64,
    /// A job that finds no place is given an interval that starts this share of its length later.
    pub again_after: f64,
    /// Experiments of a cycle for every point of the figures.
    pub experiments_per_cycle: u32,
    /// Nodes in figure 3 (*fitted*).
    pub nodes_figure_3: u32,
    /// The interval factor h in figure 4 (*fitted*).
    pub interval_factor_figure_4: f64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            table_3: Environment {
                tasks_per_tier: WholeRange(1, 4),
                work: WholeRange(130, 392),
                parents: WholeRange(1, 2),
                performance: RealRange(2.0, 3.0),
                owners_gap: WholeRange(2_000, 6_000),
                owners_length: WholeRange(20, 80),
                ..Environment::default()
            },
            figures: Environment::default(),
            tiers: WholeRange(3, 6),
            price: 0.0069,
            jobs_per_cycle: 1_000,
            nodes: 8,
            interval_factor: 1.4,
            k: 0.75,
            facts: RealRange(0.9, 1.1),
            late_share: 0.5,
            again_after: 0.25,
            experiments_per_cycle: 200,
            nodes_figure_3: 10,
            interval_factor_figure_4: 1.6,
        }
    }
}

/// h of figure 3, in tenths.
const FACTORS: [u32; 9] = [10, 12, 14, 16, 18, 20, 22, 24, 26];
/// N of figure 4.
const TIERS: [u32; 3] = [3, 5, 7];
/// j of figure 4.
const MULTIPLES: [u32; 6] = [1, 2, 3, 4, 5, 6];

impl config::Config for Config {
    fn check(&self) -> Result<(), ConfigError> {
        self.table_3.check(Check::of("table_3"))?;
        self.figures.check(Check::of("figures"))?;
        self.tiers.check(Check::of("tiers"), 1, 50)?;
        Check::of("price").real(self.price, 0.000_001, 1_000.0)?;
        Check::of("jobs_per_cycle").whole(self.jobs_per_cycle, 1, 10_000)?;
        Check::of("nodes").whole(self.nodes, 1, 1_000)?;
        Check::of("interval_factor").real(self.interval_factor, 1.0, 100.0)?;
        Check::of("k").real(self.k, 0.01, 1.0)?;
        self.facts.check(Check::of("facts"), 0.01, 10.0)?;
        Check::of("late_share").real(self.late_share, 0.0, 1.0)?;
        Check::of("again_after").real(self.again_after, 0.01, 10.0)?;
        Check::of("experiments_per_cycle").whole(self.experiments_per_cycle, 1, 10_000)?;
        Check::of("nodes_figure_3").whole(self.nodes_figure_3, 1, 1_000)?;
        Check::of("interval_factor_figure_4").real(self.interval_factor_figure_4, 1.0, 100.0)
    }
}

/// Runs the experiment.
pub fn run(config: &Config, options: &Options<'_>) -> Result<Reproduction, ExperimentError> {
    config::Config::check(config)?;
    let records = cycles::run_singly(options, |number| cycle::run(config, options.seed, number))?;
    let findings = Findings {
        figures: figures::figures(&records),
        fitted: notes::fitted(),
        series: figures::series(&figures::sum(&records)),
        notes: notes::NOTES.map(str::to_owned).into(),
    };
    let results = Experiment::TwoTier.results(config, options, findings);
    let pictures = pictures::pictures(&results);
    Ok(Reproduction { results, pictures })
}
