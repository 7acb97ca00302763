//! A criterion with its weight, and what a value of it loses.
//!
//! Between the best and the worst value a loss grows evenly, or as a learnt utility says: in each of several equal parts of
//! the range at a pace of its own (piecewise linear, as in UTA).

use super::criterion::Criterion;

/// A loss of one: as far from the ideal as can be. Losses are integers between 0 and this.
pub const SCALE: i64 = 1_000_000_000;

/// A criterion with its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Weighted {
    /// What is weighed.
    pub criterion: Criterion,
    /// How much it counts: in any unit where a preference is made, in millionths of the sum of all weights within
    /// one.
    pub weight: i64,
    /// The values between which the stakeholder's content changes: ideal or worst first; the available ones where
    /// none are given.
    pub range: Option<(i64, i64)>,
    /// How much the loss grows in each of as many equal parts of the range, from the best value to the worst: a learnt
    /// utility. In any unit, only their ratios count; evenly where there are none.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub segments: Vec<i64>,
}

/// A utility has at most so many segments.
pub const SEGMENTS_MAX: usize = 100;

impl Weighted {
    /// A criterion whose range is the available one.
    pub fn new(criterion: Criterion, weight: i64) -> Weighted {
        Weighted { criterion, weight, range: None, segments: Vec::new() }
    }

    /// What a turned value loses within a turned range, between 0 and [`SCALE`].
    pub fn loss(&self, value: i128, range: (i128, i128)) -> i64 {
        shaped(scaled(value, range), &self.segments)
    }

    /// Whether its segments are a utility: not too many, none negative, and not all nothing.
    pub(super) fn has_segments(&self) -> bool {
        let steps = &self.segments;
        steps.len() <= SEGMENTS_MAX
            && steps.iter().all(|step| *step >= 0)
            && steps.iter().any(|step| *step > 0)
    }

    /// The given range, turned so that less is better.
    pub(super) fn turned_range(&self) -> Option<(i64, i64)> {
        let (low, high) = self.range?;
        let (low, high) = (self.criterion.turned(low), self.criterion.turned(high));
        Some((low.min(high), low.max(high)))
    }
}

/// Where a value lies in a range, between 0 and [`SCALE`]; beyond the ends it is the end.
pub(super) fn scaled(value: i128, (low, high): (i128, i128)) -> i64 {
    if high <= low {
        return if value > high { SCALE } else { 0 };
    }
    let share = (value.clamp(low, high) - low) * i128::from(SCALE) / (high - low);
    i64::try_from(share).unwrap_or(SCALE)
}

/// A loss that grows evenly, as one that grows as much in each of as many equal parts as the steps say.
fn shaped(loss: i64, steps: &[i64]) -> i64 {
    let sum: i128 = steps.iter().map(|step| i128::from(*step)).sum();
    if sum == 0 {
        return loss;
    }
    let count = i128::try_from(steps.len()).unwrap_or(1);
    let grown = steps.iter().zip(0..).map(|(step, segment)| {
        let depth = (i128::from(loss) * count - segment * i128::from(SCALE)).clamp(0, i128::from(SCALE));
        depth * i128::from(*step)
    });
    i64::try_from(grown.sum::<i128>() / sum).unwrap_or(SCALE)
}

#[cfg(test)]
mod tests {
    use super::super::preference::{Aggregation, Preference, PreferenceError, score};
    use super::*;
    use Criterion::{Cost, Speed};

    #[test]
    fn a_learnt_utility_says_where_in_the_range_it_hurts() {
        let loss = |segments: &[i64], values: &[i64]| -> Vec<i64> {
            let cost =
                Weighted { range: Some((0, 100)), segments: segments.to_vec(), ..Weighted::new(Cost, 1) };
            let preference = Preference::new(vec![cost], Aggregation::Mean).unwrap();
            let rows: Vec<_> = values.iter().map(|value| vec![Some(*value)]).collect();
            score(&preference, &rows).unwrap().iter().map(|scored| scored.loss / (SCALE / 100)).collect()
        };
        assert_eq!(loss(&[], &[0, 25, 50, 75, 100]), [0, 25, 50, 75, 100]);
        assert_eq!(loss(&[1, 1], &[0, 25, 50, 75, 100]), [0, 25, 50, 75, 100]);
        // Nothing up to the middle, and then all of it; nine tenths at once, and then little.
        assert_eq!(loss(&[0, 5], &[0, 25, 50, 75, 100]), [0, 0, 0, 50, 100]);
        assert_eq!(loss(&[9, 1], &[0, 25, 50, 75, 100]), [0, 45, 90, 95, 100]);
        // More speed is better: the best value comes first there too.
        let speed = Weighted { range: Some((0, 100)), segments: vec![0, 5], ..Weighted::new(Speed, 1) };
        let preference = Preference::new(vec![speed], Aggregation::Mean).unwrap();
        let losses = score(&preference, &[vec![Some(75)], vec![Some(25)]]).unwrap();
        assert_eq!((losses[0].loss, losses[1].loss), (0, SCALE / 2));
    }

    #[test]
    fn segments_are_numbers_from_0_on() {
        for segments in [vec![0, 0], vec![1, -1], vec![1; SEGMENTS_MAX + 1]] {
            let cost = Weighted { segments, ..Weighted::new(Cost, 1) };
            let refused = Preference::new(vec![cost], Aggregation::Mean);
            assert_eq!(refused, Err(PreferenceError::Segments(Cost)));
        }
    }
}
