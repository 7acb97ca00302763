//! The broker, one promise at a time.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod again;
mod arrays;
mod chain_quotes;
mod chains;
mod cheaper;
mod clusters;
mod empty_tasks;
mod failures;
mod fairness;
mod fitting;
mod flows;
mod gangs;
mod gates;
mod holds;
mod large;
mod laws;
mod money;
mod moves;
mod nodes;
mod offers;
mod once;
mod owners;
mod predictions;
mod promises;
mod queue;
mod quotes;
mod rounds;
mod searching;
mod strategies;
mod timing;
mod together;
mod units;
mod vo;
