//! The best spot of one job on what is free: the least score, then the earliest end.
//!
//! **Method.** Where all nodes that somebody may gather are of one group, the earliest time is the best. Otherwise only moments are tried
//! at which more of a group become free, one of them for long enough: any other spot can be moved forward, to one of them. At each,
//! groups in order of run time are added to the cheapest n nodes so far, and among equals to those that could stand in for the
//! fewest others; every set has a slowest group, and none with the same slowest is cheaper. A moment is passed over when no spot with
//! a node that becomes free there would be better than the best, and the search ends when not even the cheapest and fastest nodes of
//! all, free from there on, would be.
//!
//! **Complexity.** As of the step function for one group; with g groups O((g + m) log g + p · g log g) for m such moments of which p are
//! not passed over, and one look into the step function for each.

use super::Worth;
use super::calendar::{Calendar, Groups};
use super::spot::{Spot, Take, interval};
use crate::search::{Candidate, NO_FIT, runtime_of};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use walras_model::interval::Interval;
use walras_model::offer::{Offers, Slot};
use walras_model::quantity::{Factor, Money, Span, Time};
use walras_model::request::Request;

/// A job as the search sees it.
pub(super) struct Wanted {
    tasks: i32,
    worth: Worth,
    earliest: i64,
    deadline: i64,
    budget: i64,
    /// The groups that it may use, by pool.
    pools: Vec<Vec<Fit>>,
    /// What no spot of it can be below: cost, and run time of the slowest.
    least: (i128, i64),
}

/// A group that fits a job: what a node of it costs, and how long it takes.
#[derive(Clone, Copy, Debug)]
struct Fit {
    group: usize,
    /// How many of what the group counts one task takes.
    units: i32,
    /// So many tasks are side by side there at the most.
    most: i32,
    runtime: i64,
    cost: i64,
}

impl Fit {
    /// How many tasks run there at a time where so much is free.
    fn side_by_side(&self, free: i32) -> i32 {
        (free / self.units).min(self.most)
    }
}

/// What a spot must keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Within {
    pub(super) start: i64,
    pub(super) finish: i64,
    pub(super) cost: i64,
}

impl Within {
    pub(super) const ANY: Within = Within { start: i64::MAX, finish: i64::MAX, cost: i64::MAX };
}

/// Whether a node of a group's site may be used for a time: hours of access.
pub(super) type Admits<'a> = Option<&'a dyn Fn(&Slot, Interval) -> bool>;

impl Wanted {
    pub(super) fn new(groups: &Groups, offers: &Offers, request: &Request, worth: Worth) -> Wanted {
        let same_site = request.scope.same_site;
        let mut pools: Vec<Vec<Fit>> = vec![Vec::new(); if same_site { offers.sites().len() } else { 1 }];
        let mut all: Vec<(Fit, usize)> = Vec::new();
        for (group, of) in groups.groups.iter().enumerate() {
            let Some(slot) = of.slots.first() else { continue };
            let node = offers.node(slot.node());
            let runtime = runtime_of(node, request);
            if runtime == NO_FIT {
                continue;
            }
            let Some(units) = node.units_needed(request) else { continue };
            let rate = groups.price_for(offers, request, slot, units);
            let start = slot.start().as_millis();
            let cost = Candidate { slot, start, expiry: start, runtime, rate }.cost();
            // A group of nodes that are sold whole has each task on one of its own.
            let own = request.scope.separate_nodes && of.units > 1;
            let most = if own { 1 } else { i32::MAX };
            let fit = Fit { group, units: i32::try_from(units).unwrap_or(i32::MAX), most, runtime, cost };
            pools[if same_site { node.site.index() } else { 0 }].push(fit);
            all.push((fit, if own { 1 } else { of.room_for(units) }));
        }
        for pool in &mut pools {
            pool.sort_unstable_by_key(|fit| {
                (fit.runtime, fit.cost, groups.groups[fit.group].stands_for, fit.group)
            });
        }
        Wanted {
            tasks: i32::try_from(request.tasks).unwrap_or(i32::MAX),
            worth,
            earliest: request.earliest.unwrap_or(Time::MIN).as_millis(),
            deadline: request.deadline.unwrap_or(Time::MAX).as_millis(),
            budget: budget_of(request),
            pools,
            least: least(all, request.tasks as usize),
        }
    }

    /// The same without a deadline.
    pub(super) fn without_deadline(mut self) -> Wanted {
        self.deadline = Time::MAX.as_millis();
        self
    }

    /// The same for the earliest end at any price that it can pay.
    pub(super) fn ending_first(&self) -> Wanted {
        let worth = Worth { per_second: i64::MAX, from: Time::MIN };
        Wanted { worth, pools: self.pools.clone(), ..*self }
    }

    /// What no spot of it takes less than.
    pub(super) fn shortest(&self) -> Option<Span> {
        Span::from_millis(self.least.1)
    }

