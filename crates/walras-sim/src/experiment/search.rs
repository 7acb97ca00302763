//! Searching the alternatives of a cycle, and having them verified.

use super::CycleError;
use walras_core::{Algorithm, Alternatives, Mode, SearchConfig, SearchLimits, find_alternatives};
use walras_model::{Batch, Factor, Offers};
use walras_verify::{Claim, Rules, verify_plan};

/// The search that an experiment uses: nobody reads explanations here.
pub(super) fn config(algorithm: Algorithm, alternatives_per_job_max: u32) -> SearchConfig {
    let limits =
        SearchLimits { alternatives_per_job_max, explanation_slots_max: 0, ..SearchLimits::default() };
    SearchConfig { algorithm, mode: Mode::AllAlternatives, budget_factor: Factor::ONE, limits }
}

/// All alternatives, verified by independent code where asked.
pub(super) fn alternatives(
    offers: &Offers,
    batch: &Batch,
    config: &SearchConfig,
    verify: bool,
) -> Result<Alternatives, CycleError> {
    verified(find_alternatives(offers, batch, config), (offers, batch), config, verify)
}

/// What was found, verified where asked.
pub(super) fn verified(
    alternatives: Alternatives,
    (offers, batch): (&Offers, &Batch),
    config: &SearchConfig,
    verify: bool,
) -> Result<Alternatives, CycleError> {
    if verify {
        let claim = Claim::of_alternatives(offers, batch, &alternatives.found);
        let price_cap = config.algorithm == Algorithm::Alp;
        let rules = Rules { budget_factor: config.budget_factor, price_cap };
        if let Some(violation) = verify_plan(&claim, offers, batch, rules).first() {
            return Err(CycleError::law(format!("alternatives of {} verify: {violation}", config.algorithm)));
        }
    }
    Ok(alternatives)
}
