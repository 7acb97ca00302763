//! Numbers that look random and follow from a seed: the same everywhere, always. Nothing is drawn from outside.
//!
//! - [`Draws`] for algorithms that try things: eight bytes of state, no dependency;
//! - [`Stream`] for generators and simulated worlds: as many independent streams of one seed as there are purposes (feature
//!   `streams`), those of generators and experiments by name ([`Purpose`]).
//!
//! ```
//! use walras_random::Draws;
//!
//! let (mut one, mut other) = (Draws::new(7), Draws::new(7));
//! assert_eq!(one.below(100), other.below(100));
//! ```

mod draws;
#[cfg(feature = "streams")]
mod purpose;
#[cfg(feature = "streams")]
mod stream;

pub use draws::Draws;
#[cfg(feature = "streams")]
pub use purpose::Purpose;
#[cfg(feature = "streams")]
pub use stream::Stream;

/// The example of the README runs with the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
