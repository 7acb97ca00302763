//! Other starting points of a schedule: the published heuristics, and the critical jobs method with other goals where terms may bind.

use super::baseline::Baseline;
use super::best::Best;
use super::critical;
use super::instance::Instance;
use super::list::Board;
use super::strategy::Goal;

/// Offers all of them; of a workflow for which no chain is planned (no labels), only what the goal or a budget asks for.
pub(super) fn offer_others(instance: &Instance, goal: Goal, labels_max: usize, best: &mut Best) {
    let mut board = Board::new(instance);
    if labels_max == 0 {
        if goal != Goal::Finish || instance.budget != i64::MAX {
            best.offer(instance, goal, &Baseline::Dbcs.place(instance, &mut board));
        }
        return;
    }
    for baseline in Baseline::ALL {
        let placed = baseline.place(instance, &mut board);
        best.offer(instance, goal, &placed);
    }
    let binding = instance.budget != i64::MAX || best.score.missing > 0;
    if goal != Goal::Finish && binding {
        best.offer(instance, goal, &critical::plan(instance, Goal::Finish, labels_max).placed);
    }
    if goal != Goal::Cost && instance.budget != i64::MAX {
        best.offer(instance, goal, &critical::plan(instance, Goal::Cost, labels_max).placed);
    }
}
