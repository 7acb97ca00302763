//! Who may go where: each job only on the sites whose owners may let its user in.

use super::BatchProblem;
use walras_model::id::SiteId;
use walras_model::request::Batch;

/// The batch, every job only on the sites whose owners may let it in at some hour.
pub(super) fn admitted(problem: &BatchProblem<'_>) -> Batch {
    let Some(stakeholders) = problem.stakeholders else { return problem.batch.clone() };
    let mut requests = problem.batch.requests().to_vec();
    for (job, request) in requests.iter_mut().enumerate() {
        let open = stakeholders.sites_of(job);
        if open.len() < problem.offers.sites().len() {
            let may = |site: &SiteId| request.scope.admits(*site);
            request.scope.sites = Some(open.into_iter().filter(may).collect());
        }
    }
    Batch::new(requests)
}
