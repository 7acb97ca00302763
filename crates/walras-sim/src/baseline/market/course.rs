//! The course of a market: who waits where, and what happens at a moment.

use super::Market;
use super::place::{Calendars, Place};
use crate::baseline::kinds::{Course, Running};
use crate::baseline::offer::{Offer, offers};
use crate::baseline::profile::{NEVER, Profile};
use crate::record::{Fate, Record, Site};
use crate::workload::Job;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use walras_core::agenda::Claim;

/// Somebody who waits.
#[derive(Clone, Debug)]
struct Entry {
    job: Job,
    offers: Vec<Offer>,
    arrival: u64,
    /// The latest end by its estimate.
    promise: i64,
    place: Place,
    gone: bool,
}

impl Entry {
    fn claim(&self) -> Claim {
        let (came, estimate) = (self.job.submit.as_millis(), self.job.estimate.as_millis());
        Claim { came, estimate, nodes: self.job.nodes }
    }
}

#[derive(Debug)]
struct State<'a> {
    rules: Market,
    sites: &'a [Site],
    /// Nodes of every site on which nobody runs.
    free: Vec<u32>,
    /// What those who run leave free.
    unused: Calendars,
    /// What those who run and those who are planned leave free.
    unplanned: Calendars,
    /// In order of promise, then of arrival.
    queue: Vec<Entry>,
    running: BinaryHeap<Reverse<(Running, usize)>>,
    arrivals: u64,
}

/// Simulates a market; jobs must come in order of submission. Every job is handed to `sink` once, as promised the start by
/// which it would have ended in time where it ran.
pub fn simulate_market(
    sites: &[Site],
    rules: Market,
    jobs: impl Iterator<Item = Job>,
    sink: &mut dyn FnMut(Record),
) -> Course {
    let all = Calendars(sites.iter().map(|site| Profile::new(site.nodes, i64::MIN / 4)).collect());
    let free = sites.iter().map(|site| site.nodes).collect();
    let (unused, unplanned) = (all.clone(), all);
    let (queue, running) = (Vec::new(), BinaryHeap::new());
    let mut state = State { rules, sites, free, unused, unplanned, queue, running, arrivals: 0 };
    let mut course = Course::default();
    let mut jobs = jobs.peekable();
    while let Some(now) = state.next().into_iter().chain(jobs.peek().map(|job| job.submit.as_millis())).min()
    {
        course.moments += 1;
        state.end(now);
        state.settle(now);
        while let Some(job) = jobs.next_if(|job| job.submit.as_millis() <= now) {
            course.jobs += 1;
            if let Err(fate) = state.submit(now, job) {
                sink(Record { job, fate, ran: None, promised: None });
            }
        }
        state.go_ahead(now, sink);
        for place in 0..state.queue.len() {
            let Entry { gone, place: planned, .. } = state.queue[place];
            if !gone && planned.start <= now {
                state.run(now, place, planned, sink);
            }
        }
        state.queue.retain(|entry| !entry.gone);
        debug_assert!(state.agrees(now), "calendars hold what is planned, and nothing else");
        course.waiting_max = course.waiting_max.max(state.queue.len());
    }
    course
}

