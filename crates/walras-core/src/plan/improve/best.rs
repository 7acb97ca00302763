//! The best plan that a search has seen.

use super::limits::Standing;
use super::state::{Place, State};

/// The best plan seen.
pub(super) struct Best {
    pub(super) standing: Standing,
    pub(super) places: Vec<Place>,
    /// Where nothing is left to win: the weight that must be left out, and the first sum.
    pub(super) floor: Option<(u128, i128)>,
}

impl Best {
    /// Remembers a plan where it is better; whether it is.
    pub(super) fn note(&mut self, state: &State<'_>) -> bool {
        let (left_out, value) = state.rank();
        let better = (left_out, value) < (self.standing.left_out, self.standing.value);
        if better {
            self.standing = state.standing();
            self.places = state.places.clone();
        }
        better
    }

    pub(super) fn is_settled(&self) -> bool {
        self.floor.is_some_and(|(left_out, value)| {
            self.standing.left_out <= left_out && self.standing.value[0] <= value
        })
    }
}
