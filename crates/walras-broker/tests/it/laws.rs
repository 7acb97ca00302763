//! Laws of deciding and folding: whatever comes in, in whatever order, sense or nonsense.
//!
//! Every step is an input made from small numbers against what the broker knows at that moment, so that many of them
//! meet something; the others must be refused or change nothing. What the broker keeps to know quickly what is due next is held against
//! all parts of all reservations wherever it is used in a build of tests. After every input: nothing panicked, a refusal has
//! changed nothing, the events are written and read again to the same bytes, folding what was read gives the same state,
//! the books sum to zero and match the liens, and no account is below its limit.

mod nonsense;
mod step;

use crate::vo::{MINUTE, at, policy, rate, span};
use nonsense::{nonsense, spoil};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::BTreeSet;
use step::{Step, steps};
use walras_broker::account::Account;
use walras_broker::budget::{Budget, Spender};
use walras_broker::id::{CycleNumber, JobNumber, NoticeNumber, QuoteNumber};
use walras_broker::input::{SiteMessage, User};
use walras_broker::job::{JobSpec, PartEnd};
use walras_broker::journal::Entry;
use walras_broker::plan::plan;
use walras_broker::policy::Policy;
use walras_broker::price::PriceRules;
use walras_broker::reservation::ReservationPhase;
use walras_broker::site::{Free, FreeTime, NodeSpec, QueueSpec, SiteKind, SiteSpec};
use walras_broker::used::Used;
use walras_broker::{Broker, Effect, Event, Input};
use walras_model::{Attributes, Interval, Money, NodeId, Performance, Request, Share, SiteId, Work};

fn name(who: u8) -> String {
    format!("user-{who}")
}

/// A broker, the broker that its journal gives, and the clock.
struct Bench {
    broker: Broker,
    again: Broker,
    journal: Vec<Entry>,
    now: i64,
}

/// With so many searches for what no plan could beat, which take most of the time wherever there are any: few, and by some rules alone.
fn rules(bound_searches_max: u64) -> Policy {
    Policy { bound_searches_max, ..policy() }
}

impl Bench {
    fn new() -> Bench {
        let mut bench =
            Bench { broker: Broker::default(), again: Broker::default(), journal: Vec::new(), now: 0 };
        bench.say(Input::SetPolicy(Box::new(rules(0))));
        for who in 0..2 {
            bench.say(Input::SetUser(User { name: name(who), group: None, share: 1, lowest: Money::ZERO }));
            let account = Account::User(name(who));
            bench.say(Input::Deposit {
                key: "0".to_owned(),
                account,
                amount: Money::from_micros(1_000_000_000),
            });
        }
        bench.say(Input::AddSite(Box::new(site(0, 0, 3, 500))));
        bench
    }

    /// An input, and everything that must hold after it.
    fn say(&mut self, input: Input) {
        let (now, before) = (at(self.now), self.broker.state().clone());
        let decided = self.broker.decide(now, &input);
        assert_eq!(*self.broker.state(), before, "deciding changes nothing");
        let Ok(change) = decided else { return };
        for event in &change.events {
            self.broker.step(now, event);
        }
        let entry = Entry { at: now, input, events: change.events };
        let written = serde_json::to_string(&entry).unwrap();
        let read: Entry = serde_json::from_str(&written).unwrap();
        assert_eq!(read, entry);
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
        let short = serde_json::to_string(&entry.short()).unwrap();
        assert_eq!(serde_json::from_str::<Entry>(&short).unwrap(), entry, "in short it is the same");
        self.again.restore(&read);
        assert_eq!(self.again.state(), self.broker.state(), "the journal gives the same state again");
        self.journal.push(entry);
        self.check();
    }

    fn check(&self) {
        let state = self.broker.state();
        assert_eq!(state.books.total(), 0, "money appears or vanishes");
        let accounts = state.books.balances().filter(|(account, _)| **account != Account::World);
        for (account, balance) in accounts {
            assert!(state.books.available(account) >= Money::ZERO, "{account:?} is at {balance}");
        }
        let open = state.reservations.values().filter(|it| it.phase != ReservationPhase::Closing);
        let liens: i128 = open.map(|it| i128::from(it.lien.as_micros())).sum();
        assert_eq!(i128::from(state.books.balance(&Account::Held).as_micros()), liens);
        // Whoever asks gets an answer, and the same of a broker that was asked nothing before.
        let timer = Broker::from_state(state.clone()).next_timer();
        assert_eq!(self.broker.next_timer(), timer, "what is due next follows from the state");
        let _ = self.broker.outstanding();
    }

