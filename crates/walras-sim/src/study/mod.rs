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
//! use walras_sim::workload::{Jobs, Model, Synthetic};
//! let jobs = Jobs::streamed(|| Box::new(Synthetic::new(Model { nodes: 16, ..Model::default() }, 1).take(200)));
//! let policies = ["fcfs", "easy"].map(|text| text.parse().unwrap()).to_vec();
//! let study = Study::new(jobs, vec![Site::plain("campus", 16)], policies);
//! let runs = compare(&study, 2, &()).unwrap();
//! assert!(runs[1].metrics.wait.mean <= runs[0].metrics.wait.mean);
//! ```

mod around;
mod content;
mod figures;
mod gantt;
mod metrics;
mod page;
mod pictures;
mod prices;
mod settled;
mod sites;
mod sketch;
mod spec;
mod sweep;
mod swept;
mod write;

pub use around::Around;
pub use content::Outcomes;
pub use figures::{OverSeeds, figures, names, over_seeds, quoted, runs_csv, summary, timing_csv};
pub use metrics::{BrokerMetrics, Metrics, Spread, Tally, metrics};
pub use page::page;
pub use pictures::cost_against_wait;
pub use prices::PriceList;
pub use sites::{BadSites, read_sites, sites_of};
pub use sketch::Sketch;
pub use spec::{BadPolicy, PolicySpec};
pub use sweep::{Point, Setting, Sweep, VARIED};
pub use swept::{Swept, sweep_page};
pub use write::{RESULTS_TAG, Schedule, results_json};

use crate::baseline;
use crate::drive::{self, Course, DriveError, Setup};
use crate::outage::Strikes;
use crate::parallel::in_order;
use crate::record::{Record, Site};
use crate::workload::{Job, Jobs, Workflows};
use settled::Settled;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};
use walras_assign::program::Solver;
use walras_model::{Multiplier, Time};

/// What is compared.
#[derive(Clone, Debug)]
pub struct Study {
    /// The jobs.
    pub jobs: Jobs,
    /// The workflows among them.
    pub workflows: Workflows,
    /// The sites.
    pub sites: Vec<Site>,
    /// The policies.
    pub policies: Vec<PolicySpec>,
    /// What is drawn is drawn from each of these.
    pub seeds: Vec<u64>,
    /// What surrounds the policies.
    pub around: Around,
    /// Where all of this comes from, in words: options and what they say.
    pub input: BTreeMap<String, String>,
    /// What solves programmes, for the policies that need it.
    pub solver: Option<Solving>,
    /// Between which moments timetables of the first seed are drawn, in milliseconds; nothing is kept for pictures, without.
    pub timetable: Option<(i64, i64)>,
}

/// A general solver.
#[derive(Clone, Copy)]
pub struct Solving(pub &'static (dyn Solver + Sync));

impl fmt::Debug for Solving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a solver")
    }
}

impl Study {
    /// These policies on these jobs, with one seed and nothing that fails.
    pub fn new(jobs: Jobs, sites: Vec<Site>, policies: Vec<PolicySpec>) -> Study {
        Study {
            jobs,
            workflows: Workflows::default(),
            sites,
            policies,
            seeds: vec![1],
            around: Around::default(),
            input: BTreeMap::new(),
            solver: None,
            timetable: None,
        }
    }

    /// Two days from the middle submission on, in milliseconds.
    pub fn middle_days(&self) -> (i64, i64) {
        let middle =
            usize::try_from(self.jobs.len() / 2).ok().and_then(|middle| self.jobs.iter().nth(middle));
        let begin = middle.map_or(0, |job| job.submit.as_millis());
        (begin, begin.saturating_add(2 * 86_400_000))
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
    /// What its pictures need, where some are drawn of it.
    pub sketch: Option<Sketch>,
    /// By how much the base price of every site was multiplied from when on; nothing where prices stay.
    pub demand: Vec<(Time, Vec<Multiplier>)>,
    /// How long it took on this machine; not known of one that is read from a file.
    pub took: Option<Duration>,
}

/// Where a run is: its policy, its seed and the last submission that was settled.
pub type Progress<'a> = (&'a PolicySpec, u64, Time);

