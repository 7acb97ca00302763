//! Window search.

pub mod alternatives;
pub mod config;

pub use alternatives::{Alternative, Alternatives, LimitHit, Unscheduled};
pub use config::{Algorithm, Criterion, Limits, Mode, SearchConfig};
