//! What may go wrong, and how often.

use serde::{Deserialize, Serialize};
use walras_random::Stream;

/// How often what goes wrong, in thousandths of the occasions on which it could.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    /// A message is lost.
    pub lost: i64,
    /// A message arrives twice.
    pub twice: i64,
    /// A message takes minutes instead of seconds, and so arrives out of order or after it expired.
    pub late: i64,
    /// A site refuses for no reason.
    pub refusal: i64,
    /// The broker is killed before it writes, after it has written, or after it has acted.
    pub kill: i64,
    /// Writing an entry fails.
    pub write: i64,
    /// The broker's clock jumps.
    pub clock: i64,
    /// A client says the same again.
    pub repeat: i64,
    /// Something fails or is taken every so many minutes: a node, a site, an owner's need, a change of price; 0 never.
    pub event_every: i64,
}

impl Faults {
    /// Everything goes wrong now and then; each seed has its own bad habits.
    pub fn draw(chance: &mut Stream) -> Faults {
        let mut rate = |most: i64| if chance.happens(500) { chance.between(0, most) } else { 0 };
        Faults {
            lost: rate(200),
            twice: rate(200),
            late: rate(100),
            refusal: rate(200),
            kill: rate(30),
            write: rate(30),
            clock: rate(10),
            repeat: rate(300),
            event_every: rate(30),
        }
    }
}
