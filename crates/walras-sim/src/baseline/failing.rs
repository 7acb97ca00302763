//! The same queues where nodes fail, and users give up.
//!
//! **Method.** Nodes have numbers here, and a job gets the lowest that are free. When one of its nodes fails, the job is lost: its
//! other nodes are free, and it waits again with all of its work before those who came later, until it was lost
//! [`ATTEMPTS_MAX`] times, as the broker gives up. It pays for the run that ended. A queue with backfilling knows how many nodes
//! are there now; a calendar plans everybody again when that changes, so that what was promised before may be broken. Nobody
//! knows when a node will be back. A user whose job does not run after their patience withdraws it.
//!
//! **Complexity.** That of the discipline; a failure costs a calendar one search for everybody who waits.

use super::kinds::{Course, Discipline, Running, Waiting};
use super::place::{Placement, choose};
use super::scheduler::Scheduler;
use crate::outage::{Strike, Strikes};
use crate::record::{Fate, Record, Site};
use crate::workload::Job;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use walras_model::{Span, Time};

/// A job that was lost so often is given up; as in the broker's rules.
pub const ATTEMPTS_MAX: u32 = 3;

/// A job that waits or runs.
struct Known {
    job: Job,
    estimate: i64,
    promised: Option<i64>,
    lost: u32,
}

struct Run {
    slot: u32,
    running: Running,
    nodes: Vec<u32>,
    record: Record,
}

struct Failing<'a> {
    place: usize,
    site: &'a Site,
    scheduler: Scheduler,
    /// Nodes on which nobody runs, and that are there.
    free: BTreeSet<u32>,
    away: BTreeSet<u32>,
    /// By their ends, then by when they started.
    runs: BTreeMap<(i64, u64), Run>,
    /// The run of a node.
    holder: BTreeMap<u32, (i64, u64)>,
    known: BTreeMap<u32, Known>,
    started: Vec<Waiting>,
    slots: u32,
    begun: u64,
}

/// Simulates sites whose nodes fail; jobs must come in order of submission, and `strikes` makes what happens from the first
/// of them on. Users whose job does not run after their patience give up. Every job is handed to `sink` once.
pub fn simulate_failing(
    sites: &[Site],
    discipline: Discipline,
    placement: Placement,
    strikes: impl FnOnce(Time) -> Strikes,
    patience: Option<Span>,
    jobs: impl Iterator<Item = Job>,
    sink: &mut dyn FnMut(Record),
) -> Course {
    let mut all: Vec<Failing<'_>> =
        sites.iter().enumerate().map(|(place, site)| Failing::new(place, site, discipline)).collect();
    let mut course = Course::default();
    let mut jobs = jobs.peekable();
    let mut strikes = jobs.peek().map_or_else(Strikes::none, |first| strikes(first.submit));
    let mut leaving: VecDeque<(i64, usize, u32)> = VecDeque::new();
    loop {
        let coming = jobs.peek().map(|job| job.submit.as_millis());
        let next = all.iter().filter_map(Failing::next).chain(coming).min();
        let somebody = coming.is_some() || all.iter().any(|site| !site.known.is_empty());
        let strike = strikes.peek().filter(|_| somebody).map(Time::as_millis);
        let leaves = leaving.front().filter(|_| somebody).map(|leaves| leaves.0);
        let Some(now) = next.into_iter().chain(strike).chain(leaves).min() else { break };
        if course.is_endless() {
            break;
        }
        course.moments += 1;
        for site in &mut all {
            site.end(now, sink);
        }
        while let Some(strike) = Time::from_millis(now).and_then(|now| strikes.next_by(now)) {
            if let Some(site) = all.get_mut(strike.site as usize) {
                site.strike(now, strike, sink);
            }
        }
        while let Some((_, site, slot)) = leaving.pop_front_if(|(at, ..)| *at <= now) {
            all[site].give_up(slot, sink);
        }
        while let Some(job) = jobs.next_if(|job| job.submit.as_millis() <= now) {
            course.jobs += 1;
            match choose(sites, |site| &all[site].scheduler, placement, now, &job) {
                Ok((site, estimate)) => {
                    let slot = all[site].submit(now, job, estimate);
                    let leaves = patience.map(|patience| now.saturating_add(patience.as_millis()));
                    leaving.extend(leaves.map(|at| (at, site, slot)));
                }
                Err(fate) => sink(Record { job, fate, ran: None, promised: None }),
            }
        }
        for site in &mut all {
            site.start(now);
        }
        course.waiting_max = course.waiting_max.max(all.iter().map(|site| site.scheduler.waiting()).sum());
    }
    let left = jobs.chain(all.into_iter().flat_map(|site| site.known.into_values().map(|known| known.job)));
    left.for_each(|job| sink(Record { job, fate: Fate::LeftOver, ran: None, promised: None }));
    course
}

