//! Tests of the core from outside: drawings, oracles, laws.

mod drawing;
mod explanations;
mod fixtures;
mod laws;
#[path = "../oracle/mod.rs"]
mod oracle;
mod random;
mod search;
mod slot_lists;
mod worked_example;
