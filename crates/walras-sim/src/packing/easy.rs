//! Who of those that wait starts, and where: with reservations of cores and memory on nodes.

use super::room::{Places, Room};
use super::{PackedJob, Packing};
use std::collections::{BTreeMap, VecDeque};

/// Who waits and who runs.
pub(super) struct Queue {
    room: Room,
    packing: Packing,
    waiting: VecDeque<PackedJob>,
    /// By slot: when it would end by what its user says, and where it is.
    running: BTreeMap<usize, (i64, PackedJob, Places)>,
    /// By number of a job that waits: when it starts at the latest, and where.
    reserved: BTreeMap<u64, (i64, Places)>,
    /// Whether somebody has ended since the last look.
    ended: bool,
}

/// What is free from a moment on, until the next.
type Step = (i64, Room);

impl Queue {
    pub(super) fn new(room: Room, packing: Packing) -> Queue {
        let (waiting, running, reserved) = (VecDeque::new(), BTreeMap::new(), BTreeMap::new());
        Queue { room, packing, waiting, running, reserved, ended: false }
    }

    pub(super) fn submit(&mut self, job: PackedJob) {
        self.waiting.push_back(job);
    }

    pub(super) fn end(&mut self, slot: usize, job: &PackedJob, places: &Places) {
        self.running.remove(&slot);
        self.ended = true;
        self.room.give(job, places);
    }

    /// Everybody who starts now, and where; the first of them has this slot, and each other the next.
    pub(super) fn start(&mut self, now: i64, slot: usize) -> Vec<(PackedJob, Places)> {
        let started = match self.packing {
            Packing::FirstFit | Packing::BestFit => self.whoever_fits(),
            Packing::Easy => self.easy(now),
            Packing::Conservative => self.conservative(now),
        };
        for (slot, (job, places)) in (slot..).zip(&started) {
            self.running.insert(slot, (now + job.estimate, *job, places.clone()));
        }
        started
    }

    fn fullest_first(&self) -> bool {
        self.packing != Packing::FirstFit
    }

    fn whoever_fits(&mut self) -> Vec<(PackedJob, Places)> {
        let mut started = Vec::new();
        for job in std::mem::take(&mut self.waiting) {
            match self.room.places(&job, self.fullest_first()) {
                Some(places) => {
                    self.room.take(&job, &places);
                    started.push((job, places));
                }
                None => self.waiting.push_back(job),
            }
        }
        started
    }

    fn easy(&mut self, now: i64) -> Vec<(PackedJob, Places)> {
        let mut started: Vec<(PackedJob, Places)> = Vec::new();
        while let Some(job) = self.waiting.front().copied() {
            let Some(places) = self.room.places(&job, true) else { break };
            self.room.take(&job, &places);
            started.push((job, places));
            self.waiting.pop_front();
        }
        let Some(head) = self.waiting.pop_front() else { return started };
        let (shadow, mut then) = self.shadow(now, &head, &started);
        for job in std::mem::take(&mut self.waiting) {
            let places = self.room.places(&job, true).filter(|places| {
                if now + job.estimate <= shadow {
                    return true;
                }
                then.take_if_there(&job, places, &head)
            });
            match places {
                Some(places) => {
                    self.room.take(&job, &places);
                    started.push((job, places));
                }
                None => self.waiting.push_back(job),
            }
        }
        self.waiting.push_front(head);
        started
    }

    /// When the first in the queue has its places at the latest, and what is free then.
    fn shadow(&self, now: i64, head: &PackedJob, started: &[(PackedJob, Places)]) -> (i64, Room) {
        let mut then = self.room.clone();
        let begun = started.iter().map(|(job, places)| (now + job.estimate, job, places));
        let mut ends: Vec<(i64, &PackedJob, &Places)> =
            self.running.values().map(|(end, job, places)| (*end, job, places)).chain(begun).collect();
        ends.sort_by_key(|(end, job, _)| (*end, job.number));
        for (place, (end, job, places)) in ends.iter().enumerate() {
            then.give(job, places);
            let all_ended = ends.get(place + 1).is_none_or(|next| next.0 > *end);
            if all_ended && then.places(head, true).is_some() {
                return (*end, then);
            }
        }
        (i64::MAX, then)
    }

