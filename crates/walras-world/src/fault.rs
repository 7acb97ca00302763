//! What may go wrong, and how often.

use walras_model::Share;
use walras_random::Stream;

/// How often what goes wrong, as a share of the occasions on which it could.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faults {
    /// A message is lost.
    pub lost: Share,
    /// A message arrives twice.
    pub twice: Share,
    /// A message takes minutes instead of seconds, and so arrives out of order or after it expired.
    pub late: Share,
    /// A site refuses for no reason.
    pub refusal: Share,
    /// The broker is killed before it writes, after it has written, or after it has acted.
    pub kill: Share,
    /// Writing an entry fails.
    pub write: Share,
    /// The broker's clock jumps.
    pub clock: Share,
    /// A client says the same again.
    pub repeat: Share,
    /// Something fails or is taken every so many minutes: a node, a site, an owner's need, a change of price; 0 never.
    pub event_every: i64,
}

/// Nothing goes wrong.
impl Default for Faults {
    fn default() -> Faults {
        Faults {
            lost: Share::NOTHING,
            twice: Share::NOTHING,
            late: Share::NOTHING,
            refusal: Share::NOTHING,
            kill: Share::NOTHING,
            write: Share::NOTHING,
            clock: Share::NOTHING,
            repeat: Share::NOTHING,
            event_every: 0,
        }
    }
}

impl Faults {
    /// Everything goes wrong now and then; each seed has its own bad habits.
    pub fn draw(chance: &mut Stream) -> Faults {
        let mut drawn = |most: i64| if chance.happens(500) { chance.between(0, most) } else { 0 };
        let mut rate = |most: i64| Share::of_whole(drawn(most).into(), 1_000);
        Faults {
            lost: rate(200),
            twice: rate(200),
            late: rate(100),
            refusal: rate(200),
            kill: rate(30),
            write: rate(30),
            clock: rate(10),
            repeat: rate(300),
            event_every: drawn(30),
        }
    }
}
