//! What the broker knows: the fold of all events. Jobs, quotes and reservations that are over leave it.

pub use super::place::{NodeState, SiteState};

use super::account::Books;
use super::allocation::Part;
use super::array::Array;
use super::budget::{BudgetUse, Spender};
use super::chain::ChainQuote;
use super::cycle::Cycle;
use super::gate::Past;
use super::id::{CycleNumber, JobNumber, NoticeNumber, QuoteNumber, ReservationNumber};
use super::input::{RequestKey, User};
use super::job::Job;
use super::known::Known;
use super::moving::Measured;
use super::notice::Notice;
use super::place::{is_never, is_unlearnt, never, no_waits};
use super::policy::Policy;
use super::quote::{Chosen, Quote};
use super::repeated::Remembered;
use super::reservation::{LegState, Reservation};
use super::sharing::{Served, Tally};
use super::site::NodeSpec;
use super::table::{List, Table};
use super::wish::{Wish, Wisher};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use walras_core::predict::{Predictor, Quantity};
use walras_model::{Interval, NodeId, SiteId, Span, Time};

/// All that the broker knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The latest moment it has seen; time never goes back.
    pub clock: Time,
    /// The rules.
    pub policy: Arc<Policy>,
    /// The users by name.
    pub users: Table<Arc<str>, UserState>,
    /// The sites; a [`SiteId`] is a position here.
    pub sites: List<SiteState>,
    /// The nodes of all sites; a [`NodeId`] is a position here.
    pub nodes: List<NodeState>,
    /// The money.
    pub books: Books,
    /// What may be spent.
    pub budgets: Table<Arc<Spender>, BudgetUse>,
    /// The jobs that have not ended.
    pub jobs: Table<JobNumber, Job>,
    /// The arrays of which elements have not ended.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub arrays: Table<JobNumber, Array>,
    /// The quotes that bind.
    pub quotes: Table<QuoteNumber, Quote>,
    /// The quotes for chains that bind.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub chains: Table<QuoteNumber, ChainQuote>,
    /// The reservations of which something may still be held somewhere.
    pub reservations: Table<ReservationNumber, Reservation>,
    /// The open cycle.
    pub cycle: Option<Arc<Cycle>>,
    /// When the next one begins.
    pub next_cycle_at: Time,
    /// Requests that may be repeated, and when they were made.
    pub requests: Table<Arc<RequestKey>, Remembered>,
    /// Notices that have not reached their users.
    pub notices: Table<NoticeNumber, Notice>,
    /// The last numbers given out.
    pub last: Numbers,
    /// What run times were like.
    pub history: Predictor,
    /// What waits were like, from submission to start.
    #[serde(default = "no_waits", skip_serializing_if = "is_unlearnt")]
    pub waits: Predictor,
    /// What came of everything.
    pub totals: Totals,
    /// How many events have been folded.
    pub version: u64,
    /// Whether something has changed since the last plan that another plan could make use of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsettled: bool,
    /// What owners and the administrator want, in order of who.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub wishes: Arc<Vec<(Wisher, Wish)>>,
    /// When something last came that a job that fits nowhere could make use of: nodes, prices, rules.
    #[serde(default = "never", skip_serializing_if = "is_never")]
    pub helped_at: Time,
    /// When time on nodes was last given back.
    #[serde(default = "never", skip_serializing_if = "is_never")]
    pub freed_at: Time,
    /// Since when sites are listened to: none is silent for what it could not say before.
    #[serde(default = "never", skip_serializing_if = "is_never")]
    pub back_at: Time,
    /// When the cycle began in which jobs were last assigned to sites that sell capacity.
    #[serde(default = "never", skip_serializing_if = "is_never")]
    pub assigned_at: Time,
    /// How jobs ended, of the latest by number: others may wait for them.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub past: Table<JobNumber, Past>,
    /// What moves of files between sites have taught.
    #[serde(default, skip_serializing_if = "Measured::is_nothing")]
    pub measured: Measured,
    /// Who waits for whom: a job, and one that waits for it. It follows from the jobs, and is not written down.
    #[serde(skip)]
    pub(crate) dependents: Table<(JobNumber, JobNumber), ()>,
    /// What sites and nodes are called and can do, as planning knows them. It follows from the sites.
    #[serde(skip)]
    pub(crate) known: Known,
    /// Jobs by a digest of user and name. It follows from the jobs, too.
    #[serde(skip)]
    pub(crate) namesakes: Table<(u64, JobNumber), ()>,
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
    /// Promises that could not be kept and were given anew.
    #[serde(default, skip_serializing_if = "super::policy::is_zero")]
    pub promises_renewed: u64,
}

/// A user, and what they used of late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserState {
    /// Their name and terms, as the administrator set them last.
    pub user: User,
    /// A number of their own, for the history.
    pub number: i64,
    /// Charges in micro-credits, fading from cycle to cycle.
    pub usage: i64,
    /// Time on nodes, fading with time.
    #[serde(default, skip_serializing_if = "Served::is_none")]
    pub served: Served,
    /// When they last got money, or may spend more, so that what could not be paid may be by now.
    #[serde(default = "never", skip_serializing_if = "is_never")]
    pub funded_at: Time,
    /// What they took of quotes with several alternatives, latest last.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub choices: VecDeque<Arc<Chosen>>,
    /// Sites that had no account for them, and when they said so.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub strange: BTreeMap<SiteId, Time>,
    /// What they have here. It follows from everything else, so it is counted again and not written down.
    #[serde(skip)]
    pub tally: Tally,
}

fn is_empty(wishes: &Arc<Vec<(Wisher, Wish)>>) -> bool {
    wishes.is_empty()
}

