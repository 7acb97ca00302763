//! The unit of time that a scenario chooses, and the core's quantities in it.

use crate::described::JsonSchema;
use serde::{Deserialize, Serialize};
use walras_model::{Decimal, Money, Rate, Span, Time};

/// The unit of times, spans and work, and of the time in prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Seconds.
    #[default]
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
}

impl Unit {
    /// How it is written after a number.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
        }
    }

    /// A number in this unit with so many decimals is a whole number of milliseconds.
    pub fn time_decimals(self) -> u32 {
        match self {
            Unit::Seconds => 3,
            Unit::Milliseconds => 0,
        }
    }

    /// A price per this unit with so many decimals is a whole number of micro-credits per second.
    pub(crate) fn rate_decimals(self) -> u32 {
        match self {
            Unit::Seconds => 6,
            Unit::Milliseconds => 9,
        }
    }

    /// A point in time as a plain decimal.
    pub fn time_text(self, time: Time) -> String {
        Decimal::new(time.as_millis().into(), self.time_decimals()).to_string()
    }

    /// A length of time as a plain decimal.
    pub fn span_text(self, span: Span) -> String {
        Decimal::new(span.as_millis().into(), self.time_decimals()).to_string()
    }

    /// A length of time that is written as a plain decimal, to the millisecond; `None` when it is none.
    pub fn span_from_text(self, text: &str) -> Option<Span> {
        whole(text, self.time_decimals()).and_then(Span::from_millis)
    }

    /// An amount of credits that is written as a plain decimal, to the micro-credit; `None` when it is none.
    pub fn money_from_text(self, text: &str) -> Option<Money> {
        whole(text, MONEY_DECIMALS).map(Money::from_micros)
    }

    /// A price per this unit as a plain decimal.
    pub fn rate_text(self, rate: Rate) -> String {
        Decimal::new(rate.as_micros_per_second().into(), self.rate_decimals()).to_string()
    }

    /// An amount of credits as a plain decimal; it does not depend on the unit of time.
    pub fn money_text(self, money: Money) -> String {
        Decimal::new(money.as_micros().into(), MONEY_DECIMALS).to_string()
    }
}

/// The number times ten to the `decimals`, when that is a whole number in range and not negative.
fn whole(text: &str, decimals: u32) -> Option<i64> {
    text.parse::<Decimal>().ok()?.units(decimals).ok().filter(|units| *units >= 0)
}

/// A number of credits with so many decimals is a whole number of micro-credits.
pub const MONEY_DECIMALS: u32 = 6;
