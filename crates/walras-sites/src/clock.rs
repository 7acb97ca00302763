//! The service's time: milliseconds since 1970, or faster. Connectors that do things in the world need both.

use crate::steady::with_ours;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use walras_model::{Span, Time};

/// A clock that showed some time at some moment, and runs `speed` times as fast as the wall's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    wall: i64,
    shown: i64,
    speed: u32,
}

impl Clock {
    /// The wall's clock.
    pub const WALL: Clock = Clock { wall: 0, shown: 0, speed: 1 };

    /// One that runs faster from a moment on, in milliseconds since 1970; a speed of 0 counts as 1.
    pub fn new(since: i64, speed: u32) -> Clock {
        Clock { wall: since, shown: since, speed: speed.max(1) }
    }

    /// The same time at a moment of the wall's clock, and another speed from there on.
    pub fn at_speed(self, wall: i64, speed: u32) -> Clock {
        Clock { wall, shown: self.at(wall).as_millis(), speed: speed.max(1) }
    }

    /// As it is kept between runs.
    pub fn text(self) -> String {
        format!("{} {} {}", self.wall, self.shown, self.speed)
    }

    /// The clock that was kept so.
    pub fn from_text(text: &str) -> Option<Clock> {
        let mut parts = text.split(' ');
        let mut next = || parts.next()?.parse::<i64>().ok();
        let (wall, shown, speed) = (next()?, next()?, next()?);
        Some(Clock { wall, shown, speed: u32::try_from(speed).ok().filter(|speed| *speed > 0)? })
    }

    /// How much faster than the wall's it runs.
    pub fn speed(self) -> u32 {
        self.speed
    }

    /// What it shows now.
    pub fn now(self) -> Time {
        self.at(wall_millis())
    }

    /// What it shows when the wall's shows this.
    pub fn at(self, wall: i64) -> Time {
        let passed = wall.saturating_sub(self.wall);
        let shown = self.shown.saturating_add(passed.saturating_mul(i64::from(self.speed)));
        Time::from_millis(shown).unwrap_or(Time::MAX)
    }

    /// How long one has to wait until so much time has passed on it.
    pub fn real(self, span: Span) -> Duration {
        let millis = u64::try_from(span.as_millis()).unwrap_or(0);
        Duration::from_millis(millis.div_ceil(u64::from(self.speed)))
    }

    /// How long one has to wait until it shows a time; nothing when it is past.
    pub fn until(self, time: Time) -> Duration {
        Span::from_millis((time - self.now()).max(0)).map_or(Duration::ZERO, |span| self.real(span))
    }
}

/// Milliseconds since 1970 by the wall's clock, without its jumps.
pub fn wall_millis() -> i64 {
    with_ours(jumping_millis(), |_, shown| shown)
}

/// By how much the wall is ahead of the time that goes on here, where that is so much that it is not followed.
pub fn wall_apart() -> Option<i64> {
    with_ours(jumping_millis(), |steady, _| steady.apart())
}

/// Shows no less than this from now on.
pub fn not_before(millis: i64) {
    with_ours(jumping_millis(), |steady, _| steady.not_before(millis));
}

fn jumping_millis() -> i64 {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(wall.as_millis()).unwrap_or(i64::MAX)
}

/// A moment moved by milliseconds; the same at the ends of time.
pub fn later(time: Time, millis: i64) -> Time {
    Time::from_millis(time.as_millis().saturating_add(millis)).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_faster_from_a_moment_on() {
        let clock = Clock::new(1_000, 60);
        assert_eq!(clock.at(1_000).as_millis(), 1_000);
        assert_eq!(clock.at(2_000).as_millis(), 61_000);
        assert_eq!(clock.real(Span::from_millis(90).unwrap()), Duration::from_millis(2));
        assert_eq!(Clock::WALL.at(5).as_millis(), 5);
        let slower = clock.at_speed(2_000, 1);
        assert_eq!((slower.at(2_000).as_millis(), slower.at(2_500).as_millis()), (61_000, 61_500));
        assert_eq!(Clock::from_text(&slower.text()), Some(slower));
    }
}
