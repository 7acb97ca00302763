//! What is durable and what is not: reading the journal, snapshots, and going on when nothing can be written.

use super::command::{Command, Failed};
use super::core::{Engine, Outcome, TICK_AT_MOST};
use crate::journal::snapshot::Snapshots;
use crate::journal::{Journal, JournalError};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use walras_broker::{Broker, Input};

/// While nothing can be written, this often is tried.
const PROBE_EVERY: Duration = Duration::from_millis(500);
/// Who has done nothing for so long was away.
const AWAY_AFTER: Duration = Duration::from_secs(3);
/// Entries are read so many at a time.
const READ_AT_ONCE: usize = 10_000;

/// The broker as the journal has it: the newest snapshot, and the entries after it.
pub(super) fn load(journal: &mut impl Journal, snapshots: &Snapshots) -> Result<(Broker, u64), JournalError> {
    let end = journal.position()?;
    if end == 0 && !snapshots.is_empty() {
        let problem = "it is empty, but there are snapshots of a journal: put that one back, or begin in an empty directory";
        return Err(JournalError::Unreadable(problem.to_owned()));
    }
    snapshots.forget_after(end).map_err(|error| JournalError::Unreadable(error.to_string()))?;
    restored(journal, snapshots, end)
}

/// The same up to a position, of a journal that somebody else may be writing to: nothing is changed.
pub(crate) fn restored(
    journal: &mut impl Journal,
    snapshots: &Snapshots,
    end: u64,
) -> Result<(Broker, u64), JournalError> {
    let snapshot = snapshots.newest(|position| journal.chain_at(position))?;
    let (mut position, mut broker) = match snapshot {
        Some((position, state)) => (position, Broker::from_state(state)),
        None => (0, Broker::default()),
    };
    while position < end {
        let entries = journal.read(position, READ_AT_ONCE)?;
        if entries.is_empty() {
            return Err(JournalError::Unreadable(format!("entry {} is missing", position + 1)));
        }
        for entry in &entries {
            broker.restore(entry);
        }
        position += u64::try_from(entries.len()).unwrap_or(0);
    }
    Ok((broker, position))
}

impl<J: Journal> Engine<J> {
    /// Begins where it was; on a disk that takes nothing, as one that only reads until it does.
    pub(super) fn look_first(&mut self) {
        match self.journal.probe() {
            Ok(()) => self.listen_again(),
            Err(error) => {
                tracing::error!(%error, "nothing can be written: what is there can be read");
                self.shared.writable.store(false, Ordering::Relaxed);
                self.stalled = Some(error.to_string());
            }
        }
    }

    /// The journal cannot be written: everybody is told, and the state goes back to what is durable.
    pub(super) fn stall(&mut self, error: &JournalError, outcome: Outcome) {
        tracing::error!(%error, "nothing can be written");
        self.shared.writable.store(false, Ordering::Relaxed);
        for (reply, _) in outcome.answers {
            let _ = reply.send(Err(Failed::Unwritable(error.to_string())));
        }
        self.stalled = Some(error.to_string());
        // What is not durable was never shown.
        self.reload();
    }

    /// Builds the state again from what is durable; whether that was possible.
    fn reload(&mut self) -> bool {
        match load(&mut self.journal, &self.snapshots) {
            Ok((broker, position)) => {
                (self.broker, self.position) = (broker, position);
                self.timer = (None, Instant::now(), Duration::ZERO);
                true
            }
            Err(error) => {
                tracing::error!(%error, "the journal cannot be read");
                false
            }
        }
    }

    /// While nothing can be written everything is refused; what is durable can still be read.
    pub(super) fn refuse(&mut self, commands: Vec<Command>) {
        let why = self.stalled.clone().unwrap_or_default();
        for command in commands {
            match command {
                Command::Input(_, _, reply) | Command::Note(_, reply) => {
                    let _ = reply.send(Err(Failed::Unwritable(why.clone())));
                }
                Command::Planned(made) => self.planning.ended(made.extent),
                Command::NotPlanned(extent) => self.planning.ended(extent),
                Command::Connect(port, reply) => {
                    let _ = reply.send(self.connect_next(*port));
                }
                Command::FromSite(..) | Command::Own(_) | Command::Stop => {}
            }
        }
    }

    /// Looks whether the journal can be written again, and goes on if so.
    pub(super) fn try_again(&mut self) {
        if self.repeated.elapsed() < PROBE_EVERY {
            return;
        }
        self.repeated = Instant::now();
        if self.journal.probe().is_ok() && self.reload() {
            tracing::info!(position = self.position, "the journal can be written again");
            self.stalled = None;
            self.own.clear();
            self.shared.writable.store(true, Ordering::Relaxed);
            self.listen_again();
        }
    }

    /// Nobody heard what sites said for a while: they are asked again, and have time to answer.
    fn listen_again(&mut self) {
        self.own.push_front(Input::ServiceBack);
        self.perform(self.broker.outstanding());
    }

    /// Whoever is stopped, or waits for a disk, is away as well.
    pub(super) fn look_whether_away(&mut self) {
        if self.listened.elapsed() > AWAY_AFTER && self.stalled.is_none() {
            tracing::warn!(seconds = self.listened.elapsed().as_secs(), "the service was stopped, or waited");
            self.listen_again();
        }
        self.listened = Instant::now();
    }

    /// Says it once when the machine's clock goes where it is not followed, and once when it is back.
    pub(super) fn look_at_clock(&mut self) {
        let apart = crate::clock::wall_apart();
        match (self.apart, apart) {
            (false, Some(millis)) => {
                tracing::error!(seconds = millis / 1_000, "the machine's clock was set, and is not followed");
            }
            (true, None) => tracing::warn!("the machine's clock is right again"),
            (true, Some(_)) | (false, None) => {}
        }
        self.apart = apart.is_some();
    }

    /// Writes a snapshot on a thread of its own, after enough entries.
    pub(super) fn snapshot_when_due(&mut self) {
        let due = self.position - self.snapshot_at >= self.config.snapshot_every;
        if !due || self.stalled.is_some() || self.snapshotting.swap(true, Ordering::Acquire) {
            return;
        }
        self.snapshot_at = self.position;
        let Ok(chain) = self.journal.chain_at(self.position) else {
            return self.snapshotting.store(false, Ordering::Release);
        };
        let (position, state) = (self.position, self.broker.state().clone());
        let (snapshots, busy) = (self.snapshots.clone(), self.snapshotting.clone());
        let work = move || {
            if let Err(error) = snapshots.save(position, chain, &state) {
                tracing::warn!(%error, "a snapshot could not be written");
            }
            busy.store(false, Ordering::Release);
        };
        if std::thread::Builder::new().name("snapshot".to_owned()).spawn(work).is_err() {
            self.snapshotting.store(false, Ordering::Release);
        }
    }

    /// A last snapshot, so that the next start is quick.
    pub(super) fn end(mut self) {
        self.shared.ready.store(false, Ordering::Relaxed);
        for site in &mut self.sites {
            site.stop();
        }
        // Sites may be waiting to say something: what they say is heard again after the next start.
        drop(self.commands);
        for site in &mut self.sites {
            site.join();
        }
        while self.snapshotting.load(Ordering::Acquire) {
            std::thread::sleep(TICK_AT_MOST);
        }
        if self.stalled.is_none()
            && let Ok(chain) = self.journal.chain_at(self.position)
            && let Err(error) = self.snapshots.save(self.position, chain, self.broker.state())
        {
            tracing::warn!(%error, "the last snapshot could not be written");
        }
        tracing::info!(position = self.position, "the engine has ended");
    }
}
