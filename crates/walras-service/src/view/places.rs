//! Where a job runs, part by part, as the API shows it.
//!
//! **The critical path** of a planned workflow: from the part that ends last back to what made each begin no earlier, which is data that
//! arrives just then, or the part before it on the same node. Time O(parts² + edges), of which the square is one comparison each.

use super::{node_name, site_name};
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_api::Num;
use walras_api::service::{
    AlternativeView, JobView, PartStage, PartView, PlaceView, PlacedPart, PlacesView, TransferView,
};
use walras_broker::allocation::{Allocation, Hold, Part};
use walras_broker::event::ReservationEvent;
use walras_broker::job::Job;
use walras_broker::journal::Entry;
use walras_broker::{Event, State};
use walras_model::{Interval, NodeId, SiteId, Time};

/// What a reservation asked of sites, by the entries about its job.
pub fn asked(entries: &[Entry], number: Option<u64>) -> Option<Arc<Allocation>> {
    let events = entries.iter().rev().flat_map(|entry| entry.events.iter().rev());
    events
        .filter_map(|event| match event {
            Event::Reservation(ReservationEvent::Asked { reservation, allocation, .. }) => {
                Some((reservation, allocation))
            }
            Event::Reservation(_)
            | Event::Vo(_)
            | Event::Site(_)
            | Event::Job(_)
            | Event::Cycle(_)
            | Event::Quote(_) => None,
        })
        .find(|(reservation, _)| Some(reservation.get()) == number)
        .map(|(_, allocation)| allocation.clone())
}

/// Where a job runs: `plan` is what its reservation asked for, where that is known.
pub fn places_view(state: &State, job: &JobView, plan: Option<&Allocation>) -> PlacesView {
    let planned: &[Part] = plan.map_or(&[], |plan| &plan.parts);
    let path = critical_path(planned);
    let on_path: BTreeSet<usize> = path.iter().copied().collect();
    let count = job.parts.len().max(planned.len());
    let parts = (0..count).map(|place| {
        let actual = job.parts.get(place);
        let part = plan.zip(planned.get(place));
        PlacedPart {
            part: u32::try_from(place).unwrap_or(u32::MAX),
            task: actual.and_then(|part| part.task.clone()),
            planned: part.map(|(plan, part)| planned_place(state, plan, part)),
            actual: actual.filter(|part| has_begun(part)).map(actual_place),
            critical: on_path.contains(&place),
        }
    });
    PlacesView {
        job: job.job,
        parts: parts.collect(),
        transfers: transfers(planned, &path),
        alternatives: Vec::new(),
    }
}

/// Where a job is planned that has nothing reserved.
pub fn planned_parts(state: &State, job: &Job) -> Vec<PlacedPart> {
    let places = super::timetable::planned(state, job);
    let part = |((node, interval), part): ((NodeId, Interval), u32)| PlacedPart {
        part,
        task: None,
        planned: Some(place_of(state, state.node(node).map(|node| node.site), Some(node), interval)),
        actual: None,
        critical: false,
    };
    places.into_iter().zip(0..).map(part).collect()
}

fn has_begun(part: &PartView) -> bool {
    !matches!(part.state, PartStage::Waiting | PartStage::Due)
}

fn actual_place(part: &PartView) -> PlaceView {
    PlaceView { site: part.site.clone(), node: part.node.clone(), start: part.start, end: part.end }
}

fn planned_place(state: &State, plan: &Allocation, part: &Part) -> PlaceView {
    let node = plan.hold_of(part).and_then(|hold| hold.node);
    PlaceView {
        site: site_name(state, part.site),
        node: node.map(|node| node_name(state, node)),
        start: part.start.into(),
        end: part.end.into(),
    }
}

fn place_of(state: &State, site: Option<SiteId>, node: Option<NodeId>, interval: Interval) -> PlaceView {
    PlaceView {
        site: site.map(|site| site_name(state, site)).unwrap_or_default(),
        node: node.map(|node| node_name(state, node)),
        start: interval.start().into(),
        end: interval.end().into(),
    }
}

