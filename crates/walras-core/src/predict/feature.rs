//! What is known of a job before it runs.

use std::fmt;
use walras_model::quantity::Span;

/// What two jobs may have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Whose job it is.
    User,
    /// The user's group.
    Group,
    /// The program.
    Executable,
    /// How many processors it asks for.
    Size,
    /// The same to the next power of two below.
    SizeClass,
    /// The queue that it was put in.
    Queue,
    /// The part of the machine.
    Partition,
    /// The user's estimate of its run time.
    RequestedTime,
    /// The memory that it asks for.
    RequestedMemory,
}

impl Feature {
    /// The name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Feature::User => "user",
            Feature::Group => "group",
            Feature::Executable => "executable",
            Feature::Size => "size",
            Feature::SizeClass => "size class",
            Feature::Queue => "queue",
            Feature::Partition => "partition",
            Feature::RequestedTime => "requested time",
            Feature::RequestedMemory => "requested memory",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of a job. Users, groups, programs and queues are numbers that the caller gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobFeatures {
    /// Whose job it is.
    pub user: Option<i64>,
    /// The user's group.
    pub group: Option<i64>,
    /// The program.
    pub executable: Option<i64>,
    /// How many processors it asks for.
    pub size: Option<u32>,
    /// The queue that it was put in.
    pub queue: Option<i64>,
    /// The part of the machine.
    pub partition: Option<i64>,
    /// The user's estimate of its run time.
    pub estimate: Option<Span>,
    /// The estimate as far as it makes jobs alike; the whole of it, without.
    pub estimate_class: Option<Span>,
    /// The memory that it asks for.
    pub memory: Option<i64>,
}

impl JobFeatures {
    /// The value of a feature as a number; `None` where it is not known.
    pub fn value(&self, feature: Feature) -> Option<i64> {
        match feature {
            Feature::User => self.user,
            Feature::Group => self.group,
            Feature::Executable => self.executable,
            Feature::Size => self.size.map(i64::from),
            Feature::SizeClass => self.size.and_then(u32::checked_ilog2).map(i64::from),
            Feature::Queue => self.queue,
            Feature::Partition => self.partition,
            Feature::RequestedTime => self.estimate_class.or(self.estimate).map(Span::as_millis),
            Feature::RequestedMemory => self.memory,
        }
    }

    /// The values of all these features, or `None` when one is not known.
    pub(super) fn key(&self, features: &[Feature]) -> Option<Key> {
        let mut key = [0; FEATURES_MAX];
        for (place, feature) in key.iter_mut().zip(features) {
            *place = self.value(*feature)?;
        }
        Some(key)
    }
}

/// No template has more features than this.
pub(super) const FEATURES_MAX: usize = 6;

/// The values of a template's features, in its order.
pub(super) type Key = [i64; FEATURES_MAX];
