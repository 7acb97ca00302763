//! Walras's core: what a market for compute time means, as pure functions over plain data.
//!
//! Nothing in here reads a clock, draws a random number, touches a disk or a network, or knows a file
//! format. The pipeline so far:
//!
//! ```text
//! Offers + Batch --> find_alternatives --> Alternatives --> verify_plan
//!                          |
//!                          +--> explain, for jobs without a window
//! ```
//!
//! ```
//! use walras_core::{SearchConfig, find_alternatives};
//! use walras_model::{Batch, Interval, Offers, Time};
//!
//! let day = Interval::new(Time::from_millis(0).unwrap(), Time::from_millis(86_400_000).unwrap()).unwrap();
//! let offers = Offers::new(day, vec![], vec![], vec![]).unwrap();
//! let found = find_alternatives(&offers, &Batch::default(), &SearchConfig::default());
//! assert!(found.found.is_empty());
//! ```

#[cfg(test)]
extern crate self as walras_core;
#[cfg(test)]
#[path = "../tests/oracle/mod.rs"]
mod oracle;
#[cfg(test)]
mod stress;

pub mod agenda;
pub mod choose;
pub mod clearing;
pub mod explain;
pub mod plan;
pub mod predict;
pub mod prefer;
pub mod refine;
pub mod search;
pub mod slots;
#[cfg(feature = "serde")]
mod written;

pub use explain::explain;
pub use search::{
    Algorithm, Alternatives, Beyond, Criterion, LimitHit, Mode, NoWindow, SearchConfig, SearchLimits,
    Unscheduled, find_alternatives, find_alternatives_on, find_window,
};

/// The example of the README runs with the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
