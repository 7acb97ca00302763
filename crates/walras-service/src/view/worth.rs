//! What time is worth, as the API shows it.

use super::site_name;
use walras_api::Num;
use walras_api::service::{NodeWorthView, ScarceView, WorthView};
use walras_broker::{State, WorthInquiry};
use walras_core::clearing::{KindWorth, ScarcePeriod, TimeWorth};

/// Digits of a price behind the point.
const RATE_DECIMALS: u32 = 6;

/// What was found, if it was looked for.
pub fn worth_view(state: &State, asked: &WorthInquiry, found: Option<&TimeWorth>) -> WorthView {
    let scarce = |it: &ScarcePeriod| ScarceView {
        site: site_name(state, it.site),
        start: it.interval.start().into(),
        end: it.interval.end().into(),
        above_price: Num::from_units(it.above(), RATE_DECIMALS),
        nodes: it.nodes,
    };
    let node = |it: &KindWorth| NodeWorthView {
        site: site_name(state, it.site),
        performance: Num::of_millionths(it.performance.as_millionths()),
        price: Num::from_units(it.rate.as_micros_per_second().into(), RATE_DECIMALS),
        nodes: it.nodes,
        one_more: Num::from_units(it.each, RATE_DECIMALS),
    };
    let worth = found.map(|found| &found.worth);
    WorthView {
        waiting: asked.waiting(),
        until: Some(asked.until().into()),
        scarce: worth.iter().flat_map(|worth| &worth.periods).map(scarce).collect(),
        nodes: worth.iter().flat_map(|worth| &worth.kinds).map(node).collect(),
        calm_from: worth.and_then(|worth| worth.calm_from).map(Into::into),
        limited: found.map_or(asked.waiting() > 0, |found| found.limit_hit),
    }
}
