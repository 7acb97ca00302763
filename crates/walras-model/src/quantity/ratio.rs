//! Parts of a whole and multiples of a price, in millionths.
//!
//! A bare count of millionths says neither what it is a part of nor how large it may be. A [`Share`] is at most the
//! whole, so no fee exceeds its charge and no refund what was paid; a [`Multiplier`] may be anything that is not negative;
//! a [`Factor`] is the budget's k. Each has one way to be applied, which rounds in one direction.

use super::money::{Money, Rate};
use super::rounding::{down, up};

/// How many millionths make one.
pub const MILLION: i64 = 1_000_000;

/// A part of a whole, from nothing to all of it, in millionths.
///
/// ```
/// use walras_model::{Money, Share};
/// let fee = Share::from_millionths(25_000).unwrap();
/// assert_eq!(fee.of(Money::from_micros(199)), Money::from_micros(4));
/// assert_eq!(Share::from_millionths(1_000_001), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(i64);

/// How many times as much, in millionths; never negative.
///
/// ```
/// use walras_model::{Multiplier, Rate};
/// let night = Multiplier::from_millionths(500_000).unwrap();
/// let rate = |micros| Rate::from_micros_per_second(micros).unwrap();
/// assert_eq!(night.of(rate(7)), Some(rate(4)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Multiplier(i64);

/// The k of a derived budget: more than nothing and at most one, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(i64);

impl Share {
    /// No part of it.
    pub const NOTHING: Share = Share(0);
    /// All of it.
    pub const WHOLE: Share = Share(MILLION);

    /// `None` when negative or above one.
    #[inline]
    pub const fn from_millionths(millionths: i64) -> Option<Share> {
        if millionths < 0 || millionths > MILLION { None } else { Some(Share(millionths)) }
    }

    /// So many hundredths, for shares that are written in code.
    ///
    /// # Panics
    /// Above a hundred.
    #[inline]
    pub const fn percent(percent: u8) -> Share {
        assert!(percent <= 100, "a share is at most the whole");
        Share(percent as i64 * (MILLION / 100))
    }

    /// In millionths.
    #[inline]
    pub const fn as_millionths(self) -> i64 {
        self.0
    }

    /// `part / whole`, rounded down to a millionth; nothing for a negative part or an empty whole, and the whole at most.
    #[inline]
    pub fn of_whole(part: i128, whole: i128) -> Share {
        if part <= 0 || whole <= 0 {
            return Share::NOTHING;
        }
        if part >= whole {
            return Share::WHOLE;
        }
        let millionths = part.checked_mul(i128::from(MILLION)).map(|scaled| down(scaled, whole));
        // A part so large that it cannot be scaled is measured against millionths of the whole instead.
        let millionths = millionths.unwrap_or_else(|| part / (whole / i128::from(MILLION)));
        Share(i64::try_from(millionths).map_or(MILLION, |millionths| millionths.min(MILLION)))
    }

    /// This share of an amount, rounded down to a micro-credit, that of a debt likewise towards nothing: what a share
    /// gives is never more than is there.
    #[inline]
    pub fn of(self, amount: Money) -> Money {
        let scaled = i128::from(amount.as_micros()) * i128::from(self.0);
        let micros = i64::try_from(scaled / i128::from(MILLION));
        Money::from_micros(micros.expect("a share of an amount is no larger than the amount"))
    }

    /// This share of a count, rounded down.
    #[inline]
    pub fn of_count(self, count: i64) -> i64 {
        let part = down(i128::from(count) * i128::from(self.0), i128::from(MILLION));
        i64::try_from(part).expect("a share of a count is no larger than the count")
    }
}

impl Multiplier {
    /// As much as before.
    pub const ONE: Multiplier = Multiplier(MILLION);
    /// A fourth of it.
    pub const QUARTER: Multiplier = Multiplier(MILLION / 4);

    /// `None` when negative.
    #[inline]
    pub const fn from_millionths(millionths: i64) -> Option<Multiplier> {
        if millionths < 0 { None } else { Some(Multiplier(millionths)) }
    }

    /// In millionths.
    #[inline]
    pub const fn as_millionths(self) -> i64 {
        self.0
    }

    /// This multiple of a price, rounded up to a micro-credit a second and never nothing; `None` beyond the range of prices.
    #[inline]
    pub fn of(self, rate: Rate) -> Option<Rate> {
        Multiplier::all_of(&[self], rate)
    }

