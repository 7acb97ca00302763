//! A tiny world around the real broker: sites that do what they are asked, unless they are told to misbehave.

use std::collections::{BTreeMap, BTreeSet};
use walras_audit::{Auditor, Finding};
use walras_broker::account::Account;
use walras_broker::effect::{Effect, FileMove};
use walras_broker::id::ReservationNumber;
use walras_broker::input::{Answer, Input, SiteMessage, User};
use walras_broker::job::{JobSpec, PartEnd, SiteRefusal};
use walras_broker::journal::Entry;
use walras_broker::moving::{MoveEnd, MoveFault};
use walras_broker::plan::plan;
use walras_broker::price::PriceRules;
use walras_broker::site::{Free, FreeTime, NodeSpec, QueueSpec, SiteKind, SiteSpec, Timing};
use walras_broker::{Broker, Input as In};
use walras_model::{
    Attributes, Interval, Money, NodeId, Performance, Rate, Request, SiteId, Span, Time, Work,
};

pub(crate) fn time(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

pub(crate) fn span(millis: i64) -> Span {
    Span::from_millis(millis).unwrap()
}

pub(crate) fn credits(credits: i64) -> Money {
    Money::from_micros(credits * 1_000_000)
}

/// A broker, its journal, and messages on their way to it.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) broker: Broker,
    pub(crate) journal: Vec<Entry>,
    pub(crate) now: i64,
    coming: BTreeMap<(i64, u64), Input>,
    sent: u64,
    nodes: Vec<Vec<NodeId>>,
    /// Sites that only say how many nodes are free.
    counted: BTreeSet<SiteId>,
    /// Sites that refuse the next thing that they are asked for.
    pub(crate) refuse: BTreeSet<SiteId>,
    /// Sites that do not answer when they are asked to prepare.
    pub(crate) quiet: Vec<SiteId>,
    /// How the next part ends that is started, instead of well.
    pub(crate) ends: Vec<PartEnd>,
    /// Parts end this long before they should.
    pub(crate) early: i64,
    /// So many of the next moves of files fail; those that have are asked for again.
    pub(crate) failing_moves: u32,
    /// What is wrong with them; they are not there, without.
    pub(crate) fault: Option<MoveFault>,
}

impl World {
    /// Says something now; what it comes to is written down and done.
    pub(crate) fn say(&mut self, input: Input) -> Answer {
        let at = self.broker.moment(time(self.now));
        let handled = self.broker.handle(at, &input).unwrap();
        if !handled.events.is_empty() {
            self.journal.push(Entry { at, input, events: handled.events });
        }
        for effect in handled.effects {
            self.perform(effect);
        }
        handled.answer
    }

    fn send(&mut self, after: i64, input: Input) {
        self.sent += 1;
        self.coming.insert((self.now + after, self.sent), input);
    }

