//! What owners used, from what their sites said was free.
//!
//! **Problem.** A journal says what every site offered in every cycle, and not why the rest was not on offer: its owner used it, a node was
//! away, or the broker held it itself.
//!
//! **Method.** What a site says holds until it says something else. Of every answer, what is neither free nor held by the broker at that
//! moment is its owner's, up to the end of what the answer tells of; from one answer to the next that counts which the earlier one told. What a
//! site does not sell while a node is away is no different. A site whose first free moment comes a little after its answer needs that
//! long to begin anything, and no owner uses it then.
//!
//! **Complexity.** O(n log n) an answer, with n free and held intervals.

use std::collections::{BTreeMap, BTreeSet};
use walras_broker::allocation::Allocation;
use walras_broker::id::ReservationNumber;
use walras_broker::site::{Free, FreeChange, FreeTime};
use walras_model::interval::{complement, merge};
use walras_model::{Interval, NodeId, SiteId, Span, Time};
use walras_sites::clock::later;

/// What is free only so long after an answer was given counts from there on, in milliseconds.
const BEGIN_MAX: i64 = 60_000;

/// What is known of owners' uses while a journal is read.
#[derive(Default)]
pub struct Seen {
    /// By site: what it said last, and when.
    said: BTreeMap<SiteId, Said>,
    /// What every open reservation holds, with the time that its sites need around it.
    held: BTreeMap<NodeId, BTreeSet<(ReservationNumber, Interval)>>,
    uses: BTreeMap<NodeId, Vec<Interval>>,
}

struct Said {
    at: Time,
    free: Vec<FreeTime>,
    /// Until when what it said told of.
    until: Option<Time>,
    /// What is neither free nor held.
    used: Vec<(NodeId, Interval)>,
}

impl Seen {
    /// A site with these nodes says what is free on each; of a site that does not tell nodes apart nothing is known.
    pub fn offered(&mut self, at: Time, site: SiteId, nodes: &[NodeId], free: &Free) {
        match free {
            Free::Slots(free) => self.takes_in(at, site, nodes, free.clone()),
            Free::Capacity(_) | Free::Queue { .. } => {}
        }
    }

    /// A site says what has changed of that.
    pub fn changed(&mut self, at: Time, site: SiteId, nodes: &[NodeId], change: &FreeChange) {
        let free = self.said.get(&site).map(|said| change.applied(&said.free));
        self.takes_in(at, site, nodes, free.unwrap_or_default());
    }

    fn takes_in(&mut self, at: Time, site: SiteId, nodes: &[NodeId], free: Vec<FreeTime>) {
        self.passes(site, Some(at));
        let begin = free.iter().map(|it| it.interval.start()).min().unwrap_or(at);
        let begin = if begin - at <= BEGIN_MAX { begin.max(at) } else { at };
        // Who has nothing to offer tells of as much time as before.
        let end = free.iter().map(|it| it.interval.end()).max();
        let end = end.or_else(|| self.said.get(&site)?.until);
        let mut known: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
        for it in &free {
            known.entry(it.node).or_default().push(it.interval);
        }
        let mut used = Vec::new();
        if let Some(told) = end.and_then(|end| Interval::new(begin, end)) {
            for node in nodes {
                let mut known = known.remove(node).unwrap_or_default();
                known.extend(self.held.get(node).into_iter().flatten().map(|(_, held)| *held));
                used.extend(complement(told, &known).into_iter().map(|used| (*node, used)));
            }
        }
        self.said.insert(site, Said { at, free, until: end, used });
    }

    /// What a site said last is over, from a moment on or when all of it has passed.
    fn passes(&mut self, site: SiteId, until: Option<Time>) {
        let Some(said) = self.said.get_mut(&site) else { return };
        let since = said.at;
        said.at = until.unwrap_or(since);
        for (node, used) in std::mem::take(&mut said.used) {
            let end = until.map_or(used.end(), |until| used.end().min(until));
            self.uses.entry(node).or_default().extend(Interval::new(used.start().max(since), end));
        }
    }

    /// The broker holds all of this; every site needs so much time before and after.
    pub fn holds(
        &mut self,
        reservation: ReservationNumber,
        allocation: &Allocation,
        around: impl Fn(SiteId) -> (Span, Span),
    ) {
        for leg in &allocation.legs {
            let (before, after) = around(leg.site);
            for hold in &leg.holds {
                let padded = Interval::new(
                    later(hold.interval.start(), -before.as_millis()),
                    later(hold.interval.end(), after.as_millis()),
                );
                if let Some((node, padded)) = hold.node.zip(padded) {
                    self.held.entry(node).or_default().insert((reservation, padded));
                }
            }
        }
    }

