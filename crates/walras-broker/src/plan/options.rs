//! All that one job could have, for a quote.

use super::PlanningProblem;
use super::allocation::allocation_of;
use crate::model::allocation::Allocation;
use walras_core::SearchConfig;
use walras_core::plan::job_options;
use walras_core::prefer::Source;
use walras_model::{Explanation, JobId};

/// Alternatives of a job, each with what its user loses by it; or why there is none.
pub(crate) struct JobFindings {
    pub(crate) found: Vec<(Allocation, i64)>,
    /// The place of the best window by the first search.
    pub(crate) best: Option<usize>,
    pub(crate) why: Option<Explanation>,
}

/// What several searches and the queues have for the one job of a problem.
pub(crate) fn job_findings(problem: &PlanningProblem, searches: &[SearchConfig]) -> JobFindings {
    let all = problem.posed(|batch| job_options(batch, searches));
    let request = JobId::from_index(0).map(|job| all.batch.request(job));
    let (mut found, mut best) = (Vec::with_capacity(all.options.len()), None);
    for (run, loss) in &all.options {
        let job = problem.jobs.first().zip(request);
        let Some(allocation) =
            job.and_then(|(job, request)| allocation_of(problem, job, request, &all.found, run))
        else {
            continue;
        };
        // Where the first search found nothing, there is no window but those of the others.
        if run.source == Source::Window(0) && all.why.is_none() {
            best = Some(found.len());
        }
        found.push((allocation, *loss));
    }
    JobFindings { found, best, why: all.why }
}
