//! Numbers and names of a scenario as the core's types, or why not.

use super::values::{Pair, Scalar};
use crate::error::Problem;
use crate::number::Number;
use crate::unit::{MONEY_DECIMALS, Unit};
use walras_model::quantity::{MILLION, TIME_LIMIT};
use walras_model::{
    Decimal, Factor, Fixed, Interval, Money, Performance, Rate, Span, Time, Value, Watts, Work,
};

/// The most characters of a name or of an attribute's text.
const NAME_CHARS_MAX: usize = 200;
/// Performances, attributes: a number with so many decimals is a whole number of millionths.
const MILLIONTHS: u32 = 6;
const MILLIWATTS: u32 = 3;
/// The largest weight, in millionths: with it, no product of weights and units leaves 64 bits.
const WEIGHT_MAX: i64 = 1_000_000 * MILLION;

/// How a quantity is called, counted and bounded.
struct QuantityKind {
    /// "is not ...", with its article.
    called: &'static str,
    /// Smallest unit: ten to the minus this.
    decimals: u32,
    /// Largest count.
    max: i64,
}

impl QuantityKind {
    /// The count, for quantities that must be greater than zero.
    fn positive(&self, number: Number) -> Result<i64, Problem> {
        let count = self.count(number)?;
        if number.is_positive() && count == 0 {
            let smallest = Decimal::new(1, self.decimals);
            return Err(self.refuse(number, format!("the smallest that is read is {smallest}")));
        }
        if count <= 0 {
            return Err(self.refuse(number, "it must be greater than 0"));
        }
        Ok(count)
    }

    /// The count, for quantities that may be zero.
    fn not_negative(&self, number: Number) -> Result<i64, Problem> {
        if number.is_positive() {
            return self.positive(number);
        }
        match self.count(number)? {
            0 => Ok(0),
            _ => Err(self.refuse(number, "it must not be negative")),
        }
    }

    /// The count, rounded to nearest.
    fn count(&self, number: Number) -> Result<i64, Problem> {
        if let Number::Real(real) = number
            && !real.is_finite()
        {
            return Err(self.refuse(number, "it must be a finite number"));
        }
        let count = number.rounded(self.decimals);
        count.filter(|count| count.unsigned_abs() <= self.max.unsigned_abs()).ok_or_else(|| {
            let most = Decimal::new(self.max.into(), self.decimals);
            let range =
                if number.is_positive() { format!("at most {most}") } else { format!("at least -{most}") };
            self.refuse(number, format!("it must be {range}"))
        })
    }

    fn refuse(&self, number: Number, why: impl AsRef<str>) -> Problem {
        Problem::new(&number.to_string(), format!("is not {}: {}", self.called, why.as_ref()))
    }
}

/// A point in time.
pub(crate) fn time(number: Number, unit: Unit) -> Result<Time, Problem> {
    let kind = QuantityKind { called: "a time", decimals: unit.time_decimals(), max: TIME_LIMIT };
    Time::from_millis(kind.count(number)?).ok_or_else(|| kind.refuse(number, "it is out of range"))
}

/// Work of a task.
pub(crate) fn work(number: Number, unit: Unit) -> Result<Work, Problem> {
    let kind = QuantityKind { called: "an amount of work", decimals: unit.time_decimals(), max: TIME_LIMIT };
    Work::from_millis(kind.positive(number)?).ok_or_else(|| kind.refuse(number, "it is out of range"))
}

/// A price per time.
pub(crate) fn rate(number: Number, unit: Unit) -> Result<Rate, Problem> {
    let kind = QuantityKind { called: "a price", decimals: unit.rate_decimals(), max: i64::MAX };
    Rate::from_micros_per_second(kind.positive(number)?)
        .ok_or_else(|| kind.refuse(number, "it is out of range"))
}

/// An amount of money that is not nothing.
pub(crate) fn budget(number: Number) -> Result<Money, Problem> {
    let kind = QuantityKind { called: "a budget", decimals: MONEY_DECIMALS, max: i64::MAX };
    kind.positive(number).map(Money::from_micros)
}

/// What an hour of delay costs.
pub(crate) fn delay_cost(number: Number) -> Result<Money, Problem> {
    let kind = QuantityKind { called: "a cost of delay", decimals: MONEY_DECIMALS, max: i64::MAX };
    kind.not_negative(number).map(Money::from_micros)
}

/// A limit on a sum of run times.
pub(crate) fn span(number: Number, unit: Unit) -> Result<Span, Problem> {
    let kind =
        QuantityKind { called: "a limit on time", decimals: unit.time_decimals(), max: 2 * TIME_LIMIT };
    Span::from_millis(kind.not_negative(number)?).ok_or_else(|| kind.refuse(number, "it is out of range"))
}