/// Another way to run a job.
pub fn alternative_view(state: &State, allocation: &Allocation, spare: bool) -> AlternativeView {
    let place = |(site, hold): (SiteId, &Hold)| place_of(state, Some(site), hold.node, hold.interval);
    AlternativeView {
        start: allocation.start().into(),
        finish: allocation.finish().into(),
        cost: Num::of_money(allocation.cost()),
        spare,
        places: allocation.holds().map(place).collect(),
    }
}

/// When what a part gives to another has arrived.
fn arrival(parts: &[Part], from: u32, takes: walras_model::Span) -> Option<Time> {
    parts.get(from as usize)?.end.checked_add(takes)
}

/// The parts on which the end hangs, the last first; none where no part waits for another.
fn critical_path(parts: &[Part]) -> Vec<usize> {
    let mut path = Vec::new();
    if parts.iter().all(|part| part.after.is_empty()) {
        return path;
    }
    let mut seen = BTreeSet::new();
    let last = parts.iter().enumerate().max_by_key(|(place, part)| (part.end, std::cmp::Reverse(*place)));
    let mut at = last.map(|(place, _)| place);
    while let Some(place) = at.filter(|place| seen.insert(*place)) {
        path.push(place);
        at = parts.get(place).and_then(|part| held_up_by(parts, part));
    }
    path
}

/// What made a part begin no earlier: data that came just then, or another part on its node.
fn held_up_by(parts: &[Part], part: &Part) -> Option<usize> {
    let given = part.after.iter().filter_map(|(from, takes)| Some((arrival(parts, *from, *takes)?, *from)));
    let latest = given.max().filter(|(arrives, _)| *arrives >= part.start);
    let before = |other: &Part| {
        (other.site, other.hold) == (part.site, part.hold)
            && other.end == part.start
            && other.start < part.start
    };
    latest.map(|(_, from)| from as usize).or_else(|| parts.iter().position(before))
}

fn transfers(parts: &[Part], path: &[usize]) -> Vec<TransferView> {
    let steps: BTreeSet<(usize, usize)> = path.windows(2).map(|pair| (pair[1], pair[0])).collect();
    let of_part = |(part, to): (&Part, u32)| {
        let transfer = |(from, takes): &(u32, walras_model::Span)| {
            Some(TransferView {
                from: *from,
                to,
                start: parts.get(*from as usize)?.end.into(),
                end: arrival(parts, *from, *takes)?.into(),
                critical: steps.contains(&(*from as usize, to as usize)),
            })
        };
        part.after.iter().filter_map(transfer).collect::<Vec<_>>()
    };
    parts.iter().zip(0_u32..).flat_map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Span;

    /// A part on a hold, from one second to another, after others from which data takes so many seconds.
    fn part(hold: u32, start: i64, end: i64, after: &[(u32, i64)]) -> Part {
        let at = |seconds: i64| Time::from_millis(seconds * 1_000).unwrap();
        Part {
            task: None,
            site: SiteId::new(0),
            hold,
            start: at(start),
            end: at(end),
            after: after
                .iter()
                .map(|(from, takes)| (*from, Span::from_millis(takes * 1_000).unwrap()))
                .collect(),
        }
    }

    #[test]
    fn the_end_hangs_on_data_and_on_who_has_the_node_before() {
        // 0 gives to 1 and 2; 2 waits for 1's node although its data is there; 3 waits for 2's data.
        let parts = [
            part(0, 0, 4, &[]),
            part(1, 6, 10, &[(0, 2)]),
            part(1, 10, 15, &[(0, 2)]),
            part(0, 16, 20, &[(2, 1), (1, 1)]),
        ];
        assert_eq!(critical_path(&parts), [3, 2, 1, 0]);
        let edges = transfers(&parts, &critical_path(&parts));
        let critical: Vec<(u32, u32)> =
            edges.iter().filter(|it| it.critical).map(|it| (it.from, it.to)).collect();
        assert_eq!((edges.len(), critical), (4, vec![(0, 1), (2, 3)]));
    }

    #[test]
    fn a_part_that_begins_later_than_it_must_holds_nobody_up() {
        let parts = [part(0, 0, 4, &[]), part(1, 9, 12, &[(0, 1)])];
        assert_eq!(critical_path(&parts), [1]);
    }

    #[test]
    fn parallel_parts_have_no_critical_path() {
        assert_eq!(critical_path(&[part(0, 0, 4, &[]), part(1, 0, 9, &[])]), Vec::<usize>::new());
    }
}
