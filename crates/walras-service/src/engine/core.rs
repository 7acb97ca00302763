//! The loop itself.

use super::command::{Command, Failed, Handle, Shared};
use super::line::{Movers, SiteLine, SitePort};
use super::listeners::{Listeners, Told};
use super::metrics::Metrics;
use super::planning::{Bounds, Planning};
use super::recover::load;
use super::sites::Site;
use crate::clock::Clock;
use crate::journal::snapshot::Snapshots;
use crate::journal::{ActRecord, Group, Journal, JournalError, Writer, encode};
use crate::notice::Notifier;
use crate::turns::Turns;
use crate::view::log::is_act;
use crate::view::record::Scribe;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot};
use walras_api::service::{EventView, WriterRole, exact};
use walras_broker::journal::Entry;
use walras_broker::refusal::BadJob;
use walras_broker::{Answer, Broker, Effect, Input, Refusal};
use walras_model::Time;

/// So many requests may wait; more are refused until there is room.
const WAITING_MAX: usize = 16_384;
/// At most so many commands are taken as one group.
const GROUP_MAX: usize = 1_024;
/// The engine looks at the clock at least this often, and ticks at most this often.
const LOOK_EVERY: Duration = Duration::from_millis(100);
pub(super) const TICK_AT_MOST: Duration = Duration::from_millis(10);
/// And at least this often: what is only waited for may have come about.
const TICK_AT_LEAST: Duration = Duration::from_secs(1);
/// So many events are remembered for listeners who come back.
const RECENT_MAX: usize = 50_000;

/// How the engine runs.
#[derive(Clone, Copy, Debug)]
pub struct EngineConfig {
    /// The service's time.
    pub clock: Clock,
    /// A snapshot is taken after so many entries.
    pub snapshot_every: u64,
    /// What sites have not acknowledged is repeated after this time.
    pub repeat_every: Duration,
}

/// The engine.
pub struct Engine<J> {
    pub(super) broker: Broker,
    pub(super) journal: J,
    pub(super) snapshots: Snapshots,
    pub(super) config: EngineConfig,
    pub(super) commands: Receiver<Command>,
    pub(super) shared: Arc<Shared>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) sites: Vec<Site>,
    pub(super) handle: Handle,
    /// What carries letters, where there is something to carry them by.
    pub(super) notifier: Option<Notifier>,
    pub(super) position: u64,
    pub(super) snapshot_at: u64,
    pub(super) snapshotting: Arc<AtomicBool>,
    /// The plans that are being made.
    pub(super) planning: Planning,
    pub(super) bounds: Bounds,
    pub(super) stalled: Option<String>,
    pub(super) movers: Movers,
    /// Inputs of the engine's own, before those of others.
    pub(super) own: VecDeque<Input>,
    /// When the broker wants to be woken, and when that was looked up.
    pub(super) timer: (Option<Time>, Instant, Duration),
    pub(super) repeated: Instant,
    pub(super) ticked: Instant,
    /// When it last looked for what others say.
    pub(super) listened: Instant,
    /// Whether the machine's clock is so far away that it is not followed.
    pub(super) apart: bool,
}

/// Where an answer goes.
pub(super) type Reply = oneshot::Sender<Result<Answer, Failed>>;

/// What one group came to and is to be done once it is durable.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) group: Group,
    pub(super) effects: Vec<Effect>,
    pub(super) told: Vec<EventView>,
    pub(super) answers: Vec<(Reply, Result<Answer, Failed>)>,
}

impl<J: Journal> Engine<J> {
    /// Reads the journal.
    pub fn new(
        mut journal: J,
        snapshots: Snapshots,
        config: EngineConfig,
    ) -> Result<Engine<J>, JournalError> {
        let (broker, position) = load(&mut journal, &snapshots)?;
        let (sender, commands) = sync_channel(WAITING_MAX);
        let shared = Arc::new(Shared {
            writable: AtomicBool::new(true),
            ready: AtomicBool::new(false),
            position: AtomicU64::new(position),
            listeners: Listeners::default(),
            begun: Mutex::new(VecDeque::new()),
            recent: Mutex::new(VecDeque::new()),
            known: RwLock::new(Arc::new(broker.state().shown())),
            clock: config.clock,
            // Who looks something up that takes long leaves room for another.
            readers: Arc::new(Semaphore::new(available_parallelism().map_or(2, |all| all.get().max(2)))),
            turns: Turns::default(),
        });
        let handle = Handle { commands: sender, shared: shared.clone() };
        let now = Instant::now();
        Ok(Engine {
            broker,
            journal,
            snapshots,
            config,
            commands,
            shared,
            metrics: Arc::new(Metrics::default()),
            sites: Vec::new(),
            handle,
            notifier: None,
            position,
            snapshot_at: position,
            snapshotting: Arc::new(AtomicBool::new(false)),
            planning: Planning::default(),
            bounds: Bounds::default(),
            stalled: None,
            movers: Movers::default(),
            own: VecDeque::new(),
            timer: (None, now, Duration::ZERO),
            repeated: now,
            ticked: now,
            listened: now,
            apart: false,
        })
    }

