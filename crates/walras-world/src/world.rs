//! The world's loop: messages on their way, a clock, a broker that may be killed, a journal that may fail.

mod client;
mod cluster;
mod mishap;
mod waiting;

use crate::check::Checker;
use crate::fault::Faults;
use crate::settings::Settings;
use crate::setup::{self, MINUTE, USERS};
use crate::site::FaultySite;
use crate::wanted;
use std::collections::BTreeMap;
use walras_broker::id::CycleNumber;
use walras_broker::input::SiteMessage;
use walras_broker::journal::Entry;
use walras_broker::plan::{plan, plan_briefly};
use walras_broker::{Answer, Broker, Effect, Input};
use walras_model::{NodeId, Share, SiteId, Time};
use walras_random::Stream;
use walras_sites::clock::later;

/// One plan of so many takes too long.
const BRIEF_EVERY: u64 = 7;

/// Something on its way.
#[derive(Clone, Debug)]
enum Parcel {
    /// To a site.
    Effect(Effect),
    /// From a site.
    Message(SiteId, SiteMessage),
    /// A plan.
    Plan(Input),
    /// From a client; with how often it has been said.
    Client(Input, u32),
    /// A notice has been read.
    Noticed(Input),
    /// Time to repeat what nobody has acknowledged.
    Repeat,
    /// Something happens to a site.
    Mishap,
    /// A cluster makes a mistake.
    Mistake,
    /// A site comes back.
    SiteBack(SiteId),
    /// A node comes back.
    NodeBack(SiteId, NodeId),
    /// The calm: from now on nothing goes wrong.
    Calm,
}

/// What became of a world.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What must not be; empty when all is well.
    pub wrong: Vec<String>,
    /// Everything that was written.
    pub journal: Vec<Entry>,
    /// The broker in the end.
    pub broker: Broker,
    /// How many messages and moments there were.
    pub steps: u64,
    /// How often the broker was killed.
    pub kills: u64,
    /// How often it is tried to go wrong.
    pub faults: Faults,
    /// How often something did.
    pub happened: u64,
}

/// A simulated world.
pub struct World {
    pub(crate) now: Time,
    pub(crate) broker: Broker,
    pub(crate) journal: Vec<Entry>,
    pub(crate) sites: Vec<FaultySite>,
    pub(crate) checker: Checker,
    parcels: BTreeMap<(Time, u64), Parcel>,
    posted: u64,
    chance: Stream,
    /// What decides who waits, where anybody does.
    waits: Option<Stream>,
    chains: Option<Stream>,
    /// What decides which mistakes clusters make, where they do.
    clusters: Option<Stream>,
    faults: Faults,
    happened: u64,
    /// How far the broker's clock is ahead, in milliseconds.
    skew: i64,
    planning: Option<CycleNumber>,
    last_tick: Time,
    kills: u64,
    /// Until when nobody is there whom anything could be said to.
    away_until: Time,
    /// Whether the broker was killed and has not said that it is back.
    is_back: bool,
    calm: bool,
}

/// Lives through a world.
pub fn live(settings: &Settings) -> Outcome {
    let mut chance = Stream::open(settings.seed, 0);
    let faults = settings.faults.unwrap_or_else(|| Faults::draw(&mut Stream::open(settings.seed, 1)));
    let assign = setup::assigning(&mut Stream::open(settings.seed, 4));
    let (mut inputs, sites) =
        setup::begin(&mut chance, assign, settings.late, settings.planning).unwrap_or_default();
    let zero = Time::from_millis(0).unwrap_or(Time::MIN);
    let mut world = World {
        now: zero,
        broker: Broker::default(),
        journal: Vec::new(),
        sites,
        checker: Checker::default(),
        parcels: BTreeMap::new(),
        posted: 0,
        chance: Stream::open(settings.seed, 2),
        waits: settings.waits.then(|| Stream::open(settings.seed, 3)),
        chains: settings.chains.then(|| Stream::open(settings.seed, 5)),
        clusters: settings.clusters.then(|| Stream::open(settings.seed, 4)),
        faults: Faults::default(),
        happened: 0,
        skew: 0,
        planning: None,
        last_tick: Time::MIN,
        kills: 0,
        away_until: Time::MIN,
        is_back: false,
        calm: false,
    };
    inputs.iter_mut().filter(|_| settings.chains).for_each(|it| setup::for_chains(it, settings.seed));
    inputs.iter_mut().filter(|_| settings.clusters).for_each(wanted::of_clusters);
    for input in inputs {
        world.say(&input);
    }
    if world.sites.is_empty() {
        world.checker.wrong.push("there is no world: its sites could not be made".to_owned());
    }
    world.faults = faults;
    for site in &mut world.sites {
        site.unwilling = faults.refusal;
    }
    world.invite(settings, &mut chance);
    let steps = world.run(settings.steps_max);
    world.checker.finish(
        &world.broker,
        &world.journal,
        world.parcels.is_empty() || steps < settings.steps_max,
    );
    let wrong = world.checker.wrong;
    let happened = world.happened + world.sites.iter().map(|site| site.unwillingly).sum::<u64>();
    Outcome {
        wrong,
        journal: world.journal,
        broker: world.broker,
        steps,
        kills: world.kills,
        faults,
        happened,
    }
}

