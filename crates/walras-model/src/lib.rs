//! Walras's vocabulary: what a market for compute time speaks of, as plain data with invariants in its constructors.
//!
//! Quantities and ids, nodes and slots, requests, windows, workflows, capacity markets, and the outcomes of searches.
//! Nothing in here searches or decides; every other crate speaks in these words.
//!
//! ```
//! use walras_model::{Money, Performance, Rate, Work};
//! let work = Work::from_millis(80_000).unwrap();
//! let runtime = work.runtime_on(Performance::from_millionths(2_000_000).unwrap()).unwrap();
//! let rate = Rate::from_micros_per_second(5_000_000).unwrap();
//! assert_eq!(rate.cost_of(runtime), Some(Money::from_micros(200_000_000)));
//! ```

pub mod attribute;
pub mod capacity;
pub mod division;
pub mod explanation;
pub mod id;
pub mod interval;
pub mod market;
pub mod name;
pub mod need;
pub mod node;
pub mod offer;
pub mod outcome;
pub mod quantity;
pub mod request;
pub mod window;
pub mod workflow;
#[cfg(feature = "serde")]
mod written;

pub use attribute::{Attributes, Requirement, Test, Value};
pub use capacity::CapacityOffer;
pub use division::{BadDivision, Division, SaleTerms, UNITS_MAX, amount_asked, free_units, price_of_units};
pub use explanation::{Explanation, Reason, SmallestChange};
pub use id::{JobId, NodeId, SiteId, TaskId};
pub use interval::Interval;
pub use name::UnknownName;
pub use need::TaskNeed;
pub use offer::{Node, Offers, OffersError, Site, Slot, SlotKey};
pub use outcome::Outcome;
pub use quantity::{
    Bandwidth, Data, Decimal, DecimalError, Factor, Fixed, Money, Multiplier, Performance, Rate, Share, Span,
    Time, Watts, Work,
};
pub use request::{Batch, Request, Scope};
pub use window::{Alternative, Placement, Window};
pub use workflow::{Edge, Lane, Link, Network, Platform, Task, Workflow, WorkflowError};

/// The example of the README runs with the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
