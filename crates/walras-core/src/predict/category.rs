//! The finished jobs of one category, summed up.

use super::template::{Basis, Statistic};
use std::collections::VecDeque;
use walras_model::quantity::{MILLION, Span, rounding};

/// How many of the latest jobs are kept one by one.
const RECENT_MAX: usize = 25;
/// How many of them the short median looks at.
const FEW: usize = 5;

/// The finished jobs of one category.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Category {
    times: Series,
    shares: Series,
}

/// Numbers in the order in which they came: sums over all, and the latest themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Series {
    count: u32,
    sum: i128,
    sum_of_squares: i128,
    max: i64,
    recent: VecDeque<i64>,
}

/// What the finished jobs of a category come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many there are; at least one.
    pub jobs: u32,
    /// Their mean.
    pub mean: Span,
    /// Their standard deviation; there is none for one job.
    pub deviation: Option<Span>,
    /// The longest.
    pub max: Span,
    /// Where the true mean lies with 95% confidence (Student's t), from 0 upwards; none for one job.
    pub confidence: Option<(Span, Span)>,
}

impl Category {
    /// Takes in a job that has finished.
    pub(super) fn add(&mut self, value: Span, estimate: Option<Span>) {
        self.times.add(value.as_millis());
        if let Some(share) = estimate.and_then(|estimate| share(value, estimate)) {
            self.shares.add(share);
        }
    }

    /// What a template makes of it; `None` without jobs that it can use.
    pub(super) fn value(&self, basis: Basis, statistic: Statistic, estimate: Option<Span>) -> Option<i64> {
        match basis {
            Basis::Time => self.times.value(statistic),
            Basis::Share => {
                let (share, estimate) = (self.shares.value(statistic)?, estimate?);
                let product = i128::from(share) * i128::from(estimate.as_millis());
                i64::try_from(rounding::down(product, i128::from(MILLION))).ok()
            }
        }
    }

    /// The times in figures; `None` without jobs.
    pub(super) fn summary(&self) -> Option<Summary> {
        let Series { count, max, .. } = self.times;
        let mean = self.times.mean()?;
        let deviation = self.times.deviation();
        let confidence = deviation.and_then(|deviation| {
            let half = i128::from(deviation) * i128::from(student_t(count - 1));
            // Thousandths of t, and the square root of the count in thousandths as well.
            let root = i128::try_from((u128::from(count) * 1_000_000).isqrt()).ok()?;
            let half = i64::try_from(half / root.max(1)).ok()?;
            Some((span((mean - half).max(0))?, span(mean + half)?))
        });
        Some(Summary {
            jobs: count,
            mean: span(mean)?,
            deviation: deviation.and_then(span),
            max: span(max)?,
            confidence,
        })
    }
}

fn span(millis: i64) -> Option<Span> {
    Span::from_millis(millis)
}

/// `value / estimate` in millionths; `None` for an estimate of nothing.
fn share(value: Span, estimate: Span) -> Option<i64> {
    let scaled = i128::from(value.as_millis()) * i128::from(MILLION);
    i64::try_from(scaled.checked_div(i128::from(estimate.as_millis()))?).ok()
}

impl Series {
    fn add(&mut self, value: i64) {
        let wide = i128::from(value);
        self.count = self.count.saturating_add(1);
        self.sum += wide;
        self.sum_of_squares = self.sum_of_squares.saturating_add(wide * wide);
        self.max = self.max.max(value);
        if self.recent.len() == RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(value);
    }

    fn value(&self, statistic: Statistic) -> Option<i64> {
        match statistic {
            Statistic::LastTwo => {
                let mut latest = self.recent.iter().rev();
                let last = *latest.next()?;
                Some(latest.next().map_or(last, |before| last.midpoint(*before)))
            }
            Statistic::MedianOfFive => self.median(FEW),
            Statistic::MedianOfMany => self.median(RECENT_MAX),
            Statistic::Mean => self.mean(),
        }
    }

    fn mean(&self) -> Option<i64> {
        i64::try_from(self.sum.checked_div(i128::from(self.count))?).ok()
    }