    /// What the broker knows, before the engine runs.
    pub fn broker(&self) -> &Broker {
        &self.broker
    }

    /// The way to talk to it.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// What it counts.
    pub fn metrics(&self) -> Arc<Metrics> {
        self.metrics.clone()
    }

    /// Takes an input in before the engine runs, durably; the file of that name asks for it.
    pub fn begin(&mut self, input: Input, source: &str) -> Result<Answer, Failed> {
        let mut outcome = Outcome::default();
        let by = Writer { role: WriterRole::Configuration, name: source.to_owned(), token: None };
        let answer =
            self.take(input, Some(by), &mut outcome).map_err(|refusal| Failed::Refused(Box::new(refusal)))?;
        self.commit(&outcome.group).map_err(|error| Failed::Unwritable(error.to_string()))?;
        Ok(answer)
    }

    /// Starts a thread for every site; they must be as many as the broker has, in its order.
    pub fn connect(&mut self, ports: Vec<SitePort>) -> std::io::Result<Vec<SiteLine>> {
        ports.into_iter().map(|port| self.connect_next(port)).collect()
    }

    /// Runs until it is told to stop.
    pub fn run(mut self) {
        self.look_first();
        self.shared.publish(self.broker.state());
        self.shared.ready.store(true, Ordering::Relaxed);
        self.listened = Instant::now();
        loop {
            self.look_whether_away();
            let (commands, stop) = self.next_group();
            if self.stalled.is_some() {
                self.refuse(commands);
                self.try_again();
            } else {
                self.group(commands);
            }
            if stop {
                return self.end();
            }
            self.repeat();
            self.hurry();
            self.snapshot_when_due();
            self.look_at_clock();
        }
    }

