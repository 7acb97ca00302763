//! Means of small samples, with their confidence; and how many values are spread.
//!
//! ```
//! use walras_sim::statistics::Sample;
//! let sample = Sample::of([1.0, 2.0, 3.0, 4.0, 5.0].into_iter());
//! assert_eq!(sample.mean(), Some(3.0));
//! assert!((sample.half_width().unwrap() - 1.963).abs() < 1e-3);
//! ```

use std::collections::BTreeMap;

/// Some values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    values: Vec<f64>,
}

/// The 97.5% quantile of Student's distribution, by degrees of freedom from 1 on.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

impl Sample {
    /// These values; what is not finite is left out.
    pub fn of(values: impl Iterator<Item = f64>) -> Sample {
        Sample { values: values.filter(|value| value.is_finite()).collect() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The mean; nothing of nothing.
    pub fn mean(&self) -> Option<f64> {
        (!self.values.is_empty()).then(|| self.values.iter().sum::<f64>() / self.values.len() as f64)
    }

    /// Half the width of the 95% confidence interval of the mean; nothing for fewer than two values.
    pub fn half_width(&self) -> Option<f64> {
        let (mean, count) = (self.mean()?, self.values.len());
        let freedom = count.checked_sub(1).filter(|freedom| *freedom > 0)?;
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        let quantile = STUDENT.get(freedom - 1).copied().unwrap_or(1.96);
        Some(quantile * (squares / freedom as f64 / count as f64).sqrt())
    }
}

/// So many values are kept as they are.
const KEPT_MAX: usize = 1 << 16;
/// Digits of a value's binary fraction that a bucket does not tell apart: ten of 52 are left.
const BLURRED: u32 = 42;

/// How values are spread, in memory that does not grow with their number: exact for up to 65,536 of them, and beyond that each
/// to within a part in 2,048. Mean and maximum are exact in any case. Values must not be negative.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    kept: Vec<f64>,
    /// How many values are in a bucket, by their leading binary digits.
    buckets: BTreeMap<u64, u64>,
    count: u64,
    sum: f64,
    max: f64,
}

impl Distribution {
    /// Takes in a value.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.max = self.max.max(value);
        if self.buckets.is_empty() && self.kept.len() < KEPT_MAX {
            self.kept.push(value);
            return;
        }
        for value in std::mem::take(&mut self.kept).into_iter().chain([value]) {
            *self.buckets.entry(value.to_bits() >> BLURRED).or_default() += 1;
        }
    }

    /// The mean; 0 without values.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// The greatest; 0 without values.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// The values below which so many hundredths of all are; 0 without values.
    pub fn percentiles<const N: usize>(&self, hundredths: [u64; N]) -> [f64; N] {
        let place = |hundredth: u64| (self.count * hundredth / 100).min(self.count.saturating_sub(1));
        if self.buckets.is_empty() {
            let mut kept = self.kept.clone();
            kept.sort_by(f64::total_cmp);
            let at = |place: u64| usize::try_from(place).ok().and_then(|place| kept.get(place).copied());
            return hundredths.map(|hundredth| at(place(hundredth)).unwrap_or(0.0));
        }
        hundredths.map(|hundredth| self.bucket_of(place(hundredth)).min(self.max))
    }

    /// The middle of the bucket in which the value of a place is.
    fn bucket_of(&self, place: u64) -> f64 {
        let mut before = 0;
        let bucket = self.buckets.iter().find(|(_, count)| {
            before += **count;
            before > place
        });
        let middle = |bucket: u64| f64::from_bits((bucket << BLURRED) | (1 << (BLURRED - 1)));
        // Nothing is nothing, and not a little.
        bucket.map_or(self.max, |(bucket, _)| if *bucket == 0 { 0.0 } else { middle(*bucket) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_are_spread_as_few_are() {
        let mut many = Distribution::default();
        let mut values: Vec<f64> = Vec::new();
        for number in 0..200_000_u32 {
            let value = f64::from(number.wrapping_mul(2_654_435_761) >> 8) / 100.0;
            let value = if number % 4 == 0 { 0.0 } else { value };
            many.add(value);
            values.push(value);
        }
        assert!(many.kept.is_empty() && many.buckets.len() < 20_000);
        values.sort_by(f64::total_cmp);
        let [quarter, half, most] = many.percentiles([20, 50, 95]);
        assert!(quarter.abs() < f64::EPSILON);
        for (found, place) in [(half, 100_000), (most, 190_000)] {
            assert!((found / values[place] - 1.0).abs() < 1.0 / 2_048.0, "{found} {}", values[place]);
        }
        assert!((many.mean() - values.iter().sum::<f64>() / 200_000.0).abs() < 1e-6 * many.mean());
        assert!(Distribution::default().percentiles([50])[0].abs() < f64::EPSILON);
    }

    #[test]
    fn small_samples_are_unsure() {
        let sample = |values: &[f64]| Sample::of(values.iter().copied());
        assert_eq!((sample(&[]).mean(), sample(&[]).half_width()), (None, None));
        assert_eq!((sample(&[2.0]).mean(), sample(&[2.0]).half_width()), (Some(2.0), None));
        assert!((sample(&[1.0, 3.0]).half_width().unwrap() - 12.706).abs() < 1e-9);
        assert_eq!(sample(&[4.0, f64::NAN, 4.0]).half_width(), Some(0.0));
        assert_eq!(sample(&[4.0, f64::NAN, 4.0]).count(), 2);
    }
}
