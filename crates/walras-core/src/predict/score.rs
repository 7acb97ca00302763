//! How good each guess was: mean absolute errors that fade with time.

/// What one error weighs.
const ONE: i128 = 1 << 16;
/// With every new error the old ones keep so many thousandths of their weight: thirty jobs halve it.
const FADE_LOCAL: i128 = 977;
/// The same for everybody together: seven hundred jobs halve it.
const FADE_ALL: i128 = 999;
/// The more general mean counts as much as this many jobs.
const PRIOR: i128 = 2;

/// The fading mean of one guess's absolute errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Score {
    sum: i128,
    weight: i128,
}

/// The scores of all guesses for some group of jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Scores {
    scores: Vec<Score>,
    fade: i128,
}

impl Scores {
    /// For a group of jobs that changes fast: a user's.
    pub(super) fn of_some(count: usize) -> Scores {
        Scores { scores: vec![Score::default(); count], fade: FADE_LOCAL }
    }

    /// For all jobs.
    pub(super) fn of_all(count: usize) -> Scores {
        Scores { scores: vec![Score::default(); count], fade: FADE_ALL }
    }

    /// Takes in the error of guess `place`, in milliseconds.
    pub(super) fn add(&mut self, place: usize, error: i64) {
        let Some(score) = self.scores.get_mut(place) else { return };
        score.sum = score.sum * self.fade / 1_000 + i128::from(error) * ONE;
        score.weight = score.weight * self.fade / 1_000 + ONE;
    }

    /// The mean error of guess `place`, drawn towards what holds more generally; `None` before any error.
    pub(super) fn mean(&self, place: usize, general: Option<i128>) -> Option<i128> {
        let score = self.scores.get(place).copied().unwrap_or_default();
        match general {
            Some(general) => Some((score.sum + PRIOR * ONE * general) / (score.weight + PRIOR * ONE)),
            None => score.sum.checked_div(score.weight),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_fade() {
        let mut scores = Scores::of_some(1);
        assert_eq!(scores.mean(0, None), None);
        assert_eq!(scores.mean(0, Some(70)), Some(70));
        for _ in 0..200 {
            scores.add(0, 1_000);
        }
        assert_eq!(scores.mean(0, None), Some(1_000));
        for _ in 0..30 {
            scores.add(0, 0);
        }
        let half = scores.mean(0, None).unwrap();
        assert!((450..550).contains(&half), "{half}");
    }
}
