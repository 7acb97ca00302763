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
        let (token, length) = (&self.token, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        let sent = self.stream.get_mut().write_all(request.as_bytes());
        match sent.ok().and_then(|()| self.answer()) {
            Some(answer) => answer,
            None => {
                // A connection that was idle for long is closed.
                self.stream = connect(self.address);
                self.stream.get_mut().write_all(request.as_bytes()).unwrap();
                self.answer().unwrap()
            }
        }
    }

    /// The answer; nothing when the connection was closed.
    fn answer(&mut self) -> Option<(u16, Vec<u8>)> {
        let mut line = String::new();
        self.stream.read_line(&mut line).ok()?;
        let status = line.split(' ').nth(1)?.parse().unwrap();
        let mut length = 0;
        loop {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        Some((status, body))
    }
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    BufReader::new(stream)
}
