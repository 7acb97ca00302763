//! The production broker on a virtual clock: a workload goes through [`walras_broker::Broker`] as it would through the service.
//!
//! **Problem.** What a policy does to users shows only over time: estimates that are wrong, jobs that come while others
//! wait, nodes that fail. A model of the broker would tell about the model.
//!
//! **Method.** The broker is driven by what it is driven by in production: [`walras_broker::Input`]s go in, effects come out.
//! Here is only what surrounds it. Users submit when the workload says. [`Sites`](site::Grid) answer at once, or after a latency,
//! run what they are told to start for as long as the workload says (killed at the end of what is held), and take nodes away
//! for their owners or by failures from a seed. Plans are made by [`walras_broker::plan::plan`] and take no time. The clock
//! goes from event to event; at a moment, what ends ends first, then jobs come, then the broker is told the time.
//!
//! **Checked.** The broker verifies every window before it reserves it; a plan that it turns down although nothing has
//! changed is a [`DriveError`], as is a site that is asked for time that is held, money that does not sum to zero, and money
//! that is still held in the end. With [`Setup::audit`] the auditor reads along.
//!
//! ```
//! use walras_model::{Span, Time};
//! use walras_sim::drive::{Setup, drive};
//! use walras_sim::{record::{Fate, Site}, workload::Job};
//! let minute = Span::from_millis(60_000).unwrap();
//! let job = Job {
//!     number: 1, submit: Time::from_millis(0).unwrap(), nodes: 2, run: minute, estimate: minute,
//!     user: None, budget: None, deadline: None,
//! };
//! let setup = Setup::new(vec![Site::plain("campus", 4)]);
//! let mut records = Vec::new();
//! let course = drive(&setup, [job].into_iter(), &mut |record| records.push(record)).unwrap();
//! assert_eq!((records[0].fate, course.reservations), (Fate::Done, 1));
//! ```

mod course;
mod follow;
mod policy;
mod site;

pub use policy::{BadSetting, policy_of};

use crate::record::{Record, Site};
use crate::workload::Job;
use course::Driver;
use serde::Serialize;
use walras_broker::journal::Entry;
use walras_broker::policy::Policy;
use walras_model::{Money, Span, Time};

/// What surrounds the broker.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The sites; each has an owner of its own.
    pub sites: Vec<Site>,
    /// The broker's rules.
    pub policy: Policy,
    /// How long a message to or from a site is on its way.
    pub latency: Span,
    /// What owners use of their own nodes.
    pub owners: Option<OwnerLoad>,
    /// How nodes fail.
    pub failures: Option<Failures>,
    /// Users whose job has not started after this cancel it.
    pub patience: Option<Span>,
    /// Whether a job may have nodes of several sites.
    pub across_sites: bool,
    /// What failures and owners' load are drawn from.
    pub seed: u64,
    /// Whether the auditor reads along.
    pub audit: bool,
    /// Whether the journal is kept.
    pub journal: bool,
    /// At most so many moments for every job, and a thousand more; what is still there then is left over.
    pub moments_per_job_max: u64,
}

/// How much of their nodes owners use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerLoad {
    /// The share of all time, in thousandths.
    pub share: i64,
    /// The mean length of a use.
    pub mean: Span,
}

/// How nodes fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    /// The mean time between two failures of a node.
    pub between: Span,
    /// How long a node stays away.
    pub repair: Span,
}

impl Setup {
    /// Sites that answer at once, where nothing fails and nobody gives up, with the broker's default rules.
    pub fn new(sites: Vec<Site>) -> Setup {
        Setup {
            sites,
            policy: policy::plain(),
            latency: Span::ZERO,
            owners: None,
            failures: None,
            patience: None,
            across_sites: false,
            seed: 1,
            audit: false,
            journal: false,
            moments_per_job_max: 10_000,
        }
    }
}

/// What a run came to, beside its jobs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Course {
    /// Jobs that came.
    pub jobs: u64,
    /// Moments at which something happened.
    pub moments: u64,
    /// Cycles with somebody in their batch.
    pub cycles: u64,
    /// The sum of their batches.
    pub batched: u64,
    /// Reservations that were asked for.
    pub reservations: u64,
    /// Those of which a site or the broker let go before the job had ended.
    pub broken: u64,
    /// Jobs that started later than they were promised first.
    pub late: u64,
    /// Plans that are not proven best, and the sum of what they may be above it, in millionths.
    pub gaps: (u64, i64),
    /// What every owner earned, by site.
    pub income: Vec<Money>,
    /// Quotes that were kept, and that were not.
    pub quotes: (u64, u64),
    /// How content each kind of stakeholder was on average, in millionths, and over how many cycles.
    pub satisfaction: std::collections::BTreeMap<String, (i64, u64)>,
    /// Whether the run was cut off by its bound.
    pub cut: bool,
    /// The journal, where it was to be kept.
    #[serde(skip)]
    pub journal: Vec<Entry>,
}

/// Why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// The broker refused what no broker should.
    #[error("at {at} s the broker refused: {why}")]
    Refused {
        /// When.
        at: Time,
        /// What it said.
        why: String,
    },
    /// Something does not hold that must.
    #[error("at {at} s: {law}")]
    Law {
        /// When.
        at: Time,
        /// Which, and how it is broken.
        law: String,
    },
}

/// Drives the broker through a workload; jobs must come in order of submission. Every job is handed to `sink` once.
pub fn drive(
    setup: &Setup,
    jobs: impl Iterator<Item = Job>,
    sink: &mut dyn FnMut(Record),
) -> Result<Course, DriveError> {
    let mut driver = Driver::new(setup)?;
    let mut jobs = jobs.peekable();
    while let Some(now) = driver.next(jobs.peek().map(|job| job.submit)) {
        driver.pass(now)?;
        while let Some(job) = jobs.next_if(|job| job.submit <= now) {
            driver.submit(job, sink)?;
        }
        driver.tell_time(sink)?;
    }
    driver.finish(sink)
}