/// A limit on a sum of costs.
pub(crate) fn money(number: Number) -> Result<Money, Problem> {
    let kind = QuantityKind { called: "a limit on the budget", decimals: MONEY_DECIMALS, max: i64::MAX };
    kind.not_negative(number).map(Money::from_micros)
}

/// The weight of a total, in millionths.
pub(crate) fn weight(number: Number) -> Result<i64, Problem> {
    let kind = QuantityKind { called: "a weight", decimals: MILLIONTHS, max: WEIGHT_MAX };
    kind.not_negative(number)
}

/// k of a derived budget.
pub(crate) fn factor(number: Number) -> Result<Factor, Problem> {
    let kind = QuantityKind { called: "a budget factor", decimals: MILLIONTHS, max: MILLION };
    Factor::from_millionths(kind.positive(number)?)
        .ok_or_else(|| kind.refuse(number, "it must be greater than 0 and at most 1"))
}

/// A speed.
pub(crate) fn performance(number: Number) -> Result<Performance, Problem> {
    let kind = QuantityKind { called: "a performance", decimals: MILLIONTHS, max: i64::MAX };
    Performance::from_millionths(kind.positive(number)?)
        .ok_or_else(|| kind.refuse(number, "it is out of range"))
}

/// A speed in millions of instructions per second.
pub(crate) fn mips(number: Number) -> Result<Performance, Problem> {
    let kind = QuantityKind { called: "a speed", decimals: MILLIONTHS, max: i64::MAX };
    Performance::from_millionths(kind.positive(number)?)
        .ok_or_else(|| kind.refuse(number, "it is out of range"))
}

/// Electrical power.
pub(crate) fn watts(number: Number) -> Result<Watts, Problem> {
    let kind = QuantityKind { called: "a number of watts", decimals: MILLIWATTS, max: i64::MAX };
    let count = if number.is_positive() { kind.positive(number)? } else { kind.count(number)? };
    Watts::from_milliwatts(count).ok_or_else(|| kind.refuse(number, "it must not be negative"))
}

/// A number of an attribute or of a bound on one.
pub(crate) fn decimal(number: Number) -> Result<Fixed, Problem> {
    let kind = QuantityKind { called: "a number for an attribute", decimals: MILLIONTHS, max: i64::MAX };
    let count = if number.is_positive() { kind.positive(number)? } else { kind.count(number)? };
    Ok(Fixed::from_millionths(count))
}

/// How much of a resource a task takes.
pub(crate) fn resource(number: Number) -> Result<Fixed, Problem> {
    let kind = QuantityKind { called: "an amount of a resource", decimals: MILLIONTHS, max: i64::MAX };
    kind.positive(number).map(Fixed::from_millionths)
}

/// A whole number within a range.
pub(crate) fn whole(number: Number, called: &str, min: i64, max: i64) -> Result<i64, Problem> {
    let value = number.decimal().and_then(|decimal| decimal.units(0).ok());
    value.filter(|value| (min..=max).contains(value)).ok_or_else(|| {
        let what = format!("is not {called}: it must be a whole number from {min} to {max}");
        Problem::new(&number.to_string(), what)
    })
}

/// How many there are of something, at least one.
pub(crate) fn count(number: Number, called: &str, max: u32) -> Result<u32, Problem> {
    let count = whole(number, called, 1, max.into())?;
    u32::try_from(count).map_err(|_| Problem::new(&number.to_string(), "is out of range"))
}

/// An interval that is not empty.
pub(crate) fn interval(pair: Pair, unit: Unit) -> Result<Interval, Problem> {
    use crate::error::Within;
    let Pair(start, end) = pair;
    let (from, to) = (time(start, unit).in_item(0)?, time(end, unit).in_item(1)?);
    Interval::new(from, to).ok_or_else(|| {
        let what = if from == to { "is empty" } else { "is reversed" };
        Problem::new(
            &format!("[{start}, {end}]"),
            format!("{what}: it must end at least a millisecond after its start"),
        )
    })
}

/// Checks a name: not empty, not long, no control characters.
pub(crate) fn name(name: &str, whose: &str) -> Result<(), Problem> {
    let wrong = if name.is_empty() {
        "it must not be empty".to_owned()
    } else if name.chars().count() > NAME_CHARS_MAX {
        format!("it must have at most {NAME_CHARS_MAX} characters")
    } else if name.chars().any(char::is_control) {
        "it must not contain control characters".to_owned()
    } else {
        return Ok(());
    };
    Err(Problem::new(name, format!("is not a name for {whose}: {wrong}")))
}

/// The value of an attribute.
pub(crate) fn value(scalar: Scalar) -> Result<Value, Problem> {
    match scalar {
        Scalar::Flag(flag) => Ok(Value::Flag(flag)),
        Scalar::Number(number) => decimal(number).map(Value::Number),
        Scalar::Text(text) if text.is_empty() => Ok(Value::Text(text)),
        Scalar::Text(text) => name(&text, "a value").map(|()| Value::Text(text)),
    }
}
