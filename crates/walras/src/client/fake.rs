//! A service for tests: answers what it is told, in order, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What to do with a request.
pub(crate) enum Reply {
    /// Answer with this status, content type and body.
    Answer { status: u16, kind: &'static str, text: String },
    /// Read it and hang up.
    Hang,
}

impl Reply {
    pub(crate) fn json(status: u16, text: &str) -> Reply {
        Reply::Answer { status, kind: "application/json", text: text.to_owned() }
    }

    fn is_stream(&self) -> bool {
        matches!(self, Reply::Answer { kind: "text/event-stream", .. })
    }
}

pub(crate) struct Fake {
    address: std::net::SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// Answers these requests, then nobody is there any more.
    pub(crate) fn start(replies: Vec<Reply>) -> Fake {
        Fake::answering(replies, |_, _| true)
    }

    /// The same for somebody who listens to events on a thread of its own: streams are for whoever listens, all else is for whoever asks,
    /// and who comes before their turn waits for it.
    pub(crate) fn apart(replies: Vec<Reply>) -> Fake {
        Fake::answering(replies, |reply, request| reply.is_stream() == request.starts_with("GET /v1/events"))
    }

    fn answering(replies: Vec<Reply>, suits: fn(&Reply, &str) -> bool) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        if !replies.is_empty() {
            std::thread::spawn(move || {
                let mut waiting: Vec<(TcpStream, String)> = Vec::new();
                for reply in replies {
                    let (stream, request) = loop {
                        if let Some(place) = waiting.iter().position(|(_, request)| suits(&reply, request)) {
                            break waiting.remove(place);
                        }
                        let Ok((stream, _)) = listener.accept() else { return };
                        let Ok(request) = request_of(&stream) else { return };
                        waiting.push((stream, request));
                    };
                    seen.lock().expect("no panic before").push(request);
                    answer(stream, &reply);
                }
            });
        }
        Fake { address, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The whole text of each request.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic before").clone()
    }
}

fn request_of(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        request.push_str(&line);
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request.push_str(&String::from_utf8_lossy(&body));
    Ok(request)
}

/// Whoever asked may have gone, which is no matter.
fn answer(mut stream: TcpStream, reply: &Reply) {
    if let Reply::Answer { status, kind, text } = reply {
        let length = text.len();
        let head = format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {length}");
        let _ = write!(stream, "{head}\r\nConnection: close\r\n\r\n{text}");
    }
}
