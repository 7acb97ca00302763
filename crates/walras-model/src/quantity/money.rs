//! Money, and money per time.

use super::rounding::up_counts;
use super::time::Span;
use std::ops::Add;

const MILLIS_PER_SECOND: i128 = 1_000;

/// An amount of money in micro-credits; negative amounts are debts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

/// A price per time, in micro-credits per second; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(i64);

impl Money {
    /// No money.
    pub const ZERO: Money = Money(0);
    /// The largest amount.
    pub const MAX: Money = Money(i64::MAX);

    /// An amount of that many micro-credits.
    #[inline]
    pub const fn from_micros(micros: i64) -> Money {
        Money(micros)
    }

    /// The amount in micro-credits.
    #[inline]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The sum, or `None` on overflow.
    #[inline]
    pub fn checked_add(self, other: Money) -> Option<Money> {
        self.0.checked_add(other.0).map(Money)
    }

    /// The difference, or `None` on overflow.
    #[inline]
    pub fn checked_sub(self, other: Money) -> Option<Money> {
        self.0.checked_sub(other.0).map(Money)
    }
}

impl Add for Money {
    type Output = Money;
    /// For costs of what is offered, whose sum fits (see [`Offers::new`](crate::Offers::new)). A sum beyond the range stays
    /// at its end, which is above every budget and so bought by nobody; ledgers use [`Money::checked_add`].
    #[inline]
    fn add(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }
}

impl std::iter::Sum for Money {
    #[inline]
    fn sum<I: Iterator<Item = Money>>(amounts: I) -> Money {
        amounts.fold(Money::ZERO, Add::add)
    }
}

impl Rate {
    /// The highest price there is.
    pub const MAX: Rate = Rate(i64::MAX);

    /// `None` unless positive.
    #[inline]
    pub const fn from_micros_per_second(micros: i64) -> Option<Rate> {
        if micros > 0 { Some(Rate(micros)) } else { None }
    }

    /// Micro-credits per second.
    #[inline]
    pub const fn as_micros_per_second(self) -> i64 {
        self.0
    }

    /// What `span` costs at this rate, rounded up to a micro-credit; `None` on overflow.
    ///
    /// This is the one place where a cost is rounded.
    #[inline]
    pub fn cost_of(self, span: Span) -> Option<Money> {
        i64::try_from(self.cost_of_millis(i128::from(span.as_millis()))?).ok().map(Money)
    }

    /// The same before it is narrowed to the range of money.
    #[inline]
    pub fn cost_of_millis(self, millis: i128) -> Option<i128> {
        let product = i128::from(self.0).checked_mul(millis)?;
        Some(up_counts(product, MILLIS_PER_SECOND))
    }
}
