//! Whole numbers of two sizes, so that one piece of code serves both.

use std::ops::{Add, Sub};

/// A signed whole number.
pub(super) trait Whole: Copy + Ord + Add<Output = Self> + Sub<Output = Self> {
    /// The number of this size; callers have made sure that it fits.
    fn of(number: i128) -> Self;
    /// The number of this size, if it fits.
    fn narrow(number: i128) -> Option<Self>;
    /// The number in 128 bits.
    fn widen(self) -> i128;
    /// The nearest float; only ever used for bounds that are rounded by more than its error.
    fn to_float(self) -> f64;
}

impl Whole for i64 {
    #[inline]
    fn of(number: i128) -> i64 {
        debug_assert!(i64::try_from(number).is_ok());
        i64::try_from(number).unwrap_or(i64::MAX)
    }

    #[inline]
    fn narrow(number: i128) -> Option<i64> {
        i64::try_from(number).ok()
    }

    #[inline]
    fn widen(self) -> i128 {
        i128::from(self)
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "bounds are rounded by more than this error")]
    fn to_float(self) -> f64 {
        self as f64
    }
}

impl Whole for i128 {
    fn of(number: i128) -> i128 {
        number
    }

    fn narrow(number: i128) -> Option<i128> {
        Some(number)
    }

    fn widen(self) -> i128 {
        self
    }

    #[expect(clippy::cast_precision_loss, reason = "bounds are rounded by more than this error")]
    fn to_float(self) -> f64 {
        self as f64
    }
}

/// The nearest float of a wide number.
pub(super) fn to_float(number: i128) -> f64 {
    Whole::to_float(number)
}
