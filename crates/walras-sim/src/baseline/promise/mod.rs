//! Promises that bind, and an order that does not: a queue in which everybody knows their latest start from the first moment.
//!
//! **Problem.** EASY promises a start to the first in the queue alone; conservative backfilling promises one to everybody and
//! pays for it by waiting, since whoever came first keeps the best place for good. What is wanted: a promise to everybody
//! that is never broken, and within it the order that makes waits short.
//!
//! **Method.** Everybody has a planned start and a promise, which is the latest that the planned start may ever become. At
//! each arrival, each end, and when a planned start has come:
//!
//! 1. All who wait are planned again from nothing in order of promise, each at its earliest. If that breaks a promise, the plan
//!    stays as it was and, in order of planned start, each only moves earlier where it can.
//! 2. A newcomer is planned at its earliest, and promised that start and a share of the wait until then on top ([`Promising::slack`]).
//! 3. In the order of [`Precedence`](super::Precedence), whoever fits the nodes on which nobody runs starts at once if the plan of the others
//!    leaves room for it. If not, it is tried: with it running, the others are planned again by promise, then by planned start;
//!    when one of these keeps all promises it is adopted. There are [`Promising::trials`] of that in a moment at most.
//! 4. Whoever is planned for now starts.
//!
//! There is no other reservation, so large jobs pay for what the others gain, within their promises. Where planned starts
//! or promises are equal, who came first is first.
//!
//! **Complexity.** A plan of q who wait is q searches of the [`Profile`]; a moment needs at most 2 + 2 · trials plans, and a search
//! for everybody who fits.
//!
//! ```
//! use walras_sim::baseline::{Precedence, Promising};
//! let usual = Promising::default();
//! assert_eq!((usual.precedence, usual.slack, usual.trials), (Precedence::Expansion, 250, 8));
//! // Planned for 100 s from now: promised 125 s from now at the latest.
//! assert_eq!(usual.latest(5_000, 105_000), 130_000);
//! ```

#[cfg(test)]
mod tests;

use super::kinds::{Promising, Running, Waiting};
use super::profile::{NEVER, Profile};
use walras_core::agenda::Claim;

/// Somebody who waits.
#[derive(Clone, Copy, Debug)]
struct Entry {
    job: Waiting,
    came: i64,
    arrival: u64,
    promise: i64,
    start: i64,
    /// It has started in this moment.
    gone: bool,
}

/// A queue of promises.
#[derive(Clone, Debug)]
pub(super) struct Promises {
    rules: Promising,
    /// Nodes on which nobody runs.
    free: i64,
    /// What those who run leave free.
    unused: Profile,
    /// What those who run and those who are planned leave free.
    unplanned: Profile,
    /// In order of promise, then of arrival.
    queue: Vec<Entry>,
    arrivals: u64,
    /// Something has happened in this moment.
    touched: bool,
    /// The plan is of this moment.
    settled: bool,
}

impl Promises {
    pub(super) fn new(nodes: u32, rules: Promising) -> Promises {
        let all = Profile::new(nodes, i64::MIN / 4);
        Promises {
            rules,
            free: i64::from(nodes),
            unused: all.clone(),
            unplanned: all,
            queue: Vec::new(),
            arrivals: 0,
            touched: false,
            settled: false,
        }
    }

    pub(super) fn end(&mut self, now: i64, job: &Running) {
        self.free += i64::from(job.nodes);
        self.unused.give(now, job.stated, job.nodes);
        self.unplanned.give(now, job.stated, job.nodes);
        self.touched = true;
    }

    /// Plans a job; gives the latest start, which it is promised.
    pub(super) fn submit(&mut self, now: i64, job: Waiting) -> i64 {
        self.settle(now);
        self.touched = true;
        let start = self.unplanned.earliest(now, job.nodes, job.estimate);
        self.unplanned.take(start, start.saturating_add(job.estimate), job.nodes);
        let promise = self.rules.latest(now, start);
        self.arrivals += 1;
        let place = self.queue.partition_point(|other| other.promise <= promise);
        let arrival = self.arrivals;
        self.queue.insert(place, Entry { job, came: now, arrival, promise, start, gone: false });
        promise
    }

    /// Everybody who starts now.
    pub(super) fn start(&mut self, now: i64, started: &mut Vec<Waiting>) {
        if self.touched || self.next().is_some_and(|first| first <= now) {
            self.settle(now);
            self.go_ahead(now, started);
            for place in 0..self.queue.len() {
                if !self.queue[place].gone && self.queue[place].start <= now {
                    self.run(now, place, started);
                }
            }
            self.queue.retain(|entry| !entry.gone);
        }
        (self.touched, self.settled) = (false, false);
    }

    /// Plans everybody again, once in a moment.
    fn settle(&mut self, now: i64) {
        if std::mem::replace(&mut self.settled, true) {
            return;
        }
        self.unused.forget_before(now);
        self.unplanned.forget_before(now);
        match self.plan(now, &self.unused, 0..self.queue.len()) {
            Some(plan) => self.adopt(plan),
            None => self.move_up(now),
        }
    }

