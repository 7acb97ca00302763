//! Means of small samples, with their confidence.
//!
//! ```
//! use walras_sim::statistics::Sample;
//! let sample = Sample::of([1.0, 2.0, 3.0, 4.0, 5.0].into_iter());
//! assert_eq!(sample.mean(), Some(3.0));
//! assert!((sample.half_width().unwrap() - 1.963).abs() < 1e-3);
//! ```

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

#[cfg(test)]
mod tests {
    use super::*;

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
