//! Who of those that wait starts, and where: with reservations of cores and memory on nodes.

use super::room::{Places, Room};
use super::steps::Steps;
use super::{PackedJob, Packing, Trial};
use std::collections::{BTreeMap, VecDeque};

/// Who waits and who runs, by their places among the jobs.
pub(super) struct Queue<'a> {
    jobs: &'a [PackedJob],
    packing: Packing,
    room: Room,
    waiting: VecDeque<usize>,
    /// When it would end by what its user says, and where it is.
    running: BTreeMap<usize, (i64, Places)>,
    /// Of those that wait: when it starts at the latest, and where.
    reserved: BTreeMap<usize, (i64, Places)>,
    /// Whether somebody has ended before their stated time since the last look.
    early: bool,
}

impl<'a> Queue<'a> {
    pub(super) fn new(trial: &'a Trial, packing: Packing) -> Queue<'a> {
        Queue {
            jobs: trial.jobs(),
            packing,
            room: Room::of(trial.cluster(), trial.counting()),
            waiting: VecDeque::new(),
            running: BTreeMap::new(),
            reserved: BTreeMap::new(),
            early: false,
        }
    }

    pub(super) fn submit(&mut self, job: usize) {
        self.waiting.push_back(job);
    }

    pub(super) fn end(&mut self, now: i64, job: usize) {
        if let Some((stated, places)) = self.running.remove(&job) {
            self.early |= now < stated;
            self.room.give(&self.jobs[job], &places);
        }
    }

    /// Everybody who starts now, and where.
    pub(super) fn start(&mut self, now: i64) -> Vec<(usize, Places)> {
        let before = std::mem::take(&mut self.waiting);
        let started = match self.packing {
            Packing::FirstFit | Packing::BestFit => self.whoever_fits(now, before),
            Packing::Easy => self.easy(now, before),
            Packing::Conservative => self.conservative(now, before),
        };
        // Nobody's estimate is nothing, so whoever has started runs.
        started.into_iter().filter_map(|job| Some((job, self.running.get(&job)?.1.clone()))).collect()
    }

    fn run(&mut self, now: i64, job: usize, places: Places) {
        self.room.take(&self.jobs[job], &places);
        self.running.insert(job, (now + self.jobs[job].estimate, places));
    }

    fn places(&self, job: usize) -> Option<Places> {
        self.room.places(&self.jobs[job], self.packing != Packing::FirstFit)
    }

    fn whoever_fits(&mut self, now: i64, before: VecDeque<usize>) -> Vec<usize> {
        let mut started = Vec::new();
        for job in before {
            match self.places(job) {
                Some(places) => {
                    self.run(now, job, places);
                    started.push(job);
                }
                None => self.waiting.push_back(job),
            }
        }
        started
    }

    fn easy(&mut self, now: i64, mut before: VecDeque<usize>) -> Vec<usize> {
        let mut started = Vec::new();
        while let Some(job) = before.front().copied() {
            let Some(places) = self.places(job) else { break };
            self.run(now, job, places);
            started.push(job);
            before.pop_front();
        }
        let Some(head) = before.pop_front() else { return started };
        let (shadow, mut then) = self.shadow(head);
        self.waiting.push_back(head);
        let head = self.jobs[head];
        for place in before {
            let job = self.jobs[place];
            let ends_before = now + job.estimate <= shadow;
            let leaves = |places: &Places| ends_before || then.take_beside(&job, places, &head);
            match self.places(place).filter(leaves) {
                Some(places) => {
                    self.run(now, place, places);
                    started.push(place);
                }
                None => self.waiting.push_back(place),
            }
        }
        started
    }

    /// When the first in the queue has its places at the latest, and what is free then.
    fn shadow(&self, head: usize) -> (i64, Room) {
        let mut then = self.room.clone();
        let ends = self.ends();
        for (place, (end, job, places)) in ends.iter().enumerate() {
            then.give(&self.jobs[*job], places);
            let all_ended = ends.get(place + 1).is_none_or(|next| next.0 > *end);
            if all_ended && then.places(&self.jobs[head], true).is_some() {
                return (*end, then);
            }
        }
        (i64::MAX, then)
    }

    /// Who runs, by when they end at the latest.
    fn ends(&self) -> Vec<(i64, usize, &Places)> {
        let mut ends: Vec<_> = self.running.iter().map(|(job, (end, places))| (*end, *job, places)).collect();
        ends.sort_by_key(|(end, job, _)| (*end, *job));
        ends
    }

    /// Everybody has a moment and places; when somebody has ended early all move up, in order of arrival. Who has its places now starts.
    fn conservative(&mut self, now: i64, before: VecDeque<usize>) -> Vec<usize> {
        let mut steps = self.steps(now);
        let all_move = std::mem::take(&mut self.early);
        let mut started = Vec::new();
        for place in before {
            let job = &self.jobs[place];
            let spot = match self.reserved.remove(&place) {
                Some(spot) if !all_move => Some(spot),
                Some((start, places)) => {
                    steps.give(job, start, &places);
                    steps.reserve(job)
                }
                None => steps.reserve(job),
            };
            match spot {
                Some((start, places)) if start <= now => {
                    self.run(now, place, places);
                    started.push(place);
                }
                Some(spot) => {
                    self.reserved.insert(place, spot);
                    self.waiting.push_back(place);
                }
                // Each has room on the empty cluster, which the last step is; who had none would wait for ever, and hold up nobody.
                None => self.waiting.push_back(place),
            }
        }
        started
    }

    /// What is free from now on, as those who run end by what they said, and those who wait have their places.
    fn steps(&self, now: i64) -> Steps {
        let mut steps = Steps::new(now, self.room.clone());
        for (end, job, places) in self.ends() {
            steps.end(&self.jobs[job], end, places);
        }
        for (job, (start, places)) in &self.reserved {
            steps.take(&self.jobs[*job], *start, places);
        }
        steps
    }

    /// When somebody has its places next.
    pub(super) fn next(&self) -> Option<i64> {
        self.reserved.values().map(|(start, _)| *start).min()
    }
}

impl Room {
    /// Takes places of a job where another has its own all the same.
    fn take_beside(&mut self, job: &PackedJob, places: &[(usize, u32)], head: &PackedJob) -> bool {
        if !self.has_room(job, places) {
            return false;
        }
        self.take(job, places);
        let is_there = self.places(head, true).is_some();
        if !is_there {
            self.give(job, places);
        }
        is_there
    }
}
