//! Points in time as people and programs exchange them: RFC 3339 in UTC, to the millisecond.

use crate::error::echo;
use jiff::Timestamp;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use walras_model::Time;

/// A point in time. The service's time is the number of milliseconds since 1970-01-01T00:00:00Z.
///
/// ```
/// use walras_api::service::Stamp;
/// let stamp: Stamp = "2026-11-15T12:30:00+01:00".parse().unwrap();
/// assert_eq!(stamp.to_string(), "2026-11-15T11:30:00.000Z");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(Time);

impl Stamp {
    /// The moment itself.
    pub fn time(self) -> Time {
        self.0
    }
}

impl From<Time> for Stamp {
    fn from(time: Time) -> Stamp {
        Stamp(time)
    }
}

/// Text that is no point in time; its beginning is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a point in time: expected one such as 2026-11-15T12:30:00Z")]
pub struct NotAMoment(String);

impl std::str::FromStr for Stamp {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Stamp, NotAMoment> {
        let wrong = || NotAMoment(crate::error::echo(text));
        let moment: Timestamp = text.parse().map_err(|_| wrong())?;
        Time::from_millis(moment.as_millisecond()).map(Stamp).ok_or_else(wrong)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_millisecond(self.0.as_millis()) {
            Ok(moment) => write!(f, "{moment:.3}"),
            // Beyond the year 9999 only the count is left.
            Err(_) => write!(f, "{} ms", self.0.as_millis()),
        }
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Stamp, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Stamp {
    fn schema_name() -> Cow<'static, str> {
        "stamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

/// A point in time as a job file may give it: RFC 3339, or how long from now (`90s`, `2h 30m`).
///
/// ```
/// use walras_api::service::moment;
/// let now = walras_model::Time::from_millis(1_000).unwrap();
/// assert_eq!(moment("90m", now).unwrap().as_millis(), 1_000 + 90 * 60_000);
/// ```
pub fn moment(text: &str, now: Time) -> Result<Time, NoMoment> {
    if let Ok(stamp) = text.parse::<Stamp>() {
        return Ok(stamp.time());
    }
    let later = text.parse::<jiff::SignedDuration>().ok().filter(|span| !span.is_negative());
    let later = later.and_then(|span| i64::try_from(span.as_millis()).ok());
    let then = later.and_then(|later| now.as_millis().checked_add(later)).and_then(Time::from_millis);
    then.ok_or_else(|| NoMoment(echo(text)))
}

/// Text that is neither a point in time nor a time from now; its beginning is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is not a point in time: expected one such as 2026-11-15T12:30:00Z, or a time from now such as 2h"
)]
pub struct NoMoment(String);
