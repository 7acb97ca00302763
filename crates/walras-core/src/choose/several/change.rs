//! The next change on the way along an edge.

use std::cmp::Ordering;

/// Where on the way a class's cheapest candidate changes; the nearest is the greatest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) at: f64,
    pub(super) class: usize,
    pub(super) candidate: usize,
}

impl Ord for Change {
    fn cmp(&self, other: &Change) -> Ordering {
        other
            .at
            .total_cmp(&self.at)
            .then_with(|| (other.class, other.candidate).cmp(&(self.class, self.candidate)))
    }
}

impl PartialOrd for Change {
    fn partial_cmp(&self, other: &Change) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Change {
    fn eq(&self, other: &Change) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Change {}
