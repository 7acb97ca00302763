//! The service as the real program: killed at random moments, abused, and out of space.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod abuse;
mod chance;
mod disk;
mod http;
mod kill;
mod program;
