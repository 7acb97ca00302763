//! Windows and queues of a plan as allocations: holds by site, and parts.

use super::{PlanningJob, PlanningProblem, workflow};
use crate::model::allocation::{Allocation, Hold};
use walras_core::Alternatives;
use walras_core::plan::Run;
use walras_core::prefer::{QueueOffer, Source};
use walras_model::{Offers, Placement, Request, SiteId, Time, Window};

/// What has to be reserved for an alternative of a job.
pub(super) fn allocation_of(
    problem: &PlanningProblem,
    job: &PlanningJob,
    request: &Request,
    found: &Alternatives,
    run: &Run,
) -> Option<Allocation> {
    match run.source {
        Source::Queue(queue) => queue_allocation(problem.queues.get(queue)?, request, problem.now),
        Source::Window(place) => {
            let window = &found.found.get(place)?.window;
            match (&job.workflow, &run.tasks) {
                (Some(remaining), Some(tasks)) => workflow::allocation(problem, remaining, window, tasks),
                _ => Some(window_allocation(&problem.offers, window)),
            }
        }
    }
}

/// What a window holds.
pub(super) fn holds_of(offers: &Offers, window: &Window) -> Vec<(SiteId, Hold)> {
    let hold = |placement: &Placement| {
        let Placement { node, units, interval, rate, cost, .. } = *placement;
        (offers.node(node).site, Hold { node: Some(node), units, interval, rate, cost })
    };
    window.placements().iter().map(hold).collect()
}

/// A window for a parallel job: one part for each hold.
fn window_allocation(offers: &Offers, window: &Window) -> Allocation {
    Allocation::plain(holds_of(offers, window))
}

/// A place in a queue: every task as it is expected.
fn queue_allocation(offer: &QueueOffer, request: &Request, now: Time) -> Option<Allocation> {
    let (interval, cost) = offer.expected(request, now)?;
    let hold = Hold { units: 1, node: None, interval, rate: offer.rate, cost };
    Some(Allocation::plain((0..request.tasks).map(|_| (offer.site, hold))))
}
