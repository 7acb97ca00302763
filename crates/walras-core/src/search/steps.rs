//! ALP and AMP on nodes that are sold in units, on their profiles as they are: no lane is made that nobody looks at.
//!
//! **Problem.** The earliest window of a job whose tasks take k units of a node, for many jobs, and again after others have taken theirs. Lists of
//! lanes ([`super::lanes`]) would answer it, but to make and to keep them costs far more than most windows do: a window is often found in the
//! first steps of a few nodes, and what it takes changes hundreds of lanes of every kind.
//!
//! **Method.** The searches see exactly the candidates that lanes would give them, in order of start, made where they are needed. All nodes are gone
//! through together in order of time. Where a step of a node has room for more tasks than the step before it went on with, the lanes of these begin: each is
//! followed to where there is no room for it any more. At the earliest start, all lanes of the step there begin. The candidates are gathered as by
//! [`super::first`]; who joins on one node at one moment does so in the order in which their time ends, so that the shortest rests are used first.
//!
//! *Proof that these are all windows.* A lane of `super::lanes` is a longest stretch of time in which j · k units are free. It begins where a step
//! has them and what is before it does not, which is what is looked for here; and it is followed to its end. Lanes beyond the number of tasks are
//! left out in both.
//!
//! **Complexity.** A search reads the steps of the time that it passes, each once and once more for every lane that begins before it and lasts
//! until there, of which there are at most u/k: O(s · min(u/k, tasks) log n) for s steps passed of n nodes, and O(n) for where it begins.

use super::config::SearchConfig;
use super::first::FirstSearch;
use super::lanes::{Kinds, LaneKey, Lanes, kinds_of, lane_key};
use super::shared::{SharedTime, continues};
use super::view::{NO_FIT, View};
use crate::slots::SlotList;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use walras_model::division::price_of_units;
use walras_model::id::{JobId, NodeId};
use walras_model::interval::Interval;
use walras_model::offer::{Offers, Slot, SlotKey};
use walras_model::quantity::{Rate, Span, Time, rounding};
use walras_model::request::{Batch, Request};
use walras_model::window::{Placement, Window};

/// What jobs search on where nodes are sold in units.
pub(super) struct Steps<'a> {
    offers: &'a Offers,
    pub(super) shared: SharedTime,
    kinds: Kinds<'a>,
    parts: Vec<Parts>,
    /// By job: its kind.
    of_job: Vec<usize>,
}

/// What the tasks of one kind take.
struct Parts {
    /// By node: the units of a task; nothing where it does not fit.
    units: Vec<Option<u32>>,
    /// By node: the number of its first lane. Lanes are only numbers here.
    first: Vec<u32>,
    /// No part costs less per second.
    rate_min: i64,
    /// No node runs two of them at a time.
    separate: bool,
}

impl<'a> Steps<'a> {
    /// Everything that is free, for these jobs. `None` where there are more lanes than can be
    /// numbered, or all of them together are worth more than can be counted.
    pub(super) fn new(offers: &'a Offers, shared: SharedTime, batch: &'a Batch) -> Option<Steps<'a>> {
        let (kinds, of_job) = kinds_of(offers, batch);
        let parts = kinds.iter().map(|(key, _)| Parts::new(&shared, key)).collect::<Option<_>>()?;
        Some(Steps { offers, shared, kinds, parts, of_job })
    }

    /// The earliest window of a job on what is free.
    pub(super) fn earliest(&self, job: JobId, view: &View, slots_read: &mut u64) -> Option<Window> {
        self.earliest_on(&self.shared, job, view, slots_read)
    }

    /// The same on other time of the same nodes.
    pub(super) fn earliest_on(
        &self,
        shared: &SharedTime,
        job: JobId,
        view: &View,
        slots_read: &mut u64,
    ) -> Option<Window> {
        let parts = self.of_job.get(job.index()).and_then(|kind| self.parts.get(*kind))?;
        parts.earliest(shared, view, slots_read)
    }

    /// Jobs of one kind take the same of every node.
    pub(super) fn kind_of(&self, job: JobId) -> usize {
        self.of_job.get(job.index()).copied().unwrap_or(usize::MAX)
    }

    /// What is free now as lanes of a job's kind, with a list of them; `None` where they are too many.
    pub(super) fn lanes(&self, job: JobId) -> Option<(Lanes, SlotList)> {
        let (key, most) = self.of_job.get(job.index()).and_then(|kind| self.kinds.get(*kind))?;
        let lanes = Lanes::few(self.offers, &self.shared, key, *most)?;
        let list = SlotList::from_offers(&lanes.offers);
        Some((lanes, list))
    }
}

