//! A plan while it is being improved: who is where, what that comes to, what is left, and how to go back.

use super::aim::{Aim, Measure, Value};
use super::basis::{Basis, measure};
use super::ground::Ground;
use super::limits::{ImproveLimits, Rank, Standing};
use super::ranks::Wanted;
use super::single::{Found, on_sites};
use crate::prefer::Source;
use std::rc::Rc;
use walras_model::id::{NodeId, SiteId};
use walras_model::interval::Interval;
use walras_model::window::{Alternative, Window};

/// So many windows of a workflow are tried, one start after the other, until one holds its tasks.
const WORKFLOW_TRIES: usize = 3;

/// Of slots, each job beyond so many counts as a part of one, so that a few hundred jobs do not take longer than somebody waits.
const FULL_JOBS: usize = 100;
const LATER_PARTS: usize = 4;

/// Where a job is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Out,
    Window(Rc<Held>),
    /// The place of the queue among those that the job may go to.
    Queue(usize),
}

/// A window that is taken.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) window: Window,
    measure: Measure,
    origins: Vec<usize>,
    takes: Vec<(usize, i64)>,
}

/// How a job is put back.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) aim: &'a Aim,
    pub(super) finish_max: i64,
    /// The job does not start before.
    pub(super) earliest: i64,
    /// See [`Wanted::noise`].
    pub(super) noise: &'a [i64],
}

/// Work done, and its bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) searches: u64,
    pub(super) slots_read: u64,
    pub(super) searches_max: u64,
    slots_max: u64,
}

impl Effort {
    pub(super) fn new(limits: &ImproveLimits, jobs: usize) -> Effort {
        let of_jobs = limits.searches_per_job_max.saturating_mul(jobs as u64);
        let searches_max = limits.searches_max.min(of_jobs);
        let full = jobs.min(FULL_JOBS);
        let share = (full + (jobs - full).div_ceil(LATER_PARTS)) as u64;
        let slots_max = limits.slots_max.min(limits.slots_per_job_max.saturating_mul(share));
        Effort { searches: 0, slots_read: 0, searches_max, slots_max }
    }

    /// So many searches more for each of the jobs, and an eighth of the slots.
    pub(super) fn allow(&mut self, searches: usize, jobs: usize) {
        self.searches_max = self.searches.max(self.searches_max).saturating_add((searches * jobs) as u64);
        self.slots_max = self.slots_read.max(self.slots_max).saturating_add(self.slots_max / 8);
    }

    pub(super) fn spent(&self) -> bool {
        self.searches >= self.searches_max || self.slots_read >= self.slots_max
    }
}

/// See the module's documentation.
pub(super) struct State<'a> {
    pub(super) basis: &'a Basis<'a>,
    pub(super) free: Ground<'a>,
    pub(super) places: Vec<Place>,
    pub(super) effort: Effort,
    left_out: u128,
    value: Value,
    cost: i128,
    time: i128,
    /// What is left of each capacity.
    left: Vec<i64>,
    /// Where jobs were before each change since the last [`State::keep`].
    journal: Vec<(usize, Place)>,
}

