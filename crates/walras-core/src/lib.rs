//! Walras's core: what a market for compute time means, as pure functions over plain data.
//!
//! Nothing in here reads a clock, draws a random number, touches a disk or a network, or knows a file
//! format. The pipeline so far:
//!
//! ```text
//! Offers + Batch --> find_alternatives --> Alternatives --> verify_plan
//!                          |
//!                          +--> explain, for jobs without a window
//! ```

#[cfg(test)]
extern crate self as walras_core;
#[cfg(test)]
#[path = "../tests/oracle/mod.rs"]
mod oracle;
#[cfg(test)]
mod stress;

pub mod assign;
pub mod attribute;
pub mod capacity;
pub mod choose;
pub mod explain;
pub mod id;
pub mod interval;
pub mod offer;
pub mod outcome;
pub mod predict;
pub mod prefer;
pub mod program;
pub mod quantity;
mod random;
pub mod refine;
pub mod request;
pub mod search;
pub mod slots;
pub mod verify;
pub mod window;
pub mod workflow;
#[cfg(feature = "serde")]
mod written;

pub use attribute::{Attributes, Requirement, Test, Value};
pub use capacity::CapacityOffer;
pub use explain::{Explanation, Reason, SmallestChange, explain};
pub use id::{JobId, NodeId, SiteId, TaskId};
pub use interval::Interval;
pub use offer::{Node, Offers, OffersError, Site, Slot, SlotKey};
pub use outcome::Outcome;
pub use quantity::{Bandwidth, Data, Decimal, Factor, Money, Performance, Rate, Span, Time, Watts, Work};
pub use request::{Batch, Request, Scope};
pub use search::{
    Algorithm, Alternative, Alternatives, Criterion, LimitHit, Limits, Mode, NoWindow, SearchConfig,
    Unscheduled, find_alternatives, find_window,
};
pub use verify::{
    AlternativeAt, ChosenClaim, Claim, ClaimedAlternative, ClaimedChoice, ClaimedSlot, Rules, SlotAt,
    Violation, verify_plan,
};
pub use window::{Placement, Window};
pub use workflow::{Edge, Lane, Link, Network, Platform, Task, Workflow, WorkflowError};
