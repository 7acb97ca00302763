//! Plain decimals of a trace.

use walras_model::Decimal;

/// A decimal such as `12`, `-1` or `489.00`, times ten to the `decimals`; what is finer is cut off.
///
/// `None` when it is no such number or too large.
pub(crate) fn decimal(text: &str, decimals: u32) -> Option<i64> {
    // Nearly all are whole, and a trace has millions of them.
    if let Ok(whole) = text.parse::<i64>() {
        return whole.checked_mul(10_i64.checked_pow(decimals)?);
    }
    let unsigned = text.strip_prefix('+').filter(|rest| !rest.starts_with('-')).unwrap_or(text);
    // Some tracers leave out the nought before the point.
    let stated = match unsigned.strip_prefix('.').filter(|part| !part.is_empty()) {
        Some(part) => Decimal::plain(&format!("0.{part}")),
        None => Decimal::plain(unsigned),
    };
    stated.ok()?.cut(decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly_or_not_at_all() {
        assert_eq!(decimal("489.00", 3), Some(489_000));
        assert_eq!(decimal("-1", 3), Some(-1_000));
        assert_eq!(decimal("+12", 0), Some(12));
        assert_eq!(decimal("9223372036854775807", 0), Some(i64::MAX));
        assert_eq!(decimal("9223372036854775807", 1), None);
        assert_eq!(decimal("1.23456", 3), Some(1_234));
        assert_eq!(decimal(".5", 1), Some(5));
        assert_eq!(decimal("68719476736", 0), Some(68_719_476_736));
        for wrong in ["", "-", ".", "1e5", "nan", "1.x", "1.2.3", "99999999999999999999", "١", "1,5"] {
            assert_eq!(decimal(wrong, 3), None, "{wrong}");
        }
    }
}