    /// Of at most the last `count`; the mean of the two in the middle when there are two.
    fn median(&self, count: usize) -> Option<i64> {
        let mut buffer = [0; RECENT_MAX];
        let mut length = 0;
        for (place, value) in buffer.iter_mut().zip(self.recent.iter().rev().take(count)) {
            *place = *value;
            length += 1;
        }
        let latest = &mut buffer[..length];
        latest.sort_unstable();
        let (low, high) = (latest.get(length.checked_sub(1)? / 2)?, latest.get(length / 2)?);
        Some(low.midpoint(*high))
    }

    /// The sample's standard deviation.
    fn deviation(&self) -> Option<i64> {
        let count = i128::from(self.count);
        if count < 2 {
            return None;
        }
        let exact = || {
            let squares =
                count.checked_mul(self.sum_of_squares)?.checked_sub(self.sum.checked_mul(self.sum)?)?;
            Some(squares / (count * (count - 1)))
        };
        let rough = || {
            let mean = self.sum / count;
            self.sum_of_squares / count - mean * mean
        };
        let variance = exact().unwrap_or_else(rough).max(0);
        i64::try_from(variance.unsigned_abs().isqrt()).ok()
    }
}

/// The two-sided 95% point of Student's t for so many degrees of freedom, in thousandths.
fn student_t(freedom: u32) -> i64 {
    const FEW_JOBS: [i64; 30] = [
        12_706, 4_303, 3_182, 2_776, 2_571, 2_447, 2_365, 2_306, 2_262, 2_228, 2_201, 2_179, 2_160, 2_145,
        2_131, 2_120, 2_110, 2_101, 2_093, 2_086, 2_080, 2_074, 2_069, 2_064, 2_060, 2_056, 2_052, 2_048,
        2_045, 2_042,
    ];
    let place = usize::try_from(freedom.saturating_sub(1)).unwrap_or(usize::MAX);
    // Beyond the table the normal distribution, slightly widened, is near enough.
    FEW_JOBS.get(place).copied().unwrap_or(if freedom < 120 { 2_010 } else { 1_960 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(value: i64) -> Span {
        Span::from_millis(value * 1_000).unwrap()
    }

    fn category(values: &[i64]) -> Category {
        let mut category = Category::default();
        for value in values {
            category.add(seconds(*value), Some(seconds(100)));
        }
        category
    }

    #[test]
    fn figures_are_those_of_the_textbook() {
        let summary = category(&[2, 4, 4, 4, 5, 5, 7, 9]).summary().unwrap();
        assert_eq!((summary.jobs, summary.mean, summary.max), (8, seconds(5), seconds(9)));
        // The sample variance is 32 / 7.
        assert_eq!(summary.deviation, Span::from_millis(2_138));
        // 2.365 · 2.138 / √8 = 1.788
        assert_eq!(
            summary.confidence,
            Some((Span::from_millis(3_213).unwrap(), Span::from_millis(6_787).unwrap()))
        );
        let one = category(&[3]).summary().unwrap();
        assert_eq!((one.mean, one.deviation, one.confidence), (seconds(3), None, None));
        assert_eq!(Category::default().summary(), None);
    }

    #[test]
    fn every_statistic_is_what_it_says() {
        let values: Vec<i64> = (1..=40).collect();
        let of = |statistic| category(&values).value(Basis::Time, statistic, None);
        assert_eq!(of(Statistic::LastTwo), Some(39_500));
        assert_eq!(of(Statistic::MedianOfFive), Some(38_000));
        assert_eq!(of(Statistic::MedianOfMany), Some(28_000));
        assert_eq!(of(Statistic::Mean), Some(20_500));
    }

    #[test]
    fn shares_follow_the_estimate() {
        let category = category(&[25, 75]);
        let half = category.value(Basis::Share, Statistic::Mean, Some(seconds(40)));
        assert_eq!(half, Some(20_000));
        assert_eq!(category.value(Basis::Share, Statistic::Mean, None), None);
        let mut none = Category::default();
        none.add(seconds(5), Some(Span::ZERO));
        assert_eq!(none.value(Basis::Share, Statistic::Mean, Some(seconds(40))), None);
    }
}
