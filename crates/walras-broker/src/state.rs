//! What the broker knows: the fold of all events. Jobs, quotes and reservations that are over leave it.

use crate::account::Books;
use crate::budget::{BudgetUse, Spender};
use crate::event::{Origin, RequestKey};
use crate::id::{CycleNumber, JobNumber, NoticeNumber, QuoteNumber, ReservationNumber};
use crate::input::{Answer, User};
use crate::job::{Job, JobSpec, PartEnd};
use crate::policy::Policy;
use crate::quote::QuoteOption;
use crate::rank::Ranked;
use crate::sabotage::{Sabotage, sabotaged};
use crate::site::{Free, SiteSpec};
use crate::way::{Hold, Part, Way};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use walras_core::predict::{Predictor, Quantity};
use walras_model::{Explanation, Interval, Money, Multiplier, NodeId, SiteId, Time};

/// Names and keys are no longer than this, in bytes.
pub const NAME_MAX: usize = 200;
/// At most so many jobs wait, run or are reserved.
pub const JOBS_MAX: usize = 1_000_000;
/// At most so many notices wait for their users; the oldest go first.
pub const NOTICES_MAX: usize = 10_000;
/// At most so many sites, and nodes of all sites.
pub const SITES_MAX: usize = 10_000;
/// At most so many nodes of all sites.
pub const NODES_MAX: usize = 1_000_000;

/// All that the broker knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// The latest moment it has seen; time never goes back.
    pub clock: Time,
    /// The rules.
    pub policy: Policy,
    /// The users by name.
    pub users: BTreeMap<String, UserState>,
    /// The sites; a [`SiteId`] is a position here.
    pub sites: Vec<SiteState>,
    /// The nodes of all sites; a [`NodeId`] is a position here.
    pub nodes: Vec<NodeState>,
    /// The money.
    pub books: Books,
    /// What may be spent.
    pub budgets: BTreeMap<Spender, BudgetUse>,
    /// The jobs that have not ended.
    pub jobs: BTreeMap<JobNumber, Job>,
    /// The quotes that bind.
    pub quotes: BTreeMap<QuoteNumber, Quote>,
    /// The reservations of which something may still be held somewhere.
    pub reservations: BTreeMap<ReservationNumber, Reservation>,
    /// The open cycle.
    pub cycle: Option<Cycle>,
    /// When the next one begins.
    pub next_cycle_at: Time,
    /// Requests that may be repeated, and when they were made.
    pub requests: BTreeMap<RequestKey, (Answer, Time)>,
    /// Notices that have not reached their users.
    pub notices: BTreeMap<NoticeNumber, Notice>,
    /// The last numbers given out.
    pub last: Numbers,
    /// What run times were like.
    pub history: Predictor,
    /// What came of everything.
    pub totals: Totals,
    /// How many events have been folded.
    pub version: u64,
}

/// The last numbers given out, of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// Jobs.
    pub job: JobNumber,
    /// Quotes.
    pub quote: QuoteNumber,
    /// Reservations.
    pub reservation: ReservationNumber,
    /// Cycles.
    pub cycle: CycleNumber,
    /// Notices.
    pub notice: NoticeNumber,
}

/// What came of everything so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Jobs that ended well.
    pub done: u64,
    /// Jobs that failed by themselves.
    pub failed: u64,
    /// Jobs that were cancelled.
    pub cancelled: u64,
    /// Jobs that could not be run.
    pub given_up: u64,
    /// Quotes that became reservations.
    pub quotes_kept: u64,
    /// Quotes that did not.
    pub quotes_broken: u64,
}

/// A user, and what they used of late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserState {
    /// Who.
    pub user: User,
    /// A number of their own, for the history.
    pub number: i64,
    /// Charges in micro-credits, fading from cycle to cycle.
    pub usage: i64,
}

/// A site, and what it said last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteState {
    /// What it is.
    pub spec: SiteSpec,
    /// The first of its nodes.
    pub first_node: u32,
    /// What it said is free, and when.
    pub free: Option<(Time, Free)>,
    /// How its price follows demand, in millionths.
    pub demand: Multiplier,
    /// Whether it has failed.
    pub lost: bool,
    /// Since when it stands or does not; older news is no news.
    pub since: Time,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeState {
    /// Whose it is.
    pub site: SiteId,
    /// Whether it has failed.
    pub lost: bool,
    /// Since when it stands or does not; older news is no news.
    pub since: Time,
    /// When its owner uses it.
    pub taken: Vec<Interval>,
}

/// A quote that binds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// For what.
    pub spec: JobSpec,
    /// The alternatives.
    pub options: Vec<QuoteOption>,
    /// Until when.
    pub until: Time,
    /// Why there is no alternative, and what would help.
    pub why: Option<Box<Explanation>>,
}

/// A notice on its way to a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Whom.
    pub user: String,
    /// About which job.
    pub job: JobNumber,
    /// What.
    pub text: String,
}

/// The open cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// Its number.
    pub number: CycleNumber,
    /// When it began.
    pub opened_at: Time,
    /// Who is in its batch.
    pub batch: Vec<Ranked>,
    /// The sites that have not answered.
    pub unanswered: BTreeSet<SiteId>,
    /// Whether planning has begun, and since when.
    pub closed_at: Option<Time>,
    /// Until when the sites may answer, or the plan must be there.
    pub until: Time,
}

