//! When something that does not answer is asked again: after a second, then after twice as long every time, at the latest after a minute.
//!
//! Every pause is a little longer or shorter than that, by chance, so that all who ask the same do not come at the same moment. Time and the
//! seed are arguments. O(1).

use std::time::{Duration, Instant};
use walras_random::Stream;

/// After a first silence it is asked again after this time.
const LEAST: Duration = Duration::from_secs(1);
/// But at the latest after this.
const MOST: Duration = Duration::from_secs(60);

/// How long something has not answered, and when it is asked again.
///
/// ```
/// use std::time::{Duration, Instant};
/// use walras_sites::backoff::Backoff;
///
/// let (mut backoff, now) = (Backoff::new(7), Instant::now());
/// assert!(backoff.is_due(now));
/// backoff.failed(now);
/// assert!(!backoff.is_due(now) && backoff.is_due(now + Duration::from_secs(2)));
/// backoff.went_well();
/// assert!(backoff.is_due(now));
/// ```
#[derive(Clone, Debug)]
pub struct Backoff {
    seed: u64,
    silences: u32,
    again: Option<Instant>,
}

impl Backoff {
    /// All is well; chances are drawn from this seed.
    pub fn new(seed: u64) -> Backoff {
        Backoff { seed, silences: 0, again: None }
    }

    /// It has not answered.
    pub fn failed(&mut self, now: Instant) {
        let longest =
            LEAST.saturating_mul(1_u32.checked_shl(self.silences.min(16)).unwrap_or(u32::MAX)).min(MOST);
        // Three quarters of it to all of it: never beyond what is promised.
        let share = Stream::open(self.seed, self.silences.into()).between(75, 100);
        let pause = longest * u32::try_from(share).unwrap_or(100) / 100;
        self.silences = self.silences.saturating_add(1);
        self.again = Some(now + pause);
    }

    /// It has answered.
    pub fn went_well(&mut self) {
        (self.silences, self.again) = (0, None);
    }

    /// Whether it may be asked.
    pub fn is_due(&self, now: Instant) -> bool {
        self.again.is_none_or(|again| now >= again)
    }

    /// Whether it has not answered the last time.
    pub fn is_silent(&self) -> bool {
        self.again.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute_and_differ_from_site_to_site() {
        let now = Instant::now();
        let pauses = |seed| {
            let mut backoff = Backoff::new(seed);
            let mut pause = || {
                backoff.failed(now);
                (0..=60_000).find(|millis| backoff.is_due(now + Duration::from_millis(*millis))).unwrap()
            };
            [pause(), pause(), pause(), pause(), pause(), pause(), pause(), pause()]
        };
        let one = pauses(1);
        for (pause, whole) in one.iter().zip([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
            assert!((whole * 3 / 4..=whole).contains(pause), "{pause} of {whole}: {one:?}");
        }
        assert_ne!(one, pauses(2));
    }
}
