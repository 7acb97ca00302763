//! All ways to run one job, for a quote.

use super::{Problem, batch_of, negotiate, way_of, workflow};
use crate::allocation::Allocation;
use walras_core::{Alternatives, SearchConfig, find_alternatives};
use walras_model::Explanation;

/// Ways to run a job, each with what its user loses by it; or why there is none.
pub(crate) struct Ways {
    pub(crate) found: Vec<(Allocation, i64)>,
    pub(crate) why: Option<Explanation>,
}

/// The ways that several searches find for the one job of a problem, and its queues.
pub(crate) fn ways(problem: &Problem, searches: &[SearchConfig]) -> Ways {
    let batch = workflow::sized(problem, batch_of(problem));
    let mut all = Alternatives::default();
    for (place, search) in searches.iter().enumerate() {
        let mut found = find_alternatives(&problem.offers, &batch, search);
        let unfit = workflow::keep_fitting(problem, &batch, &mut found);
        all.found.extend(found.found.into_iter().filter(|it| !unfit.contains(&it.job)));
        if place == 0 {
            all.unscheduled = found.unscheduled;
        }
    }
    let why = all.unscheduled.first().map(|unscheduled| unscheduled.explanation.clone());
    let Some(talk) = negotiate(problem, &batch, &all) else { return Ways { found: Vec::new(), why } };
    let options = talk.problem.jobs().first().map_or(&[][..], |job| &job.options);
    let sources = talk.sources.first().map_or(&[][..], Vec::as_slice);
    let ways = sources
        .iter()
        .zip(options)
        .filter_map(|(source, option)| Some((way_of(problem, &batch, &all, 0, *source, 0)?, option.loss)));
    Ways { found: ways.collect(), why }
}
