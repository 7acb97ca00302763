//! What prices prove of a plan, and what they say of time.

use super::proof::percent_up;
use crate::number::Num;
use crate::plan::{NodeWorthItem, PlannedClearing};
use crate::service::BoundView;
use crate::unit::{MONEY_DECIMALS, Unit};
use walras_broker::decision::PlanBound;
use walras_broker::id::CycleNumber;
use walras_model::Money;
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

/// What prices prove of the broker's plan: of this cycle, where it was worked out beside plans.
pub fn bound_view(bound: &PlanBound, of: Option<CycleNumber>) -> BoundView {
    let (above, cost_least) = (above(bound.cost, bound.cost_least), least_of(bound.cost_least));
    let within = if bound.loss.is_some() { "within what was promised " } else { "" };
    let mut text = format!("{within}no plan of {}", least_cost(bound.jobs as usize, &cost_least, above));
    let lost = bound.loss.map(|it| (least_of(it.loss_least), self::above(it.loss, it.loss_least)));
    if let Some((least, above)) = &lost {
        text += &match above {
            Some(..=0) => "; none comes to less either with what delays are worth to them".to_owned(),
            Some(above) => {
                let percent = percent_up(*above);
                format!(
                    "; with what delays are worth to them none comes to less than {least} credits: this one is at most \
                     {percent}% above"
                )
            }
            None => String::new(),
        };
        if bound.jobs_most > bound.jobs {
            text += &format!("; none serves more than {}", bound.jobs_most);
        }
    }
    if let Some(cycle) = of {
        text = format!("in cycle {cycle} {text}");
    }
    let above = above.map(Num::of_millionths);
    let (loss_least, loss_above) = lost.unzip();
    BoundView {
        loss_least,
        loss_above: loss_above.flatten().map(Num::of_millionths),
        of: of.map(CycleNumber::get),
        jobs: bound.jobs,
        cost_least,
        above,
        jobs_most: bound.jobs_most,
        searches: bound.searches,
        text,
    }
}

/// How far an amount is above the least, in millionths of that.
fn above(amount: Money, least: Money) -> Option<i64> {
    let (amount, least) = (i128::from(amount.as_micros()), i128::from(least.as_micros()));
    let above = (least > 0).then(|| rounding::up((amount - least) * 1_000_000, least));
    above.and_then(|above| i64::try_from(above).ok())
}

fn least_of(amount: Money) -> Num {
    Num::from_units(amount.as_micros().into(), MONEY_DECIMALS)
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
