//! How preferences and hours are written and read again: through the same constructors as everything else, so that no value
//! can be read that could not have been made.

use crate::prefer::{Aggregation, Hours, Preference, Weighted};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct PreferenceParts {
    weighted: Vec<Weighted>,
    aggregation: Aggregation,
}

impl Serialize for Preference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let weighted = self.weighted().to_vec();
        PreferenceParts { weighted, aggregation: self.aggregation() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Preference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = PreferenceParts::deserialize(deserializer)?;
        Preference::restored(parts.weighted, parts.aggregation).map_err(D::Error::custom)
    }
}

#[derive(Serialize, Deserialize)]
struct HoursParts {
    days: [bool; 7],
    from: i64,
    to: i64,
}

impl Serialize for Hours {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (days, from, to) = self.parts();
        HoursParts { days, from, to }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Hours {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = HoursParts::deserialize(deserializer)?;
        Hours::new(parts.days, parts.from, parts.to).ok_or_else(|| D::Error::custom("these are no hours"))
    }
}
