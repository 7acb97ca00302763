//! Numbers that the broker gives out; each counts its own kind from 1 and is never used again.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! define_number {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// That number.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number itself.
            pub const fn get(self) -> u64 {
                self.0
            }

            /// The one after it.
            pub const fn next(self) -> Self {
                match self.0.checked_add(1) {
                    Some(next) => Self(next),
                    None => panic!("numbers never run out"),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

define_number!(
    /// A job that was submitted.
    JobNumber,
    /// A quote that was given.
    QuoteNumber,
    /// A reservation that was asked for; every site knows it by this number.
    ReservationNumber,
    /// A cycle.
    CycleNumber,
    /// A notice to a user.
    NoticeNumber,
);
