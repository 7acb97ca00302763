//! Division that says which way it rounds.
//!
//! Nothing in Walras divides quantities anywhere else: a `/` that loses a remainder is a decision about somebody's money
//! or time, and has a name. Bounds of searches, which must be rounded to the safe side, use the same functions.

/// `a / b` towards plus infinity, for `b > 0`.
///
/// ```
/// use walras_model::quantity::rounding;
/// assert_eq!((rounding::up(7, 2), rounding::up(-7, 2)), (4, -3));
/// assert_eq!((rounding::down(7, 2), rounding::down(-7, 2)), (3, -4));
/// assert_eq!((rounding::nearest(5, 2), rounding::nearest(-5, 2)), (3, -3));
/// ```
#[inline]
pub const fn up(a: i128, b: i128) -> i128 {
    assert!(b > 0, "division is by something positive");
    a.div_euclid(b) + (a.rem_euclid(b) != 0) as i128
}

/// `a / b` towards minus infinity, for `b > 0`.
#[inline]
pub const fn down(a: i128, b: i128) -> i128 {
    assert!(b > 0, "division is by something positive");
    a.div_euclid(b)
}

/// `a / b` to the nearest whole number, halves away from zero, for `b > 0`.
#[inline]
pub const fn nearest(a: i128, b: i128) -> i128 {
    assert!(b > 0, "division is by something positive");
    let (whole, rest) = (a / b, (a % b).abs());
    let away = (rest >= b - rest) as i128;
    if a < 0 { whole - away } else { whole + away }
}

/// What so many milliseconds cost at so many micro-credits a second, rounded up as [`super::Rate::cost_of`] does: for searches, where
/// neither is negative and slots were refused whose product would not fit.
#[inline]
pub const fn cost(rate: i64, millis: i64) -> i64 {
    (rate * millis + 999) / 1_000
}

/// `a / b` rounded up where neither is negative: one division, for what searches do millions of times.
#[inline]
pub(super) const fn up_counts(a: i128, b: i128) -> i128 {
    (a + b - 1) / b
}
