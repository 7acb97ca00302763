//! Assignment of whole jobs to sites that sell capacity: free processors now, at a speed and a price.
//!
//! This is seed 003's MetaBroker. [`CapacityMarket`](walras_model::market::CapacityMarket) states its model; [`Instance`](walras_model::market::Instance) is the generalised assignment problem
//! that follows for jobs that need all their processors on one site (the paper's SGN). All methods read an
//! instance and give an [`Assignment`](walras_model::market::Assignment).
//!
//! ```
//! use walras_assign::program::LinearProgram;
//!
//! // At most one of two things, the dearer being worth more.
//! let mut program = LinearProgram::default();
//! let (x, y) = (program.column(-1.0, 0.0, 1.0, true), program.column(-2.0, 0.0, 1.0, true));
//! program.row(f64::NEG_INFINITY, 1.0, vec![(x, 1.0), (y, 1.0)]);
//! assert_eq!(program.columns.len(), 2);
//! ```

pub mod exact;
pub mod genetic;
pub mod greedy;
pub mod market;
pub mod method;
pub mod mmc;
mod of_offers;
pub mod program;
pub mod small;
pub mod split;
pub mod transport;

pub use market::{MarketRules, ProcessorTerms, Unfit};
pub use of_offers::{MarketError, Unplaced, market_of, whole_jobs, why_unplaced};

/// The example of the README runs with the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
