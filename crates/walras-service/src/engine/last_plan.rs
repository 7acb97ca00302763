//! What the last plan came to, as people are shown it.

use std::collections::BTreeMap;
use walras_broker::decision::{AssignedRound, PlanBound, Proof, Rivals};
use walras_broker::id::CycleNumber;
use walras_model::{Share, Time};

/// What the last plan came to.
#[derive(Clone, Debug)]
pub struct LastPlan {
    /// Whether it is proven best.
    pub proof: Proof,
    /// What it was held against for that; `None` where nothing was.
    pub rivals: Option<Rivals>,
    /// What no plan could beat.
    pub bound: Option<LastBound>,
    /// What was assigned to sites that sell capacity.
    pub assigned: Option<Box<AssignedRound>>,
    /// How many jobs it served.
    pub served: u32,
    /// How many it left out.
    pub unserved: u32,
    /// How content everybody is with it.
    pub satisfaction: BTreeMap<String, Share>,
    /// When it was made.
    pub at: Time,
    /// How long its cycle had been open then, in milliseconds.
    pub took: i64,
}

/// What no plan could beat.
#[derive(Clone, Copy, Debug)]
pub struct LastBound {
    /// The cycle that was planned, where it was worked out beside plans; else the last.
    pub of: Option<CycleNumber>,
    /// What none could beat.
    pub bound: PlanBound,
}
