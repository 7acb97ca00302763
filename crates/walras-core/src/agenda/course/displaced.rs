//! Those whose windows are no longer free.

use super::{Calendar, Course, Promise, Spot, Within, terms, within};

impl Course<'_> {
    /// Those whose windows are no longer free: within their promises if it can be.
    pub(super) fn place_displaced(&mut self) {
        for place in 0..self.entries.len() {
            let Some(promise) = self.entries[place].promise else { continue };
            if self.entries[place].spot.is_none() && self.entries[place].waiting.behind.is_empty() {
                let kept = self.search_left(place, within(Some(promise)));
                self.entries[place].renewed = kept.is_none();
                let found = kept.or_else(|| self.on_left(|course, left| course.search_again(left, place)));
                let found = found.or_else(|| self.search_late(place, Within::ANY));
                self.put(place, found, i64::MAX);
            }
        }
    }

    /// Who has moved since it was promised something else, and so has what it was promised before after all, needs no other promise.
    pub(super) fn keep_after_all(&mut self) {
        for entry in self.entries.iter_mut().filter(|entry| entry.renewed) {
            let kept = |before: &Promise| entry.spot.as_ref().is_some_and(|it| before.is_kept_by(&terms(it)));
            if let Some(before) = entry.waiting.promise.filter(kept) {
                (entry.promise, entry.renewed) = (Some(before), false);
            }
        }
    }

    /// The best for somebody whose promise cannot be kept: at the price that it was promised, or else at any.
    pub(super) fn search_again(&mut self, free: &Calendar, place: usize) -> Option<Spot> {
        let cost = within(self.entries[place].promise).cost;
        let found = self.search(free, place, Within { cost, ..Within::ANY });
        found.or_else(|| self.search(free, place, Within::ANY))
    }
}
