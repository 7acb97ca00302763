//! The service's time: milliseconds since 1970, or faster.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use walras_core::{Span, Time};

/// A clock that runs `speed` times as fast as the wall's from a moment on, and equals it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    since: i64,
    speed: u32,
}

impl Clock {
    /// The wall's clock.
    pub const WALL: Clock = Clock { since: 0, speed: 1 };

    /// One that runs faster from a moment on, in milliseconds since 1970; a speed of 0 counts as 1.
    pub fn new(since: i64, speed: u32) -> Clock {
        Clock { since, speed: speed.max(1) }
    }

    /// How much faster than the wall's it runs.
    pub fn speed(self) -> u32 {
        self.speed
    }

    /// What it shows now.
    pub fn now(self) -> Time {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        self.at(i64::try_from(wall.as_millis()).unwrap_or(i64::MAX))
    }

    /// What it shows when the wall's shows this.
    pub fn at(self, wall: i64) -> Time {
        let passed = wall.saturating_sub(self.since);
        let shown = self.since.saturating_add(passed.saturating_mul(i64::from(self.speed)));
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
    }
}
