//! Capacity as an offer: a site's free processors among the slots of others.
//!
//! A site may publish free processors of one speed at one price instead of slots (the MetaBroker of seed 003).
//! They are free from the start of the horizon to its end, so a plan may treat each as a node with one slot; a job
//! that must stay on one site does so there as anywhere. What differs is the price: users may have prices of their
//! own, so that what a slot costs depends on who asks (see [`crate::Offers::rate_for`]).
//!
//! `walras-assign` is about the same offers without time: which job goes where now.
//!
//! ```
//! use walras_model::market::Capacity;
//! use walras_model::*;
//! use walras_model::*;
//! let time = |s: i64| Time::from_millis(s * 1_000).unwrap();
//! let horizon = Interval::new(time(0), time(60)).unwrap();
//! let rate = |credits: i64| Rate::from_micros_per_second(credits * 1_000_000).unwrap();
//! let capacity = Capacity {
//!     processors: 3,
//!     speed: Performance::ONE,
//!     price: rate(4),
//!     prices: [("ada".to_owned(), rate(3))].into(),
//! };
//! let offer = CapacityOffer { site: SiteId::new(0), capacity, watts: None, attributes: Attributes::new() };
//! let offers = Offers::new(horizon, vec![Site { name: "grid".into() }], vec![], vec![]).unwrap();
//! let offers = offers.with_capacity(vec![offer]).unwrap();
//! assert_eq!(offers.slots().len(), 3);
//! assert_eq!(offers.node(NodeId::new(2)).name, "#3");
//! assert_eq!(offers.rate_for(&offers.slots()[0], Some("ada")), rate(3));
//! assert_eq!(offers.rate_for(&offers.slots()[0], None), rate(4));
//! ```

use crate::attribute::Attributes;
use crate::division::Division;
use crate::id::SiteId;
use crate::market::Capacity;
use crate::offer::Node;
use crate::quantity::Watts;

/// All sites together offer at most so many processors: each becomes a node.
pub const PROCESSORS_MAX: u32 = 1_000_000;

/// Free processors that a site offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapacityOffer {
    /// Whose they are.
    pub site: SiteId,
    /// How many, how fast and for how much.
    pub capacity: Capacity,
    /// Power that one draws while it computes, where the owner states it.
    pub watts: Option<Watts>,
    /// What else requests may ask for.
    pub attributes: Attributes,
}

impl CapacityOffer {
    /// The processor with that number as a node.
    pub(crate) fn processor(&self, number: u32) -> Node {
        Node {
            division: Division::default(),
            name: format!("#{number}"),
            site: self.site,
            performance: self.capacity.speed,
            watts: self.watts,
            attributes: self.attributes.clone(),
        }
    }
}
