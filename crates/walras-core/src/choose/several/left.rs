//! What is left of a problem.

use super::super::knapsack::Knapsack;

/// The candidates that are left, class by class.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    /// One after another.
    pub(super) members: Vec<usize>,
    /// Where each class begins; one more at the end.
    pub(super) firsts: Vec<usize>,
    /// The classes of which more than one is left.
    pub(super) open: Vec<usize>,
}

impl Left {
    /// All candidates.
    pub(super) fn all(problem: &Knapsack) -> Left {
        let mut firsts = vec![0];
        for class in &problem.classes {
            firsts.push(firsts[firsts.len() - 1] + class.len());
        }
        let several = |class: &usize| problem.classes[*class].len() > 1;
        let open = (0..problem.classes.len()).filter(several).collect();
        Left { members: (0..firsts[firsts.len() - 1]).collect(), firsts, open }
    }

    /// The candidates of a class.
    pub(super) fn of(&self, class: usize) -> &[usize] {
        &self.members[self.firsts[class]..self.firsts[class + 1]]
    }

    /// The candidates among which there still is a choice.
    pub(super) fn undecided(&self) -> impl Iterator<Item = usize> {
        self.open.iter().flat_map(|class| self.of(*class)).copied()
    }
}
