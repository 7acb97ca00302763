//! The auditor against journals of the real broker, honest ones and corrupted ones.

#![allow(clippy::unwrap_used, reason = "modules of one test binary")]

mod chains;
mod corrupt;
mod edit;
mod files;
mod held_quotes;
mod honest;
mod late;
mod laws;
mod money;
mod promises;
mod quotes;
mod rounds;
mod steps;
mod story;
mod strategies;
mod waiting;
mod world;
