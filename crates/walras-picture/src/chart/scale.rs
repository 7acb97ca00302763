//! Scales of real numbers with round ticks.

/// From where to where, and how far the ticks are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    /// A scale that holds all values and zero, in at most `steps_max` round steps.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>, steps_max: f64) -> Scale {
        let (low, high) = extent(values).unwrap_or((0.0, 1.0));
        let (low, high) = (low.min(0.0), high.max(0.0));
        let high = if high > low { high } else { low + 1.0 };
        let step = round_step((high - low) / steps_max);
        Scale { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// A scale from the least to the greatest value, with round ticks in between.
    pub(super) fn of(values: impl Iterator<Item = f64>, steps_max: f64) -> Scale {
        let (low, high) = extent(values).unwrap_or((0.0, 1.0));
        let high = if high > low { high } else { low + 1.0 };
        Scale { low, high, step: round_step((high - low) / steps_max) }
    }

    /// Where a value lies, from 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The round numbers of the scale.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let first = (self.low / self.step).ceil();
        let ticks = (0..1_000).map(|index| (first + f64::from(index)) * self.step);
        ticks.take_while(|tick| *tick <= self.high + self.step * 1e-9).collect()
    }
}

/// The least and the greatest of the finite values.
fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut finite = values.filter(|value| value.is_finite());
    let first = finite.next()?;
    Some(finite.fold((first, first), |(low, high), value| (low.min(value), high.max(value))))
}

/// The least of 1, 2 and 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    let tens = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|factor| factor * tens).find(|step| *step >= least);
    step.unwrap_or(10.0 * tens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        assert_eq!(
            Scale::from_zero([59.85, 39.01].into_iter(), 6.0).ticks(),
            [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
        );
        assert_eq!(Scale::from_zero([-2.0, 7.0].into_iter(), 5.0).ticks(), [-2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(
            Scale::of([2.0, 10.0].into_iter(), 8.0).ticks(),
            [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
        );
    }

    #[test]
    fn nothing_and_what_is_not_finite_do_no_harm() {
        assert!(!Scale::from_zero(std::iter::empty(), 5.0).ticks().is_empty());
        assert!(!Scale::from_zero([f64::NAN, f64::INFINITY].into_iter(), 5.0).ticks().is_empty());
        assert!(!Scale::from_zero([0.0].into_iter(), 5.0).ticks().is_empty());
        assert!(!Scale::of([3.0, 3.0].into_iter(), 5.0).ticks().is_empty());
    }
}
