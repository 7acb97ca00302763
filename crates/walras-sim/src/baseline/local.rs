//! One site: its queue by a discipline, what runs, and the jobs that are there.

use super::kinds::{Discipline, Running, Waiting};
use super::scheduler::Scheduler;
use crate::workload::Job;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A site.
#[derive(Clone, Debug)]
pub(super) struct Local {
    scheduler: Scheduler,
    running: BinaryHeap<Reverse<Running>>,
    /// The jobs that wait, each with its promise; places are used again.
    jobs: Vec<(Job, Option<i64>)>,
    vacant: Vec<u32>,
    started: Vec<Waiting>,
}

impl Local {
    pub(super) fn new(nodes: u32, discipline: Discipline) -> Local {
        let (jobs, vacant, started) = (Vec::new(), Vec::new(), Vec::new());
        Local {
            scheduler: Scheduler::new(nodes, discipline),
            running: BinaryHeap::new(),
            jobs,
            vacant,
            started,
        }
    }

    pub(super) fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// When something happens next by itself.
    pub(super) fn next(&self) -> Option<i64> {
        let end = self.running.peek().map(|Reverse(job)| job.ends);
        end.into_iter().chain(self.scheduler.next()).min()
    }

    /// Ends what ends by now.
    pub(super) fn end(&mut self, now: i64) {
        while let Some(Reverse(job)) = self.running.peek().copied().filter(|Reverse(job)| job.ends <= now) {
            self.running.pop();
            self.scheduler.end(now, &job);
        }
    }

    /// Takes in a job that fits, with how long it says that it runs here.
    pub(super) fn submit(&mut self, now: i64, job: Job, estimate: i64) {
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.jobs.push((job, None));
            u32::try_from(self.jobs.len() - 1).unwrap_or(u32::MAX)
        });
        let promised = self.scheduler.submit(now, Waiting { estimate, nodes: job.nodes, slot });
        self.jobs[slot as usize] = (job, promised);
    }

    /// Starts who can; each is shown with its promise, and `begin` says how long it runs.
    pub(super) fn start(&mut self, now: i64, mut begin: impl FnMut(&Job, Option<i64>) -> i64) {
        self.scheduler.start(now, &mut self.started);
        for waiting in self.started.drain(..) {
            let (job, promised) = &self.jobs[waiting.slot as usize];
            let lasts = begin(job, *promised);
            let running = Running { ends: now + lasts, stated: now + waiting.estimate, nodes: waiting.nodes };
            self.running.push(Reverse(running));
            self.vacant.push(waiting.slot);
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.scheduler.waiting()
    }
}
