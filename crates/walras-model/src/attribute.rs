//! Attributes of nodes and what requests ask of them.

use crate::quantity::Fixed;
use std::collections::BTreeMap;
use std::fmt;

/// The value of an attribute. Values of different kinds are never equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Value {
    /// `os: linux`
    Text(String),
    /// `memory_gb: 64`
    Number(Fixed),
    /// `gpu: true`
    Flag(bool),
}

/// What a node says of itself, by name.
pub type Attributes = BTreeMap<String, Value>;

/// A test that one attribute of a node must pass. A node without the attribute fails it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Requirement {
    /// The attribute's name; of several with `|` between them, one must pass.
    pub attribute: String,
    /// What its value must satisfy.
    pub test: Test,
}

/// What a value must satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Test {
    /// Equal to this.
    Equals(Value),
    /// A number within these bounds, both inclusive.
    Range {
        /// At least this.
        min: Option<Fixed>,
        /// At most this.
        max: Option<Fixed>,
    },
    /// Equal to one of these.
    OneOf(Vec<Value>),
}

impl Requirement {
    /// Asks for all of a node.
    pub fn exclusive() -> Requirement {
        Requirement { attribute: "exclusive".to_owned(), test: Test::Equals(Value::Flag(true)) }
    }

    /// Whether it asks for all of a node, so that nobody runs beside it: `exclusive: true`, which every node meets.
    #[inline]
    pub fn is_exclusive(&self) -> bool {
        self.attribute == "exclusive" && self.test == Test::Equals(Value::Flag(true))
    }

    /// Whether a node with these attributes passes.
    pub fn is_met_by(&self, attributes: &Attributes) -> bool {
        if self.is_exclusive() {
            return true;
        }
        let mut names = self.attribute.split('|');
        names.any(|name| attributes.get(name).is_some_and(|value| self.test.accepts(value)))
    }
}

impl Test {
    /// Whether this value passes.
    pub fn accepts(&self, value: &Value) -> bool {
        match self {
            Test::Equals(wanted) => value == wanted,
            Test::OneOf(wanted) => wanted.contains(value),
            Test::Range { min, max } => match value {
                Value::Number(number) => {
                    min.is_none_or(|min| *number >= min) && max.is_none_or(|max| *number <= max)
                }
                Value::Text(_) | Value::Flag(_) => false,
            },
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Number(number) => number.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.attribute;
        match &self.test {
            Test::Equals(value) => write!(f, "{name} = {value}"),
            Test::Range { min: Some(min), max: Some(max) } => write!(f, "{min} <= {name} <= {max}"),
            Test::Range { min: Some(min), max: None } => write!(f, "{name} >= {min}"),
            Test::Range { min: None, max: Some(max) } => write!(f, "{name} <= {max}"),
            Test::Range { min: None, max: None } => write!(f, "{name} is a number"),
            Test::OneOf(values) => {
                let list: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "{name} in [{}]", list.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(units: i64) -> Value {
        Value::Number(Fixed::from_millionths(units))
    }

    #[test]
    fn tests_compare_like_with_like() {
        let at_least = Test::Range { min: Some(Fixed::from_millionths(16)), max: None };
        assert!(at_least.accepts(&number(16)));
        assert!(!at_least.accepts(&number(15)));
        assert!(!at_least.accepts(&Value::Text("16".into())));
        assert!(!Test::Equals(number(1)).accepts(&Value::Flag(true)));
        assert!(Test::OneOf(vec![number(1), number(2)]).accepts(&number(2)));
    }

    #[test]
    fn one_of_several_attributes_is_enough() {
        let either = Requirement { attribute: "ib|opa".into(), test: Test::Equals(Value::Flag(true)) };
        let node = |name: &str, flag| Attributes::from([(name.to_owned(), Value::Flag(flag))]);
        assert!(either.is_met_by(&node("ib", true)) && either.is_met_by(&node("opa", true)));
        assert!(!either.is_met_by(&node("ib", false)) && !either.is_met_by(&node("ethernet", true)));
    }

    #[test]
    fn a_missing_attribute_fails() {
        let requirement =
            Requirement { attribute: "os".into(), test: Test::Equals(Value::Text("linux".into())) };
        assert!(!requirement.is_met_by(&Attributes::new()));
    }
}