    /// What waits, or nothing when it is time to look at the clock.
    fn next_group(&mut self) -> (Vec<Command>, bool) {
        let wait = if self.own.is_empty() { self.patience() } else { Duration::ZERO };
        let mut group = Vec::new();
        match self.commands.recv_timeout(wait) {
            Ok(command) => group.push(command),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        while group.len() < GROUP_MAX
            && let Ok(command) = self.commands.try_recv()
        {
            group.push(command);
        }
        let stop = group.iter().any(|command| matches!(command, Command::Stop));
        (group, stop)
    }

    /// How long nothing is due.
    fn patience(&mut self) -> Duration {
        let due = self.timer.0.map_or(LOOK_EVERY, |timer| self.config.clock.until(timer));
        let after_tick = TICK_AT_MOST.saturating_sub(self.ticked.elapsed());
        due.clamp(after_tick, LOOK_EVERY)
    }

    /// Takes in a group, makes it durable, and does what follows.
    fn group(&mut self, commands: Vec<Command>) {
        let mut outcome = Outcome::default();
        while let Some(input) = self.own.pop_front() {
            self.take_own(input, &mut outcome);
        }
        for command in commands {
            self.command(command, &mut outcome);
        }
        self.tick(&mut outcome);
        let begun = Instant::now();
        let count = outcome.group.entries.len();
        match self.commit(&outcome.group) {
            Ok(()) => {
                self.metrics.committed(count, begun.elapsed());
                self.finish(outcome);
            }
            Err(error) => self.stall(&error, outcome),
        }
    }

    fn command(&mut self, command: Command, outcome: &mut Outcome) {
        match command {
            Command::Input(input, by, reply) => {
                let answer =
                    self.take(*input, by, outcome).map_err(|refusal| Failed::Refused(Box::new(refusal)));
                outcome.answers.push((reply, answer));
            }
            Command::Note(act, reply) => {
                outcome.group.acts.push(*act);
                outcome.answers.push((reply, Ok(Answer::Done)));
            }
            Command::FromSite(site, messages) => {
                for message in messages {
                    let message = self.broker.state().shortened(site, message);
                    self.take_own(Input::Site { site, message }, outcome);
                }
            }
            Command::Planned(made) => self.take_plan(*made, outcome),
            Command::NotPlanned(extent) => self.planning.ended(extent),
            Command::Own(input) => self.take_own(*input, outcome),
            Command::Connect(port, reply) => {
                let _ = reply.send(self.connect_next(*port));
            }
            Command::Stop => {}
        }
    }

    /// An input that nobody waits for an answer to.
    fn take_own(&mut self, input: Input, outcome: &mut Outcome) {
        if let Err(refusal) = self.take(input, None, outcome) {
            tracing::debug!(%refusal, "an input came to nothing");
        }
    }

    fn tick(&mut self, outcome: &mut Outcome) {
        if self.ticked.elapsed() < TICK_AT_MOST {
            return;
        }
        if self.timer.1.elapsed() >= self.timer.2.saturating_mul(50) {
            self.look_up_timer();
        }
        let due = self.timer.0.is_some_and(|timer| timer <= self.config.clock.now());
        if due || self.ticked.elapsed() >= TICK_AT_LEAST {
            self.ticked = Instant::now();
            self.take_own(Input::Tick, outcome);
            self.look_up_timer();
        }
    }

    /// When something is due next. Looking costs time in proportion to the queue: at most a fiftieth of all time.
    fn look_up_timer(&mut self) {
        let begun = Instant::now();
        let timer = self.broker.next_timer();
        self.timer = (timer, begun, begun.elapsed());
    }

    /// Decides an input and takes its events in; they are not durable yet.
    pub(super) fn take(
        &mut self,
        input: Input,
        by: Option<Writer>,
        outcome: &mut Outcome,
    ) -> Result<Answer, Refusal> {
        let now = self.broker.moment(self.config.clock.now());
        let change = self.broker.decide(now, &input)?;
        if change.events.is_empty() {
            return Ok(change.answer);
        }
        let entry = Entry { at: now, input, events: change.events };
        let Ok(body) = encode(&entry) else {
            return Err(Refusal::BadJob(BadJob::Unwritable));
        };
        let place = u64::try_from(outcome.group.entries.len()).unwrap_or(0);
        let position = self.position + place + 1;
        let mut scribe = Scribe::new(&mut outcome.group, now);
        for event in &entry.events {
            self.metrics.see(self.broker.state(), now, event);
            outcome.told.extend(scribe.before(self.broker.state(), position, event));
            outcome.effects.extend(self.broker.step(now, event));
            scribe.after(self.broker.state(), event);
        }
        if let Some(by) = by.filter(|_| is_act(&entry.input)) {
            let place = Some(outcome.group.entries.len());
            outcome.group.acts.push(ActRecord { at: now, by, place, body: None });
        }
        outcome.group.entries.push((now, body));
        Ok(change.answer)
    }

    fn commit(&mut self, group: &Group) -> Result<(), JournalError> {
        if group.is_empty() {
            return Ok(());
        }
        self.journal.append(self.position, group)?;
        self.position += u64::try_from(group.entries.len()).unwrap_or(0);
        self.shared.position.store(self.position, Ordering::Relaxed);
        Ok(())
    }

    /// The group is durable: answers, news, questions, effects.
    fn finish(&mut self, outcome: Outcome) {
        if !outcome.group.entries.is_empty() {
            self.shared.publish(self.broker.state());
        }
        for (reply, answer) in outcome.answers {
            // Whoever asked may have gone; what they asked for is done all the same.
            let _ = reply.send(answer);
        }
        self.tell(outcome.told);
        self.perform(outcome.effects);
    }

    fn tell(&self, events: Vec<EventView>) {
        if events.is_empty() {
            return;
        }
        let mut recent = self.shared.recent.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for event in events {
            let json = exact::json(&event).unwrap_or_default();
            let told = Arc::new(Told { event, json });
            self.shared.listeners.tell(&told);
            recent.push_back(told);
            if recent.len() > RECENT_MAX {
                recent.pop_front();
            }
        }
    }
}
