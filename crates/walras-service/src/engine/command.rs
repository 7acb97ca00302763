//! What the engine is told, and the handle to tell it by.

use super::line::{SiteLine, SitePort};
use super::listeners::{Audience, Listeners, Told};
use crate::clock::Clock;
use crate::journal::act::Act;
use crate::journal::{ActRecord, Writer};
use crate::token::Whose;
use crate::turns::{Turn, Turns};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use tokio::sync::{Semaphore, broadcast, oneshot};
use walras_api::sentence::Context;
use walras_broker::again::BegunCycle;
use walras_broker::decision::Decision;
use walras_broker::id::CycleNumber;
use walras_broker::input::SiteMessage;
use walras_broker::{Answer, Input, Refusal, State};
use walras_model::{SiteId, Time};

/// So many cycles are kept to be planned again.
const BEGUN_MAX: usize = 20;
/// Whoever comes back is told what has happened by so many events at a time, theirs or not, and whole entries.
const LOOK_MAX: usize = 256;

tokio::task_local! {
    /// Whoever asks for what is being done.
    pub static WRITER: Writer;
    /// Whose request is being answered.
    pub static ASKS: Whose;
}

/// How much of a cycle is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All who wait, workflows too.
    Whole,
    /// Everybody but workflows.
    Brief,
}

/// A plan that was made.
pub(super) struct Made {
    /// Of which cycle.
    pub(super) cycle: CycleNumber,
    /// The plan.
    pub(super) decision: Box<Decision>,
    /// The same, where it is wanted once it is taken over.
    pub(super) copy: Option<Box<Decision>>,
    /// Making it took so many seconds.
    pub(super) seconds: f64,
    /// How much of a plan it is.
    pub(super) extent: Extent,
}

/// Something for the engine.
pub(super) enum Command {
    /// A request; it is answered once it is durable.
    Input(Box<Input>, Option<Writer>, oneshot::Sender<Result<Answer, Failed>>),
    /// Somebody has changed something that is in no entry; it is answered once that is durable.
    Note(Box<ActRecord>, oneshot::Sender<Result<Answer, Failed>>),
    /// Messages of a site.
    FromSite(SiteId, Vec<SiteMessage>),
    /// A plan is there.
    Planned(Box<Made>),
    /// There will be no plan.
    NotPlanned(Extent),
    /// Something that nobody waits for an answer to.
    Own(Box<Input>),
    /// A site that has joined is connected: the next in the broker's order.
    Connect(Box<SitePort>, oneshot::Sender<std::io::Result<SiteLine>>),
    /// Take a snapshot and end.
    Stop,
}

/// Why a request came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failed {
    /// The broker refused it.
    #[error("{}", Context::nameless().refusal(.0))]
    Refused(Box<Refusal>),
    /// Too many requests are waiting.
    #[error("too many requests are waiting: try again in a moment")]
    Busy,
    /// The journal cannot be written; nothing was changed.
    #[error("nothing can be written now, so nothing was changed: {0}; try again later")]
    Unwritable(String),
    /// The service ends.
    #[error("the service is stopping")]
    Stopped,
}

/// A way to talk to the engine; cheap to copy.
#[derive(Clone)]
pub struct Handle {
    pub(super) commands: SyncSender<Command>,
    pub(super) shared: Arc<Shared>,
}

/// What the engine shows without being asked.
pub(super) struct Shared {
    /// Whether the journal takes writes.
    pub(super) writable: AtomicBool,
    /// Whether the engine has read its journal.
    pub(super) ready: AtomicBool,
    /// How many entries are durable.
    pub(super) position: AtomicU64,
    /// Who is told what happens.
    pub(super) listeners: Listeners,
    /// What the broker knows of what is durable: whoever asks reads this, and the engine goes on meanwhile.
    pub(super) known: std::sync::RwLock<Arc<State>>,
    /// The service's time.
    pub(super) clock: Clock,
    /// So many look something up at a time.
    pub(super) readers: Arc<Semaphore>,
    /// Of everybody who asks one at a time.
    pub(super) turns: Turns<Whose>,
    /// The latest cycles in which anybody waited, as they were when planning began; the newest last.
    pub(super) begun: std::sync::Mutex<VecDeque<Arc<BegunCycle>>>,
    /// The latest of what has happened, for listeners who come back.
    pub(super) recent: std::sync::Mutex<VecDeque<Arc<Told>>>,
}

