//! Sites that sell free processors, and jobs that want them: the MetaBroker's model (seed 003) as data.
//!
//! A site has free processors of one speed at one price per processor and second, which may differ by user. A job
//! needs a number of processors at once, until its longest task ends. What follows from that (who may go where, at
//! what cost) is worked out in `walras-assign`; [`Instance`] is the generalised assignment problem that it comes to.

mod instance;

pub use instance::{Assignment, COST_LIMIT, Choices, Instance, InstanceError, Pair, Serve, Worth};

use crate::quantity::{Money, Performance, Rate, Span, Work};
use std::collections::BTreeMap;

/// Free processors of one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// How many are free; may be none.
    pub processors: u32,
    /// How fast each is.
    pub speed: Performance,
    /// What one costs per time.
    pub price: Rate,
    /// What one costs for users who pay another price.
    pub prices: BTreeMap<String, Rate>,
}

impl Capacity {
    /// What one processor costs this user per time.
    #[inline]
    pub fn price_for(&self, user: Option<&str>) -> Rate {
        user.and_then(|user| self.prices.get(user)).copied().unwrap_or(self.price)
    }

    /// The least that anybody pays for one per time.
    #[inline]
    pub fn price_least(&self) -> Rate {
        self.prices.values().copied().fold(self.price, Rate::min)
    }

    /// The most that anybody pays for one per time.
    #[inline]
    pub fn price_most(&self) -> Rate {
        self.prices.values().copied().fold(self.price, Rate::max)
    }
}

/// Whether a job's tasks must be together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Splitting {
    /// All tasks on one site.
    #[default]
    SingleSite,
    /// Tasks may go to several sites.
    Split,
}

/// What one job asks of sites with capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The user who pays, where prices may depend on that.
    pub user: Option<String>,
    /// How many processors at once; at least one.
    pub tasks: u32,
    /// Work of the longest task: all processors are held until it ends.
    pub work: Work,
    /// Whether the tasks must be together.
    pub kind: Splitting,
    /// What the whole job may cost.
    pub budget: Option<Money>,
    /// How long from now on it may take: the deadline less what it has waited already.
    pub within: Option<Span>,
    /// What serving it is worth beside others; at least one.
    pub weight: u32,
    /// The sites where it may go at all, in order, where they are limited (by owners' rules or by attributes).
    pub sites: Option<Vec<u32>>,
}

/// One cycle's capacity offers and demands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapacityMarket {
    /// The sites.
    pub sites: Vec<Capacity>,
    /// The jobs.
    pub jobs: Vec<Demand>,
}
