//! Budgets and deadlines for jobs that have none, by a rule and a seed.
//!
//! A budget is a multiple, uniform between two factors, of what the job's estimate costs where it is cheapest; a deadline
//! leaves a multiple of the estimate from the submission on, drawn alike and at least a given slack. Each job draws from
//! a stream of its own, so that a slice of a trace has the same terms as the whole.

use super::Job;
use walras_model::{Money, Multiplier, Performance, Rate, Time, Work};
use walras_random::Purpose;

/// How budgets and deadlines are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The budget against the cheapest, at least and at most; no budgets, without.
    pub budget: Option<(Multiplier, Multiplier)>,
    /// The time from submission to deadline against the estimate, at least and at most; no deadlines, without.
    pub deadline: Option<(Multiplier, Multiplier)>,
    /// The least time from submission to deadline, in milliseconds.
    pub slack_min: i64,
}

impl Default for Terms {
    fn default() -> Terms {
        let factors = |low, high| Multiplier::from_millionths(low).zip(Multiplier::from_millionths(high));
        Terms {
            budget: factors(1_200_000, 3_000_000),
            deadline: factors(2_000_000, 20_000_000),
            slack_min: 3_600_000,
        }
    }
}

impl Terms {
    /// A job with terms where it has none, among sites of these speeds and prices per second.
    pub fn of(self, job: Job, seed: u64, sites: &[(Performance, Rate)]) -> Job {
        let number = u32::try_from(job.number & u64::from(u32::MAX)).unwrap_or(0);
        let mut chance = Purpose::Terms.stream(seed, number);
        let (for_budget, for_deadline) = (chance.share(), chance.share());
        let drawn = |(low, high): (Multiplier, Multiplier), share: f64| {
            thousandths(low) + thousandths(high.less_by(low)) * share
        };
        let budget = self.budget.and_then(|range| {
            let least = sites.iter().filter_map(|(speed, price)| cost(&job, *speed, *price)).min()?;
            Some(Money::from_micros(scaled(least.as_micros(), drawn(range, for_budget))))
        });
        let deadline = self.deadline.and_then(|range| {
            let span = scaled(job.estimate.as_millis(), drawn(range, for_deadline)).max(self.slack_min);
            Time::from_millis(job.submit.as_millis().checked_add(span)?)
        });
        Job { budget: job.budget.or(budget), deadline: job.deadline.or(deadline), ..job }
    }
}

/// What a job's estimate costs on nodes of this speed and price.
pub(crate) fn cost(job: &Job, speed: Performance, price: Rate) -> Option<Money> {
    let time = Work::from_millis(job.estimate.as_millis())?.runtime_on(speed)?;
    let one = price.cost_of(time)?;
    one.as_micros().checked_mul(i64::from(job.nodes)).map(Money::from_micros)
}

/// A factor in thousandths, without loss where it is a whole number of them: drawing in another unit would round another way.
fn thousandths(factor: Multiplier) -> f64 {
    let millionths = factor.as_millionths();
    (millionths / 1_000) as f64 + (millionths % 1_000) as f64 / 1_000.0
}

/// Thousandths of something, to the nearest.
#[allow(clippy::cast_possible_truncation, reason = "clamped before")]
fn scaled(whole: i64, thousandths: f64) -> i64 {
    (whole as f64 * thousandths / 1_000.0).round().clamp(0.0, 9e15) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Span;

    #[test]
    fn terms_stay_within_their_factors_and_follow_the_job() {
        let job = |number| Job {
            number,
            submit: Time::from_millis(5_000).unwrap(),
            nodes: 3,
            run: Span::from_millis(10_000).unwrap(),
            estimate: Span::from_millis(100_000).unwrap(),
            user: None,
            budget: None,
            deadline: None,
        };
        let sites = [
            (Performance::ONE, Rate::from_micros_per_second(1_000_000).unwrap()),
            (
                Performance::from_millionths(2_000_000).unwrap(),
                Rate::from_micros_per_second(1_500_000).unwrap(),
            ),
        ];
        let terms = Terms { slack_min: 0, ..Terms::default() };
        // Three nodes for fifty seconds at 1.5 are cheapest: 225 credits.
        for number in 0..200 {
            let made = terms.of(job(number), 1, &sites);
            let (budget, deadline) = (made.budget.unwrap().as_micros(), made.deadline.unwrap().as_millis());
            assert!((270_000_000..=675_000_000).contains(&budget), "{budget}");
            assert!((205_000..=2_005_000).contains(&deadline), "{deadline}");
            assert_eq!(made, terms.of(job(number), 1, &sites));
        }
        // Neighbours draw for themselves.
        let alike = (0..200).filter(|number| {
            let budget = |number| terms.of(job(number), 1, &sites).budget;
            budget(*number) == budget(number + 1)
        });
        assert_eq!(alike.count(), 0);
        let stated = Job { budget: Some(Money::from_micros(7)), deadline: Time::from_millis(9), ..job(1) };
        assert_eq!(terms.of(stated, 1, &sites), stated);
        let none = Terms { budget: None, deadline: None, slack_min: 0 };
        assert_eq!(none.of(job(1), 1, &sites), job(1));
    }
}