/// What is asked of sites for one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// For which job.
    pub job: JobNumber,
    /// Whose job it is.
    pub user: String,
    /// Where it comes from.
    pub origin: Origin,
    /// What is held and run; its parts as they run now.
    pub way: Way,
    /// How far each site is.
    pub legs: BTreeMap<SiteId, LegState>,
    /// How far each part is.
    pub parts: Vec<PartState>,
    /// How far all of it is.
    pub phase: ReservationPhase,
    /// What is held of the user's money.
    pub lien: Money,
    /// In whose budgets that counts.
    pub spenders: Vec<Spender>,
    /// Since when.
    pub asked_at: Time,
    /// When what sites have prepared expires.
    pub expiry: Time,
}

/// How far a reservation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReservationPhase {
    /// Sites prepare, until then.
    Preparing(Time),
    /// Sites confirm, until then.
    Confirming(Time),
    /// All sites have confirmed.
    Held,
    /// It is over, and sites are told.
    Closing,
}

/// How far a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LegState {
    /// It was asked to prepare.
    Asked,
    /// It has prepared.
    Prepared,
    /// It has confirmed.
    Confirmed,
    /// It was asked to let go.
    Leaving,
    /// It has let go.
    Gone,
}

/// How far a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartState {
    /// Its time has not come.
    Waiting,
    /// Its site was asked to start it.
    Due,
    /// It runs.
    Running(Time),
    /// It has ended.
    Ended {
        /// When it started.
        since: Time,
        /// When.
        at: Time,
        /// How.
        end: PartEnd,
    },
}

impl Default for State {
    fn default() -> Self {
        State {
            clock: Time::MIN,
            policy: Policy::default(),
            users: BTreeMap::new(),
            sites: Vec::new(),
            nodes: Vec::new(),
            books: Books::default(),
            budgets: BTreeMap::new(),
            jobs: BTreeMap::new(),
            quotes: BTreeMap::new(),
            reservations: BTreeMap::new(),
            cycle: None,
            next_cycle_at: Time::MIN,
            requests: BTreeMap::new(),
            notices: BTreeMap::new(),
            last: Numbers::default(),
            history: Predictor::new(Quantity::RunTime),
            totals: Totals::default(),
            version: 0,
        }
    }
}

impl State {
    /// When offers are asked for although nobody waits, so that quotes can be given.
    pub fn refresh_at(&self) -> Time {
        let idle = self.policy.quotes.offers_age_max.as_millis() - self.policy.cycle_every.as_millis();
        let after = walras_model::Span::from_millis(idle.max(0))
            .and_then(|span| self.next_cycle_at.checked_add(span));
        after.unwrap_or(Time::MAX)
    }

    /// The site with this id.
    pub fn site(&self, site: SiteId) -> Option<&SiteState> {
        self.sites.get(site.index())
    }

    /// The node with this id.
    pub fn node(&self, node: NodeId) -> Option<&NodeState> {
        self.nodes.get(node.index())
    }

    /// What a node is like.
    pub fn node_spec(&self, node: NodeId) -> Option<&crate::site::NodeSpec> {
        let site = self.site(self.node(node)?.site)?;
        site.spec.nodes.get(node.index().checked_sub(site.first_node as usize)?)
    }

    /// All time that sites hold for us, or may hold, node by node.
    pub fn held(&self) -> BTreeMap<NodeId, Vec<Interval>> {
        let mut held: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
        let counted = !sabotaged(Sabotage::SellTwice);
        for reservation in self.reservations.values().filter(|_| counted) {
            for (_, hold) in reservation.holds_left() {
                if let Some(node) = hold.node {
                    held.entry(node).or_default().push(hold.interval);
                }
            }
        }
        held
    }

    /// Whether anything of a reservation may still run somewhere.
    ///
    /// Only a site's word counts, never the clock: clocks differ.
    pub fn may_run(&self, reservation: ReservationNumber) -> bool {
        self.reservations.get(&reservation).is_some_and(|it| {
            it.way.parts.iter().zip(&it.parts).any(|(part, state)| {
                let started = matches!(state, PartState::Due | PartState::Running(_));
                let there = it.legs.get(&part.site).is_some_and(|leg| *leg != LegState::Gone);
                started && there && self.stands(it, part)
            })
        })
    }

    /// Whether an earlier attempt of a reservation's job may still run.
    pub fn is_fenced(&self, reservation: &Reservation) -> bool {
        let job = self.jobs.get(&reservation.job);
        job.is_some_and(|job| job.fences.iter().any(|earlier| self.may_run(*earlier)))
    }

    /// Whether the site and the node of a part have not failed.
    fn stands(&self, reservation: &Reservation, part: &Part) -> bool {
        let site = self.site(part.site).is_some_and(|site| !site.lost);
        let node = reservation.way.hold_of(part).and_then(|hold| hold.node);
        site && node.and_then(|node| self.node(node)).is_none_or(|node| !node.lost)
    }
}

impl Reservation {
    /// The holds that sites have not let go.
    pub fn holds_left(&self) -> impl Iterator<Item = (SiteId, &Hold)> {
        self.way.holds().filter(|(site, _)| self.legs.get(site).is_some_and(|leg| *leg != LegState::Gone))
    }

    /// Whether any part on a site was ever to be started.
    pub fn started_on(&self, site: SiteId) -> bool {
        self.way
            .parts
            .iter()
            .zip(&self.parts)
            .any(|(part, state)| part.site == site && *state != PartState::Waiting)
    }

    /// Whether every part has ended well.
    pub fn is_done(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, PartState::Ended { end: PartEnd::Done, .. }))
    }

    /// Whether a part's predecessors have all ended, and their data has arrived by then.
    pub fn is_ready(&self, part: &Part, now: Time) -> bool {
        part.after.iter().all(|(before, lag)| match self.parts.get(*before as usize) {
            Some(PartState::Ended { at, end: PartEnd::Done, .. }) => {
                at.checked_add(*lag).is_some_and(|there| there <= now)
            }
            _ => false,
        })
    }
}