    /// The moment from which on enough nodes that it can pay are free for as far as anybody has looked, where it would have a window once they are
    /// offered for longer; `None` where nothing that is kept for it would give it one.
    pub(super) fn free_for_good(
        &self,
        free: &Calendar,
        groups: &Groups,
        now: i64,
        funds: i64,
    ) -> Option<i64> {
        if self.least.0 > i128::from(self.budget.min(funds)) {
            return None;
        }
        self.pools.iter().filter_map(|pool| self.kept_of(pool, free, groups, now)).min()
    }

    fn kept_of(&self, pool: &[Fit], free: &Calendar, groups: &Groups, now: i64) -> Option<i64> {
        let ends = |fit: &Fit| groups.groups[fit.group].end().map_or(0, Time::as_millis);
        // Where it takes longer than anything is offered for, it waits in vain.
        let lasts = |fit: &&Fit| groups.groups[fit.group].is_last;
        let ever = pool.iter().filter(lasts).filter(|fit| fit.runtime <= ends(fit).saturating_sub(now));
        let nodes =
            |fit: &Fit, from: i64| i64::from(fit.side_by_side(free.least(fit.group, from, ends(fit))));
        let enough = |from: i64| ever.clone().map(|fit| nodes(fit, from)).sum::<i64>() >= self.tasks.into();
        let openings = ever.clone().flat_map(|fit| free.openings(fit.group, i64::MIN, i64::MAX));
        let mut moments: Vec<i64> = openings.collect();
        moments.sort_unstable();
        // What is free for good from one moment on is so from every later one.
        let first = *moments.get(moments.partition_point(|moment| !enough(*moment)))?;
        // Where it would end in time, it is not for want of time that it has no window.
        let in_time = ever.clone().filter(|fit| first.saturating_add(fit.runtime) <= ends(fit));
        let waits = in_time.map(|fit| nodes(fit, first)).sum::<i64>() < self.tasks.into();
        (waits && first.saturating_add(self.least.1) <= self.deadline).then_some(first)
    }

    /// The best spot within limits; adds to the steps read.
    pub(super) fn best(
        &self,
        free: &Calendar,
        within: Within,
        admits: Admits<'_>,
        groups: &Groups,
        read: &mut u64,
    ) -> Option<Spot> {
        if self.tasks <= 0 {
            return None;
        }
        let mut search = Search { wanted: self, free, within, admits, groups, best: None };
        for pool in &self.pools {
            match pool.as_slice() {
                [] => {}
                [fit] if admits.is_none() && self.tasks <= fit.most => search.earliest(*fit, read),
                fits => search.sweep(fits, read),
            }
        }
        search.best
    }
}

/// What a request may cost, in micro-credits.
pub(super) fn budget_of(request: &Request) -> i64 {
    request.budget_limit(Factor::ONE).map_or(i64::MAX, Money::as_micros)
}

/// The least cost and the least run time of the slowest of so many nodes.
fn least(mut all: Vec<(Fit, usize)>, tasks: usize) -> (i128, i64) {
    let mut left = tasks;
    all.sort_unstable_by_key(|(fit, _)| fit.cost);
    let mut cost = 0;
    for (fit, nodes) in &all {
        let taken = left.min(*nodes);
        cost += i128::from(fit.cost) * taken as i128;
        left -= taken;
    }
    let mut left = tasks;
    all.sort_unstable_by_key(|(fit, _)| fit.runtime);
    let slowest = all.iter().find(|(_, nodes)| {
        left = left.saturating_sub(*nodes);
        left == 0
    });
    (cost, slowest.map_or(0, |(fit, _)| fit.runtime))
}

struct Search<'a> {
    wanted: &'a Wanted,
    free: &'a Calendar,
    within: Within,
    admits: Admits<'a>,
    groups: &'a Groups,
    best: Option<Spot>,
}