    /// Everybody has a moment and places; when somebody has ended all move up, in order of arrival. Who has its places now starts.
    fn conservative(&mut self, now: i64) -> Vec<(PackedJob, Places)> {
        let mut steps = self.steps(now);
        let waiting = std::mem::take(&mut self.waiting);
        let all_move = std::mem::take(&mut self.ended);
        let mut started = Vec::new();
        for job in waiting {
            let known = self.reserved.get(&job.number).cloned();
            let (start, places) = match known {
                Some(reserved) if !all_move => reserved,
                Some((start, places)) => {
                    change(&mut steps, (start, start + job.estimate), |room| room.give(&job, &places));
                    reserve(&mut steps, &job)
                }
                None => reserve(&mut steps, &job),
            };
            if start == now {
                self.reserved.remove(&job.number);
                self.room.take(&job, &places);
                started.push((job, places));
            } else {
                self.reserved.insert(job.number, (start, places));
                self.waiting.push_back(job);
            }
        }
        started
    }

    /// What is free from now on, as those who run end by what they said, and those who wait have their places.
    fn steps(&self, now: i64) -> Vec<Step> {
        let mut ends: Vec<(i64, &PackedJob, &Places)> =
            self.running.values().map(|(end, job, places)| (*end, job, places)).collect();
        ends.sort_by_key(|(end, job, _)| (*end, job.number));
        let mut room = self.room.clone();
        let mut steps = vec![(now, room.clone())];
        for (end, job, places) in ends {
            room.give(job, places);
            match steps.last_mut() {
                Some(last) if last.0 >= end => last.1.clone_from(&room),
                _ => steps.push((end, room.clone())),
            }
        }
        for job in &self.waiting {
            if let Some((start, places)) = self.reserved.get(&job.number) {
                change(&mut steps, (*start, start + job.estimate), |room| room.take(job, places));
            }
        }
        steps
    }

    /// When somebody has its places next.
    pub(super) fn next(&self) -> Option<i64> {
        self.reserved.values().map(|(start, _)| *start).min()
    }
}

/// The first moment from which on a job has places for as long as it says; they are taken.
fn reserve(steps: &mut Vec<Step>, job: &PackedJob) -> (i64, Places) {
    let mut from = 0;
    loop {
        let start = steps[from].0;
        let end = start + job.estimate;
        let mut there = steps[from].1.clone();
        let during = steps[from + 1..].iter().take_while(|(at, _)| *at < end);
        during.for_each(|(_, room)| there.least(room));
        if let Some(places) = there.places(job, true) {
            change(steps, (start, end), |room| room.take(job, &places));
            return (start, places);
        }
        // Each fits the empty cluster, which the last step is at the latest.
        from += 1;
    }
}

/// Changes what is free from one moment until another.
fn change(steps: &mut Vec<Step>, (from, until): (i64, i64), by: impl Fn(&mut Room)) {
    let [first, last] = [from, until].map(|at| {
        let place = steps.partition_point(|step| step.0 < at);
        if steps.get(place).is_none_or(|step| step.0 > at) {
            let before = steps[place - 1].1.clone();
            steps.insert(place, (at, before));
        }
        place
    });
    steps[first..last].iter_mut().for_each(|(_, room)| by(room));
}

impl Room {
    /// Takes places of a job where another has its own all the same.
    fn take_if_there(&mut self, job: &PackedJob, places: &Places, head: &PackedJob) -> bool {
        let fits = places
            .iter()
            .all(|(node, tasks)| super::room::side_by_side(self.free[*node], job.each) >= *tasks);
        if !fits {
            return false;
        }
        self.take(job, places);
        if self.places(head, true).is_some() {
            return true;
        }
        self.give(job, places);
        false
    }
}
