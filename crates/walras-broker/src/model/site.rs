//! Sites as the broker knows them: what they are, and what they say is free.

pub use super::free_change::FreeChange;

use super::price::PriceRules;
use serde::{Deserialize, Serialize};
use walras_core::prefer::Rules;
use walras_model::{Attributes, Division, Interval, NodeId, Performance, Request, Span, Watts};

/// What is said of a site when it joins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteSpec {
    /// Unique among the sites.
    pub name: String,
    /// Who earns what it sells.
    pub owner: String,
    /// How it offers its time.
    pub kind: SiteKind,
    /// Its nodes; none for a queue.
    pub nodes: Vec<NodeSpec>,
    /// What its time costs.
    pub prices: PriceRules,
    /// Who may run there.
    #[serde(default)]
    pub access: Access,
    /// What it needs of time around what it holds.
    #[serde(default, skip_serializing_if = "Timing::is_nothing")]
    pub timing: Timing,
}

/// What of a site may change while it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteTerms {
    /// What its time costs.
    pub prices: PriceRules,
    /// Who may run there.
    pub access: Access,
    /// What it needs of time around what it holds.
    pub timing: Timing,
}

impl SiteSpec {
    /// What of it may change.
    pub fn terms(&self) -> SiteTerms {
        SiteTerms { prices: self.prices.clone(), access: self.access.clone(), timing: self.timing }
    }

    /// Whether another would be the same site: under the same name, of the same owner and kind, with the same nodes.
    pub fn is_same(&self, other: &SiteSpec) -> bool {
        (&self.name, &self.owner, &self.kind, &self.nodes)
            == (&other.name, &other.owner, &other.kind, &other.nodes)
    }

    /// What is behind it, where it is a queue.
    pub fn queue(&self) -> Option<&QueueSpec> {
        match &self.kind {
            SiteKind::Queue(spec) => Some(spec),
            SiteKind::Slots | SiteKind::Capacity => None,
        }
    }
}

/// What a site needs of time around every hold. Users do not pay for it, and nothing else is held there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Before a hold begins: what runs there has to come up.
    pub before: Span,
    /// After it ends: what runs there has to be ended.
    pub after: Span,
    /// How long before its start a part that waits for nothing is sent to the site, which begins it at its time whoever is down by then.
    pub ahead: Span,
    /// Whether it answers within the very moment in which it is asked, and plans take no time either, so that what is asked of it may
    /// begin at once: only on a clock that is simulated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_once: bool,
    /// How long it takes to hold what is asked for, as long as nothing was asked of it yet, where that can be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Span>,
    /// No hold may be longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<Span>,
    /// Whether it begins its parts of a window over several sites only when it was told that all of them are ready, and says when it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
}

impl Timing {
    /// A site that needs none.
    pub const NOTHING: Timing = Timing {
        before: Span::ZERO,
        after: Span::ZERO,
        ahead: Span::ZERO,
        at_once: false,
        answers: None,
        longest: None,
        together: false,
    };

    fn is_nothing(&self) -> bool {
        *self == Timing::NOTHING
    }

    /// Whether others use the site too, and it needs time around what it holds: a cluster.
    pub(crate) fn is_of_cluster(&self) -> bool {
        Timing { answers: None, ..*self } != Timing::NOTHING
    }

    /// Whether something may be held for as long.
    pub fn allows(&self, time: Span) -> bool {
        self.longest.is_none_or(|longest| time <= longest)
    }

    /// How long a node must be free between two holds.
    pub fn between(&self) -> Span {
        let both = self.before.as_millis().saturating_add(self.after.as_millis());
        Span::from_millis(both).unwrap_or(self.before)
    }
}

impl Default for Timing {
    fn default() -> Timing {
        Timing::NOTHING
    }
}

/// Who may run on a site, and how much.
pub type Access = Rules;

/// How a site offers its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteKind {
    /// Free intervals on nodes, guaranteed.
    Slots,
    /// So many free processors from now on; each is one of its nodes.
    Capacity,
    /// Best effort: an expected wait.
    Queue(QueueSpec),
}

/// What the nodes behind a queue are like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSpec {
    /// Speed of a node.
    pub performance: Performance,
    /// Power that a node draws.
    pub watts: Option<Watts>,
    /// What else requests may ask for.
    pub attributes: Attributes,
}

/// What is said of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSpec {
    /// Unique within its site.
    pub name: String,
    /// What the owner's prices may name it by.
    #[serde(default)]
    pub class: Option<String>,
    /// Speed relative to the reference node.
    pub performance: Performance,
    /// Power drawn while it computes.
    #[serde(default)]
    pub watts: Option<Watts>,
    /// What else requests may ask for.
    #[serde(default)]
    pub attributes: Attributes,
    /// Whether it is sold whole or in units, and what it counts.
    #[serde(default, skip_serializing_if = "Division::is_plain")]
    pub division: Division,
}

impl NodeSpec {
    /// How many of its units a task of a request takes; `None` where it does not fit.
    pub fn units_needed(&self, request: &Request) -> Option<u32> {
        self.division.units_needed(request, &self.attributes)
    }
}

/// What a site says is free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Free {
    /// Intervals on nodes. What the broker holds there may be left out or not: the broker knows.
    Slots(Vec<FreeTime>),
    /// So many processors, counting those that the broker holds.
    Capacity(u32),
    /// An expected wait, and how many nodes jobs may have there.
    Queue {
        /// How long a job is expected to wait.
        wait: Span,
        /// How many nodes.
        units: u32,
    },
}

/// A free interval on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreeTime {
    /// The node that is free.
    pub node: NodeId,
    /// When it is free.
    pub interval: Interval,
    /// How many of its units are; all of them, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<u32>,
}

impl FreeTime {
    /// A time in which all of a node is free.
    pub fn whole(node: NodeId, interval: Interval) -> FreeTime {
        FreeTime { node, interval, units: None }
    }
}