impl Search<'_> {
    /// The last moment at which a run of that length can start.
    fn last(&self, runtime: i64) -> i64 {
        self.wanted.deadline.min(self.within.finish).saturating_sub(runtime).min(self.within.start)
    }

    /// The earliest spot in the one group that there is.
    fn earliest(&mut self, fit: Fit, read: &mut u64) {
        let range = (self.wanted.earliest, self.last(fit.runtime));
        let count = self.wanted.tasks.saturating_mul(fit.units);
        let start = self.free.earliest(fit.group, range, count, fit.runtime, read);
        if let Some(start) = start {
            let cost = i128::from(fit.cost) * i128::from(self.wanted.tasks);
            let (group, units, nodes) = (fit.group, fit.units, self.wanted.tasks);
            let take = || vec![Take { group, nodes, units, millis: fit.runtime }];
            self.consider(start, cost, fit.runtime, take);
        }
    }

    /// The best spot over several groups.
    fn sweep(&mut self, fits: &[Fit], read: &mut u64) {
        let from = self.wanted.earliest;
        // Groups with a node that is free for long enough, and until when it is.
        let mut open: Vec<(usize, i64)> = Vec::new();
        if from > i64::MIN {
            open.extend((0..fits.len()).map(|place| (place, from)));
            self.gather(from, fits, &open, read);
        }
        let next = |search: &Search<'_>, place: usize, from: i64| {
            let Fit { group, runtime, .. } = fits[place];
            let moment = search.free.next_opening(group, (from, search.last(runtime)), runtime)?;
            Some(Reverse((moment, place)))
        };
        let mut openings: BinaryHeap<Reverse<(i64, usize)>> =
            (0..fits.len()).filter_map(|place| next(self, place, from)).collect();
        *read += fits.len() as u64;
        while let Some(Reverse((moment, _))) = openings.peek().copied() {
            if !self.is_hopeful(moment) {
                return;
            }
            let mut opened = Vec::new();
            open.retain(|(_, until)| *until >= moment);
            while let Some(Reverse((_, place))) = openings.peek().copied().filter(|it| it.0.0 == moment) {
                openings.pop();
                openings.extend(next(self, place, moment + 1));
                *read += 1;
                opened.push(place);
                let until = self.free.ends(fits[place].group, moment).saturating_sub(fits[place].runtime);
                match open.binary_search_by_key(&place, |(place, _)| *place) {
                    Ok(at) => open[at].1 = until,
                    Err(at) => open.insert(at, (place, until)),
                }
            }
            let cheapest = open.iter().map(|(place, _)| fits[*place].cost).min().unwrap_or(0);
            if opened.iter().any(|place| self.is_promising(moment, &fits[*place], cheapest)) {
                self.gather(moment, fits, &open, read);
            }
        }
    }

    /// Whether a spot at a moment with a node of this group, and others at no less than that, could be better than the best.
    fn is_promising(&self, start: i64, fit: &Fit, cheapest: i64) -> bool {
        let others = i128::from(self.wanted.tasks) - 1;
        let cost = i128::from(fit.cost) + others * i128::from(cheapest);
        let finish = start.saturating_add(fit.runtime.max(self.wanted.least.1));
        self.best.as_ref().is_none_or(|best| (self.wanted.worth.score(cost, finish), finish) < best.key())
    }

    /// Whether a spot from here on could be better than the best.
    fn is_hopeful(&self, start: i64) -> bool {
        let (cost, runtime) = self.wanted.least;
        let finish = start.saturating_add(runtime);
        self.best.as_ref().is_none_or(|best| (self.wanted.worth.score(cost, finish), finish) < best.key())
    }

    /// The best at a moment: groups in order of run time, and of those so far the cheapest nodes.
    fn gather(&mut self, start: i64, fits: &[Fit], open: &[(usize, i64)], read: &mut u64) {
        *read += open.len() as u64;
        let mut cheapest: BinaryHeap<(i64, usize, i32)> = BinaryHeap::new();
        let (mut count, mut sum) = (0_i32, 0_i128);
        for (place, fit) in open.iter().map(|(place, _)| (*place, &fits[*place])) {
            if start > self.last(fit.runtime) || !self.admits(start, fit) {
                continue;
            }
            let least = self.free.least(fit.group, start, start + fit.runtime);
            let nodes = fit.side_by_side(least).min(self.wanted.tasks);
            if nodes == 0 {
                continue;
            }
            cheapest.push((fit.cost, place, nodes));
            count += nodes;
            sum += i128::from(fit.cost) * i128::from(nodes);
            while count > self.wanted.tasks
                && let Some((cost, place, nodes)) = cheapest.pop()
            {
                let out = nodes.min(count - self.wanted.tasks);
                count -= out;
                sum -= i128::from(cost) * i128::from(out);
                if nodes > out {
                    cheapest.push((cost, place, nodes - out));
                }
            }
            if count == self.wanted.tasks {
                let takes = || {
                    let take = |(_, place, nodes): &(i64, usize, i32)| Take {
                        group: fits[*place].group,
                        nodes: *nodes,
                        units: fits[*place].units,
                        millis: fits[*place].runtime,
                    };
                    let mut takes: Vec<Take> = cheapest.iter().map(take).collect();
                    takes.sort_unstable_by_key(|take| take.group);
                    takes
                };
                let slowest = cheapest.iter().map(|(_, place, _)| fits[*place].runtime).max().unwrap_or(0);
                self.consider(start, sum, slowest, takes);
            }
        }
    }

    fn admits(&self, start: i64, fit: &Fit) -> bool {
        self.admits.is_none_or(|admits| {
            let slot = self.groups.groups[fit.group].slots.first();
            slot.zip(interval(start, fit.runtime)).is_some_and(|(slot, interval)| admits(slot, interval))
        })
    }

    fn consider(&mut self, start: i64, cost: i128, runtime: i64, takes: impl FnOnce() -> Vec<Take>) {
        if cost > i128::from(self.wanted.budget.min(self.within.cost)) {
            return;
        }
        let finish = start.saturating_add(runtime);
        let score = self.wanted.worth.score(cost, finish);
        if self.best.as_ref().is_none_or(|best| (score, finish) < best.key()) {
            self.best = Some(Spot { start, finish, cost, score, takes: takes() });
        }
    }
}
