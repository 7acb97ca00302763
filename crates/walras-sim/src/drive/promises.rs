//! The broker's rules for promises, from words.

use super::policy::seconds;
use walras_broker::policy::{Deciding, OrderBy, Policy, PromisePolicy};
use walras_core::agenda::{Late, Precedence, Until};
use walras_model::{Multiplier, Share, Span};

/// Whether a setting is one of promises.
pub(super) fn is_setting(key: &str) -> bool {
    let settings = [
        "order",
        "order-by",
        "slack",
        "price-slack",
        "slack-max",
        "trials",
        "replanned",
        "value",
        "until",
        "late",
        "ahead",
        "replan",
    ];
    settings.contains(&key)
}

/// Sets `decide` (`at-once`, `promise`), or where jobs are promised anything `order` (`lxf`, `wfp3`, `fcfs`, `sjf`, `rank`), `order-by` (`estimate`, `prediction`), `slack` and
/// `price-slack` (shares), `until` (`planned`, `deadline`, `first`), `late` (`refused`, `run`), `trials`, `replanned`, `value`, and in seconds `slack-max`, `ahead` and `replan`.
pub(super) fn set(policy: &mut Policy, key: &str, value: &str) -> Result<(), String> {
    if key == "decide" {
        policy.deciding = match value {
            "at-once" => {
                // Sites are then given all the time that they may take.
                let longest = policy.prepare_within.as_millis() + policy.confirm_within.as_millis();
                policy.lead = policy.lead.max(Span::from_millis(longest).unwrap_or(Span::ZERO));
                Deciding::AtOnce
            }
            "promise" => Deciding::Promise(PromisePolicy::default()),
            _ => return Err("expected at-once or promise".to_owned()),
        };
        return Ok(());
    }
    let number = || value.parse::<f64>().map_err(|_| "is not a number".to_owned());
    let count = || value.parse::<u32>().map_err(|_| "is not a whole number".to_owned());
    let share = || millionths(number()?).and_then(Share::from_millionths).ok_or("is not a share".to_owned());
    let span = || seconds(number()?).ok_or_else(|| "is not a number of seconds".to_owned());
    let Deciding::Promise(rules) = &mut policy.deciding else {
        return Err("expected decide, search, objective, plan, alternatives, batch, bound, spares, crowd, cycle, horizon, lead or overdue; \
                    and after decide=promise order, order-by, slack, slack-max, price-slack, until, late, trials, replanned, value, ahead or replan"
            .to_owned());
    };
    match key {
        "order" => {
            let order = Precedence::named(value);
            rules.order = order.ok_or_else(|| "expected lxf, wfp3, fcfs, sjf or rank".to_owned())?;
        }
        "order-by" => {
            rules.order_by = match value {
                "estimate" => OrderBy::Estimate,
                "prediction" => OrderBy::Prediction,
                _ => return Err("expected estimate or prediction".to_owned()),
            }
        }
        "slack" => rules.slack = share()?,
        "price-slack" => rules.price_slack = share()?,
        "slack-max" => rules.slack_max = span()?,
        "trials" => rules.trials = count()?,
        "replanned" => rules.replanned_max = count()?,
        "value" => {
            let value = millionths(number()?).and_then(Multiplier::from_millionths);
            rules.value = value.ok_or_else(|| "is not a multiple".to_owned())?;
        }
        "until" => {
            rules.until = match value {
                "planned" => Until::Planned,
                "deadline" => Until::Deadline,
                "first" => Until::First,
                _ => return Err("expected planned, deadline or first".to_owned()),
            }
        }
        "late" => {
            rules.late = match value {
                "refused" => Late::Refused,
                "run" => Late::Run,
                _ => return Err("expected refused or run".to_owned()),
            }
        }
        // Whoever says how far ahead means it of every site.
        "ahead" => (rules.ahead, rules.early) = (span()?, true),
        "replan" => rules.replan_every = span()?,
        _ => return Err("is not a setting of promises".to_owned()),
    }
    Ok(())
}

pub(super) fn millionths(number: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "within the range of shares and multiples")]
    (0.0..=1e6).contains(&number).then_some((number * 1e6).round() as i64)
}
