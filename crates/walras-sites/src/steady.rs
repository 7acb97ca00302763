//! The wall's clock without its jumps.
//!
//! **Problem.** Somebody sets the clock of the machine: back by minutes, forward by a day. A service that follows waits until the wall
//! has caught up, or finds every deadline past.
//!
//! **Method.** Time goes on by the monotonic clock. Where the wall differs it is followed slowly, by one part in twenty, so that time
//! never stands still or goes back. A difference of more than an hour is nobody's drift: it is not followed, and [`Steady::apart`] says
//! so until it is gone.
//!
//! **Complexity.** O(1) a look.
//!
//! ```
//! use walras_sites::steady::Steady;
//! let mut steady = Steady::new(1_000_000, 0);
//! assert_eq!(steady.look(1_000_100, 100), 1_000_100);
//! // The wall goes back by a minute: time goes on, a little slower.
//! assert_eq!(steady.look(940_200, 200), 1_000_195);
//! // By a day: that is not followed.
//! assert_eq!(steady.look(-86_399_700, 300), 1_000_295);
//! assert!(steady.apart().is_some());
//! ```

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What differs by more than this is not followed: an hour.
const APART_MAX: i64 = 3_600_000;
/// Of the time that passes, one part in so many is given to following.
const SLEW: i64 = 20;

/// A clock that follows another without its jumps; all in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steady {
    /// What it shows beyond the monotonic clock.
    ahead: i64,
    /// When it was looked at last, by the monotonic clock.
    looked_at: i64,
    /// What of a part of the time that passed has not been given to following yet.
    carried: i64,
    /// By how much the wall was ahead then.
    apart: i64,
}

impl Steady {
    /// One that shows what the wall does.
    pub fn new(wall: i64, monotonic: i64) -> Steady {
        Steady { ahead: wall.saturating_sub(monotonic), looked_at: monotonic, carried: 0, apart: 0 }
    }

    /// What it shows now.
    pub fn look(&mut self, wall: i64, monotonic: i64) -> i64 {
        let monotonic = monotonic.max(self.looked_at);
        let passed = (monotonic - self.looked_at).saturating_add(self.carried);
        self.looked_at = monotonic;
        let shown = self.ahead.saturating_add(monotonic);
        let apart = wall.saturating_sub(shown);
        let most = passed / SLEW;
        self.carried = passed % SLEW;
        let follows = apart.unsigned_abs() <= APART_MAX.unsigned_abs();
        let step = if follows { apart.clamp(-most, most) } else { 0 };
        self.ahead = self.ahead.saturating_add(step);
        self.apart = apart - step;
        shown.saturating_add(step)
    }

    /// By how much the wall is ahead, where that is so much that it is not followed; behind, where it is negative.
    pub fn apart(&self) -> Option<i64> {
        (self.apart.unsigned_abs() > APART_MAX.unsigned_abs()).then_some(self.apart)
    }

    /// Shows no less than this from now on: time does not go back from one life of a service to the next.
    pub fn not_before(&mut self, shown: i64) {
        self.ahead = self.ahead.max(shown.saturating_sub(self.looked_at));
    }
}

/// The one of this process, and when it began.
static OURS: Mutex<Option<(Steady, Instant)>> = Mutex::new(None);

/// Does something with the clock of this process, as it is now that the wall shows this.
pub(crate) fn with_ours<T>(wall: i64, look: impl FnOnce(&mut Steady, i64) -> T) -> T {
    let mut ours = OURS.lock().unwrap_or_else(PoisonError::into_inner);
    let (steady, begun) = ours.get_or_insert_with(|| (Steady::new(wall, 0), Instant::now()));
    let monotonic = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
    let shown = steady.look(wall, monotonic);
    look(steady, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown at every second of an hour on which the wall is set at its tenth minute.
    fn hour(set: i64) -> (Vec<i64>, Steady) {
        let mut steady = Steady::new(0, 0);
        let wall = |second: i64| 1_000 * second + if second < 600 { 0 } else { set };
        let shown = (1..=3_600).map(|second| steady.look(wall(second), 1_000 * second)).collect();
        (shown, steady)
    }

    #[test]
    fn time_goes_on_whatever_the_wall_does() {
        for set in [-60_000, 60_000, -300_000, 86_400_000, -86_400_000] {
            let (shown, _) = hour(set);
            for pair in shown.windows(2) {
                let step = pair[1] - pair[0];
                assert!((950..=1_050).contains(&step), "set by {set}: {step}");
            }
        }
    }

    #[test]
    fn minutes_are_followed_and_days_are_not() {
        let (shown, steady) = hour(-60_000);
        assert_eq!((shown[3_599], steady.apart()), (3_600_000 - 60_000, None));
        let (shown, mut steady) = hour(86_400_000);
        assert_eq!((shown[3_599], steady.apart()), (3_600_000, Some(86_400_000)));
        // It is set right again, and all is well.
        assert_eq!(steady.look(3_601_000, 3_601_000), 3_601_000);
        assert_eq!(steady.apart(), None);
    }

    #[test]
    fn a_service_goes_on_from_what_it_has_shown() {
        let mut steady = Steady::new(1_000, 0);
        steady.not_before(5_000);
        assert_eq!(steady.look(1_100, 100), 5_100 - 5);
    }
}