impl Default for State {
    fn default() -> Self {
        State {
            clock: Time::MIN,
            policy: Arc::default(),
            users: Default::default(),
            sites: Default::default(),
            nodes: Default::default(),
            books: Books::default(),
            budgets: Default::default(),
            jobs: Default::default(),
            arrays: Default::default(),
            quotes: Default::default(),
            chains: Default::default(),
            reservations: Default::default(),
            cycle: None,
            next_cycle_at: Time::MIN,
            requests: Default::default(),
            notices: Default::default(),
            last: Numbers::default(),
            history: Predictor::new(Quantity::RunTime),
            waits: no_waits(),
            totals: Totals::default(),
            version: 0,
            unsettled: false,
            wishes: Arc::default(),
            helped_at: Time::MIN,
            freed_at: Time::MIN,
            back_at: Time::MIN,
            assigned_at: Time::MIN,
            past: Default::default(),
            measured: Measured::default(),
            dependents: Default::default(),
            known: Known::default(),
            namesakes: Default::default(),
        }
    }
}

impl State {
    /// When offers are asked for although nobody waits, so that quotes can be given.
    pub fn refresh_at(&self) -> Time {
        let idle = self.policy.quotes.offers_age_max.as_millis() - self.policy.cycle_every.as_millis();
        let after = Span::from_millis(idle.max(0)).and_then(|span| self.next_cycle_at.checked_add(span));
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
    pub fn node_spec(&self, node: NodeId) -> Option<&NodeSpec> {
        self.site(self.node(node)?.site)?.node_spec(node)
    }

    /// The nodes that a site has now, with their numbers.
    pub fn nodes_of<'a>(&'a self, site: &'a SiteState) -> impl Iterator<Item = (NodeId, &'a NodeSpec)> {
        site.nodes().filter(|(node, _)| self.node(*node).is_some_and(|node| !node.gone))
    }

    /// Whether a site has left: nothing of it is sold, held or running any more.
    pub fn has_left(&self, site: SiteId) -> bool {
        let at = |it: &Reservation| it.leg(site).is_some_and(|leg| leg.state != LegState::Gone);
        self.site(site).is_some_and(|it| it.leaving) && !self.reservations.values().any(at)
    }

    /// All time that sites hold for us, or may hold, node by node; as many times as units of the node are held.
    pub fn held(&self) -> BTreeMap<NodeId, Vec<Interval>> {
        let mut held: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
        for (node, interval, units) in self.all_held() {
            held.entry(node).or_default().extend(std::iter::repeat_n(interval, units as usize));
        }
        held
    }

    /// The same in no order, with how many units of each node.
    pub(crate) fn all_held(&self) -> impl Iterator<Item = (NodeId, Interval, u32)> {
        self.reservations
            .values()
            .flat_map(|reservation| reservation.holds_left())
            .filter_map(|(site, hold)| Some((hold.node?, self.kept_at(site, hold.interval), hold.units)))
    }

    /// The time on a node that nobody else may hold, for what is held there: its site needs some around it.
    pub(crate) fn kept_for(&self, node: NodeId, held: Interval) -> Interval {
        self.known.node(node).map_or(held, |node| self.kept_at(node.site, held))
    }

    /// The same on any node of a site.
    fn kept_at(&self, site: SiteId, held: Interval) -> Interval {
        let between = self.site(site).map_or(Span::ZERO, |site| site.spec.timing.between()).as_millis();
        if between == 0 {
            return held;
        }
        let moved = |time: Time, millis: i64| Time::from_millis(time.as_millis().saturating_add(millis));
        let wide = moved(held.start(), -between).zip(moved(held.end(), between));
        wide.and_then(|(start, end)| Interval::new(start, end)).unwrap_or(held)
    }

    /// Whether anything of a reservation may still run somewhere.
    ///
    /// Only a site's word counts, never the clock: clocks differ.
    pub fn may_run(&self, reservation: ReservationNumber) -> bool {
        self.reservations.get(&reservation).is_some_and(|it| {
            it.parts.iter().any(|part| {
                let there = it.leg(part.plan.site).is_some_and(|leg| leg.state != LegState::Gone);
                part.state.has_begun() && there && self.stands(it, &part.plan)
            })
        })
    }

    /// Whether an earlier attempt of a reservation's job may still run, and has to be waited for.
    pub fn is_fenced(&self, reservation: &Reservation) -> bool {
        self.jobs.get(&reservation.job).is_some_and(|job| self.waits_for_earlier(job))
    }

    /// Whether a job that must not run twice has to wait, because an earlier attempt may still run.
    pub fn waits_for_earlier(&self, job: &Job) -> bool {
        !job.spec.rerun && job.fences.iter().any(|earlier| self.may_run(*earlier))
    }

    /// What an owner or the administrator wants.
    pub fn wish(&self, of: Wisher) -> Option<&Wish> {
        let place = self.wishes.binary_search_by_key(&of, |(who, _)| *who).ok()?;
        self.wishes.get(place).map(|(_, wish)| wish)
    }

    /// Whether a reservation is held for a quote that nobody has taken: nothing of it runs.
    pub fn is_offered(&self, reservation: &Reservation) -> bool {
        self.jobs.get(&reservation.job).is_some_and(|job| job.offered.is_some())
    }

    /// Whether the site and the node of a part have not failed, as far as that is known.
    fn stands(&self, reservation: &Reservation, part: &Part) -> bool {
        let site = self.site(part.site).is_some_and(|site| !site.lost);
        let node = reservation.hold_of(part).and_then(|hold| hold.node);
        site && node.and_then(|node| self.node(node)).is_none_or(|node| !node.lost || node.down)
    }
}
