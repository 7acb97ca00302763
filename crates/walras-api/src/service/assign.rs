//! How jobs are assigned to sites that sell capacity, as policies name it, and what a round of it came to.

use super::Stamp;
use super::view::ProofKind;
use crate::described::JsonSchema;
use crate::number::Num;
use serde::{Deserialize, Serialize};
use walras_broker::policy::Method;

/// How jobs get processors of sites that sell capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Assign", rename = "Assign")]
pub enum AssignFile {
    /// By windows, as on all other sites.
    Windows,
    /// One job after the other, earliest deadline first, to the site with the lowest price per second.
    Greedy,
    /// The same, to the site where the job costs least.
    GreedyCost,
    /// The linear relaxation made whole.
    Mmc,
    /// Evolution from greedy.
    Hga,
    /// Evolution from mmc.
    Lpga,
    /// The best assignment, proven or with a gap.
    Exact,
    /// Jobs that may be split are.
    Split,
}

impl AssignFile {
    pub(super) fn method(self) -> Option<Method> {
        match self {
            AssignFile::Windows => None,
            AssignFile::Greedy => Some(Method::Greedy),
            AssignFile::GreedyCost => Some(Method::GreedyCost),
            AssignFile::Mmc => Some(Method::Mmc),
            AssignFile::Hga => Some(Method::Hga),
            AssignFile::Lpga => Some(Method::Lpga),
            AssignFile::Exact => Some(Method::Exact),
            AssignFile::Split => Some(Method::Split),
        }
    }

    /// A method as policies name it.
    pub fn of(method: Option<Method>) -> AssignFile {
        match method {
            None => AssignFile::Windows,
            Some(Method::Greedy) => AssignFile::Greedy,
            Some(Method::GreedyCost) => AssignFile::GreedyCost,
            Some(Method::Mmc) => AssignFile::Mmc,
            Some(Method::Hga) => AssignFile::Hga,
            Some(Method::Lpga) => AssignFile::Lpga,
            Some(Method::Exact) => AssignFile::Exact,
            Some(Method::Split) => AssignFile::Split,
        }
    }

    /// Its name, as in a policy.
    pub fn name(self) -> &'static str {
        match self {
            AssignFile::Windows => "windows",
            AssignFile::Greedy => "greedy",
            AssignFile::GreedyCost => "greedy-cost",
            AssignFile::Mmc => "mmc",
            AssignFile::Hga => "hga",
            AssignFile::Lpga => "lpga",
            AssignFile::Exact => "exact",
            AssignFile::Split => "split",
        }
    }
}

/// What a round of assigning came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssignedView {
    /// The method that assigned them; the VO's rules name it.
    pub method: AssignFile,
    /// When all that it serves start.
    pub start: Stamp,
    /// How many jobs it was for.
    pub jobs: u32,
    /// The jobs that it serves.
    pub served: Vec<u64>,
    /// What they cost, in credits.
    pub cost: Num,
    /// What is proven of it.
    pub proof: ProofKind,
    /// No assignment is better by more than this share of its cost, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Num>,
    /// Generations of evolution, passes of the exact method.
    pub iterations: u64,
    /// The same in a sentence.
    pub text: String,
}
