//! What owners use of their own nodes in a simulation: the same moments under every policy.

use walras_model::{Share, Span};
use walras_sites::simulated::Load;

/// How much of their nodes owners use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerLoad {
    /// The share of all time.
    pub share: Share,
    /// The mean length of a use.
    pub mean: Span,
}

impl OwnerLoad {
    /// What the owner of a site uses, by the site's place; `None` where that is nothing.
    pub(crate) fn of_site(self, seed: u64, place: usize) -> Option<Load> {
        Load::new(seed.wrapping_add(place as u64), self.share, self.mean)
    }
}
