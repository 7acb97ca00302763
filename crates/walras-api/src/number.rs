//! Numbers between files and the core's integers.
//!
//! The core counts in whole milliseconds, micro-credits and millionths; files carry decimals. [`scale`]
//! turns decimal text into such a count by looking at its digits, so 0.1 is a tenth and nothing else, and
//! [`decimal_text`] writes a count as the shortest decimal that reads back as the same count.

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{self, Serialize, Serializer};
use serde_json::value::RawValue;
#[cfg(feature = "schema")]
use std::borrow::Cow;
use std::fmt;
use walras_model::{Money, Rate, Span};

/// Counts of more digits than this are beyond every range.
const DIGITS_MAX: i64 = 36;

/// A number as a scenario carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Unsigned(u64),
    Signed(i64),
    Real(f64),
}

/// A decimal as a count of its smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scaled {
    /// The count, rounded to nearest, halves away from zero.
    pub(crate) units: i128,
    /// Whether nothing was rounded.
    pub(crate) exact: bool,
}

impl Number {
    /// A count of units as a scenario would write it.
    pub(crate) fn from_units(units: i128, decimals: u32) -> Number {
        let text = decimal_text(units, decimals);
        let whole = || text.parse().map(Number::Unsigned).or_else(|_| text.parse().map(Number::Signed));
        whole().unwrap_or_else(|_| Number::Real(text.parse().unwrap_or(f64::NAN)))
    }

    /// The number times ten to the `decimals`; `None` when it is not finite or beyond every range.
    pub(crate) fn scale(self, decimals: u32) -> Option<Scaled> {
        let factor = 10_i128.checked_pow(decimals)?;
        let whole = |number: i128| Some(Scaled { units: number.checked_mul(factor)?, exact: true });
        match self {
            Number::Unsigned(number) => whole(number.into()),
            Number::Signed(number) => whole(number.into()),
            Number::Real(number) => scale(&number.to_string(), decimals),
        }
    }

    /// Whether it is greater than zero.
    pub(crate) fn is_positive(self) -> bool {
        match self {
            Number::Unsigned(number) => number > 0,
            Number::Signed(number) => number > 0,
            Number::Real(number) => number > 0.0,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Unsigned(number) => number.fmt(f),
            Number::Signed(number) => number.fmt(f),
            Number::Real(number) if *number != 0.0 && (number.abs() < 1e-7 || number.abs() >= 1e21) => {
                write!(f, "{number:e}")
            }
            Number::Real(number) => number.fmt(f),
        }
    }
}

/// The value of decimal text such as `-12.5e3` times ten to the `decimals`, rounded to nearest.
///
/// `None` when it is no decimal or beyond every range.
pub(crate) fn scale(text: &str, decimals: u32) -> Option<Scaled> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    if whole.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // How many of the digits, from the left, stand before the decimal point once scaled.
    let kept = i64::try_from(whole.len()).ok()? + i64::from(exponent) + i64::from(decimals);
    let scaled = keep_digits(&digits, kept)?;
    Some(Scaled { units: if negative { -scaled.units } else { scaled.units }, ..scaled })
}

/// The number that the first `kept` digits form, rounded by the next one; digits past the end are zeros.
fn keep_digits(digits: &[u8], kept: i64) -> Option<Scaled> {
    let Some(first) = digits.iter().position(|digit| *digit != b'0') else {
        return Some(Scaled { units: 0, exact: true });
    };
    if kept - i64::try_from(first).ok()? > DIGITS_MAX {
        return None;
    }
    let Ok(kept) = usize::try_from(kept) else {
        return Some(Scaled { units: 0, exact: false });
    };
    let digit_at = |index: usize| digits.get(index).map_or(0, |digit| i128::from(digit - b'0'));
    let truncated = (first..kept).fold(0_i128, |units, index| units * 10 + digit_at(index));
    let exact = digits.iter().skip(kept).all(|digit| *digit == b'0');
    Some(Scaled { units: truncated + i128::from(digit_at(kept) >= 5), exact })
}

