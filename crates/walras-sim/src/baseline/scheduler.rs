//! The queue of a site by its discipline, whoever keeps what runs there.

use super::conservative::Calendar;
use super::easy::{Order, Queue};
use super::kinds::{Discipline, Running, Waiting};
use super::place::Forecast;
use super::profile::{NEVER, Profile};

#[derive(Clone, Debug)]
enum SchedulerKind {
    Queue(Queue),
    Calendar(Calendar),
}

/// A site's queue.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    nodes: u32,
    kind: SchedulerKind,
}

impl Scheduler {
    pub(super) fn new(nodes: u32, discipline: Discipline) -> Scheduler {
        let kind = match discipline {
            Discipline::Fcfs => SchedulerKind::Queue(Queue::new(nodes, Order::Arrival, false)),
            Discipline::Easy => SchedulerKind::Queue(Queue::new(nodes, Order::Arrival, true)),
            Discipline::ShortestEasy => SchedulerKind::Queue(Queue::new(nodes, Order::Shortest, true)),
            Discipline::Conservative => SchedulerKind::Calendar(Calendar::new(nodes)),
        };
        Scheduler { nodes, kind }
    }

    /// When somebody starts by plan.
    pub(super) fn next(&self) -> Option<i64> {
        match &self.kind {
            SchedulerKind::Queue(_) => None,
            SchedulerKind::Calendar(calendar) => calendar.next(),
        }
    }

    /// A job has ended.
    pub(super) fn end(&mut self, now: i64, job: &Running) {
        match &mut self.kind {
            SchedulerKind::Queue(queue) => queue.end(job),
            SchedulerKind::Calendar(calendar) => calendar.end(now, job),
        }
    }

    /// A job has come; the start that it is promised.
    pub(super) fn submit(&mut self, now: i64, job: Waiting) -> Option<i64> {
        match &mut self.kind {
            SchedulerKind::Queue(queue) => {
                queue.submit(job);
                None
            }
            SchedulerKind::Calendar(calendar) => {
                Some(calendar.submit(now, job)).filter(|start| *start != NEVER)
            }
        }
    }

    /// Everybody who starts now.
    pub(super) fn start(&mut self, now: i64, started: &mut Vec<Waiting>) {
        match &mut self.kind {
            SchedulerKind::Queue(queue) => queue.start(now, started),
            SchedulerKind::Calendar(calendar) => calendar.start(now, started),
        }
    }

    pub(super) fn waiting(&self) -> usize {
        match &self.kind {
            SchedulerKind::Queue(queue) => queue.waiting(),
            SchedulerKind::Calendar(calendar) => calendar.waiting(),
        }
    }

    /// A job that waits is withdrawn.
    pub(super) fn withdraw(&mut self, slot: u32) {
        match &mut self.kind {
            SchedulerKind::Queue(queue) => queue.withdraw(slot),
            SchedulerKind::Calendar(calendar) => calendar.withdraw(slot),
        }
    }

    /// A job that was lost waits again, before all others where the discipline goes by arrival.
    pub(super) fn again(&mut self, job: Waiting) {
        match &mut self.kind {
            SchedulerKind::Queue(queue) => queue.again(job),
            SchedulerKind::Calendar(calendar) => calendar.again(job),
        }
    }

    /// So many nodes are there from now on, on which these run.
    pub(super) fn resize(&mut self, now: i64, nodes: u32, running: impl Iterator<Item = Running>) {
        let before = std::mem::replace(&mut self.nodes, nodes);
        match &mut self.kind {
            SchedulerKind::Queue(queue) => queue.resize(i64::from(nodes) - i64::from(before)),
            SchedulerKind::Calendar(calendar) => calendar.resize(now, nodes, running),
        }
    }
}

impl Forecast for Scheduler {
    fn could_ever(&self, _: i64, _: u32, _: i64) -> bool {
        true
    }

    fn fits_now(&self, now: i64, nodes: u32, estimate: i64) -> bool {
        match &self.kind {
            SchedulerKind::Queue(queue) => queue.fits_now(nodes),
            SchedulerKind::Calendar(calendar) => calendar.fits_now(now, nodes, estimate),
        }
    }

    fn forecast(&self, now: i64, nodes: u32, estimate: i64) -> i64 {
        match &self.kind {
            SchedulerKind::Calendar(calendar) => calendar.forecast(now, nodes, estimate),
            SchedulerKind::Queue(queue) => {
                let mut profile = Profile::new(self.nodes, now);
                let (running, waiting) = queue.look();
                for (until, nodes) in running {
                    profile.take(now, *until, *nodes);
                }
                for job in waiting {
                    let start = profile.earliest(now, job.nodes, job.estimate);
                    profile.take(start, start.saturating_add(job.estimate), job.nodes);
                }
                profile.earliest(now, nodes, estimate)
            }
        }
    }
}
