//! A client that does as little as it can: one connection, one request at a time.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

pub(crate) struct Client {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
    token: String,
}

impl Client {
    pub(crate) fn open(address: SocketAddr, token: &str) -> Client {
        Client { address, stream: connect(address), token: token.to_owned() }
    }

    /// The status and the body of the answer.
    pub(crate) fn call(&mut self, method: &str, path: &str, body: Option<&Value>) -> (u16, Vec<u8>) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = request(&self.token, method, path, &body);
        let sent = self.stream.get_mut().write_all(request.as_bytes());
        match sent.ok().and_then(|()| answer(&mut self.stream)) {
            Some(answer) => answer,
            None => {
                // A connection that was idle for long is closed.
                self.stream = connect(self.address);
                self.stream.get_mut().write_all(request.as_bytes()).unwrap();
                answer(&mut self.stream).unwrap()
            }
        }
    }
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    try_connect(address).unwrap()
}

fn try_connect(address: SocketAddr) -> std::io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(BufReader::new(stream))
}

/// Asks on a connection that may be gone, or be closed under it: the status, when there was an answer.
pub(crate) fn try_call(
    stream: &mut Option<BufReader<TcpStream>>,
    address: SocketAddr,
    token: &str,
    method: &str,
    path: &str,
    body: &str,
) -> Option<u16> {
    let mut open = match stream.take() {
        Some(open) => open,
        None => try_connect(address).ok()?,
    };
    open.get_mut().write_all(request(token, method, path, body).as_bytes()).ok()?;
    let (status, _) = answer(&mut open)?;
    *stream = Some(open);
    Some(status)
}

fn request(token: &str, method: &str, path: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The answer; nothing when the connection was closed.
fn answer(stream: &mut BufReader<TcpStream>) -> Option<(u16, Vec<u8>)> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut length = 0;
    loop {
        line.clear();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((status, body))
}
