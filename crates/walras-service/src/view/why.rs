//! Reasons as sentences, with names and dates.

use super::{place_name, site_name};
use std::collections::BTreeSet;
use walras_api::Unit;
use walras_api::service::{ChangeView, Stamp};
use walras_api::text::reason_text;
use walras_broker::State;
use walras_broker::job::{JobSpec, SiteRefusal, Why};
use walras_model::{Explanation, Reason, SmallestChange, Time};

/// Why a job is not running, in one sentence.
pub fn why_text(state: &State, why: &Why) -> String {
    match why {
        Why::NoFit(explanation) => no_fit(explanation, Purse::Own),
        Why::Refused { site, refusal } => {
            let what = match refusal {
                SiteRefusal::Busy => "its time is taken",
                SiteRefusal::Expired => "its hold had expired",
                SiteRefusal::PriceChanged => "its price has changed",
                SiteRefusal::Unknown => "it knows of no such reservation",
                SiteRefusal::Unwilling => "it does not want the job",
            };
            format!("Site {} refused: {what}.", site_name(state, *site))
        }
        Why::Silent(sites) => {
            let names: Vec<String> = sites.iter().map(|site| site_name(state, *site)).collect();
            format!("Site {} did not answer in time.", names.join(", "))
        }
        Why::NodeLost(node) => format!("Node {} failed.", place_name(state, *node)),
        Why::SiteLost(site) => format!("Site {} failed.", site_name(state, *site)),
        Why::TakenBack(node) => format!("The owner of node {} needed it.", place_name(state, *node)),
        Why::TooOften(why) => {
            format!("Given up after too many failures; the last: {}", why_text(state, why))
        }
        Why::Outdated(sentences) => {
            let told: BTreeSet<String> = sentences.iter().map(|it| dated(it)).collect();
            let told: Vec<String> = told.into_iter().collect();
            format!("The plan does not hold any more: {}.", told.join("; "))
        }
        other => sentence(&other.to_string()),
    }
}

/// The same for a job that is known: a limit of its own is told from one of its user's money.
pub fn why_of_job(state: &State, spec: &JobSpec, why: &Why) -> String {
    match why {
        Why::NoFit(explanation) => no_fit(explanation, Purse::of(state, spec, explanation)),
        why => why_text(state, why),
    }
}

/// What limits the money that a job may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purse {
    /// Its own budget.
    Own,
    /// What its user has, or may spend in this period.
    User,
}

impl Purse {
    /// Which of them an explanation is about.
    pub fn of(state: &State, spec: &JobSpec, explanation: &Explanation) -> Purse {
        let own = spec.request.budget_limit(state.policy.search.budget_factor);
        let users = explanation.reasons.iter().any(|reason| match reason {
            Reason::BudgetTooSmall { budget, .. } => own.is_none_or(|own| *budget < own),
            _ => false,
        });
        if users { Purse::User } else { Purse::Own }
    }
}

/// The sentence with dates in place of seconds since 1970, which have ten digits or so.
fn dated(text: &str) -> String {
    let mut told = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(|it: char| it.is_ascii_digit()) {
        let (before, from) = rest.split_at(begin);
        let end = from.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(from.len());
        let (number, after) = from.split_at(end);
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let millis =
            format!("{whole}{part:0<3}").parse().ok().filter(|_| whole.len() >= 9 && part.len() <= 3);
        told.push_str(before);
        match millis.and_then(Time::from_millis) {
            Some(time) => {
                told.push_str(&Stamp::from(time).to_string());
                rest = after.strip_prefix(" s").unwrap_or(after);
            }
            None => {
                told.push_str(number);
                rest = after;
            }
        }
    }
    told + rest
}

fn no_fit(explanation: &Explanation, purse: Purse) -> String {
    let reason = explanation.reasons.first().map(|reason| reason_of(reason, purse));
    let reason = reason.unwrap_or_else(|| "No window fits.".to_owned());
    let changes: Vec<String> =
        changes_of(&explanation.smallest_change, purse).into_iter().map(|it| it.text).collect();
    match changes.as_slice() {
        [] => reason,
        [only] => format!("{reason} This would do: {only}."),
        _ => format!("{reason} Any of these would do: {}.", changes.join("; ")),
    }
}

