//! Windows and queues of a plan as ways: holds by site, and parts.

use super::{PlanningJob, PlanningProblem, workflow};
use crate::way::{Hold, Part, Way};
use walras_core::Alternatives;
use walras_core::plan::Run;
use walras_core::prefer::{QueueOffer, Source};
use walras_model::{Interval, Offers, Placement, Request, SiteId, Time, Window};

/// What has to be reserved for an alternative of a job.
pub(super) fn way_of(
    problem: &PlanningProblem,
    job: &PlanningJob,
    request: &Request,
    found: &Alternatives,
    run: &Run,
) -> Option<Way> {
    match run.source {
        Source::Queue(queue) => queue_way(problem.queues.get(queue)?, request, problem.now),
        Source::Window(place) => {
            let window = &found.found.get(place)?.window;
            match (&job.workflow, &run.tasks) {
                (Some(remaining), Some(tasks)) => workflow::way(problem, remaining, window, tasks),
                _ => Some(window_way(&problem.offers, window)),
            }
        }
    }
}

/// What a window holds.
pub(super) fn holds_of(offers: &Offers, window: &Window) -> Vec<(SiteId, Hold)> {
    let hold = |placement: &Placement| {
        let Placement { node, interval, rate, cost, .. } = *placement;
        (offers.node(node).site, Hold { node: Some(node), interval, rate, cost })
    };
    window.placements().iter().map(hold).collect()
}

/// The way that a window is for a parallel job: one part for each hold.
fn window_way(offers: &Offers, window: &Window) -> Way {
    let legs = Way::legs_of(holds_of(offers, window));
    let parts = legs.iter().flat_map(|leg| {
        leg.holds.iter().zip(0_u32..).map(|(hold, place)| part_of(leg.site, place, hold.interval))
    });
    let parts = parts.collect();
    Way { legs, parts, supports: Vec::new() }
}

fn part_of(site: SiteId, hold: u32, interval: Interval) -> Part {
    Part { task: None, site, hold, start: interval.start(), end: interval.end(), after: Vec::new() }
}

/// The way that a queue is: every task as it is expected.
fn queue_way(offer: &QueueOffer, request: &Request, now: Time) -> Option<Way> {
    let (interval, cost) = offer.expected(request, now)?;
    let hold = Hold { node: None, interval, rate: offer.rate, cost };
    let legs = Way::legs_of((0..request.tasks).map(|_| (offer.site, hold)));
    let parts = (0..request.tasks).map(|place| part_of(offer.site, place, interval)).collect();
    Some(Way { legs, parts, supports: Vec::new() })
}