    fn answer(&mut self, site: SiteId, after: i64, message: SiteMessage) {
        self.send(after, Input::Site { site, message });
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::AskOffers { site, cycle, horizon, .. } => {
                let nodes = &self.nodes[site.index()];
                let free = |node: &NodeId| FreeTime::whole(*node, horizon);
                let free = match nodes.is_empty() {
                    false if self.counted.contains(&site) => {
                        Free::Capacity(u32::try_from(nodes.len()).unwrap())
                    }
                    true => Free::Queue { wait: span(60_000), units: 4 },
                    false => Free::Slots(nodes.iter().map(free).collect()),
                };
                self.answer(site, 10, SiteMessage::Offers { cycle, free });
            }
            Effect::Plan(cycle) => {
                let decision = Box::new(plan(&self.broker.problem(cycle).unwrap()));
                self.send(20, In::Decided { cycle, decision });
            }
            Effect::Prepare { site, .. } if self.quiet.contains(&site) => {}
            Effect::Prepare { site, reservation, .. } => {
                let refused = SiteMessage::Refused { reservation, refusal: SiteRefusal::Busy };
                let refuses = self.refuse.remove(&site);
                let message = if refuses { refused } else { SiteMessage::Prepared(reservation) };
                self.answer(site, 10, message);
            }
            Effect::Confirm { site, reservation } => {
                self.answer(site, 10, SiteMessage::Confirmed(reservation));
            }
            Effect::Start { site, reservation, parts, .. } => {
                let at = time(self.now);
                let numbers: Vec<u32> = parts.iter().map(|part| part.part).collect();
                self.answer(site, 5, SiteMessage::Started { reservation, parts: numbers, at });
                for part in parts {
                    let lasts = (part.end.as_millis() - self.now - self.early).max(6);
                    let end = if self.ends.is_empty() { PartEnd::Done } else { self.ends.remove(0) };
                    let at = time(self.now + lasts);
                    self.answer(
                        site,
                        lasts,
                        SiteMessage::Ended { reservation, part: part.part, at, end, used: None },
                    );
                }
            }
            Effect::Release { site, reservation } | Effect::Cancel { site, reservation } => {
                self.forget(site, reservation);
                self.answer(site, 10, SiteMessage::Released(reservation));
            }
            Effect::Notify { notice, .. } => self.send(1, In::Noticed(notice)),
            Effect::Observe { .. } | Effect::Go { .. } => {}
            Effect::Move(files) => self.bring(*files),
        }
    }

    /// Brings files within half a second, or fails to; and tries again, as the engine does with what is outstanding.
    fn bring(&mut self, files: FileMove) {
        let FileMove { reservation, task, to, .. } = files;
        let mut after = 500;
        while self.failing_moves > 0 {
            self.failing_moves -= 1;
            let fault = self.fault.clone().unwrap_or_else(|| MoveFault::NotThere("a".into()));
            let end = MoveEnd::Failed(fault);
            self.send(after, In::Moved { reservation, task, to, end });
            after += 500;
        }
        let end = MoveEnd::Done { files: 1, bytes: 10 };
        self.send(after, In::Moved { reservation, task, to, end });
    }

    /// What a site lets go neither starts nor ends any more.
    fn forget(&mut self, of: SiteId, number: ReservationNumber) {
        self.coming.retain(|_, input| match input {
            Input::Site { site, message: SiteMessage::Started { reservation, .. } }
            | Input::Site { site, message: SiteMessage::Ended { reservation, .. } } => {
                *site != of || *reservation != number
            }
            _ => true,
        });
    }

    /// Lets time pass.
    pub(crate) fn run_until(&mut self, until: i64) {
        let mut ticked = i64::MIN;
        loop {
            let message = self.coming.keys().next().map(|(at, _)| *at).unwrap_or(i64::MAX);
            let timer = self.broker.next_timer().map_or(i64::MAX, |at| at.as_millis()).max(self.now);
            // A timer that brought nothing is looked at again a second later.
            let timer = if timer == ticked { timer + 1_000 } else { timer };
            let next = message.min(timer);
            if next > until {
                break;
            }
            self.now = next;
            if message <= timer {
                let (_, input) = self.coming.pop_first().unwrap();
                self.say(input);
            } else {
                self.say(Input::Tick);
                ticked = timer;
            }
        }
        self.now = self.now.max(until);
    }

    pub(crate) fn user(&mut self, name: &str, group: Option<&str>, money: i64) {
        let group = group.map(str::to_owned);
        self.say(In::SetUser(User { name: name.into(), group, share: 1, lowest: Money::ZERO }));
        let account = Account::User(name.into());
        self.say(In::Deposit { key: "first".into(), account, amount: credits(money) });
    }

    /// A site that sells processors of these speeds.
    pub(crate) fn capacity(&mut self, name: &str, owner: &str, speeds: &[i64]) -> SiteId {
        let site = self.site_of(name, owner, speeds, Some(SiteKind::Capacity));
        self.counted.insert(site);
        site
    }

    /// A site with nodes of these speeds, or a queue without any.
    pub(crate) fn site(&mut self, name: &str, owner: &str, speeds: &[i64]) -> SiteId {
        self.site_of(name, owner, speeds, None)
    }

    fn site_of(&mut self, name: &str, owner: &str, speeds: &[i64], kind: Option<SiteKind>) -> SiteId {
        let speed = |speed: i64| Performance::from_millionths(speed * 1_000_000).unwrap();
        let kind = match speeds {
            [] => SiteKind::Queue(QueueSpec {
                performance: speed(1),
                watts: None,
                attributes: Attributes::new(),
            }),
            _ => kind.unwrap_or(SiteKind::Slots),
        };
        let node = |(place, it): (usize, &i64)| NodeSpec {
            division: Default::default(),
            name: format!("n{place}"),
            class: None,
            performance: speed(*it),
            watts: None,
            attributes: Attributes::new(),
        };
        let nodes: Vec<NodeSpec> = speeds.iter().enumerate().map(node).collect();
        let first: usize = self.nodes.iter().map(Vec::len).sum();
        let prices = PriceRules::flat(Rate::from_micros_per_second(1_000_003).unwrap());
        let access = Default::default();
        let spec = SiteSpec {
            name: name.into(),
            owner: owner.into(),
            kind,
            nodes,
            prices,
            access,
            timing: Timing::NOTHING,
        };
        let Answer::Site(site) = self.say(In::AddSite(Box::new(spec))) else { panic!("no site") };
        let ids = (first..first + speeds.len()).map(|index| NodeId::from_index(index).unwrap());
        self.nodes.push(ids.collect());
        site
    }

    pub(crate) fn hear(&mut self, site: SiteId, message: SiteMessage) {
        self.say(In::Site { site, message });
    }
}

/// A parallel job.
pub(crate) fn job(user: &str, tasks: u32, seconds: i64) -> JobSpec {
    let request = Request::new("job", tasks, Work::from_millis(seconds * 1_000).unwrap());
    JobSpec { command: vec!["run".into()], ..JobSpec::plain(user.into(), request) }
}

pub(crate) fn submit(key: &str, spec: JobSpec) -> Input {
    In::Submit { key: key.into(), job: Box::new(spec) }
}

pub(crate) fn interval(start: i64, end: i64) -> Interval {
    Interval::new(time(start), time(end)).unwrap()
}

/// All that an auditor finds in a journal.
pub(crate) fn audit(journal: &[Entry]) -> (Vec<Finding>, walras_audit::Summary) {
    let mut auditor = Auditor::default();
    let mut found = Vec::new();
    for (entry, position) in journal.iter().zip(1..) {
        found.extend(auditor.entry(position, entry));
    }
    (found, auditor.finish())
}
