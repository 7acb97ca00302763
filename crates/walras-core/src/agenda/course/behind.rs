//! Those who may start only once others of the same plan have come so far.

use super::{Course, Within, within};
use crate::agenda::search::Wanted;
use crate::agenda::spot::Spot;
use crate::agenda::{Behind, Waiting};
use std::cell::OnceCell;
use walras_model::quantity::Time;

impl Course<'_> {
    /// Whether somebody has a promise within which it may be moved now: whoever lost its window with those it waits for comes after them.
    pub(super) fn may_move(&self, place: usize) -> bool {
        let entry = &self.entries[place];
        entry.promise.is_some() && !entry.fixed && (entry.spot.is_some() || entry.waiting.behind.is_empty())
    }

    /// In the order in which they are given, each from what those before it are promised on.
    pub(super) fn place_behind(&mut self, within_left: Within, mut funds: Vec<i64>) {
        for place in 0..self.entries.len() {
            let Waiting { promise, behind, payer, .. } = *self.entries[place].waiting;
            if behind.is_empty() || self.is_spent() {
                continue;
            }
            let Some(from) = self.met_from(place, behind) else {
                self.put(place, None, i64::MAX);
                continue;
            };
            self.not_before(place, from);
            if promise.is_some() {
                let kept = self.search_left(place, within(promise));
                self.entries[place].renewed = kept.is_none();
                let found = kept.or_else(|| self.on_left(|course, left| course.search_again(left, place)));
                self.put(place, found, i64::MAX);
                continue;
            }
            let payer = payer.filter(|payer| *payer < funds.len());
            let cost = payer.map_or(i64::MAX, |payer| funds[payer]);
            let found: Option<Spot> = self.search_left(place, Within { cost, ..within_left });
            self.put(place, found, cost);
            if let Some((payer, promise)) = payer.zip(self.entries[place].promise) {
                funds[payer] = funds[payer].saturating_sub(promise.cost.as_micros());
            }
        }
    }

    /// From when on what somebody waits for has come about, if promises are kept; nobody knows where one of them has none.
    fn met_from(&self, place: usize, behind: &[Behind]) -> Option<Time> {
        let mut latest = Time::MIN;
        for before in behind {
            let entry =
                self.entries.get(before.place).filter(|it| before.place < place && it.spot.is_some())?;
            let promise = entry.promise?;
            let moment = if before.ended { promise.finish } else { promise.start };
            latest = latest.max(moment.checked_add(before.lag)?);
        }
        Some(latest)
    }

    /// Looks for somebody from a moment on.
    fn not_before(&mut self, place: usize, from: Time) {
        let Waiting { request, worth, .. } = *self.entries[place].waiting;
        let mut request = request.clone();
        request.earliest = Some(request.earliest.map_or(from, |earliest| earliest.max(from)));
        let wanted = Wanted::new(&self.groups, self.problem.offers, &request, worth);
        let late = request.deadline.zip(self.entries[place].promise);
        let late = late.is_some_and(|(by, promise)| promise.finish > by);
        self.entries[place].wanted = OnceCell::from(if late { wanted.without_deadline() } else { wanted });
    }
}
