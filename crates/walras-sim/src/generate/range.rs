//! Ranges from which parameters are drawn.

use crate::config::{Check, ConfigError};
use serde::{Deserialize, Serialize};
use walras_random::Stream;

/// Whole numbers from the first, up to but without the second; the first alone when both are equal.
///
/// That the upper end is left out is *fitted*: the papers write closed brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeRange(pub u32, pub u32);

/// Real numbers from the first up to the second; the first alone when both are equal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RealRange(pub f64, pub f64);

impl WholeRange {
    /// A number of this range.
    pub fn draw(self, stream: &mut Stream) -> u32 {
        let drawn = stream.below(u64::from(self.1.saturating_sub(self.0)));
        self.0 + u32::try_from(drawn).unwrap_or(0)
    }

    /// The largest number that can be drawn.
    pub fn largest(self) -> u32 {
        self.1.saturating_sub(1).max(self.0)
    }

    /// Whether the range is in order and within these bounds.
    pub(crate) fn check(self, check: Check<'_>, least: u32, greatest: u32) -> Result<(), ConfigError> {
        let WholeRange(low, high) = self;
        if low > high {
            return check
                .fail(format!("[{low}, {high}] is no range: the first number must not be above the second"));
        }
        if low < least || high > greatest {
            return check.fail(format!("[{low}, {high}] must lie within [{least}, {greatest}]"));
        }
        Ok(())
    }
}

impl RealRange {
    /// A number of this range.
    pub fn draw(self, stream: &mut Stream) -> f64 {
        self.0 + (self.1 - self.0) * stream.share()
    }

    /// Whether the range is in order and within these bounds.
    pub(crate) fn check(self, check: Check<'_>, least: f64, greatest: f64) -> Result<(), ConfigError> {
        let RealRange(low, high) = self;
        if !low.is_finite() || !high.is_finite() {
            return check.fail(format!("[{low}, {high}] must be two finite numbers"));
        }
        if low > high {
            return check
                .fail(format!("[{low}, {high}] is no range: the first number must not be above the second"));
        }
        if low < least || high > greatest {
            return check.fail(format!("[{low}, {high}] must lie within [{least}, {greatest}]"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use walras_random::Purpose;

    #[test]
    fn the_upper_end_is_left_out() {
        let mut stream = Purpose::Jobs.stream(1, 0);
        let drawn: BTreeSet<u32> = (0..1_000).map(|_| WholeRange(3, 7).draw(&mut stream)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
        assert_eq!(WholeRange(3, 7).largest(), 6);
        assert_eq!(WholeRange(4, 4).draw(&mut stream), 4);
        assert_eq!(WholeRange(4, 4).largest(), 4);
    }

    #[test]
    fn real_numbers_fill_their_range() {
        let mut stream = Purpose::Jobs.stream(1, 0);
        let drawn: Vec<f64> = (0..10_000).map(|_| RealRange(1.0, 3.0).draw(&mut stream)).collect();
        assert!(drawn.iter().all(|value| (1.0..3.0).contains(value)));
        let mean = drawn.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 2.0).abs() < 0.02, "{mean}");
    }
}