impl Failing<'_> {
    fn new(place: usize, site: &Site, discipline: Discipline) -> Failing<'_> {
        Failing {
            place,
            site,
            scheduler: Scheduler::new(site.nodes, discipline),
            free: (0..site.nodes).collect(),
            away: BTreeSet::new(),
            runs: BTreeMap::new(),
            holder: BTreeMap::new(),
            known: BTreeMap::new(),
            started: Vec::new(),
            slots: 0,
            begun: 0,
        }
    }

    fn next(&self) -> Option<i64> {
        let end = self.runs.first_key_value().map(|((end, _), _)| *end);
        end.into_iter().chain(self.scheduler.next()).min()
    }

    fn end(&mut self, now: i64, sink: &mut dyn FnMut(Record)) {
        while let Some((key, _)) = self.runs.first_key_value().filter(|((end, _), _)| *end <= now) {
            let key = *key;
            if let Some(run) = self.take_off(now, key) {
                self.known.remove(&run.slot);
                sink(run.record);
            }
        }
    }

    /// A run is over, whatever ended it; its nodes are free.
    fn take_off(&mut self, now: i64, key: (i64, u64)) -> Option<Run> {
        let run = self.runs.remove(&key)?;
        self.scheduler.end(now, &run.running);
        for node in &run.nodes {
            self.holder.remove(node);
            self.free.insert(*node);
        }
        Some(run)
    }

    fn strike(&mut self, now: i64, strike: Strike, sink: &mut dyn FnMut(Record)) {
        let changed = if strike.back {
            self.away.remove(&strike.node) && self.free.insert(strike.node)
        } else {
            let struck = self.holder.get(&strike.node).copied();
            if let Some(run) = struck.and_then(|key| self.take_off(now, key)) {
                self.lose(&run, sink);
            }
            self.free.remove(&strike.node) && self.away.insert(strike.node)
        };
        if changed {
            let nodes = self.site.nodes - u32::try_from(self.away.len()).unwrap_or(u32::MAX);
            self.scheduler.resize(now, nodes, self.runs.values().map(|run| run.running));
        }
    }

    /// A job has lost what it did.
    fn lose(&mut self, run: &Run, sink: &mut dyn FnMut(Record)) {
        let Some(known) = self.known.get_mut(&run.slot) else { return };
        known.lost += 1;
        if known.lost >= ATTEMPTS_MAX {
            let Known { job, .. } = *known;
            self.known.remove(&run.slot);
            sink(Record { job, fate: Fate::GivenUp, ran: None, promised: None });
            return;
        }
        let again = Waiting { estimate: known.estimate, nodes: known.job.nodes, slot: run.slot };
        self.scheduler.again(again);
    }

    /// A user has lost patience; one whose job runs has none to lose.
    fn give_up(&mut self, slot: u32, sink: &mut dyn FnMut(Record)) {
        if self.runs.values().any(|run| run.slot == slot) {
            return;
        }
        let Some(known) = self.known.remove(&slot) else { return };
        self.scheduler.withdraw(slot);
        sink(Record { job: known.job, fate: Fate::GivenUp, ran: None, promised: None });
    }

    fn submit(&mut self, now: i64, job: Job, estimate: i64) -> u32 {
        self.slots = self.slots.wrapping_add(1);
        let slot = self.slots;
        let promised = self.scheduler.submit(now, Waiting { estimate, nodes: job.nodes, slot });
        self.known.insert(slot, Known { job, estimate, promised, lost: 0 });
        slot
    }

    fn start(&mut self, now: i64) {
        let mut started = std::mem::take(&mut self.started);
        self.scheduler.start(now, &mut started);
        for waiting in started.drain(..) {
            let Some(known) = self.known.get(&waiting.slot) else { continue };
            let record = Record::begun(self.place, self.site, now, &known.job, known.promised);
            let nodes: Vec<u32> = self.free.iter().copied().take(waiting.nodes as usize).collect();
            debug_assert_eq!(nodes.len(), waiting.nodes as usize, "who starts has its nodes");
            let ends = record.ran.map_or(now, |ran| ran.end.as_millis());
            let running =
                Running { ends, stated: now.saturating_add(waiting.estimate), nodes: waiting.nodes };
            self.begun += 1;
            for node in &nodes {
                self.free.remove(node);
                self.holder.insert(*node, (ends, self.begun));
            }
            self.runs.insert((ends, self.begun), Run { slot: waiting.slot, running, nodes, record });
        }
        self.started = started;
    }
}
