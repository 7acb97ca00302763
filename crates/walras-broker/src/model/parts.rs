//! The parts of a reservation by what they are held on.
//!
//! **Problem.** Tasks of a workflow take turns on their nodes, and what a hold costs follows from the parts on it. Looking through all
//! parts for each of them is quadratic: a thousand nodes of one job, or the tasks of a large workflow, are met whenever time passes.
//!
//! **Method.** Parts are put in order of their holds once ([`PartsByHold`]); what decides whose turn it is on a node is gathered in one
//! pass ([`Turns`]). The parts of a parallel job have a hold each, so that there is nothing to gather.
//!
//! **Complexity.** O(n log n) for n parts, O(n) where they are in order, as those of parallel jobs are; O(log n) to ask.

use super::allocation::{Hold, Part};
use super::reservation::{PartState, Reservation, ReservedPart};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::{Interval, SiteId, TaskId, Time};

/// The parts of a reservation, by site and hold.
pub(crate) struct PartsByHold<'a>(Vec<&'a ReservedPart>);

fn place(part: &Part) -> (SiteId, u32) {
    (part.site, part.hold)
}

impl<'a> PartsByHold<'a> {
    /// Those of a reservation.
    pub(crate) fn of(reservation: &'a Reservation) -> PartsByHold<'a> {
        let mut parts: Vec<&ReservedPart> = reservation.parts.iter().collect();
        parts.sort_by_key(|part| place(&part.plan));
        PartsByHold(parts)
    }

    /// The parts on one hold, in their order.
    pub(crate) fn on(&self, site: SiteId, hold: u32) -> &[&'a ReservedPart] {
        let first = self.0.partition_point(|part| place(&part.plan) < (site, hold));
        let count = self.0[first..].iter().take_while(|part| place(&part.plan) == (site, hold)).count();
        &self.0[first..first + count]
    }
}

/// The time of a hold up to the end of its last part; none where nothing of it was used.
pub(crate) fn used_time(parts: &[&ReservedPart], hold: &Hold, now: Time) -> Option<Interval> {
    let ends = parts.iter().filter_map(|part| match part.state {
        // Nobody has said that it began: what was asked for and not heard of is not paid.
        PartState::Waiting | PartState::Due => None,
        PartState::Running(_) => Some(now),
        PartState::Ended { at, .. } => Some(at),
    });
    let begin = if hold.node.is_some() { Some(hold.interval.start()) } else { began(parts) }?;
    let used = ends.max()?.span_since(begin)?.min(hold.interval.span());
    Interval::new(begin, begin.checked_add(used)?)
}

/// When the first part on a queue's hold began.
fn began(parts: &[&ReservedPart]) -> Option<Time> {
    let since = parts.iter().filter_map(|part| match part.state {
        PartState::Running(since) | PartState::Ended { since, .. } => Some(since),
        PartState::Waiting | PartState::Due => None,
    });
    since.min()
}

impl Reservation {
    /// Time on nodes that it has taken by a moment: of every hold, until the last of its parts has ended, what `part` makes of that.
    pub(crate) fn used_millis(&self, now: Time, part: impl Fn(&Hold, i64) -> i64) -> i64 {
        let parts = PartsByHold::of(self);
        let holds =
            self.legs.iter().flat_map(|leg| leg.holds.iter().zip(0_u32..).map(move |it| (leg.site, it)));
        let used = holds.map(|(site, (hold, place))| {
            let used = used_time(parts.on(site, place), hold, now);
            part(hold, used.map_or(0, |used| used.span().as_millis()))
        });
        used.fold(0, i64::saturating_add)
    }
}

/// The parts of tasks that take several nodes, by task; none of a reservation without any.
pub(crate) struct Gangs(BTreeMap<TaskId, Vec<u32>>);

impl Gangs {
    /// Those of a reservation.
    pub(crate) fn of(reservation: &Reservation) -> Gangs {
        Gangs::among(reservation.parts.iter().map(|part| &part.plan))
    }

    /// Those among parts: where each task has one, in the order of tasks, there are none.
    fn among<'a>(parts: impl Iterator<Item = &'a Part> + Clone) -> Gangs {
        let mut gangs: BTreeMap<TaskId, Vec<u32>> = BTreeMap::new();
        let mut last = None;
        let follows = |task: TaskId| last.replace(task).is_none_or(|last| last < task);
        if parts.clone().filter_map(|part| part.task).all(follows) {
            return Gangs(gangs);
        }
        for (part, place) in parts.zip(0_u32..) {
            if let Some(task) = part.task {
                gangs.entry(task).or_default().push(place);
            }
        }
        gangs.retain(|_, places| places.len() > 1);
        Gangs(gangs)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The places of all parts of the gang of a part, in order; none where it is of none.
    pub(crate) fn with(&self, reservation: &Reservation, place: u32) -> &[u32] {
        let part = reservation.parts.get(place as usize);
        part.and_then(|part| self.0.get(&part.plan.task?)).map_or(&[], Vec::as_slice)
    }

    /// The tasks of which some parts ended well and others did not: nothing of them is kept.
    pub(crate) fn torn(&self, reservation: &Reservation) -> BTreeSet<TaskId> {
        let is_done =
            |place: &u32| reservation.parts.get(*place as usize).is_some_and(|part| part.state.is_done());
        let torn = self.0.iter().filter(|(_, places)| !places.iter().all(is_done));
        torn.map(|(task, _)| *task).collect()
    }
}

/// Whose turn it is on each node that tasks of a workflow share.
#[derive(Default)]
pub(crate) struct Turns {
    nodes: BTreeMap<(SiteId, u32), NodeTurn>,
    /// Whether any task waits.
    pub(crate) any_waits: bool,
}

/// What is known of one node.
#[derive(Default)]
struct NodeTurn {
    /// When the first task there starts that has not ended.
    first: Option<Time>,
    /// When the first task there is due that waits.
    waits: Option<Time>,
    /// Whether one runs, or was asked to.
    begun: bool,
}

impl Turns {
    /// Those of a reservation: none for a parallel job, nor in a queue.
    pub(crate) fn of(reservation: &Reservation) -> Turns {
        let mut turns = Turns::default();
        let tasks = reservation.parts.iter().filter(|part| part.plan.task.is_some());
        let tasks = tasks.filter(|part| reservation.hold_of(&part.plan).is_some_and(|it| it.node.is_some()));
        for part in tasks.filter(|part| !part.state.has_ended()) {
            let start = part.plan.start;
            let node = turns.nodes.entry(place(&part.plan)).or_default();
            node.first = Some(node.first.map_or(start, |first| first.min(start)));
            if part.state == PartState::Waiting {
                node.waits = Some(node.waits.map_or(start, |first| first.min(start)));
                turns.any_waits = true;
            }
            node.begun |= part.state.has_begun();
        }
        turns
    }

    /// Whether a task follows another on its node.
    pub(crate) fn follows(&self, part: &Part) -> bool {
        self.node(part).is_some_and(|node| node.first.is_some_and(|first| first < part.start))
    }

    /// Whether something runs on a task's node.
    pub(crate) fn is_taken(&self, part: &Part) -> bool {
        self.node(part).is_some_and(|node| node.begun)
    }

    /// Whether a task that waits should have begun on a task's node by then.
    pub(crate) fn is_due(&self, part: &Part, now: Time) -> bool {
        self.node(part).is_some_and(|node| node.waits.is_some_and(|first| first <= now))
    }

    fn node(&self, part: &Part) -> Option<&NodeTurn> {
        self.nodes.get(&place(part))
    }
}
