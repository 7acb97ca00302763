//! Real clusters: the broker over the three Slurm clusters of `scripts/lab`, with jobs of all kinds, and everything broken once.
//!
//! Slurm must be there (`scripts/setup test` installs it): what cannot be tried fails, and is not left out.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test binary")]

mod accounts;
mod clusters;
#[path = "../service/http.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod http;
#[path = "../service/program.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod program;
mod queue;
mod tables;
mod together;
mod trade;
mod trouble;
mod units;
mod vo;
