//! One stakeholder's weights, and what they make of alternatives.

use super::criterion::Criterion;
use super::weighted::{SCALE, Weighted};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::quantity::MILLION;

/// How several losses become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Aggregation {
    /// The greatest weighted loss, plus `l1` millionths of the sum of all.
    Chebyshev {
        /// ξ in millionths; positive.
        l1: i64,
    },
    /// The weighted mean.
    Mean,
    /// The greatest weight decides; the next only among equals, and so on. Equal weights count as one.
    Lexicographic,
}

impl Aggregation {
    /// Chebyshev plus L1 with ξ = 0.01, as the paper aggregates criteria.
    pub const CRITERIA: Aggregation = Aggregation::Chebyshev { l1: 10_000 };
    /// Chebyshev plus L1 with ξ = 0.1, as the paper aggregates stakeholders.
    pub const STAKEHOLDERS: Aggregation = Aggregation::Chebyshev { l1: 100_000 };
}

/// What one stakeholder wants: criteria with weights, and how they add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preference {
    weighted: Vec<Weighted>,
    aggregation: Aggregation,
}

/// Why a preference was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreferenceError {
    /// There is nothing to weigh.
    #[error("there is no criterion to weigh")]
    NoCriteria,
    /// A weight is negative.
    #[error("the weight of {0} is negative")]
    Negative(Criterion),
    /// All weights are zero.
    #[error("all weights are zero: at least one must be positive")]
    AllZero,
    /// A criterion is weighed twice.
    #[error("{0} is weighed twice")]
    Twice(Criterion),
    /// A given range has no length, or its ends the wrong way round.
    #[error("the range of {0} is empty: its first number must be below its second")]
    EmptyRange(Criterion),
    /// Its segments are too many, negative or all nothing.
    #[error(
        "the segments of {0} are no utility: expected at most 100 numbers from 0 on, at least one positive"
    )]
    Segments(Criterion),
    /// No alternative carries a criterion that is weighed.
    #[error("no alternative says anything of {0}, which is weighed")]
    Missing(Criterion),
}

impl Preference {
    /// Weights in any unit, only their ratios count; criteria without weight are left out.
    pub fn new(weights: Vec<Weighted>, aggregation: Aggregation) -> Result<Preference, PreferenceError> {
        if weights.is_empty() {
            return Err(PreferenceError::NoCriteria);
        }
        let mut seen = BTreeSet::new();
        for entry in &weights {
            let Weighted { criterion, weight, range, segments } = entry;
            if !segments.is_empty() && !entry.has_segments() {
                return Err(PreferenceError::Segments(criterion.clone()));
            }
            if *weight < 0 {
                return Err(PreferenceError::Negative(criterion.clone()));
            }
            if !seen.insert(criterion.clone()) {
                return Err(PreferenceError::Twice(criterion.clone()));
            }
            if range.is_some_and(|(low, high)| low >= high) {
                return Err(PreferenceError::EmptyRange(criterion.clone()));
            }
        }
        let raw: Vec<i64> = weights.iter().map(|entry| entry.weight).collect();
        let normal = normalised(&raw).ok_or(PreferenceError::AllZero)?;
        let entries = weights.into_iter().zip(normal).filter(|(_, weight)| *weight > 0);
        let weighted = entries.map(|(entry, weight)| Weighted { weight, ..entry }).collect();
        Ok(Preference { weighted, aggregation })
    }

    /// A preference that was made before, with its weights as they are: making it again could round them once more.
    #[cfg(feature = "serde")]
    pub(crate) fn restored(
        weighted: Vec<Weighted>,
        aggregation: Aggregation,
    ) -> Result<Preference, PreferenceError> {
        Preference::new(weighted.clone(), aggregation)?;
        Ok(Preference { weighted, aggregation })
    }

    /// Cost and finish matter alike.
    pub fn plain() -> Preference {
        let half = |criterion| Weighted::new(criterion, MILLION / 2);
        Preference {
            weighted: vec![half(Criterion::Cost), half(Criterion::Finish)],
            aggregation: Aggregation::CRITERIA,
        }
    }

    /// Cost and the likely finish matter alike.
    pub fn plain_by_prediction() -> Preference {
        let half = |criterion| Weighted::new(criterion, MILLION / 2);
        Preference {
            weighted: vec![half(Criterion::Cost), half(Criterion::LikelyFinish)],
            aggregation: Aggregation::CRITERIA,
        }
    }

    /// The same without one of its criteria; `None` when nothing is left.
    pub fn without(&self, criterion: &Criterion) -> Option<Preference> {
        let others = self.weighted.iter().filter(|weighted| weighted.criterion != *criterion);
        Preference::new(others.cloned().collect(), self.aggregation).ok()
    }

    /// The criteria that count, in the order given.
    pub fn weighted(&self) -> &[Weighted] {
        &self.weighted
    }

    /// Whether it says for any criterion between which values it matters.
    pub fn has_ranges(&self) -> bool {
        self.weighted.iter().any(|weighted| weighted.range.is_some())
    }

