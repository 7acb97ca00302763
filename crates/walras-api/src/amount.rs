//! Money and prices on their way in, by their own digits.
//!
//! **Problem.** Whoever reads JSON or YAML makes a double of a number with a point, and beyond fifteen digits a double is another amount. Clients
//! whose own numbers are doubles cannot even write such an amount as a number.
//!
//! **Method.** An [`Amount`] is read from the text of the document: of JSON the number as it stands, of YAML its scalar, of both also
//! text with a number in it. A reader that has made a double of it already is believed up to fifteen digits, and refused beyond.
//!
//! ```
//! let amounts: Vec<walras_api::Amount> = serde_json::from_str(r#"[9007199254.740993, "9007199254.740993"]"#).unwrap();
//! assert_eq!(amounts[0], amounts[1]);
//! assert_eq!(amounts[0].to_string(), "9007199254.740993");
//! ```

use crate::error::{Problem, echo};
use crate::number::{Num, Number};
use crate::unit::MONEY_DECIMALS;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Unexpected, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use walras_model::{Decimal, DecimalError};

/// By this name serde_json's reader gives the text of a value; any other reader gives the value. The tests notice should it ever change.
const AS_TEXT: &str = "$serde_json::private::RawValue";
/// A double holds every decimal of so many digits.
const DOUBLE_DIGITS: usize = 15;

/// An amount of credits or a price, by its own digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount(Decimal);

/// Why a double is no amount; with its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadDouble {
    /// It may have been another number when it was written.
    #[error("{0} has more digits than a number keeps here: write it as text")]
    TooManyDigits(String),
    /// It is infinite, or none at all.
    #[error("{0} is not a number")]
    NotANumber(String),
}

impl Amount {
    /// A whole number of credits.
    pub(crate) fn whole(credits: u32) -> Amount {
        Amount(Decimal::new(credits.into(), 0))
    }

    /// It as a number.
    pub(crate) fn number(self) -> Number {
        Number::Exact(self.0)
    }

    /// The same, unless it is finer than a micro-credit.
    pub(crate) fn to_the_micro(self) -> Result<Number, Problem> {
        match self.0.units_wide(MONEY_DECIMALS) {
            Err(DecimalError::TooFine { places }) => {
                let finer = format!("has more than {places} decimals: nothing is finer than a micro-credit");
                Err(Problem::new(&self.to_string(), finer))
            }
            // What is beyond every range is refused by whoever knows the range.
            Ok(_) | Err(_) => Ok(self.number()),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An amount as the number that an answer would carry.
pub fn written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Num, D::Error> {
    Amount::deserialize(deserializer).map(Num::from)
}

/// The same of one that may be left out.
pub fn written_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Num>, D::Error> {
    Ok(Option::<Amount>::deserialize(deserializer)?.map(Num::from))
}

/// The same of several, by name.
pub fn written_by_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Num>, D::Error> {
    let amounts = BTreeMap::<String, Amount>::deserialize(deserializer)?;
    Ok(amounts.into_iter().map(|(name, amount)| (name, amount.into())).collect())
}

impl From<Amount> for Num {
    fn from(amount: Amount) -> Num {
        Num::from_decimal(amount.0)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
        deserializer.deserialize_newtype_struct(AS_TEXT, AmountVisitor)
    }
}

struct AmountVisitor;

impl<'de> Visitor<'de> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or text with one in it")
    }

    /// The text of a JSON value.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Amount, A::Error> {
        let Some((_, text)) = map.next_entry::<String, String>()? else {
            return Err(de::Error::invalid_type(Unexpected::Map, &self));
        };
        if text.starts_with('"') {
            let inner: String = serde_json::from_str(&text).map_err(de::Error::custom)?;
            return self.visit_str(&inner);
        }
        if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return self.visit_str(&text);
        }
        let shown = echo(&text);
        let found = match text.as_bytes().first() {
            Some(b'[') => Unexpected::Seq,
            Some(b'{') => Unexpected::Map,
            Some(b'n') => Unexpected::Unit,
            Some(_) | None => Unexpected::Other(&shown),
        };
        Err(de::Error::invalid_type(found, &self))
    }

    /// Any other reader: the scalar as it stands, where it gives that.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Amount, D::Error> {
        deserializer.deserialize_str(AmountVisitor)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
        match text.parse::<Decimal>() {
            Ok(decimal) => Ok(Amount(decimal)),
            Err(_) => Err(E::invalid_value(Unexpected::Str(&echo(text)), &self)),
        }
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Amount, E> {
        Ok(Amount(Decimal::new(number.into(), 0)))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Amount, E> {
        Ok(Amount(Decimal::new(number.into(), 0)))
    }

    /// The shortest decimal that is this double: what was written, up to fifteen digits.
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Amount, E> {
        of_double(number).map_err(E::custom)
    }
}

/// The shortest decimal that is a double; an error that says what to do where it may have been another when it was written.
pub fn of_double(number: f64) -> Result<Amount, BadDouble> {
    let text = number.to_string();
    if has_too_many_digits(&text) {
        return Err(BadDouble::TooManyDigits(text));
    }
    text.parse().map(Amount).map_err(|_| BadDouble::NotANumber(text))
}

