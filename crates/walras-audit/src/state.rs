//! What the auditor remembers: only what is open, and the last number of each kind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use walras_broker::allocation::Allocation;
use walras_broker::budget::Spender;
use walras_broker::chain::QuotedMember;
use walras_broker::id::{CycleNumber, JobNumber, QuoteNumber, ReservationNumber};
use walras_broker::job::{JobSpec, PartEnd, Planned};
use walras_broker::policy::Policy;
use walras_broker::quote::QuoteOption;
use walras_core::agenda::Promise;
use walras_model::{Money, SiteId, TaskId, Time};

/// A job that has not ended.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) spec: Arc<JobSpec>,
    /// Since when it may be planned.
    pub(crate) ready_at: Time,
    /// Whether its user has not let it go.
    pub(crate) held: bool,
    /// Whether it waits for something, with a window or without one.
    pub(crate) waits: bool,
    /// The array of which it is an element.
    pub(crate) element: Option<JobNumber>,
    pub(crate) phase: JobPhase,
    /// The entry that brought it there.
    pub(crate) since: u64,
    /// Reservations that failed through no fault of its own.
    pub(crate) attempts: u32,
    /// Those of them of which a part vanished.
    pub(crate) vanished: u32,
    pub(crate) done: BTreeSet<TaskId>,
    /// Where the files of tasks that ended well are.
    pub(crate) copies: BTreeSet<(TaskId, SiteId)>,
    /// What it was charged.
    pub(crate) spent: i128,
    /// Reservations that were closed and of which something is still held.
    pub(crate) earlier: BTreeSet<ReservationNumber>,
    pub(crate) spares: Vec<Arc<Allocation>>,
    /// Where it is planned, while nothing is held for it.
    pub(crate) plan: Option<Arc<Planned>>,
    pub(crate) promise: Option<Promise>,
    /// The quote of which it is an alternative that is held, while nobody has taken it.
    pub(crate) offered: Option<QuoteNumber>,
}

impl Job {
    /// Whether it has failed as often as the policy allows.
    pub(crate) fn is_used_up(&self, policy: &Policy) -> bool {
        self.attempts > policy.attempts_max || self.vanished > policy.vanished_max
    }
}

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobPhase {
    /// Not in the queue before something has happened.
    Waiting,
    Queued,
    /// An array, whose elements may become jobs.
    Drawing,
    /// In the batch of the open cycle.
    Planning,
    /// With a window that may still move.
    Planned,
    Reserved(ReservationNumber),
    /// Out of a plan or a reservation; the same entry must say what becomes of it.
    Loose(After),
}

/// What a loose job comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// A plan.
    Plan,
    /// A reservation whose parts all ended well.
    Well,
    /// A reservation of which a part failed by itself.
    Failed,
    /// A reservation that was cancelled.
    Cancelled,
    /// A reservation that could not be kept.
    Broken,
}

/// A reservation of which something may still be held.
#[derive(Clone, Debug)]
pub(crate) struct Reservation {
    pub(crate) job: JobNumber,
    pub(crate) user: String,
    pub(crate) allocation: Allocation,
    pub(crate) legs: BTreeMap<SiteId, LegState>,
    pub(crate) parts: Vec<PartState>,
    pub(crate) phase: Phase,
    /// Whether a cycle has planned it.
    pub(crate) of_cycle: bool,
    pub(crate) lien: i128,
    pub(crate) asked_at: Time,
    /// Files that are on their way: of which task, where to, from where.
    pub(crate) moving: BTreeMap<(TaskId, SiteId), SiteId>,
    pub(crate) counted: Vec<Counted>,
    /// The sites that begin their parts only with the others, and have not said that they are ready.
    pub(crate) unready: BTreeSet<SiteId>,
}

impl Reservation {
    /// Whether a task runs that should have ended, while another waits.
    pub(crate) fn overruns(&self, now: Time) -> bool {
        let mut plans = self.allocation.parts.iter().zip(&self.parts);
        let overruns = plans.any(|(plan, state)| {
            plan.task.is_some() && plan.end <= now && matches!(state, PartState::Running(_))
        });
        overruns && self.parts.contains(&PartState::Waiting)
    }
}

/// How far a reservation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Preparing(Time),
    Confirming(Time),
    Held,
    Closed,
}

/// How far a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegState {
    Asked,
    Prepared,
    Confirmed,
    Released,
}

/// How far a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartState {
    Waiting,
    Due,
    Running(Time),
    Ended { since: Time, at: Time, end: PartEnd },
}

impl PartState {
    /// Whether its site was asked to start it, and has not said that it ended.
    pub(crate) fn may_run(self) -> bool {
        matches!(self, PartState::Due | PartState::Running(_))
    }

    /// Whether it ended well.
    pub(crate) fn is_done(self) -> bool {
        matches!(self, PartState::Ended { end: PartEnd::Done, .. })
    }
}

/// A quote that binds.
#[derive(Clone, Debug)]
pub(crate) struct Quote {
    pub(crate) spec: Arc<JobSpec>,
    pub(crate) options: Arc<[QuoteOption]>,
    pub(crate) until: Time,
    /// By alternative: the job that it becomes, where it is held.
    pub(crate) holds: Vec<JobNumber>,
}

/// A quote for a chain that binds.
#[derive(Clone, Debug)]
pub(crate) struct ChainQuote {
    pub(crate) members: Arc<[QuotedMember]>,
    pub(crate) until: Time,
}

impl ChainQuote {
    pub(crate) fn user(&self) -> &str {
        self.members.first().map_or("", |first| &first.member.job.user)
    }

    /// What all of it costs at most.
    pub(crate) fn price(&self) -> Money {
        self.members.iter().map(|it| it.promise.cost).sum()
    }
}

/// A quote that this entry has accepted, and that a reservation must follow.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    pub(crate) quote: QuoteNumber,
    pub(crate) job: JobNumber,
    pub(crate) reservation: ReservationNumber,
    pub(crate) allocation: Allocation,
}

/// The open cycle.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    pub(crate) number: CycleNumber,
    pub(crate) opened_at: Time,
    pub(crate) batch: Vec<JobNumber>,
    pub(crate) unanswered: BTreeSet<SiteId>,
    pub(crate) closed: bool,
    /// Until when sites may answer, or the plan must be there.
    pub(crate) until: Time,
    /// Whether rules were set since it began: its plan may have been made by others.
    pub(crate) rules_changed: bool,
}

/// A cycle that this entry has decided.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    pub(crate) cycle: CycleNumber,
    pub(crate) batch: BTreeSet<JobNumber>,
}

/// The last numbers given out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Last {
    pub(crate) job: u64,
    pub(crate) quote: u64,
    pub(crate) reservation: u64,
    pub(crate) cycle: u64,
}

/// Where a lien was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) spender: Spender,
    pub(crate) set: u64,
    pub(crate) period: i64,
}

/// What a round has assigned.
pub(crate) struct Round {
    /// When what it assigned starts, where anything was.
    pub(crate) start: Option<Time>,
    /// Whether jobs may be split.
    pub(crate) splits: bool,
    /// Who was assigned.
    pub(crate) served: BTreeSet<JobNumber>,
}
