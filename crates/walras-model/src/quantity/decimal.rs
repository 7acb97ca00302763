//! Decimals as people and files write them, read by their digits and written without losing one.
//!
//! **Problem.** Quantities are whole numbers of their smallest unit (milliseconds, micro-credits, millionths), but everybody
//! writes decimals. A binary fraction between the two would make 0.1 something else than a tenth.
//!
//! **Method.** A [`Decimal`] is an integer and how many of its digits stand after the point. Text is read by its digits;
//! [`Decimal::units`] gives the whole number of a unit or says that the decimal is finer than it; what is written is the
//! shortest text that reads back as the same number.
//!
//! ```
//! use walras_model::{Decimal, DecimalError};
//! let price: Decimal = "12.5e-1".parse().unwrap();
//! assert_eq!(price.units(6), Ok(1_250_000));
//! assert_eq!(price.units(1), Err(DecimalError::TooFine { places: 1 }));
//! assert_eq!(Decimal::new(1_250_000, 6).to_string(), "1.25");
//! ```

use super::MILLION;
use super::rounding::{down, nearest};
use std::fmt;
use std::str::FromStr;

/// Numbers of more digits than this are beyond every range.
const DIGITS_MAX: u32 = 36;
/// So many digits after the point are kept, zeros among them; the smallest double has 324.
const PLACES_MAX: u32 = 400;

/// A decimal number: so many units of ten to the minus `places`.
///
/// No trailing zeros are kept, so equal numbers are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    units: i128,
    places: u32,
}

/// Why a text or a decimal is not the number that was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecimalError {
    /// The text is no decimal.
    #[error("not a decimal number")]
    NotDecimal,
    /// It has more digits than are wanted after the point.
    #[error("more than {places} decimals")]
    TooFine {
        /// How many are read.
        places: u32,
    },
    /// It is beyond the range of what is counted.
    #[error("too large")]
    TooLarge,
}

impl Decimal {
    /// `units` divided by ten to the `places`.
    pub const fn new(mut units: i128, mut places: u32) -> Decimal {
        while places > 0 && units % 10 == 0 {
            units /= 10;
            places -= 1;
        }
        Decimal { units, places }
    }

    /// Whether it is greater than zero.
    pub const fn is_positive(self) -> bool {
        self.units > 0
    }

    /// Reads digits and a point, with a minus at most: what a person types, without an exponent.
    pub fn plain(text: &str) -> Result<Decimal, DecimalError> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        read(negative, whole, part, 0)
    }

    /// The number in units of ten to the minus `places`, when it is a whole number of them in range.
    pub fn units(self, places: u32) -> Result<i64, DecimalError> {
        i64::try_from(self.units_wide(places)?).map_err(|_| DecimalError::TooLarge)
    }

    /// The same for sums, which may be beyond the range of their terms.
    pub fn units_wide(self, places: u32) -> Result<i128, DecimalError> {
        match self.scaled(places) {
            Scaled::Exactly(units) => Ok(units),
            Scaled::Between { .. } => Err(DecimalError::TooFine { places }),
            Scaled::Beyond => Err(DecimalError::TooLarge),
        }
    }

    /// The number in units of ten to the minus `places`, rounded to nearest, halves away from zero; `None` beyond range.
    pub fn rounded(self, places: u32) -> Option<i128> {
        match self.scaled(places) {
            Scaled::Exactly(units) => Some(units),
            Scaled::Between { per_unit } => Some(per_unit.map_or(0, |it| nearest(self.units, it))),
            Scaled::Beyond => None,
        }
    }

    /// The number in units of ten to the minus `places`, what is finer cut off; `None` beyond range.
    pub fn cut(self, places: u32) -> Option<i64> {
        let units = match self.scaled(places) {
            Scaled::Exactly(units) => units,
            Scaled::Between { per_unit } => {
                per_unit.map_or(0, |it| self.units.signum() * down(self.units.abs(), it))
            }
            Scaled::Beyond => return None,
        };
        i64::try_from(units).ok()
    }

    fn scaled(self, places: u32) -> Scaled {
        match places.checked_sub(self.places) {
            Some(more) => {
                let units = 10_i128.checked_pow(more).and_then(|one| self.units.checked_mul(one));
                units.map_or(Scaled::Beyond, Scaled::Exactly)
            }
            None => Scaled::Between { per_unit: 10_i128.checked_pow(self.places - places) },
        }
    }
}

/// A number that a node's attribute carries, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fixed(i64);

impl Fixed {
    /// That many millionths.
    pub const fn from_millionths(millionths: i64) -> Fixed {
        Fixed(millionths)
    }

    /// In millionths.
    pub const fn as_millionths(self) -> i64 {
        self.0
    }

    /// The whole part, what is left cut off.
    pub const fn whole(self) -> i64 {
        self.0 / MILLION
    }
}

/// A decimal against a unit.
enum Scaled {
    Exactly(i128),
    /// Between two whole numbers of units; how much one is, or none when it is more than can be counted.
    Between {
        per_unit: Option<i128>,
    },
    Beyond,
}

impl FromStr for Decimal {
    type Err = DecimalError;

    /// Reads decimal text such as `-12.5e3`, as JSON writes it.
    fn from_str(text: &str) -> Result<Decimal, DecimalError> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => {
                (mantissa, exponent.parse::<i32>().map_err(|_| DecimalError::NotDecimal)?)
            }
            None => (unsigned, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        read(negative, whole, part, exponent)
    }
}

