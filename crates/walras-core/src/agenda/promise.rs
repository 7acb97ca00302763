//! What newcomers are promised.

use super::{AgendaRules, Promise, Terms};
use walras_model::quantity::{MILLION, Money, Share, Span, Time, rounding};

/// By what a promise is bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Until {
    /// The window that is planned, and [`AgendaRules::slack`] on top.
    #[default]
    Planned,
    /// The deadline: until then a job may be moved, however it was planned. Who has none is promised what is planned.
    Deadline,
    /// [`AgendaRules::slack_max`] after the window that is planned at first; and once nobody waits any more who came before, the window that
    /// is planned then, and [`AgendaRules::slack`] on top.
    First,
}

/// What becomes of a newcomer that cannot end by its deadline, as long as it says that it will run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Late {
    /// It gets no window.
    #[default]
    Refused,
    /// It gets the window that ends first, and is promised that.
    Run,
}

/// What a promise must stay within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromiseLimits {
    /// When the job must have ended.
    pub deadline: Option<Time>,
    /// What it can pay.
    pub funds: Money,
    /// What it takes on the fastest nodes that it may have; as long as it is planned, without.
    pub shortest: Option<Span>,
}

impl PromiseLimits {
    /// No limits.
    pub const NONE: PromiseLimits =
        PromiseLimits { deadline: None, funds: Money::from_micros(i64::MAX), shortest: None };
}

impl AgendaRules {
    /// What a newcomer is promised that is planned for a window now; never more than it can pay, and never after its deadline
    /// unless it is planned after it.
    ///
    /// Who is promised its deadline may start as late as the fastest nodes allow.
    pub fn promise(&self, now: Time, window: Terms, limits: PromiseLimits) -> Promise {
        let wait = between(now, window.start);
        let room = limits.deadline.map_or(i128::MAX, |deadline| between(window.finish, deadline).max(0));
        let (slack, shorter) = match self.until {
            Until::Deadline if limits.deadline.is_some() => {
                let lasts = between(window.start, window.finish);
                (room, limits.shortest.map_or(0, |least| (lasts - i128::from(least.as_millis())).max(0)))
            }
            Until::First => (i128::from(self.slack_max.as_millis()).min(room), 0),
            Until::Deadline | Until::Planned => {
                (part(self.slack, wait).min(i128::from(self.slack_max.as_millis())).min(room), 0)
            }
        };
        let cost = i128::from(window.cost.as_micros());
        let most = i64::try_from(cost + part(self.price_slack, cost)).unwrap_or(i64::MAX);
        Promise {
            start: later(window.start, slack + shorter),
            finish: later(window.finish, slack),
            cost: Money::from_micros(most).min(limits.funds.max(window.cost)),
        }
    }
}

impl Promise {
    /// What is promised where both are: the earlier of each.
    pub fn and(self, other: Promise) -> Promise {
        Promise {
            start: self.start.min(other.start),
            finish: self.finish.min(other.finish),
            cost: self.cost.min(other.cost),
        }
    }
}

fn between(from: Time, until: Time) -> i128 {
    i128::from(until.as_millis()) - i128::from(from.as_millis())
}

fn part(share: Share, of: i128) -> i128 {
    rounding::down(of.max(0) * i128::from(share.as_millionths()), MILLION.into())
}

fn later(time: Time, millis: i128) -> Time {
    let millis = i64::try_from(i128::from(time.as_millis()) + millis).ok();
    millis.and_then(Time::from_millis).unwrap_or(Time::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time::from_millis(1_000 * seconds).unwrap()
    }

    fn rules(until: Until) -> AgendaRules {
        AgendaRules { until, price_slack: Share::percent(100), ..AgendaRules::default() }
    }

    const WINDOW: fn() -> Terms = || Terms { start: at(100), finish: at(160), cost: Money::from_micros(8) };

    #[test]
    fn promises_end_by_the_deadline_or_with_the_slack() {
        let limits = |deadline| PromiseLimits {
            deadline: Some(at(deadline)),
            funds: Money::from_micros(11),
            shortest: Span::from_millis(20_000),
        };
        let terms =
            |start, finish| Terms { start: at(start), finish: at(finish), cost: Money::from_micros(11) };
        let planned = |deadline| rules(Until::Planned).promise(at(0), WINDOW(), limits(deadline));
        assert_eq!((planned(500), planned(170)), (terms(125, 185), terms(110, 170)));
        // Sixty seconds as planned, twenty on the fastest nodes.
        let until = |deadline| rules(Until::Deadline).promise(at(0), WINDOW(), limits(deadline));
        assert_eq!((until(500), until(160)), (terms(480, 500), terms(140, 160)));
        // Who is late is promised what is planned, and no more.
        assert_eq!((planned(159), until(159)), (terms(100, 160), terms(140, 160)));
    }

    #[test]
    fn who_is_not_first_is_promised_the_most() {
        let rules = AgendaRules { slack_max: Span::from_millis(50_000).unwrap(), ..rules(Until::First) };
        let promise = rules.promise(at(0), WINDOW(), PromiseLimits::NONE);
        assert_eq!((promise.start, promise.finish), (at(150), at(210)));
        let limits = PromiseLimits { deadline: Some(at(170)), ..PromiseLimits::NONE };
        let promise = rules.promise(at(0), WINDOW(), limits);
        assert_eq!((promise.start, promise.finish), (at(110), at(170)));
    }

    #[test]
    fn without_a_deadline_the_slack_counts() {
        let [one, other] = [Until::Planned, Until::Deadline]
            .map(|until| rules(until).promise(at(0), WINDOW(), PromiseLimits::NONE));
        assert_eq!(one, other);
        assert_eq!((one.start, one.finish, one.cost), (at(125), at(185), Money::from_micros(16)));
    }
}