/// `units` divided by ten to the `decimals`, without trailing zeros.
pub(crate) fn decimal_text(units: i128, decimals: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let one = 10_u128.pow(decimals);
    let (whole, part) = (units.unsigned_abs() / one, units.unsigned_abs() % one);
    if part == 0 {
        return format!("{sign}{whole}");
    }
    let width = decimals as usize;
    let fraction = format!("{part:0width$}");
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Number, E> {
        Ok(Number::Unsigned(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Number, E> {
        Ok(Number::Signed(number))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Number, E> {
        Ok(Number::Real(number))
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "number".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number"})
    }
}

/// A number in a plan, kept as its decimal text so that none of its digits is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Num(String);

impl Num {
    /// `units` divided by ten to the `decimals`.
    pub(crate) fn from_units(units: i128, decimals: u32) -> Num {
        Num(decimal_text(units, decimals))
    }

    /// An amount in credits.
    pub fn of_money(money: Money) -> Num {
        Num::from_units(money.as_micros().into(), 6)
    }

    /// A price in credits a second.
    pub fn of_rate(rate: Rate) -> Num {
        Num::from_units(rate.as_micros_per_second().into(), 6)
    }

    /// A length of time in seconds.
    pub fn of_span(span: Span) -> Num {
        Num::from_units(span.as_millis().into(), 3)
    }

    /// A count of millionths as a plain number.
    pub fn of_millionths(millionths: i64) -> Num {
        Num::from_units(millionths.into(), 6)
    }

    /// It in millionths, when that is a whole number in range: credits as micro-credits.
    pub fn micros(&self) -> Option<i64> {
        self.units(6)
    }

    /// It in thousandths, when that is a whole number in range: seconds as milliseconds.
    pub fn millis(&self) -> Option<i64> {
        self.units(3)
    }

    /// Its text, a JSON number.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number in millionths, when that is a whole number in range.
    pub fn millionths(&self) -> Option<i64> {
        self.units(6)
    }

    /// The number times ten to the `decimals`, when that is a whole number in range.
    pub(crate) fn units(&self, decimals: u32) -> Option<i64> {
        let scaled = scale(&self.0, decimals).filter(|scaled| scaled.exact)?;
        i64::try_from(scaled.units).ok()
    }
}

impl std::str::FromStr for Num {
    type Err = String;

    /// Decimal text such as `12.5`, as it stands.
    fn from_str(text: &str) -> Result<Num, String> {
        let wrong = || format!("{} is not a number", crate::error::echo(text));
        scale(text, 6).and_then(|_| serde_json::from_str(text).ok()).ok_or_else(wrong)
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Num {
    fn schema_name() -> Cow<'static, str> {
        "num".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number"})
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Num, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return Ok(Num(text.to_owned()));
        }
        Err(de::Error::invalid_type(de::Unexpected::Other(&crate::error::echo(text)), &"a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str, decimals: u32) -> Option<(i128, bool)> {
        scale(text, decimals).map(|scaled| (scaled.units, scaled.exact))
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
        assert_eq!(units("1e-999999999", 6), Some((0, false)));
        assert_eq!(units("1e40", 0), None);
        for bad in ["", "-", "NaN", "inf", "1e", ".5", "0x10", "1e99999999999"] {
            assert_eq!(units(bad, 3), None, "{bad}");
        }
    }

    #[test]
    fn numbers_beyond_two_to_the_53_stay_exact() {
        let number = Number::Unsigned(9_007_199_254_740_993);
        assert_eq!(number.scale(0).unwrap().units, 9_007_199_254_740_993);
        assert_eq!(number.to_string(), "9007199254740993");
        assert!(Number::Real(f64::NAN).scale(3).is_none());
        assert!(Number::Real(f64::INFINITY).scale(3).is_none());
    }

    #[test]
    fn plan_numbers_keep_their_digits() {
        let text = "[0.1,17.648,-3,9223372036854.775807]";
        let numbers: Vec<Num> = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&numbers).unwrap(), text);
        assert_eq!(numbers[3].units(6), Some(i64::MAX));
        assert_eq!(numbers[0].units(0), None);
        assert_eq!("-12.5e1".parse::<Num>().unwrap().millionths(), Some(-125_000_000));
        assert_eq!("0.0000001".parse::<Num>().unwrap().millionths(), None);
        for bad in ["", "1.", "007", "NaN", "five"] {
            assert!(bad.parse::<Num>().is_err(), "{bad}");
        }
        let error = serde_json::from_str::<Num>("\"5\"").unwrap_err().to_string();
        assert!(error.contains("expected a number"), "{error}");
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_reads_back(units: i64, decimals in 0_u32..10) {
            let scaled = scale(&decimal_text(units.into(), decimals), decimals).unwrap();
            proptest::prop_assert_eq!(scaled, Scaled { units: units.into(), exact: true });
        }

        #[test]
        fn doubles_are_exact_to_fifteen_digits(units in -999_999_999_999_999_i64..=999_999_999_999_999) {
            let double: f64 = decimal_text(units.into(), 6).parse().unwrap();
            proptest::prop_assert_eq!(Number::Real(double).scale(6).unwrap().units, i128::from(units));
        }
    }
}
