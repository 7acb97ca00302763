//! The methods of assignment, those with a solver among them, held against trying everything and against each other.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod brute;
mod chance;
mod exact;
mod flow;
mod genetic;
mod greedy;
mod markets;
mod mmc;
mod preferences;
mod split;