/// Whether a request has a window at all on what is free of nodes that are sold in units.
pub(crate) fn has_window_on(
    shared: &SharedTime,
    offers: &Offers,
    request: &Request,
    config: &SearchConfig,
    slots_read: &mut u64,
) -> bool {
    let view = View::new(offers, request, &config.algorithm, config.budget_factor);
    let parts = Parts::new(shared, &lane_key(offers, request));
    parts.is_some_and(|parts| parts.earliest(shared, &view, slots_read).is_some())
}

impl Parts {
    fn new(shared: &SharedTime, (units, _, separate): &LaneKey<'_>) -> Option<Parts> {
        let (mut first, mut next, mut rate_min) = (Vec::with_capacity(units.len()), 0_u32, i64::MAX);
        let mut worth = 0_i128;
        for ((taken, of), profile) in units.iter().zip(shared.units()).zip(shared.profiles()) {
            first.push(next);
            let Some(taken) = *taken else { continue };
            next = next.checked_add(of / taken.max(1))?;
            let part = |rate: Rate| price_of_units(rate, taken, *of).as_micros_per_second();
            let least = profile.iter().map(Slot::rate).min().map_or(i64::MAX, part);
            rate_min = rate_min.min(least);
            // Whoever pays more than a slot says is checked with the offers.
            let dearest = profile.iter().map(Slot::rate).max().map_or(0, part);
            let time: i64 = profile.iter().map(|step| step.span().as_millis()).sum();
            let of_one = rounding::down(i128::from(dearest) * i128::from(time), 1_000);
            worth += of_one * i128::from(of / taken.max(1));
        }
        let parts = || Parts { units: units.clone(), first, rate_min, separate: *separate };
        (worth <= i128::from(i64::MAX / 4)).then(parts)
    }

    /// The earliest window of tasks that take these.
    fn earliest(&self, shared: &SharedTime, view: &View, slots_read: &mut u64) -> Option<Window> {
        if view.tasks == 0 || !self.have_room(shared, view) {
            return None;
        }
        let search = FirstSearch::from_rate(self.rate_min, view);
        if search.hopeless() {
            return None;
        }
        let (start, keys) = Sweep { shared, parts: self, view, search, slots_read }.window()?;
        self.window(shared, view, start, &keys)
    }

    /// Whether the nodes have room for all tasks at once, were all of them free; on one site, where they must stay on one.
    fn have_room(&self, shared: &SharedTime, view: &View) -> bool {
        let mut room = vec![0_usize; view.pool_count];
        for (node, runtime) in view.runtimes.iter().enumerate() {
            if let (true, Some(Some(units)), Some(of)) =
                (*runtime != NO_FIT, self.units.get(node), shared.units().get(node))
            {
                room[view.pool_of(node)] += self.side_by_side(*of, *units) as usize;
            }
        }
        room.into_iter().any(|room| room >= view.tasks)
    }

    /// How many tasks that take so many units run at a time where so many are free.
    fn side_by_side(&self, free: u32, units: u32) -> u32 {
        let room = free / units.max(1);
        if self.separate { room.min(1) } else { room }
    }

    /// The node of a lane.
    fn node_of(&self, lane: NodeId) -> usize {
        self.first.partition_point(|first| *first <= lane.number()) - 1
    }

    /// The window of these lanes at this start.
    fn window(&self, shared: &SharedTime, view: &View, start: i64, keys: &[SlotKey]) -> Option<Window> {
        let start = Time::from_millis(start)?;
        let placement = |key: &SlotKey| {
            let place = self.node_of(key.node);
            let (node, profile) = (NodeId::from_index(place)?, shared.profiles().get(place)?);
            let step = profile.get(profile.partition_point(|step| step.end() <= start))?;
            let units = (*self.units.get(place)?)?;
            let runtime = Span::from_millis(*view.runtimes.get(place)?)?;
            let rate = rate_of(view, step, units, *shared.units().get(place)?)?;
            Some(Placement {
                node,
                units,
                interval: Interval::new(start, start.checked_add(runtime)?)?,
                rate,
                cost: rate.cost_of(runtime)?,
                source: SlotKey { start: step.start(), node },
            })
        };
        Window::sharing(keys.iter().map(placement).collect::<Option<Vec<_>>>()?)
    }
}

