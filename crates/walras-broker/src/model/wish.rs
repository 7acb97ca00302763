//! What owners and the administrator want of plans, beside what users want of their jobs.

use serde::{Deserialize, Serialize};
use walras_core::prefer::{Criterion, Preference};
use walras_model::SiteId;

/// Whose wishes count beside those of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wisher {
    /// The administrator: of everything.
    Administrator,
    /// The owner of a site: of what runs there.
    Owner(SiteId),
}

/// What an owner or the administrator wants: how totals are judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// How much they count among the stakeholders, against users' shares.
    pub weight: u32,
    /// How totals are judged.
    pub preference: Preference,
}

/// Nobody counts more than this.
pub const WISH_WEIGHT_MAX: u32 = 1_000_000;

/// What is wrong with a wish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadWish {
    /// A weight is 0, or too large.
    Weight(u32),
    /// A criterion is not known of everything that runs, so that no total can be made of it.
    NoTotal(Criterion),
}

impl Wish {
    /// Whether it can be weighed in every plan.
    pub(crate) fn check(&self) -> Result<(), BadWish> {
        if !(1..=WISH_WEIGHT_MAX).contains(&self.weight) {
            return Err(BadWish::Weight(self.weight));
        }
        let unsaid = self.preference.weighted().iter().find(|it| !has_total(&it.criterion));
        unsaid.map_or(Ok(()), |it| Err(BadWish::NoTotal(it.criterion.clone())))
    }
}

/// Money and times are known of everything that runs.
fn has_total(criterion: &Criterion) -> bool {
    match criterion {
        Criterion::GuaranteedStart
        | Criterion::Start
        | Criterion::Finish
        | Criterion::Cost
        | Criterion::Wait
        | Criterion::Speed
        | Criterion::Income
        | Criterion::Load => true,
        Criterion::LikelyFinish
        | Criterion::FinishDeviation
        | Criterion::FinishMax
        | Criterion::FinishError
        | Criterion::Memory
        | Criterion::Energy
        | Criterion::SpareTime
        | Criterion::Attribute(..) => false,
    }
}
