//! Decimals of a configuration, by their digits.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;
use walras_api::Num;
use walras_model::{Multiplier, Share};

/// A decimal as it was written: a number, or text with one in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount(Num);

impl Amount {
    /// In millionths; an error that names the key when that is not a whole number.
    pub(super) fn millionths(&self, key: &str) -> Result<i64, String> {
        self.0
            .millionths()
            .ok_or_else(|| format!("{key}: {self} has more than 6 decimals or is beyond every range"))
    }
}

impl Amount {
    /// How many times as much; an error that names the key when it is negative.
    pub(super) fn multiplier(&self, key: &str) -> Result<Multiplier, String> {
        let wrong = || format!("{key}: {self} is not a factor: expected a number that is not negative");
        Multiplier::from_millionths(self.millionths(key)?).ok_or_else(wrong)
    }

    /// A part of one; an error that names the key when it is none.
    pub(super) fn share(&self, key: &str) -> Result<Share, String> {
        let wrong = || format!("{key}: {self} is not a share: expected a number between 0 and 1");
        Share::from_millionths(self.millionths(key)?).ok_or_else(wrong)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Amount {
    type Err = <Num as std::str::FromStr>::Err;

    fn from_str(text: &str) -> Result<Amount, Self::Err> {
        text.parse().map(Amount)
    }
}

struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or text such as \"0.25\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Amount, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }

    /// The shortest decimal that is this number: what was written, up to 15 digits; beyond them it may have been another.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Amount, E> {
        walras_api::of_double(number).map_err(E::custom)?;
        self.visit_str(&number.to_string())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}