/// What so many units of a step cost the view's user per time.
fn rate_of(view: &View, step: &Slot, units: u32, of: u32) -> Option<Rate> {
    Some(price_of_units(Rate::from_micros_per_second(view.rate_of(step))?, units, of))
}

/// The steps at which lanes begin, the earliest on top: when, of which node, and its place in the profile.
type Rises = BinaryHeap<Reverse<(i64, usize, usize)>>;

/// One search under way.
struct Sweep<'a> {
    shared: &'a SharedTime,
    parts: &'a Parts,
    view: &'a View,
    search: FirstSearch,
    slots_read: &'a mut u64,
}

impl<'a> Sweep<'a> {
    /// The start of the earliest window, and the lanes that it is on.
    fn window(mut self) -> Option<(i64, Vec<SlotKey>)> {
        let earliest = self.view.earliest;
        let mut rises = Vec::new();
        for node in 0..self.view.runtimes.len() {
            if self.view.runtimes[node] == NO_FIT {
                continue;
            }
            let profile = self.profile(node);
            let mut place = profile.partition_point(|step| step.end().as_millis() <= earliest);
            if profile.get(place).is_some_and(|step| step.start().as_millis() <= earliest) {
                if self.begin(node, place, 0, earliest) {
                    return Some((earliest, self.search.members(self.view.pool_of(node))));
                }
                place += 1;
            }
            rises.extend(self.next_rise(node, place).map(Reverse));
        }
        let mut rises = Rises::from(rises);
        while let Some(Reverse((now, node, place))) = rises.pop() {
            if now.saturating_add(self.view.runtime_min) > self.view.deadline {
                break;
            }
            if self.begin(node, place, self.goes_on(node, place), now) {
                return Some((now, self.search.members(self.view.pool_of(node))));
            }
            rises.extend(self.next_rise(node, place + 1).map(Reverse));
        }
        None
    }

    fn profile(&self, node: usize) -> &'a [Slot] {
        &self.shared.profiles()[node]
    }

    /// How many lanes a step has.
    fn lanes(&self, node: usize, step: &Slot) -> u32 {
        let tasks = u32::try_from(self.view.tasks).unwrap_or(u32::MAX);
        let parts = self.parts;
        parts.units[node].map_or(0, |units| parts.side_by_side(step.units(), units).min(tasks))
    }

    /// How many lanes go on from the step before.
    fn goes_on(&self, node: usize, place: usize) -> u32 {
        let profile = self.profile(node);
        if continues(profile, place, self.shared.units()[node]) {
            self.lanes(node, &profile[place - 1])
        } else {
            0
        }
    }

    /// The next step, from this place on, at which lanes begin.
    fn next_rise(&mut self, node: usize, place: usize) -> Option<(i64, usize, usize)> {
        let profile = self.profile(node);
        let rises = |place: &usize| self.lanes(node, &profile[*place]) > self.goes_on(node, *place);
        let next = (place..profile.len()).find(rises);
        *self.slots_read += (next.unwrap_or(profile.len()) - place) as u64;
        next.map(|next| (profile[next].start().as_millis(), node, next))
    }

    /// Lets the lanes join that begin at a step, beyond those that go on; whether there is a window now.
    fn begin(&mut self, node: usize, place: usize, goes_on: u32, now: i64) -> bool {
        let (profile, of, view) = (self.profile(node), self.shared.units()[node], self.view);
        let Some(units) = self.parts.units[node] else { return false };
        let step = &profile[place];
        let Some(rate) = rate_of(view, step, units, of).map(Rate::as_micros_per_second) else { return false };
        if rate > view.rate_max {
            return false;
        }
        let (pool, runtime) = (view.pool_of(node), view.runtimes[node]);
        let (mut lanes, mut last) = (self.lanes(node, step), place);
        while lanes > goes_on {
            let end = profile[last].end().as_millis().min(view.deadline);
            let next = last + 1;
            let further = end < view.deadline && next < profile.len() && continues(profile, next, of);
            let kept = if further { self.lanes(node, &profile[next]).clamp(goes_on, lanes) } else { goes_on };
            *self.slots_read += 1;
            let expiry = end - runtime;
            for lane in (kept..lanes).filter(|_| expiry >= now) {
                let Some(start) = Time::from_millis(now) else { return false };
                let key = SlotKey { start, node: NodeId::new(self.parts.first[node] + lane) };
                self.search.put(key, expiry, (rate, runtime), (pool, now));
                if self.search.seems_complete(pool, view, now) {
                    return true;
                }
            }
            (lanes, last) = (kept, next);
        }
        false
    }
}