impl World {
    /// Plans everything that does not follow from something else.
    fn invite(&mut self, settings: &Settings, chance: &mut Stream) {
        let span = settings.minutes * MINUTE;
        for (place, user) in USERS.iter().enumerate() {
            for round in 0..3 {
                let key = format!("deposit-{place}-{round}");
                let at = if round == 0 { 0 } else { chance.between(0, span) };
                self.post(later(self.now, at), Parcel::Client(setup::deposit(user, key, chance), 0));
            }
        }
        for number in 0..settings.jobs {
            let at = later(self.now, chance.between(1, span));
            let Some(spec) = setup::job(number, at, chance) else { continue };
            let spec = wanted::as_set(spec, number, settings);
            let spec = if settings.gangs { setup::in_gangs(spec, settings.seed, number) } else { spec };
            let (key, job) = (format!("job-{number}"), Box::new(spec));
            let input = if chance.happens(300) {
                Input::AskQuote { key, job, findings: None, hold: setup::held_for(chance) }
            } else {
                Input::Submit { key, job }
            };
            self.post(at, Parcel::Client(input, 0));
        }
        self.post(self.now, Parcel::Repeat);
        self.post(later(self.now, MINUTE), Parcel::Mishap);
        if settings.clusters {
            self.post(later(self.now, MINUTE), Parcel::Mistake);
        }
        self.post(later(self.now, span + 60 * MINUTE), Parcel::Calm);
    }

    fn post(&mut self, at: Time, parcel: Parcel) {
        self.posted += 1;
        self.parcels.insert((at, self.posted), parcel);
    }

    /// Lives until nothing is left to happen; gives the number of steps.
    fn run(&mut self, steps_max: u64) -> u64 {
        let end = later(self.now, 14 * 60 * MINUTE);
        for step in 0..steps_max {
            if !self.checker.wrong.is_empty() || self.now > end || (self.calm && self.is_quiet()) {
                return step;
            }
            let parcel = self.parcels.first_key_value().map(|((at, _), _)| *at);
            let site = self.sites.iter().filter_map(|site| site.site.next()).min();
            let tick = self.next_tick();
            let Some(next) = parcel.into_iter().chain(site).chain(tick).min() else { return step };
            self.now = self.now.max(next);
            if site.is_some_and(|at| at <= self.now) {
                self.sites_pass();
            } else if tick.is_some_and(|at| at <= self.now) {
                self.last_tick = self.now;
                if std::mem::take(&mut self.is_back) {
                    self.say(&Input::ServiceBack);
                }
                if self.say(&Input::Tick).is_some() {
                    self.checker.after_tick(&self.broker, later(self.now, self.skew));
                }
            } else if let Some((_, parcel)) = self.parcels.pop_first() {
                self.open(parcel);
            }
            self.checker.sites(self.now, &mut self.sites);
        }
        steps_max
    }

    /// Nothing is reserved, and nobody waits who could be served.
    fn is_quiet(&self) -> bool {
        let state = self.broker.state();
        state.reservations.is_empty() && state.jobs.is_empty() && state.quotes.is_empty()
    }

    /// When the broker wants to be told the time; not twice in half a second.
    fn next_tick(&self) -> Option<Time> {
        let timer = self.broker.next_timer()?;
        Some(later(timer, -self.skew).max(later(self.last_tick, 500)).max(self.now).max(self.away_until))
    }

    fn sites_pass(&mut self) {
        for place in 0..self.sites.len() {
            let messages = self.sites[place].site.pass(self.now);
            self.deliver(self.sites[place].id, messages);
        }
    }

    /// Puts what a site says on its way.
    fn deliver(&mut self, site: SiteId, messages: impl IntoIterator<Item = SiteMessage>) {
        for message in messages {
            self.send(&Parcel::Message(site, message));
        }
    }

    /// Puts something on its way, where it may be lost, late or doubled.
    fn send(&mut self, parcel: &Parcel) {
        let copies = 1 + i64::from(self.goes_wrong(|it| it.twice));
        for _ in 0..copies {
            if self.goes_wrong(|it| it.lost) {
                continue;
            }
            let slow = self.goes_wrong(|it| it.late);
            let delay =
                if slow { self.chance.between(10_000, 900_000) } else { self.chance.between(10, 2_000) };
            self.post(later(self.now, delay), parcel.clone());
        }
    }

