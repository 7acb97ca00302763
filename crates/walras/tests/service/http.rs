//! As little HTTP as the tests need, and nothing that would hide what is really sent.

use serde_json::Value;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// An answer must come within this time.
const WITHIN: Duration = Duration::from_secs(30);

/// What was answered.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// The head, in lower case.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: String,
}

impl Answer {
    /// The body as JSON; null when it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) token: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) body: Option<String>,
}

impl Call {
    /// Without a body.
    pub(crate) fn get(path: impl Into<String>, token: &str) -> Call {
        Call { method: "GET", path: path.into(), token: Some(token.to_owned()), ..Call::default() }
    }

    /// With a body.
    pub(crate) fn send(method: &'static str, path: impl Into<String>, token: &str, body: &Value) -> Call {
        Call { method, body: Some(body.to_string()), ..Call::get(path, token) }
    }

    /// Under a key.
    pub(crate) fn keyed(mut self, key: &str) -> Call {
        self.key = Some(key.to_owned());
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut head =
            format!("{} {} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n", self.method, self.path);
        if let Some(token) = &self.token {
            head.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        if let Some(key) = &self.key {
            head.push_str(&format!("Idempotency-Key: {key}\r\n"));
        }
        if let Some(body) = &self.body {
            head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
        }
        format!("{head}\r\n{}", self.body.as_deref().unwrap_or_default()).into_bytes()
    }

    /// Sends it over a connection of its own, and reads the answer to its end.
    pub(crate) fn ask(&self, address: SocketAddr) -> io::Result<Answer> {
        raw(address, &self.bytes())
    }
}

/// A connection.
pub(crate) fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, WITHIN)?;
    stream.set_read_timeout(Some(WITHIN))?;
    stream.set_write_timeout(Some(WITHIN))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Sends bytes as they are, and reads the answer to its end.
pub(crate) fn raw(address: SocketAddr, bytes: &[u8]) -> io::Result<Answer> {
    let mut stream = connect(address)?;
    // A service that refuses early may close before it has read everything; what it said is what counts.
    let _ = stream.write_all(bytes);
    answer(&mut stream)
}

/// Reads an answer to the end of the connection.
pub(crate) fn answer(stream: &mut TcpStream) -> io::Result<Answer> {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "the answer was cut off");
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return Err(read.err().unwrap_or_else(cut));
    };
    let head = head.to_ascii_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok());
    if length.is_some_and(|length: usize| body.len() < length && !body.contains('\u{fffd}')) {
        return Err(cut());
    }
    Ok(Answer { status, body: body.to_owned(), head })
}

/// Reads until the service closes the connection, which it must do before this side gives up.
pub(crate) fn until_closed(mut stream: impl Read, what: &str) -> String {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        // How it is closed does not matter.
        let kept = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
        assert!(!kept, "{what:?}: the connection was kept open");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
