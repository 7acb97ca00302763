//! The values of a scenario that serde cannot derive: their readers say what was expected in plain words.

use crate::number::Number;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A map with the keys of `T`. Derived readers alone would also take a list of the values.
pub(crate) struct Object<T>(pub(crate) T);

/// A list; unlike `Vec`, never `null`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List(Vec::new())
    }
}

/// A map with free keys, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Entries<T>(pub(crate) Vec<(String, T)>);

/// `[start, end]`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair(pub(crate) Number, pub(crate) Number);

/// The value of an attribute.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    Text(String),
    Number(Number),
    Flag(bool),
}

/// What a job requires of an attribute.
#[derive(Clone, Debug)]
pub(crate) enum TestSpec {
    Equals(Scalar),
    OneOf { values: List<Scalar>, keyed: bool },
    Range { min: Option<Number>, max: Option<Number> },
}

/// The tasks of a job.
#[derive(Clone, Debug)]
pub(crate) enum TaskSpec {
    /// So many, all alike.
    Count(Number),
    /// One of each of these lengths.
    Lengths(List<Number>),
}

/// An optional key that, when it is there, must have a value: `free:` with nothing after it is a mistake
/// and not the same as no `free` at all.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// An optional key that, when it is there, must have a map as its value.
pub(crate) fn present_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Object::deserialize(deserializer).map(|Object(value)| Some(value))
}

/// A limit of a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum LimitSpec {
    #[default]
    Derived,
    None,
    Given(Number),
}

impl<'de> Deserialize<'de> for LimitSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LimitVisitor;

        impl Visitor<'_> for LimitVisitor {
            type Value = LimitSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, derived or none")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<LimitSpec, E> {
                match text {
                    "derived" => Ok(LimitSpec::Derived),
                    "none" => Ok(LimitSpec::None),
                    _ => Err(de::Error::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<LimitSpec, E> {
                Ok(LimitSpec::Given(Number::Unsigned(number)))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<LimitSpec, E> {
                Ok(LimitSpec::Given(Number::Signed(number)))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<LimitSpec, E> {
                Ok(LimitSpec::Given(Number::Real(number)))
            }
        }

        deserializer.deserialize_any(LimitVisitor)
    }
}

impl<'de> Deserialize<'de> for TaskSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TaskVisitor;

        impl<'de> Visitor<'de> for TaskVisitor {
            type Value = TaskSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a list of lengths")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<TaskSpec, E> {
                Ok(TaskSpec::Count(Number::Unsigned(number)))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<TaskSpec, E> {
                Ok(TaskSpec::Count(Number::Signed(number)))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<TaskSpec, E> {
                Ok(TaskSpec::Count(Number::Real(number)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<TaskSpec, A::Error> {
                elements(list, |length: Number| length).map(TaskSpec::Lengths)
            }
        }

        deserializer.deserialize_any(TaskVisitor)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

/// Reads the elements of a list, each by way of `E`.
fn elements<'de, E, T, A>(mut list: A, unwrap: impl Fn(E) -> T) -> Result<List<T>, A::Error>
where
    E: Deserialize<'de>,
    A: SeqAccess<'de>,
{
    let mut values = Vec::new();
    while let Some(value) = list.next_element::<E>()? {
        values.push(unwrap(value));
    }
    Ok(List(values))
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<List<T>, A::Error> {
                elements(list, |value: T| value)
            }
        }

        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

/// A list of maps.
pub(crate) fn objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<List<T>, D::Error> {
    let objects = List::<Object<T>>::deserialize(deserializer)?;
    Ok(List(objects.0.into_iter().map(|object| object.0).collect()))
}

/// An optional key that, when it is there, must have a list of maps as its value.
pub(crate) fn present_objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<List<T>>, D::Error> {
    objects(deserializer).map(Some)
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry::<String, T>()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_any(EntriesVisitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairVisitor;

        impl<'de> Visitor<'de> for PairVisitor {
            type Value = Pair;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an interval [start, end]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pair, A::Error> {
                let wrong =
                    |found: &str| de::Error::invalid_value(de::Unexpected::Other(found), &PairVisitor);
                let start = list.next_element()?.ok_or_else(|| wrong("an empty list"))?;
                let end = list.next_element()?.ok_or_else(|| wrong("a list of one number"))?;
                match list.next_element::<de::IgnoredAny>()? {
                    None => Ok(Pair(start, end)),
                    Some(_) => Err(wrong("a list of more than two numbers")),
                }
            }
        }

        deserializer.deserialize_any(PairVisitor)
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a number, true or false")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Scalar, E> {
        Ok(Scalar::Flag(flag))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar::Number(Number::Unsigned(number)))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Number(Number::Signed(number)))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(Number::Real(number)))
    }
}

impl<'de> Deserialize<'de> for TestSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TestVisitor)
    }
}

struct TestVisitor;

/// The map form of a test.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TestKeys {
    #[serde(default, deserialize_with = "present")]
    min: Option<Number>,
    #[serde(default, deserialize_with = "present")]
    max: Option<Number>,
    #[serde(default, rename = "in", deserialize_with = "present")]
    one_of: Option<List<Scalar>>,
}

impl<'de> Visitor<'de> for TestVisitor {
    type Value = TestSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, a list of values, {min, max} or {in: [values]}")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<TestSpec, E> {
        ScalarVisitor.visit_str(text).map(TestSpec::Equals)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<TestSpec, E> {
        ScalarVisitor.visit_bool(flag).map(TestSpec::Equals)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<TestSpec, E> {
        ScalarVisitor.visit_u64(number).map(TestSpec::Equals)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<TestSpec, E> {
        ScalarVisitor.visit_i64(number).map(TestSpec::Equals)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<TestSpec, E> {
        ScalarVisitor.visit_f64(number).map(TestSpec::Equals)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<TestSpec, A::Error> {
        elements(list, |value: Scalar| value).map(|values| TestSpec::OneOf { values, keyed: false })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TestSpec, A::Error> {
        let wrong = |found: &str| de::Error::invalid_value(de::Unexpected::Other(found), &TestVisitor);
        match TestKeys::deserialize(MapAccessDeserializer::new(map))? {
            TestKeys { min: None, max: None, one_of: None } => Err(wrong("an empty map")),
            TestKeys { min, max, one_of: None } => Ok(TestSpec::Range { min, max }),
            TestKeys { min: None, max: None, one_of: Some(values) } => {
                Ok(TestSpec::OneOf { values, keyed: true })
            }
            _ => Err(wrong("both bounds and `in`")),
        }
    }
}