impl State<'_> {
    fn next(&self) -> Option<i64> {
        let end = self.running.peek().map(|Reverse((job, _))| job.ends);
        self.queue.iter().map(|entry| entry.place.start).chain(end).min()
    }

    /// Whether the calendars hold what runs and what is planned.
    fn agrees(&self, now: i64) -> bool {
        let mut free = self.unused.clone();
        self.queue.iter().for_each(|entry| free.take(entry.place, entry.job.nodes));
        let ends = self.queue.iter().flat_map(|entry| [entry.place.start, entry.place.end()]);
        let moments: Vec<i64> = ends.chain([now]).collect();
        let both = || free.0.iter().zip(&self.unplanned.0);
        moments.iter().all(|at| both().all(|(one, other)| one.free(*at) == other.free(*at)))
    }

    /// Ends what ends by now.
    fn end(&mut self, now: i64) {
        while let Some(Reverse((job, site))) = self.running.peek().copied().filter(|it| it.0.0.ends <= now) {
            self.running.pop();
            self.free[site] += job.nodes;
            self.unused.0[site].give(now, job.stated, job.nodes);
            self.unplanned.0[site].give(now, job.stated, job.nodes);
        }
    }

    /// Plans everybody again by promise, or moves each to a better place where that would break one.
    fn settle(&mut self, now: i64) {
        for profile in self.unused.0.iter_mut().chain(&mut self.unplanned.0) {
            profile.forget_before(now);
        }
        if let Some(plan) = self.plan(now, self.unused.clone(), 0..self.queue.len()) {
            self.adopt(plan);
            return;
        }
        for index in self.by_start() {
            let (nodes, place) = (self.queue[index].job.nodes, self.queue[index].place);
            self.unplanned.give(place, nodes);
            let better = self.best(now, &self.unplanned, &self.queue[index]).unwrap_or(place);
            self.unplanned.take(better, nodes);
            self.queue[index].place = better;
        }
    }

    /// The place of the least score that keeps the promise.
    fn best(&self, now: i64, free: &Calendars, entry: &Entry) -> Option<Place> {
        let nodes = entry.job.nodes;
        let places = entry.offers.iter().filter_map(|offer| free.earliest(now, *offer, nodes, entry.promise));
        places.min_by_key(|place| place.score(nodes, now, self.rules.value))
    }

    /// Plans these in this order, each at its best; `None` where that would break a promise.
    fn plan(&self, now: i64, mut free: Calendars, order: impl Iterator<Item = usize>) -> Option<Plan> {
        let mut places = Vec::with_capacity(self.queue.len());
        for index in order {
            let place = self.best(now, &free, &self.queue[index])?;
            free.take(place, self.queue[index].job.nodes);
            places.push((index, place));
        }
        Some(Plan { free, places })
    }

    fn adopt(&mut self, plan: Plan) {
        for (index, place) in plan.places {
            self.queue[index].place = place;
        }
        self.unplanned = plan.free;
    }

    /// Those who wait, in order of planned start, then of arrival.
    fn by_start(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.queue.len()).filter(|index| !self.queue[*index].gone).collect();
        order.sort_unstable_by_key(|index| (self.queue[*index].place.start, self.queue[*index].arrival));
        order
    }

    /// Plans a newcomer and promises it an end.
    fn submit(&mut self, now: i64, job: Job) -> Result<(), Fate> {
        let offers = offers(self.sites, &job)?;
        let deadline = job.deadline.map(|deadline| deadline.as_millis());
        let place = self.first_place(now, &job, &offers);
        // There is always a time after everything that is planned.
        let place = place.ok_or(Fate::LeftOver)?;
        self.unplanned.take(place, job.nodes);
        let promise = self.rules.until.latest(now, place.end(), deadline);
        self.arrivals += 1;
        let at = self.queue.partition_point(|other| other.promise <= promise);
        let entry = Entry { job, offers, arrival: self.arrivals, promise, place, gone: false };
        self.queue.insert(at, entry);
        Ok(())
    }

    /// The place of the least score that meets the deadline; else the one that ends first.
    fn first_place(&self, now: i64, job: &Job, offers: &[Offer]) -> Option<Place> {
        let deadline = job.deadline.map_or(NEVER, |deadline| deadline.as_millis());
        let places = |by: i64| {
            let place = move |offer: &Offer| self.unplanned.earliest(now, *offer, job.nodes, by);
            offers.iter().filter_map(place)
        };
        let in_time = places(deadline).min_by_key(|place| place.score(job.nodes, now, self.rules.value));
        in_time.or_else(|| places(NEVER).min_by_key(Place::end))
    }

    /// Starts in order of precedence whoever gains by it, where the others' promises leave room.
    fn go_ahead(&mut self, now: i64, sink: &mut dyn FnMut(Record)) {
        let most = self.free.iter().copied().max().unwrap_or(0);
        let mut order: Vec<usize> =
            (0..self.queue.len()).filter(|index| self.queue[*index].job.nodes <= most).collect();
        order.sort_unstable_by(|one, other| {
            let (one, other) = (&self.queue[*one], &self.queue[*other]);
            let by_rule = self.rules.precedence.compare(now, one.claim(), other.claim());
            by_rule.then(one.arrival.cmp(&other.arrival))
        });
        let mut trials = self.rules.trials;
        for index in order {
            let places = self.places_now(now, &self.queue[index]);
            let roomy = places.iter().find(|place| self.has_room(now, index, **place)).copied();
            if let Some(place) = roomy {
                self.run(now, index, place, sink);
            } else if let Some(place) = places.first().copied().filter(|_| trials > 0) {
                trials -= 1;
                if self.make_room(now, index, place) {
                    self.run(now, index, place, sink);
                }
            }
        }
    }

    /// Where it could start now beside those who run, keeps its promise and is no worse off than planned; the best first.
    fn places_now(&self, now: i64, entry: &Entry) -> Vec<Place> {
        let nodes = entry.job.nodes;
        let score = |place: &Place| place.score(nodes, now, self.rules.value);
        let planned = score(&entry.place);
        let now_at = entry.offers.iter().filter(|offer| nodes <= self.free[offer.site]);
        let places = now_at.map(|offer| Place { offer: *offer, start: now });
        let mut places: Vec<Place> =
            places.filter(|place| place.end() <= entry.promise && score(place) <= planned).collect();
        places.sort_by_key(score);
        places
    }

    /// Whether it can start there now without anybody else's moving.
    fn has_room(&self, now: i64, index: usize, place: Place) -> bool {
        let Entry { job, place: planned, .. } = &self.queue[index];
        let site = place.offer.site;
        let own = if planned.offer.site == site { planned.start } else { NEVER };
        let free = &self.unplanned.0[site];
        let from_now =
            || free.earliest_before(now, now.saturating_add(1), own, job.nodes, place.offer.estimate);
        own <= now || from_now() == Some(now)
    }

    /// Plans one for a place and the others around it, if that keeps all promises.
    fn make_room(&mut self, now: i64, first: usize, place: Place) -> bool {
        let mut beside = self.unused.clone();
        beside.take(place, self.queue[first].job.nodes);
        let others = |index: &usize| *index != first && !self.queue[*index].gone;
        let by_promise = (0..self.queue.len()).filter(others);
        let by_start = || self.by_start().into_iter().filter(others);
        let plan = self.plan(now, beside.clone(), by_promise).or_else(|| self.plan(now, beside, by_start()));
        let Some(plan) = plan else { return false };
        self.adopt(plan);
        self.queue[first].place = place;
        true
    }

    /// Starts somebody at a place where there is room.
    fn run(&mut self, now: i64, index: usize, place: Place, sink: &mut dyn FnMut(Record)) {
        let entry = &mut self.queue[index];
        let (job, planned) = (entry.job, entry.place);
        entry.gone = true;
        if planned != place {
            self.unplanned.give(planned, job.nodes);
            self.unplanned.take(place, job.nodes);
        }
        self.unused.take(place, job.nodes);
        let site = place.offer.site;
        self.free[site] -= job.nodes;
        let latest = entry.promise.saturating_sub(place.offer.estimate);
        let record = Record::begun(site, &self.sites[site], now, &job, Some(latest));
        let ends = record.ran.map_or(now, |ran| ran.end.as_millis());
        self.running.push(Reverse((Running { ends, stated: place.end(), nodes: job.nodes }, site)));
        sink(record);
    }
}

/// Places of all who wait that keep their promises, and what they leave free.
#[derive(Debug)]
struct Plan {
    free: Calendars,
    places: Vec<(usize, Place)>,
}
