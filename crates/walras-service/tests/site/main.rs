//! The `[[site]]` tables of a configuration, and the connectors that come of them.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod config;
mod open;