    /// How their losses become one.
    pub fn aggregation(&self) -> Aggregation {
        self.aggregation
    }
}

/// Weights in millionths of their sum, rounded down but never to nothing; `None` when all are zero.
pub(super) fn normalised(weights: &[i64]) -> Option<Vec<i64>> {
    let sum: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    let normal = |weight: &i64| {
        let share = i128::from(*weight) * i128::from(MILLION) / sum;
        i64::try_from(share).unwrap_or(MILLION).max(i64::from(*weight > 0))
    };
    (sum > 0).then(|| weights.iter().map(normal).collect())
}

/// An alternative as one stakeholder sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// Between 0, nothing could be better, and [`SCALE`].
    pub loss: i64,
    /// Its place among all, from 0; equals share no place: the earlier goes first.
    pub rank: usize,
}

/// Scores alternatives. A row holds the values of [`Preference::weighted`]'s criteria, in that order; an
/// alternative that says nothing of a criterion is as bad by it as can be.
pub fn score(preference: &Preference, rows: &[Vec<Option<i64>>]) -> Result<Vec<Scored>, PreferenceError> {
    let weighted = &preference.weighted;
    let ranges = ranges(weighted, rows)?;
    let losses: Vec<Vec<i64>> = rows
        .iter()
        .map(|row| {
            let value =
                |k: usize| row.get(k).copied().flatten().map(|value| weighted[k].criterion.turned(value));
            (0..weighted.len())
                .map(|k| value(k).map_or(SCALE, |value| weighted[k].loss(value.into(), ranges[k])))
                .collect()
        })
        .collect();
    let raw = |index: usize| -> Vec<i64> {
        let turned =
            |k: usize| rows[index].get(k).copied().flatten().map(|v| weighted[k].criterion.turned(v));
        (0..weighted.len()).map(|k| turned(k).unwrap_or(i64::MAX)).collect()
    };
    let weights: Vec<i64> = weighted.iter().map(|entry| entry.weight).collect();
    let keys: Vec<Vec<i128>> =
        losses.iter().map(|row| exact(preference.aggregation, &weights, row)).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    // Where scaling and rounding make two equal, the values themselves decide: nothing dominated goes first.
    order.sort_by_cached_key(|index| (keys[*index].clone(), raw(*index)));
    let mut scored = vec![Scored { loss: 0, rank: 0 }; rows.len()];
    let mut distinct = 0;
    let last = order.windows(2).filter(|pair| keys[pair[0]] != keys[pair[1]]).count();
    for (rank, index) in order.iter().enumerate() {
        if rank > 0 && keys[order[rank - 1]] != keys[*index] {
            distinct += 1;
        }
        let loss = match preference.aggregation {
            Aggregation::Lexicographic => share(distinct, last),
            _ => relative(preference.aggregation, &weights, keys[*index].first().copied().unwrap_or(0)),
        };
        scored[*index] = Scored { loss, rank };
    }
    Ok(scored)
}

