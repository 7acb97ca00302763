//! Letters on their way: carried in the order of their numbers, again after growing pauses where a place does not answer.
//!
//! A place that fails is left alone for a while, with all letters for it; others go on. What is refused for good, what is too old and what a
//! user has too much of is not sent, and the log says so.

use super::message::Message;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use walras_broker::id::NoticeNumber;

/// The longest pause, and how long is tried at all.
const PAUSE_MAX: Duration = Duration::from_secs(3_600);
const TRY_FOR: Duration = Duration::from_secs(3 * 86_400);
const HOUR: Duration = Duration::from_secs(3_600);
/// So often is looked whether something is due.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Why a letter was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotCarried {
    /// It may be, later.
    Later(String),
    /// It never will.
    Never(String),
}

/// Brings letters somewhere.
pub(super) trait Carrier: Send {
    /// Brings one.
    fn carry(&self, message: &Message) -> Result<(), NotCarried>;
    /// Where it goes: what fails there waits there.
    fn place(&self, message: &Message) -> String;
    /// How many a user may send there within an hour.
    fn per_hour(&self, message: &Message) -> u32;
}

struct Waiting {
    message: Arc<Message>,
    since: Instant,
}

struct Away {
    failures: u32,
    until: Instant,
}

/// What one carrier has to do.
#[derive(Default)]
struct Outbox {
    waiting: BTreeMap<NoticeNumber, Waiting>,
    away: BTreeMap<String, Away>,
    /// By user: when their letters of the last hour were sent.
    sent: BTreeMap<String, VecDeque<Instant>>,
    /// Carried, but the broker could not be told so yet.
    carried: Vec<NoticeNumber>,
}

