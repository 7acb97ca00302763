//! Ways to run a job: what is held on which site, and which parts run there when.
//!
//! A *hold* is time on a node that a site keeps for us; a *leg* is what one site holds; a *part* is what is started and
//! ends by itself: one of the parallel tasks of a job, or one task of a workflow, which waits for others.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{Interval, Money, NodeId, Rate, SiteId, Span, TaskId, Time};

/// One way to run a job, with everything that has to be reserved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocation {
    /// What is held, site by site.
    pub legs: Vec<Leg>,
    /// What runs on these holds.
    pub parts: Vec<Part>,
    /// What is ready for events that may come, for workflows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<SupportingParts>,
    /// What is ready for tasks that may be late, for workflows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<LateParts>,
}

/// What one site holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// The site that holds them.
    pub site: SiteId,
    /// What it holds.
    pub holds: Vec<Hold>,
}

/// Time that a site keeps for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// On which node; `None` in a queue, where times are expectations.
    pub node: Option<NodeId>,
    /// How many units of it; one where it is sold whole.
    #[serde(default = "one_unit", skip_serializing_if = "is_one_unit")]
    pub units: u32,
    /// From when until when it is kept; only expected, in a queue.
    pub interval: Interval,
    /// What it costs per time.
    pub rate: Rate,
    /// What all of it costs.
    pub cost: Money,
}

fn one_unit() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_one_unit(units: &u32) -> bool {
    *units == 1
}

/// What is started and ends by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which task of the workflow; `None` for the tasks of a parallel job.
    pub task: Option<TaskId>,
    /// The site whose leg has its hold.
    pub site: SiteId,
    /// The place of its hold in the leg of that site.
    pub hold: u32,
    /// When it should start.
    pub start: Time,
    /// When it should have ended.
    pub end: Time,
    /// The parts that it waits for, and how long data from each is on its way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<(u32, Span)>,
}

impl Part {
    /// Lets it start at another moment, for as long.
    pub(crate) fn move_to(&mut self, start: Time) {
        let length = self.end.span_since(self.start).unwrap_or(Span::ZERO);
        (self.start, self.end) = (start, start.checked_add(length).unwrap_or(Time::MAX));
    }
}

/// Parts that take the place of the planned ones when a node is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportingParts {
    /// The node whose loss they are made for.
    pub lost: NodeId,
    /// All parts as they would then run.
    pub parts: Vec<Part>,
}

/// Parts that take the place of the planned ones when a task is late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateParts {
    /// The task for whose lateness they are made.
    pub task: TaskId,
    /// All parts as they would then run; the late one ends as late as they are made for.
    pub parts: Vec<Part>,
}

impl Allocation {
    /// What everything that is held costs.
    pub fn cost(&self) -> Money {
        self.holds().map(|(_, hold)| hold.cost).sum()
    }

    /// When it starts.
    pub fn start(&self) -> Time {
        self.holds().map(|(_, hold)| hold.interval.start()).min().unwrap_or(Time::MIN)
    }

    /// When the last hold ends.
    pub fn end(&self) -> Time {
        self.holds().map(|(_, hold)| hold.interval.end()).max().unwrap_or(Time::MIN)
    }

    /// When the last part should have ended.
    pub fn finish(&self) -> Time {
        self.parts.iter().map(|part| part.end).max().unwrap_or_else(|| self.end())
    }

    /// All holds with their sites.
    pub fn holds(&self) -> impl Iterator<Item = (SiteId, &Hold)> {
        self.legs.iter().flat_map(|leg| leg.holds.iter().map(move |hold| (leg.site, hold)))
    }

    /// The leg of a site.
    pub fn leg(&self, site: SiteId) -> Option<&Leg> {
        self.legs.iter().find(|leg| leg.site == site)
    }

    /// The hold of a part.
    pub fn hold_of(&self, part: &Part) -> Option<&Hold> {
        self.leg(part.site)?.holds.get(part.hold as usize)
    }

    /// Whether it is in a queue, where no time is guaranteed.
    pub fn is_queue(&self) -> bool {
        self.holds().any(|(_, hold)| hold.node.is_none())
    }

    /// A parallel job: one part for each hold, for all of its time.
    pub fn plain(holds: impl IntoIterator<Item = (SiteId, Hold)>) -> Allocation {
        let legs = Allocation::legs_of(holds);
        let part = |site: SiteId, hold: u32, interval: Interval| Part {
            task: None,
            site,
            hold,
            start: interval.start(),
            end: interval.end(),
            after: Vec::new(),
        };
        let parts = legs.iter().flat_map(|leg| {
            leg.holds.iter().zip(0_u32..).map(move |(hold, place)| part(leg.site, place, hold.interval))
        });
        let parts = parts.collect();
        Allocation { legs, parts, supports: Vec::new(), late: Vec::new() }
    }

    /// Puts holds into legs by site, in order of sites.
    pub fn legs_of(holds: impl IntoIterator<Item = (SiteId, Hold)>) -> Vec<Leg> {
        let mut legs: BTreeMap<SiteId, Vec<Hold>> = BTreeMap::new();
        for (site, hold) in holds {
            legs.entry(site).or_default().push(hold);
        }
        legs.into_iter().map(|(site, holds)| Leg { site, holds }).collect()
    }
}
