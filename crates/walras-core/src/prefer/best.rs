//! The best compromise that a search has seen.

use super::problem::Compromise;
use super::state::{Pick, State};

/// The best assignment so far.
pub(super) struct Best {
    pub(super) value: i128,
    pub(super) picks: Option<Vec<Pick>>,
    losses: Vec<i64>,
    unserved: i128,
}

impl Best {
    pub(super) fn none() -> Best {
        Best { value: i128::MAX, picks: None, losses: Vec::new(), unserved: 0 }
    }

    /// Takes a whole assignment when it is better.
    pub(super) fn offer(&mut self, state: &State<'_>) {
        let value = state.value();
        if value < self.value && !state.picks().contains(&Pick::Open) {
            self.value = value;
            self.picks = Some(state.picks().to_vec());
            self.losses = state.losses().to_vec();
            self.unserved = state.unserved();
        }
    }

    pub(super) fn finish(self) -> Option<Compromise> {
        let option = |pick: Pick| match pick {
            Pick::Option(option) => Some(option),
            Pick::Open | Pick::Out => None,
        };
        Some(Compromise {
            picks: self.picks?.into_iter().map(option).collect(),
            losses: self.losses,
            unserved: u32::try_from(self.unserved).unwrap_or(u32::MAX),
            value: self.value,
        })
    }
}
