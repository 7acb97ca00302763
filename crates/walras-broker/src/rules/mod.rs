//! The rules of the market: pure functions over what the broker knows. None of them changes it.

pub(crate) mod accounts;
pub(crate) mod agenda;
pub(crate) mod batch;
pub(crate) mod budgets;
pub(crate) mod check;
pub(crate) mod elements;
pub mod fitting;
pub(crate) mod gating;
pub(crate) mod limiting;
pub(crate) mod market;
pub(crate) mod means;
pub(crate) mod predicting;
pub mod quoting;
pub(crate) mod rank;
pub mod sales;
pub(crate) mod selling;
pub(crate) mod settle;
pub(crate) mod submission;
pub(crate) mod turns;
mod verified;
mod violation;
pub(crate) mod wanted;
