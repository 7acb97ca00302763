//! `preferences` as it stands in a file. The comments of these types are the descriptions in the JSON Schema.

use super::names::{AggregationName, DayName};
use super::values::{Entries, List, Pair, Scalar, objects, present, present_object};
use super::wire::{one, zero};
use crate::described::JsonSchema;
use crate::number::Number;
use serde::Deserialize;

/// What is wanted, as files say it.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// How much each criterion counts.
    pub(crate) prefers: Option<&'a Entries<Number>>,
    /// Between which values it matters.
    pub(crate) ranges: Option<&'a Entries<Pair>>,
    /// How its loss grows from part to part of its range.
    pub(crate) segments: Option<&'a Entries<List<Number>>>,
}

/// What users, owners and the administrator want.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "preferences")]
pub(crate) struct PreferencesEntry {
    /// How the stakeholders' losses become one; the greater weight goes first in a lexicographic order.
    #[serde(default)]
    pub(crate) aggregation: AggregationName,
    /// Who wants what, and whose jobs are whose. A job that nobody claims is its own user.
    #[serde(default, deserialize_with = "objects")]
    pub(crate) users: List<UserEntry>,
    /// Jobs of which something else is wanted than of their user's others.
    #[serde(default, deserialize_with = "objects")]
    pub(crate) jobs: List<JobWishEntry>,
    /// What owners want, and whom they let in.
    #[serde(default, deserialize_with = "objects")]
    pub(crate) owners: List<OwnerEntry>,
    /// What the administrator wants.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "AdministratorEntry")]
    pub(crate) administrator: Option<AdministratorEntry>,
    /// Queues that take jobs without guaranteed times.
    #[serde(default, deserialize_with = "objects")]
    pub(crate) queues: List<QueueEntry>,
    /// Which day and hour time 0 is; for days and hours in owners' rules.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "OriginEntry")]
    pub(crate) origin: Option<OriginEntry>,
}

/// A user and their jobs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "user")]
pub(crate) struct UserEntry {
    /// Unique among the users.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// For owners' rules.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    pub(crate) group: Option<String>,
    /// How much the user counts among the stakeholders.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub(crate) weight: Number,
    /// Their jobs, by name.
    #[serde(default)]
    pub(crate) jobs: List<String>,
    /// How much each criterion counts; without it, cost and finish alike.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    pub(crate) prefers: Option<Entries<Number>>,
    /// Between which values a criterion matters, instead of the available ones.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Pair>")]
    pub(crate) ranges: Option<Entries<Pair>>,
    /// How much the loss grows in each of as many equal parts of the range, from best to worst: a learnt utility. Only ratios count.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<List<Number>>")]
    pub(crate) segments: Option<Entries<List<Number>>>,
    /// How the criteria's losses become one.
    #[serde(default)]
    pub(crate) aggregation: AggregationName,
}

impl UserEntry {
    /// What is wanted.
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted {
            prefers: self.prefers.as_ref(),
            ranges: self.ranges.as_ref(),
            segments: self.segments.as_ref(),
        }
    }
}

/// What is wanted of one job.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "job wish")]
pub(crate) struct JobWishEntry {
    /// The job's name.
    pub(crate) name: String,
    /// How much each criterion counts; without it, as for the user's other jobs.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    pub(crate) prefers: Option<Entries<Number>>,
    /// Between which values a criterion matters, instead of the available ones.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Pair>")]
    pub(crate) ranges: Option<Entries<Pair>>,
    /// How much the loss grows in each of as many equal parts of the range, from best to worst: a learnt utility. Only ratios count.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<List<Number>>")]
    pub(crate) segments: Option<Entries<List<Number>>>,
    /// How the criteria's losses become one.
    #[serde(default)]
    pub(crate) aggregation: AggregationName,
    /// What history says of the job's run time on a node of performance 1.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "SpreadEntry")]
    pub(crate) run_time: Option<SpreadEntry>,
}

impl JobWishEntry {
    /// What is wanted.
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted {
            prefers: self.prefers.as_ref(),
            ranges: self.ranges.as_ref(),
            segments: self.segments.as_ref(),
        }
    }
}

/// How sure a run time is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "run time")]
pub(crate) struct SpreadEntry {
    /// Its standard deviation.
    #[serde(default = "zero")]
    pub(crate) deviation: Number,
    /// The longest so far.
    #[serde(default = "zero")]
    pub(crate) max: Number,
    /// The mean error of predictions so far.
    #[serde(default = "zero")]
    pub(crate) error: Number,
    /// How long it is likely to take, for `likely-finish`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number")]
    pub(crate) likely: Option<Number>,
}

