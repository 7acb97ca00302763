//! The same queues where owners use their nodes, which may fail beside that.
//!
//! **Method.** A job gets nodes that their owners leave alone for as long as it says that it takes, those first that are not free
//! for much longer; when owners come is known ahead, as the broker's sites know it. In the queues, whoever is first holds the earliest time
//! that there is for it, on nodes that are busy now before others, and a job behind it starts on what is left: so the first is
//! never delayed, and where owners use nothing all start as in [`super::simulate`]. Under conservative backfilling everybody holds
//! nodes from their coming on, and moves up in order of arrival when somebody ends early; nodes are held one by one, so that
//! it loses more to gaps than a calendar of mere numbers. A job that no owner leaves alone for long enough within a hundred of their uses, four
//! weeks at most, is turned away as too wide. Users may give up.
//!
//! When a node fails, the job on it is lost and waits again, as in [`super::simulate_failing`]: before those who came later, with all of its
//! work, until it was lost [`super::ATTEMPTS_MAX`] times. A node that is away is given to nobody, and nobody knows when it will be
//! back; whoever holds time ahead holds it anew, in order of arrival, when a node goes or comes back.
//!
//! **Complexity.** A search of the [`Nodes`] for the first in the queue at every event, and one comparison for each who waits.

use super::failing::ATTEMPTS_MAX;
use super::kinds::{Course, Discipline};
use super::nodes::Nodes;
use super::place::{Forecast, Placement, choose};
use super::profile::NEVER;
use super::troubles::Troubles;
use crate::outage::Strike;
use crate::record::{Fate, Record, Site};
use crate::workload::Job;
use std::collections::{BTreeMap, VecDeque};
use walras_model::Time;

/// What a job that waits holds.
#[derive(Clone)]
struct Held {
    start: i64,
    nodes: Vec<usize>,
}

#[derive(Clone)]
struct Waits {
    /// Its number by arrival at the site.
    id: u64,
    job: Job,
    estimate: i64,
    promised: Option<i64>,
    held: Option<Held>,
    /// How often it was lost.
    lost: u32,
}

struct Run {
    held: Held,
    stated: i64,
    /// Where nodes fail: who it is, and what is told of it if it is not lost.
    open: Option<(Waits, Record)>,
}

struct Owned<'a> {
    place: usize,
    site: &'a Site,
    discipline: Discipline,
    nodes: Nodes,
    /// The same with nobody but the owners.
    empty: Nodes,
    /// In the order of the queue.
    waiting: Vec<Waits>,
    /// By their ends, then by when they started.
    runs: BTreeMap<(i64, u64), Run>,
    begun: u64,
    came: u64,
    now: i64,
    /// Whether somebody has left what they held.
    freed: bool,
    /// Whether nodes may fail.
    fails: bool,
    /// Whether a node has gone or come back since everybody was planned.
    struck: bool,
}

/// Simulates sites whose owners use their nodes, and whose nodes may fail; jobs must come in order of submission. Users whose job has not started
/// after their patience give up. Every job is handed to `sink` once.
pub fn simulate_owned(
    sites: &[Site],
    discipline: Discipline,
    placement: Placement,
    troubles: Troubles<'_>,
    jobs: impl Iterator<Item = Job>,
    sink: &mut dyn FnMut(Record),
) -> Course {
    let fails = troubles.failures.is_some();
    let owned = sites.iter().zip(troubles.nodes(sites)).enumerate();
    let owned = owned.map(|(place, (site, nodes))| Owned::new((place, site), discipline, nodes, fails));
    let mut all: Vec<Owned<'_>> = owned.collect();
    let mut course = Course::default();
    let mut jobs = jobs.peekable();
    let mut strikes = troubles.strikes(sites, jobs.peek().map(|first| first.submit));
    let mut leaving: VecDeque<(i64, usize, u64)> = VecDeque::new();
    loop {
        let coming = jobs.peek().map(|job| job.submit.as_millis());
        let leaves = leaving.front().map(|leaves| leaves.0);
        let somebody = coming.is_some() || all.iter().any(Owned::has_somebody);
        let strike = strikes.peek().filter(|_| somebody).map(Time::as_millis);
        let next = all.iter().filter_map(Owned::next).chain(coming).chain(leaves).chain(strike).min();
        let Some(now) = next else { break };
        if strike.is_some() && course.is_endless() {
            break;
        }
        course.moments += 1;
        all.iter_mut().for_each(|site| site.pass(now, sink));
        while let Some(strike) = Time::from_millis(now).and_then(|now| strikes.next_by(now)) {
            if let Some(site) = all.get_mut(strike.site as usize) {
                site.strike(strike, sink);
            }
        }
        while let Some((_, site, id)) = leaving.pop_front_if(|(at, ..)| *at <= now) {
            all[site].give_up(id, sink);
        }
        while let Some(job) = jobs.next_if(|job| job.submit.as_millis() <= now) {
            course.jobs += 1;
            match choose(sites, |site| &all[site], placement, now, &job) {
                Ok((site, estimate)) => {
                    let id = all[site].submit(job, estimate);
                    let leaves = troubles.patience.map(|patience| now.saturating_add(patience.as_millis()));
                    leaving.extend(leaves.map(|at| (at, site, id)));
                }
                Err(fate) => sink(Record { job, fate, ran: None, promised: None }),
            }
        }
        for site in &mut all {
            site.start(sink);
        }
        course.waiting_max = course.waiting_max.max(all.iter().map(|site| site.waiting.len()).sum());
    }
    let left = jobs.chain(all.into_iter().flat_map(Owned::left));
    left.for_each(|job| sink(Record { job, fate: Fate::LeftOver, ran: None, promised: None }));
    course
}

