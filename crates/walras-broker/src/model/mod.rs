//! What the broker speaks of: data, and what can be read off it. Nothing is decided or changed here.

pub mod account;
pub mod allocation;
mod bad_policy;
pub mod budget;
pub mod cycle;
pub mod decision;
pub mod effect;
pub mod event;
pub mod gate;
pub mod id;
pub mod input;
pub mod job;
pub mod limits;
pub mod mismatch;
pub mod notice;
pub mod policy;
pub mod price;
pub mod quote;
pub mod rank;
pub mod refusal;
pub mod repeated;
pub mod reservation;
pub mod sharing;
pub mod site;
pub mod state;
pub mod table;
pub mod wish;
