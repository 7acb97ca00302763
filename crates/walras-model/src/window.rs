//! Windows: slots on several nodes with one common start.

use crate::id::{JobId, NodeId};
use crate::interval::Interval;
use crate::offer::SlotKey;
use crate::quantity::{Money, Rate, Span, Time};

/// One task's part of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Where the task runs.
    pub node: NodeId,
    /// On how many units of it; one where it is sold whole.
    pub units: u32,
    /// From the window's start for as long as this node needs.
    pub interval: Interval,
    /// What these cost their user per time.
    pub rate: Rate,
    /// What that time costs: the rate over the interval.
    pub cost: Money,
    /// The slot that it was cut from.
    pub source: SlotKey,
}

/// Slots on N nodes, one common start, each as long as its node needs (the rough right edge).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    start: Time,
    placements: Vec<Placement>,
}

impl Window {
    /// `None` without placements, or when they do not start together on distinct nodes, each cut from a slot of
    /// its own node.
    ///
    /// Placements are put in order of their nodes.
    #[inline]
    pub fn new(mut placements: Vec<Placement>) -> Option<Window> {
        placements.sort_unstable_by_key(|placement| placement.node);
        let distinct = placements.windows(2).all(|pair| pair[0].node != pair[1].node);
        Window::in_order(placements).filter(|_| distinct)
    }

    /// The same where several tasks may share a node that is sold in units.
    pub fn sharing(mut placements: Vec<Placement>) -> Option<Window> {
        placements.sort_by_key(|placement| placement.node);
        Window::in_order(placements)
    }

    fn in_order(placements: Vec<Placement>) -> Option<Window> {
        let start = placements.first()?.interval.start();
        let together = placements.iter().all(|placement| placement.interval.start() == start);
        let own = placements.iter().all(|placement| placement.source.node == placement.node);
        (together && own).then_some(Window { start, placements })
    }

    /// When all tasks start.
    #[inline]
    pub fn start(&self) -> Time {
        self.start
    }

    /// When the last task ends.
    #[inline]
    pub fn end(&self) -> Time {
        self.placements.iter().map(|placement| placement.interval.end()).fold(self.start, Time::max)
    }

    /// How long the longest task takes.
    #[inline]
    pub fn runtime(&self) -> Span {
        self.end().span_since(self.start).expect("a window ends after its start")
    }

    /// What all tasks cost together.
    #[inline]
    pub fn cost(&self) -> Money {
        self.placements.iter().map(|placement| placement.cost).sum()
    }

    /// The tasks, in order of their nodes.
    #[inline]
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }
}

/// One feasible way to run one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Whose it is.
    pub job: JobId,
    /// Where, when and for how much.
    pub window: Window,
    /// Set when a limit was hit before this window was proven best by the criterion: no window is better
    /// than this value (in the criterion's own integer unit).
    pub bound: Option<i128>,
}
