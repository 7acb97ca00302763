//! Generators of slots and jobs, and the experiments of the papers with their figures beside ours.
//!
//! **Problem.** The papers report averages over thousands of random cycles. To say that an algorithm here is
//! theirs, the same experiment must give the same averages; to learn something new, a researcher must be able to
//! change any part of it from a file.
//!
//! **Method.** [`generate`] draws the slot list and the batch of one cycle from a configuration in which every
//! parameter has a name. [`experiment`] searches and chooses with the very functions that serve users (there is no
//! second copy of any algorithm here), checks laws in every cycle, and averages. [`results`] holds the figures,
//! each with the paper's and the tolerance; [`report`] writes them as JSON, SVG and one HTML page.
//!
//! ```text
//! config + seed --> generate --> search, choose (walras-core) --> Record per cycle --> Results --> report
//! ```
//!
//! Cycle n of a seed is the same whatever the number of cycles and of threads: each has random streams of its own
//! ([`walras_random::Purpose`]), and records are reduced in the order of cycles.
//!
//! ```
//! use walras_sim::experiment::{Options, slot_search};
//! let config = slot_search::Config::default();
//! let options = Options { seed: 1, cycles: 20, threads: 1, progress: &|_, _| {}, solver: None };
//! let reproduction = slot_search::run(&config, &options).unwrap();
//! assert_eq!(reproduction.results.experiment, "slot-search");
//! ```

pub mod baseline;
pub mod config;
pub mod drive;
pub mod experiment;
pub mod generate;
mod lines;
pub mod outage;
pub mod owners;
pub mod packing;
mod parallel;
pub mod record;
pub mod report;
pub mod results;
pub mod rolling;
pub mod statistics;
pub mod study;
pub mod table;
pub mod trace;
pub mod workload;

/// The example of the README runs with the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
