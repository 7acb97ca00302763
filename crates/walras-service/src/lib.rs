//! The service: the broker with a durable journal, an HTTP API and sites.

pub mod clock;
pub mod site;
