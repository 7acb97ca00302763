//! The auditor: every promise of a broker, checked again from its journal alone.
//!
//! **Problem.** A broker keeps other people's money and jobs. Whoever runs it, or is billed by it, must be able to check
//! that it kept its rules, without trusting the code that was to keep them.
//!
//! **Method.** The auditor reads the journal's entries in order and keeps books of its own: balances, liens, budgets,
//! queue, cycles, reservations leg by leg and part by part, holds node by node, quotes. It shares the types in which
//! facts are written with the broker, and none of its functions; all sums are made again on 128-bit integers. Every
//! event is held against what the entries before it allow; every entry must leave nothing open that it began. What does
//! not fit is a [`Finding`]. The auditor then goes on as if the event had been right, so that one mistake is told once.
//!
//! What it cannot know from the journal it does not judge: whether an owner's price was asked for rightly, whether a plan
//! was the best, and what sites really did.
//!
//! **Complexity.** Memory for what is open only: jobs and reservations leave when they are over. Time O(log n) for most
//! events, O(holds · log holds) for a reservation, O(jobs) for a cycle, O(reservations) when a node or a site is lost.
//!
//! ```
//! use walras_audit::{Auditor, Finding, FindingKind};
//! use walras_broker::input::{Input, User};
//! use walras_broker::journal::Entry;
//! use walras_broker::{Broker, Event};
//! use walras_model::{Money, Time};
//! let mut broker = Broker::default();
//! let at = Time::from_millis(0).unwrap();
//! let ada = User { name: "ada".into(), group: None, share: 1, lowest: Money::ZERO };
//! let input = Input::SetUser(ada);
//! let events = broker.handle(at, &input).unwrap().events;
//! let entry = Entry { at, input, events };
//! let mut auditor = Auditor::default();
//! assert!(auditor.entry(1, &entry).is_empty());
//! let silent = Entry { events: vec![], ..entry };
//! assert_eq!(auditor.entry(2, &silent), [Finding { position: 2, kind: FindingKind::NoEvents }]);
//! ```

#![deny(
    clippy::wildcard_enum_match_arm,
    reason = "a new event must not compile until the auditor has said what it means"
)]

mod arrays;
mod awaited;
mod budgets;
mod chain_quotes;
mod chains;
mod closing;
mod cycles;
mod elements;
mod files;
pub mod finding;
mod fits;
mod held_quotes;
mod jobs;
mod ledger;
mod look;
mod parts;
mod place;
mod places;
mod promises;
mod prompted;
mod quotes;
mod reasons;
mod rescheduling;
mod reservations;
mod rounds;
mod settlement;
mod sooner;
mod state;
mod strategies;
mod summary;
mod sums;
mod tasks;
mod together;
mod waiting;
mod widths;

pub use finding::{Finding, FindingKind};
pub use summary::Summary;

use awaited::Awaited;
use budgets::Budgets;
use elements::Elements;
use ledger::{Ledger, Occasion};
use look::Look;
use places::Places;
use state::{ChainQuote, Cycle, Job, Last, Quote, Reservation};
use std::collections::BTreeMap;
use summary::Counts;
use walras_broker::Event;
use walras_broker::account::Account;
use walras_broker::budget::Spender;
use walras_broker::event::{SiteEvent, VoEvent};
use walras_broker::id::{JobNumber, QuoteNumber, ReservationNumber};
use walras_broker::input::{Input, RequestKey, User};
use walras_broker::journal::Entry;
use walras_broker::policy::Policy;
use walras_broker::wish::Wisher;
use walras_model::Time;

/// Checks a journal entry by entry.
#[derive(Clone, Debug, Default)]
pub struct Auditor {
    clock: Option<Time>,
    policy: Policy,
    last: Last,
    users: BTreeMap<String, User>,
    ledger: Ledger,
    budgets: Budgets,
    places: Places,
    jobs: BTreeMap<JobNumber, Job>,
    reservations: BTreeMap<ReservationNumber, Reservation>,
    quotes: BTreeMap<QuoteNumber, Quote>,
    chain_quotes: BTreeMap<QuoteNumber, ChainQuote>,
    cycle: Option<Cycle>,
    /// When the last cycle began in which jobs were assigned to sites that sell capacity.
    assigned_at: Option<Time>,
    /// Since when sites are listened to, where they were not for a while.
    back_at: Option<Time>,
    awaited: Awaited,
    /// Every array that ever was.
    arrays: BTreeMap<JobNumber, Elements>,
    /// Requests that must not be carried out again, and by which entry and when they were.
    requests: BTreeMap<RequestKey, (u64, Time)>,
    counts: Counts,
}

impl Auditor {
    /// Takes an entry in; gives every promise that it breaks.
    pub fn entry(&mut self, position: u64, entry: &Entry) -> Vec<Finding> {
        let mut look = Look::new(position, entry.at, &entry.input);
        if let Some(before) = self.clock.filter(|before| *before > entry.at) {
            look.report(FindingKind::TimeWentBack { before, at: entry.at });
        }
        self.clock = self.clock.max(Some(entry.at));
        if entry.events.is_empty() {
            look.report(FindingKind::NoEvents);
        }
        self.counts.entries += 1;
        for event in &entry.events {
            if let Some(event) = prompted::unprompted(&entry.input, event) {
                look.report(FindingKind::Unprompted { event });
            }
            self.event(&mut look, event);
        }
        self.end_of_entry(&mut look);
        look.found
    }

