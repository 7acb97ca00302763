//! All that one job could have, for whoever wants to know before asking for it.

use super::{BatchProblem, Run, admission, negotiation, served, workflow};
use crate::search::{Alternatives, Own, SearchConfig, find_alternatives_each};
use walras_model::Explanation;
use walras_model::id::JobId;
use walras_model::request::Batch;

/// What the one job of a problem could have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOptions {
    /// The job as it was planned, in a batch of its own.
    pub batch: Batch,
    /// The windows that the options are among.
    pub found: Alternatives,
    /// What it could have, each with what its user loses by it (see [`crate::prefer::SCALE`]).
    pub options: Vec<(Run, i64)>,
    /// Why the first search found no window.
    pub why: Option<Explanation>,
}

/// What several searches and the queues have for the one job of a problem; nothing is chosen.
pub fn job_options(problem: &BatchProblem<'_>, searches: &[SearchConfig]) -> JobOptions {
    let (batch, sizes) = workflow::sized(problem, admission::admitted(problem));
    let mut all = Alternatives::default();
    for (place, search) in searches.iter().enumerate() {
        let mut found =
            find_alternatives_each(problem.offers, &batch, search, Own::default(), 1, |_, _| false);
        // Nobody else is there to take a window from it.
        let _ = workflow::keep_fitting(&BatchProblem { search, ..*problem }, &batch, &sizes, &mut found);
        all.found.extend(found.found);
        if place == 0 {
            all.unscheduled = found.unscheduled;
        }
    }
    let why = all.unscheduled.first().map(|unscheduled| unscheduled.explanation.clone());
    let mut options = Vec::new();
    if let (Some(Ok(negotiation)), Some(job)) =
        (negotiation::negotiate(problem, &batch, &all), JobId::from_index(0))
    {
        let losses = negotiation.problem.jobs().first().map_or(&[][..], |job| &job.options);
        let sources = negotiation.sources.first().map_or(&[][..], Vec::as_slice);
        let pairs = sources.iter().zip(losses);
        options.extend(pairs.filter_map(|(source, option)| {
            Some((served::run(problem, &batch, &all, job, *source, 0)?, option.loss))
        }));
    }
    JobOptions { batch, found: all, options, why }
}