impl Shared {
    /// What the broker knows of what is durable.
    fn known(&self) -> Arc<State> {
        self.known.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Keeps a cycle in which somebody waits, to be planned again.
    pub(super) fn keep(&self, cycle: &Arc<BegunCycle>) {
        if cycle.is_idle() {
            return;
        }
        let mut begun = self.begun.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // A cycle whose plan came to nothing is begun again.
        begun.retain(|other| other.number() != cycle.number());
        begun.push_back(cycle.clone());
        if begun.len() > BEGUN_MAX {
            begun.pop_front();
        }
    }

    /// Shows what the broker knows, once it is durable.
    pub(super) fn publish(&self, state: &State) {
        let shown = Arc::new(state.shown());
        let before = {
            let mut known = self.known.write().unwrap_or_else(std::sync::PoisonError::into_inner);
            std::mem::replace(&mut *known, shown)
        };
        // What only this copy held on to is let go outside of the lock.
        drop(before);
    }
}

impl Handle {
    /// Gives the broker an input; the answer comes when it is durable.
    pub async fn send(&self, input: Input) -> Result<Answer, Failed> {
        let (reply, answer) = oneshot::channel();
        let by = WRITER.try_with(Clone::clone).ok();
        self.try_send(Command::Input(Box::new(input), by, reply))?;
        answer.await.unwrap_or(Err(Failed::Stopped))
    }

    /// Gives the broker an input from a thread that may wait; whether it was taken.
    pub fn tell(&self, input: Input) -> bool {
        let (reply, answer) = oneshot::channel();
        let sent = self.try_send(Command::Input(Box::new(input), None, reply));
        sent.is_ok() && matches!(answer.blocking_recv(), Ok(Ok(_)))
    }

    /// Writes down that whoever asks has changed something that is in no entry.
    pub async fn note(&self, act: &Act) -> Result<(), Failed> {
        let Ok(by) = WRITER.try_with(Clone::clone) else { return Ok(()) };
        let body = act.encode().map_err(|error| Failed::Unwritable(error.to_string()))?;
        let (reply, answer) = oneshot::channel();
        let act = ActRecord { at: self.shared.clock.now(), by, place: None, body: Some(body) };
        self.try_send(Command::Note(Box::new(act), reply))?;
        answer.await.unwrap_or(Err(Failed::Stopped)).map(|_| ())
    }

    /// Asks something of what the broker knows; sees everything that was answered before. It is looked up on a thread of its own, so
    /// that the engine never waits for whoever asks; what one caller asks is looked up one after the other, so that nobody waits for
    /// all that somebody else asks.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&State, Time) -> T + Send + 'static,
    ) -> Result<T, Failed> {
        let own = self.turn().await;
        let turn = self.shared.readers.clone().acquire_owned().await.map_err(|_| Failed::Stopped)?;
        let shared = self.shared.clone();
        let looked_up = tokio::task::spawn_blocking(move || {
            // Whoever goes away meanwhile has not given them back.
            let _turns = (own, turn);
            let known = shared.known();
            let now = shared.clock.now().max(known.clock);
            question(&known, now)
        });
        looked_up.await.map_err(|_| Failed::Stopped)
    }

    /// The turn of whoever asks; nobody's where it is the service itself.
    pub(crate) async fn turn(&self) -> Option<Turn> {
        match ASKS.try_with(Clone::clone) {
            Ok(whose) => self.shared.turns.take(&whose).await,
            Err(_) => None,
        }
    }

    /// The turn of somebody, for what goes on when their request has been answered.
    pub(crate) async fn turn_of(&self, whose: &Whose) -> Option<Turn> {
        self.shared.turns.take(whose).await
    }

    /// Connects a site that has joined: the next in the broker's order.
    pub async fn connect(&self, port: SitePort) -> std::io::Result<SiteLine> {
        let (reply, line) = oneshot::channel();
        self.try_send(Command::Connect(Box::new(port), reply)).map_err(std::io::Error::other)?;
        line.await.map_err(std::io::Error::other)?
    }

    fn try_send(&self, command: Command) -> Result<(), Failed> {
        self.commands.try_send(command).map_err(|error| match error {
            TrySendError::Full(_) => Failed::Busy,
            TrySendError::Disconnected(_) => Failed::Stopped,
        })
    }

    /// Asks the engine to end.
    pub fn stop(&self) {
        // A full channel must not keep the service from stopping; a closed one has stopped.
        let _ = self.commands.send(Command::Stop);
    }

    /// Whether the journal takes writes.
    pub fn is_writable(&self) -> bool {
        self.shared.writable.load(Ordering::Relaxed)
    }

    /// Whether requests are taken.
    pub fn is_ready(&self) -> bool {
        self.shared.ready.load(Ordering::Relaxed)
    }