impl<'a> State<'a> {
    /// Nobody is served.
    pub(super) fn new(basis: &'a Basis<'a>, effort: Effort) -> State<'a> {
        State {
            basis,
            free: Ground::new(basis.sold),
            places: vec![Place::Out; basis.jobs()],
            effort,
            left_out: basis.weights.iter().map(|weight| u128::from(*weight)).sum(),
            value: [0; 3],
            cost: 0,
            time: 0,
            left: basis.gate.as_ref().map_or_else(Vec::new, |gate| gate.capacities().to_vec()),
            journal: Vec::new(),
        }
    }

    pub(super) fn standing(&self) -> Standing {
        let served = self.places.iter().filter(|place| !matches!(place, Place::Out)).count();
        let (left_out, value) = self.rank();
        Standing { left_out, value, served }
    }

    /// What plans are compared by.
    pub(super) fn rank(&self) -> Rank {
        if !self.basis.by_makespan() {
            return (self.left_out, self.value);
        }
        let last = (0..self.places.len()).filter_map(|job| self.measure(job)).map(|it| it.finish).max();
        (self.left_out, [last.unwrap_or(0), self.cost, 0])
    }

    /// What a job's place comes to; `None` when it is out.
    pub(super) fn measure(&self, job: usize) -> Option<Measure> {
        measure_of(self.basis, job, &self.places[job])
    }

    pub(super) fn is_out(&self, job: usize) -> bool {
        matches!(self.places[job], Place::Out)
    }

    pub(super) fn window(&self, job: usize) -> Option<&Window> {
        match &self.places[job] {
            Place::Window(held) => Some(&held.window),
            Place::Out | Place::Queue(_) => None,
        }
    }

    /// Puts everybody where they were chosen to be; `None` where that cannot be.
    pub(super) fn take_over(&mut self, all: &[Alternative], picks: &[Option<Source>]) -> Option<()> {
        for (job, pick) in picks.iter().enumerate() {
            let taken = match pick {
                None => true,
                Some(Source::Window(place)) => self.adopt(job, &all.get(*place)?.window),
                Some(Source::Queue(queue)) => self.queue(job, *queue),
            };
            if !taken {
                return None;
            }
        }
        self.keep();
        Some(())
    }

    /// Puts a job where it was chosen to be; whether that is free and keeps every limit.
    pub(super) fn adopt(&mut self, job: usize, window: &Window) -> bool {
        let origins = self.free.origins(window);
        origins.is_some_and(|origins| self.settle(job, Found { window: window.clone(), origins }))
    }

    /// Puts a job into a queue; whether that has room and keeps every limit.
    pub(super) fn queue(&mut self, job: usize, queue: usize) -> bool {
        let basis = self.basis;
        let Some(place) = basis.queues[job].iter().position(|it| it.queue == queue) else { return false };
        let it = &basis.queues[job][place];
        let fits = self.affords(it.measure) && self.has_left(&it.takes);
        if fits {
            self.set(job, Place::Queue(place));
        }
        fits
    }

    /// Takes a job out.
    pub(super) fn remove(&mut self, job: usize) {
        if !self.is_out(job) && !self.basis.stays(job) {
            self.set(job, Place::Out);
        }
    }

    /// Puts a job that is out where it is best; whether there is such a place.
    pub(super) fn insert(&mut self, job: usize, look: Look<'_>) -> bool {
        if self.basis.stays(job) {
            return !self.is_out(job);
        }
        let found = self.search(job, look);
        let value = |measure: Measure| (look.aim.value(measure), measure.finish);
        let queues = self.basis.queues[job].iter();
        let open = queues.filter(|it| {
            it.measure.finish <= i128::from(look.finish_max)
                && self.affords(it.measure)
                && self.has_left(&it.takes)
        });
        let queue = open.min_by_key(|it| value(it.measure));
        match (found, queue) {
            (Some(found), Some(queue)) if value(measure(&found.window)) > value(queue.measure) => {
                let queue = queue.queue;
                self.queue(job, queue)
            }
            (Some(found), _) => self.settle(job, found),
            (None, Some(queue)) => {
                let queue = queue.queue;
                self.queue(job, queue)
            }
            (None, None) => false,
        }
    }

    /// From here on there is no way back.
    pub(super) fn keep(&mut self) {
        self.journal.clear();
    }

    /// Goes back to where it was at the last [`State::keep`].
    pub(super) fn undo(&mut self) {
        while let Some((job, place)) = self.journal.pop() {
            self.put(job, place);
        }
    }

    /// Makes the places these; there is no way back.
    pub(super) fn restore(&mut self, places: &[Place]) {
        for job in 0..places.len() {
            self.put(job, Place::Out);
        }
        for (job, place) in places.iter().enumerate() {
            self.put(job, place.clone());
        }
        self.keep();
    }

    /// The best window that owners let in and that holds the job's workflow.
    fn search(&mut self, job: usize, look: Look<'_>) -> Option<Found> {
        let basis = self.basis;
        let exhausted = |(_, place): &&(SiteId, usize)| self.left[*place] <= 0;
        let mut closed: Vec<SiteId> =
            basis.quotas[job].iter().filter(exhausted).map(|(site, _)| *site).collect();
        let mut earliest = look.earliest;
        let mut tries = if basis.is_workflow(job) { WORKFLOW_TRIES } else { 1 };
        loop {
            let found = self.search_within(job, look, &closed, earliest)?;
            let takes = basis.takes(job, &found.window);
            let broken =
                |place: &usize| takes.iter().any(|(it, units)| it == place && *units > self.left[*place]);
            let over: Vec<SiteId> =
                basis.quotas[job].iter().filter(|(_, place)| broken(place)).map(|(site, _)| *site).collect();
            if !over.is_empty() {
                closed.extend(over);
                continue;
            }
            tries -= 1;
            if basis.holds(job, &found.window) {
                return Some(found);
            }
            if tries == 0 {
                return None;
            }
            earliest = found.window.start().as_millis().saturating_add(1);
        }
    }

    fn search_within(
        &mut self,
        job: usize,
        look: Look<'_>,
        closed: &[SiteId],
        earliest: i64,
    ) -> Option<Found> {
        if self.effort.spent() {
            return None;
        }
        self.effort.searches += 1;
        let basis = self.basis;
        let offers = basis.problem.offers;
        let closed = if closed.is_empty() { Vec::new() } else { on_sites(offers.nodes(), closed) };
        let gate = basis.gate.as_ref().filter(|gate| gate.has_access_rules());
        let admits = |node: usize, interval: Interval| {
            let site = NodeId::from_index(node).map(|node| offers.node(node).site);
            gate.zip(site).is_none_or(|(gate, site)| gate.admits(job, site, interval))
        };
        let wanted = Wanted {
            view: &basis.views[job],
            ranks: &basis.ranks[job],
            aim: look.aim,
            cost_max: left_of(basis.limits.budget, self.cost),
            runtime_max: left_of(basis.limits.time, self.time),
            earliest,
            finish_max: look.finish_max,
            noise: look.noise,
            closed: &closed,
            admits: gate.is_some().then_some(&admits),
        };
        let found = self.free.best(job, wanted, &mut self.effort.slots_read);
        if found.is_none() && !look.noise.is_empty() {
            // Noise may hide what the budget allows.
            self.effort.searches += 1;
            return self.free.best(job, Wanted { noise: &[], ..wanted }, &mut self.effort.slots_read);
        }
        found
    }

    /// Takes a window for a job that is out, where every limit is kept.
    fn settle(&mut self, job: usize, found: Found) -> bool {
        let takes = self.basis.takes(job, &found.window);
        let measure = measure(&found.window);
        let fits = self.affords(measure) && self.has_left(&takes);
        if fits {
            let Found { window, origins } = found;
            self.set(job, Place::Window(Rc::new(Held { window, measure, origins, takes })));
        }
        fits
    }

    fn affords(&self, measure: Measure) -> bool {
        let limits = self.basis.limits;
        limits.budget.is_none_or(|most| self.cost + measure.cost <= most)
            && limits.time.is_none_or(|most| self.time + measure.time <= most)
    }

    fn has_left(&self, takes: &[(usize, i64)]) -> bool {
        takes.iter().all(|(place, units)| *units <= self.left[*place])
    }

    fn set(&mut self, job: usize, place: Place) {
        self.journal.push((job, self.places[job].clone()));
        self.put(job, place);
    }

    fn put(&mut self, job: usize, place: Place) {
        let old = std::mem::replace(&mut self.places[job], place);
        self.count(job, &old, -1);
        if let Place::Window(held) = &old {
            self.free.release(&held.window, &held.origins);
        }
        let new = self.places[job].clone();
        self.count(job, &new, 1);
        if let Place::Window(held) = &new {
            self.free.take(&held.window);
        }
    }

    fn count(&mut self, job: usize, place: &Place, times: i64) {
        let basis = self.basis;
        let weight = u128::from(basis.weights[job]);
        let takes: &[(usize, i64)] = match place {
            Place::Out => return,
            Place::Window(held) => &held.takes,
            Place::Queue(at) => &basis.queues[job][*at].takes,
        };
        for (place, units) in takes {
            self.left[*place] -= times * units;
        }
        self.left_out = if times > 0 { self.left_out - weight } else { self.left_out + weight };
        let Some(measure) = measure_of(basis, job, place) else { return };
        let times = i128::from(times);
        for (sum, value) in self.value.iter_mut().zip(basis.aim.value(measure)) {
            *sum += times * value;
        }
        self.cost += times * measure.cost;
        self.time += times * measure.time;
    }
}

fn measure_of(basis: &Basis<'_>, job: usize, place: &Place) -> Option<Measure> {
    match place {
        Place::Out => None,
        Place::Window(held) => Some(held.measure),
        Place::Queue(at) => basis.queues[job].get(*at).map(|it| it.measure),
    }
}

/// What is left below a limit, in the range of single windows.
fn left_of(limit: Option<i128>, used: i128) -> i64 {
    limit.map_or(i64::MAX, |limit| i64::try_from(limit - used).unwrap_or(i64::MAX))
}
