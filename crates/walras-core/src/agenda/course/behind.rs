//! Those who may start only once others of the same plan have come so far.

use super::{Course, Within, within};
use crate::agenda::search::{Spot, Wanted};
use crate::agenda::{Behind, Waiting};
use std::cell::OnceCell;
use walras_model::quantity::Time;

impl Course<'_> {
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

#[cfg(test)]
mod tests {
    use crate::agenda::tests::{HORIZON, Machine, at, offers, problem, request, waiting};
    use crate::agenda::{AgendaRules, Behind, Placed, Terms, Waiting, plan_agenda};
    use walras_model::{Money, Span};
    use walras_random::Draws;

    fn behind(place: usize, ended: bool, lag: i64) -> Behind {
        Behind { place, ended, lag: Span::from_millis(lag).unwrap() }
    }

    fn planned(machines: &[Machine], jobs: &[Waiting<'_>], now: i64) -> Vec<Option<Placed>> {
        let offers = offers(machines);
        plan_agenda(&problem(&offers, jobs, now, AgendaRules::default())).placed
    }

    /// Nobody starts before those they wait for have come so far by promise; and who waits for nobody that is planned has no window.
    #[test]
    fn chains_start_after_what_is_promised_of_their_members() {
        let (mut followed, mut left) = (0, 0);
        for seed in 0..2_000 {
            let mut draws = Draws::new(seed);
            let mut below = |count: usize| i64::try_from(draws.below(count)).unwrap();
            let count = 1 + usize::try_from(below(3)).unwrap();
            let machines: Vec<Machine> = (0..count)
                .map(|_| Machine { site: 0, speed: 1, rate: 1, free: vec![(below(6), HORIZON)] })
                .collect();
            let requests: Vec<_> =
                (0..6).map(|_| request(u32::try_from(1 + below(2)).unwrap(), 1 + below(9), false)).collect();
            let behinds: Vec<Vec<Behind>> = (0..6_usize)
                .map(|place| {
                    let of =
                        |_| behind(usize::try_from(below(place.max(1))).unwrap(), below(3) > 0, below(3));
                    if place == 0 || below(3) == 0 { Vec::new() } else { (0..=below(2)).map(of).collect() }
                })
                .collect();
            // Some of them have lost a window that they were promised.
            let promises: Vec<Option<Terms>> = (0..6)
                .map(|_| {
                    let (start, lasts) = (1 + below(12), 9);
                    let (start, finish) = (at(start), at(start + lasts));
                    (below(3) == 0).then_some(Terms { start, finish, cost: Money::from_micros(1_000) })
                })
                .collect();
            let jobs: Vec<Waiting<'_>> = (0..6)
                .map(|place| Waiting {
                    behind: &behinds[place],
                    promise: promises[place],
                    ..waiting(&requests[place], 0, 1)
                })
                .collect();
            let placed = planned(&machines, &jobs, 0);
            for (place, of) in placed.iter().enumerate() {
                let Some(of) = of else {
                    left += i32::from(behinds[place].iter().any(|it| placed[it.place].is_none()));
                    continue;
                };
                assert!(of.promise.is_kept_by(&Terms::of(&of.window)), "seed {seed}");
                for before in &behinds[place] {
                    let promise =
                        placed[before.place].as_ref().expect("who is waited for is planned").promise;
                    let moment = if before.ended { promise.finish } else { promise.start };
                    let from = moment.checked_add(before.lag).unwrap();
                    // Who is promised the same after all may be promised it earlier than those behind it were told.
                    assert!(of.window.start() >= from, "seed {seed}, place {place}");
                    followed += 1;
                }
                let lost = promises[place].filter(|_| of.renewed);
                assert!(lost.is_none_or(|lost| !lost.is_kept_by(&Terms::of(&of.window))), "seed {seed}");
            }
        }
        assert!(followed > 5_000 && left > 100, "{followed} {left}");
    }

    /// It keeps what it was promised where it can, and is promised anew where those before it are too late.
    #[test]
    fn who_lost_its_window_with_those_before_it_keeps_its_promise_if_they_allow() {
        let machine = || [Machine { site: 0, speed: 1, rate: 1, free: vec![(3, HORIZON)] }];
        let (first, second) = (request(1, 5, false), request(1, 4, false));
        let after = [behind(0, true, 1)];
        for (by, renewed) in [(30, false), (8, true)] {
            let promise = Some(Terms { start: at(by), finish: at(by + 4), cost: Money::from_micros(100) });
            let jobs = [waiting(&first, 0, 1), Waiting { behind: &after, promise, ..waiting(&second, 0, 1) }];
            let placed = planned(&machine(), &jobs, 0);
            let [first, second] = [0, 1].map(|place: usize| placed[place].as_ref().unwrap());
            assert!(second.window.start() > first.promise.finish);
            assert_eq!((second.renewed, second.promise == promise.unwrap()), (renewed, !renewed));
        }
    }
}