/// Who hears of runs while they go on.
pub trait Listener: Sync {
    /// A job is over.
    fn over(&self, at: Progress<'_>);

    /// Who takes in the schedule of a policy, by its place, for the first seed.
    fn keeper(&self, policy: usize) -> Option<Box<dyn Keeper + '_>>;
}

/// Takes in a schedule.
pub trait Keeper {
    /// What became of a job; in order of submission.
    fn keep(&mut self, record: &Record);

    /// There is no more; what went wrong, if anything did.
    fn finish(self: Box<Self>) -> Result<(), String>;
}

/// Nobody listens.
impl Listener for () {
    fn over(&self, _: Progress<'_>) {}

    fn keeper(&self, _: usize) -> Option<Box<dyn Keeper + '_>> {
        None
    }
}

/// Runs every pair of a study. Fails with the first run that fails.
pub fn compare(study: &Study, threads: usize, listener: &dyn Listener) -> Result<Vec<Run>, DriveError> {
    compare_pairs(study, &study.pairs(), threads, listener, &|_| {})
}

/// Runs some pairs of a study, in any order, and gives them in theirs; `done` hears of each when it is over.
pub fn compare_pairs(
    study: &Study,
    pairs: &[(usize, u64)],
    threads: usize,
    listener: &dyn Listener,
    done: &(dyn Fn(&Run) + Sync),
) -> Result<Vec<Run>, DriveError> {
    let count = u32::try_from(pairs.len()).unwrap_or(u32::MAX);
    let one = |number: u32| {
        let (policy, seed) = pairs[number as usize];
        run(study, policy, seed, listener).inspect(done)
    };
    in_order(count, threads.min(pairs.len()), 1, &|_| {}, one).into_iter().collect()
}

/// One policy on one seed.
pub fn run(study: &Study, policy: usize, seed: u64, listener: &dyn Listener) -> Result<Run, DriveError> {
    let (spec, begun) = (&study.policies[policy], Instant::now());
    let first = study.seeds.first() == Some(&seed);
    let jobs = study.jobs.for_seed(seed);
    let begin = jobs.first().map_or(0, Time::as_millis);
    let mut sketch = study.timetable.filter(|_| first).map(|timetable| Sketch::new(begin, timetable));
    let mut keeper = if first { listener.keeper(policy) } else { None };
    let settled = keeper.is_some().then(RefCell::<Settled>::default);
    let mut tally = Tally::new(&study.sites, &study.workflows);
    let mut count = 0;
    let mut sink = |record: Record| {
        listener.over((spec, seed, record.job.submit));
        count += 1;
        tally.add(&record);
        sketch.iter_mut().for_each(|sketch| sketch.add(&record));
        if let Some((settled, keeper)) = settled.as_ref().zip(keeper.as_mut()) {
            settled.borrow_mut().over(record, &mut |record| keeper.keep(record));
        }
    };
    let came = |job: &Job| settled.iter().for_each(|settled| settled.borrow_mut().came(job));
    let course = run_policy(study, &jobs, (spec, seed), &came, &mut sink)?;
    if count != jobs.len() {
        return Err(DriveError::Workload { expected: jobs.len(), found: count });
    }
    if let Some((settled, mut keeper)) = settled.zip(keeper) {
        settled.into_inner().finish(&mut |record| keeper.keep(record));
        keeper.finish().map_err(|why| DriveError::Schedule { policy: spec.to_string(), why })?;
    }
    let metrics = tally.finish(course.as_ref());
    let demand = course.map(|course| course.demand).unwrap_or_default();
    Ok(Run { policy: spec.to_string(), seed, metrics, sketch, demand, took: Some(begun.elapsed()) })
}

/// Lets a policy run all jobs; what the broker's course came to.
fn run_policy(
    study: &Study,
    jobs: &Jobs,
    (spec, seed): (&PolicySpec, u64),
    came: &dyn Fn(&Job),
    sink: &mut dyn FnMut(Record),
) -> Result<Option<Course>, DriveError> {
    let around = &study.around;
    let market: Vec<_> = study.sites.iter().map(|site| (site.speed, site.price)).collect();
    let terms = around.terms;
    let longest = jobs.longest();
    let jobs = jobs.iter().map(|job: Job| terms.map_or(job, |terms| terms.of(job, seed, &market)));
    let jobs = jobs.inspect(came);
    match spec.policy() {
        spec::Policy::Baseline(discipline, placement) => {
            run_baseline(study, seed, (*discipline, *placement), jobs, sink);
        }
        spec::Policy::Assigned(rules) => {
            let solver = study.solver.map(|Solving(solver)| solver as &dyn Solver);
            let troubles = around.troubles(seed);
            let assigned = baseline::simulate_assigned(&study.sites, *rules, solver, troubles, jobs, sink);
            assigned.map_err(|why| unable(spec, &why.to_string()))?;
        }
        spec::Policy::Recorded => return Err(unable(spec, "there is no VO whose rules it could have")),
        spec::Policy::Broker(policy) => {
            let setup = Setup {
                policy: drive::reaching(&study.sites, longest, policy),
                latency: around.latency,
                owners: around.owners.clone(),
                failures: around.failures.clone(),
                patience: around.patience,
                across_sites: around.across_sites,
                workflows: study.workflows.clone(),
                quotes: around.quotes,
                demand: around.demand,
                prices: around.prices.clone(),
                wishes: around.wishes.clone(),
                seed,
                audit: around.audit,
                ..Setup::new(study.sites.clone())
            };
            return drive::drive(&setup, jobs, sink).map(Some);
        }
    }
    Ok(None)
}

/// Lets a baseline run all jobs: by the fast way where nothing surrounds it.
fn run_baseline(
    study: &Study,
    seed: u64,
    (discipline, placement): (baseline::Discipline, baseline::Placement),
    jobs: impl Iterator<Item = Job>,
    sink: &mut dyn FnMut(Record),
) {
    let (sites, Around { failures, owners, patience, .. }) = (&study.sites, &study.around);
    match (failures, owners) {
        (_, Some(_)) => {
            let troubles = study.around.troubles(seed);
            baseline::simulate_owned(sites, discipline, placement, troubles, jobs, sink);
        }
        (None, None) if patience.is_none() => {
            baseline::simulate(sites, discipline, placement, jobs, sink);
        }
        (failures, None) => {
            let strikes =
                |begin| failures.as_ref().map_or_else(Strikes::none, |it| it.strikes(sites, seed, begin));
            baseline::simulate_failing(sites, discipline, placement, strikes, *patience, jobs, sink);
        }
    }
}

fn unable(spec: &PolicySpec, why: &str) -> DriveError {
    DriveError::Unable { policy: spec.to_string(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::read_jobs;
    use walras_broker::policy::Policy;
    use walras_model::Span;

    #[test]
    fn the_broker_looks_as_far_as_the_longest_job_needs() {
        let reached = |days: i64| {
            let run = days * 86_400;
            let jobs = read_jobs(&format!("jobs: [{{submit: 0, nodes: 1, run: {run}}}]")).unwrap();
            let sites = sites_of("4", &PriceList::default(), 1).unwrap();
            let policy = drive::reaching(&sites, Jobs::held(jobs).longest(), &Policy::default());
            (policy.horizon, policy.sharing.unwrap().ahead)
        };
        let days = |days: i64| Span::from_millis(days * 86_400_000).unwrap();
        assert_eq!(reached(1), (days(7), days(7)));
        assert_eq!(reached(30), (days(60), days(60)));
    }
}
