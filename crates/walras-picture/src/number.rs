//! Numbers at the edge: integers become pixels and text here and nowhere else.

use walras_model::Decimal;

/// An integer quantity as a float, for coordinates only. Above 2⁵³ it is rounded, far below a pixel.
pub(crate) fn real(quantity: i64) -> f64 {
    quantity as f64
}

/// A count as a float, for coordinates only.
pub(crate) fn real_count(count: usize) -> f64 {
    count as f64
}

/// The whole part of a length in pixels as a count; nothing below zero.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates; the part is cut"
)]
pub(crate) fn whole(pixels: f64) -> usize {
    pixels as usize
}

/// A coordinate with at most two decimals.
pub(crate) fn pixels(value: f64) -> String {
    let text = trimmed(format!("{value:.2}"));
    if text == "-0" { "0".to_owned() } else { text }
}

/// `units / per_unit` with every digit.
pub(crate) fn exact(units: i64, per_unit: i64) -> String {
    Decimal::new(units.into(), per_unit.ilog10()).to_string()
}

/// `units / per_unit` with four digits that matter, and all digits before the point.
pub(crate) fn short(units: i64, per_unit: i64) -> String {
    let value = real(units) / real(per_unit);
    let leading = if units == 0 { 0.0 } else { value.abs().log10().floor() };
    let decimals = whole((3.0 - leading).clamp(0.0, 12.0));
    trimmed(format!("{value:.decimals$}"))
}

/// A count with its thousands set apart.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 node`, `2 nodes`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_have_two_decimals_at_most() {
        assert_eq!(pixels(1.0), "1");
        assert_eq!(pixels(10.0), "10");
        assert_eq!(pixels(1.256), "1.26");
        assert_eq!(pixels(1.5), "1.5");
        assert_eq!(pixels(-0.001), "0");
    }

    #[test]
    fn exact_keeps_and_short_rounds() {
        assert_eq!(exact(1_234_567, 1_000_000), "1.234567");
        assert_eq!(exact(-500, 1_000), "-0.5");
        assert_eq!(exact(7, 1), "7");
        assert_eq!(short(1_234_567, 1_000_000), "1.235");
        assert_eq!(short(400_000_000, 1_000_000), "400");
        assert_eq!(short(12_345_678_900, 1_000_000), "12346");
        assert_eq!(short(50, 1_000_000), "0.00005");
        assert_eq!(short(0, 1_000_000), "0");
    }

    #[test]
    fn counts_read_well() {
        assert_eq!(counted(1, "node"), "1 node");
        assert_eq!(counted(1_234_567, "node"), "1,234,567 nodes");
        assert_eq!(counted(100, "job"), "100 jobs");
    }
}
