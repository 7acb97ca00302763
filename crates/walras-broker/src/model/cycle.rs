//! The open cycle: from asking sites what is free to the plan.

use super::id::CycleNumber;
use super::rank::Ranked;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use walras_model::{SiteId, Time};

/// The open cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// Its number.
    pub number: CycleNumber,
    /// When it began.
    pub opened_at: Time,
    /// Who is in its batch.
    pub batch: Vec<Ranked>,
    /// The sites that have not answered.
    pub unanswered: BTreeSet<SiteId>,
    /// Whether planning has begun, and since when.
    pub closed_at: Option<Time>,
    /// Until when the sites may answer, or the plan must be there.
    pub until: Time,
}
