//! Every method of every paper on the same markets, and the joint optimum beside them.
//!
//! **Problem.** Each of the five papers compares its methods with one yardstick of its own, on markets of its own. Which of
//! them is cheap, which is quick, whom do users like, and how far is each from the best that there is?
//!
//! **Method.** A cycle is a small market: sites whose nodes are free all the time, at one speed and one price a site, and jobs
//! that run whole on one site, within a budget and by a deadline. It can be read as slots, as capacity and as domains of
//! nodes, so that every method has its say: ALP, AMP and criterion windows with each of the four choices; the same
//! alternatives chosen by satisfaction; greedy, MMC, HGA, LPGA and the exact assignment over the broker's periods; two
//! tiers with the critical jobs method. What a method decides is measured alike: jobs served, their cost and finish, and the
//! satisfaction of their users, whose weights of cost and finish are drawn.
//!
//! The *joint optimum* is over all assignments and all starts at once (`optimum`), for each measure by itself, where it can be
//! proven within a bound on work. A law of every cycle: no method whose jobs run whole beats it.
//!
//! Two tiers may start the tasks of a job apart from each other, which others may not; it is not held to that law.

mod capacity;
mod cycle;
mod domains;
mod figures;
mod market;
mod optimum;
mod pictures;
mod windows;

use super::{Experiment, ExperimentError, Findings, Options, Reproduction, cycles, fits};
use crate::config::{self, Check, ConfigError};
use crate::generate::{RealRange, WholeRange};
use serde::{Deserialize, Serialize};

/// The name of the experiment.
pub const NAME: &str = "every-method";
/// What it does.
pub const SUMMARY: &str =
    "The same markets by every method of every paper and by the joint optimum: cost, finish, satisfaction";

/// Every parameter; none of them is any paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How many sites there are.
    pub sites: u32,
    /// Nodes of a site; without the upper end.
    pub nodes: WholeRange,
    /// Performances of sites.
    pub performance: RealRange,
    /// A site of performance P costs `price_base`^P credits per second …
    pub price_base: f64,
    /// … times a number from this range.
    pub price_spread: RealRange,
    /// How many jobs there are.
    pub jobs: u32,
    /// Tasks of a job; without the upper end.
    pub tasks: WholeRange,
    /// Seconds that each task takes on a node of performance 1.
    pub work: RealRange,
    /// A budget is what the job costs at performance 1 and `price_base`, times a number from this range.
    pub budget: RealRange,
    /// Seconds from the start to the deadline.
    pub deadline: RealRange,
    /// Seconds between the rounds of methods that assign capacity.
    pub interval: u32,
    /// Alternatives of a job, at most.
    pub alternatives_per_job: u32,
    /// Steps that the search for a joint optimum may take.
    pub steps_max: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            sites: 3,
            nodes: WholeRange(2, 5),
            performance: RealRange(1.0, 3.0),
            price_base: 1.7,
            price_spread: RealRange(0.75, 1.25),
            jobs: 6,
            tasks: WholeRange(1, 4),
            work: RealRange(50.0, 150.0),
            budget: RealRange(0.9, 1.6),
            deadline: RealRange(150.0, 400.0),
            interval: 10,
            alternatives_per_job: 10,
            steps_max: 3_000_000,
        }
    }
}

impl config::Config for Config {
    fn check(&self) -> Result<(), ConfigError> {
        Check::of("sites").whole(self.sites, 1, 50)?;
        self.nodes.check(Check::of("nodes"), 1, 1_000)?;
        self.performance.check(Check::of("performance"), 0.01, 10.0)?;
        Check::of("price_base").real(self.price_base, 0.01, 10.0)?;
        self.price_spread.check(Check::of("price_spread"), 0.01, 100.0)?;
        Check::of("jobs").whole(self.jobs, 1, 200)?;
        self.tasks.check(Check::of("tasks"), 1, 1_000)?;
        self.work.check(Check::of("work"), 0.1, 1e6)?;
        self.budget.check(Check::of("budget"), 0.01, 1_000.0)?;
        self.deadline.check(Check::of("deadline"), 1.0, 1e6)?;
        Check::of("interval").whole(self.interval, 1, 100_000)?;
        Check::of("alternatives_per_job").whole(self.alternatives_per_job, 1, 1_000)?;
        if self.steps_max > 1_000_000_000 {
            return Check::of("steps_max").fail("at most 1000000000 steps".to_owned());
        }
        Ok(())
    }
}

/// Runs the experiment.
pub fn run(config: &Config, options: &Options<'_>) -> Result<Reproduction, ExperimentError> {
    config::Config::check(config)?;
    let solver = options.solver.ok_or(ExperimentError::NoSolver)?;
    let records = cycles::run_singly(options, |number| cycle::run(config, options.seed, number, solver))?;
    let findings = Findings {
        figures: figures::figures(&records),
        fitted: fits([[
            "sites, nodes, prices, jobs, budgets, deadlines, weights",
            "nothing: no paper has such an experiment; sizes are small enough for the joint optimum to be proven",
        ]]),
        series: Vec::new(),
        notes: figures::NOTES.map(str::to_owned).into(),
    };
    let mut results = Experiment::EveryMethod.results(config, options, findings);
    results.tables.push(figures::table(&records));
    let pictures = pictures::pictures(&results);
    Ok(Reproduction { results, pictures })
}
