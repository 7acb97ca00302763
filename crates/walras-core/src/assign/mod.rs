//! Assignment of whole jobs to sites that sell capacity: free processors now, at a speed and a price.
//!
//! This is seed 003's MetaBroker. [`Market`] states its model; [`Instance`] is the generalised assignment problem
//! that follows for jobs that need all their processors on one site (the paper's SGN). All methods read an
//! instance and give an [`Assignment`].

pub mod genetic;
pub mod greedy;
pub mod instance;
pub mod market;
pub mod mmc;
pub mod split;

pub use instance::{Assignment, Choices, Instance, InstanceError, Pair, Serve, Worth};
pub use market::{Capacity, Demand, Kind, Market, Terms, Unfit};
