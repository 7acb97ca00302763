//! What prices prove of a plan, and what they say of time.

use super::proof::percent_up;
use crate::number::Num;
use crate::plan::{NodeWorthItem, PlannedClearing};
use crate::service::BoundView;
use crate::unit::{MONEY_DECIMALS, Unit};
use walras_broker::decision::PlanBound;
use walras_model::quantity::rounding;

/// What no plan can cost less than, and how many jobs none can serve more than; the second where some are `waiting`.
pub fn clearing_text(clearing: &PlannedClearing, waiting: bool) -> String {
    let above = clearing.above.as_ref().and_then(Num::micros);
    let mut text = format!("No plan of {}", least_cost(clearing.jobs, &clearing.cost_least, above));
    if waiting {
        text += &match clearing.jobs_most == clearing.jobs {
            true => "; none serves more".to_owned(),
            false => format!("; none serves more than {}", clearing.jobs_most),
        };
    }
    let ended = if clearing.limit_hit { ", as far as the limit on work allows" } else { "" };
    text += &format!(" ({} searches{ended}).", clearing.searches);
    if !clearing.beside.is_empty() {
        text += &format!(" Nothing is said of {}: workflows, or in queues.", clearing.beside.join(", "));
    }
    text
}

/// `these 6 jobs costs less than 410 credits …`
fn least_cost(jobs: usize, least: &Num, above: Option<i64>) -> String {
    let jobs = if jobs == 1 { "this job".to_owned() } else { format!("these {jobs} jobs") };
    match above {
        Some(..=0) => format!("{jobs} costs less, in any windows"),
        Some(above) => {
            let percent = percent_up(above);
            format!(
                "{jobs} costs less than {least} credits, in any windows: this one is at most {percent}% above"
            )
        }
        None => format!("{jobs} costs less than {least} credits, in any windows"),
    }
}

/// What prices prove of the broker's plan.
pub fn bound_view(bound: &PlanBound) -> BoundView {
    let (cost, least) = (i128::from(bound.cost.as_micros()), i128::from(bound.cost_least.as_micros()));
    let above = (least > 0).then(|| rounding::up((cost - least) * 1_000_000, least));
    let above = above.and_then(|above| i64::try_from(above).ok());
    let cost_least = Num::from_units(least, MONEY_DECIMALS);
    let text = format!("no plan of {}", least_cost(bound.jobs as usize, &cost_least, above));
    let above = above.map(Num::of_millionths);
    BoundView {
        jobs: bound.jobs,
        cost_least,
        above,
        jobs_most: bound.jobs_most,
        searches: bound.searches,
        text,
    }
}

/// What one more node of a kind would bring.
pub fn one_more_text(item: &NodeWorthItem) -> String {
    format!(
        "One more node of {} of performance {} would bring about {} credits above its price.",
        item.site, item.performance, item.one_more
    )
}

/// When nothing is scarce any more.
pub fn calm_text(clearing: &PlannedClearing, unit: Unit) -> Option<String> {
    let calm = clearing.calm_from.as_ref()?;
    Some(format!("From {calm} {} on no time is scarce.", unit.symbol()))
}
