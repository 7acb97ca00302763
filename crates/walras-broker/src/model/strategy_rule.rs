//! Strategies that the VO's rules give to workflows whose users ask for none: which rules there are, and what they say.
//!
//! The job tier gives a job its window and a strategy; whose budget is higher is served as soon as possible, others by night or for little
//! money. Rules are read from the top, and the first that fits decides.

use serde::{Deserialize, Serialize};
use walras_core::prefer::{Calendar, Who};
use walras_core::refine::Strategy;
use walras_model::{Rate, Time};

/// At most so many rules are read.
pub const STRATEGY_RULES_MAX: usize = 100;

/// One rule: who gets a strategy, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyRule {
    /// Whose workflows it is for.
    pub who: Who,
    /// When they are submitted; at any time, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<WeeklyHours>,
    /// They have a budget of at least so much for each second of their work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_from: Option<Rate>,
    /// They have a budget of less than so much for each second of their work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_below: Option<Rate>,
    /// The strategy that they get.
    pub strategy: Strategy,
}

impl StrategyRule {
    /// Whether it fits every workflow at every time, so that no rule after it is ever read.
    pub fn is_for_all(&self) -> bool {
        let StrategyRule { who, hours, budget_from, budget_below, strategy } = self;
        let asks_nothing = hours.is_none() && budget_from.is_none() && budget_below.is_none();
        *who == Who::Everybody && asks_nothing && !strategy.needs_deadline() && !strategy.needs_budget()
    }
}

/// Hours of the day on days of the week, also over midnight: then they end on the day after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "HoursParts", into = "HoursParts")]
pub struct WeeklyHours(HoursParts);

/// Days on which they begin (Monday first), and milliseconds after midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct HoursParts {
    days: [bool; 7],
    from: i64,
    to: i64,
}

const DAY: i64 = 86_400_000;

impl WeeklyHours {
    /// From and to milliseconds after midnight, beginning on these days (Monday first); `None` when that is no time at all.
    pub fn new(days: [bool; 7], from: i64, to: i64) -> Option<WeeklyHours> {
        let sensible = (0..DAY).contains(&from) && (0..=DAY).contains(&to) && from != to;
        (sensible && days.contains(&true)).then_some(WeeklyHours(HoursParts { days, from, to }))
    }

    /// Days, from and to, as they were given.
    pub fn parts(&self) -> ([bool; 7], i64, i64) {
        (self.0.days, self.0.from, self.0.to)
    }

    /// Whether it is such an hour at a moment.
    pub fn hold(&self, at: Time, calendar: Calendar) -> bool {
        let of_week = calendar.since_monday_began(at).as_millis();
        let HoursParts { days, from, to } = self.0;
        let day = usize::try_from(of_week / DAY).unwrap_or(0);
        let (today, yesterday) = (days[day % 7], days[(day + 6) % 7]);
        let of_day = of_week % DAY;
        match from < to {
            true => today && (from..to).contains(&of_day),
            false => today && of_day >= from || yesterday && of_day < to,
        }
    }
}

impl From<WeeklyHours> for HoursParts {
    fn from(hours: WeeklyHours) -> HoursParts {
        hours.0
    }
}

/// Hours that are no time at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hours that are no time at all")]
pub struct NoHours;

impl TryFrom<HoursParts> for WeeklyHours {
    type Error = NoHours;

    fn try_from(parts: HoursParts) -> Result<WeeklyHours, NoHours> {
        WeeklyHours::new(parts.days, parts.from, parts.to).ok_or(NoHours)
    }
}

/// Who chose the strategy of a workflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyBy {
    /// Its user; or whoever it was before that was told apart.
    #[default]
    User,
    /// Nobody: it is the usual one.
    Nobody,
    /// The VO's rule at this place, from 0 on.
    Rule(u32),
}

impl StrategyBy {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
    pub(super) fn is_user(&self) -> bool {
        *self == StrategyBy::User
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Span;

    const HOUR: i64 = 3_600_000;

    fn at(hours: i64) -> Time {
        Time::from_millis(hours * HOUR).unwrap()
    }

    fn on(days: &[usize]) -> [bool; 7] {
        let mut all = [false; 7];
        days.iter().for_each(|day| all[*day] = true);
        all
    }

    #[test]
    fn hours_over_midnight_end_on_the_day_after() {
        let monday = Calendar::default();
        let friday_night = WeeklyHours::new(on(&[4]), 20 * HOUR, 8 * HOUR).unwrap();
        let friday = 4 * 24;
        for (hour, held) in
            [(7, false), (19, false), (20, true), (24, true), (31, true), (32, false), (44, false)]
        {
            assert_eq!(friday_night.hold(at(friday + hour), monday), held, "hour {hour} of Friday");
        }
        // A night that begins on Sunday ends on Monday.
        let sunday_night = WeeklyHours::new(on(&[6]), 22 * HOUR, 6 * HOUR).unwrap();
        assert!(sunday_night.hold(at(5), monday) && !sunday_night.hold(at(6), monday));
        // Time 0 on a Thursday, and times before 0.
        let thursday = Calendar::new(Span::from_millis(3 * DAY).unwrap());
        assert!(
            friday_night.hold(at(24 + 21), thursday) && friday_night.hold(at(24 + 21 - 7 * 24), thursday)
        );
    }

    #[test]
    fn hours_of_a_day_hold_from_the_first_to_before_the_last() {
        let office = WeeklyHours::new(on(&[0, 1, 2, 3, 4]), 8 * HOUR, 18 * HOUR).unwrap();
        let held: Vec<i64> = (0..48).filter(|hour| office.hold(at(*hour), Calendar::default())).collect();
        assert_eq!(held, (8..18).chain(32..42).collect::<Vec<_>>());
        let evening = WeeklyHours::new([true; 7], 20 * HOUR, DAY).unwrap();
        assert!(evening.hold(at(23), Calendar::default()) && !evening.hold(at(24), Calendar::default()));
    }

    #[test]
    fn senseless_hours_are_none_and_are_not_read() {
        for (from, to) in [(8, 8), (25, 8), (8, 25), (24, 8), (-1, 8)] {
            assert_eq!(WeeklyHours::new([true; 7], from * HOUR, to * HOUR), None, "{from} to {to}");
        }
        assert_eq!(WeeklyHours::new([false; 7], 0, DAY), None);
        let night = WeeklyHours::new([true; 7], 20 * HOUR, 8 * HOUR).unwrap();
        let text = serde_json::to_string(&night).unwrap();
        assert_eq!(serde_json::from_str::<WeeklyHours>(&text).unwrap(), night);
        let same = text.replace(&(8 * HOUR).to_string(), &(20 * HOUR).to_string());
        assert!(serde_json::from_str::<WeeklyHours>(&same).is_err());
    }
}
