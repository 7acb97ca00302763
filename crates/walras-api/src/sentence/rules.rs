//! What is wrong with policies and prices, as clauses that name the field as files write it.

use crate::number::Num;
use walras_broker::policy::{BadPolicy, PolicyField};
use walras_broker::price::{BLACKOUTS_MAX, BadPrices, Demand, USERS_MAX};
use walras_model::Span;

/// What is wrong with a policy, as a clause.
pub fn policy_text(fault: &BadPolicy) -> String {
    let seconds = |span: Span| format!("{} s", Num::of_span(span));
    match fault {
        BadPolicy::NoLength(field) => format!("{} is 0: expected a longer time", field_text(*field)),
        BadPolicy::LeadTooShort { lead, prepare_within, confirm_within } => format!(
            "lead is {}: expected at least prepare_within + confirm_within, which are {} and {}, because a window must \
             not start before it is held",
            seconds(*lead),
            seconds(*prepare_within),
            seconds(*confirm_within)
        ),
        BadPolicy::LeadTooLong { lead, horizon } => {
            format!("lead is {}: expected less than the horizon of {}", seconds(*lead), seconds(*horizon))
        }
        BadPolicy::NotAShare { field, millionths } => {
            let share = Num::of_millionths(*millionths);
            format!("{} is {share}: expected a share between 0 and 1", field_text(*field))
        }
        BadPolicy::BadWeight { field, weight, least } => {
            format!("{} is {weight}: expected a weight between {least} and 1000000", field_text(*field))
        }
        BadPolicy::NoneAllowed(field) => format!("{} is 0: expected at least 1", field_text(*field)),
    }
}

fn field_text(field: PolicyField) -> &'static str {
    match field {
        PolicyField::CycleEvery => "cycle_every",
        PolicyField::Horizon => "horizon",
        PolicyField::OverdueAfter => "overdue_after",
        PolicyField::BatchMax => "batch_max",
        PolicyField::Fee => "money.fee",
        PolicyField::EarlyRefund => "money.early_refund",
        PolicyField::Compensation => "money.compensation",
        PolicyField::QuoteCompensation => "quotes.compensation",
        PolicyField::OptionsMax => "quotes.options_max",
        PolicyField::AlternativesMax => "alternatives_max",
        PolicyField::RankPrice => "rank.price",
        PolicyField::RankDeadline => "rank.deadline",
        PolicyField::RankAttempts => "rank.attempts",
        PolicyField::RankWaiting => "rank.waiting",
        PolicyField::RankPriority => "rank.priority",
        PolicyField::RankFairShare => "rank.fair_share",
        PolicyField::HalfLife => "sharing.half_life",
        PolicyField::SharedAhead => "sharing.ahead",
        PolicyField::RestMax => "sharing.rest_max",
    }
}

/// What is wrong with prices, as a clause.
pub fn prices_text(fault: &BadPrices) -> String {
    match fault {
        BadPrices::Hours(count) => format!("hours has {count} factors: expected none or 24"),
        BadPrices::Weekdays(count) => format!("weekdays has {count} factors: expected none or 7"),
        BadPrices::Factor(factor) => {
            format!("a factor is {}: expected 0.000001 to 1000", Num::of_millionths(*factor))
        }
        BadPrices::Demand(Demand { min, max, step, low, high }) => {
            let [min, max, step] = [min, max, step].map(|it| Num::of_millionths(it.as_millionths()));
            let [low, high] = [low, high].map(|it| Num::of_millionths(it.as_millionths()));
            format!(
                "demand has min {min}, max {max}, step {step}, low {low} and high {high}: expected 0 < min <= 1 <= max, \
                 step >= 0 and 0 <= low <= high <= 1"
            )
        }
        BadPrices::UserPrices => {
            "prices for single users go with one base price: expected no classes, nodes, hours, weekdays and demand \
             beside them"
                .to_owned()
        }
        BadPrices::TooDear(rate) => {
            format!("a price is {} credits a second: expected at most 1000000000", Num::of_rate(*rate))
        }
        BadPrices::Blackouts(count) => format!("blackouts has {count} entries: expected at most {BLACKOUTS_MAX}"),
        BadPrices::Users(count) => format!("users has {count} prices: expected at most {USERS_MAX}"),
    }
}
