//! Notices that leave the house: by mail, and by signed calls to programs.
//!
//! **Problem.** Whoever wants to be told that a job has ended must be told, though the service be killed between the end and the
//! letter, and though the relay be away for a day; and nobody may use the service to write to, or to call, where they like.
//!
//! **Method.** What is to be told is part of the broker's state, by a number: it comes from the journal's events, and stays there until the
//! journal says that it has arrived. The engine offers it here with everything else that nobody has acknowledged, also after a restart.
//! One thread each for mail and for calls (`outbox`) carries letters, in the order of their numbers, with growing pauses where a place
//! does not answer; only then is the broker told that a notice has arrived. So each letter goes out at least once, and
//! carries its number, by which whoever gets it twice knows. Addresses are checked when a job is submitted, against what the administrator allows ([`config`]).
//!
//! **Bounds.** The broker keeps a bounded number of notices. What a user has sent within an hour is limited, and so is how long is tried.

pub mod config;
mod mail;
mod message;
mod outbox;
mod webhook;

pub use message::Message;

use crate::engine::Handle;
use config::{MailConfig, WebhookConfig};
use mail::Relay;
use outbox::{Carrier, run};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use walras_broker::Input;
use walras_broker::id::NoticeNumber;
use webhook::Caller;

/// So many letters may wait for each carrier; what is more is offered again later.
const WAITING_MAX: usize = 10_000;

/// What carries letters.
pub struct Notifier {
    mail: Option<SyncSender<Arc<Message>>>,
    webhook: Option<SyncSender<Arc<Message>>>,
    desk: Arc<Desk>,
    /// Whether something did not fit, and must be offered again.
    overflowed: AtomicBool,
}

/// Which letters are on their way, and who is told that they have arrived.
struct Desk {
    handle: Handle,
    /// By notice: how many carriers still have it.
    open: Mutex<BTreeMap<NoticeNumber, u8>>,
}

impl Desk {
    fn open(&self) -> MutexGuard<'_, BTreeMap<NoticeNumber, u8>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A carrier is done with a letter. Whether the broker could be told, where that was the last.
    fn done(&self, notice: NoticeNumber) -> bool {
        let mut open = self.open();
        match open.get_mut(&notice) {
            Some(left) if *left > 1 => {
                *left -= 1;
                true
            }
            _ => {
                drop(open);
                if !self.handle.tell(Input::Noticed(notice)) {
                    return false;
                }
                self.open().remove(&notice);
                true
            }
        }
    }
}

/// Why notices cannot be carried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotCarried {
    /// What the configuration asks for cannot be had.
    #[error("{0}")]
    Refused(String),
    /// What carries them cannot be started.
    #[error("{0}")]
    NoThread(std::io::Error),
}

impl Notifier {
    /// Starts what the configuration asks for.
    pub fn start(
        mail: Option<&MailConfig>,
        webhooks: &[WebhookConfig],
        handle: Handle,
    ) -> Result<Notifier, NotCarried> {
        let desk = Arc::new(Desk { handle, open: Mutex::default() });
        let mail = match mail {
            Some(config) => {
                let relay = Relay::open(config).map_err(NotCarried::Refused)?;
                Some(carrier("mail", relay, Arc::clone(&desk), config.retry_seconds)?)
            }
            None => None,
        };
        let retry = webhooks.iter().map(|webhook| webhook.retry_seconds).min().unwrap_or(1);
        let webhook = match webhooks {
            [] => None,
            webhooks => {
                let caller = Caller::open(webhooks).map_err(NotCarried::Refused)?;
                Some(carrier("webhook", caller, Arc::clone(&desk), retry)?)
            }
        };
        Ok(Notifier { mail, webhook, desk, overflowed: AtomicBool::new(false) })
    }

    /// Takes a letter to be carried; false when there is nobody to carry it, so that it need not be waited for.
    pub fn take(&self, message: Message) -> bool {
        let Message { notice, letter, .. } = &message;
        let carriers: Vec<&SyncSender<Arc<Message>>> = [
            self.mail.as_ref().filter(|_| letter.mail.is_some()),
            self.webhook.as_ref().filter(|_| letter.webhook.is_some()),
        ]
        .into_iter()
        .flatten()
        .collect();
        if carriers.is_empty() {
            return false;
        }
        let mut open = self.desk.open();
        if open.contains_key(notice) {
            return true;
        }
        let notice = *notice;
        let message = Arc::new(message);
        let mut taken = 0;
        for carrier in carriers {
            match carrier.try_send(Arc::clone(&message)) {
                Ok(()) => taken += 1,
                Err(TrySendError::Full(_)) => self.overflowed.store(true, Ordering::Relaxed),
                Err(TrySendError::Disconnected(_)) => {
                    tracing::error!("what carries notices has ended");
                }
            }
        }
        if taken > 0 {
            open.insert(notice, taken);
        }
        true
    }

    /// Whether something must be offered again; asked once.
    pub fn has_overflowed(&self) -> bool {
        self.overflowed.swap(false, Ordering::Relaxed)
    }
}

fn carrier(
    name: &str,
    carrier: impl Carrier + 'static,
    desk: Arc<Desk>,
    retry_seconds: u32,
) -> Result<SyncSender<Arc<Message>>, NotCarried> {
    let (sender, letters) = sync_channel(WAITING_MAX);
    let retry = std::time::Duration::from_secs(retry_seconds.into());
    let started = std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || run(&carrier, &letters, retry, &|notice| desk.done(notice)));
    started.map_err(NotCarried::NoThread)?;
    Ok(sender)
}
