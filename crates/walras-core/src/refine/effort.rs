//! How much work a schedule of tasks may take.

/// How hard to try, and from which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefineEffort {
    /// Units of work for improvement: a unit is about one look at one task on one node.
    pub units_max: u64,
    /// Units of work for the proof that nothing ends sooner, where improvement leaves that open and the workflow is small (asap, fastest and
    /// alap).
    pub proof_units_max: u64,
    /// Labels that the planning of a chain keeps on each node. With none, no chain is planned: a list schedule has to do, which is
    /// the least work that gives any, and the result says that this limit was hit.
    pub labels_max: usize,
    /// What the improvement's choices follow from.
    pub seed: u64,
}

impl Default for RefineEffort {
    fn default() -> Self {
        RefineEffort { units_max: 40_000_000, proof_units_max: 200_000_000, labels_max: 32, seed: 1 }
    }
}
