//! Rules for sharing the queue as the API carries them.

use super::setting::{set, share, span};
use crate::described::JsonSchema;
use crate::error::{Problem, Within};
use crate::number::Num;
use serde::{Deserialize, Serialize};
use walras_broker::policy::Policy;
use walras_broker::sharing::{QueueLimits, SharePolicy};
use walras_model::Span;

/// How the queue is shared between users. Times are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "SharingRules")]
pub struct SharingFile {
    /// What one user may have here at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<LimitsFile>,
    /// What the users of one group may have together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<LimitsFile>,
    /// What was served counts half after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_life: Option<Num>,
    /// All that is planned or reserved and has not begun takes no more than all nodes do in this time; every user has their part
    /// of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Num>,
    /// A job that fits nowhere is tried again after longer and longer times, this at the longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest_max: Option<Num>,
    /// Who has more jobs than this waiting goes behind those who have not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crowd: Option<u32>,
    /// Units of work for sizing and placing all workflows of a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_units: Option<u64>,
    /// Workflows of one user hold at most this share of the nodes at a time, between 0 and 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_nodes: Option<Num>,
}

/// What somebody may have here at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "QueueLimits")]
pub struct LimitsFile {
    /// Jobs that have not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// Their work, in seconds of a node of performance 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_time: Option<Num>,
    /// Quotes that bind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes: Option<u32>,
    /// Requests that are remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<u32>,
    /// What jobs and quotes say, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Sets how the queue is shared; where it was not, the rest is as usual.
///
/// Where as much was shared ahead as was planned (`horizon` was how far), that stays so when it is planned further ahead: otherwise
/// a few long jobs would be all of it.
pub(super) fn change(policy: &mut Policy, horizon: Span, file: Option<&SharingFile>) -> Result<(), Problem> {
    if let Some(rules) = &mut policy.sharing
        && rules.ahead >= horizon
    {
        rules.ahead = rules.ahead.max(policy.horizon);
    }
    let Some(file) = file else { return Ok(()) };
    let mut rules = policy.sharing.unwrap_or_default();
    file.user.as_ref().map_or(Ok(()), |it| it.change(&mut rules.user)).in_field("user")?;
    file.group.as_ref().map_or(Ok(()), |it| it.change(&mut rules.group)).in_field("group")?;
    span(&mut rules.half_life, file.half_life.as_ref(), "half_life")?;
    span(&mut rules.ahead, file.ahead.as_ref(), "ahead")?;
    span(&mut rules.rest_max, file.rest_max.as_ref(), "rest_max")?;
    set(&mut rules.crowd, file.crowd);
    set(&mut rules.workflow_units, file.workflow_units);
    share(&mut rules.workflow_nodes, file.workflow_nodes.as_ref(), "workflow_nodes")?;
    policy.sharing = Some(rules);
    Ok(())
}

/// All of it, where the queue is shared.
pub(super) fn of(policy: &Policy) -> Option<SharingFile> {
    policy.sharing.map(|rules: SharePolicy| SharingFile {
        user: Some(LimitsFile::of(&rules.user)),
        group: Some(LimitsFile::of(&rules.group)),
        half_life: Some(Num::of_span(rules.half_life)),
        ahead: Some(Num::of_span(rules.ahead)),
        rest_max: Some(Num::of_span(rules.rest_max)),
        crowd: Some(rules.crowd),
        workflow_units: Some(rules.workflow_units),
        workflow_nodes: Some(Num::of_millionths(rules.workflow_nodes.as_millionths())),
    })
}

impl LimitsFile {
    fn change(&self, limits: &mut QueueLimits) -> Result<(), Problem> {
        set(&mut limits.jobs, self.jobs);
        span(&mut limits.node_time, self.node_time.as_ref(), "node_time")?;
        set(&mut limits.quotes, self.quotes);
        set(&mut limits.keys, self.keys);
        set(&mut limits.bytes, self.bytes);
        Ok(())
    }

    fn of(limits: &QueueLimits) -> LimitsFile {
        LimitsFile {
            jobs: Some(limits.jobs),
            node_time: Some(Num::of_span(limits.node_time)),
            quotes: Some(limits.quotes),
            keys: Some(limits.keys),
            bytes: Some(limits.bytes),
        }
    }
}