    /// Plans these in this order, each at its earliest, beside what is taken; `None` where that would break a promise.
    fn plan(&self, now: i64, beside: &Profile, order: impl Iterator<Item = usize>) -> Option<Plan> {
        let mut free = beside.clone();
        let mut starts = Vec::with_capacity(self.queue.len());
        for place in order {
            let Entry { job, promise, .. } = self.queue[place];
            let limit = promise.saturating_add(1);
            let start = free.earliest_before(now, limit, NEVER, job.nodes, job.estimate)?;
            free.take(start, start.saturating_add(job.estimate), job.nodes);
            starts.push((place, start));
        }
        Some(Plan { free, starts })
    }

    /// Makes a plan that keeps all promises the plan.
    fn adopt(&mut self, plan: Plan) {
        for (place, start) in plan.starts {
            self.queue[place].start = start;
        }
        self.unplanned = plan.free;
    }

    /// In order of planned start, each moves earlier where it can.
    fn move_up(&mut self, now: i64) {
        for place in self.by_start() {
            let Entry { job, start, .. } = self.queue[place];
            let earlier = self.unplanned.earliest_before(now, start, start, job.nodes, job.estimate);
            if let Some(earlier) = earlier {
                self.unplanned.give(start, start.saturating_add(job.estimate), job.nodes);
                self.unplanned.take(earlier, earlier.saturating_add(job.estimate), job.nodes);
                self.queue[place].start = earlier;
            }
        }
    }

    /// Those who wait, in order of planned start, then of arrival.
    fn by_start(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.queue.len()).filter(|place| !self.queue[*place].gone).collect();
        places.sort_unstable_by_key(|place| (self.queue[*place].start, self.queue[*place].arrival));
        places
    }

    /// Starts in order of precedence whoever the others' promises leave room for.
    fn go_ahead(&mut self, now: i64, started: &mut Vec<Waiting>) {
        let fits = |entry: &Entry, free: i64| i64::from(entry.job.nodes) <= free;
        // Nodes only get fewer from here on, so who does not fit now never does.
        let mut places: Vec<usize> =
            (0..self.queue.len()).filter(|place| fits(&self.queue[*place], self.free)).collect();
        places.sort_unstable_by(|one, other| {
            let (one, other) = (&self.queue[*one], &self.queue[*other]);
            let by_rule = self.rules.precedence.compare(now, one.claim(), other.claim());
            by_rule.then(one.arrival.cmp(&other.arrival))
        });
        let mut trials = self.rules.trials;
        for place in places {
            let entry = self.queue[place];
            if !fits(&entry, self.free) {
                continue;
            }
            let goes = self.has_room(now, &entry)
                || trials > 0 && {
                    trials -= 1;
                    self.make_room(now, place)
                };
            if goes {
                self.run(now, place, started);
            }
        }
    }

    /// Whether it can start now without anybody else's moving.
    fn has_room(&self, now: i64, entry: &Entry) -> bool {
        let Entry { job, start, .. } = entry;
        let from_now =
            || self.unplanned.earliest_before(now, now.saturating_add(1), *start, job.nodes, job.estimate);
        *start <= now || from_now() == Some(now)
    }

    /// Plans one for now and the others around it, if that keeps all promises.
    fn make_room(&mut self, now: i64, first: usize) -> bool {
        let job = self.queue[first].job;
        let mut beside = self.unused.clone();
        beside.take(now, now.saturating_add(job.estimate), job.nodes);
        let others = |place: &usize| *place != first && !self.queue[*place].gone;
        let by_promise = (0..self.queue.len()).filter(others);
        let by_start = || self.by_start().into_iter().filter(others);
        let plan = self.plan(now, &beside, by_promise).or_else(|| self.plan(now, &beside, by_start()));
        let Some(plan) = plan else { return false };
        self.adopt(plan);
        self.queue[first].start = now;
        true
    }

    /// Starts somebody for whom there is room.
    fn run(&mut self, now: i64, place: usize, started: &mut Vec<Waiting>) {
        let entry = &mut self.queue[place];
        let job = entry.job;
        let until = now.saturating_add(job.estimate);
        if entry.start > now {
            self.unplanned.give(entry.start, entry.start.saturating_add(job.estimate), job.nodes);
            self.unplanned.take(now, until, job.nodes);
        }
        entry.gone = true;
        self.unused.take(now, until, job.nodes);
        self.free -= i64::from(job.nodes);
        started.push(job);
    }

    /// When the next job is planned to start.
    pub(super) fn next(&self) -> Option<i64> {
        self.queue.iter().map(|entry| entry.start).min()
    }

    /// The earliest start of a job that would come now.
    pub(super) fn forecast(&self, now: i64, nodes: u32, estimate: i64) -> i64 {
        self.unplanned.earliest(now, nodes, estimate)
    }

    pub(super) fn fits_now(&self, now: i64, nodes: u32, estimate: i64) -> bool {
        self.forecast(now, nodes, estimate) == now
    }

    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }
}

impl Entry {
    fn claim(&self) -> Claim {
        Claim { came: self.came, estimate: self.job.estimate, nodes: self.job.nodes }
    }
}

/// Starts of all who wait that keep their promises, and what they leave free.
#[derive(Debug)]
struct Plan {
    free: Profile,
    starts: Vec<(usize, i64)>,
}
