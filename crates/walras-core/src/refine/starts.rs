//! Other starting points of a schedule: the published heuristics, and the critical jobs method with other goals where terms may bind.

use super::baseline::Baseline;
use super::best::Best;
use super::instance::Instance;
use super::list::Board;
use super::schedule::Placed;
use super::strategy::Goal;
use super::{RefineEffort, Strategy, TaskSchedule, critical, solve};
use walras_model::outcome::Outcome;
use walras_model::workflow::{Lane, Platform, Terms, Workflow};

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

/// What ends as soon as possible, if that is by the deadline: searches that keep to a deadline from the first step on begin with what
/// plain lists make of it, and these may end a little later than what a search ends with.
pub(super) fn in_time(
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
    effort: &RefineEffort,
) -> Option<Placed> {
    let deadline = terms.deadline?;
    let instance = Instance::new(workflow, platform, &Terms { deadline: None, ..*terms }).ok()?;
    let schedule = match solve(&instance, platform, Strategy::Asap, effort, None) {
        Outcome::Optimal(refined) | Outcome::Feasible { best: refined, .. } => refined.schedule,
        Outcome::Infeasible(_) => return None,
    };
    placed_of(&schedule, platform).filter(|_| schedule.finish() <= deadline)
}

/// A schedule as searches have it; `None` where it is not on the platform.
pub(super) fn placed_of(schedule: &TaskSchedule, platform: &Platform) -> Option<Placed> {
    let mut placed = Placed::new(schedule.placements.len());
    for placement in &schedule.placements {
        let (start, end) = (placement.start, placement.end);
        let holds = |lane: &Lane| {
            lane.node == placement.node
                && lane.free.iter().any(|free| free.start() <= start && end <= free.end())
        };
        let lane = platform.lanes.iter().position(holds)?;
        placed.put(placement.task.index(), lane, start.as_millis(), end.as_millis());
    }
    Some(placed)
}
