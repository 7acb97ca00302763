//! A broker with sites that always say yes at once.

use std::collections::VecDeque;
use std::time::Instant;
use walras_broker::account::Account;
use walras_broker::effect::StartPart;
use walras_broker::id::ReservationNumber;
use walras_broker::input::{SiteMessage, User};
use walras_broker::job::{JobSpec, PartEnd};
use walras_broker::journal::Entry;
use walras_broker::plan::plan;
use walras_broker::policy::{Deciding, Policy, PromisePolicy};
use walras_broker::price::PriceRules;
use walras_broker::site::{Free, FreeTime, NodeSpec, SiteKind, SiteSpec};
use walras_broker::{Broker, Effect, Input};
use walras_model::{
    Attributes, Interval, Money, NodeId, Performance, Rate, Request, SiteId, Span, Time, Work,
};

/// A broker and what answers it.
pub(crate) struct Bed {
    pub(crate) broker: Broker,
    pub(crate) journal: Vec<Entry>,
    now: i64,
    nodes: u32,
    slots: i64,
    submitted: u64,
    keeps: bool,
    /// Whether what is started ends at once.
    instant: bool,
    /// What runs, in the order in which it was started.
    running: VecDeque<(SiteId, ReservationNumber, Vec<u32>)>,
}

/// Where the time of a cycle went, in seconds.
#[derive(Default)]
pub(crate) struct Spent {
    pub(crate) problem: f64,
    pub(crate) plan: f64,
    pub(crate) decide: f64,
    pub(crate) served: usize,
    pub(crate) planned: usize,
}

const MINUTE: i64 = 60_000;
const USERS: u64 = 50;
const SITES: u32 = 10;

fn time(millis: i64) -> Time {
    Time::from_millis(millis).unwrap_or(Time::MIN)
}

fn span(millis: i64) -> Span {
    Span::from_millis(millis).unwrap_or(Span::ZERO)
}

impl Bed {
    /// Ten sites with so many nodes together, each offering so many slots; keeps a journal where asked to.
    pub(crate) fn new(nodes: u32, slots: i64, keeps: bool) -> Bed {
        let broker = Broker::default();
        let policy = Policy {
            horizon: span(24 * 60 * MINUTE),
            repeat_within: span(60 * MINUTE),
            deciding: Deciding::AtOnce,
            ..Policy::default()
        };
        let instant = true;
        let (journal, running) = (Vec::new(), VecDeque::new());
        let mut bed = Bed { broker, journal, now: 0, nodes, slots, submitted: 0, keeps, instant, running };
        bed.build(policy);
        bed
    }

    /// The same with promises, one slot a node, and jobs that run until they are told to end.
    pub(crate) fn promising(nodes: u32) -> Bed {
        let policy = Policy {
            horizon: span(7 * 24 * 60 * MINUTE),
            batch_max: 10_000,
            deciding: Deciding::Promise(PromisePolicy::default()),
            ..Policy::default()
        };
        let mut bed = Bed {
            broker: Broker::default(),
            journal: Vec::new(),
            now: 0,
            nodes,
            slots: 1,
            submitted: 0,
            keeps: false,
            instant: false,
            running: VecDeque::new(),
        };
        bed.build(policy);
        bed
    }

    fn build(&mut self, policy: Policy) {
        let bed = self;
        bed.say(Input::SetPolicy(Box::new(policy)));
        for user in 0..USERS {
            let name = format!("user-{user}");
            bed.say(Input::SetUser(User { name: name.clone(), group: None, share: 1, lowest: Money::ZERO }));
            let amount = Money::from_micros(1_000_000_000_000_000);
            bed.say(Input::Deposit { key: "d".to_owned(), account: Account::User(name), amount });
        }
        for site in 0..SITES {
            let node = |index: u32| NodeSpec {
                division: Default::default(),
                name: format!("n{index}"),
                class: None,
                performance: Performance::from_millionths(1_000_000 + 100_000 * i64::from(index % 10))
                    .unwrap_or(Performance::ONE),
                watts: None,
                attributes: Attributes::new(),
            };
            let base = Rate::from_micros_per_second(1_000 + 100 * i64::from(site));
            let Some(base) = base else { continue };
            bed.say(Input::AddSite(Box::new(SiteSpec {
                name: format!("site-{site}"),
                owner: format!("owner-{site}"),
                kind: SiteKind::Slots,
                nodes: (0..bed.nodes / SITES).map(node).collect(),
                prices: PriceRules::flat(base),
                access: Default::default(),
                timing: Default::default(),
            })));
        }
    }

    /// Says something, and answers whatever the broker then wants, until it wants nothing.
    fn say(&mut self, input: Input) {
        let mut waiting = vec![input];
        while let Some(input) = waiting.pop() {
            let at = time(self.now);
            let Ok(handled) = self.broker.handle(at, &input) else { continue };
            if self.keeps && !handled.events.is_empty() {
                self.journal.push(Entry { at, input, events: handled.events });
            }
            for effect in handled.effects {
                waiting.extend(self.answer(effect));
            }
        }
    }

