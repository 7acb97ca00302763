//! How quantities, ids and types with invariants are written and read again.
//!
//! Numbers are integers in the type's own unit. What is read goes through the same constructors as everything else, so
//! that no value can be read that could not have been made.

use crate::id::{JobId, NodeId, SiteId, TaskId};
use crate::interval::Interval;
use crate::quantity::{
    Bandwidth, Data, Factor, Fixed, Money, Multiplier, Performance, Rate, Share, Span, Time, Watts, Work,
};
use crate::workflow::{Edge, Task, Workflow};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! written_as_number {
    ($($name:ident: $number:ty, $write:expr, $read:expr);* $(;)?) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let write: fn($name) -> $number = $write;
                write(*self).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = <$number>::deserialize(deserializer)?;
                let read: fn($number) -> Option<$name> = $read;
                read(number).ok_or_else(|| {
                    D::Error::custom(format_args!("{number} is not a {}", stringify!($name).to_lowercase()))
                })
            }
        }
    )*};
}

written_as_number! {
    Time: i64, Time::as_millis, Time::from_millis;
    Span: i64, Span::as_millis, Span::from_millis;
    Money: i64, Money::as_micros, |micros| Some(Money::from_micros(micros));
    Rate: i64, Rate::as_micros_per_second, Rate::from_micros_per_second;
    Work: i64, Work::as_millis, Work::from_millis;
    Performance: i64, Performance::as_millionths, Performance::from_millionths;
    Factor: i64, Factor::as_millionths, Factor::from_millionths;
    Watts: i64, Watts::as_milliwatts, Watts::from_milliwatts;
    Data: i64, Data::as_bytes, Data::from_bytes;
    Bandwidth: i64, Bandwidth::as_bytes_per_second, Bandwidth::from_bytes_per_second;
    Fixed: i64, Fixed::as_millionths, |millionths| Some(Fixed::from_millionths(millionths));
    Share: i64, Share::as_millionths, Share::from_millionths;
    Multiplier: i64, Multiplier::as_millionths, Multiplier::from_millionths;
    SiteId: u32, SiteId::number, |number| Some(SiteId::new(number));
    NodeId: u32, NodeId::number, |number| Some(NodeId::new(number));
    JobId: u32, JobId::number, |number| Some(JobId::new(number));
    TaskId: u32, TaskId::number, |number| Some(TaskId::new(number));
}

/// As a pair.
impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.start(), self.end()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (start, end) = <(Time, Time)>::deserialize(deserializer)?;
        Interval::new(start, end).ok_or_else(|| D::Error::custom("an interval ends before it starts"))
    }
}

#[derive(Serialize, Deserialize)]
struct WorkflowParts {
    name: String,
    tasks: Vec<Task>,
    edges: Vec<Edge>,
}

impl Serialize for Workflow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (tasks, edges) = (self.tasks().to_vec(), self.edges().to_vec());
        WorkflowParts { name: self.name().to_owned(), tasks, edges }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Workflow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = WorkflowParts::deserialize(deserializer)?;
        Workflow::new(&parts.name, parts.tasks, parts.edges)
            .map_err(|error| D::Error::custom(format_args!("no workflow: {error}")))
    }
}
