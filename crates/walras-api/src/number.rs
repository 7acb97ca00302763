//! Numbers between files and the core's integers.
//!
//! The core counts in whole milliseconds, micro-credits and millionths; files carry decimals. [`Decimal`] is what both
//! are read and written through; here is what serde and schemas need around it: [`Number`] for what a parser has
//! already read, [`Num`] for text whose digits must all be kept.

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{self, Serialize, Serializer};
use serde_json::value::RawValue;
#[cfg(feature = "schema")]
use std::borrow::Cow;
use std::fmt;
use walras_model::{Decimal, DecimalError, Money, Rate, Span};

/// A number as a scenario carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Unsigned(u64),
    Signed(i64),
    Real(f64),
    /// By the digits that were written.
    Exact(Decimal),
}

impl Number {
    /// The number by its digits; `None` when it is not finite or beyond every range.
    pub(crate) fn decimal(self) -> Option<Decimal> {
        match self {
            Number::Unsigned(number) => Some(Decimal::new(number.into(), 0)),
            Number::Signed(number) => Some(Decimal::new(number.into(), 0)),
            Number::Real(number) => number.to_string().parse().ok(),
            Number::Exact(number) => Some(number),
        }
    }

    /// A count of units of ten to the minus `places`, as a scenario would write it.
    pub(crate) fn from_units(units: i128, places: u32) -> Number {
        let text = Decimal::new(units, places).to_string();
        let whole = || text.parse().map(Number::Unsigned).or_else(|_| text.parse().map(Number::Signed));
        whole().unwrap_or_else(|_| Number::Real(text.parse().expect("a decimal is a number")))
    }

    /// The number in units of ten to the minus `places`, rounded to nearest; `None` beyond every range.
    pub(crate) fn rounded(self, places: u32) -> Option<i64> {
        i64::try_from(self.decimal()?.rounded(places)?).ok()
    }

    /// Whether it is greater than zero.
    pub(crate) fn is_positive(self) -> bool {
        match self {
            Number::Unsigned(number) => number > 0,
            Number::Signed(number) => number > 0,
            Number::Real(number) => number > 0.0,
            Number::Exact(number) => number.is_positive(),
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
            Number::Exact(number) => number.fmt(f),
        }
    }
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
    pub fn from_units(units: i128, decimals: u32) -> Num {
        Num(Decimal::new(units, decimals).to_string())
    }

    /// A decimal as it is.
    pub(crate) fn from_decimal(decimal: Decimal) -> Num {
        Num(decimal.to_string())
    }

    /// An amount in credits.
    pub fn of_money(money: Money) -> Num {
        Num::from_units(money.as_micros().into(), 6)
    }

    /// An amount in credits, for people.
    ///
    /// ```
    /// use walras_api::Num;
    /// assert_eq!(Num::from_units(1, 0).credits(), "1 credit");
    /// assert_eq!(Num::from_units(25, 1).credits(), "2.5 credits");
    /// ```
    pub fn credits(&self) -> String {
        format!("{} {}", self.0, if self.0 == "1" { "credit" } else { "credits" })
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
        self.decimal()?.units(decimals).ok()
    }

    /// The number by its digits; `None` beyond every range.
    pub(crate) fn decimal(&self) -> Option<Decimal> {
        self.0.parse().ok()
    }
}

/// Text that is no decimal number; its beginning is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a number")]
pub struct NotANumber(String);

impl std::str::FromStr for Num {
    type Err = NotANumber;

    /// Decimal text such as `12.5`, as it stands.
    fn from_str(text: &str) -> Result<Num, NotANumber> {
        let wrong = || NotANumber(crate::error::echo(text));
        match text.parse::<Decimal>() {
            // Digits beyond those that are counted are kept as they stand.
            Ok(_) | Err(DecimalError::TooFine { .. }) => serde_json::from_str(text).map_err(|_| wrong()),
            Err(_) => Err(wrong()),
        }
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

    #[test]
    fn numbers_beyond_two_to_the_53_stay_exact() {
        let number = Number::Unsigned(9_007_199_254_740_993);
        assert_eq!(number.rounded(0), Some(9_007_199_254_740_993));
        assert_eq!(number.to_string(), "9007199254740993");
        assert!(Number::Real(f64::NAN).decimal().is_none());
        assert!(Number::Real(f64::INFINITY).decimal().is_none());
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
        fn what_a_double_does_not_hold_is_told(units in proptest::num::i64::ANY) {
            let number = Num::from_units(units.into(), 6);
            let double: f64 = number.as_str().parse().unwrap();
            let held = Number::Real(double).rounded(6) == Some(units);
            proptest::prop_assert!(held || crate::service::exact::is_long(number.as_str()), "{number}");
        }

        #[test]
        fn doubles_are_exact_to_fifteen_digits(units in -999_999_999_999_999_i64..=999_999_999_999_999) {
            let double: f64 = Decimal::new(units.into(), 6).to_string().parse().unwrap();
            proptest::prop_assert_eq!(Number::Real(double).rounded(6), Some(units));
        }
    }
}