    fn answer(&mut self, effect: Effect) -> Vec<Input> {
        let say = |site: SiteId, message: SiteMessage| Input::Site { site, message };
        match effect {
            Effect::AskOffers { site, cycle, horizon, .. } => {
                vec![say(site, SiteMessage::Offers { cycle, free: self.free(site, horizon) })]
            }
            Effect::Prepare { site, reservation, .. } => vec![say(site, SiteMessage::Prepared(reservation))],
            Effect::Confirm { site, reservation } => vec![say(site, SiteMessage::Confirmed(reservation))],
            Effect::Start { site, reservation, parts, .. } => {
                let at = time(self.now);
                let numbers: Vec<u32> = parts.iter().map(|part| part.part).collect();
                if !self.instant {
                    self.running.push_back((site, reservation, numbers.clone()));
                    return vec![say(site, SiteMessage::Started { reservation, parts: numbers, at })];
                }
                let ended = parts.iter().map(|StartPart { part, .. }| {
                    say(
                        site,
                        SiteMessage::Ended { reservation, part: *part, at, end: PartEnd::Done, used: None },
                    )
                });
                let started = say(site, SiteMessage::Started { reservation, parts: numbers, at });
                // The last is said first.
                ended.chain([started]).collect()
            }
            Effect::Release { site, reservation } | Effect::Cancel { site, reservation } => {
                vec![say(site, SiteMessage::Released(reservation))]
            }
            Effect::Notify { notice, .. } => vec![Input::Noticed(notice)],
            Effect::Plan(_) | Effect::Move(_) | Effect::Observe { .. } | Effect::Go { .. } => Vec::new(),
        }
    }

    /// Every node's horizon in as many slots as wanted, with short breaks between them.
    fn free(&self, site: SiteId, horizon: Interval) -> Free {
        let each = self.nodes / SITES;
        let length = horizon.span().as_millis() / self.slots;
        let mut free = Vec::new();
        for node in site.number() * each..(site.number() + 1) * each {
            for slot in 0..self.slots {
                let start = horizon.start().as_millis() + slot * length;
                let interval = Interval::new(time(start), time(start + length - 30_000));
                free.extend(interval.map(|interval| FreeTime::whole(NodeId::new(node), interval)));
            }
        }
        Free::Slots(free)
    }

    /// Submits so many jobs.
    pub(crate) fn submit(&mut self, count: u64) {
        for _ in 0..count {
            self.submitted += 1;
            let number = self.submitted;
            let minutes = 2 + i64::try_from(number * 7 % 20).unwrap_or(0);
            let Some(work) = Work::from_millis(minutes * MINUTE) else { continue };
            let tasks = 1 + u32::try_from(number % 4).unwrap_or(0);
            let request = Request::new(&format!("job-{number}"), tasks, work);
            let job = JobSpec::plain(format!("user-{}", number % USERS), request);
            self.say(Input::Submit { key: format!("k{number}"), job: Box::new(job) });
        }
    }

    /// One cycle: opened, offers received, planned, decided, reserved and held.
    pub(crate) fn cycle(&mut self) -> Spent {
        let mut spent = Spent::default();
        self.say(Input::CycleNow);
        let Some(cycle) = self.broker.state().cycle.as_ref().map(|cycle| cycle.number) else { return spent };
        let start = Instant::now();
        let Some(problem) = self.broker.problem(cycle) else { return spent };
        spent.problem = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let decision = Box::new(plan(&problem));
        spent.plan = start.elapsed().as_secs_f64();
        spent.served = decision.chosen.len();
        spent.planned = decision.planned.len();
        let start = Instant::now();
        self.say(Input::Decided { cycle, decision });
        spent.decide = start.elapsed().as_secs_f64();
        spent
    }

    /// What was started first ends, a second later.
    pub(crate) fn one_ends(&mut self) {
        self.now += 1_000;
        self.say(Input::Tick);
        while self.running.is_empty()
            && let Some(next) = self.next()
        {
            self.now = next;
            self.say(Input::Tick);
        }
        let at = time(self.now);
        if let Some((site, reservation, parts)) = self.running.pop_front() {
            for part in parts {
                let message = SiteMessage::Ended { reservation, part, at, end: PartEnd::Done, used: None };
                self.say(Input::Site { site, message });
            }
        }
    }

    /// Lets so many jobs come and go.
    pub(crate) fn live(&mut self, jobs: usize) {
        let mut left = u64::try_from(jobs).unwrap_or(0);
        while left > 0 || !self.broker.state().jobs.is_empty() {
            let some = left.min(100);
            self.submit(some);
            left -= some;
            self.cycle();
            while let Some(next) = self.next() {
                self.now = next;
                self.say(Input::Tick);
            }
            self.now += 5 * MINUTE;
        }
    }

    /// When the next reservation starts.
    fn next(&self) -> Option<i64> {
        let starts = self.broker.state().reservations.values().map(|it| it.start().as_millis());
        starts.filter(|start| *start > self.now).min()
    }
}