/// An owner's wishes and rules.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "owner")]
pub(crate) struct OwnerEntry {
    /// The site's name.
    pub(crate) site: String,
    /// How much the owner counts among the stakeholders.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub(crate) weight: Number,
    /// How much each total over what runs there counts; without it the owner wants nothing.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    pub(crate) prefers: Option<Entries<Number>>,
    /// Between which values a total matters.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Pair>")]
    pub(crate) ranges: Option<Entries<Pair>>,
    /// How much the loss grows in each of as many equal parts of the range, from best to worst: a learnt utility. Only ratios count.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<List<Number>>")]
    pub(crate) segments: Option<Entries<List<Number>>>,
    /// How the totals' losses become one.
    #[serde(default)]
    pub(crate) aggregation: AggregationName,
    /// Who may run there and when; the first rule that applies decides. Without rules everybody may.
    #[serde(default, deserialize_with = "objects")]
    pub(crate) access: List<AccessEntry>,
    /// What those who are named may get there together.
    #[serde(default, deserialize_with = "objects")]
    pub(crate) quotas: List<QuotaEntry>,
}

impl OwnerEntry {
    /// What is wanted.
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted {
            prefers: self.prefers.as_ref(),
            ranges: self.ranges.as_ref(),
            segments: self.segments.as_ref(),
        }
    }
}

/// What the administrator wants.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "administrator")]
pub(crate) struct AdministratorEntry {
    /// How much the administrator counts among the stakeholders.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub(crate) weight: Number,
    /// How much each total over everything counts.
    pub(crate) prefers: Entries<Number>,
    /// Between which values a total matters.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Pair>")]
    pub(crate) ranges: Option<Entries<Pair>>,
    /// How much the loss grows in each of as many equal parts of the range, from best to worst: a learnt utility. Only ratios count.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<List<Number>>")]
    pub(crate) segments: Option<Entries<List<Number>>>,
    /// How the totals' losses become one.
    #[serde(default)]
    pub(crate) aggregation: AggregationName,
}

impl AdministratorEntry {
    /// What is wanted.
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted {
            prefers: Some(&self.prefers),
            ranges: self.ranges.as_ref(),
            segments: self.segments.as_ref(),
        }
    }
}

/// A rule of access; without `user` and `group` it names everybody.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "access")]
pub(crate) struct AccessEntry {
    /// One user.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    pub(crate) user: Option<String>,
    /// All users of a group.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    pub(crate) group: Option<String>,
    /// Whether it allows or refuses.
    pub(crate) allow: bool,
    /// On which days; on all without.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "List<DayName>", length(min = 1))]
    pub(crate) days: Option<List<DayName>>,
    /// From which hour to which, between 0 and 24; all day without.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Pair")]
    pub(crate) hours: Option<Pair>,
}

/// A quota: one of `jobs`, `node_time` and `spend`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "quota")]
pub(crate) struct QuotaEntry {
    /// One user.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    pub(crate) user: Option<String>,
    /// All users of a group together.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    pub(crate) group: Option<String>,
    /// So many jobs.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0))]
    pub(crate) jobs: Option<Number>,
    /// So much time on nodes, all tasks together.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0))]
    pub(crate) node_time: Option<Number>,
    /// So many credits.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0))]
    pub(crate) spend: Option<Number>,
}

/// A queue: best effort, no guaranteed times.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "queue")]
pub(crate) struct QueueEntry {
    /// Unique among the queues.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// Whose it is.
    pub(crate) site: String,
    /// How long a job is expected to wait.
    #[schemars(range(min = 0))]
    pub(crate) wait: Number,
    /// Speed of its nodes.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0, "default" = 1))]
    pub(crate) performance: Number,
    /// Credits per node and unit of time.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(crate) price: Number,
    /// How many nodes jobs may have there together; no limit without.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 1))]
    pub(crate) units: Option<Number>,
    /// Power that one of its nodes draws, in watts.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0))]
    pub(crate) watts: Option<Number>,
    /// What else jobs may require, by name.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Scalar>")]
    pub(crate) attributes: Option<Entries<Scalar>>,
}

/// Which day and hour time 0 is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "origin")]
pub(crate) struct OriginEntry {
    /// The day of the week.
    pub(crate) day: DayName,
    /// The hour of the day, from 0 to 23.
    #[serde(default = "zero")]
    #[schemars(range(min = 0, max = 23))]
    pub(crate) hour: Number,
}
