//! Points in time as Slurm's users write them: `now+2hours`, `16:00`, `tomorrow`, `11/15/26-08:30`, `2026-11-15T12:30`.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// What such a text means at a moment, with times of day in a zone: a time of day that is over today is tomorrow's, a day without a year
/// that is over is next year's, a day without a time of day begins at midnight. `None` for anything else.
pub(super) fn point(text: &str, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim().to_lowercase();
    if let Some(later) = text.strip_prefix("now") {
        return now.checked_add(from_now(later)?).ok();
    }
    let today = now.to_zoned(zone.clone()).datetime();
    let at = |civil: DateTime| Some(civil.to_zoned(zone.clone()).ok()?.timestamp());
    if let Ok(civil) = text.parse::<DateTime>() {
        return at(civil);
    }
    let parts = text.split_once('-').unwrap_or((&text, ""));
    let (first, second) = if parts.1.is_empty() { split_day(&text) } else { parts };
    let (day, time) = match (day(first, today), day(second, today)) {
        (Some(day), _) => (Some(day), second),
        (None, Some(day)) => (Some(day), first),
        (None, None) => (None, text.as_str()),
    };
    match (day, time.trim()) {
        (Some(day), "") => at(day.to_datetime(Time::midnight())),
        (Some(day), time) => at(day.to_datetime(time_of_day(time)?)),
        (None, time) => {
            let then = at(today.date().to_datetime(time_of_day(time)?))?;
            let tomorrow = today.date().tomorrow().ok()?.to_datetime(time_of_day(time)?);
            if then > now { Some(then) } else { at(tomorrow) }
        }
    }
}

/// A day and a time of day stand in either order: where the day ends or begins.
fn split_day(text: &str) -> (&str, &str) {
    match text.split_once(' ') {
        Some((first, rest)) if !matches!(rest.trim(), "am" | "pm") => match text.rsplit_once(' ') {
            Some((most, last)) if matches!(last, "today" | "tomorrow") || last.contains(['/', '.']) => {
                (most, last)
            }
            _ => (first, rest),
        },
        _ => (text, ""),
    }
}

/// What follows `now`: nothing, or `+` and how much later, in seconds unless it says otherwise.
fn from_now(text: &str) -> Option<Span> {
    if text.is_empty() {
        return Some(Span::new());
    }
    let later = text.strip_prefix('+')?.trim();
    let digits = later.bytes().take_while(u8::is_ascii_digit).count();
    let count: i64 = later.get(..digits)?.parse().ok()?;
    let unit: i64 = match later.get(digits..)?.trim() {
        "" | "s" | "second" | "seconds" => 1,
        "m" | "minute" | "minutes" => 60,
        "h" | "hour" | "hours" => 3_600,
        "d" | "day" | "days" => 86_400,
        "w" | "week" | "weeks" => 604_800,
        _ => return None,
    };
    Span::new().try_seconds(count.checked_mul(unit)?).ok()
}

fn time_of_day(text: &str) -> Option<Time> {
    match text {
        "midnight" => return Some(Time::midnight()),
        "noon" => return Time::new(12, 0, 0, 0).ok(),
        "elevenses" => return Time::new(11, 0, 0, 0).ok(),
        "fika" => return Time::new(15, 0, 0, 0).ok(),
        "teatime" => return Time::new(16, 0, 0, 0).ok(),
        _ => {}
    }
    let (clock, half) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(clock), _) => (clock.trim_end(), Some(0)),
        (_, Some(clock)) => (clock.trim_end(), Some(12)),
        (None, None) => (text, None),
    };
    let mut numbers = clock.split(':').map(number);
    let (hour, minute) = (numbers.next()??, numbers.next()??);
    let second = numbers.next().unwrap_or(Some(0))?;
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(half) => hour % 12 + half,
    };
    if numbers.next().is_some() { None } else { Time::new(hour, minute, second, 0).ok() }
}

/// One or two digits.
fn number(text: &str) -> Option<i8> {
    let digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// `today`, `tomorrow`, `MMDD`, `MMDDYY`, `MM/DD`, `MM/DD/YY`, `MM.DD`, `MM.DD.YY`.
fn day(text: &str, now: DateTime) -> Option<Date> {
    match text.trim() {
        "today" => return Some(now.date()),
        "tomorrow" => return now.date().tomorrow().ok(),
        _ => {}
    }
    let text = text.trim();
    let parts: Vec<&str> = if text.contains('/') {
        text.split('/').collect()
    } else if text.contains('.') {
        text.split('.').collect()
    } else if matches!(text.len(), 4 | 6) && text.is_ascii() {
        (0..text.len() / 2).filter_map(|at| text.get(2 * at..2 * at + 2)).collect()
    } else {
        return None;
    };
    let numbers: Vec<i8> = parts.into_iter().map(number).collect::<Option<_>>()?;
    match numbers.as_slice() {
        [month, day, year] => Date::new(2_000 + i16::from(*year), *month, *day).ok(),
        [month, day] => {
            let this = Date::new(now.year(), *month, *day).ok()?;
            if this >= now.date() { Some(this) } else { Date::new(now.year() + 1, *month, *day).ok() }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_time() {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let now: Timestamp = "2026-11-15T11:00:00Z".parse().unwrap();
        let cases = [
            ("now", Some("2026-11-15T11:00:00Z")),
            ("now+2hours", Some("2026-11-15T13:00:00Z")),
            ("now+90", Some("2026-11-15T11:01:30Z")),
            ("now+1week", Some("2026-11-22T11:00:00Z")),
            ("2026-11-15T12:30", Some("2026-11-15T11:30:00Z")),
            ("2026-11-15T12:30:01", Some("2026-11-15T11:30:01Z")),
            ("2026-11-15", Some("2026-11-14T23:00:00Z")),
            ("16:00", Some("2026-11-15T15:00:00Z")),
            ("4:00 PM", Some("2026-11-15T15:00:00Z")),
            ("4:00pm", Some("2026-11-15T15:00:00Z")),
            ("12:30am", Some("2026-11-15T23:30:00Z")),
            // Over today.
            ("08:00", Some("2026-11-16T07:00:00Z")),
            ("08:00:30 tomorrow", Some("2026-11-16T07:00:30Z")),
            ("tomorrow", Some("2026-11-15T23:00:00Z")),
            ("teatime", Some("2026-11-15T15:00:00Z")),
            ("midnight", Some("2026-11-15T23:00:00Z")),
            ("noon tomorrow", Some("2026-11-16T11:00:00Z")),
            ("12/24", Some("2026-12-23T23:00:00Z")),
            ("01/02", Some("2027-01-01T23:00:00Z")),
            ("12/24/26-18:00", Some("2026-12-24T17:00:00Z")),
            ("12.24.26", Some("2026-12-23T23:00:00Z")),
            ("122426", Some("2026-12-23T23:00:00Z")),
            ("1224", Some("2026-12-23T23:00:00Z")),
            ("soon", None),
            ("25:00", None),
            ("13:00pm", None),
            ("02/30", None),
            ("now+2fortnights", None),
            ("now+99999999999999999999weeks", None),
            ("now+", None),
            ("now-1hour", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let found = point(text, &zone, now).map(|point| point.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