    /// Whether a site cannot be reached.
    fn is_cut(&self, site: Option<SiteId>) -> bool {
        let site = site.and_then(|site| self.sites.get(site.index()));
        site.is_some_and(|site| self.now < site.cut_until)
    }

    fn open(&mut self, parcel: Parcel) {
        match parcel {
            Parcel::Effect(effect) if self.is_cut(effect.site()) => {}
            Parcel::Message(site, _) if self.is_cut(Some(site)) => {}
            Parcel::Effect(effect) => self.at_site(&effect),
            Parcel::Message(site, message) => {
                let known = self.broker.state();
                let message = if self.clusters.is_some() { known.shortened(site, message) } else { message };
                self.say(&Input::Site { site, message });
            }
            Parcel::Plan(input) => {
                self.planning = None;
                self.say(&input);
            }
            Parcel::Noticed(input) => {
                self.say(&input);
            }
            Parcel::Client(input, said) => self.client(input, said),
            Parcel::Repeat => {
                for effect in self.broker.outstanding() {
                    self.perform(effect);
                }
                let pause = self.chance.between(5_000, 20_000);
                self.post(later(self.now, pause), Parcel::Repeat);
            }
            Parcel::Mishap => self.mishap(),
            Parcel::Mistake => self.mistake(),
            Parcel::SiteBack(id) => self.site_back(id),
            Parcel::NodeBack(id, node) => {
                let site = &mut self.sites[id.index()].site;
                // It may be gone for good by now.
                if site.nodes().iter().any(|known| known.id == node) {
                    let news = site.bring_back(self.now, node);
                    let news = self.checker.possible(news).flatten();
                    self.deliver(id, news);
                }
            }
            Parcel::Calm => {
                self.calm = true;
                self.faults = Faults::default();
                self.sites.iter_mut().for_each(|site| site.unwilling = Share::NOTHING);
            }
        }
    }

    fn at_site(&mut self, effect: &Effect) {
        let Some(place) = effect.site().map(SiteId::index) else { return };
        self.checker.before_start(effect, &self.sites);
        let messages = self.sites[place].hear(self.now, effect, &mut self.chance);
        self.deliver(self.sites[place].id, messages);
    }

    /// Says something to the broker, unless it is killed or cannot write.
    fn say(&mut self, input: &Input) -> Option<Answer> {
        if self.now < self.away_until {
            return None;
        }
        if !self.calm && self.goes_wrong(|it| it.clock) {
            self.skew = self.chance.between(-600_000, 600_000);
        } else if self.skew != 0 && (self.calm || self.chance.happens(200)) {
            self.skew = 0;
        }
        if self.goes_wrong(|it| it.kill) {
            self.kill();
            return None;
        }
        let at = self.broker.moment(later(self.now, self.skew));
        let change = match self.broker.decide(at, input) {
            Ok(change) => change,
            Err(refusal) => {
                self.checker.refused(input, &refusal);
                return None;
            }
        };
        if change.events.is_empty() {
            return Some(change.answer);
        }
        if self.goes_wrong(|it| it.write) {
            return None;
        }
        let entry = Entry { at, input: input.clone(), events: change.events };
        self.checker.written(&entry);
        self.journal.push(entry);
        if self.goes_wrong(|it| it.kill) {
            self.kill();
            return None;
        }
        let entry = self.journal.last()?;
        let mut effects = Vec::new();
        for event in &entry.events {
            effects.extend(self.broker.step(at, event));
        }
        self.checker.entry(&self.broker, entry);
        if self.goes_wrong(|it| it.kill) {
            self.kill();
            return None;
        }
        for effect in effects {
            self.perform(effect);
        }
        Some(change.answer)
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Plan(cycle) => {
                if self.planning == Some(cycle) {
                    return;
                }
                let Some(problem) = self.broker.problem(cycle) else { return };
                self.planning = Some(cycle);
                // Some plans take too long, and others are made in their place.
                let late = cycle.get() % BRIEF_EVERY == 0;
                let decision = Box::new(if late { plan_briefly(&problem) } else { plan(&problem) });
                self.send(&Parcel::Plan(Input::Decided { cycle, decision }));
            }
            Effect::Notify { notice, .. } => self.send(&Parcel::Noticed(Input::Noticed(notice))),
            // Nobody's tasks have files here.
            Effect::Move(_) => {}
            effect => self.send(&Parcel::Effect(effect)),
        }
    }
}
