//! A thread for every site: it does what the broker wants of the site, and brings what the site says.

use super::command::Command;
use super::herald::HeraldLine;
use super::line::{Errand, SiteLine, Troubled};
use super::trouble::{TroubleGauges, Watched};
use crate::clock::Clock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use walras_broker::Effect;
use walras_model::SiteId;
use walras_sites::{Connector, SiteAnswer};

/// So many effects may wait for a site; what does not fit is repeated later.
const WAITING_MAX: usize = 20_000;
/// So many are done before it is looked for others that cannot wait.
const BATCH_MAX: usize = 256;
/// A site is looked at at least this often.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// And at most this often, when nobody asks it anything.
const LOOK_AT_MOST: Duration = Duration::from_millis(10);

/// Ranks up to this one never wait for a site that does not answer, and neither do offers: others would wait for them.
const URGENT: u8 = 1;
const OFFERS: u8 = 5;

impl Errand {
    /// What is done first: starts and ends have a moment, holds have a limit, looks can wait.
    fn rank(&self) -> u8 {
        match self {
            Errand::Effect(effect) => match **effect {
                Effect::Start { .. } | Effect::Go { .. } | Effect::Cancel { .. } => 0,
                Effect::Release { .. } => 1,
                Effect::Confirm { .. } => 2,
                Effect::Prepare { .. } => 3,
                Effect::Observe { .. } => 4,
                Effect::AskOffers { .. } | Effect::Plan(_) | Effect::Move(_) | Effect::Notify { .. } => {
                    OFFERS
                }
            },
            Errand::Fault(..) => 0,
            Errand::Files(..) | Errand::Output(..) | Errand::Left(..) => 6,
        }
    }
}

/// A site's thread.
pub(super) struct Site {
    errands: SyncSender<Errand>,
    waiting: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    trouble: Arc<Mutex<Option<Troubled>>>,
    thread: Option<JoinHandle<()>>,
    herald: Option<HeraldLine>,
}

impl Site {
    /// Starts the thread.
    pub(super) fn start(
        id: SiteId,
        name: &str,
        connector: Box<dyn Connector>,
        clock: Clock,
        commands: SyncSender<Command>,
        gauges: TroubleGauges,
    ) -> std::io::Result<Site> {
        let (errands, inbox) = sync_channel(WAITING_MAX);
        let waiting = Arc::new(AtomicUsize::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let trouble = Arc::new(Mutex::new(None));
        let watched = Watched::new(name, id.number().into(), trouble.clone(), gauges);
        let (waits, stops) = (waiting.clone(), stop.clone());
        let herald =
            connector.herald().map(|herald| HeraldLine::start(id, herald, commands.clone())).transpose()?;
        let runner = Runner { id, watched, connector, clock, commands, waiting: waits, stop: stops };
        let thread = std::thread::Builder::new()
            .name(format!("site {}", id.number()))
            .spawn(move || runner.run(&inbox))?;
        Ok(Site { errands, waiting, stop, trouble, thread: Some(thread), herald })
    }

    /// Whether it has done everything that it was given.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0
    }

    /// Gives it something to do; what it has no room for is repeated later.
    pub(super) fn give(&self, effect: Effect) {
        if let (Effect::Go { reservation, .. }, Some(herald)) = (&effect, &self.herald) {
            return herald.say(*reservation);
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if self.errands.try_send(Errand::Effect(Box::new(effect))).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(super) fn line(&self) -> SiteLine {
        SiteLine {
            errands: self.errands.clone(),
            waiting: self.waiting.clone(),
            trouble: self.trouble.clone(),
        }
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
    watched: Watched,
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
        let mut batch = batch.into_iter().peekable();
        while let Some(first) = batch.next() {
            let rank = first.rank();
            let mut alike = vec![first];
            while let Some(errand) = batch.next_if(|it| it.rank() == rank) {
                alike.push(errand);
            }
            let done = alike.len();
            let heard = self.together(rank, alike);
            self.waiting.fetch_sub(done, Ordering::Relaxed);
            if self.stop.load(Ordering::Relaxed) || !heard {
                return false;
            }
        }
        true
    }

    /// Does what is of one rank; whether anybody still listens. What can wait is left to the broker's repeating while the site does not answer.
    fn together(&mut self, rank: u8, errands: Vec<Errand>) -> bool {
        let waits = rank > URGENT && rank < OFFERS && !self.watched.may_ask();
        let mut effects = Vec::with_capacity(errands.len());
        for errand in errands {
            match errand {
                Errand::Effect(effect) => effects.push(*effect),
                Errand::Fault(fault, reply) => {
                    let answer = self.connector.fault(self.clock.now(), &fault);
                    // Whoever asked for it may have gone.
                    let _ = reply.send(answer.as_ref().map(|_| ()).map_err(Clone::clone));
                    if !self.tell(Ok(answer.unwrap_or_default())) {
                        return false;
                    }
                }
                Errand::Files(job, user, reply) => {
                    let _ = reply.send(self.connector.files(job, &user));
                }
                Errand::Left(reservation, part, reply) => {
                    let _ = reply.send(self.connector.left(reservation, part));
                }
                Errand::Output(reservation, part, stream, reply) => {
                    let _ = reply.send(self.connector.output(reservation, part, stream));
                }
            }
        }
        if effects.is_empty() || waits {
            return true;
        }
        let answers = self.connector.perform(self.clock.now(), &effects);
        answers.into_iter().all(|answer| self.tell(answer))
    }

    /// Brings what the site says; whether anybody still listens.
    fn tell(&mut self, answer: SiteAnswer) -> bool {
        self.watched.heard(self.clock.now(), answer.as_ref().err(), self.connector.trouble());
        match answer {
            Ok(messages) if messages.is_empty() => true,
            Ok(messages) => self.commands.send(Command::FromSite(self.id, messages)).is_ok(),
            Err(error) => {
                tracing::debug!(site = self.id.number(), %error, "the site could not do what it was asked");
                true
            }
        }
    }
}
