//! Of the bounds that nine of ten jobs are said to stay within, how many held.

use walras_model::Span;

/// So many stretches a trace is looked at in, for what holds on the whole may not hold for long.
const STRETCHES: usize = 10;

/// What was said to hold for nine of ten, in order of submission, and whether it did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    held: Vec<bool>,
    bound_sum: i128,
    actual_sum: i128,
}

impl Bounds {
    pub(super) fn add(&mut self, bound: Span, actual: Span) {
        self.held.push(actual <= bound);
        self.bound_sum += i128::from(bound.as_millis());
        self.actual_sum += i128::from(actual.as_millis());
    }

    /// How many there were.
    pub fn count(&self) -> usize {
        self.held.len()
    }

    /// The share of them that held; `None` without any.
    pub fn held_rate(&self) -> Option<f64> {
        rate(&self.held)
    }

    /// The least and the greatest share of them that held in a tenth of the trace; `None` for fewer than ten.
    pub fn held_rates_by_tenth(&self) -> Option<(f64, f64)> {
        let tenth = self.held.len() / STRETCHES;
        let rates = self.held.chunks_exact(tenth.max(1)).take(STRETCHES).filter_map(rate);
        let ends = rates.fold((1.0_f64, 0.0_f64), |(least, most), rate| (least.min(rate), most.max(rate)));
        (tenth > 0).then_some(ends)
    }

    /// How many times what happened they allow, all together; `None` when nothing took any time.
    pub fn width(&self) -> Option<f64> {
        (self.actual_sum > 0).then(|| self.bound_sum as f64 / self.actual_sum as f64)
    }
}

fn rate(held: &[bool]) -> Option<f64> {
    let count = held.iter().filter(|held| **held).count();
    (!held.is_empty()).then(|| count as f64 / held.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Evaluation, Trace, evaluate, read_swf};
    use walras_core::predict::Quantity;
    use walras_random::Stream;

    #[test]
    fn what_held_is_counted_on_the_whole_and_by_tenths() {
        let mut bounds = Bounds::default();
        assert_eq!((bounds.held_rate(), bounds.held_rates_by_tenth(), bounds.width()), (None, None, None));
        let span = |millis| Span::from_millis(millis).unwrap();
        for job in 0..40 {
            bounds.add(span(30), span(if job < 2 { 50 } else { 10 }));
        }
        assert_eq!((bounds.count(), bounds.held_rate()), (40, Some(0.95)));
        assert_eq!(bounds.held_rates_by_tenth(), Some((0.5, 1.0)));
        assert_eq!(bounds.width(), Some(1200.0 / 480.0));
    }

    /// A trace of users whose jobs take a share of their estimates that is their own, scatters, and is another from the middle of the
    /// trace on; jobs overlap, so that much of what happens is known late.
    fn changing(seed: u64, jobs: i64) -> Trace {
        let mut chance = Stream::open(seed, 1);
        let (mut text, mut submit) = (String::new(), 0);
        for job in 0..jobs {
            submit += chance.between(1, 240);
            let user = chance.between(1, 7);
            let estimate = [600, 3_600, 14_400][chance.index(3)];
            let usual = if job < jobs / 2 { 50 * user } else { 400 - 40 * user };
            // Twice what is usual or half of it, and now and then all that was asked for.
            let share = usual * chance.between(500, 2_000) / 1_000;
            let share = if chance.happens(30) { 1_000 } else { share };
            let (run, wait) = (estimate * share / 1_000, chance.between(0, 60 * user));
            text +=
                &format!("{job} {submit} {wait} {run} 1 -1 -1 1 {estimate} -1 1 {user} 1 -1 -1 -1 -1 -1\n");
        }
        read_swf(text.as_bytes())
    }

    /// A trace of users who send hundreds of jobs at once that run for days: what has ended when the next hundreds come are the
    /// short ones of those before, and how long they take is another thing each time. All ask for the same time, or for none.
    fn in_bursts(seed: u64, bursts: i64, estimate: i64) -> Trace {
        let mut chance = Stream::open(seed, 2);
        let (mut text, mut submit) = (String::new(), 0);
        for burst in 0..bursts {
            submit += chance.between(1, 4 * 3_600);
            let (user, usual) = (chance.between(1, 7), 60 << chance.between(0, 10));
            for job in 0..chance.between(50, 300) {
                let run = usual * chance.between(250, 4_000) / 1_000;
                let wait = job * chance.between(0, usual) / 20;
                text += &format!(
                    "{burst} {submit} {wait} {run} 1 -1 -1 1 {estimate} -1 1 {user} 1 -1 -1 -1 -1 -1\n"
                );
            }
        }
        read_swf(text.as_bytes())
    }

    #[test]
    fn bounds_hold_for_jobs_that_come_by_the_hundred() {
        for seed in 1..=3 {
            // Run times without a limit: where there is one, bounds beyond it are not said.
            for (quantity, estimate) in [(Quantity::RunTime, -1), (Quantity::Wait, 864_000)] {
                let held = evaluate(&in_bursts(seed, 60, estimate), quantity).bounds.held_rate().unwrap();
                assert!((0.87..=0.93).contains(&held), "seed {seed}, {quantity:?}: {held}");
            }
        }
    }

    #[test]
    fn nine_of_ten_are_nine_of_ten_within_three_points() {
        for seed in 1..=3 {
            let trace = changing(seed, 4_000);
            for quantity in [Quantity::RunTime, Quantity::Wait] {
                let Evaluation { bounds, all, .. } = evaluate(&trace, quantity);
                let held = bounds.held_rate().unwrap();
                assert!((0.87..=0.93).contains(&held), "seed {seed}, {quantity:?}: {held}");
                // Of a run time nothing is said where what nine of ten stay within is all that was asked for.
                let least = if quantity == Quantity::Wait { 3_900 } else { 1_500 };
                assert!(bounds.count() > least, "seed {seed}: only {} bounds", bounds.count());
                let under = all.templates.under_rate().unwrap();
                assert!((0.4..=0.6).contains(&under), "seed {seed}, {quantity:?}: {under}");
            }
        }
    }
}
