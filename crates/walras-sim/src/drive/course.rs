//! The clock, what is on its way, and the broker.

use super::follow::Followed;
use super::join::{hopeless, job_spec, most_cost, site_spec};
use super::site::Grid;
use super::{Course, DriveError, Setup};
use crate::outage::Strikes;
use crate::record::{Record, Site, wholes};
use crate::workload::Job;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use walras_audit::Auditor;
use walras_broker::account::Account;
use walras_broker::event::JobEvent;
use walras_broker::id::JobNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobSpec, Why};
use walras_broker::journal::Entry;
use walras_broker::plan::plan;
use walras_broker::policy::Policy;
use walras_broker::{Answer, Broker, Effect, Event, Input};
use walras_model::{Money, Share, SiteId, Span, Time};
use walras_random::Purpose as Chance;
use walras_random::Stream;
use walras_sites::clock::later;

/// The broker is told the time at most so often within a moment.
const TICKS_MAX: u32 = 16;

/// The broker's rules; where nobody asks for quotes, offers need not be fresh while nobody waits.
fn rules(setup: &Setup) -> Policy {
    let mut policy = setup.policy.clone();
    if setup.quotes > Share::NOTHING {
        policy.quotes.offers_age_max = Policy::default().quotes.offers_age_max;
    }
    policy
}

/// Something on its way.
enum Parcel {
    Effect(Effect),
    Input(Box<Input>),
    /// A user loses patience.
    GiveUp(JobNumber, String),
}

/// A broker and its surroundings.
pub(super) struct Driver<'a> {
    setup: &'a Setup,
    pub(super) broker: Broker,
    grid: Grid,
    followed: Followed,
    pub(super) now: Time,
    parcels: BTreeMap<(Time, u64), Parcel>,
    posted: u64,
    pub(super) users: BTreeSet<String>,
    /// How often users were given money.
    pub(super) given: u32,
    last_tick: (Time, u32),
    auditor: Auditor,
    written: u64,
    strikes: Strikes,
    /// Who asks for a quote first.
    asking: Stream,
}

