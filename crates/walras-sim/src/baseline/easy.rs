//! First come first served, with or without EASY backfilling; and shortest first with the same.
//!
//! **Method** (D. A. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; A. W. Mu'alem, D. G. Feitelson, TPDS 12(6), 2001).
//! The queue's head starts as soon as enough nodes are free. While it waits, its *shadow* is the moment at which it could
//! start if everybody ran for as long as they said, and the *extra* nodes are those that it would leave free then. A job
//! behind it starts at once when it fits and either ends by the shadow or needs no more than the extra nodes: so the head
//! is never delayed.
//!
//! **Complexity.** Shadow and extra nodes change only when a job ends, so an arrival is one comparison; an end walks over
//! the running jobs up to the shadow and once over the queue.

use super::kinds::{Running, Waiting};
use std::collections::VecDeque;

/// Who is first in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Who came first.
    Arrival,
    /// Who says that they need the least time.
    Shortest,
}

/// What the head was promised.
#[derive(Clone, Copy, Debug)]
struct Head {
    shadow: i64,
    extra: i64,
}

/// A queue with backfilling.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    order: Order,
    backfills: bool,
    free: i64,
    waiting: VecDeque<Waiting>,
    /// By the ends that users stated, the latest first.
    running: Vec<(i64, u32)>,
    /// Known as long as nothing has ended.
    head: Option<Head>,
    /// So many have come since the last look.
    fresh: usize,
    narrowest: u32,
}

impl Queue {
    pub(super) fn new(nodes: u32, order: Order, backfills: bool) -> Queue {
        Queue {
            order,
            backfills,
            free: i64::from(nodes),
            waiting: VecDeque::new(),
            running: Vec::new(),
            head: None,
            fresh: 0,
            narrowest: u32::MAX,
        }
    }

    pub(super) fn submit(&mut self, job: Waiting) {
        let place = match self.order {
            Order::Arrival => self.waiting.len(),
            Order::Shortest => self.waiting.partition_point(|other| other.estimate <= job.estimate),
        };
        if self.order == Order::Shortest {
            // Whoever is first may be another now.
            self.head = None;
        }
        self.waiting.insert(place, job);
        self.narrowest = self.narrowest.min(job.nodes);
        self.fresh += 1;
    }

    /// A job that was lost waits again, before all others by arrival.
    pub(super) fn again(&mut self, job: Waiting) {
        match self.order {
            Order::Arrival => {
                self.waiting.push_front(job);
                self.narrowest = self.narrowest.min(job.nodes);
                self.head = None;
            }
            Order::Shortest => self.submit(job),
        }
    }

    /// Somebody does not wait any more.
    pub(super) fn withdraw(&mut self, slot: u32) {
        self.waiting.retain(|job| job.slot != slot);
        self.head = None;
    }

    /// So many nodes more are there.
    pub(super) fn resize(&mut self, more: i64) {
        self.free += more;
        self.head = None;
    }

    pub(super) fn end(&mut self, job: &Running) {
        let key = (job.stated, job.nodes);
        let at = self.running.partition_point(|other| *other > key);
        debug_assert_eq!(self.running.get(at), Some(&key));
        self.running.remove(at);
        self.free += i64::from(job.nodes);
        self.head = None;
    }

    /// Everybody who can start now.
    pub(super) fn start(&mut self, now: i64, started: &mut Vec<Waiting>) {
        let fresh = std::mem::take(&mut self.fresh);
        if let Some(head) = self.head {
            let first = self.waiting.len() - fresh;
            self.backfill(now, head, first, started);
            return;
        }
        while let Some(job) = self.waiting.front().copied().filter(|job| i64::from(job.nodes) <= self.free) {
            self.waiting.pop_front();
            self.run(now, job, started);
        }
        let Some(head) = self.waiting.front() else {
            self.narrowest = u32::MAX;
            return;
        };
        if self.backfills {
            let head = self.shadow(head.nodes);
            self.backfill(now, head, 1, started);
        }
    }

    /// When the first job can start at the latest, and what it leaves free then.
    fn shadow(&self, nodes: u32) -> Head {
        let nodes = i64::from(nodes);
        let mut free = self.free;
        let mut ends = self.running.iter().rev().peekable();
        while let Some((end, of)) = ends.next() {
            free += i64::from(*of);
            if free >= nodes && ends.peek().is_none_or(|next| next.0 > *end) {
                return Head { shadow: *end, extra: free - nodes };
            }
        }
        // It fits a whole machine, so it was found above unless nodes are away.
        Head { shadow: i64::MAX, extra: 0 }
    }

    /// Starts whoever does not delay the head, from a place in the queue on.
    fn backfill(&mut self, now: i64, mut head: Head, first: usize, started: &mut Vec<Waiting>) {
        let mut place = first;
        let mut gone = 0;
        let mut narrowest = u32::MAX;
        let whole = first <= 1;
        while place < self.waiting.len() && (self.free >= i64::from(self.narrowest) || gone > 0) {
            let job = self.waiting[place];
            let nodes = i64::from(job.nodes);
            let in_time = now + job.estimate <= head.shadow;
            if nodes <= self.free && (in_time || nodes <= head.extra) {
                if !in_time {
                    head.extra -= nodes;
                }
                gone += 1;
                self.run(now, job, started);
            } else {
                narrowest = narrowest.min(job.nodes);
                if gone > 0 {
                    self.waiting[place - gone] = job;
                }
            }
            place += 1;
        }
        if whole && place == self.waiting.len() {
            let first = self.waiting.front().map_or(u32::MAX, |job| job.nodes);
            self.narrowest = narrowest.min(first);
        }
        self.waiting.truncate(self.waiting.len() - gone);
        self.head = Some(head);
    }

    fn run(&mut self, now: i64, job: Waiting, started: &mut Vec<Waiting>) {
        let key = (now + job.estimate, job.nodes);
        let at = self.running.partition_point(|other| *other > key);
        self.running.insert(at, key);
        self.free -= i64::from(job.nodes);
        started.push(job);
    }

    /// The free nodes, who runs until when, and who waits, in order.
    pub(super) fn look(&self) -> (&[(i64, u32)], impl Iterator<Item = &Waiting>) {
        (&self.running, self.waiting.iter())
    }

    /// Whether a job would start at once if it came now.
    pub(super) fn fits_now(&self, nodes: u32) -> bool {
        self.waiting.is_empty() && i64::from(nodes) <= self.free
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