/// Carries what comes until nobody sends any more. `done` tells that a letter need not be offered again; false when that could not be told.
pub(super) fn run(
    carrier: &impl Carrier,
    letters: &Receiver<Arc<Message>>,
    retry: Duration,
    done: &dyn Fn(NoticeNumber) -> bool,
) {
    let mut outbox = Outbox::default();
    loop {
        match letters.recv_timeout(LOOK_EVERY) {
            Ok(message) => outbox.add(message),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        letters.try_iter().for_each(|message| outbox.add(message));
        outbox.carried.retain(|notice| !done(*notice));
        while let Some(message) = outbox.due(carrier) {
            outbox.carry(carrier, &message, retry);
            outbox.carried.retain(|notice| !done(*notice));
        }
    }
}

impl Outbox {
    fn add(&mut self, message: Arc<Message>) {
        let (notice, since) = (message.notice, Instant::now());
        self.waiting.entry(notice).or_insert(Waiting { message, since });
    }

    /// The first letter whose place may be tried.
    fn due(&self, carrier: &impl Carrier) -> Option<Arc<Message>> {
        let now = Instant::now();
        let open = |message: &Message| {
            self.away.is_empty()
                || self.away.get(&carrier.place(message)).is_none_or(|away| away.until <= now)
        };
        self.waiting.values().find(|it| open(&it.message)).map(|it| Arc::clone(&it.message))
    }

    fn carry(&mut self, carrier: &impl Carrier, message: &Message, retry: Duration) {
        let (notice, place) = (message.notice, carrier.place(message));
        if !self.may(&message.user, carrier.per_hour(message)) {
            tracing::warn!(user = message.user, %notice, "a notice is not sent: its user has too many");
            return self.forget(notice);
        }
        match carrier.carry(message) {
            Ok(()) => {
                tracing::debug!(%notice, place, "a notice was sent");
                self.away.remove(&place);
                self.sent.entry(message.user.clone()).or_default().push_back(Instant::now());
                self.forget(notice);
            }
            Err(NotCarried::Never(why)) => {
                tracing::warn!(%notice, place, why, "a notice is refused for good");
                self.forget(notice);
            }
            Err(NotCarried::Later(why)) => {
                let failures = self.away.get(&place).map_or(0, |away| away.failures) + 1;
                let pause = retry.saturating_mul(1 << failures.min(20).saturating_sub(1)).min(PAUSE_MAX);
                tracing::warn!(%notice, place, why, ?pause, "a notice could not be sent: it is tried again");
                self.away.insert(place, Away { failures, until: Instant::now() + pause });
                let old = self.waiting.get(&notice).is_some_and(|it| it.since.elapsed() > TRY_FOR);
                if old {
                    tracing::error!(%notice, "a notice was tried for too long, and is not sent");
                    self.forget(notice);
                }
            }
        }
    }

    /// Whether a user may send one more now.
    fn may(&mut self, user: &str, per_hour: u32) -> bool {
        let Some(sent) = self.sent.get_mut(user) else { return per_hour > 0 };
        while sent.front().is_some_and(|at| at.elapsed() > HOUR) {
            sent.pop_front();
        }
        sent.len() < usize::try_from(per_hour).unwrap_or(usize::MAX)
    }

    fn forget(&mut self, notice: NoticeNumber) {
        self.waiting.remove(&notice);
        self.carried.push(notice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::channel;
    use walras_broker::notice::Letter;
    use walras_broker::notify::Occasion;
    use walras_model::Time;

    fn message(number: u64, user: &str, place: &str) -> Arc<Message> {
        let letter = Letter {
            at: Time::from_millis(0).unwrap(),
            name: "fit".to_owned(),
            occasion: Occasion::End,
            mail: Some(place.to_owned()),
            webhook: None,
        };
        let notice = NoticeNumber::new(number);
        Arc::new(Message { notice, user: user.to_owned(), job: "1".to_owned(), text: String::new(), letter })
    }

    /// Fails twice at `away`, refuses for good at `never`.
    #[derive(Default)]
    struct Fake {
        carried: Mutex<Vec<u64>>,
        failed: Mutex<u32>,
    }

    impl Carrier for Fake {
        fn carry(&self, message: &Message) -> Result<(), NotCarried> {
            let mut failed = self.failed.lock().unwrap();
            match self.place(message).as_str() {
                "never" => Err(NotCarried::Never("no".to_owned())),
                "away" if *failed < 2 => {
                    *failed += 1;
                    Err(NotCarried::Later("not now".to_owned()))
                }
                _ => {
                    self.carried.lock().unwrap().push(message.notice.get());
                    Ok(())
                }
            }
        }

        fn place(&self, message: &Message) -> String {
            message.letter.mail.clone().unwrap_or_default()
        }

        fn per_hour(&self, message: &Message) -> u32 {
            if message.user == "eve" { 1 } else { 100 }
        }
    }

    #[test]
    fn everything_is_carried_in_the_end_and_what_fails_holds_nobody_else_up() {
        let (sender, letters) = channel();
        for (number, user, place) in [
            (1, "ada", "away"),
            (2, "ada", "here"),
            (3, "eve", "here"),
            (4, "eve", "here"),
            (5, "ada", "never"),
        ] {
            sender.send(message(number, user, place)).unwrap();
            // Offered twice, carried once.
            sender.send(message(number, user, place)).unwrap();
        }
        let (fake, told, deaf) = (Fake::default(), Mutex::new(Vec::new()), Mutex::new(true));
        let sender = Mutex::new(Some(sender));
        let done = |notice: NoticeNumber| {
            // The broker cannot be told the first time.
            if std::mem::take(&mut *deaf.lock().unwrap()) {
                return false;
            }
            let mut told = told.lock().unwrap();
            told.push(notice.get());
            if told.len() == 5 {
                sender.lock().unwrap().take();
            }
            true
        };
        run(&fake, &letters, Duration::from_millis(1), &done);
        let mut told = told.lock().unwrap().clone();
        told.sort_unstable();
        assert_eq!(told, [1, 2, 3, 4, 5]);
        assert_eq!(*fake.carried.lock().unwrap(), [2, 3, 1], "4 is too much of one user, 5 is refused");
    }
}
