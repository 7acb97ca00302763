//! What has become of cycles: from the batch to the plan.

use crate::model::decision::{PlanBound, Verdict};
use crate::model::id::CycleNumber;
use crate::model::rank::Ranked;
use crate::model::site::{Free, FreeChange};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use walras_model::{Multiplier, SiteId, Time};

/// What has become of cycles: from the batch to the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleEvent {
    /// A cycle has begun: who is in its batch, and why in that order.
    Opened {
        /// Its number.
        cycle: CycleNumber,
        /// The batch, highest rank first.
        batch: Vec<Ranked>,
        /// The sites that are asked.
        asked: Vec<SiteId>,
        /// Until when they may answer.
        until: Time,
        /// The sites' demand factors, in millionths.
        demand: Vec<Multiplier>,
    },
    /// A site has said what is free.
    OffersReceived {
        /// The site that has answered.
        site: SiteId,
        /// For which cycle.
        cycle: CycleNumber,
        /// What is free.
        free: Arc<Free>,
    },
    /// A site has said what has changed of what is free.
    OffersChanged {
        /// The site that has answered.
        site: SiteId,
        /// For which cycle.
        cycle: CycleNumber,
        /// What has changed.
        change: Arc<FreeChange>,
    },
    /// All that will be known is known; planning begins.
    Closed {
        /// The number of the cycle that is planned now.
        cycle: CycleNumber,
        /// Until when the plan must be there.
        until: Time,
    },
    /// The plan was looked at; reservations follow.
    Decided {
        /// The number of the cycle that was planned.
        cycle: CycleNumber,
        /// What the plan came to.
        verdict: Box<Verdict>,
    },
    /// What no plan could beat was worked out beside a plan of windows that may move.
    Bounded {
        /// The number of the cycle that was planned.
        cycle: CycleNumber,
        /// What no plan could beat.
        bound: PlanBound,
    },
    /// The cycle ended without a plan: there was nobody to plan for, or it took too long.
    Ended(CycleNumber),
}