    fn event(&mut self, look: &mut Look<'_>, event: &Event) {
        match event {
            Event::Vo(event) => self.vo_event(look, event),
            Event::Site(event) => self.site_event(look, event),
            Event::Job(event) => self.job_event(look, event),
            Event::Quote(event) => self.quote_event(look, event),
            Event::Cycle(event) => self.cycle_event(look, event),
            Event::Reservation(event) => self.reservation_event(look, event),
        }
    }

    fn vo_event(&mut self, look: &mut Look<'_>, event: &VoEvent) {
        match event {
            VoEvent::PolicySet(policy) => {
                self.policy = (**policy).clone();
                self.rules_changed();
            }
            VoEvent::UserSet(user) => {
                let lowest = i128::from(user.lowest.as_micros());
                self.ledger.open(look, Account::User(user.name.clone()), lowest);
                self.users.insert(user.name.clone(), user.clone());
            }
            VoEvent::BudgetSet { spender, budget } => self.budgets.set(spender, *budget),
            VoEvent::WishSet { of: Wisher::Owner(site), .. } => {
                if !self.places.has(*site) {
                    look.report(FindingKind::NoSuchSite(*site));
                }
            }
            VoEvent::WishSet { of: Wisher::Administrator, .. } => {}
            VoEvent::Deposited { key, account, transaction } => {
                self.request(look, key);
                self.deposited(look, account, transaction);
            }
            VoEvent::ServiceBack => self.back_at = Some(look.now),
        }
    }

    fn site_event(&mut self, look: &mut Look<'_>, event: &SiteEvent) {
        match event {
            SiteEvent::Added(spec) => {
                self.ledger.open(look, Account::Owner(spec.owner.clone()), 0);
                self.places.add(look, spec);
            }
            SiteEvent::PricesSet { site, .. } => {
                if !self.places.has(*site) {
                    look.report(FindingKind::NoSuchSite(*site));
                }
                self.places.changed(*site, look.position);
            }
            SiteEvent::TermsSet { site, access, timing } => {
                self.places.terms_set(look, *site, access, *timing);
                self.rules_changed();
            }
            SiteEvent::Leaving(site) => self.places.leave(look, *site, true),
            SiteEvent::Stays(site) => self.places.leave(look, *site, false),
            SiteEvent::NodeLost { node, at } => self.places.node_changed(look, *node, *at, true),
            SiteEvent::NodeDown { node, at } => self.places.node_down(look, *node, *at),
            SiteEvent::NodeBack { node, at } => self.places.node_changed(look, *node, *at, false),
            SiteEvent::NodesAdded { site, at, nodes, .. } => self.places.nodes_added(look, *site, *at, nodes),
            SiteEvent::NodeGone { node, at } => self.places.node_gone(look, *node, *at),
            SiteEvent::NodeTaken { node, interval } => self.places.node_taken(look, *node, *interval),
            SiteEvent::NodeDrained { node, interval } => self.places.node_drained(look, *node, *interval),
            SiteEvent::NodeResumed { node } => self.places.node_resumed(look, *node),
            SiteEvent::Lost { site, at } => {
                self.places.site_changed(look, *site, *at, true);
                if let Some(cycle) = &mut self.cycle {
                    cycle.unanswered.remove(site);
                }
            }
            SiteEvent::Back { site, at } => self.places.site_changed(look, *site, *at, false),
        }
    }

    fn deposited(
        &mut self,
        look: &mut Look<'_>,
        account: &Account,
        transaction: &walras_broker::account::Transaction,
    ) {
        let Input::Deposit { amount, .. } = look.input else { return };
        let amount = i128::from(amount.as_micros());
        let sums = ledger::sums(transaction);
        let purpose = walras_broker::account::Purpose::Deposit;
        let expected = [((Account::World, purpose), -amount), ((account.clone(), purpose), amount)];
        if sums != BTreeMap::from(expected) {
            look.report(FindingKind::WrongDeposit { account: account.clone() });
        }
        self.counts.deposits += sums.get(&(account.clone(), purpose)).copied().unwrap_or(0);
        self.ledger.post(look, transaction, Occasion::Deposit);
    }

    /// A request is carried out: never twice while it is remembered.
    fn request(&mut self, look: &mut Look<'_>, key: &RequestKey) {
        if self.requests.insert(key.clone(), (look.position, look.now)).is_some() {
            look.report(FindingKind::RequestTwice { by: key.by.clone(), key: key.key.clone() });
        }
    }

    /// Whose budgets a user's spending counts in.
    fn spenders(&self, user: &str) -> Vec<Spender> {
        let group = self.users.get(user).and_then(|user| user.group.clone());
        let mut spenders = vec![Spender::User(user.to_owned()), Spender::Vo];
        spenders.extend(group.map(Spender::Group));
        spenders
    }

    /// What an entry began it must have brought to an end.
    fn end_of_entry(&mut self, look: &mut Look<'_>) {
        self.forgotten(look);
        self.left_behind(look);
        self.left_there(look);
        self.left_open(look);
        self.left_waiting(look);
        self.left_binding(look);
        self.left_offered(look);
        self.left_out_of_chain(look);
        if let Some(accepted) = look.accepted.take() {
            look.report(FindingKind::NotAsQuoted { quote: accepted.quote });
        }
        self.ledger.compare_held(look);
    }

    /// What came of everything so far.
    pub fn finish(&self) -> Summary {
        self.summary()
    }
}
