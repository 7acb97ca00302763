//! The machine: inputs become events, events become state, and state says what has to be done.

pub mod again;
mod broker;
mod change;
mod decide;
mod fold;
pub mod journal;
mod once;
mod outstanding;
pub mod statement;
mod timer;

pub use broker::{Broker, Handled};
pub use change::Change;