impl Owned<'_> {
    fn new((place, site): (usize, &Site), discipline: Discipline, nodes: Nodes, fails: bool) -> Owned<'_> {
        Owned {
            place,
            site,
            discipline,
            empty: nodes.clone(),
            nodes,
            waiting: Vec::new(),
            runs: BTreeMap::new(),
            begun: 0,
            came: 0,
            now: 0,
            freed: false,
            fails,
            struck: false,
        }
    }

    fn has_somebody(&self) -> bool {
        !self.waiting.is_empty() || !self.runs.is_empty()
    }

    /// The jobs of which nothing was told.
    fn left(self) -> impl Iterator<Item = Job> {
        let run = self.runs.into_values().filter_map(|run| run.open.map(|(waits, _)| waits));
        self.waiting.into_iter().chain(run).map(|waits| waits.job)
    }

    fn plans_all(&self) -> bool {
        self.discipline == Discipline::Conservative
    }

    /// When something happens next by itself. Where nobody runs and nobody who may be next can ever start on the nodes that are there, nothing does.
    fn next(&self) -> Option<i64> {
        let end = self.runs.first_key_value().map(|((end, _), _)| *end);
        let starts = self.waiting.iter().filter_map(|it| it.held.as_ref()).map(|held| held.start).min();
        let ahead = if self.discipline == Discipline::Fcfs { 1 } else { self.waiting.len() };
        let could = |it: &Waits| self.nodes.earliest(self.now, it.job.nodes, it.estimate).is_some();
        let stuck = self.runs.is_empty() && starts.is_none() && !self.waiting.iter().take(ahead).any(could);
        let queues = !self.plans_all() && !self.waiting.is_empty() && !stuck;
        let free = if queues { self.nodes.next_free(self.now) } else { None };
        end.into_iter().chain(starts).chain(free).min()
    }

    /// It is that moment; who ends by then ends.
    fn pass(&mut self, now: i64, sink: &mut dyn FnMut(Record)) {
        self.now = now;
        self.nodes.pass(now);
        self.empty.pass(now);
        while let Some(entry) = self.runs.first_entry().filter(|entry| entry.key().0 <= now) {
            let run = entry.remove();
            self.nodes.give(&run.held.nodes, run.held.start);
            self.freed |= now < run.stated;
            run.open.into_iter().for_each(|(_, record)| sink(record));
        }
    }

    /// A node goes, with the job on it, or comes back.
    fn strike(&mut self, strike: Strike, sink: &mut dyn FnMut(Record)) {
        let node = strike.node as usize;
        self.nodes.set_away(node, !strike.back);
        self.struck = true;
        let on_it = self.runs.iter().find(|(_, run)| run.held.nodes.contains(&node)).map(|(key, _)| *key);
        let Some(run) = on_it.filter(|_| !strike.back).and_then(|key| self.runs.remove(&key)) else { return };
        self.nodes.give(&run.held.nodes, run.held.start);
        let Some((mut lost, _)) = run.open else { return };
        lost.lost += 1;
        if lost.lost >= ATTEMPTS_MAX {
            return sink(Record { job: lost.job, fate: Fate::GivenUp, ran: None, promised: None });
        }
        let place =
            if self.discipline == Discipline::ShortestEasy { self.place_of(lost.estimate) } else { 0 };
        self.waiting.insert(place, lost);
    }

    /// Where a job goes among those who wait.
    fn place_of(&self, estimate: i64) -> usize {
        match self.discipline {
            Discipline::ShortestEasy => self.waiting.partition_point(|other| other.estimate <= estimate),
            Discipline::Fcfs | Discipline::Easy | Discipline::Conservative => self.waiting.len(),
        }
    }

    /// Takes in a job that fits, with how long it says that it runs here; gives its number here.
    fn submit(&mut self, job: Job, estimate: i64) -> u64 {
        self.move_up();
        self.came += 1;
        let place = self.place_of(estimate);
        let (promised, held, lost) = (None, None, 0);
        self.waiting.insert(place, Waits { id: self.came, job, estimate, promised, held, lost });
        if self.plans_all() {
            self.hold(place);
            self.waiting[place].promised = self.waiting[place].held.as_ref().map(|held| held.start);
        }
        self.came
    }

    /// A user has lost patience.
    fn give_up(&mut self, id: u64, sink: &mut dyn FnMut(Record)) {
        let Some(place) = self.waiting.iter().position(|it| it.id == id) else { return };
        self.let_go(place);
        let gone = self.waiting.remove(place);
        self.freed = true;
        sink(Record { job: gone.job, fate: Fate::GivenUp, ran: None, promised: None });
    }

    /// Holds the earliest time that there is for a job.
    fn hold(&mut self, place: usize) {
        let Waits { job, estimate, .. } = self.waiting[place];
        let Some(start) = self.nodes.earliest(self.now, job.nodes, estimate) else { return };
        let mut free = self.nodes.free(start, estimate);
        if !self.plans_all() {
            // What is free now is left to those behind.
            free.sort_by_key(|(_, node)| !self.nodes.is_busy(*node, self.now));
        }
        let nodes = self.nodes.take_first(&free, job.nodes, start, start.saturating_add(estimate));
        self.waiting[place].held = Some(Held { start, nodes });
    }

    fn let_go(&mut self, place: usize) {
        if let Some(held) = self.waiting[place].held.take() {
            self.nodes.give(&held.nodes, held.start);
        }
    }

    /// Everybody who holds time holds the earliest that there is, in order of arrival.
    fn move_up(&mut self) {
        if std::mem::take(&mut self.struck) && self.plans_all() {
            (0..self.waiting.len()).for_each(|place| self.let_go(place));
            (0..self.waiting.len()).for_each(|place| self.hold(place));
            self.freed = false;
        }
        if !std::mem::take(&mut self.freed) || !self.plans_all() {
            return;
        }
        for place in 0..self.waiting.len() {
            if self.waiting[place].held.as_ref().is_none_or(|held| held.start > self.now) {
                self.let_go(place);
                self.hold(place);
            }
        }
    }

    /// Everybody who can start now.
    fn start(&mut self, sink: &mut dyn FnMut(Record)) {
        self.move_up();
        if self.plans_all() {
            while let Some(place) =
                self.waiting.iter().position(|it| it.held.as_ref().is_some_and(|held| held.start <= self.now))
            {
                self.run(place, sink);
            }
        } else {
            self.start_queue(sink);
        }
    }

    /// The first starts or holds its time; who is behind starts where that leaves nodes.
    fn start_queue(&mut self, sink: &mut dyn FnMut(Record)) {
        (0..self.waiting.len()).for_each(|place| self.let_go(place));
        let mut free = self.nodes.free_now(self.now);
        let (mut place, mut held) = (0, false);
        while place < self.waiting.len() {
            let Waits { job, estimate, .. } = self.waiting[place];
            let ends = self.now.saturating_add(estimate);
            let long = free.len() - free.partition_point(|until| *until < ends);
            if long >= job.nodes as usize {
                let free = self.nodes.free(self.now, estimate);
                let nodes = self.nodes.take_first(&free, job.nodes, self.now, ends);
                self.waiting[place].held = Some(Held { start: self.now, nodes });
                self.run(place, sink);
            } else {
                if !held {
                    self.hold(place);
                }
                if self.discipline == Discipline::Fcfs {
                    break;
                }
                place += 1;
                if std::mem::replace(&mut held, true) {
                    continue;
                }
            }
            free = self.nodes.free_now(self.now);
        }
    }

    /// A job starts on what it holds.
    fn run(&mut self, place: usize, sink: &mut dyn FnMut(Record)) {
        let mut begins = self.waiting.remove(place);
        let Some(held) = begins.held.take() else { return };
        let record = Record::begun(self.place, self.site, self.now, &begins.job, begins.promised);
        let ends = record.ran.map_or(self.now, |ran| ran.end.as_millis());
        let stated = self.now.saturating_add(begins.estimate);
        let open = if self.fails { Some((begins, record)) } else { None };
        if open.is_none() {
            sink(record);
        }
        self.begun += 1;
        self.runs.insert((ends, self.begun), Run { held, stated, open });
    }
}

impl Forecast for Owned<'_> {
    fn could_ever(&self, now: i64, nodes: u32, estimate: i64) -> bool {
        self.empty.earliest(now, nodes, estimate).is_some()
    }

    fn forecast(&self, now: i64, nodes: u32, estimate: i64) -> i64 {
        let mut planned = self.nodes.clone();
        for it in self.waiting.iter().filter(|it| it.held.is_none()) {
            let Some(start) = planned.earliest(now, it.job.nodes, it.estimate) else { continue };
            let free = planned.free(start, it.estimate);
            planned.take_first(&free, it.job.nodes, start, start.saturating_add(it.estimate));
        }
        planned.earliest(now, nodes, estimate).unwrap_or(NEVER)
    }

    fn fits_now(&self, now: i64, nodes: u32, estimate: i64) -> bool {
        let fits = self.nodes.free(now, estimate).len() >= nodes as usize;
        fits && (self.plans_all() || self.waiting.is_empty())
    }
}
