//! Requests: one agent, bounded answers, and repetition where it can do no harm.
//!
//! A submission carries a key. The service answers the same key with the same job, so a submission whose answer was lost
//! is sent again, a few times, with growing pauses, and nothing is submitted twice; so is what must be known before it. Other
//! requests are sent once.

use super::settings::{Connect, Process, Settings};
use super::show::{told, use_utc};
use crate::failure::Failure;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::BufReader;
use std::time::Duration;
use ureq::http::{Method, Request, Response};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body};
use walras_api::service::{ErrorView, exact};

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
/// The longest silence on a stream of events: the service sends something more often than that.
const SILENCE_MAX: Duration = Duration::from_secs(90);
/// The longest answer.
const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// The longest explanation of an error.
const ERROR_BYTES_MAX: u64 = 64 << 10;
/// Pauses before a submission is repeated.
pub(crate) const PAUSES: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_millis(900),
    Duration::from_millis(2_000),
    Duration::from_millis(4_000),
];

/// A service to ask.
pub(crate) struct Client {
    agent: Agent,
    settings: Settings,
    pauses: Vec<Duration>,
}

/// What the service said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
}

/// Bytes of an answer.
pub(crate) enum Bytes<R> {
    /// From this byte on.
    Some {
        /// Counted from 0.
        first: u64,
        /// They are read as they come.
        reader: R,
    },
    /// There are only so many.
    Beyond(u64),
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    /// With the query.
    pub(crate) path: String,
    pub(crate) body: Option<&'a Value>,
    /// Under which it may be repeated.
    pub(crate) key: Option<&'a str>,
}

impl Answer {
    /// As a value of the API.
    pub(crate) fn view<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        // Digits are not lost here, so that texts beside numbers say nothing new.
        let meant = exact::understood(&self.text);
        serde_json::from_str(meant.as_ref().unwrap_or(&self.text))
            .map_err(|error| Failure::Unreachable(format!("the service's answer is not understood: {error}")))
    }
}

impl Client {
    /// Of the service that is meant.
    pub(crate) fn of(connect: &Connect) -> Result<Client, Failure> {
        if connect.utc {
            use_utc();
        }
        Client::new(connect.settings(&Process)?)
    }

