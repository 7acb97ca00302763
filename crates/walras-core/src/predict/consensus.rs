//! One value out of many guesses: the weighted median.
//!
//! The best guess so far need not be the best next time; where several are about as good, what lies in the middle of
//! them errs less than any one of them. The weight of a guess falls with the fourth power of its mean error, so that
//! the many poor ones together do not outweigh a good one. The median is one of the guesses, so there is always a
//! template to name.

/// Errors below this many milliseconds are about equal.
const FINE: i128 = 1_000;
/// The ratio of the least error to that of the best guess.
const ONE: i128 = 1 << 16;

/// What one template says of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    /// In milliseconds.
    pub(super) value: i64,
    /// Its mean error so far, in milliseconds; `None` when nobody has measured it.
    pub(super) error: Option<i128>,
    /// Its template's place; less is more specific.
    pub(super) place: usize,
}

/// The middle of the guesses by weight, in the words of the best template that says so. Guesses that nobody has
/// measured count only when there are no others; then the most specific is taken.
pub(super) fn weighted_median(mut guesses: Vec<Guess>) -> Option<Guess> {
    let Some(least) = guesses.iter().filter_map(|guess| guess.error).min() else {
        return guesses.into_iter().min_by_key(|guess| guess.place);
    };
    guesses.retain(|guess| guess.error.is_some());
    guesses.sort_unstable_by_key(|guess| (guess.value, guess.error, guess.place));
    let weight = |guess: &Guess| {
        let ratio = (least + FINE) * ONE / (guess.error.unwrap_or(least) + FINE);
        ratio * ratio * ratio * ratio
    };
    let total: i128 = guesses.iter().map(weight).sum();
    let mut sum = 0;
    let middle = guesses.iter().find(|guess| {
        sum += weight(guess);
        2 * sum >= total
    })?;
    guesses.iter().find(|guess| guess.value == middle.value).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(value: i64, error: i128, place: usize) -> Guess {
        Guess { value, error: Some(error), place }
    }

    #[test]
    fn guesses_that_are_about_as_good_meet_in_the_middle() {
        let guesses = vec![guess(900, 50_000, 0), guess(100, 51_000, 1), guess(300, 52_000, 2)];
        assert_eq!(weighted_median(guesses), Some(guess(300, 52_000, 2)));
    }

    #[test]
    fn many_poor_guesses_do_not_outweigh_a_good_one() {
        let mut guesses: Vec<Guess> = (1..100).map(|place| guess(900, 40_000, place)).collect();
        guesses.push(guess(100, 2_000, 100));
        assert_eq!(weighted_median(guesses), Some(guess(100, 2_000, 100)));
    }

    #[test]
    fn the_best_template_of_those_that_agree_is_named() {
        let guesses = vec![guess(100, 9_000, 0), guess(100, 3_000, 5), guess(100, 3_000, 4)];
        assert_eq!(weighted_median(guesses), Some(guess(100, 3_000, 4)));
    }

    #[test]
    fn what_nobody_has_measured_comes_last() {
        let new = |place| Guess { value: 7, error: None, place };
        assert_eq!(weighted_median(vec![new(3), new(1)]), Some(new(1)));
        assert_eq!(weighted_median(vec![new(1), guess(100, 9_000, 2)]), Some(guess(100, 9_000, 2)));
        assert_eq!(weighted_median(Vec::new()), None);
    }
}
