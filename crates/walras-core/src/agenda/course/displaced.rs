//! Those whose windows are no longer free.

use super::{Calendar, Course, Spot, Within, within};

impl Course<'_> {
    /// Those whose windows are no longer free: within their promises if it can be.
    pub(super) fn place_displaced(&mut self) {
        for place in 0..self.entries.len() {
            let Some(promise) = self.entries[place].promise else { continue };
            if self.entries[place].spot.is_none() {
                let kept = self.search_left(place, within(Some(promise)));
                self.entries[place].renewed = kept.is_none();
                let cost = promise.cost.as_micros();
                let found = kept.or_else(|| self.search_left(place, Within { cost, ..Within::ANY }));
                let found = found.or_else(|| self.search_left(place, Within::ANY));
                let found = found.or_else(|| self.search_late(place, Within::ANY));
                self.put(place, found, i64::MAX);
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
