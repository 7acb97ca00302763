//! A thread for every site: it does what the broker wants of the site, and brings what the site says.

use super::command::Command;
use super::line::{Errand, SiteLine};
use crate::clock::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use walras_broker::Effect;
use walras_model::SiteId;
use walras_sites::{Connector, SiteAnswer, Start};

/// So many effects may wait for a site; what does not fit is repeated later.
const WAITING_MAX: usize = 20_000;
/// So many are done before it is looked for others that cannot wait.
const BATCH_MAX: usize = 64;
/// A site is looked at at least this often.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// And at most this often, when nobody asks it anything.
const LOOK_AT_MOST: Duration = Duration::from_millis(10);

impl Errand {
    /// What is done first: starts and ends have a moment, holds have a limit, looks can wait.
    fn rank(&self) -> u8 {
        match self {
            Errand::Effect(effect) => match **effect {
                Effect::Start { .. } | Effect::Cancel { .. } => 0,
                Effect::Release { .. } => 1,
                Effect::Confirm { .. } => 2,
                Effect::Prepare { .. } => 3,
                Effect::Observe { .. } => 4,
                Effect::AskOffers { .. } | Effect::Plan(_) | Effect::Notify { .. } => 5,
            },
            Errand::Fault(..) => 0,
            Errand::Output(..) => 6,
        }
    }
}

/// A site's thread.
pub(super) struct Site {
    errands: SyncSender<Errand>,
    waiting: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// Starts the thread.
    pub(super) fn start(
        id: SiteId,
        name: &str,
        connector: Box<dyn Connector>,
        clock: Clock,
        commands: SyncSender<Command>,
    ) -> std::io::Result<Site> {
        let (errands, inbox) = sync_channel(WAITING_MAX);
        let waiting = Arc::new(AtomicUsize::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let (name, waits, stops) = (name.to_owned(), waiting.clone(), stop.clone());
        let runner = Runner { id, name, connector, clock, commands, waiting: waits, stop: stops };
        let thread = std::thread::Builder::new()
            .name(format!("site {}", id.number()))
            .spawn(move || runner.run(&inbox))?;
        Ok(Site { errands, waiting, stop, thread: Some(thread) })
    }

    /// Whether it has done everything that it was given.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0
    }

    /// Gives it something to do; what it has no room for is repeated later.
    pub(super) fn give(&self, effect: Effect) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if self.errands.try_send(Errand::Effect(Box::new(effect))).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(super) fn line(&self) -> SiteLine {
        SiteLine { errands: self.errands.clone(), waiting: self.waiting.clone() }
    }

    /// Lets the thread end; what it was given and has not done is repeated after the next start.
    pub(super) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for the thread.
    pub(super) fn join(&mut self) {
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of a site has panicked");
        }
    }
}

struct Runner {
    id: SiteId,
    name: String,
    connector: Box<dyn Connector>,
    clock: Clock,
    commands: SyncSender<Command>,
    waiting: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl Runner {
    fn run(mut self, inbox: &Receiver<Errand>) {
        let mut polled = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            let next = self.connector.next(self.clock.now()).map(|next| self.clock.until(next));
            let wait = next.map_or(LOOK_EVERY, |next| next.clamp(LOOK_AT_MOST, LOOK_EVERY));
            let heard = match inbox.recv_timeout(wait) {
                Ok(errand) => self.batch(errand, inbox),
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            // However much it is asked, what happens there by itself is seen.
            if polled.elapsed() >= wait.min(LOOK_EVERY) {
                polled = Instant::now();
                let answer = self.connector.poll(self.clock.now());
                if !self.tell(answer) {
                    return;
                }
            }
            if !heard {
                return;
            }
        }
    }

    /// Does what waits, what cannot wait first; whether anybody still listens.
    fn batch(&mut self, first: Errand, inbox: &Receiver<Errand>) -> bool {
        let mut batch = vec![first];
        while batch.len() < BATCH_MAX
            && let Ok(errand) = inbox.try_recv()
        {
            batch.push(errand);
        }
        // What was asked earlier stays earlier among its like.
        batch.sort_by_key(Errand::rank);
        for errand in batch {
            let answer = self.perform(errand);
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            if self.stop.load(Ordering::Relaxed) || !self.tell(answer) {
                return false;
            }
        }
        true
    }

    /// Brings what the site says; whether anybody still listens.
    fn tell(&self, answer: SiteAnswer) -> bool {
        match answer {
            Ok(messages) if messages.is_empty() => true,
            Ok(messages) => self.commands.send(Command::FromSite(self.id, messages)).is_ok(),
            Err(error) => {
                tracing::warn!(site = self.name, %error, "the site could not do what it was asked");
                true
            }
        }
    }

    fn perform(&mut self, errand: Errand) -> SiteAnswer {
        let now = self.clock.now();
        match errand {
            Errand::Effect(effect) => self.effect(now, &effect),
            Errand::Fault(fault, reply) => {
                let answer = self.connector.fault(now, &fault);
                // Whoever asked for it may have gone.
                let _ = reply.send(answer.as_ref().map(|_| ()).map_err(Clone::clone));
                Ok(answer.unwrap_or_default())
            }
            Errand::Output(reservation, part, stream, reply) => {
                let _ = reply.send(self.connector.output(reservation, part, stream));
                Ok(Vec::new())
            }
        }
    }

    fn effect(&mut self, now: walras_model::Time, effect: &Effect) -> SiteAnswer {
        let site = &mut self.connector;
        match effect {
            Effect::AskOffers { cycle, horizon, .. } => site.offers(now, *cycle, *horizon),
            Effect::Prepare { reservation, holds, expiry, .. } => {
                site.prepare(now, *reservation, holds, *expiry)
            }
            Effect::Confirm { reservation, .. } => site.confirm(now, *reservation),
            Effect::Release { reservation, .. } => site.release(now, *reservation),
            Effect::Cancel { reservation, .. } => site.cancel(now, *reservation),
            Effect::Observe { reservation, .. } => site.observe(now, *reservation),
            Effect::Start { reservation, job, parts, program, .. } => {
                let start = Start { reservation: *reservation, job: *job, parts, program };
                site.start(now, start)
            }
            Effect::Plan(_) | Effect::Notify { .. } => Ok(Vec::new()),
        }
    }
}
