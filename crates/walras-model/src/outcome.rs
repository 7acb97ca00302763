//! Outcomes of searches: enums, so that nobody has to guess what an empty answer means.

/// How a bounded search for the best `T` ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T, R> {
    /// This is the best there is, and that is proven.
    Optimal(T),
    /// This is feasible; a work limit was hit before it was proven best.
    Feasible {
        /// The best that was found.
        best: T,
        /// No solution has a value below this.
        bound: i128,
    },
    /// There is none, and why.
    Infeasible(R),
}

impl<T, R> Outcome<T, R> {
    /// What was found, proven best or not.
    pub fn found(self) -> Option<T> {
        match self {
            Outcome::Optimal(best) | Outcome::Feasible { best, .. } => Some(best),
            Outcome::Infeasible(_) => None,
        }
    }

    /// Whether a limit was hit before the answer was proven.
    pub fn bound_hit(&self) -> bool {
        matches!(self, Outcome::Feasible { .. })
    }
}
