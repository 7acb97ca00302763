//! The service as the real program: killed at random moments, abused, out of space, under a clock that is set, restored from a copy, behind TLS.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod abuse;
mod chance;
mod clock;
mod disk;
mod flows;
mod http;
mod kill;
mod program;
mod restore;
#[cfg(feature = "oidc")]
mod sign_on;
mod sites;
mod tls;
mod used;
