//! The engine: one thread that owns the broker and its journal, and gives everything else to others to do.
//!
//! **Problem.** Thousands of requests a second, each to be durable before it is answered; sites that answer when they
//! like; plans that take long. One state, and no moment at which what was said is not true.
//!
//! **Method.** Everything comes through one channel. What waits there is taken as one group: each input is decided and
//! folded in order, the entries of all are committed with one sync of the disk, and only then are answers given, listeners
//! told, sites asked and plans begun. Questions are answered after the commit too, so nobody ever sees what is not
//! durable. Plans are made on a thread of their own and come back as inputs; sites have a thread each. What sites have not
//! acknowledged is repeated from time to time.
//!
//! When the journal cannot be written, the whole group is answered so, the state is built again from what is durable, and
//! nothing is taken in until a probe can be written.
//!
//! **Complexity.** O(log n) for a submission beside n jobs; one sync for a group.

mod bounds;
mod command;
mod connect;
mod core;
mod herald;
mod labels;
mod last_plan;
mod line;
mod listeners;
mod metrics;
mod movers;
mod perform;
mod plan;
mod planning;
mod recover;
mod sites;
mod trouble;

pub use command::{ASKS, Failed, Handle, Heard, Listening, WRITER};
pub use core::{Engine, EngineConfig};
pub use last_plan::{LastBound, LastPlan};
pub use line::{SiteLine, SitePort, Troubled};
pub use listeners::{Audience, Told};
pub use metrics::Metrics;
pub(crate) use recover::restored;
