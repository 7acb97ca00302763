//! What clients may use of the service.

/// How much callers may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Requests a second, for everybody, however many tokens they have.
    pub requests_per_second: u32,
    /// So many may come at once.
    pub burst: u32,
    /// Open connections.
    pub connections: usize,
    /// Open event streams.
    pub listeners: usize,
    /// Open event streams of one user, owner or administrator, with whichever of their tokens.
    #[serde(alias = "listeners_per_token")]
    pub listeners_each: usize,
    /// Requests of one of them that are worked on at a time.
    pub requests_at_once: usize,
    /// Bytes of bodies that are in memory, of all requests.
    pub body_bytes: usize,
    /// And of those of one user, owner or administrator.
    #[serde(alias = "body_bytes_per_token")]
    pub body_bytes_each: usize,
    /// Within so many seconds a client must have sent the head of a request, its first and every next one.
    pub head_seconds: u32,
    /// Within so many seconds a request must have been read and answered, unless its answer is a stream.
    pub answer_seconds: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            requests_per_second: 500,
            burst: 1_000,
            connections: 10_000,
            listeners: 5_000,
            listeners_each: 100,
            requests_at_once: 128,
            body_bytes: 256 << 20,
            body_bytes_each: 32 << 20,
            head_seconds: 10,
            answer_seconds: 60,
        }
    }
}
