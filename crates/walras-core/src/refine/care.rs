//! How closely a workflow is looked at: every size of window by every method, or what there is work enough for.

use super::RefineEffort;
use super::width::{most_places, widths};
use walras_model::offer::Offers;
use walras_model::workflow::Workflow;

/// Of one size, so many windows are looked at for one that holds the workflow, or fewer, so that no more than so many tasks are placed in
/// vain.
const WINDOWS_MAX: usize = 64;
const TASKS_PLACED_MAX: usize = 2_000;

/// How closely a workflow is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Every size, by every method.
    Closely {
        /// Of each size so many windows at the most, one after another, until one holds it.
        windows: usize,
    },
    /// List schedules alone, and only so many sizes as can be looked at in so many units of work; one at least.
    Plainly {
        /// A unit is about one look at one task on one node.
        units: u64,
    },
}

/// Looking at a size closely takes about so many units for each task on each node, over all methods and lengths of window;
/// looking plainly so many.
const CLOSE_UNITS: u64 = 160;
const PLAIN_UNITS: u64 = 8;

impl Care {
    /// Closely, if that takes no more than so many units, at as many windows as they suffice for; plainly within them otherwise.
    pub fn within(workflow: &Workflow, offers: &Offers, units: u64) -> Care {
        let nodes: u64 = widths(most_places(workflow, offers)).into_iter().map(u64::from).sum();
        let tasks = u64::try_from(workflow.tasks().len()).unwrap_or(u64::MAX);
        let all = tasks.saturating_mul(nodes).saturating_mul(CLOSE_UNITS);
        if all > units {
            return Care::Plainly { units };
        }
        let within = usize::try_from(units / all.max(1)).unwrap_or(usize::MAX);
        let placed = TASKS_PLACED_MAX / workflow.tasks().len().max(1);
        Care::Closely { windows: within.min(placed).clamp(1, WINDOWS_MAX) }
    }

    /// How many windows of one size are looked at, one after another.
    pub(crate) fn windows(self) -> usize {
        match self {
            Care::Closely { windows } => windows,
            Care::Plainly { .. } => 1,
        }
    }

    /// How hard one window is tried.
    pub(crate) fn effort(self, units_max: u64) -> RefineEffort {
        match self {
            Care::Closely { .. } => RefineEffort { units_max, proof_units_max: 0, ..RefineEffort::default() },
            Care::Plainly { .. } => {
                RefineEffort { units_max: 0, proof_units_max: 0, labels_max: 0, ..RefineEffort::default() }
            }
        }
    }

    /// The numbers of nodes that are looked at: all, or every other, and so on, the most among them, until there is work enough for
    /// them; where there is not even enough for one, the most nodes for which there is.
    pub(super) fn widths(self, tasks: usize, most: u32) -> Vec<u32> {
        let mut all = widths(most);
        let Care::Plainly { units } = self else { return all };
        let tasks = u64::try_from(tasks).unwrap_or(u64::MAX).max(1);
        let nodes_max = units / tasks.saturating_mul(PLAIN_UNITS).max(1);
        while all.len() > 1 && all.iter().copied().map(u64::from).sum::<u64>() > nodes_max {
            let mut keep = all.len().is_multiple_of(2);
            all.retain(|_| {
                keep = !keep;
                keep
            });
        }
        let most = u32::try_from(nodes_max).unwrap_or(u32::MAX).max(1);
        all.iter_mut().for_each(|width| *width = (*width).min(most));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_sizes_are_looked_at_with_less_work_and_always_one() {
        let plainly = |units: u64| Care::Plainly { units }.widths(10, 20);
        assert_eq!(Care::Closely { windows: 1 }.widths(10, 20), widths(20));
        assert_eq!(plainly(80 * 89), widths(20));
        assert_eq!(plainly(80 * 88), [1, 3, 5, 8, 13, 20]);
        assert_eq!(plainly(80 * 49), [3, 8, 20]);
        assert_eq!(plainly(80 * 28), [3, 20]);
        assert_eq!(plainly(80 * 22), [20]);
        assert_eq!(plainly(80 * 19), [19]);
        assert_eq!(plainly(0), [1]);
    }
}
