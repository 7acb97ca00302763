//! A small VO whose sites do as they are told.

use std::collections::{BTreeMap, BTreeSet};
use walras_broker::account::{Account, Purpose};
use walras_broker::again::BegunCycle;
use walras_broker::event::ReservationEvent;
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::input::{SiteMessage, User};
use walras_broker::job::{JobSpec, PartEnd, SiteRefusal};
use walras_broker::journal::Entry;
use walras_broker::plan::{plan, plan_briefly};
use walras_broker::policy::{Deciding, Policy};
use walras_broker::price::PriceRules;
use walras_broker::sales::sales;
use walras_broker::site::{Free, FreeTime, NodeSpec, QueueSpec, SiteKind, SiteSpec, Timing};
use walras_broker::{Answer, Broker, Effect, Event, Input};
use walras_model::{
    Attributes, Division, Money, NodeId, Performance, Rate, Request, SiteId, Span, Time, Work,
};

pub(crate) const MINUTE: i64 = 60_000;

pub(crate) fn at(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

pub(crate) fn span(millis: i64) -> Span {
    Span::from_millis(millis).unwrap()
}

pub(crate) fn credits(credits: i64) -> Money {
    Money::from_micros(credits * 1_000_000)
}

pub(crate) fn rate(micros: i64) -> Rate {
    Rate::from_micros_per_second(micros).unwrap()
}

pub(crate) fn user(name: &str) -> Account {
    Account::User(name.to_owned())
}

/// A broker, its sites and a clock.
pub(crate) struct Vo {
    pub(crate) broker: Broker,
    pub(crate) now: i64,
    /// Sites that never answer.
    pub(crate) silent: BTreeSet<SiteId>,
    /// Sites that refuse to prepare.
    pub(crate) refusing: BTreeSet<SiteId>,
    /// Why they do.
    pub(crate) refusal: SiteRefusal,
    /// Sites that are never ready to begin with others.
    pub(crate) unready: BTreeSet<SiteId>,
    /// What waits to begin with others, until when.
    held_back: BTreeMap<(SiteId, ReservationNumber), Vec<(u32, i64)>>,
    /// What was last said to be free.
    pub(crate) offered: Option<Free>,
    /// How much of its time a part takes, in hundredths.
    pub(crate) takes: i64,
    /// What queues expect one to wait.
    pub(crate) wait: i64,
    /// How fast nodes are of sites that are added.
    pub(crate) performance: Performance,
    /// How fast every other of them is, where that differs.
    pub(crate) others: Option<Performance>,
    /// What sites that are added need around holds.
    pub(crate) timing: Timing,
    /// What nodes of sites that join state.
    pub(crate) attributes: Attributes,
    /// How the nodes of sites that join are sold.
    pub(crate) division: Division,
    /// How many of their units are free; all of them, without.
    pub(crate) units: Option<u32>,
    /// The same as a journal.
    pub(crate) entries: Vec<Entry>,
    /// Whether nothing is planned: whoever tests does.
    pub(crate) unplanned: bool,
    /// A job with which every plan takes too long.
    pub(crate) slow: Option<JobNumber>,
    pub(crate) events: Vec<Event>,
    pub(crate) effects: Vec<Effect>,
    /// Whether cycles are kept; whoever keeps all of a long life makes every change copy what is kept.
    pub(crate) keeps: bool,
    /// Every cycle that was kept, as its planning began.
    pub(crate) begun: Vec<BegunCycle>,
    kinds: Vec<SiteKind>,
    nodes: Vec<Vec<NodeId>>,
    ends: BTreeMap<(i64, u64), (SiteId, ReservationNumber, u32)>,
    said: u64,
}

impl Vo {
    /// Slot sites with so many nodes each, at a price per second in micro-credits; ada has a thousand credits.
    pub(crate) fn new(sites: &[(usize, i64)]) -> Vo {
        let mut vo = Vo {
            broker: Broker::default(),
            now: 0,
            silent: BTreeSet::new(),
            refusing: BTreeSet::new(),
            refusal: SiteRefusal::Busy,
            unready: BTreeSet::new(),
            held_back: BTreeMap::new(),
            offered: None,
            takes: 100,
            wait: MINUTE,
            performance: Performance::ONE,
            others: None,
            timing: Timing::NOTHING,
            attributes: Attributes::new(),
            division: Division::default(),
            units: None,
            events: Vec::new(),
            effects: Vec::new(),
            keeps: false,
            slow: None,
            entries: Vec::new(),
            unplanned: false,
            begun: Vec::new(),
            kinds: Vec::new(),
            nodes: Vec::new(),
            ends: BTreeMap::new(),
            said: 0,
        };
        vo.say(Input::SetPolicy(Box::new(policy())));
        vo.join("ada", None, 1_000);
        for (nodes, price) in sites {
            vo.add_site(SiteKind::Slots, *nodes, PriceRules::flat(rate(*price)));
        }
        vo
    }

    pub(crate) fn join(&mut self, name: &str, group: Option<&str>, amount: i64) {
        let group = group.map(str::to_owned);
        self.say(Input::SetUser(User { name: name.to_owned(), group, share: 1, lowest: Money::ZERO }));
        let key = format!("deposit-{name}");
        self.say(Input::Deposit { key, account: user(name), amount: credits(amount) });
    }

    pub(crate) fn add_site(&mut self, kind: SiteKind, nodes: usize, prices: PriceRules) -> SiteId {
        let node = |index: usize| NodeSpec {
            division: self.division.clone(),
            name: format!("n{index}"),
            class: None,
            performance: self.others.filter(|_| index % 2 == 1).unwrap_or(self.performance),
            watts: None,
            attributes: self.attributes.clone(),
        };
        let first = self.nodes.iter().map(Vec::len).sum::<usize>();
        self.nodes.push((first..first + nodes).map(|id| NodeId::from_index(id).unwrap()).collect());
        self.kinds.push(kind.clone());
        let number = self.kinds.len() - 1;
        let spec = SiteSpec {
            name: format!("site-{number}"),
            owner: format!("owner-{number}"),
            kind,
            nodes: (0..nodes).map(node).collect(),
            prices,
            access: Default::default(),
            timing: self.timing,
        };
        let Some(Answer::Site(site)) = self.say(Input::AddSite(Box::new(spec))) else {
            panic!("the site was refused")
        };
        site
    }

    pub(crate) fn queue_kind() -> SiteKind {
        SiteKind::Queue(QueueSpec {
            performance: Performance::ONE,
            watts: None,
            attributes: Attributes::new(),
        })
    }

    /// Says something, and lets the sites answer until all is quiet.
    pub(crate) fn say(&mut self, input: Input) -> Option<Answer> {
        let mut waiting = vec![input];
        let mut answer = None;
        while let Some(input) = waiting.pop() {
            self.check_sales(&input);
            let moment = self.broker.moment(at(self.now));
            let Ok(handled) = self.broker.handle(at(self.now), &input) else { continue };
            answer = answer.or(Some(handled.answer));
            if !handled.events.is_empty() {
                self.entries.push(Entry { at: moment, input, events: handled.events.clone() });
            }
            self.events.extend(handled.events);
            for effect in handled.effects {
                waiting.extend(self.answer(&effect));
                self.effects.push(effect);
            }
        }
        answer
    }

    /// What an input closes is sold hold by hold for exactly what is booked. It is decided twice for that, so only in small VOs.
    fn check_sales(&self, input: &Input) {
        if self.broker.state().jobs.len() > 40 {
            return;
        }
        let now = self.broker.moment(at(self.now));
        let Ok(change) = self.broker.decide(now, input) else { return };
        let closes = |event: &Event| matches!(event, Event::Reservation(ReservationEvent::Closed { .. }));
        if !change.events.iter().any(closes) {
            return;
        }
        let mut broker = Broker::from_state(self.broker.state().clone());
        for event in &change.events {
            if let Event::Reservation(ReservationEvent::Closed { reservation, why, transaction, .. }) = event
            {
                let state = broker.state();
                let sales = sales(state, &state.reservations[reservation], now, why.as_ref());
                let mut incomes: BTreeMap<Account, i128> = BTreeMap::new();
                for sale in &sales {
                    let owner = state.site(sale.site).unwrap().spec.owner.clone();
                    *incomes.entry(Account::Owner(owner)).or_default() += i128::from(sale.income.as_micros());
                }
                for (owner, income) in incomes {
                    assert_eq!(income, transaction.sum(&owner, Purpose::Income), "{event:?}");
                }
                let charged: Money = sales.iter().map(|sale| sale.charged).sum();
                assert_eq!(charged, transaction.taken(&Account::Held, Purpose::Charge), "{event:?}");
            }
            broker.step(now, event);
        }
    }

    pub(crate) fn heard(&mut self, site: u32, message: SiteMessage) {
        self.say(Input::Site { site: SiteId::new(site), message });
    }

    fn answer(&mut self, effect: &Effect) -> Option<Input> {
        if matches!(effect, Effect::Plan(_)) && self.unplanned {
            return None;
        }
        if let Effect::Plan(cycle) = effect {
            let problem = self.broker.problem(*cycle)?;
            let late = self.slow.is_some_and(|slow| problem.jobs.iter().any(|job| job.number == slow));
            let decision = Box::new(if late { plan_briefly(&problem) } else { plan(&problem) });
            if self.keeps {
                self.begun.extend(self.broker.begun(*cycle));
            }
            return Some(Input::Decided { cycle: *cycle, decision });
        }
        let site = effect.site().filter(|site| !self.silent.contains(site))?;
        let message = match effect {
            Effect::AskOffers { cycle, horizon, .. } => {
                let free = match self.kinds[site.index()] {
                    SiteKind::Slots => {
                        let free = |node: &NodeId| FreeTime {
                            units: self.units,
                            ..FreeTime::whole(*node, *horizon)
                        };
                        Free::Slots(self.nodes[site.index()].iter().map(free).collect())
                    }
                    SiteKind::Capacity => {
                        Free::Capacity(u32::try_from(self.nodes[site.index()].len()).unwrap())
                    }
                    SiteKind::Queue(_) => Free::Queue { wait: span(self.wait), units: 8 },
                };
                self.offered = Some(free.clone());
                self.broker.state().shortened(site, SiteMessage::Offers { cycle: *cycle, free })
            }
            Effect::Prepare { reservation, .. } if self.refusing.contains(&site) => {
                SiteMessage::Refused { reservation: *reservation, refusal: self.refusal }
            }
            Effect::Prepare { reservation, .. } => SiteMessage::Prepared(*reservation),
            Effect::Confirm { reservation, .. } => SiteMessage::Confirmed(*reservation),
            Effect::Release { reservation, .. } | Effect::Cancel { reservation, .. } => {
                SiteMessage::Released(*reservation)
            }
            Effect::Start { reservation, parts, together, .. } => {
                let parts = parts.iter().map(|part| (part.part, part.end.as_millis())).collect();
                if *together {
                    self.held_back.insert((site, *reservation), parts);
                    let ready = !self.unready.contains(&site);
                    return ready.then_some(Input::Site { site, message: SiteMessage::Ready(*reservation) });
                }
                self.begin(site, *reservation, parts)
            }
            Effect::Go { reservation, .. } => {
                let parts = self.held_back.remove(&(site, *reservation))?;
                self.begin(site, *reservation, parts)
            }
            _ => return None,
        };
        Some(Input::Site { site, message })
    }

    /// Parts begin, each until then.
    fn begin(&mut self, site: SiteId, reservation: ReservationNumber, parts: Vec<(u32, i64)>) -> SiteMessage {
        for (part, end) in &parts {
            self.said += 1;
            let end = self.now + (end - self.now) * self.takes / 100;
            self.ends.insert((end, self.said), (site, reservation, *part));
        }
        let parts = parts.into_iter().map(|(part, _)| part).collect();
        SiteMessage::Started { reservation, parts, at: at(self.now) }
    }

    /// A part that runs goes on until then.
    pub(crate) fn put_off(&mut self, number: ReservationNumber, part: u32, until: Time) {
        let is_it =
            |(_, of): &(&(i64, u64), &(SiteId, ReservationNumber, u32))| (of.1, of.2) == (number, part);
        let (key, of) = self.ends.iter().find(is_it).map(|(key, of)| (*key, *of)).expect("it runs");
        self.ends.remove(&key);
        self.ends.insert((until.as_millis(), key.1), of);
    }

    /// Lets time pass.
    pub(crate) fn run_until(&mut self, end: i64) {
        while self.now < end {
            let timer = self.broker.next_timer().map_or(end, Time::as_millis).max(self.now + 1);
            let part = self.ends.first_key_value().map_or(end, |((at, _), _)| *at);
            self.now = timer.min(part).min(end);
            while let Some(((when, _), _)) = self.ends.first_key_value()
                && *when <= self.now
            {
                let ((when, _), (site, reservation, part)) = self.ends.pop_first().unwrap();
                let message =
                    SiteMessage::Ended { reservation, part, at: at(when), end: PartEnd::Done, used: None };
                self.say(Input::Site { site, message });
            }
            self.say(Input::Tick);
        }
    }

    pub(crate) fn job(&self, name: &str, tasks: u32, minutes: i64) -> JobSpec {
        let request = Request::new(name, tasks, Work::from_millis(minutes * MINUTE).unwrap());
        JobSpec::plain("ada".to_owned(), request)
    }

    pub(crate) fn submit(&mut self, job: JobSpec) -> JobNumber {
        let key = job.request.name.clone();
        match self.say(Input::Submit { key, job: Box::new(job) }) {
            Some(Answer::Job(number)) => number,
            other => panic!("the job was not taken: {other:?}"),
        }
    }

    pub(crate) fn balance(&self, account: &Account) -> Money {
        self.broker.state().books.balance(account)
    }

    /// Whether an effect was asked for.
    pub(crate) fn did(&self, what: impl Fn(&Effect) -> bool) -> bool {
        self.effects.iter().any(what)
    }

    /// When a job has started.
    pub(crate) fn started(&self, number: JobNumber) -> Option<i64> {
        let mut reservation = None;
        for event in &self.events {
            match event {
                Event::Reservation(ReservationEvent::Asked { job, reservation: of, .. })
                    if *job == number =>
                {
                    reservation = Some(*of);
                }
                Event::Reservation(ReservationEvent::PartStarted { reservation: of, at, .. })
                    if Some(*of) == reservation =>
                {
                    return Some(at.as_millis());
                }
                _ => {}
            }
        }
        None
    }
}

/// Short times, and no fee; every window is reserved at once.
pub(crate) fn policy() -> Policy {
    let mut policy = Policy {
        deciding: Deciding::AtOnce,
        cycle_every: span(MINUTE),
        horizon: span(600 * MINUTE),
        lead: span(40_000),
        offers_within: span(8_000),
        prepare_within: span(20_000),
        confirm_within: span(20_000),
        ..Policy::default()
    };
    policy.money.compensation = walras_model::Share::percent(10);
    policy.quotes.lead = Span::ZERO;
    policy
}
