//! Plain decimals of a trace.

/// A decimal such as `12`, `-1` or `489.00`, times ten to the `decimals`; what is finer is cut off.
///
/// `None` when it is no such number or too large.
pub(super) fn decimal(text: &str, decimals: u32) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    let mut value: i64 = 0;
    for byte in whole.bytes() {
        value = value.checked_mul(10)?.checked_add(digit(byte)?)?;
    }
    let mut rest = part.bytes();
    for _ in 0..decimals {
        let next = rest.next().map_or(Some(0), digit)?;
        value = value.checked_mul(10)?.checked_add(next)?;
    }
    rest.all(|byte| byte.is_ascii_digit()).then_some(if negative { -value } else { value })
}

fn digit(byte: u8) -> Option<i64> {
    byte.is_ascii_digit().then(|| i64::from(byte - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly_or_not_at_all() {
        assert_eq!(decimal("489.00", 3), Some(489_000));
        assert_eq!(decimal("-1", 3), Some(-1_000));
        assert_eq!(decimal("1.23456", 3), Some(1_234));
        assert_eq!(decimal(".5", 1), Some(5));
        assert_eq!(decimal("68719476736", 0), Some(68_719_476_736));
        for wrong in ["", "-", ".", "1e5", "nan", "1.x", "1.2.3", "99999999999999999999", "١", "1,5"] {
            assert_eq!(decimal(wrong, 3), None, "{wrong}");
        }
    }
}
