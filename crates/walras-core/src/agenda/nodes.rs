//! Which nodes everybody gets; and windows as spots again.
//!
//! **Method.** Spots in order of start. Each takes the nodes that it had, where they are free, and otherwise those that have been free for the
//! shortest time, so that long stretches stay whole. In a group, every node that is free at a moment is free until the end of the
//! group but for those who come later, and these are given nodes later: so there are always enough.
//!
//! Units of a node have no names: whoever has some of them has the node, beside others.
//!
//! **Complexity.** O(k log s) for a spot of k nodes that keeps those that it had, and O(n) for one that does not, in a group of n.

use super::calendar::Groups;
use super::spot::{Spot, Take, interval};
use super::{Terms, Worth};
use std::cmp::Reverse;
use walras_model::interval::Interval;
use walras_model::offer::Offers;
use walras_model::quantity::{Rate, Time};
use walras_model::request::Request;
use walras_model::window::{Placement, Window};

/// A spot that wants nodes, and those that it had.
pub(super) struct Seeking<'a> {
    pub(super) spot: &'a Spot,
    pub(super) before: Option<&'a Window>,
    /// Its request: what nodes cost depends on its user.
    pub(super) request: &'a Request,
}

/// The windows of these spots, in their order; `None` where the spots do not fit together.
pub(super) fn windows(offers: &Offers, groups: &Groups, seeking: &[Seeking<'_>]) -> Vec<Option<Window>> {
    let starts = |group: &super::calendar::Group| group.slots.iter().map(|slot| slot.start()).collect();
    // By group and slot: from when on it is free.
    let mut free: Vec<Vec<Time>> = groups.groups.iter().map(starts).collect();
    let mut order: Vec<usize> = (0..seeking.len()).collect();
    order.sort_by_key(|place| seeking[*place].spot.start);
    let mut windows = vec![None; seeking.len()];
    for place in order {
        windows[place] = window(offers, groups, &mut free, &seeking[place]);
    }
    windows
}

fn window(offers: &Offers, groups: &Groups, free: &mut [Vec<Time>], seeking: &Seeking<'_>) -> Option<Window> {
    let mut placements = Vec::new();
    for take in &seeking.spot.takes {
        let interval = interval(seeking.spot.start, take.millis)?;
        let of = &groups.groups[take.group];
        let units = u32::try_from(take.units).ok()?;
        let rate = groups.price_for(offers, seeking.request, of.slots.first()?, units);
        let rate = Rate::from_micros_per_second(rate)?;
        let cost = rate.cost_of(interval.span())?;
        if of.units > 1 {
            let node = of.slots.first()?.node();
            let source = of.slots.iter().rfind(|slot| slot.start() <= interval.start())?.key();
            let placement = Placement { node, units, interval, rate, cost, source };
            placements.extend((0..take.nodes).map(|_| placement));
            continue;
        }
        for place in chosen(groups, free, seeking.before, take, interval)? {
            let slot = &of.slots[place];
            free[take.group][place] = interval.end();
            placements.push(Placement { node: slot.node(), units, interval, rate, cost, source: slot.key() });
        }
    }
    Window::sharing(placements)
}

/// The places of the slots of a group that a spot takes.
fn chosen(
    groups: &Groups,
    free: &[Vec<Time>],
    before: Option<&Window>,
    take: &Take,
    interval: Interval,
) -> Option<Vec<usize>> {
    let since = &free[take.group];
    let count = usize::try_from(take.nodes).ok()?;
    let mut had = had(groups, before, take, interval);
    had.retain(|place| since[*place] <= interval.start());
    if had.len() >= count {
        had.truncate(count);
        return Some(had);
    }
    let mut places: Vec<usize> = (0..since.len()).filter(|place| since[*place] <= interval.start()).collect();
    if count > places.len() {
        return None;
    }
    let key = |place: &usize| (had.binary_search(place).is_err(), Reverse(since[*place]), *place);
    if count < places.len() && count > 0 {
        places.select_nth_unstable_by_key(count - 1, key);
    }
    places.truncate(count);
    Some(places)
}

/// The places of a group whose nodes a window had, in order.
fn had(groups: &Groups, before: Option<&Window>, take: &Take, interval: Interval) -> Vec<usize> {
    let placements = before.iter().flat_map(|window| window.placements());
    let found = placements.filter_map(|placement| groups.find(placement.node, interval));
    let mut places: Vec<usize> =
        found.filter(|(group, _)| *group == take.group).map(|(_, place)| place).collect();
    places.sort_unstable();
    places
}

/// A window as so many nodes of groups; `None` when some of it is not offered any more.
pub(super) fn spot_of(groups: &Groups, worth: Worth, window: &Window) -> Option<Spot> {
    let terms = Terms::of(window);
    let mut takes: Vec<Take> = Vec::new();
    for placement in window.placements() {
        let (group, _) = groups.find(placement.node, placement.interval)?;
        let millis = placement.interval.span().as_millis();
        match takes.iter_mut().find(|take| take.group == group) {
            Some(take) => take.nodes += 1,
            None => takes.push(Take { group, nodes: 1, units: i32::try_from(placement.units).ok()?, millis }),
        }
    }
    takes.sort_unstable_by_key(|take| take.group);
    Some(Spot {
        start: terms.start.as_millis(),
        finish: terms.finish.as_millis(),
        cost: terms.cost.as_micros().into(),
        score: worth.score_of(terms.cost, terms.finish),
        takes,
    })
}

/// Whether two windows are the same time on the same nodes at the same price, whatever they were cut from.
pub(super) fn is_same(one: &Window, other: &Window) -> bool {
    let what = |placement: &Placement| (placement.node, placement.units, placement.interval, placement.rate);
    one.placements().iter().map(what).eq(other.placements().iter().map(what))
}
