//! What surrounds the broker, what a run came to, and why it stopped.

use super::policy::plain;
use super::wishes::Wishes;
use crate::outage::Failures;
use crate::owners::Owners;
use crate::record::Site;
use crate::workload::Workflows;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_broker::journal::Entry;
use walras_broker::policy::Policy;
use walras_broker::price::{Demand, PriceRules};
use walras_model::{Division, Money, Multiplier, Requirement, Share, Span, Time};

/// What surrounds the broker.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The sites; each has an owner of its own, and may have several kinds of nodes (see [`Site`]).
    pub sites: Vec<Site>,
    /// The broker's rules.
    pub policy: Policy,
    /// How long a message to or from a site is on its way.
    pub latency: Span,
    /// What owners use of their own nodes.
    pub owners: Option<Owners>,
    /// How nodes fail.
    pub failures: Option<Failures>,
    /// Users whose job has not started after this cancel it.
    pub patience: Option<Span>,
    /// Whether a job may have nodes of several sites.
    pub across_sites: bool,
    /// The workflows among the jobs, by the jobs' numbers.
    pub workflows: Workflows,
    /// Nodes that are sold in units, and what jobs take of them.
    pub shares: Arc<Shares>,
    /// The share of jobs whose users ask for a quote first and accept it.
    pub quotes: Share,
    /// How prices follow demand; as they are, without.
    pub demand: Option<Demand>,
    /// What else owners ask for time, by the name of the whole site: hours, days, blackouts. Base prices and those of kinds of nodes are
    /// the sites' own.
    pub prices: Arc<BTreeMap<String, PriceRules>>,
    /// What owners and the administrator want of plans.
    pub wishes: Arc<Wishes>,
    /// What failures, owners' load and who asks for quotes are drawn from.
    pub seed: u64,
    /// Whether the auditor reads along.
    pub audit: bool,
    /// Whether the journal is kept.
    pub journal: bool,
    /// At most so many moments for every job, and a thousand more; what is still there then is left over.
    pub moments_per_job_max: u64,
}

/// Nodes that are sold in units, and jobs that take some.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// By the name of a site, or of a kind of its nodes: how each is sold. Whole, without.
    pub divisions: BTreeMap<String, Division>,
    /// By the number of a job: what each of its tasks takes of its node.
    pub needs: BTreeMap<u64, Vec<Requirement>>,
}

impl Setup {
    /// Sites that answer at once, where nothing fails and nobody gives up, with the broker's default rules.
    pub fn new(sites: Vec<Site>) -> Setup {
        Setup {
            sites,
            policy: plain(),
            latency: Span::ZERO,
            owners: None,
            failures: None,
            patience: None,
            across_sites: false,
            workflows: Workflows::default(),
            shares: Arc::default(),
            quotes: Share::NOTHING,
            demand: None,
            prices: Arc::default(),
            wishes: Arc::default(),
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
    /// Plans for which a bound over all windows is known, and the sum of what they are above it, in millionths of what they cost.
    pub bounds: (u64, i64),
    /// What every owner earned, by whole site.
    pub income: Vec<Money>,
    /// Quotes that were asked for, and that had no option that could be accepted.
    pub asked: (u64, u64),
    /// Quotes that were accepted, and those of them by which the job ended: no later and no dearer.
    pub accepted: (u64, u64),
    /// Quotes that the broker kept when they were accepted, and that it did not.
    pub quotes: (u64, u64),
    /// By how much the base price of every site is multiplied, whenever it changes.
    pub demand: Vec<(Time, Vec<Multiplier>)>,
    /// How content each kind of stakeholder was on average, in millionths, and over how many cycles.
    pub satisfaction: BTreeMap<String, (i64, u64)>,
    /// Run times of which it was said what nine of ten stay within, and those that did.
    pub run_bounds: (u64, u64),
    /// The same of waits.
    pub wait_bounds: (u64, u64),
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
        /// The moment of the run, on its virtual clock.
        at: Time,
        /// What it said.
        why: String,
    },
    /// A policy cannot live with what surrounds it.
    #[error("policy '{policy}': {why}")]
    Unable {
        /// The policy's name.
        policy: String,
        /// What it cannot, and who can.
        why: String,
    },
    /// A schedule could not be kept.
    #[error("the schedule of policy '{policy}': {why}")]
    Schedule {
        /// The policy's name.
        policy: String,
        /// What went wrong.
        why: String,
    },
    /// The workload is not what it was when it was counted.
    #[error("the workload has changed while it was read: {found} jobs where there were {expected}")]
    Workload {
        /// How many there were.
        expected: u64,
        /// How many came.
        found: u64,
    },
    /// Something does not hold that must.
    #[error("at {at} s: {law}")]
    Law {
        /// The moment of the run, on its virtual clock.
        at: Time,
        /// Which, and how it is broken.
        law: String,
    },
}
