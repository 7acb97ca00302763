//! Hard constraints of owners: who may run what, when, and how much.
//!
//! Rules are read from the top, and the first that applies decides: an allowing rule applies to those whom it names
//! when the whole job lies within its hours, a refusing one when any part does. Where a site has rules, those to
//! whom none applies are refused. Quotas limit what those whom they name may get together in one batch.

use walras_model::interval::Interval;
use walras_model::quantity::{Money, Span, Time};

/// Whom a rule names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Who {
    /// Every user, of any group or none.
    Everybody,
    /// One user.
    User(String),
    /// All users of a group.
    Group(String),
}

impl Who {
    /// Whether it names this user.
    pub fn names(&self, user: &str, group: Option<&str>) -> bool {
        match self {
            Who::Everybody => true,
            Who::User(name) => name == user,
            Who::Group(name) => group == Some(name),
        }
    }
}

/// One rule of access.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AccessRule {
    /// Whom it names.
    pub who: Who,
    /// Whether it allows or refuses.
    pub allow: bool,
    /// When it holds; always, without.
    pub hours: Option<Hours>,
}

/// Days of the week, and hours of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// Monday first.
    days: [bool; 7],
    from: i64,
    to: i64,
}

/// What a quota counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Quota {
    /// How many jobs are placed.
    Jobs(u32),
    /// Time on nodes, all tasks together.
    NodeTime(Span),
    /// Money spent.
    Spend(Money),
}

/// The rules of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rules {
    /// Read from the top.
    pub access: Vec<AccessRule>,
    /// What those who are named may get together.
    pub quotas: Vec<(Who, Quota)>,
}

/// Why a job may not run somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The rule with this number refuses it.
    Refused(usize),
    /// There are rules, and none allows it.
    NotAllowed,
}

/// Which day and hour time 0 is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Calendar {
    /// Milliseconds from a Monday's midnight to time 0.
    since_monday: i64,
}

const DAY: i64 = 86_400_000;
const WEEK: i64 = 7 * DAY;

impl Calendar {
    /// Time 0 is that long after the midnight with which a Monday begins.
    pub fn new(since_monday: Span) -> Calendar {
        Calendar { since_monday: since_monday.as_millis() % WEEK }
    }

    /// How long ago the last Monday began.
    pub fn since_monday_began(self, time: Time) -> Span {
        Span::from_millis(self.of_week(time)).expect("a remainder is not negative")
    }

    /// Milliseconds since the last Monday began.
    fn of_week(self, time: Time) -> i64 {
        (time.as_millis() + self.since_monday).rem_euclid(WEEK)
    }
}

impl Hours {
    /// On these days (Monday first), from and to milliseconds after midnight; `None` when that is no time at all.
    pub fn new(days: [bool; 7], from: i64, to: i64) -> Option<Hours> {
        let sensible = 0 <= from && from < to && to <= DAY && days.contains(&true);
        sensible.then_some(Hours { days, from, to })
    }

    /// Days, from and to, as they were given.
    pub fn parts(&self) -> ([bool; 7], i64, i64) {
        (self.days, self.from, self.to)
    }

    /// How long from this point of the week on these hours hold without a break; 0 when they do not hold there.
    fn left(&self, of_week: i64) -> i64 {
        let mut left = 0;
        // Whole days follow each other without a break; a week of them never ends.
        while left < WEEK {
            let point = (of_week + left) % WEEK;
            let day = usize::try_from(point / DAY).expect("a remainder is not negative");
            let of_day = point % DAY;
            if !self.days[day] || of_day < self.from || of_day >= self.to {
                return left;
            }
            left += self.to - of_day;
            if self.to < DAY {
                return left;
            }
        }
        i64::MAX
    }

    /// Whether all of an interval lies within these hours.
    pub fn contain(&self, interval: Interval, calendar: Calendar) -> bool {
        self.left(calendar.of_week(interval.start())) >= interval.span().as_millis()
    }

    /// Whether any of an interval lies within these hours.
    pub fn meet(&self, interval: Interval, calendar: Calendar) -> bool {
        let length = interval.span().as_millis();
        if length >= WEEK {
            return true;
        }
        let start = calendar.of_week(interval.start());
        self.left(start) > 0
            || self.days.iter().zip(0..).any(|(held, day)| {
                let opens = (day * DAY + self.from - start).rem_euclid(WEEK);
                *held && opens < length
            })
    }
}