    pub(crate) fn new(settings: Settings) -> Result<Client, Failure> {
        let mut tls = TlsConfig::builder();
        if let Some(pem) = &settings.ca {
            let mut certificates = Vec::new();
            for item in parse_pem(pem) {
                match item {
                    Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
                    Ok(_) => {}
                    Err(_) => return Err(Failure::input("the file of WALRAS_CA is not in PEM format")),
                }
            }
            if certificates.is_empty() {
                return Err(Failure::input("the file of WALRAS_CA holds no certificate"));
            }
            tls = tls.root_certs(RootCerts::new_with_certs(&certificates));
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Nobody else is to see a token.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_WITHIN))
            .user_agent(concat!("walras/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls.build());
        // A proxy would read what is sent over plain http.
        let config = if settings.url.starts_with("http:") { config.proxy(None) } else { config };
        Ok(Client { agent: config.build().new_agent(), settings, pauses: PAUSES.to_vec() })
    }

    /// Where the service is.
    pub(crate) fn address(&self) -> &str {
        &self.settings.url
    }

    /// With other pauses before repetitions.
    #[cfg(test)]
    pub(crate) fn pausing(mut self, pauses: &[Duration]) -> Client {
        self.pauses = pauses.to_vec();
        self
    }

    pub(crate) fn get(&self, path: &str) -> Result<Answer, Failure> {
        self.call(&Call { method: Method::GET, path: path.to_owned(), body: None, key: None })
    }

    /// Gets, and again while no answer comes.
    pub(crate) fn get_patiently(&self, path: &str) -> Result<Answer, Failure> {
        self.patiently(&Call { method: Method::GET, path: path.to_owned(), body: None, key: None })
    }

    pub(crate) fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer, Failure> {
        self.call(&Call { method, path: path.to_owned(), body, key: None })
    }

    /// Posts under a key, and again while no answer comes.
    pub(crate) fn post_once(&self, path: &str, body: &Value, key: &str) -> Result<Answer, Failure> {
        let call = Call { method: Method::POST, path: path.to_owned(), body: Some(body), key: Some(key) };
        self.patiently(&call).map_err(|failed| may_have_arrived(failed, key))
    }

    fn patiently(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        let mut pauses = self.pauses.iter();
        loop {
            match (self.call(call), pauses.next()) {
                (Err(Failure::Unreachable(_)), Some(pause)) => std::thread::sleep(*pause),
                (answer, _) => return answer,
            }
        }
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        let mut response = self.once(call, Some(ANSWER_WITHIN)).map_err(|error| self.unreachable(&error))?;
        if !response.status().is_success() {
            return Err(refusal(response));
        }
        let read = response.body_mut().with_config();
        // What a job printed may be anything.
        let text = read.limit(ANSWER_BYTES_MAX).lossy_utf8(true).read_to_string();
        text.map(|text| Answer { text }).map_err(|error| self.unreachable(&error))
    }

    /// What the service sends, as bytes; some of them, where a range says so.
    pub(crate) fn bytes(
        &self,
        path: &str,
        range: Option<&str>,
    ) -> Result<Bytes<impl std::io::Read + use<>>, Failure> {
        let call = Call { method: Method::GET, path: path.to_owned(), body: None, key: None };
        let range = range.map(|range| format!("bytes={range}"));
        let response =
            self.ranged(&call, None, range.as_deref()).map_err(|error| self.unreachable(&error))?;
        let (first, length) = place_of(&response);
        match response.status().as_u16() {
            200 => Ok(Bytes::Some { first: 0, reader: response.into_body().into_reader() }),
            206 => Ok(Bytes::Some { first, reader: response.into_body().into_reader() }),
            416 => Ok(Bytes::Beyond(length)),
            _ => Err(refusal(response)),
        }
    }

    /// A stream that ends when the service says so.
    pub(crate) fn stream(&self, path: &str) -> Result<BufReader<impl std::io::Read + use<>>, Failure> {
        let call = Call { method: Method::GET, path: path.to_owned(), body: None, key: None };
        let response = self.once(&call, None).map_err(|error| self.unreachable(&error))?;
        if !response.status().is_success() {
            return Err(refusal(response));
        }
        Ok(BufReader::new(response.into_body().into_reader()))
    }

    fn once(&self, call: &Call<'_>, within: Option<Duration>) -> Result<Response<Body>, ureq::Error> {
        self.ranged(call, within, None)
    }

    fn ranged(
        &self,
        call: &Call<'_>,
        within: Option<Duration>,
        range: Option<&str>,
    ) -> Result<Response<Body>, ureq::Error> {
        let mut request =
            Request::builder().method(call.method.clone()).uri(format!("{}{}", self.settings.url, call.path));
        if let Some(token) = &self.settings.token {
            request = request.header("Authorization", token.header());
        }
        if let Some(key) = call.key {
            request = request.header("Idempotency-Key", key);
        }
        if let Some(range) = range {
            request = request.header("Range", range);
        }
        let body = call.body.map(Value::to_string);
        if body.is_some() {
            request = request.header("Content-Type", "application/json");
        }
        let silence = within.is_none().then_some(SILENCE_MAX);
        match body {
            Some(body) => {
                let request = self.agent.configure_request(request.body(body)?);
                self.agent.run(request.timeout_global(within).build())
            }
            None => {
                let request = self.agent.configure_request(request.body(())?);
                self.agent.run(request.timeout_global(within).timeout_per_read(silence).build())
            }
        }
    }

    fn unreachable(&self, error: &ureq::Error) -> Failure {
        Failure::Unreachable(format!("{}: the service cannot be reached: {error}", self.settings.url))
    }
}

/// Of an answer in part: its first byte, and how many there are of all.
fn place_of(response: &Response<Body>) -> (u64, u64) {
    let range = response.headers().get("content-range").and_then(|value| value.to_str().ok());
    let (place, length) =
        range.and_then(|range| range.strip_prefix("bytes ")?.split_once('/')).unwrap_or_default();
    let first = place.split_once('-').and_then(|(first, _)| first.parse().ok());
    (first.unwrap_or(0), length.parse().unwrap_or(0))
}

/// A submission may have arrived although nobody said so.
fn may_have_arrived(failed: Failure, key: &str) -> Failure {
    match failed {
        Failure::Unreachable(problem) => Failure::Unreachable(format!(
            "{problem}; it may have been taken nevertheless: with --key {key} it can be repeated safely"
        )),
        other => other,
    }
}

/// What a refusal means to a shell.
fn refusal(mut response: Response<Body>) -> Failure {
    let status = response.status().as_u16();
    let text = response.body_mut().with_config().limit(ERROR_BYTES_MAX).read_to_string().unwrap_or_default();
    let message = match serde_json::from_str::<ErrorView>(&text) {
        Ok(error) => format!("{} ({}, trace {})", error.message, error.code, error.trace),
        Err(_) => format!("the service answered {status}"),
    };
    let message = told(&message);
    match status {
        401 | 403 => Failure::Forbidden(message),
        404 | 409 | 410 => Failure::Refused(message),
        429 | 500..=599 => Failure::Unreachable(message),
        300..=399 => Failure::Input(format!("{message}: it is somewhere else; give its own address")),
        _ => Failure::Input(message),
    }
}

/// A key that nobody else uses.
pub(crate) fn fresh_key() -> Result<String, Failure> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(Failure::fault)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Text as part of an address.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

/// `path?name=value&...` of the values that there are.
pub(crate) fn with_query(path: &str, values: &[(&str, Option<String>)]) -> String {
    let given = values.iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    let pairs: Vec<String> = given.map(|(name, value)| format!("{name}={}", encode(value))).collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

#[cfg(test)]
mod tests;
