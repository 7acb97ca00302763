//! What happens, heard on a thread of its own, so that whoever waits can do something else meanwhile.
//!
//! Whoever hears [`Heard::Begun`] looks at everything once: what happened before is seen then, what happens after is heard. So nothing is
//! missed, and nothing is asked for while nothing happens. A stream that breaks is begun again.

use super::events::next_message;
use super::http::Client;
use crate::failure::Failure;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use walras_api::service::EventView;

/// How often in a row the service may not answer, and the first and the longest pause between.
const MISSED_MAX: u32 = 12;
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// What is heard.
pub(crate) enum Heard {
    /// From here on everything is heard; what was before must be looked at. Also when something was lost.
    Begun,
    /// Something has happened.
    Event(Box<EventView>),
    /// Nothing more is heard.
    Gone(Failure),
}

/// Listens until nobody hears any more.
pub(crate) fn hear(client: &Arc<Client>) -> Receiver<Heard> {
    let (sender, heard) = channel();
    let client = Arc::clone(client);
    std::thread::spawn(move || {
        // Whoever has gone need not be told.
        let _ = listen(&client, &sender);
    });
    heard
}

/// Ends with an error when nobody hears any more.
fn listen(client: &Client, sender: &Sender<Heard>) -> Result<(), std::sync::mpsc::SendError<Heard>> {
    let (mut missed, mut pause) = (0, PAUSES.0);
    loop {
        match client.stream("/v1/events") {
            Ok(mut reader) => {
                sender.send(Heard::Begun)?;
                while let Ok(Some(message)) = next_message(&mut reader) {
                    (missed, pause) = (0, PAUSES.0);
                    match serde_json::from_str::<EventView>(&message.data) {
                        Ok(event) => sender.send(Heard::Event(Box::new(event)))?,
                        // Something was lost, or is not understood here.
                        Err(_) => sender.send(Heard::Begun)?,
                    }
                }
            }
            Err(failure @ Failure::Unreachable(_)) if missed >= MISSED_MAX => {
                return sender.send(Heard::Gone(failure));
            }
            Err(Failure::Unreachable(_)) => {}
            Err(failure) => return sender.send(Heard::Gone(failure)),
        }
        missed += 1;
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSES.1);
    }
}