/// The range of each criterion, turned so that less is better.
fn ranges(weighted: &[Weighted], rows: &[Vec<Option<i64>>]) -> Result<Vec<(i128, i128)>, PreferenceError> {
    let range = |k: usize| {
        let criterion = &weighted[k].criterion;
        let mut values =
            rows.iter().filter_map(|row| row.get(k).copied().flatten()).map(|v| criterion.turned(v));
        let first = values.next().ok_or_else(|| PreferenceError::Missing(criterion.clone()))?;
        let available = values.fold((first, first), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = weighted[k].turned_range().unwrap_or(available);
        Ok((i128::from(low), i128::from(high)))
    };
    (0..weighted.len()).map(range).collect()
}

/// `part` of `whole` as a loss.
fn share(part: usize, whole: usize) -> i64 {
    let (part, whole) = (i128::try_from(part).unwrap_or(0), i128::try_from(whole.max(1)).unwrap_or(1));
    i64::try_from(part * i128::from(SCALE) / whole).unwrap_or(SCALE)
}

/// The exact aggregate, to be compared part by part.
fn exact(aggregation: Aggregation, weights: &[i64], losses: &[i64]) -> Vec<i128> {
    match aggregation {
        Aggregation::Lexicographic => levels(weights, losses),
        _ => vec![aggregate(aggregation, weights, losses)],
    }
}

/// The mean loss of each group of equal weights, greatest weight first.
fn levels(weights: &[i64], losses: &[i64]) -> Vec<i128> {
    let mut groups: BTreeMap<Reverse<i64>, (i128, i128)> = BTreeMap::new();
    for (weight, loss) in weights.iter().zip(losses) {
        let (sum, count) = groups.entry(Reverse(*weight)).or_default();
        (*sum, *count) = (*sum + i128::from(*loss), *count + 1);
    }
    groups.into_values().map(|(sum, count)| sum / count).collect()
}

/// Chebyshev plus L1, or the weighted mean, exactly: in units of weight · loss, times a million for the former.
pub(super) fn aggregate(aggregation: Aggregation, weights: &[i64], losses: &[i64]) -> i128 {
    let products =
        || weights.iter().zip(losses).map(|(weight, loss)| i128::from(*weight) * i128::from(*loss));
    let sum: i128 = products().sum();
    match aggregation {
        Aggregation::Chebyshev { l1 } => {
            products().max().unwrap_or(0) * i128::from(MILLION) + i128::from(l1) * sum
        }
        Aggregation::Mean => sum,
        Aggregation::Lexicographic => in_levels(&levels(weights, losses)),
    }
}

/// Levels as one number: a loss at one level outweighs a thousand times as much at the next. Three levels fit; the
/// others make no difference.
fn in_levels(levels: &[i128]) -> i128 {
    (0..3).fold(0, |value, place| value * 1_000 + levels.get(place).copied().unwrap_or(0))
}

/// An aggregate as a loss: relative to that of the worst in every respect.
pub(super) fn relative(aggregation: Aggregation, weights: &[i64], aggregate: i128) -> i64 {
    let sum: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    let worst = match aggregation {
        Aggregation::Chebyshev { l1 } => {
            let max = i128::from(weights.iter().copied().max().unwrap_or(0));
            max * i128::from(MILLION) + i128::from(l1) * sum
        }
        Aggregation::Mean => sum,
        Aggregation::Lexicographic => in_levels(&levels(weights, &vec![1; weights.len()])),
    };
    i64::try_from(aggregate / worst.max(1)).unwrap_or(SCALE).min(SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Criterion::{Cost, Finish, Speed};

    fn preference(weights: &[(Criterion, i64)], aggregation: Aggregation) -> Preference {
        let weights =
            weights.iter().map(|(criterion, weight)| Weighted::new(criterion.clone(), *weight)).collect();
        Preference::new(weights, aggregation).unwrap()
    }

    fn rows(rows: &[[i64; 2]]) -> Vec<Vec<Option<i64>>> {
        rows.iter().map(|row| row.iter().map(|value| Some(*value)).collect()).collect()
    }

    fn losses(preference: &Preference, values: &[[i64; 2]]) -> Vec<i64> {
        score(preference, &rows(values)).unwrap().iter().map(|scored| scored.loss).collect()
    }

    #[test]
    fn the_extremes_lose_nothing_and_everything() {
        for aggregation in [Aggregation::CRITERIA, Aggregation::Mean, Aggregation::Lexicographic] {
            let preference = preference(&[(Cost, 3), (Speed, 1)], aggregation);
            assert_eq!(losses(&preference, &[[1, 9], [5, 2]]), [0, SCALE], "{aggregation:?}");
        }
    }

    #[test]
    fn the_form_is_that_of_the_text() {
        let preference = preference(&[(Cost, 3), (Finish, 1)], Aggregation::CRITERIA);
        // Losses 1/2 and 1 under weights 3/4 and 1/4: (0.375 + 0.01 · 0.625) / (0.75 + 0.01).
        let loss = losses(&preference, &[[0, 10], [5, 10], [10, 0]])[1];
        assert_eq!(loss, 501_644_736);
    }

    #[test]
    fn lexicographic_losses_are_places() {
        let preference = preference(&[(Cost, 2), (Finish, 1)], Aggregation::Lexicographic);
        assert_eq!(losses(&preference, &[[1, 9], [1, 3], [2, 0]]), [SCALE / 2, 0, SCALE]);
    }

    #[test]
    fn what_is_not_said_is_the_worst_and_what_nobody_says_an_error() {
        let preference = preference(&[(Cost, 1), (Finish, 1)], Aggregation::Mean);
        let scored = score(&preference, &[vec![Some(0), Some(0)], vec![Some(9), None]]).unwrap();
        assert_eq!(scored[1].loss, SCALE);
        let error = score(&preference, &[vec![Some(1), None]]).unwrap_err();
        assert_eq!(error, PreferenceError::Missing(Finish));
    }

    #[test]
    fn given_ranges_end_where_they_are_told() {
        let weights = vec![Weighted { range: Some((10, 20)), ..Weighted::new(Cost, 1) }];
        let preference = Preference::new(weights, Aggregation::Mean).unwrap();
        let rows: Vec<Vec<Option<i64>>> = [5, 15, 99].map(|cost| vec![Some(cost)]).to_vec();
        let losses: Vec<i64> = score(&preference, &rows).unwrap().iter().map(|scored| scored.loss).collect();
        assert_eq!(losses, [0, SCALE / 2, SCALE]);
    }

    #[test]
    fn senseless_preferences_are_refused() {
        let new = |weights| Preference::new(weights, Aggregation::Mean).unwrap_err();
        assert_eq!(new(vec![]), PreferenceError::NoCriteria);
        let cost = |weight| Weighted::new(Cost, weight);
        assert_eq!(new(vec![cost(0)]), PreferenceError::AllZero);
        assert_eq!(new(vec![cost(-1)]), PreferenceError::Negative(Cost));
        assert_eq!(new(vec![cost(1), cost(1)]), PreferenceError::Twice(Cost));
        let empty = Weighted { range: Some((4, 4)), ..cost(1) };
        assert_eq!(new(vec![empty]), PreferenceError::EmptyRange(Cost));
    }
}
