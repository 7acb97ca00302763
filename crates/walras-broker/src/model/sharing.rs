//! How the queue is shared between users: what each may have in it, and what each was served of late.

use super::budget::Spender;
use serde::{Deserialize, Serialize};
use walras_model::{Share, Span, Time};

/// Rules for sharing the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharePolicy {
    /// What one user may have here at a time.
    pub user: QueueLimits,
    /// What the users of one group may have together.
    pub group: QueueLimits,
    /// What was served counts half after this time.
    pub half_life: Span,
    /// All that is planned or reserved and has not begun takes no more than all nodes do in this time; every user has their
    /// part of it, whatever the others have.
    pub ahead: Span,
    /// A job that fits nowhere is tried again after longer and longer times, this at the longest.
    pub rest_max: Span,
    /// Who has more jobs than this waiting goes behind those who have not, where there is room to start.
    pub crowd: u32,
    /// Units of work for sizing and placing all workflows of a plan; each has the same part of them. What is too large for its part is
    /// looked at plainly, and the plan says so.
    pub workflow_units: u64,
    /// Workflows of one user hold at most this share of the nodes at a time: they take as many as there are, for as long as they need.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub workflow_nodes: Share,
}

/// As it was before there was a limit.
fn whole() -> Share {
    Share::WHOLE
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_whole(share: &Share) -> bool {
    *share == Share::WHOLE
}

/// What somebody may have here at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueLimits {
    /// Jobs that have not ended.
    pub jobs: u32,
    /// Their work, on nodes of performance 1.
    pub node_time: Span,
    /// Quotes that bind.
    pub quotes: u32,
    /// Requests that are remembered.
    pub keys: u32,
    /// What jobs and quotes say, in bytes.
    pub bytes: u64,
}

const fn millis(millis: i64) -> Span {
    match Span::from_millis(millis) {
        Some(span) => span,
        None => Span::ZERO,
    }
}

const HOUR: i64 = 3_600_000;

impl QueueLimits {
    /// No limit that anybody could reach.
    pub const NONE: QueueLimits = QueueLimits {
        jobs: u32::MAX,
        node_time: millis(walras_model::quantity::TIME_LIMIT),
        quotes: u32::MAX,
        keys: u32::MAX,
        bytes: u64::MAX,
    };
}

impl Default for SharePolicy {
    fn default() -> SharePolicy {
        let years = |years: i64| millis(years * 8_766 * HOUR);
        SharePolicy {
            user: QueueLimits {
                jobs: 50_000,
                node_time: years(100),
                quotes: 1_000,
                keys: 200_000,
                bytes: 200_000_000,
            },
            group: QueueLimits {
                jobs: 200_000,
                node_time: years(1_000),
                quotes: 5_000,
                keys: 800_000,
                bytes: 800_000_000,
            },
            half_life: millis(24 * HOUR),
            ahead: millis(7 * 24 * HOUR),
            rest_max: millis(600_000),
            crowd: 100,
            workflow_units: 40_000_000,
            workflow_nodes: Share::percent(75),
        }
    }
}

/// What a user has here, as it is limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Jobs that have not ended.
    pub jobs: u64,
    /// Their work, in milliseconds at performance 1.
    pub work: i128,
    /// Quotes that bind.
    pub quotes: u64,
    /// Requests that are remembered.
    pub keys: u64,
    /// What jobs and quotes say, in bytes.
    pub bytes: u64,
}

/// What there is a limit of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limited {
    /// Jobs that have not ended.
    Jobs,
    /// Their work, in seconds at performance 1.
    NodeTime,
    /// Quotes that bind.
    Quotes,
    /// Requests that are remembered.
    Keys,
    /// Bytes of jobs and quotes.
    Bytes,
}

/// A limit that a request would break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverLimit {
    /// Who has as much as they may.
    pub whose: Spender,
    /// What is counted.
    pub what: Limited,
    /// How much there may be.
    pub most: u64,
}

/// Time on nodes that a user was served, fading.
///
/// ```
/// use walras_broker::sharing::Served;
/// use walras_model::{Span, Time};
/// let at = |millis| Time::from_millis(millis).unwrap();
/// let half_life = Span::from_millis(6_400).unwrap();
/// let mut served = Served::default();
/// served.add(at(0), half_life, 1_000_000);
/// assert_eq!(served.at(at(6_400), half_life), 500_000);
/// assert_eq!(served.at(at(64_000_000), half_life), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    amount: i64,
    since: Time,
}

impl Default for Served {
    fn default() -> Served {
        Served { amount: 0, since: Time::MIN }
    }
}

/// A half-life has so many steps.
const STEPS: i64 = 64;
/// After a step, what was served is this much less: 2^(-1/64) is 1 - 1/92.8.
const STEP_LOSS: i64 = 93;

impl Served {
    /// Whether nothing was ever served.
    pub fn is_none(&self) -> bool {
        *self == Served::default()
    }

    /// What still counts at a moment, in milliseconds of one node.
    pub fn at(&self, now: Time, half_life: Span) -> i64 {
        let steps = self.steps(now, half_life);
        let halves = u32::try_from(steps / STEPS).unwrap_or(u32::MAX);
        let whole = self.amount.checked_shr(halves).unwrap_or(0);
        (0..steps % STEPS).fold(whole, |left, _| left - left / STEP_LOSS)
    }

    /// Counts what was served at a moment.
    pub fn add(&mut self, now: Time, half_life: Span, millis: i64) {
        let left = self.at(now, half_life);
        let passed = Span::from_millis(self.steps(now, half_life).saturating_mul(step(half_life)));
        let since = passed.and_then(|passed| self.since.checked_add(passed)).unwrap_or(now);
        *self = Served {
            amount: left.saturating_add(millis.max(0)),
            since: if self.amount == 0 { now } else { since },
        };
    }

    fn steps(&self, now: Time, half_life: Span) -> i64 {
        now.as_millis().saturating_sub(self.since.as_millis()).max(0) / step(half_life)
    }
}

fn step(half_life: Span) -> i64 {
    (half_life.as_millis() / STEPS).max(1)
}
