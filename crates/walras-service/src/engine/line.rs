//! What passes between the engine and a site's thread, and lines to sites for what is not the broker's business.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use tokio::sync::oneshot;
use walras_broker::Effect;
use walras_broker::id::ReservationNumber;
use walras_sites::{Connector, Fault, SiteError, Stream};

/// A site's connector, in the order of the broker's sites.
pub struct SitePort {
    /// Its name.
    pub name: String,
    /// What does things there.
    pub connector: Box<dyn Connector>,
}

/// Something for a site's thread.
pub(super) enum Errand {
    Effect(Box<Effect>),
    Fault(Fault, oneshot::Sender<Result<(), SiteError>>),
    Output(ReservationNumber, u32, Stream, oneshot::Sender<Option<PathBuf>>),
}

/// A line to a site for what is not the broker's business.
#[derive(Clone)]
pub struct SiteLine {
    pub(super) errands: SyncSender<Errand>,
    pub(super) waiting: Arc<AtomicUsize>,
}

impl SiteLine {
    /// Lets something go wrong on the site.
    pub async fn send(&self, fault: Fault) -> Result<(), SiteError> {
        let (reply, answer) = oneshot::channel();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if self.errands.try_send(Errand::Fault(fault, reply)).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(SiteError::Overloaded);
        }
        answer.await.unwrap_or(Err(SiteError::Stopped))
    }

    /// The file with what a part has printed to a stream, where the site keeps one.
    pub async fn output(&self, reservation: u64, part: u32, stream: Stream) -> Option<PathBuf> {
        let (reply, answer) = oneshot::channel();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let errand = Errand::Output(ReservationNumber::new(reservation), part, stream, reply);
        if self.errands.try_send(errand).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        answer.await.ok().flatten()
    }
}
