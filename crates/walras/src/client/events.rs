//! `events`: what changes, as it changes; and the reader of server-sent events.

use super::http::{Client, with_query};
use super::settings::Connect;
use super::show::{clean, time, told};
use crate::failure::Failure;
use crate::files;
use std::io::{BufRead, Read};
use std::time::Duration;
use walras_api::service::EventView;

/// A line of the stream is never longer than this.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// How often a broken stream is taken up again in a row.
const BREAKS_MAX: u32 = 10;
const PAUSE: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub(crate) struct EventsArgs {
    /// Begin after this position of the journal [default: now]
    #[arg(long, value_name = "POSITION")]
    after: Option<u64>,
    #[command(flatten)]
    connect: Connect,
}

/// One message of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) event: String,
    pub(crate) data: String,
}

/// The next message, skipping what only keeps the connection alive; `None` at the end.
pub(crate) fn next_message(reader: &mut impl BufRead) -> std::io::Result<Option<Message>> {
    let mut message = Message::default();
    loop {
        let mut line = Vec::new();
        reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            // The end, or half a line, which is as good as none.
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() && message != Message::default() => return Ok(Some(message)),
            "event" => value.clone_into(&mut message.event),
            "data" if message.data.is_empty() => value.clone_into(&mut message.data),
            "data" => {
                message.data.push('\n');
                message.data.push_str(value);
            }
            _ => {}
        }
    }
}

/// Calls `each` with every event until it says stop; takes a broken stream up again where it broke.
pub(crate) fn follow(
    client: &Client,
    mut after: Option<u64>,
    mut each: impl FnMut(&Message, Option<&EventView>) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let mut breaks = 0;
    loop {
        let path = with_query("/v1/events", &[("after", after.map(|position| position.to_string()))]);
        let mut reader = match client.stream(&path) {
            Ok(reader) => reader,
            Err(Failure::Unreachable(_)) if after.is_some() && breaks < BREAKS_MAX => {
                breaks += 1;
                std::thread::sleep(PAUSE);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        while let Ok(Some(message)) = next_message(&mut reader) {
            breaks = 0;
            let view: Option<EventView> = serde_json::from_str(&message.data).ok();
            after = view.as_ref().map(|event| event.position).or(after);
            if !each(&message, view.as_ref())? {
                return Ok(());
            }
        }
        if breaks == BREAKS_MAX {
            return Err(Failure::Unreachable("the stream of events ends again and again".to_owned()));
        }
        breaks += 1;
        std::thread::sleep(PAUSE);
    }
}

/// One event on one line.
pub(crate) fn event_line(event: &EventView) -> String {
    format!("{}  {}  {}", time(event.at), event.kind.text(), told(&event.text))
}

pub(crate) fn run(args: &EventsArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    follow(&client, args.after, |message, event| {
        let line = match (args.connect.json, event) {
            (true, _) => message.data.replace('\n', " "),
            (false, Some(event)) => event_line(event),
            (false, None) if message.event == "lagged" => {
                "Some of what happened is not known here any more: `walras jobs` and `walras history` tell how things stand."
                    .to_owned()
            }
            (false, None) => clean(&format!("{} {}", message.event, message.data)),
        };
        files::print(&format!("{line}\n"))?;
        Ok(true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::fake::{Fake, Reply};
    use crate::client::settings::Settings;

    #[test]
    fn messages_are_taken_apart() {
        let text = ": hello\r\n\r\nid: 7\r\nevent: job-queued\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n:\n\nevent:lagged\n\ndata: half";
        let mut reader = text.as_bytes();
        let message = |event: &str, data: &str| Some(Message { event: event.into(), data: data.into() });
        assert_eq!(next_message(&mut reader).unwrap(), message("job-queued", "{\"a\":\n1}"));
        assert_eq!(next_message(&mut reader).unwrap(), message("lagged", ""));
        assert_eq!(next_message(&mut reader).unwrap(), None);
    }

    fn event(position: u64) -> String {
        format!(
            "id: {position}\nevent: job-queued\ndata: {{\"position\":{position},\"at\":\"2026-11-15T12:00:00Z\",\"kind\":\"job-queued\",\"job\":1,\"user\":null,\"site\":null,\"text\":\"t\"}}\n\n"
        )
    }

    #[test]
    fn a_broken_stream_goes_on_where_it_broke() {
        let stream = |text: String| Reply::Answer { status: 200, kind: "text/event-stream", text };
        let fake = Fake::start(vec![stream(event(4)), Reply::Hang, stream(event(5))]);
        let settings = Settings { url: fake.url(), token: None, ca: None };
        let client = Client::new(settings).unwrap();
        let mut seen = Vec::new();
        follow(&client, None, |_, event| {
            seen.extend(event.map(|event| event.position));
            Ok(seen.len() < 2)
        })
        .unwrap();
        assert_eq!(seen, [4, 5]);
        let lines: Vec<String> =
            fake.requests().iter().map(|request| request.lines().next().unwrap().to_owned()).collect();
        assert_eq!(
            lines,
            ["GET /v1/events HTTP/1.1", "GET /v1/events?after=4 HTTP/1.1", "GET /v1/events?after=4 HTTP/1.1"]
        );
    }
}
