//! One site: its queue by a discipline, what runs, and the jobs that are there.

use super::conservative::Calendar;
use super::easy::{Order, Queue};
use super::kinds::{Discipline, Running, Waiting};
use super::profile::Profile;
use super::promise::Promises;
use crate::workload::Job;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Clone, Debug)]
enum Scheduler {
    Queue(Queue),
    Calendar(Calendar),
    Promises(Promises),
}

/// A site.
#[derive(Clone, Debug)]
pub(super) struct Local {
    nodes: u32,
    scheduler: Scheduler,
    running: BinaryHeap<Reverse<Running>>,
    /// The jobs that wait, each with its promise; places are used again.
    jobs: Vec<(Job, Option<i64>)>,
    vacant: Vec<u32>,
    started: Vec<Waiting>,
}

impl Local {
    pub(super) fn new(nodes: u32, discipline: Discipline) -> Local {
        let scheduler = match discipline {
            Discipline::Fcfs => Scheduler::Queue(Queue::new(nodes, Order::Arrival, false)),
            Discipline::Easy => Scheduler::Queue(Queue::new(nodes, Order::Arrival, true)),
            Discipline::ShortestEasy => Scheduler::Queue(Queue::new(nodes, Order::Shortest, true)),
            Discipline::Conservative => Scheduler::Calendar(Calendar::new(nodes)),
            Discipline::Promise(rules) => Scheduler::Promises(Promises::new(nodes, rules)),
        };
        let (jobs, vacant, started) = (Vec::new(), Vec::new(), Vec::new());
        Local { nodes, scheduler, running: BinaryHeap::new(), jobs, vacant, started }
    }

    /// When something happens next by itself.
    pub(super) fn next(&self) -> Option<i64> {
        let end = self.running.peek().map(|Reverse(job)| job.ends);
        match &self.scheduler {
            Scheduler::Queue(_) => end,
            Scheduler::Calendar(calendar) => end.into_iter().chain(calendar.next()).min(),
            Scheduler::Promises(promises) => end.into_iter().chain(promises.next()).min(),
        }
    }

    /// Ends what ends by now.
    pub(super) fn end(&mut self, now: i64) {
        while let Some(Reverse(job)) = self.running.peek().copied().filter(|Reverse(job)| job.ends <= now) {
            self.running.pop();
            match &mut self.scheduler {
                Scheduler::Queue(queue) => queue.end(&job),
                Scheduler::Calendar(calendar) => calendar.end(now, &job),
                Scheduler::Promises(promises) => promises.end(now, &job),
            }
        }
    }

    /// Takes in a job that fits, with how long it says that it runs here.
    pub(super) fn submit(&mut self, now: i64, job: Job, estimate: i64) {
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.jobs.push((job, None));
            u32::try_from(self.jobs.len() - 1).unwrap_or(u32::MAX)
        });
        let waiting = Waiting { estimate, nodes: job.nodes, slot };
        let promised = match &mut self.scheduler {
            Scheduler::Queue(queue) => {
                queue.submit(waiting);
                None
            }
            Scheduler::Calendar(calendar) => Some(calendar.submit(now, waiting)),
            Scheduler::Promises(promises) => Some(promises.submit(now, waiting)),
        };
        self.jobs[slot as usize] = (job, promised);
    }

    /// Starts who can; each is shown with its promise, and `begin` says how long it runs.
    pub(super) fn start(&mut self, now: i64, mut begin: impl FnMut(&Job, Option<i64>) -> i64) {
        match &mut self.scheduler {
            Scheduler::Queue(queue) => queue.start(now, &mut self.started),
            Scheduler::Calendar(calendar) => calendar.start(now, &mut self.started),
            Scheduler::Promises(promises) => promises.start(now, &mut self.started),
        }
        for waiting in self.started.drain(..) {
            let (job, promised) = &self.jobs[waiting.slot as usize];
            let lasts = begin(job, *promised);
            let running = Running { ends: now + lasts, stated: now + waiting.estimate, nodes: waiting.nodes };
            self.running.push(Reverse(running));
            self.vacant.push(waiting.slot);
        }
    }

    pub(super) fn waiting(&self) -> usize {
        match &self.scheduler {
            Scheduler::Queue(queue) => queue.waiting(),
            Scheduler::Calendar(calendar) => calendar.waiting(),
            Scheduler::Promises(promises) => promises.waiting(),
        }
    }

    /// Whether a job would start at once.
    pub(super) fn fits_now(&self, now: i64, nodes: u32, estimate: i64) -> bool {
        match &self.scheduler {
            Scheduler::Queue(queue) => queue.fits_now(nodes),
            Scheduler::Calendar(calendar) => calendar.fits_now(now, nodes, estimate),
            Scheduler::Promises(promises) => promises.fits_now(now, nodes, estimate),
        }
    }

    /// When a job would start if it came now and everybody ran as long as they say; of a queue with backfilling, if each
    /// who waits had a place in a calendar.
    pub(super) fn forecast(&self, now: i64, nodes: u32, estimate: i64) -> i64 {
        match &self.scheduler {
            Scheduler::Calendar(calendar) => calendar.forecast(now, nodes, estimate),
            Scheduler::Promises(promises) => promises.forecast(now, nodes, estimate),
            Scheduler::Queue(queue) => {
                let mut profile = Profile::new(self.nodes, now);
                let (running, waiting) = queue.look();
                for (until, nodes) in running {
                    profile.take(now, *until, *nodes);
                }
                for job in waiting {
                    let start = profile.earliest(now, job.nodes, job.estimate);
                    profile.take(start, start + job.estimate, job.nodes);
                }
                profile.earliest(now, nodes, estimate)
            }
        }
    }
}