/// Whether a double may have been another number when it was written.
fn has_too_many_digits(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_start_matches('0');
    let significant = if text.contains('.') { significant } else { significant.trim_end_matches('0') };
    significant.len() > DOUBLE_DIGITS
}

#[cfg(feature = "schema")]
impl JsonSchema for Amount {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "amount".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["number", "string"], "pattern": "^-?[0-9]+([.][0-9]+)?$"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Bill {
        amount: Amount,
        #[serde(default)]
        rest: BTreeMap<String, Amount>,
    }

    fn from_json(text: &str) -> Result<Amount, String> {
        let bill: Result<Bill, _> = serde_json::from_str(&format!(r#"{{"amount":{text}}}"#));
        bill.map(|bill| bill.amount).map_err(|error| error.to_string())
    }

    fn from_yaml(text: &str) -> Result<Amount, String> {
        let bill: Result<Bill, _> = serde_saphyr::from_str(&format!("amount: {text}\n"));
        bill.map(|bill| bill.amount).map_err(|error| error.to_string())
    }

    /// 2^53 + 1 micro-credits is the first amount that no double holds.
    #[test]
    fn every_micro_credit_is_read_as_it_was_written() {
        for micros in [1, 999_999, (1 << 53) - 1, (1 << 53) + 1, (1_i64 << 53) + 3, i64::MAX] {
            let text = Decimal::new(micros.into(), 6).to_string();
            let texts = [from_json(&text), from_json(&format!("\"{text}\"")), from_yaml(&text)];
            for read in texts.into_iter().chain([from_yaml(&format!("\"{text}\""))]) {
                let number = read.unwrap().to_the_micro().unwrap();
                assert_eq!(number.rounded(6), Some(micros), "{text}");
            }
        }
        assert!(from_json("0.0000011").unwrap().to_the_micro().is_err(), "finer than a micro-credit");
        assert!(from_json("0.0000010").unwrap().to_the_micro().is_ok());
    }

    #[test]
    fn steps_of_a_micro_credit_are_told_apart_at_any_height() {
        for base in [0_i64, 1_000_000, 1 << 53, 1_000_000_000_000_000 - 2] {
            let read = |micros: i64| from_json(&Decimal::new(micros.into(), 6).to_string()).unwrap();
            assert!(read(base) != read(base + 1) && read(base + 1) != read(base + 2));
            let step = |micros: i64| read(micros).number().rounded(6).unwrap();
            assert_eq!(step(base + 1) - step(base), 1);
        }
    }

    #[test]
    fn what_is_no_number_is_refused_in_both_syntaxes() {
        for text in
            ["\"ten\"", "\"\"", "\"1 000\"", "\"1,5\"", "\"0x10\"", "true", "null", "[1]", "{\"a\":1}"]
        {
            assert!(from_json(text).is_err(), "{text}");
            assert!(from_yaml(text).is_err(), "{text}");
        }
        assert!(from_json("\"nan\"").is_err() && from_yaml(".nan").is_err() && from_yaml(".inf").is_err());
    }

    #[test]
    fn a_double_is_believed_up_to_fifteen_digits() {
        assert_eq!(of_double(0.25).unwrap(), from_json("0.25").unwrap());
        assert_eq!(of_double(1e15).unwrap(), from_json("1e15").unwrap());
        assert!(of_double(9_007_199_254.740_992).unwrap_err().to_string().contains("write it as text"));
    }

    #[test]
    fn amounts_by_name_keep_their_digits() {
        let text = r#"{"amount":1,"rest":{"a":"9007199254.740993","b":9007199254.740993}}"#;
        let bill: Bill = serde_json::from_str(text).unwrap();
        assert_eq!(bill.rest["a"], bill.rest["b"]);
        assert_eq!(Num::from(bill.rest["a"]).as_str(), "9007199254.740993");
    }

    #[test]
    fn a_jobs_money_has_all_its_digits_or_is_refused() {
        let read = |text: &str| {
            let job = format!(
                r#"{{"walras":"job/1","name":"it","work":1,"budget":{text},"price_max":{text},"delay_cost":{text}}}"#
            );
            let file = crate::service::read_job(job.as_bytes(), "body").map_err(|error| error.to_string())?;
            file.into_spec("ada", &BTreeMap::new(), "body").map_err(|error| error.to_string())
        };
        for text in ["9007199254.740993", "\"9007199254.740993\""] {
            let spec = read(text).unwrap();
            let micros = (1 << 53) + 1;
            assert_eq!(spec.request.budget, Some(walras_model::Money::from_micros(micros)));
            assert_eq!(spec.request.price_max.unwrap().as_micros_per_second(), micros);
            assert_eq!(spec.delay.unwrap().per_hour.as_micros(), micros);
        }
        assert_eq!(
            read("0.0000015").unwrap_err(),
            "body: price_max: 0.0000015 has more than 6 decimals: nothing is finer than a micro-credit"
        );
        assert!(read("\"much\"").unwrap_err().contains("expected a number, or text with one in it"));
    }
}