    /// The broker does not hold it any more.
    pub fn lets_go(&mut self, reservation: ReservationNumber, allocation: &Allocation) {
        for hold in allocation.legs.iter().flat_map(|leg| &leg.holds) {
            if let Some(held) = hold.node.and_then(|node| self.held.get_mut(&node)) {
                held.retain(|(of, _)| *of != reservation);
            }
        }
    }

    /// An owner takes a node back.
    pub fn taken(&mut self, node: NodeId, used: Interval) {
        self.uses.entry(node).or_default().push(used);
    }

    /// When the owner used each node, in order and apart; nodes that nobody used are left out.
    pub fn finish(mut self) -> BTreeMap<NodeId, Vec<Interval>> {
        let sites: Vec<SiteId> = self.said.keys().copied().collect();
        sites.into_iter().for_each(|site| self.passes(site, None));
        self.uses.retain(|_, uses| !uses.is_empty());
        self.uses.values_mut().for_each(|uses| *uses = merge(uses));
        self.uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::allocation::Hold;
    use walras_model::{Money, Rate};

    fn at(seconds: i64) -> Time {
        Time::from_millis(1_000 * seconds).unwrap()
    }

    fn interval(from: i64, to: i64) -> Interval {
        Interval::new(at(from), at(to)).unwrap()
    }

    fn free(times: &[(u32, i64, i64)]) -> Free {
        let one =
            |(node, from, to): &(u32, i64, i64)| FreeTime::whole(NodeId::new(*node), interval(*from, *to));
        Free::Slots(times.iter().map(one).collect())
    }

    fn hold(node: u32, from: i64, to: i64) -> Allocation {
        let rate = Rate::from_micros_per_second(1).unwrap();
        let (interval, cost) = (interval(from, to), Money::ZERO);
        let hold = Hold { node: Some(NodeId::new(node)), units: 1, interval, rate, cost };
        Allocation::plain([(SiteId::new(0), hold)])
    }

    fn uses(seen: Seen, node: u32) -> Vec<Interval> {
        seen.finish().remove(&NodeId::new(node)).unwrap_or_default()
    }

    #[test]
    fn what_is_neither_free_nor_held_is_the_owners() {
        let (site, nodes) = (SiteId::new(0), [NodeId::new(0), NodeId::new(1)]);
        let nothing = |_: SiteId| (Span::ZERO, Span::ZERO);
        let mut seen = Seen::default();
        // The first node is used from 20 on by its owner; the second is held by the broker until 30, which its site leaves out.
        let held = hold(1, 0, 30);
        seen.holds(ReservationNumber::new(1), &held, nothing);
        seen.offered(at(0), site, &nodes, &free(&[(0, 0, 20), (0, 50, 100), (1, 30, 100)]));
        // The owner is gone at 40 already; the job has ended at 12, which the site knows when it is asked next.
        seen.lets_go(ReservationNumber::new(1), &held);
        seen.offered(at(40), site, &nodes, &free(&[(0, 40, 140), (1, 40, 140)]));
        // Then the second node is away until the end of what is told.
        let change = FreeChange { from: at(60), until: at(160), gone: vec![], new: vec![] };
        let gone = FreeTime::whole(NodeId::new(1), interval(60, 160));
        seen.changed(at(60), site, &nodes, &FreeChange { gone: vec![gone], ..change });
        let all = seen.finish();
        assert_eq!(all[&NodeId::new(0)], [interval(20, 40)]);
        assert_eq!(all[&NodeId::new(1)], [interval(60, 160)]);
    }

    #[test]
    fn time_that_a_site_needs_is_nobodys_use() {
        let (site, nodes) = (SiteId::new(0), [NodeId::new(0)]);
        let second = Span::from_millis(1_000).unwrap();
        let mut seen = Seen::default();
        seen.holds(ReservationNumber::new(1), &hold(0, 10, 30), |_| (second, second));
        seen.offered(at(0), site, &nodes, &free(&[(0, 5, 9), (0, 31, 100)]));
        assert!(uses(seen, 0).is_empty());
        // What begins hours later is no time to begin something; and an owner who comes says so.
        let mut seen = Seen::default();
        seen.offered(at(0), site, &nodes, &free(&[(0, 3_600, 9_000)]));
        seen.offered(at(1_000), site, &nodes, &free(&[(0, 1_000, 9_000)]));
        seen.taken(NodeId::new(0), interval(2_000, 2_100));
        assert_eq!(uses(seen, 0), [interval(0, 1_000), interval(2_000, 2_100)]);
    }
}