    fn site_id(&self, site: u8) -> SiteId {
        SiteId::new(u32::from(site))
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::User { who, lowest } => {
                let (name, lowest) = (name(who), Money::from_micros(lowest));
                self.say(Input::SetUser(User { name, group: Some("all".to_owned()), share: 1, lowest }));
            }
            Step::Deposit { who, key, amount } => {
                let account = match who {
                    0..3 => Account::User(name(who)),
                    3 => Account::Owner("owner-0".to_owned()),
                    _ => Account::Fee,
                };
                self.say(Input::Deposit {
                    key: key.to_string(),
                    account,
                    amount: Money::from_micros(amount),
                });
            }
            Step::Site { kind, nodes, price } => {
                let number = self.broker.state().sites.len();
                if number < 4 {
                    self.say(Input::AddSite(Box::new(site(
                        u8::try_from(number).unwrap(),
                        kind,
                        nodes,
                        price,
                    ))));
                }
            }
            Step::Prices { site, price } => {
                if let Some(base) = walras_model::Rate::from_micros_per_second(price) {
                    self.say(Input::SetPrices { site: self.site_id(site), prices: PriceRules::flat(base) });
                }
            }
            Step::Budget { who, amount } => {
                let spender = if who == 3 { Spender::Vo } else { Spender::User(name(who)) };
                let budget = Budget { period: span(60 * MINUTE), amount: Money::from_micros(amount) };
                self.say(Input::SetBudget { spender, budget: Some(budget).filter(|_| amount % 7 != 0) });
            }
            Step::Policy { fee } => {
                let mut policy = rules(if fee % 8 == 0 { 8 } else { 0 });
                policy.money.fee = Share::from_millionths(fee).unwrap();
                self.say(Input::SetPolicy(Box::new(policy)));
            }
            Step::Submit { who, key, tasks, minutes, budget } => {
                let mut job = job(who, tasks, minutes);
                job.request.budget = budget.map(Money::from_micros);
                self.say(Input::Submit { key: key.to_string(), job: Box::new(job) });
            }
            Step::Quote { who, key, tasks } => {
                let job = Box::new(job(who, tasks, 5));
                self.say(Input::AskQuote { key: key.to_string(), job, findings: None, hold: None });
            }
            Step::Accept { key, quote, option } => {
                // Mostly one that binds.
                let known = self.broker.state().quotes.keys().nth(usize::from(quote)).copied();
                let quote = known.unwrap_or(QuoteNumber::new(u64::from(quote)));
                let option = u32::from(option);
                self.say(Input::Accept { user: None, key: key.to_string(), quote, option });
            }
            Step::Cancel { who, job } => {
                self.say(Input::CancelJob { user: name(who), job: JobNumber::new(u64::from(job)) });
            }
            Step::CycleNow => self.say(Input::CycleNow),
            Step::ServiceBack => self.say(Input::ServiceBack),
            Step::Noticed(notice) => self.say(Input::Noticed(NoticeNumber::new(u64::from(notice)))),
            Step::Tick(ahead) => {
                self.now += i64::from(ahead);
                self.say(Input::Tick);
            }
            Step::Perform { end } => self.perform(end),
            Step::Plan { wrong } => self.plan(wrong),
            Step::Say { site, what, number, part, millis } => {
                let message = nonsense(what, number, part, millis);
                self.say(Input::Site { site: self.site_id(site), message });
            }
        }
    }

    /// Does what is outstanding; parts end as they are told to.
    fn perform(&mut self, end: u8) {
        for effect in self.broker.outstanding() {
            let now = at(self.now);
            let message = match effect {
                Effect::AskOffers { site, cycle, horizon, .. } => {
                    let free = self.free(site, horizon);
                    Some((site, SiteMessage::Offers { cycle, free }))
                }
                Effect::Prepare { site, reservation, .. } => Some((site, SiteMessage::Prepared(reservation))),
                Effect::Confirm { site, reservation } => Some((site, SiteMessage::Confirmed(reservation))),
                Effect::Start { site, reservation, parts, .. } => {
                    let parts = parts.iter().map(|part| part.part).collect();
                    Some((site, SiteMessage::Started { reservation, parts, at: now }))
                }
                Effect::Observe { site, reservation } => {
                    let part = u32::from(end % 3);
                    let end = match end {
                        0..8 => PartEnd::Done,
                        8 => PartEnd::Failed(1),
                        9 => PartEnd::Lost,
                        10 => PartEnd::TakenBack,
                        11 => PartEnd::Vanished,
                        _ => PartEnd::TimedOut,
                    };
                    let used = Used { processor: None, memory: Some(7 << 20) };
                    Some((site, SiteMessage::Ended { reservation, part, at: now, end, used: Some(used) }))
                }
                Effect::Release { site, reservation } | Effect::Cancel { site, reservation } => {
                    Some((site, SiteMessage::Released(reservation)))
                }
                Effect::Go { .. } | Effect::Plan(_) | Effect::Move(_) | Effect::Notify { .. } => None,
            };
            if let Some((site, message)) = message {
                self.say(Input::Site { site, message });
            }
        }
    }

    fn free(&self, site: SiteId, horizon: Interval) -> Free {
        let of = self.broker.state().site(site).unwrap();
        match &of.spec.kind {
            SiteKind::Slots => {
                let first = of.first_node;
                let nodes = first..first + u32::try_from(of.spec.nodes.len()).unwrap();
                Free::Slots(nodes.map(|it| FreeTime::whole(NodeId::new(it), horizon)).collect())
            }
            SiteKind::Capacity => Free::Capacity(2),
            SiteKind::Queue(_) => Free::Queue { wait: span(MINUTE), units: 3 },
        }
    }

    fn plan(&mut self, wrong: u8) {
        let Some(cycle) = self.broker.state().cycle.as_ref().map(|cycle| cycle.number) else { return };
        let Some(problem) = self.broker.problem(cycle) else { return };
        let mut decision = plan(&problem);
        let cycle = if wrong == 15 { CycleNumber::new(99) } else { cycle };
        spoil(&mut decision, wrong);
        self.say(Input::Decided { cycle, decision: Box::new(decision) });
    }
}

