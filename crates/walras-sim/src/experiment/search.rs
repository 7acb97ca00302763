//! Searching the alternatives of a cycle, and having them verified.

use super::CycleError;
use walras_core::{
    Algorithm, Alternative, Alternatives, Batch, Claim, ClaimedAlternative, ClaimedSlot, Factor, Limits,
    Mode, Offers, Rules, SearchConfig, find_alternatives, verify_plan,
};

/// The search that an experiment uses: nobody reads explanations here.
pub(super) fn config(algorithm: Algorithm, alternatives_per_job_max: u32) -> SearchConfig {
    let limits = Limits { alternatives_per_job_max, explanation_slots_max: 0, ..Limits::default() };
    SearchConfig { algorithm, mode: Mode::AllAlternatives, budget_factor: Factor::ONE, limits }
}

/// All alternatives, verified by independent code where asked.
pub(super) fn alternatives(
    offers: &Offers,
    batch: &Batch,
    config: &SearchConfig,
    verify: bool,
) -> Result<Alternatives, CycleError> {
    let alternatives = find_alternatives(offers, batch, config);
    if verify {
        let claim = claim(offers, batch, &alternatives.found);
        let price_cap = config.algorithm == Algorithm::Alp;
        let rules = Rules { budget_factor: config.budget_factor, price_cap };
        if let Some(violation) = verify_plan(&claim, offers, batch, rules).first() {
            return Err(CycleError::law(format!("alternatives of {} verify: {violation}", config.algorithm)));
        }
    }
    Ok(alternatives)
}

fn claim(offers: &Offers, batch: &Batch, found: &[Alternative]) -> Claim {
    let slots = |alternative: &Alternative| {
        let placements = alternative.window.placements().iter();
        let slot = placements.map(|placement| ClaimedSlot {
            site: offers.site_of(placement.node).name.clone(),
            node: offers.node(placement.node).name.clone(),
            start: placement.interval.start(),
            end: placement.interval.end(),
            cost: placement.cost,
        });
        slot.collect()
    };
    let claimed = found.iter().map(|alternative| ClaimedAlternative {
        job: batch.request(alternative.job).name.clone(),
        start: alternative.window.start(),
        end: alternative.window.end(),
        cost: alternative.window.cost(),
        slots: slots(alternative),
    });
    Claim { alternatives: claimed.collect(), ..Claim::default() }
}
