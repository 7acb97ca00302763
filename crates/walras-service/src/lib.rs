//! The service: the broker with a durable journal, an HTTP API and sites.
//!
//! ```text
//!  clients --HTTP--> http --+                            +--> site threads --> connectors
//!                           +--> engine: broker, journal +--> plan thread
//!  listeners <--SSE-- http <-+                            +--> snapshots
//! ```
//!
//! The [`engine`] owns the broker and commits everything to the [`journal`] before anybody hears of it; [`http`] says who
//! may ask what; [`site`] opens the connectors of `walras-sites`, which run things; [`view`] turns what the broker knows into what people read; [`notice`] carries letters; [`serve`] puts it all
//! together as a [`config`] says; [`backup`] copies what it keeps.

pub mod backup;
mod check;
mod columns;
pub mod config;
mod connections;
pub mod described;
pub mod engine;
pub mod http;
pub mod joining;
pub mod journal;
pub mod limits;
pub mod notice;
pub mod serve;
pub mod session;
pub mod sign_on;
pub mod site;
pub mod token;
mod turns;
pub mod view;

pub use walras_sites::clock;
