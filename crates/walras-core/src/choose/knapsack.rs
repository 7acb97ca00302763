//! The multiple-choice knapsack that a choice comes down to.

/// One way to serve a class: what it is worth (less is better) and what it takes of each limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Less is better.
    pub value: i128,
    /// What it takes of each limit; never negative.
    pub takes: Vec<i128>,
}

/// Choose one candidate of every class with the least total value within all limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChoiceProblem {
    /// The classes, each with at least one candidate.
    pub classes: Vec<Vec<Candidate>>,
    /// What all chosen ones together may take.
    pub limits: Vec<i128>,
}

/// A choice of one candidate per class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The chosen candidate of each class.
    pub chosen: Vec<usize>,
    /// The total value.
    pub value: i128,
    /// No choice has a lower value; equal to `value` when proven best.
    pub bound: i128,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solved {
    /// A choice, with its bound.
    Found(Solution),
    /// Even the lightest candidates take more than the limit: this much.
    TooHeavy(i128),
    /// No choice keeps all limits, though each alone could be kept.
    NothingKeepsAll,
    /// The numbers are too large.
    Overflow,
    /// Nothing was found within the bound, and nothing was proven.
    Unknown,
}

impl ChoiceProblem {
    /// What a choice takes of each limit.
    pub fn taken(&self, chosen: &[usize]) -> Vec<i128> {
        let mut taken = vec![0; self.limits.len()];
        for (class, index) in self.classes.iter().zip(chosen) {
            for (sum, takes) in taken.iter_mut().zip(&class[*index].takes) {
                *sum += takes;
            }
        }
        taken
    }

    /// The total value of a choice.
    pub fn value(&self, chosen: &[usize]) -> i128 {
        self.classes.iter().zip(chosen).map(|(class, index)| class[*index].value).sum()
    }

    /// Whether a choice keeps all limits.
    pub fn keeps_limits(&self, chosen: &[usize]) -> bool {
        self.taken(chosen).iter().zip(&self.limits).all(|(taken, limit)| taken <= limit)
    }
}
