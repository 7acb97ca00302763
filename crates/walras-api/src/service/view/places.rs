//! Where a job runs, part by part: as it was planned, as it went, and where else it could run. And what stayed unsold.

use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// Where and when a job runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacesView {
    /// Its number.
    pub job: u64,
    /// Its parts, in order; none before it has a window, and of an array.
    pub parts: Vec<PlacedPart>,
    /// Data on its way from one task of a workflow to another, as it was planned.
    pub transfers: Vec<TransferView>,
    /// Where else it could run as things are, where that is asked for and nothing of it has begun; earliest first.
    pub alternatives: Vec<AlternativeView>,
}

/// A part as it was planned, and as it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacedPart {
    /// Its place among the job's parts, from 0 on.
    pub part: u32,
    /// The task of the workflow.
    pub task: Option<String>,
    /// Where it was to run when its window was reserved, or is planned to run; none where that is not known any more.
    pub planned: Option<PlaceView>,
    /// Where it runs or ran, once it has begun.
    pub actual: Option<PlaceView>,
    /// Whether the planned end of the whole hangs on it: the critical path of a workflow goes through it.
    pub critical: bool,
}

/// Somewhere for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceView {
    /// On which site.
    pub site: String,
    /// On which node; none in a queue.
    pub node: Option<String>,
    /// When it begins there, or began.
    pub start: Stamp,
    /// Until when; of a part that runs, when it should have ended.
    pub end: Stamp,
}

/// Data on its way from one part to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TransferView {
    /// From which part, by its place.
    pub from: u32,
    /// The part that reads it, by its place.
    pub to: u32,
    /// From when on.
    pub start: Stamp,
    /// When it has arrived.
    pub end: Stamp,
    /// Whether the planned end of the whole hangs on it.
    pub critical: bool,
}

/// Another way to run a job. Nothing of it is promised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlternativeView {
    /// When it would start.
    pub start: Stamp,
    /// When it would have ended.
    pub finish: Stamp,
    /// What it would cost at most, in credits.
    pub cost: Num,
    /// Whether a plan keeps it ready for when the job's own window fails; otherwise it was looked for just now.
    pub spare: bool,
    /// What it would use.
    pub places: Vec<PlaceView>,
}

/// What jobs that were not served would have paid for time that stayed unsold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnsoldView {
    /// The beginning of the period: the first moment of a day in UTC.
    pub from: Stamp,
    /// The end of the period: the first moment of the day after its last one, in UTC.
    pub until: Stamp,
    /// Site by site.
    pub sites: Vec<UnsoldSite>,
    /// Whether every job of the period was looked at; otherwise only the latest were.
    pub complete: bool,
}

/// What a site could have sold besides, at lower prices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnsoldSite {
    /// The site.
    pub site: String,
    /// How many seconds on nodes nobody used of those that were for sale, where that is known.
    pub unsold: Option<Num>,
    /// What it asks now for a second on a node of its middling performance, without demand, in credits.
    pub price: Num,
    /// From the highest price below that on: what would have sold besides, going by budgets alone.
    pub steps: Vec<UnsoldStep>,
}

/// What would have sold at a price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnsoldStep {
    /// In credits a second, on a node of the site's middling performance.
    pub price: Num,
    /// How many jobs wanted to pay so much or more, and were not served.
    pub jobs: u32,
    /// How many seconds on nodes they would have used; no more than stayed unsold.
    pub time: Num,
    /// What that comes to at this price, in credits.
    pub charged: Num,
}
