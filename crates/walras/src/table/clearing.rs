//! What prices prove of a plan, and where time is scarce, for people.

use super::aligned;
use std::cmp::Reverse;
use std::fmt::Write;
use walras_api::sentence::{calm_text, clearing_text, one_more_text};
use walras_api::{Plan, ScarceItem, Scenario};

/// So many periods are shown, the scarcest first.
const PERIODS_SHOWN: usize = 5;

/// The bound in a sentence, then the scarcest time; nothing where no prices were found.
pub(crate) fn of_clearing(scenario: &Scenario, plan: &Plan) -> String {
    let Some((choice, clearing)) = plan.choice.as_ref().and_then(|it| Some((it, it.clearing.as_ref()?)))
    else {
        return String::new();
    };
    let somebody_waits = choice.chosen.len() < scenario.batch.requests().len();
    let mut text = format!("\n{}\n", clearing_text(clearing, somebody_waits));
    if clearing.scarce.is_empty() {
        return text;
    }
    let mut scarcest: Vec<&ScarceItem> = clearing.scarce.iter().collect();
    scarcest.sort_by_key(|item| Reverse(item.above_price.micros()));
    let mut rows = vec![
        ["scarce time", "from", "until", "worth above its price, a node and unit of time"].map(str::to_owned),
    ];
    rows.extend(scarcest.iter().take(PERIODS_SHOWN).map(|item| {
        [item.site.clone(), item.start.to_string(), item.end.to_string(), item.above_price.to_string()]
    }));
    let _ = write!(text, "\n{}", aligned(&rows));
    if scarcest.len() > PERIODS_SHOWN {
        let _ = writeln!(text, "{} more are in --json.", scarcest.len() - PERIODS_SHOWN);
    }
    for sentence in
        clearing.nodes.first().map(one_more_text).into_iter().chain(calm_text(clearing, scenario.unit))
    {
        let _ = writeln!(text, "{sentence}");
    }
    text
}
