//! What is free on nodes from now to for ever, step by step.

use super::PackedJob;
use super::room::{Places, Room};

/// What is free from each of some moments on, until the next; there is one at least.
pub(super) struct Steps(Vec<(i64, Room)>);

impl Steps {
    pub(super) fn new(now: i64, room: Room) -> Steps {
        Steps(vec![(now, room)])
    }

    /// Somebody ends, no sooner than anybody of whom that was said before.
    pub(super) fn end(&mut self, job: &PackedJob, at: i64, places: &Places) {
        let place = self.cut(at);
        self.0[place..].iter_mut().for_each(|(_, room)| room.give(job, places));
    }

    pub(super) fn take(&mut self, job: &PackedJob, start: i64, places: &Places) {
        self.change(job, start, |room| room.take(job, places));
    }

    pub(super) fn give(&mut self, job: &PackedJob, start: i64, places: &Places) {
        self.change(job, start, |room| room.give(job, places));
    }

    /// The first moment from which on a job has places for as long as it says; they are taken. `None` where it has none at any step.
    pub(super) fn reserve(&mut self, job: &PackedJob) -> Option<(i64, Places)> {
        for (from, (start, room)) in self.0.iter().enumerate() {
            let (start, end) = (*start, start + job.estimate);
            if room.places(job, true).is_none() {
                continue;
            }
            let mut there = room.clone();
            self.0[from + 1..].iter().take_while(|(at, _)| *at < end).for_each(|(_, room)| there.least(room));
            if let Some(places) = there.places(job, true) {
                self.take(job, start, &places);
                return Some((start, places));
            }
        }
        None
    }

    fn change(&mut self, job: &PackedJob, start: i64, by: impl Fn(&mut Room)) {
        let first = self.cut(start);
        let last = self.cut(start + job.estimate);
        self.0[first..last].iter_mut().for_each(|(_, room)| by(room));
    }

    /// The step that begins at a moment, which is made where there is none; the first for what is before it.
    fn cut(&mut self, at: i64) -> usize {
        let place = self.0.partition_point(|step| step.0 < at);
        if place > 0 && self.0.get(place).is_none_or(|step| step.0 > at) {
            let before = self.0[place - 1].1.clone();
            self.0.insert(place, (at, before));
        }
        place
    }
}