    /// A price times each of these in turn, rounded up every time; only the last result must be within the range of prices.
    #[inline]
    pub fn all_of(multipliers: &[Multiplier], rate: Rate) -> Option<Rate> {
        let mut micros = i128::from(rate.as_micros_per_second());
        for multiplier in multipliers {
            micros = up(micros.checked_mul(i128::from(multiplier.0))?, i128::from(MILLION)).max(1);
        }
        Rate::from_micros_per_second(i64::try_from(micros).ok()?)
    }

    /// The sum of both; it stays at the greatest there is.
    #[inline]
    pub const fn more_by(self, step: Multiplier) -> Multiplier {
        Multiplier(self.0.saturating_add(step.0))
    }

    /// The difference, and nothing where that would be less.
    #[inline]
    pub fn less_by(self, step: Multiplier) -> Multiplier {
        Multiplier((self.0 - step.0).max(0))
    }

    /// This multiple of a count, rounded down; `None` on overflow.
    #[inline]
    pub fn of_count(self, count: i64) -> Option<i64> {
        i64::try_from(down(i128::from(count) * i128::from(self.0), i128::from(MILLION))).ok()
    }
}

impl Factor {
    /// The whole.
    pub const ONE: Factor = Factor(MILLION);

    /// `None` unless positive and at most one.
    #[inline]
    pub const fn from_millionths(millionths: i64) -> Option<Factor> {
        if millionths > 0 && millionths <= MILLION { Some(Factor(millionths)) } else { None }
    }

    /// In millionths.
    #[inline]
    pub const fn as_millionths(self) -> i64 {
        self.0
    }

    /// This part of a price in micro-credits, rounded down; `None` on overflow.
    #[inline]
    pub fn of_micros(self, micros: i128) -> Option<i128> {
        Some(down(micros.checked_mul(i128::from(self.0))?, i128::from(MILLION)))
    }

    /// The least price of which this part is at least `micros`: the inverse of [`Factor::of_micros`], rounded up.
    #[inline]
    pub fn least_whole(self, micros: i128) -> Option<i128> {
        Some(up(micros.checked_mul(i128::from(MILLION))?, i128::from(self.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_stay_within_the_whole() {
        assert_eq!(Share::from_millionths(-1), None);
        assert_eq!(Share::of_whole(1, 3), Share(333_333));
        assert_eq!(Share::of_whole(-1, 3), Share::NOTHING);
        assert_eq!(Share::of_whole(1, 0), Share::NOTHING);
        assert_eq!(Share::of_whole(4, 3), Share::WHOLE);
        assert_eq!(Share::of_whole(i128::MAX / 2, i128::MAX), Share(500_000));
        assert_eq!(Share(500_000).of(Money::from_micros(-3)), Money::from_micros(-1));
    }

    #[test]
    fn prices_round_up_and_never_vanish() {
        let rate = |micros| Rate::from_micros_per_second(micros).unwrap();
        assert_eq!(Multiplier(0).of(rate(5)), Some(rate(1)));
        assert_eq!(Multiplier(1_000_001).of(rate(1)), Some(rate(2)));
        assert_eq!(Multiplier::ONE.of(rate(i64::MAX)), Some(rate(i64::MAX)));
        assert_eq!(Multiplier(2_000_000).of(rate(i64::MAX)), None);
    }

    proptest! {
        #[test]
        fn a_share_and_what_is_left_are_the_whole(micros: i64, millionths in 0..=MILLION) {
            let amount = Money::from_micros(micros);
            let part = Share(millionths).of(amount).as_micros();
            prop_assert!(part.unsigned_abs() <= micros.unsigned_abs());
            prop_assert_eq!(Share::WHOLE.of(amount), amount);
            let exact = i128::from(micros) * i128::from(millionths);
            prop_assert!((exact - i128::from(part) * i128::from(MILLION)).abs() < i128::from(MILLION));
        }

        #[test]
        fn the_least_whole_is_the_least(micros in 0..=i64::MAX, millionths in 1..=MILLION) {
            let (factor, micros) = (Factor(millionths), i128::from(micros));
            let whole = factor.least_whole(micros).unwrap();
            prop_assert!(factor.of_micros(whole).unwrap() >= micros);
            prop_assert!(whole == 0 || factor.of_micros(whole - 1).unwrap() < micros);
        }
    }
}
