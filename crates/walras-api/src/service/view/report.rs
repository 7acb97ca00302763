//! Reports: what owners have earned, and how the VO is.

use super::money::BudgetView;
use super::why::WhyKind;
use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// What was earned in a period. A sale counts where it was settled, its time where it was used; days are days in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncomeView {
    /// The beginning of the period: the first moment of a day in UTC.
    pub from: Stamp,
    /// The end of the period: the first moment of the day after its last one, in UTC.
    pub until: Stamp,
    /// Since when sales are written down, where that is later than `from`: what was sold before it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Stamp>,
    /// All together.
    pub total: IncomeLine,
    /// By day and site, in order.
    pub days: Vec<IncomeLine>,
    /// By site.
    pub sites: Vec<IncomeLine>,
    /// By node, those that earned most first.
    pub nodes: Vec<IncomeLine>,
    /// By user, those who paid most first.
    pub users: Vec<IncomeLine>,
    /// Whether there are more nodes, users or days than are listed.
    pub more: bool,
}

/// What was earned by one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncomeLine {
    /// The day, as `2026-11-15`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// The site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The node; a queue's have no names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// How many holds were settled.
    pub sales: u64,
    /// What users were charged, in credits.
    pub charged: Num,
    /// What the owner got of that, in credits; the rest is the VO's fee.
    pub income: Num,
    /// How many seconds on nodes were used, or are being used.
    pub sold: Num,
    /// How many seconds on nodes were for sale, where that is known; what was held counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<Num>,
    /// How many of these nobody used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsold: Option<Num>,
    /// The share of what was for sale that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utilisation: Option<Num>,
}

/// How the VO is, and was in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VoView {
    /// The beginning of the period: the first moment of a day in UTC.
    pub from: Stamp,
    /// The end of the period: the first moment of the day after its last one, in UTC.
    pub until: Stamp,
    /// Limits on spending, as they are now.
    pub budgets: Vec<BudgetView>,
    /// Those who spent most in the period first.
    pub users: Vec<UserLine>,
    /// How long jobs waited that ended in the period.
    pub waits: WaitsView,
    /// Why jobs were not run in the period, and why those wait that wait now; the most frequent first.
    pub refusals: Vec<RefusalLine>,
    /// Whether every job of the period was looked at; otherwise only the latest were, and jobs, waits and reasons are theirs.
    pub complete: bool,
}

/// What a user did in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserLine {
    /// The user's name.
    pub user: String,
    /// Their group.
    pub group: Option<String>,
    /// What they may use, against the others.
    pub share: u32,
    /// What they were charged, in credits.
    pub charged: Num,
    /// How many seconds on nodes they used.
    pub used: Num,
    /// How many of their jobs ended well.
    pub done: u64,
    /// How many failed by themselves.
    pub failed: u64,
    /// How many they cancelled.
    pub cancelled: u64,
    /// How many could not be run.
    pub given_up: u64,
    /// How many wait now.
    pub waiting: u64,
}

/// How long jobs waited from being submitted to their start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitsView {
    /// Of how many jobs.
    pub jobs: u64,
    /// Half of them waited no longer than so many seconds.
    pub median: Option<Num>,
    /// Nine of ten did not wait longer.
    pub ninth_tenth: Option<Num>,
    /// Nobody waited longer.
    pub longest: Option<Num>,
}

/// How often there was a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusalLine {
    /// What kind of reason.
    pub reason: WhyKind,
    /// How many jobs failed or were given up for it in the period.
    pub ended: u64,
    /// How many wait for it now.
    pub waiting: u64,
}