/// With a capital, and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// A reason in one sentence.
pub fn reason_of(reason: &Reason, purse: Purse) -> String {
    match reason {
        Reason::BudgetTooSmall { budget, needed } if purse == Purse::User => {
            let short = needed.checked_sub(*budget).unwrap_or(*needed);
            format!(
                "The user can spend {budget} credits now, by account and budgets, which is {short} credits short of the \
                 cheapest window, which costs {needed} credits."
            )
        }
        Reason::DeadlineTooEarly { deadline, needed } => {
            let (deadline, needed) = (Stamp::from(*deadline), Stamp::from(*needed));
            format!("The deadline {deadline} is too early: the first window ends at {needed}.")
        }
        Reason::NotExamined => {
            "It was not looked into: there were no offers yet, or too many jobs without a window.".to_owned()
        }
        other => reason_text(other, Unit::Seconds),
    }
}

/// Each change that alone would help.
pub fn changes_of(change: &SmallestChange, purse: Purse) -> Vec<ChangeView> {
    let view = |kind: &str, text: String| ChangeView { kind: kind.to_owned(), text };
    let rate = |rate| Unit::Seconds.rate_text(rate);
    let SmallestChange { budget, price_max, deadline, tasks, performance_min } = change;
    let all = [
        budget.map(|it| match purse {
            Purse::Own => view("budget", format!("a budget of {it} credits")),
            Purse::User => view("funds", format!("{it} credits that the user can spend")),
        }),
        price_max.map(|it| view("price_max", format!("a price_max of {} credits a second", rate(it)))),
        deadline.map(|it| view("deadline", format!("a deadline of {}", Stamp::from(it)))),
        tasks.map(|it| view("tasks", format!("{it} {}", if it == 1 { "task" } else { "tasks" }))),
        performance_min.map(|it| view("performance_min", format!("a performance_min of {it}"))),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Money;

    #[test]
    fn what_is_outdated_is_told_once_and_with_dates() {
        let past = "it starts at 1794747153.555 s, which is past".to_owned();
        let why =
            Why::Outdated(vec![past.clone(), past, "it costs 12.5, more than the job may spend".to_owned()]);
        let text = why_text(&State::default(), &why);
        assert_eq!(
            text,
            "The plan does not hold any more: it costs 12.5, more than the job may spend; it starts at \
             2026-11-15T12:52:33.555Z, which is past."
        );
    }

    #[test]
    fn an_account_that_is_too_small_is_told_from_a_budget() {
        let (budget, needed) = (Money::from_micros(1_000_000), Money::from_micros(8_000_000));
        let explanation = Explanation {
            reasons: vec![Reason::BudgetTooSmall { budget, needed }],
            smallest_change: SmallestChange { budget: Some(needed), ..SmallestChange::default() },
        };
        assert_eq!(
            no_fit(&explanation, Purse::User),
            "The user can spend 1 credits now, by account and budgets, which is 7 credits short of the cheapest window, \
             which costs 8 credits. This would do: 8 credits that the user can spend."
        );
        assert_eq!(
            no_fit(&explanation, Purse::Own),
            "The budget of 1 credits is 7 credits short of the cheapest window, which costs 8 credits. This would do: a \
             budget of 8 credits."
        );
    }

    #[test]
    fn a_job_that_fits_nowhere_is_told_what_would_help() {
        let explanation = Explanation {
            reasons: vec![Reason::DeadlineTooEarly {
                deadline: Time::from_millis(0).unwrap(),
                needed: Time::from_millis(60_000).unwrap(),
            }],
            smallest_change: SmallestChange {
                budget: Some(Money::from_micros(1_500_000)),
                deadline: Time::from_millis(60_000),
                ..SmallestChange::default()
            },
        };
        let text = why_text(&State::default(), &Why::NoFit(Box::new(explanation)));
        assert_eq!(
            text,
            "The deadline 1970-01-01T00:00:00.000Z is too early: the first window ends at \
             1970-01-01T00:01:00.000Z. Any of these would do: a budget of 1.5 credits; a deadline of \
             1970-01-01T00:01:00.000Z."
        );
    }
}