impl<'a> Driver<'a> {
    pub(super) fn new(setup: &'a Setup) -> Result<Driver<'a>, DriveError> {
        let mut driver = Driver {
            setup,
            broker: Broker::default(),
            grid: Grid::new(setup),
            followed: Followed::new(&setup.sites),
            now: Time::MIN,
            parcels: BTreeMap::new(),
            posted: 0,
            users: BTreeSet::new(),
            given: 0,
            last_tick: (Time::MIN, 0),
            auditor: Auditor::default(),
            written: 0,
            strikes: Strikes::none(),
            asking: Chance::Quotes.stream(setup.seed, 0),
        };
        let nothing: &mut dyn FnMut(Record) = &mut |_| {};
        driver.say(Input::SetPolicy(Box::new(rules(setup))), nothing)?;
        for site in wholes(&setup.sites).filter_map(|kinds| site_spec(kinds, setup)) {
            driver.say(Input::AddSite(Box::new(site)), nothing)?;
        }
        for wish in setup.wishes.inputs(&setup.sites) {
            driver.say(wish, nothing)?;
        }
        Ok(driver)
    }

    fn law(&self, law: impl Into<String>) -> DriveError {
        DriveError::Law { at: self.now, law: law.into() }
    }

    fn post(&mut self, after: Span, parcel: Parcel) {
        self.posted += 1;
        self.parcels.insert((later(self.now, after.as_millis()), self.posted), parcel);
    }

    /// The next moment at which something happens; `None` when all is over.
    pub(super) fn next(&mut self, coming: Option<Time>) -> Option<Time> {
        let most =
            self.setup.moments_per_job_max.saturating_mul(self.followed.course.jobs).saturating_add(1_000);
        // Where a node may still come back, what is in vain now need not stay so.
        let over = coming.is_none() && self.strikes.peek().is_none();
        if self.followed.course.moments >= most || over && self.followed.stands_still(self.now) {
            self.followed.course.cut = true;
            return None;
        }
        if coming.is_none() && self.followed.is_empty() {
            return None;
        }
        let parcel = self.parcels.first_key_value().map(|((at, _), _)| *at);
        let timer = self.broker.next_timer().filter(|_| !self.followed.is_empty()).map(|at| self.tick_at(at));
        let next = coming
            .into_iter()
            .chain(parcel)
            .chain(self.strikes.peek())
            .chain(self.grid.next())
            .chain(timer)
            .min()?;
        Some(next.max(self.now))
    }

    /// When the broker is told the time: when it asks for it, but not for ever within a moment.
    fn tick_at(&self, timer: Time) -> Time {
        let (last, ticks) = self.last_tick;
        if timer <= last && ticks >= TICKS_MAX { later(last, 500) } else { timer.max(self.now) }
    }

    /// Lets time pass until then: what ends by then ends, and what is on its way arrives.
    pub(super) fn pass(&mut self, now: Time) -> Result<(), DriveError> {
        let first = self.now == Time::MIN;
        self.now = now;
        self.followed.course.moments += 1;
        if first && let Some(failures) = &self.setup.failures {
            self.strikes = failures.strikes(&self.setup.sites, self.setup.seed, now);
        }
        Ok(())
    }

    /// A user submits a job; one that no site can ever serve is turned away at once.
    pub(super) fn submit(&mut self, job: Job, sink: &mut dyn FnMut(Record)) -> Result<(), DriveError> {
        self.arrive(sink)?;
        self.followed.course.jobs += 1;
        if let Some(fate) = hopeless(self.setup, &job) {
            sink(Record { job, fate, ran: None, promised: None });
            return Ok(());
        }
        let user = format!("user-{}", job.user.unwrap_or(0));
        self.welcome(&user, sink)?;
        let most = most_cost(self.setup, &job);
        self.fund(&user, self.followed.owed(job.user).saturating_add(most), sink)?;
        let spec = Box::new(job_spec(&job, &user, self.followed.course.jobs, self.setup));
        // The number that a job gets is known before, so that nothing of what follows at once is missed.
        let number = self.broker.state().last.job.next();
        self.followed.add(number, job, spec.workflow.is_some(), most);
        let quotes = self.setup.quotes;
        let asks = quotes > Share::NOTHING && self.asking.happens_in_million(quotes.as_millionths());
        if !(asks && self.by_quote(number, &spec, sink)?) {
            let key = spec.request.name.clone();
            let answer = self.say(Input::Submit { key, job: spec }, sink)?;
            if answer != Answer::Job(number) {
                return Err(self.law(format!("job {number} was answered by {answer:?}")));
            }
        }
        if let Some(patience) = self.setup.patience {
            self.post(patience, Parcel::GiveUp(number, user));
        }
        Ok(())
    }

    /// A user asks for a quote and accepts what ends first; whether the job is there now.
    fn by_quote(
        &mut self,
        number: JobNumber,
        spec: &JobSpec,
        sink: &mut dyn FnMut(Record),
    ) -> Result<bool, DriveError> {
        let key = format!("quote-{}", spec.request.name);
        let asked =
            Input::AskQuote { key: key.clone(), job: Box::new(spec.clone()), findings: None, hold: None };
        let Answer::Quote(quote) = self.say(asked, sink)? else {
            return Err(self.law("a question for a quote was not answered by one"));
        };
        self.followed.course.asked.0 += 1;
        let given = self.broker.state().quotes.get(&quote).and_then(|quote| quote.options.first());
        let Some((finish, price)) = given.map(|option| (option.finish, option.price)) else {
            self.followed.course.asked.1 += 1;
            return Ok(false);
        };
        let accept =
            Input::Accept { user: Some(spec.user.clone()), key: format!("accept-{key}"), quote, option: 0 };
        match self.say(accept, sink)? {
            Answer::Accepted { job, .. } if job == number => {
                self.followed.quote(number, finish, price);
                Ok(true)
            }
            Answer::Broken { .. } => Ok(false),
            other => Err(self.law(format!("an accepted quote was answered by {other:?}"))),
        }
    }

    /// Everything that has arrived by now is opened, and the broker is told the time where it wants to be.
    pub(super) fn tell_time(&mut self, sink: &mut dyn FnMut(Record)) -> Result<(), DriveError> {
        self.arrive(sink)?;
        while self.broker.next_timer().is_some_and(|at| self.tick_at(at) <= self.now)
            && !self.followed.is_empty()
        {
            let ticks = if self.last_tick.0 == self.now { self.last_tick.1 + 1 } else { 1 };
            self.last_tick = (self.now, ticks);
            self.say(Input::Tick, sink)?;
            self.arrive(sink)?;
        }
        Ok(())
    }

    /// Opens what has arrived by now.
    fn arrive(&mut self, sink: &mut dyn FnMut(Record)) -> Result<(), DriveError> {
        while let Some((site, messages)) = self.grid.ended(self.now) {
            self.deliver(site, messages, sink)?;
        }
        while let Some(strike) = self.strikes.next_by(self.now) {
            if let Some((site, node)) = self.grid.node(strike.site, strike.node) {
                let messages = self.grid.strike(self.now, site, node, strike.back);
                self.deliver(site, messages, sink)?;
            }
        }
        while let Some(entry) = self.parcels.first_entry().filter(|entry| entry.key().0 <= self.now) {
            match entry.remove() {
                Parcel::Effect(effect) => self.perform(effect, sink)?,
                Parcel::Input(input) => self.say(*input, sink).map(|_| ())?,
                Parcel::GiveUp(job, user) if self.followed.waits(job) => {
                    self.say(Input::CancelJob { user, job }, sink)?;
                }
                Parcel::GiveUp(..) => {}
            }
        }
        Ok(())
    }

    /// What a site says reaches the broker at once, or later.
    fn deliver(
        &mut self,
        site: SiteId,
        messages: Vec<SiteMessage>,
        sink: &mut dyn FnMut(Record),
    ) -> Result<(), DriveError> {
        for message in messages {
            let input = Input::Site { site, message };
            if self.setup.latency == Span::ZERO {
                self.say(input, sink)?;
            } else {
                self.post(self.setup.latency, Parcel::Input(Box::new(input)));
            }
        }
        Ok(())
    }

    /// An effect has reached its site.
    fn perform(&mut self, effect: Effect, sink: &mut dyn FnMut(Record)) -> Result<(), DriveError> {
        let Some(site) = effect.site() else { return Ok(()) };
        let messages = self.hear(&effect)?;
        self.deliver(site, messages, sink)
    }

    /// What a site answers to an effect.
    fn hear(&mut self, effect: &Effect) -> Result<Vec<SiteMessage>, DriveError> {
        let followed = &self.followed;
        let workflows = &self.setup.workflows;
        let heard = self.grid.hear(self.now, effect, |job, part| followed.lasts(workflows, job, part));
        heard.map_err(|law| self.law(law))
    }

    /// Says something to the broker, and does what it then wants, in its order.
    pub(super) fn say(&mut self, input: Input, sink: &mut dyn FnMut(Record)) -> Result<Answer, DriveError> {
        let mut waiting = VecDeque::from([input]);
        let mut answer = None;
        while let Some(input) = waiting.pop_front() {
            let (said, effects) = self.hand_in(input, sink)?;
            answer = answer.or(Some(said));
            for effect in effects {
                waiting.extend(self.effect(effect)?);
            }
        }
        Ok(answer.unwrap_or(Answer::Done))
    }

    /// One input: decided, written down, folded.
    fn hand_in(
        &mut self,
        input: Input,
        sink: &mut dyn FnMut(Record),
    ) -> Result<(Answer, Vec<Effect>), DriveError> {
        let at = self.broker.moment(self.now);
        let refused = |why: walras_broker::Refusal| DriveError::Refused { at, why: why.to_string() };
        let change = self.broker.decide(at, &input).map_err(refused)?;
        let mut effects = Vec::new();
        for event in &change.events {
            effects.extend(self.broker.step(at, event));
            self.followed.event(at, event, sink);
            self.look(event)?;
        }
        if (self.setup.audit || self.setup.journal) && !change.events.is_empty() {
            self.write(Entry { at, input, events: change.events })?;
        }
        Ok((change.answer, effects))
    }

    /// A plan that the broker turns down, although its sites are as they were, is a fault.
    fn look(&self, event: &Event) -> Result<(), DriveError> {
        match event {
            Event::Job(JobEvent::Returned { job, why: Why::Outdated(wrong) })
                if self.setup.latency == Span::ZERO && self.setup.failures.is_none() =>
            {
                Err(self.law(format!("the plan of job {job} does not hold: {wrong:?}")))
            }
            _ => Ok(()),
        }
    }

    fn write(&mut self, entry: Entry) -> Result<(), DriveError> {
        self.written += 1;
        if self.setup.audit
            && let Some(finding) = self.auditor.entry(self.written, &entry).first()
        {
            return Err(
                self.law(format!("the auditor finds in entry {}: {:?}", finding.position, finding.kind))
            );
        }
        if self.setup.journal {
            self.followed.course.journal.push(entry);
        }
        Ok(())
    }

    /// What follows from an effect at once; what is for sites may be on its way for a while.
    fn effect(&mut self, effect: Effect) -> Result<Vec<Input>, DriveError> {
        Ok(match effect {
            Effect::Plan(cycle) => {
                let problem = self.broker.problem(cycle);
                let decision = problem.map(|problem| Box::new(plan(&problem)));
                decision.into_iter().map(|decision| Input::Decided { cycle, decision }).collect()
            }
            Effect::Notify { notice, .. } => vec![Input::Noticed(notice)],
            // Nobody's tasks have files here.
            Effect::Move(_) => Vec::new(),
            effect if self.setup.latency > Span::ZERO => {
                self.post(self.setup.latency, Parcel::Effect(effect));
                Vec::new()
            }
            effect => {
                let Some(site) = effect.site() else { return Ok(Vec::new()) };
                let messages = self.hear(&effect)?;
                messages.into_iter().map(|message| Input::Site { site, message }).collect()
            }
        })
    }

    /// What it all came to.
    pub(super) fn finish(mut self, sink: &mut dyn FnMut(Record)) -> Result<Course, DriveError> {
        let books = &self.broker.state().books;
        if books.total() != 0 {
            return Err(self.law(format!("the books sum to {}", books.total())));
        }
        let held = books.balance(&Account::Held);
        if self.followed.is_empty() && held != Money::ZERO {
            return Err(self.law(format!("{held} is still held when all is over")));
        }
        let owner = |kinds: &[Site]| Some(Account::Owner(kinds.first()?.whole().to_owned()));
        let owners = wholes(&self.setup.sites).filter_map(owner);
        let income = owners.map(|owner| books.balance(&owner)).collect();
        let totals = self.broker.state().totals;
        self.followed.finish(sink);
        let quotes = (totals.quotes_kept, totals.quotes_broken);
        let state = self.broker.state();
        let [run_bounds, wait_bounds] =
            [&state.history, &state.waits].map(|of| (of.calibration().bounded, of.calibration().bound_held));
        Ok(Course { income, quotes, run_bounds, wait_bounds, ..self.followed.course })
    }
}
