//! A simulated world around the production broker.
//!
//! **Problem.** A broker must keep its promises when sites refuse, answer late, twice, never or out of order, when nodes
//! and sites fail, owners need their nodes, prices change, clients repeat themselves, the clock jumps, writing fails,
//! and the broker itself is killed between any two steps.
//!
//! **Method.** A virtual clock and a queue of messages on their way; everything, also what goes wrong, is drawn from a seed.
//! The broker is the very one that serves users, and the simulated sites are those of the service, with faults on top. After every
//! step the checks of [`check`] run. After some hours of trouble there is a calm, in which everything must come to an
//! end. A seed always gives the same world, so what one of them finds can be looked at again.
//!
//! It is a harness: no part of the product links it but the command `walras world`, and `tests/graph.rs` sees to that.
//!
//! ```
//! use walras_world::{Settings, live};
//! let outcome = live(&Settings { seed: 7, ..Settings::default() });
//! assert_eq!(outcome.wrong, Vec::<String>::new());
//! ```

pub mod check;
pub mod fault;
mod settings;
pub mod setup;
pub mod site;
mod wanted;
mod world;

pub use fault::Faults;
pub use settings::{Planning, Settings};
pub use world::{Outcome, World, live};
