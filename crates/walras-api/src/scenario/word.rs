//! Words of files for what goes by a name in the core: one table there, read and described here.

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};
#[cfg(feature = "schema")]
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use walras_core::choose::Named;

/// Something by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word<T>(pub(crate) T);

impl<'de, T: Named> Deserialize<'de> for Word<T> {
    // As a derived enum does it, so that errors are those of every other word.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum(T::KIND, T::NAMES, WordVisitor(PhantomData))
    }
}

struct WordVisitor<T>(PhantomData<T>);

impl<'de, T: Named> Visitor<'de> for WordVisitor<T> {
    type Value = Word<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::KIND)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Word<T>, A::Error> {
        let (word, rest) = data.variant_seed(NameSeed(PhantomData))?;
        rest.unit_variant()?;
        Ok(Word(word))
    }
}

struct NameSeed<T>(PhantomData<T>);

impl<'de, T: Named> DeserializeSeed<'de> for NameSeed<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<T: Named> Visitor<'_> for NameSeed<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("variant identifier")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        T::named(name).ok_or_else(|| de::Error::unknown_variant(name, T::NAMES))
    }
}

#[cfg(feature = "schema")]
impl<T: Named> JsonSchema for Word<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::KIND.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": T::ABOUT, "type": "string", "enum": T::NAMES })
    }
}
