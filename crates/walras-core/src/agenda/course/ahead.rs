//! Who goes ahead of others when there is room to start.

use super::{Course, Within};
use crate::agenda::Precedence;
use crate::agenda::calendar::Calendar;
use walras_model::quantity::Span;

/// After so many searches nobody is asked to make room any more: where many wait, each trial is as many searches.
const SEARCHES_TRIED: u64 = 2_000;

impl Course<'_> {
    /// In order of precedence, whoever could start soon and would be better off does, where the others leave room or can make it.
    pub(super) fn go_ahead(&mut self) {
        let soon = self.problem.soon.as_millis();
        let mut movable = self.movable();
        let mut base = self.without(&movable);
        let mut roomy = base.most_until(soon);
        let mut idle = self.left.longest_until(soon);
        let mut trials = self.problem.rules.trials;
        let crowded = self.entries.iter().any(|entry| entry.waiting.crowds);
        let candidates = if roomy > 0 { self.candidates() } else { Vec::new() };
        for place in candidates {
            if self.is_spent() || roomy == 0 {
                return;
            }
            if roomy < i64::from(self.entries[place].waiting.request.tasks) {
                continue;
            }
            let within = self.soon(place);
            let before = self.entries[place].spot.clone();
            let starts_by = |moment: i64| before.as_ref().is_some_and(|spot| spot.start <= moment);
            // Time that is free by then is too short for most, unless their own follows on it.
            let may_fit = self.fastest(place) <= idle || starts_by(soon.saturating_add(idle));
            let goes = if starts_by(soon) {
                // Not held yet, it may start before those of a crowd; if not, it starts where it is.
                let tries = crowded && trials > 0 && self.searches < SEARCHES_TRIED;
                if let Some(earlier) = self.earlier(place).filter(|_| tries) {
                    self.starts_among(place, earlier, &movable, &base, &mut trials);
                }
                true
            } else {
                may_fit && self.move_if(place, within, |found, before| found <= before)
                    || trials > 0
                        && self.searches < SEARCHES_TRIED
                        && self.starts_among(place, within, &movable, &base, &mut trials)
            };
            if goes {
                self.entries[place].fixed = true;
                match movable.iter().position(|other| *other == place) {
                    Some(at) => drop(movable.remove(at)),
                    None => before.iter().for_each(|spot| spot.release(&mut base)),
                }
                self.entries[place].spot.iter().for_each(|spot| spot.take(&mut base));
                roomy = base.most_until(soon);
                idle = self.left.longest_until(soon);
            }
        }
    }

    /// What somebody takes on the fastest node that there is.
    fn fastest(&self, place: usize) -> i64 {
        let runtime = self.fastest.and_then(|node| self.entries[place].waiting.request.work.runtime_on(node));
        runtime.map_or(i64::MAX, Span::as_millis)
    }

    /// Those who could go ahead, in order of precedence.
    fn candidates(&self) -> Vec<usize> {
        let (rule, now) = (self.problem.rules.precedence, self.problem.now.as_millis());
        let waits = |place: &usize| !self.entries[*place].fixed && self.entries[*place].spot.is_some();
        let mut order: Vec<usize> = (0..self.entries.len()).filter(waits).collect();
        order.sort_by(|one, other| {
            let (one, other) = (&self.entries[*one], &self.entries[*other]);
            let by_rule = rule.compare(now, one.claim(), other.claim());
            let arrival = one.waiting.came.cmp(&other.waiting.came);
            let crowds = one.waiting.crowds.cmp(&other.waiting.crowds);
            let overdue = other.waiting.overdue.cmp(&one.waiting.overdue);
            let by_rule = overdue.then(crowds).then(by_rule);
            by_rule.then(if rule == Precedence::AsGiven { std::cmp::Ordering::Equal } else { arrival })
        });
        order
    }

    /// Starts somebody soon and plans the others around it, if that keeps all promises.
    fn starts_among(
        &mut self,
        first: usize,
        within: Within,
        movable: &[usize],
        base: &Calendar,
        trials: &mut u32,
    ) -> bool {
        let Some(before) = self.entries[first].spot.clone() else { return false };
        let found = self.search(base, first, within).filter(|found| found.key() <= before.key());
        let Some(spot) = found else { return false };
        *trials -= 1;
        let mut free = base.clone();
        if !movable.contains(&first) {
            before.release(&mut free);
        }
        spot.take(&mut free);
        let others: Vec<usize> = movable.iter().copied().filter(|place| *place != first).collect();
        let plan = self.plan(free.clone(), &others).or_else(|| {
            let order = self.by_start(&others);
            self.plan(free, &order)
        });
        let Some(plan) = plan else { return false };
        self.adopt(plan);
        self.entries[first].spot = Some(spot);
        true
    }

    /// Before it starts where it is planned, for somebody of no crowd who is not held next.
    fn earlier(&self, place: usize) -> Option<Within> {
        let entry = &self.entries[place];
        let planned = entry.spot.as_ref()?.start;
        let passes = !entry.waiting.crowds && planned > self.problem.held.as_millis();
        let bound = self.bound(place);
        passes.then(|| Within { start: bound.start.min(planned - 1), ..bound })
    }

    fn soon(&self, place: usize) -> Within {
        let bound = self.bound(place);
        Within { start: bound.start.min(self.problem.soon.as_millis()), ..bound }
    }
}

#[cfg(test)]
mod tests {
    use crate::agenda::tests::{HORIZON, Machine, at, offers, problem, request, waiting};
    use crate::agenda::{AgendaProblem, AgendaRules, Terms, Waiting, plan_agenda};
    use walras_model::{Money, Time, Window};

    /// One node from 5 on, with a job of a crowd planned first; when somebody else who comes would start.
    fn newcomer(held: i64, crowds: [bool; 2]) -> Time {
        let offers = offers(&[Machine { site: 0, speed: 1, rate: 1, free: vec![(5, HORIZON)] }]);
        let request = request(1, 5, false);
        let waits = |owner: usize| Waiting { owner, crowds: crowds[owner], ..waiting(&request, 0, 1) };
        let planned = |jobs: &[Waiting<'_>]| -> Vec<Window> {
            let plain = problem(&offers, jobs, 1, AgendaRules::default());
            let problem = AgendaProblem { held: at(held), soon: at(30), ..plain };
            plan_agenda(&problem).placed.into_iter().map(|placed| placed.unwrap().window).collect()
        };
        let window = planned(&[waits(0)]).remove(0);
        let promise = Some(Terms { start: at(20), finish: at(30), cost: Money::from_micros(9) });
        let first = Waiting { promise, planned: Some(window.into()), ..waits(0) };
        planned(&[first, waits(1)]).remove(1).start()
    }

    #[test]
    fn who_is_of_no_crowd_goes_ahead_of_what_is_not_held() {
        let crowd = [true, false];
        assert_eq!(newcomer(3, crowd), at(5));
        // Who is held next where it is goes no further ahead, nor does one of a crowd.
        assert_eq!(newcomer(20, crowd), at(10));
        assert_eq!(newcomer(3, [true, true]), at(10));
        assert_eq!(newcomer(3, [false, false]), at(10));
    }
}
