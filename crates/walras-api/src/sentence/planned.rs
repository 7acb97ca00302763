//! What a user is told of the window that their job has in the plan.

use super::credits;
use super::likely::span_text;
use super::why::promised;
use crate::service::Stamp;
use walras_broker::State;
use walras_broker::id::JobNumber;
use walras_broker::job::{JobSpec, Planned};
use walras_broker::told::Told;
use walras_core::agenda::Promise;
use walras_model::{Span, Time};

/// A job that has a window in a plan now.
pub struct Window<'a> {
    /// The job, by its number.
    pub job: JobNumber,
    /// What it is, where that is known.
    pub spec: Option<&'a JobSpec>,
    /// Where it is planned.
    pub plan: &'a Planned,
    /// What it is promised.
    pub promise: &'a Promise,
    /// Whether an earlier promise could not be kept.
    pub renewed: bool,
}

impl Window<'_> {
    /// A sentence for somebody who was told that before, and what they know then; `None` where it is nothing to tell anybody.
    pub fn news(&self, state: &State, now: Time, before: Option<Told>) -> Option<(String, Option<Told>)> {
        let known = before.filter(|_| !self.renewed);
        let told = self.spec.and_then(|spec| state.told_of(now, spec, self.plan, known));
        let (start, job) = (Stamp::from(self.plan.start), state.which(self.job));
        let by = promised(self.promise);
        let text = match known.zip(told) {
            Some((known, told)) if known == told => return None,
            Some((known, told)) => {
                let (moved, priced) = (moved_text(known.start, told.start), priced_text(known, told));
                format!("Job {job} starts {moved}, at {start}, {priced}; it {by}.")
            }
            None if self.renewed => {
                format!("What job {job} was promised cannot be kept. It is planned for {start} and {by}.")
            }
            None => format!("Job {job} is planned for {start}; it {by}."),
        };
        Some((text, told))
    }
}

fn moved_text(before: Time, now: Time) -> String {
    let span = |from: Time, to: Time| Span::from_millis(to.as_millis().saturating_sub(from.as_millis()));
    match (span(now, before), span(before, now)) {
        (Some(earlier), _) if earlier > Span::ZERO => format!("{} earlier", span_text(earlier)),
        (_, Some(later)) if later > Span::ZERO => format!("{} later", span_text(later)),
        _ => "as planned".to_owned(),
    }
}

fn priced_text(before: Told, now: Told) -> String {
    if now.cost == before.cost {
        return "for the same price".to_owned();
    }
    format!("for {} instead of {}", credits(now.cost), before.cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Money;

    fn told(minutes: i64, cost: i64) -> Told {
        let start = Time::from_millis(minutes * 60_000).unwrap();
        Told::new(start, Money::from_micros(cost * 1_000_000))
    }

    #[test]
    fn moves_are_said_as_people_do() {
        let said = |before: Told, now: Told| {
            format!("{}, {}", moved_text(before.start, now.start), priced_text(before, now))
        };
        assert_eq!(said(told(90, 12), told(50, 12)), "40 min earlier, for the same price");
        assert_eq!(said(told(90, 12), told(690, 9)), "10 h later, for 9 credits instead of 12");
        assert_eq!(said(told(90, 12), told(90, 1)), "as planned, for 1 credit instead of 12");
    }
}
