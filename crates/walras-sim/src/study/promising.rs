//! Settings of policies that promise.

use crate::baseline::{Market, Precedence, Promising, Until};
use walras_model::{Decimal, Multiplier};

/// Slack beyond this is no promise, in thousandths.
const SLACK_MAX: i64 = 1_000_000;

/// One setting of a queue of promises.
pub(super) fn set_promising(promising: &mut Promising, key: &str, value: &str) -> Result<(), String> {
    match key {
        "order" => promising.precedence = order(value)?,
        "slack" => promising.slack = slack(value)?,
        "trials" => promising.trials = trials(value)?,
        _ => return Err(unknown(key, "queue, speeds, order, slack or trials")),
    }
    Ok(())
}

/// One setting of a market of promises.
pub(super) fn set_market(market: &mut Market, key: &str, value: &str) -> Result<(), String> {
    match key {
        "order" => market.precedence = order(value)?,
        "slack" => market.until = Until::Planned(slack(value)?),
        "until" if value == "deadline" => market.until = Until::Deadline,
        "until" => return Err("until is deadline, or not said".to_owned()),
        "trials" => market.trials = trials(value)?,
        "value" => {
            let read = Decimal::plain(value).ok().and_then(|read| read.units(6).ok());
            let value = read.and_then(Multiplier::from_millionths).ok_or_else(|| {
                format!("'{value}' is not a number of credits for a node-second, as in 0.9")
            })?;
            market.value = value;
        }
        _ => return Err(unknown(key, "value, until, slack, order or trials")),
    }
    Ok(())
}

fn unknown(key: &str, known: &str) -> String {
    format!("'{key}' is not a setting of it: expected {known}")
}

fn order(value: &str) -> Result<Precedence, String> {
    // Here nobody is ranked, and shortest first is a policy of its own.
    let order =
        Precedence::named(value).filter(|order| !matches!(order, Precedence::Shortest | Precedence::AsGiven));
    order.ok_or_else(|| "an order is lxf, wfp3 or fcfs".to_owned())
}

fn slack(value: &str) -> Result<u32, String> {
    let thousandths = Decimal::plain(value).ok().and_then(|share| share.units(3).ok());
    let slack = thousandths.filter(|share| (0..=SLACK_MAX).contains(share));
    slack.and_then(|share| u32::try_from(share).ok()).ok_or_else(|| {
        format!("'{value}' is not a share of the wait, as in 0.25, of at most 1000 and three places")
    })
}

fn trials(value: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("'{value}' is not a number of trials"))
}
