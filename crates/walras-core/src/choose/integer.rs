//! Integer numbers of two sizes, so that one piece of code serves both.

use std::ops::{Add, Mul, Sub};

/// A signed whole number.
pub(super) trait Integer:
    Copy + Ord + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// The neutral element of addition.
    const ZERO: Self;
    /// The number of this size, if it leaves room to add a few of its kind.
    fn narrow(number: i128) -> Option<Self>;
    /// The number of this size, or the nearest that leaves room to add one that `narrow` gave.
    fn saturate(number: i128) -> Self;
    /// The number in 128 bits.
    fn widen(self) -> i128;
    /// The nearest float; only ever used for bounds that are rounded by more than its error.
    fn to_float(self) -> f64;
}

/// Numbers of 64 bits are taken when they are below 2 to this power.
const NARROW_BITS: u32 = 58;

impl Integer for i64 {
    const ZERO: i64 = 0;

    #[inline]
    fn narrow(number: i128) -> Option<i64> {
        let small = number.unsigned_abs() < 1 << NARROW_BITS;
        i64::try_from(number).ok().filter(|_| small)
    }

    #[inline]
    fn saturate(number: i128) -> i64 {
        let most = 1_i64 << (NARROW_BITS + 3);
        i64::try_from(number).map_or(if number < 0 { -most } else { most }, |it| it.clamp(-most, most))
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

impl Integer for i128 {
    const ZERO: i128 = 0;

    fn narrow(number: i128) -> Option<i128> {
        Some(number)
    }

    fn saturate(number: i128) -> i128 {
        number
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
    Integer::to_float(number)
}
