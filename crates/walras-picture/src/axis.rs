//! The time axis: round ticks and what they are called.
//!
//! Steps are 1, 2 or 5 times a power of ten in the scenario's unit. A horizon of some hours is read on a
//! clock instead (`h:mm`, steps of minutes, hours and days). A horizon far from the origin, say in seconds since
//! 1970, is counted from its start, which the axis title then names.

use crate::scene::TimeUnit;
use walras_model::Interval;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// From here on, times are written as on a clock.
const CLOCK_FROM: i64 = 3 * HOUR;

/// A horizon that starts more than this many times its length from the origin is counted from its start.
const FAR: i64 = 20;

/// Steps of a clock, below those of whole days.
const CLOCK_STEPS: [i64; 11] = [
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
];

/// Ticks and what they mean.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) ticks: Vec<Tick>,
    /// What the numbers are, e.g. `time in s`.
    pub(crate) title: String,
}

/// One tick.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tick {
    /// In milliseconds since the origin.
    pub(crate) at: i64,
    pub(crate) label: String,
}

/// The axis of `horizon` with at most `ticks_max` steps.
pub(crate) fn axis(horizon: Interval, unit: TimeUnit, ticks_max: usize) -> Axis {
    let (start, end) = (horizon.start().as_millis(), horizon.end().as_millis());
    let span = end - start;
    let base = if start.abs() / FAR > span { start } else { 0 };
    let clock = span >= CLOCK_FROM;
    let step = step_of(span, ticks_max, clock);
    let first = base + (start - base).div_euclid(step) * step;
    let mut ticks = Vec::new();
    let mut at = if first < start { first + step } else { first };
    while at <= end {
        ticks.push(Tick { at, label: label_of(at - base, step, clock, unit) });
        at += step;
    }
    Axis { ticks, title: title_of(base, step, clock, unit) }
}

/// The smallest round step that divides `span` into at most `ticks_max` parts.
fn step_of(span: i64, ticks_max: usize, clock: bool) -> i64 {
    let parts = i64::try_from(ticks_max.max(1)).unwrap_or(i64::MAX);
    let enough = |step: &i64| span / step <= parts;
    let steps: &[i64] = if clock { &CLOCK_STEPS } else { &[] };
    let unit = if clock { DAY } else { 1 };
    steps.iter().copied().find(enough).unwrap_or_else(|| {
        let mut tens = unit;
        loop {
            if let Some(step) = [tens, 2 * tens, 5 * tens].into_iter().find(enough) {
                return step;
            }
            tens *= 10;
        }
    })
}

fn label_of(millis: i64, step: i64, clock: bool, unit: TimeUnit) -> String {
    if !clock {
        return unit.time(millis);
    }
    if step >= DAY {
        return format!("{}d", millis / DAY);
    }
    let sign = if millis < 0 { "-" } else { "" };
    let minutes = millis.abs() / MINUTE;
    format!("{sign}{}:{:02}", minutes / 60, minutes % 60)
}

fn title_of(base: i64, step: i64, clock: bool, unit: TimeUnit) -> String {
    let measure = match (clock, step >= DAY) {
        (false, _) => unit.symbol(),
        (true, false) => "h:mm",
        (true, true) => "days",
    };
    if base == 0 {
        format!("time in {measure}")
    } else {
        format!("{measure} after {} {}", unit.time(base), unit.symbol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Time;

    /// The labels of an axis with at most ten steps, then its title.
    fn check(start: i64, end: i64, unit: TimeUnit, expect: &str) {
        let time = |millis| Time::from_millis(millis).unwrap();
        let axis = axis(Interval::new(time(start), time(end)).unwrap(), unit, 10);
        let mut words: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
        words.push(&axis.title);
        assert_eq!(words.join(" "), expect);
    }

    #[test]
    fn steps_are_round() {
        check(0, 600_000, TimeUnit::Seconds, "0 100 200 300 400 500 600 time in s");
        check(0, 95_000, TimeUnit::Seconds, "0 10 20 30 40 50 60 70 80 90 time in s");
        check(7, 18, TimeUnit::Milliseconds, "8 10 12 14 16 18 time in ms");
        check(0, 1, TimeUnit::Seconds, "0 0.001 time in s");
        check(-1_500, 2_000, TimeUnit::Seconds, "-1.5 -1 -0.5 0 0.5 1 1.5 2 time in s");
    }

    #[test]
    fn long_horizons_are_read_on_a_clock() {
        check(0, 4 * HOUR, TimeUnit::Seconds, "0:00 0:30 1:00 1:30 2:00 2:30 3:00 3:30 4:00 time in h:mm");
        check(
            0,
            2 * DAY,
            TimeUnit::Milliseconds,
            "0:00 6:00 12:00 18:00 24:00 30:00 36:00 42:00 48:00 time in h:mm",
        );
        check(0, 45 * DAY, TimeUnit::Seconds, "0d 5d 10d 15d 20d 25d 30d 35d 40d 45d time in days");
        check(
            -HOUR,
            4 * HOUR,
            TimeUnit::Seconds,
            "-1:00 -0:30 0:00 0:30 1:00 1:30 2:00 2:30 3:00 3:30 4:00 time in h:mm",
        );
    }

    #[test]
    fn far_horizons_are_counted_from_their_start() {
        let start = 1_767_225_600_000;
        check(
            start,
            start + 50_000,
            TimeUnit::Seconds,
            "0 5 10 15 20 25 30 35 40 45 50 s after 1767225600 s",
        );
    }

    #[test]
    fn the_whole_range_of_time_has_an_axis() {
        let all = Interval::new(Time::MIN, Time::MAX).unwrap();
        assert!(axis(all, TimeUnit::Seconds, 10).ticks.len() <= 11);
    }
}
