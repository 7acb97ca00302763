//! Policies compared on the same workload: which ones, what they are measured by, and how runs are spread over threads.
//!
//! **Problem.** A policy is good or bad only beside another, on the same jobs, sites and chances; and one seed is no evidence.
//!
//! **Method.** A [`Study`] is a workload, sites, policies ([`PolicySpec`]) and seeds. Every pair of policy and seed is a [`Run`] of
//! its own: a baseline of [`crate::baseline`], or the broker of [`crate::drive`]. A seed draws the terms of jobs that have none,
//! failures and owners' load, so runs of one seed differ by policy alone. Runs are independent, so they are done side by
//! side, and their results stand in the order of policies and seeds whatever finished first.
//!
//! ```
//! use walras_sim::record::Site;
//! use walras_sim::study::{Study, compare};
//! use walras_sim::workload::{Model, Synthetic};
//! let jobs = Synthetic::new(Model { nodes: 16, ..Model::default() }, 1).take(200).collect();
//! let policies = ["fcfs", "easy"].map(|text| text.parse().unwrap()).to_vec();
//! let study = Study::new(jobs, vec![Site::plain("campus", 16)], policies);
//! let runs = compare(&study, 2, &|_, _| {}).unwrap();
//! assert!(runs[1].metrics.wait.mean <= runs[0].metrics.wait.mean);
//! ```

mod gantt;
mod metrics;
mod page;
mod pictures;
mod promising;
mod sites;
mod spec;
mod sweep;
mod write;

pub use metrics::{BrokerMetrics, Metrics, Spread, metrics};
pub use page::page;
pub use sites::sites_of;
pub use spec::{BadPolicy, PolicySpec};
pub use sweep::{Point, Sweep};
pub use write::{RESULTS_TAG, jobs_csv, over_seeds, results_json, runs_csv, schedule_swf};

use crate::baseline;
use crate::drive::{self, DriveError, Failures, OwnerLoad, Setup};
use crate::parallel::in_order;
use crate::record::{Record, Site};
use crate::workload::{Job, Terms};
use walras_model::Span;

/// What is compared.
#[derive(Clone, Debug)]
pub struct Study {
    /// The jobs, in order of submission.
    pub jobs: Vec<Job>,
    /// The sites.
    pub sites: Vec<Site>,
    /// The policies.
    pub policies: Vec<PolicySpec>,
    /// What is drawn is drawn from each of these.
    pub seeds: Vec<u64>,
    /// Budgets and deadlines for jobs that have none.
    pub terms: Option<Terms>,
    /// How nodes fail; only the broker knows failures.
    pub failures: Option<Failures>,
    /// What owners use; only the broker knows it.
    pub owners: Option<OwnerLoad>,
    /// How long messages to and from sites take; only the broker sends some.
    pub latency: Span,
    /// After how long users of the broker give up.
    pub patience: Option<Span>,
    /// Whether the auditor reads along.
    pub audit: bool,
}

impl Study {
    /// These policies on these jobs, with one seed and nothing that fails.
    pub fn new(jobs: Vec<Job>, sites: Vec<Site>, policies: Vec<PolicySpec>) -> Study {
        let (terms, failures, owners, patience) = (None, None, None, None);
        let (latency, audit) = (Span::ZERO, false);
        Study { jobs, sites, policies, seeds: vec![1], terms, failures, owners, latency, patience, audit }
    }

    /// All pairs of policy and seed, by policy.
    pub fn pairs(&self) -> Vec<(usize, u64)> {
        let policies = 0..self.policies.len();
        policies.flat_map(|policy| self.seeds.iter().map(move |seed| (policy, *seed))).collect()
    }
}

/// What one policy made of one seed.
#[derive(Clone, Debug)]
pub struct Run {
    /// The policy, by its words.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// What it is measured by.
    pub metrics: Metrics,
    /// What became of every job, in order of submission.
    pub records: Vec<Record>,
}

/// Runs every pair of a study; `progress` hears of every job that is over. Fails with the first run that fails.
pub fn compare(
    study: &Study,
    threads: usize,
    progress: &(dyn Fn(u64, Progress<'_>) + Sync),
) -> Result<Vec<Run>, DriveError> {
    let pairs = study.pairs();
    let count = u32::try_from(pairs.len()).unwrap_or(u32::MAX);
    let one = |number: u32| {
        let (policy, seed) = pairs[number as usize];
        run(study, policy, seed, progress)
    };
    in_order(count, threads.min(pairs.len()), 1, &|_| {}, one).into_iter().collect()
}

/// Where a run is: its policy, its seed and the last submission that was settled.
pub type Progress<'a> = (&'a PolicySpec, u64, walras_model::Time);

/// One policy on one seed.
pub fn run(
    study: &Study,
    policy: usize,
    seed: u64,
    progress: &(dyn Fn(u64, Progress<'_>) + Sync),
) -> Result<Run, DriveError> {
    let spec = &study.policies[policy];
    let market: Vec<_> = study.sites.iter().map(|site| (site.speed, site.price)).collect();
    let terms = |job: &Job| study.terms.map_or(*job, |terms| terms.of(*job, seed, &market));
    let jobs = study.jobs.iter().map(terms);
    let mut records = Vec::with_capacity(study.jobs.len());
    let mut sink = |record: Record| {
        progress(1, (spec, seed, record.job.submit));
        records.push(record);
    };
    let course = match spec.policy() {
        spec::Policy::Baseline(discipline, placement) => {
            baseline::simulate(&study.sites, *discipline, *placement, jobs, &mut sink);
            None
        }
        spec::Policy::Market(rules) => {
            baseline::simulate_market(&study.sites, *rules, jobs, &mut sink);
            None
        }
        spec::Policy::Broker(policy) => {
            let setup = Setup {
                policy: (**policy).clone(),
                latency: study.latency,
                owners: study.owners,
                failures: study.failures,
                patience: study.patience,
                seed,
                audit: study.audit,
                ..Setup::new(study.sites.clone())
            };
            Some(drive::drive(&setup, jobs, &mut sink)?)
        }
    };
    records.sort_by_key(|record| (record.job.submit, record.job.number));
    let metrics = metrics(&records, &study.sites, course.as_ref());
    Ok(Run { policy: spec.to_string(), seed, metrics, records })
}