impl Rules {
    /// Whether somebody may run a job there in that time.
    pub fn admit(
        &self,
        user: &str,
        group: Option<&str>,
        interval: Interval,
        calendar: Calendar,
    ) -> Result<(), Refusal> {
        for (place, rule) in self.access.iter().enumerate().filter(|(_, rule)| rule.who.names(user, group)) {
            match (rule.allow, &rule.hours) {
                (true, None) => return Ok(()),
                (false, None) => return Err(Refusal::Refused(place)),
                (true, Some(hours)) if hours.contain(interval, calendar) => return Ok(()),
                (false, Some(hours)) if hours.meet(interval, calendar) => {
                    return Err(Refusal::Refused(place));
                }
                _ => {}
            }
        }
        if self.access.is_empty() { Ok(()) } else { Err(Refusal::NotAllowed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn interval(from: i64, to: i64) -> Interval {
        let time = |hours| Time::from_millis(hours * HOUR).unwrap();
        Interval::new(time(from), time(to)).unwrap()
    }

    fn office() -> Hours {
        Hours::new([true, true, true, true, true, false, false], 8 * HOUR, 18 * HOUR).unwrap()
    }

    fn nights_and_days() -> Hours {
        Hours::new([false, false, false, false, false, true, true], 0, DAY).unwrap()
    }

    #[test]
    fn hours_are_those_of_the_clock_on_the_wall() {
        let monday = Calendar::default();
        assert!(office().contain(interval(8, 18), monday));
        assert!(!office().contain(interval(7, 9), monday));
        assert!(!office().contain(interval(17, 19), monday));
        assert!(!office().contain(interval(8, 8 + 24), monday));
        assert!(nights_and_days().contain(interval(5 * 24, 7 * 24), monday));
        assert!(!nights_and_days().contain(interval(5 * 24, 7 * 24 + 1), monday));
        // Time 0 on a Saturday, and times before 0.
        let saturday = Calendar::new(Span::from_millis(5 * DAY).unwrap());
        assert!(nights_and_days().contain(interval(0, 48), saturday));
        assert!(office().contain(interval(-24 * 5 + 8, -24 * 5 + 9), saturday));
        let always = Hours::new([true; 7], 0, DAY).unwrap();
        assert!(always.contain(interval(0, 24 * 400), monday));
    }

    #[test]
    fn meeting_needs_only_a_part() {
        let monday = Calendar::default();
        assert!(office().meet(interval(0, 9), monday));
        assert!(!office().meet(interval(0, 8), monday));
        assert!(office().meet(interval(17, 30), monday));
        assert!(!office().meet(interval(18, 24), monday));
        assert!(office().meet(interval(5 * 24, 13 * 24), monday));
        assert!(!office().meet(interval(5 * 24, 7 * 24 + 8), monday));
    }

    #[test]
    fn the_first_rule_that_applies_decides() {
        let rule = |who, allow, hours| AccessRule { who, allow, hours };
        let rules = Rules {
            access: vec![
                rule(Who::User("eve".into()), false, None),
                rule(Who::Group("physics".into()), true, None),
                rule(Who::Everybody, true, Some(nights_and_days())),
            ],
            quotas: vec![],
        };
        let admit = |user, group, interval| rules.admit(user, group, interval, Calendar::default());
        assert_eq!(admit("eve", Some("physics"), interval(0, 1)), Err(Refusal::Refused(0)));
        assert_eq!(admit("ann", Some("physics"), interval(0, 1)), Ok(()));
        assert_eq!(admit("bob", None, interval(0, 1)), Err(Refusal::NotAllowed));
        assert_eq!(admit("bob", None, interval(24 * 5, 24 * 6)), Ok(()));
        assert_eq!(Rules::default().admit("bob", None, interval(0, 1), Calendar::default()), Ok(()));
    }

    #[test]
    fn senseless_hours_are_none() {
        assert_eq!(Hours::new([false; 7], 0, DAY), None);
        assert_eq!(Hours::new([true; 7], 5, 5), None);
        assert_eq!(Hours::new([true; 7], 0, DAY + 1), None);
    }
}
