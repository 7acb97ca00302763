//! What passes between the engine and a site's thread, and lines to sites for what is not the broker's business.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;
use walras_broker::Effect;
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_model::{SiteId, TaskId, Time};
use walras_sites::files::{Directory, FileInside};
use walras_sites::{Connector, Fault, SiteError, Stream, Trouble};

/// A site's connector, in the order of the broker's sites.
pub struct SitePort {
    /// Its name.
    pub name: String,
    /// What does things there.
    pub connector: Box<dyn Connector>,
}

/// What is wrong with a site.
#[derive(Clone, Debug)]
pub struct Troubled {
    /// What kind of trouble it is in.
    pub kind: Trouble,
    /// In the words of whoever knows.
    pub why: String,
    /// When this kind of trouble was first seen; it has gone on since.
    pub since: Time,
}

/// Something for a site's thread.
pub(super) enum Errand {
    Effect(Box<Effect>),
    Fault(Fault, oneshot::Sender<Result<(), SiteError>>),
    Output(ReservationNumber, u32, Stream, oneshot::Sender<Option<FileInside>>),
    /// The directory that the tasks of a user's job share.
    Files(JobNumber, String, oneshot::Sender<Result<Option<Directory>, SiteError>>),
    /// The directory that a part has left.
    Left(ReservationNumber, u32, oneshot::Sender<Option<Directory>>),
}

/// A line to a site for what is not the broker's business.
#[derive(Clone)]
pub struct SiteLine {
    pub(super) errands: SyncSender<Errand>,
    pub(super) waiting: Arc<AtomicUsize>,
    pub(super) trouble: Arc<Mutex<Option<Troubled>>>,
}

impl SiteLine {
    /// What is wrong with the site, where something is.
    pub fn trouble(&self) -> Option<Troubled> {
        self.trouble.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Lets something go wrong on the site.
    pub async fn send(&self, fault: Fault) -> Result<(), SiteError> {
        let (reply, answer) = oneshot::channel();
        self.give(Errand::Fault(fault, reply))?;
        answer.await.unwrap_or(Err(SiteError::Stopped))
    }

    fn give(&self, errand: Errand) -> Result<(), SiteError> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.errands.try_send(errand).map_err(|_| {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            SiteError::Overloaded
        })
    }

    /// The directory that the tasks of a user's job share on the site; nothing where it keeps no files. It waits for the site, and is not
    /// for threads that serve others.
    pub fn files(&self, job: JobNumber, user: &str) -> Result<Option<Directory>, SiteError> {
        let (reply, answer) = oneshot::channel();
        self.give(Errand::Files(job, user.to_owned(), reply))?;
        answer.blocking_recv().unwrap_or(Err(SiteError::Stopped))
    }

    /// The directory that a part has left, where the site keeps one.
    pub async fn left(&self, reservation: u64, part: u32) -> Option<Directory> {
        let (reply, answer) = oneshot::channel();
        self.give(Errand::Left(ReservationNumber::new(reservation), part, reply)).ok()?;
        answer.await.ok().flatten()
    }

    /// The file with what a part has printed to a stream, where the site keeps one.
    pub async fn output(&self, reservation: u64, part: u32, stream: Stream) -> Option<FileInside> {
        let (reply, answer) = oneshot::channel();
        self.give(Errand::Output(ReservationNumber::new(reservation), part, stream, reply)).ok()?;
        answer.await.ok().flatten()
    }
}

/// The moves that are under way.
#[derive(Clone, Default)]
pub(super) struct Movers(Arc<Mutex<BTreeSet<(ReservationNumber, TaskId, SiteId)>>>);

impl Movers {
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut BTreeSet<(ReservationNumber, TaskId, SiteId)>) -> T,
    ) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