fn site(number: u8, kind: u8, nodes: u8, price: i64) -> SiteSpec {
    let kind = match kind {
        0 | 1 => SiteKind::Slots,
        2 => SiteKind::Capacity,
        _ => SiteKind::Queue(QueueSpec {
            performance: Performance::ONE,
            watts: None,
            attributes: Attributes::new(),
        }),
    };
    let node = |index: u8| NodeSpec {
        division: Default::default(),
        name: format!("n{index}"),
        class: None,
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
    };
    let queue = matches!(kind, SiteKind::Queue(_));
    let nodes = if queue { Vec::new() } else { (0..nodes).map(node).collect() };
    SiteSpec {
        name: format!("site-{number}"),
        owner: format!("owner-{}", number % 2),
        kind,
        nodes,
        prices: PriceRules::flat(rate(price)),
        access: Default::default(),
        timing: Default::default(),
    }
}

fn job(who: u8, tasks: u8, minutes: u8) -> JobSpec {
    let work = Work::from_millis((i64::from(minutes) * MINUTE).max(1)).unwrap();
    JobSpec::plain(name(who), Request::new("job", u32::from(tasks), work))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_in(steps in prop::collection::vec(steps(), 1..120)) {
        let mut bench = Bench::new();
        for step in &steps {
            bench.step(step);
        }
        let mut again = Broker::default();
        bench.journal.iter().for_each(|entry| again.restore(entry));
        prop_assert_eq!(again.state(), bench.broker.state());
    }
}

/// What an event happened to, and what happened.
fn kind(event: &Event) -> String {
    let first = |value: &serde_json::Value| {
        value.as_object().and_then(|it| it.iter().next()).map(|(key, inner)| (key.clone(), inner.clone()))
    };
    let (of, inner) = first(&serde_json::to_value(event).unwrap()).unwrap();
    let what = inner.as_str().map(str::to_owned).or_else(|| first(&inner).map(|(what, _)| what));
    format!("{of}/{}", what.unwrap())
}

/// The laws would hold of a broker that refuses everything: these steps get everywhere but where only workflows go.
#[test]
fn the_steps_meet_everything() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let steps = prop::collection::vec(steps(), 120);
    let mut seen = BTreeSet::new();
    for _ in 0..400 {
        let mut bench = Bench::new();
        for step in &steps.new_tree(&mut runner).unwrap().current() {
            bench.step(step);
        }
        seen.extend(bench.journal.iter().flat_map(|entry| &entry.events).map(kind));
    }
    let missing: Vec<&str> = ALL.into_iter().filter(|kind| !seen.contains(*kind)).collect();
    assert_eq!(missing, [""; 0], "of {}", seen.len());
}

const ALL: [&str; 35] = [
    "vo/policy-set",
    "vo/user-set",
    "vo/budget-set",
    "vo/deposited",
    "vo/service-back",
    "site/added",
    "site/prices-set",
    "site/node-lost",
    "site/node-back",
    "site/node-taken",
    "site/lost",
    "site/back",
    "job/queued",
    "job/returned",
    "job/ended",
    "job/noticed",
    "quote/given",
    "quote/accepted",
    "quote/broken",
    "quote/expired",
    "cycle/opened",
    "cycle/offers-received",
    "cycle/closed",
    "cycle/decided",
    "cycle/ended",
    "reservation/asked",
    "reservation/leg-prepared",
    "reservation/confirming",
    "reservation/leg-confirmed",
    "reservation/held",
    "reservation/parts-due",
    "reservation/part-started",
    "reservation/part-ended",
    "reservation/closed",
    "reservation/leg-released",
];
