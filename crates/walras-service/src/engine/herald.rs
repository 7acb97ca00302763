//! A thread beside that of a site: it says when the parts of a window over several sites can begin there, and tells them when all can.
//!
//! The thread of a site may wait for a cluster's controller for seconds. Whoever is heard, or told to begin, that much later than others is too late.

use super::command::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use walras_model::SiteId;
use walras_sites::{Herald, ReservationNumber, SiteMessage};

/// So many windows may be about to begin; what does not fit is repeated by the broker.
const WAITING_MAX: usize = 10_000;
/// How often it is looked whether something can begin.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// A word that cannot be brought is tried so often, and so long after.
const TRIES: u32 = 5;
const AGAIN: Duration = Duration::from_millis(100);

/// The way to such a thread. It ends when this is dropped, and nobody waits for it: what it writes to may not answer.
pub(super) struct HeraldLine {
    words: SyncSender<ReservationNumber>,
}

impl HeraldLine {
    /// Starts the thread.
    pub(super) fn start(
        site: SiteId,
        herald: Box<dyn Herald>,
        commands: SyncSender<Command>,
    ) -> std::io::Result<HeraldLine> {
        let (words, inbox) = sync_channel(WAITING_MAX);
        let name = format!("herald {}", site.number());
        std::thread::Builder::new()
            .name(name)
            .spawn(move || run(site, herald.as_ref(), &inbox, &commands))?;
        Ok(HeraldLine { words })
    }

    /// Lets a window begin.
    pub(super) fn say(&self, reservation: ReservationNumber) {
        if self.words.try_send(reservation).is_err() {
            tracing::warn!(%reservation, "a window may begin, and a site cannot be told yet");
        }
    }
}

fn run(
    site: SiteId,
    herald: &dyn Herald,
    inbox: &Receiver<ReservationNumber>,
    commands: &SyncSender<Command>,
) {
    loop {
        match inbox.recv_timeout(LOOK_EVERY) {
            Ok(reservation) => tell(site, herald, reservation),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let ready: Vec<SiteMessage> = herald.ready().into_iter().map(SiteMessage::Ready).collect();
        if !ready.is_empty() && commands.send(Command::FromSite(site, ready)).is_err() {
            return;
        }
    }
}

fn tell(site: SiteId, herald: &dyn Herald, reservation: ReservationNumber) {
    for _ in 0..TRIES {
        match herald.go(reservation) {
            Ok(()) => return,
            Err(error) => tracing::warn!(site = site.number(), %reservation, %error, "a window may begin"),
        }
        std::thread::sleep(AGAIN);
    }
}