    /// The latest cycles in which anybody waited, as they were when planning began, newest first.
    pub fn begun(&self) -> Vec<Arc<BegunCycle>> {
        let begun = self.shared.begun.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        begun.iter().rev().cloned().collect()
    }

    /// How many entries are durable.
    pub fn position(&self) -> u64 {
        self.shared.position.load(Ordering::Relaxed)
    }

    /// What an audience hears next: with a position, what it heard after that, as far as that is still known, and then what happens from now on.
    pub fn listen(&self, audience: &Audience, after: Option<u64>) -> Listening {
        // Under the lock nothing is told, and so nothing is decided: nobody who comes back may look at much of it at a time.
        let recent = self.shared.recent.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let live = || Heard::Live(self.shared.listeners.join(audience));
        let Some(after) = after else { return Listening { missed: false, heard: live() } };
        let known_from = recent.front().map_or(self.position() + 1, |told| told.event.position);
        // The first entry that is remembered may be remembered in part.
        let missed = after < known_from && after < self.position();
        let heard = match past(&recent, audience, after) {
            Some((told, after)) => Heard::Past { told, after },
            None => live(),
        };
        Listening { missed, heard }
    }
}

/// What an audience heard after a position, of a little, and the position up to which that is; none where nothing was told after it.
fn past(recent: &VecDeque<Arc<Told>>, audience: &Audience, after: u64) -> Option<(Vec<Arc<Told>>, u64)> {
    let begin = recent.partition_point(|told| told.event.position <= after);
    let last = recent.get((begin + LOOK_MAX - 1).min(recent.len().checked_sub(1)?));
    // All of an entry has one position, from which one can go on.
    let until = last.map(|told| told.event.position).filter(|until| *until > after)?;
    let looked = recent.range(begin..).take_while(|told| told.event.position <= until);
    Some((looked.filter(|told| audience.hears(&told.event)).cloned().collect(), until))
}

/// What a listener hears next.
pub struct Listening {
    /// Whether something happened that is not known any more.
    pub missed: bool,
    /// What is heard.
    pub heard: Heard,
}

/// What has happened, or what happens.
pub enum Heard {
    /// What happened before.
    Past {
        /// A little of it, or nothing that is theirs.
        told: Vec<Arc<Told>>,
        /// From where to go on.
        after: u64,
    },
    /// What happens now.
    Live(broadcast::Receiver<Arc<Told>>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_api::service::{EventKind, EventView};

    fn told(position: u64, user: &str) -> Arc<Told> {
        let at = Time::from_millis(0).unwrap().into();
        let (job, user, site) = (Some(1), Some(user.to_owned()), None);
        let (kind, text) = (EventKind::JobQueued, String::new());
        let event = EventView { position, at, kind, job, user, site, text, reason: None, jobs: None };
        Arc::new(Told { event, json: String::new() })
    }

    /// Whoever comes back hears everything that is theirs once, in order and in little pieces, which end with whole entries.
    #[test]
    fn what_has_happened_is_heard_a_little_at_a_time() {
        // Entries of one to seven events, and one of many, of which every tenth is ada's.
        let entries = (1..2_000_u64).flat_map(|entry| {
            let count = if entry == 900 { 3 * LOOK_MAX } else { usize::try_from(entry % 7 + 1).unwrap() };
            std::iter::repeat_n(entry, count)
        });
        let user = |place: usize| if place.is_multiple_of(10) { "ada" } else { "ben" };
        let recent: VecDeque<_> =
            entries.enumerate().map(|(place, entry)| told(entry, user(place))).collect();
        let ada = Audience::User("ada".to_owned());
        for begin in [0, 1, 899, 900, 1_998] {
            let (mut all, mut after) = (Vec::new(), begin);
            while let Some((some, until)) = past(&recent, &ada, after) {
                assert!(until > after && some.len() <= 3 * LOOK_MAX / 10 + LOOK_MAX);
                all.extend(some);
                after = until;
            }
            assert_eq!(after, 1_999);
            let wanted: Vec<_> =
                recent.iter().filter(|it| it.event.position > begin && ada.hears(&it.event)).collect();
            assert!(all.iter().map(Arc::as_ptr).eq(wanted.into_iter().map(Arc::as_ptr)), "after {begin}");
        }
        assert!(past(&recent, &ada, 1_999).is_none() && past(&VecDeque::new(), &ada, 0).is_none());
        // Of somebody of whom there is nothing it is not looked at all of it at once either.
        let (some, until) = past(&recent, &Audience::User("cyd".to_owned()), 0).unwrap();
        assert!(some.is_empty() && until < 1_000);
    }
}
