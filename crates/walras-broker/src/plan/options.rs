//! All that one job could have, for a quote.

use super::PlanningProblem;
use super::allocation::allocation_of;
use crate::model::allocation::Allocation;
use walras_core::SearchConfig;
use walras_core::plan::job_options;
use walras_model::{Explanation, JobId};

/// Alternatives of a job, each with what its user loses by it; or why there is none.
pub(crate) struct JobFindings {
    pub(crate) found: Vec<(Allocation, i64)>,
    pub(crate) why: Option<Explanation>,
}

/// What several searches and the queues have for the one job of a problem.
pub(crate) fn job_findings(problem: &PlanningProblem, searches: &[SearchConfig]) -> JobFindings {
    let all = problem.posed(|batch| job_options(batch, searches));
    let request = JobId::from_index(0).map(|job| all.batch.request(job));
    let found = all.options.iter().filter_map(|(run, loss)| {
        Some((allocation_of(problem, problem.jobs.first()?, request?, &all.found, run)?, *loss))
    });
    JobFindings { found: found.collect(), why: all.why }
}
