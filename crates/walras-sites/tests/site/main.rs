//! What every connector must keep, and what each of them does beside that. Real processes, real time.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod bench;
mod book;
mod census;
mod clusters;
mod ends;
mod fake;
mod isolation;
mod laws;
mod limits;
mod local;
mod process;
mod queue;
mod shared;
mod simulated;
mod simulated_site;
mod slurm;
mod together;
mod units;
