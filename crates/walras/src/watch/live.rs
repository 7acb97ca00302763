//! The live view: one thread asks how things are, one follows what happens, this one reads keys and draws.

use super::draw::draw;
use super::keys::{Meaning, meaning};
use super::scene::{Scene, Snapshot};
use super::{Whose, look};
use crate::client::events::{event_line, follow};
use crate::client::http::Client;
use crate::failure::Failure;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often the service is asked.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a key is waited for before the screen is drawn again.
const DRAW_EVERY: Duration = Duration::from_millis(200);
/// The shortest and the longest time that is shown: a minute and thirty days.
const SPANS: (i64, i64) = (60_000, 30 * 86_400_000);

enum News {
    Looked(Box<Snapshot>),
    Trouble(String),
    Happened(String),
}

/// The terminal, which is put in order again whatever happens; a panic does so as well.
struct Screen(DefaultTerminal);

impl Screen {
    fn open() -> Result<Screen, Failure> {
        ratatui::try_init().map(Screen).map_err(|error| {
            // It may have been changed halfway; if that cannot be undone, nothing else can either.
            let _ = ratatui::try_restore();
            Failure::Input(format!("the terminal cannot be used: {error}"))
        })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

pub(super) fn run(
    client: Arc<Client>,
    whose: Whose,
    span: i64,
    mut scene: Scene,
    over: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let span = Arc::new(AtomicI64::new(span));
    let opened = Arc::new(AtomicU64::new(0));
    let ((sender, news), (look_now, wake)) = (channel(), channel());
    follow_events(Arc::clone(&client), sender.clone());
    keep_looking(client, whose, (Arc::clone(&span), Arc::clone(&opened)), sender, wake);
    let mut screen = Screen::open()?;
    let failed = |error: std::io::Error| Failure::Input(format!("the terminal cannot be used: {error}"));
    while !over() {
        take_news(&mut scene, &news);
        screen.0.draw(|frame| draw(&scene, frame.area(), frame.buffer_mut())).map_err(failed)?;
        if !event::poll(DRAW_EVERY).map_err(failed)? {
            continue;
        }
        let Event::Key(key) = event::read().map_err(failed)? else { continue };
        match meaning(key, scene.typing) {
            Some(Meaning::Quit) => return Ok(()),
            Some(Meaning::Zoom { closer }) => {
                let now = span.load(Ordering::Relaxed);
                let next = if closer { now / 2 } else { now * 2 };
                span.store(next.clamp(SPANS.0, SPANS.1), Ordering::Relaxed);
            }
            Some(Meaning::Wish(wish)) => {
                if !scene.apply(wish) {
                    return Ok(());
                }
                let job = scene.opened().unwrap_or(0);
                if opened.swap(job, Ordering::Relaxed) != job {
                    // Nobody looks any more when the service is gone; that is told elsewhere.
                    let _ = look_now.send(());
                }
            }
            None => {}
        }
    }
    Ok(())
}

fn take_news(scene: &mut Scene, news: &Receiver<News>) {
    for news in news.try_iter() {
        match news {
            News::Looked(snapshot) => {
                scene.snapshot = *snapshot;
                scene.trouble = None;
            }
            News::Trouble(trouble) => scene.trouble = Some(trouble),
            News::Happened(line) => scene.push_event(line),
        }
    }
}

/// Asks until nobody listens any more, at once when somebody wants to see something else.
fn keep_looking(
    client: Arc<Client>,
    whose: Whose,
    (span, opened): (Arc<AtomicI64>, Arc<AtomicU64>),
    sender: Sender<News>,
    wake: Receiver<()>,
) {
    std::thread::spawn(move || {
        loop {
            let job = Some(opened.load(Ordering::Relaxed)).filter(|job| *job > 0);
            let news = match look(&client, &whose, span.load(Ordering::Relaxed), job) {
                Ok(snapshot) => News::Looked(Box::new(snapshot)),
                Err(failure) => News::Trouble(text_of(failure)),
            };
            if sender.send(news).is_err() {
                return;
            }
            if wake.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    });
}

fn follow_events(client: Arc<Client>, sender: Sender<News>) {
    std::thread::spawn(move || {
        let followed = follow(&client, None, |message, event| {
            let line = event.map_or_else(|| message.event.clone(), event_line);
            Ok(sender.send(News::Happened(line)).is_ok())
        });
        if let Err(failure) = followed {
            // The view goes on without events, and nobody may be there to be told.
            let _ = sender.send(News::Happened(text_of(failure)));
        }
    });
}

/// What went wrong, as text.
pub(super) fn text_of(failure: Failure) -> String {
    match failure {
        Failure::Input(text)
        | Failure::Refused(text)
        | Failure::Forbidden(text)
        | Failure::Unreachable(text)
        | Failure::Fault(text) => text,
        Failure::Refuted | Failure::NotAll | Failure::Ended(_) | Failure::Panicked | Failure::ReaderGone => {
            String::new()
        }
    }
}