/// The number with these digits before and after the point, times ten to the `exponent`.
fn read(negative: bool, whole: &str, part: &str, exponent: i32) -> Result<Decimal, DecimalError> {
    let digits = || whole.bytes().chain(part.bytes());
    if whole.is_empty() || !digits().all(|digit| digit.is_ascii_digit()) {
        return Err(DecimalError::NotDecimal);
    }
    let length = digits().count();
    let leading = digits().take_while(|digit| *digit == b'0').count();
    if leading == length {
        return Ok(Decimal { units: 0, places: 0 });
    }
    let zeros = part.bytes().rev().chain(whole.bytes().rev()).take_while(|digit| *digit == b'0').count();
    let count = |count: usize| i64::try_from(count).map_err(|_| DecimalError::TooLarge);
    // Digits after the point, once trailing zeros are gone; negative when zeros are missing before it.
    let places = count(part.len())? - count(zeros)? - i64::from(exponent);
    let significant = count(length - leading - zeros)?;
    if significant - places > i64::from(DIGITS_MAX) {
        return Err(DecimalError::TooLarge);
    }
    if significant > i64::from(DIGITS_MAX) {
        return Err(DecimalError::TooFine { places: DIGITS_MAX });
    }
    if places > i64::from(PLACES_MAX) {
        return Err(DecimalError::TooFine { places: PLACES_MAX });
    }
    let kept = digits().skip(leading).take(length - leading - zeros);
    let units = kept.fold(0_i128, |units, digit| units * 10 + i128::from(digit - b'0'));
    let missing = u32::try_from((-places).max(0)).map_err(|_| DecimalError::TooLarge)?;
    let units = units * 10_i128.pow(missing);
    let places = u32::try_from(places.max(0)).map_err(|_| DecimalError::TooLarge)?;
    Ok(Decimal { units: if negative { -units } else { units }, places })
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let digits = self.units.unsigned_abs().to_string();
        let places = self.places as usize;
        if places == 0 {
            return f.pad(&format!("{sign}{digits}"));
        }
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, part) = padded.split_at(padded.len() - places);
        f.pad(&format!("{sign}{whole}.{part}"))
    }
}

macro_rules! display_as_decimal {
    ($($name:path, $units:path, $places:literal);* $(;)?) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Decimal::new(i128::from($units(*self)), $places).fmt(f)
            }
        }
    )*};
}

// Time in seconds, money in credits, and so on: the units that people write.
display_as_decimal!(
    super::Time, super::Time::as_millis, 3;
    super::Span, super::Span::as_millis, 3;
    super::Work, super::Work::as_millis, 3;
    super::Watts, super::Watts::as_milliwatts, 3;
    super::Money, super::Money::as_micros, 6;
    super::Rate, super::Rate::as_micros_per_second, 6;
    super::Performance, super::Performance::as_millionths, 6;
    super::Share, super::Share::as_millionths, 6;
    super::Multiplier, super::Multiplier::as_millionths, 6;
    super::Factor, super::Factor::as_millionths, 6;
    super::Fixed, super::Fixed::as_millionths, 6;
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn units(text: &str, places: u32) -> Option<(i128, bool)> {
        let decimal = text.parse::<Decimal>().ok()?;
        Some((decimal.rounded(places)?, decimal.units(places) != Err(DecimalError::TooFine { places })))
    }

    #[test]
    fn digits_decide() {
        assert_eq!(units("0.1", 6), Some((100_000, true)));
        assert_eq!(units("17.648", 3), Some((17_648, true)));
        assert_eq!(units("-0.0005", 3), Some((-1, false)));
        assert_eq!(units("0.0004", 3), Some((0, false)));
        assert_eq!(units("1.5e3", 0), Some((1_500, true)));
        assert_eq!(units("25E-1", 0), Some((3, false)));
        assert_eq!(units("9223372036854.775807", 6), Some((i64::MAX.into(), true)));
        assert_eq!(units("0e999999999", 6), Some((0, true)));
        assert_eq!(units("1e-300", 6), Some((0, false)));
        assert_eq!(units("000.50000", 1), Some((5, true)));
        assert_eq!(units("1e40", 0), None);
        for bad in ["", "-", "NaN", "inf", "1e", ".5", "0x10", "1e99999999999", "--1", "+1", "1.2.3", "١"] {
            assert_eq!(bad.parse::<Decimal>(), Err(DecimalError::NotDecimal), "{bad}");
        }
        assert_eq!(Decimal::plain("1e5"), Err(DecimalError::NotDecimal));
        assert_eq!(Decimal::plain("-1.23456").unwrap().cut(3), Some(-1_234));
    }

    #[test]
    fn what_is_too_much_is_told_from_what_is_no_number() {
        assert_eq!("1e36".parse::<Decimal>(), Err(DecimalError::TooLarge));
        assert_eq!("9223372036854775808".parse::<Decimal>().unwrap().units(0), Err(DecimalError::TooLarge));
        let long = format!("0.{}", "3".repeat(50));
        assert_eq!(long.parse::<Decimal>(), Err(DecimalError::TooFine { places: DIGITS_MAX }));
        assert_eq!("1e-999999999".parse::<Decimal>(), Err(DecimalError::TooFine { places: PLACES_MAX }));
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(units: i64, places in 0_u32..10) {
            let decimal = Decimal::new(units.into(), places);
            let read: Decimal = decimal.to_string().parse().unwrap();
            prop_assert_eq!(read, decimal);
            prop_assert_eq!(read.units(places), Ok(units));
            prop_assert_eq!(Decimal::plain(&decimal.to_string()), Ok(decimal));
        }

        #[test]
        fn no_text_breaks_the_reader(text in ".{0,40}", digits in "-?[0-9]{0,45}\\.?[0-9]{0,45}(e-?[0-9]{1,12})?") {
            for text in [text, digits] {
                if let Ok(decimal) = text.parse::<Decimal>() {
                    let _ = (decimal.rounded(3), decimal.cut(9), decimal.units(0), decimal.to_string().len());
                }
            }
        }
    }
}
